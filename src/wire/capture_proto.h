/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_CAPTURE_PROTO_H
#define BW_WIRE_CAPTURE_PROTO_H

/* The agent and `breakwater capture`, which listens on the socket BW_CAPTURE_SOCKET of its folder
 * (wire/agent_folders.h). Each process connects at its first submission, says HELLO and waits
 * for GO; from then on messages go from the agent alone, and are not answered, but for ASK, which
 * comes before each submission where GO says so. Records are those of
 * capture/capture.h, with two differences: a page is named by its place among those that this
 * connection has sent since its last record, from 1, and an address space by the number of the
 * process's DRM file. The message's body is the record's fixed part, then its bytes.
 *
 * Where GO comes with a file, PAGES, PIPELINE, SUBMISSION and RESULT go through that memory
 * (wire/capture_area.h) instead of the socket, and wake nobody. They are read when a message comes
 * by a socket, of any process: DRAIN, when much has been written or something happened that the
 * capture may be for; ASK; the end of the stream. */

#include <stdint.h>

#include "wire/hello.h"

#define BW_CAPTURE_SOCKET "capture"

enum bw_capture_msg {
	BW_CAPTURE_HELLO = 128, /* bw_hello, version BW_CAPTURE_VERSION */
	BW_CAPTURE_GO,		/* bw_capture_go */
	BW_CAPTURE_PAGES,	/* up to BW_CAPTURE_SEND_PAGES pages */
	BW_CAPTURE_SUBMISSION,	/* bw_capture_summary, and the record of a submission */
	/* bw_capture_result, and runs. Of the submission that this connection sent last */
	BW_CAPTURE_RESULT,
	BW_CAPTURE_ASK,	   /* bw_capture_ask, and names: is this submission captured? */
	BW_CAPTURE_ANSWER, /* bw_capture_answer */
	BW_CAPTURE_DRAIN,  /* bw_capture_drain */
	BW_CAPTURE_DRAINED,
	/* bw_capture_pipeline_sent, and the record of a pipeline (capture/pipeline.h), before the
	 * first submission with a dispatch of it */
	BW_CAPTURE_PIPELINE,
};
enum { BW_CAPTURE_SEND_PAGES = 256 };
/* DRAIN comes when so much was written since the last one. */
enum { BW_CAPTURE_DRAIN_B = 4 << 20 };

struct bw_capture_go {
	int32_t result; /* 0, or -errno: nothing is captured */
	/* how long a submission may run until the program goes on without its result */
	uint32_t wait_ms;
	uint32_t asks; /* the agent asks before each submission */
	uint32_t pad;
	/* Memory after a submission may be left unseen (BW_CAPTURE_UNSEEN), until so many bytes of
	 * pages were sent of an address space; 0: it is looked at after each. */
	uint64_t unseen_max_b;
};
/* Dispatches of this connection name it by this id, as made_of. One that comes again replaces it.
 */
struct bw_capture_pipeline_sent {
	uint32_t id;
};
struct bw_capture_drain {
	uint32_t answers; /* DRAINED is wanted, when all is read */
};
struct bw_capture_ask {
	uint32_t frame; /* bw_capture_summary */
	uint32_t names_b;
	/* names: labels and pipelines of its dispatches, each ended by a zero byte */
};
enum { BW_CAPTURE_NAMES_MAX_B = 1 << 16 };
struct bw_capture_answer {
	uint32_t take;
};

#endif
