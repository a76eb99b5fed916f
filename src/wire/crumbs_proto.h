/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_CRUMBS_PROTO_H
#define BW_WIRE_CRUMBS_PROTO_H

/* The agent and `breakwater exec --breadcrumbs`, which listens on the socket BW_CRUMBS_SOCKET of
 * its folder (wire/agent_folders.h). Each process connects at its first
 * submission, says HELLO and waits for GO; from then on messages go from the agent alone, and are
 * not answered. For each DRM file, AREA brings memory that the GPU writes and that outlives the
 * program: slots, of which each submitted command stream has one until it has ended. STREAM says
 * what the markers of a stream are, before it is submitted. */

#include <stdint.h>

#include "wire/hello.h"

#define BW_CRUMBS_SOCKET "crumbs"
enum { BW_CRUMBS_VERSION = 2, BW_CRUMBS_SLOTS = 1024, BW_CRUMBS_MARKS_MAX = 1 << 17 };

enum bw_crumbs_msg {
	BW_CRUMBS_HELLO = 160, /* bw_hello, version BW_CRUMBS_VERSION */
	BW_CRUMBS_GO,	       /* bw_crumbs_go */
	BW_CRUMBS_AREA,	       /* bw_crumbs_area, and the memory as a descriptor */
	/* bw_crumbs_stream, n_marks of bw_crumbs_mark, n_dispatches of bw_crumbs_dispatch */
	BW_CRUMBS_STREAM,
	BW_CRUMBS_UNMARKED, /* bw_crumbs_unmarked: a stream without markers, and why */
};

/* The state of a stream, written by the GPU and the agent. Each half is a cache line of its own:
 * the GPU writes the first. */
enum bw_crumbs_state {
	BW_CRUMBS_FREE,
	BW_CRUMBS_RUNNING,
	BW_CRUMBS_DONE,	  /* its fence has signalled */
	BW_CRUMBS_FAILED, /* ... with an error: result */
};
enum bw_crumbs_how { BW_CRUMBS_UNKNOWN, BW_CRUMBS_STUCK, BW_CRUMBS_FAULT };
struct bw_crumbs_slot {
	uint32_t begun; /* the marker that the command processor has come to; 0: none */
	uint32_t ended; /* the last marker whose work has ended; 0: none */
	uint32_t of_gpu[14];
	uint32_t go; /* the GPU waits at a marker until this is its number or higher */
	/* written by the listener, if it is asked: go must not be higher than this */
	uint32_t allowed;
	uint32_t state;	 /* enum bw_crumbs_state */
	int32_t result;	 /* -errno */
	uint32_t stream; /* number of the stream */
	/* ENDED as the agent has seen it: when the program is gone, its driver ends what runs, and
	 * the GPU then writes ENDED for that, too */
	uint32_t seen;
	/* the marker at which something was seen to go wrong, and what; 0: nothing yet. The
	 * driver ends waves that hang or fault, and the markers after them are then written */
	uint32_t culprit, how; /* enum bw_crumbs_how */
	uint32_t stuck_ms;     /* how long nothing has changed */
	uint32_t fault_status; /* as the kernel has it */
	uint64_t fault_va;
	uint32_t pad[4];
};
_Static_assert(sizeof(struct bw_crumbs_slot) == 128, "two cache lines");

/* A register that is filled with a bad value by a packet. */
struct bw_crumbs_poke {
	uint32_t addr_dw /* of the SH registers */, value;
};
enum { BW_CRUMBS_POKES_MAX = 64 };
struct bw_crumbs_go {
	int32_t result; /* 0, or -errno: there are no markers */
	uint32_t every_packet;
	uint32_t hang_ms; /* a stream without any change for this long hangs */
	uint32_t asks;	  /* at each marker the GPU waits for `allowed` */
	/* n_pokes registers are filled after the first at_dispatch dispatches and draws of
	 * submission at_submission; 0: of each submission */
	uint32_t at_submission, at_dispatch, n_pokes;
	struct bw_crumbs_poke pokes[BW_CRUMBS_POKES_MAX];
};
struct bw_crumbs_area {
	uint32_t file, pad; /* number of the DRM file */
};
enum { BW_CRUMBS_NO_DISPATCH = -1 };
/* The ip_type of a stream that is one packet of an AQL queue: `ring` is the queue's id, marker 1
 * the packet, with its type as op and its place in the ring as ib_va and at_dw, marker 2 the end.
 * The agent writes them. Such streams are in an area of their own. */
enum { BW_CRUMBS_AQL = 0x100, BW_CRUMBS_AQL_FILE = 1 << 30 };
struct bw_crumbs_stream {
	uint32_t file, slot;
	uint32_t stream;     /* from 1, of the process */
	uint32_t submission; /* from 1, of the process */
	uint32_t ib;	     /* which one of the submission, from 0 */
	uint32_t ip_type, ring;
	uint32_t n_marks, n_dispatches;
	uint32_t n_unseen; /* streams that it calls and parts of it that have no markers */
};
struct bw_crumbs_mark {
	uint64_t ib_va;
	uint32_t at_dw;
	int32_t dispatch; /* in the submission; BW_CRUMBS_NO_DISPATCH */
	uint8_t op, depth, is_work, is_bad;
	uint32_t pad;
};
/* A dispatch; or a draw, with its vertex shader as code and pipeline. */
struct bw_crumbs_dispatch {
	uint64_t code_va;
	uint32_t number; /* in the submission, from 0: dispatches and draws have one count */
	uint32_t groups[3], group_size[3];
	char pipeline[64];
	char label[160];
	uint32_t is_draw;
	/* of a draw: its pixel shader */
	uint64_t pixel_va;
	char pixel[64];
};
struct bw_crumbs_unmarked {
	uint32_t submission, ib;
	char why[120];
};

#endif
