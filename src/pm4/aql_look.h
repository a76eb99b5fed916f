/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_AQL_LOOK_H
#define BW_PM4_AQL_LOOK_H

/* Where an AQL queue stands, as the memory of its program tells: its first packet that is not
 * complete, what that waits for, and who could end the wait. Everything that is read is untrusted.
 * Pure, except for the callback that reads memory. */

#include "base/str.h"
#include "pm4/aql.h"

/* False: not all of it could be read. */
typedef bool bw_aql_read_fn(void *cookie, uint64_t va, void *out, size_t size_b);
struct bw_aql_memory {
	bw_aql_read_fn *read;
	void *cookie;
};

struct bw_aql_ring {
	uint64_t va, read_va, write_va; /* of the packets, and of the two indices */
	uint32_t n_slots;
};

struct bw_aql_signal {
	uint64_t va;
	bool is_known; /* its value could be read */
	int64_t value;
};

struct bw_aql_state {
	struct bw_aql_ring ring;
	/* Indices: all packets before `read` are complete; the program has reserved those before
	 * `write`. Valid if is_known. */
	bool is_known;
	uint64_t read, write;
	/* of the packet at `read`, if read < write */
	bool has_first;
	uint64_t first_va;
	struct bw_aql_packet first;
	/* of a barrier: the signals that it looks at */
	struct bw_aql_signal signals[BW_AQL_N_BARRIER_SIGNALS];
	size_t n_signals;
	/* of a dispatch: its lanes need more scratch than the queue has (in bytes, for a lane), and
	 * the signal by which the GPU asks for it */
	bool wants_scratch;
	uint32_t scratch_b;
	struct bw_aql_signal inactive;
};
void bw_aql_look(const struct bw_aql_ring *ring, const struct bw_aql_memory *m,
		 struct bw_aql_state *out);
/* The packet with an index; false: it cannot be read. out_va may be NULL. */
bool bw_aql_packet_at(const struct bw_aql_ring *ring, uint64_t index, const struct bw_aql_memory *m,
		      struct bw_aql_packet *out, uint64_t *out_va);
/* Appends what a packet is and does: "barrier-AND, which waits for signal 0x1008 (value 1)". */
void bw_aql_packet_text(const struct bw_aql_packet *p, const struct bw_aql_memory *m,
			struct bw_str *out);

/* A queue as one of those of its program. */
struct bw_aql_one {
	struct bw_aql_state state;
	char name[48]; /* "queue 1" */
};

/* What is known of the dispatch at which a queue stands, beside the queue's memory. */
struct bw_aql_dispatch {
	const char *name;     /* "dispatch 1 (weigh)", "weigh"; NULL: not known */
	bool is_held;	      /* by the debugger */
	bool are_waves_known; /* n_waves is */
	uint64_t n_waves;     /* of the dispatch, on the GPU */
	uint64_t n_stopped;   /* of these, at a breakpoint, a fault or the like */
	const char *where;    /* where most of them are; NULL: not known */
};

/* The queues of a program, and which of them is explained. */
struct bw_aql_stand {
	const struct bw_aql_one *queues;
	size_t n, which;
	struct bw_aql_memory memory;
	struct bw_aql_dispatch dispatch;
	const char *program; /* "saxpy (process 4711)" */
	/* the next commands to type: for the waves of a dispatch, and for the program on the CPU */
	const char *for_waves, *for_program;
};
/* Where a queue stands, if no packet tells it: "empty" and the like. NULL: s->first tells it. */
const char *bw_aql_no_packet_text(const struct bw_aql_state *s);
/* Appends a paragraph that explains why the queue does not go on; nothing if it is empty. */
void bw_aql_explain(const struct bw_aql_stand *s, struct bw_str *out);

#endif
