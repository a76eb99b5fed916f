/* SPDX-License-Identifier: MIT */
#ifndef BW_WIRE_STOMP_FILES_H
#define BW_WIRE_STOMP_FILES_H

/* `breakwater exec --stomp-memory` and the agents of its program: files of the folder of `exec`
 * (wire/agent_folders.h). `ranges` says which new buffers are to be filled, and to `filled` each
 * agent appends a record for each new buffer (one write() each). `waves` says what the virtual GPU
 * is to fill when waves start, and `submissions` gets a record for each submission. */

#include <stdint.h>

#define BW_STOMP_RANGES_FILE "ranges"
#define BW_STOMP_FILLED_FILE "filled"
#define BW_STOMP_WAVES_FILE "waves"
#define BW_STOMP_SUBMISSIONS_FILE "submissions"

/* Buffers by their number in the process, from 1, in the order in which they are made. */
struct bw_stomp_range {
	uint32_t first, last;
};
enum { BW_STOMP_RANGES_MAX = 1024 };
/* The value of each dword of filled memory. As an address it is mapped nowhere, as a float it is
 * -3e22, and it is odd and negative as an integer. */
enum { BW_STOMP_MEMORY_WORD = (int)0xe4cdcdcd };

enum bw_stomp_result {
	BW_STOMP_FILLED,
	BW_STOMP_NOT_CHOSEN,
	BW_STOMP_MUST_BE_ZERO, /* the program has asked the kernel to clear it */
	BW_STOMP_NOT_SEEN,     /* the CPU may not see it */
};
struct bw_stomp_buffer {
	uint32_t pid, number;
	uint32_t domains; /* AMDGPU_GEM_DOMAIN_* */
	uint32_t result;  /* enum bw_stomp_result */
	uint64_t size_b;
	char comm[16];
};

/* The filled state of waves (enum bw_vgpu_stomp_what), with the submissions of a process (from 1)
 * and the dispatches of these (from 0) that it holds for. */
struct bw_stomp_waves {
	uint32_t what;
	uint32_t first_submission, last_submission, first_dispatch, last_dispatch;
};
struct bw_stomp_submission {
	uint32_t pid, number;
	uint32_t what; /* the fill of its waves */
	uint32_t reserved;
};

#endif
