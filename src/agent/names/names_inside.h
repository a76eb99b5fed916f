/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_NAMES_NAMES_INSIDE_H
#define BW_AGENT_NAMES_NAMES_INSIDE_H

/* Declarations shared by names.c (objects), names_record.c (command buffers and submissions as the
 * program passed them to the API) and names_match.c (matches packets and dispatches). One lock
 * guards the objects and all that is recorded; a submission belongs to the thread that makes it. */

#include <pthread.h>
#include <stdbool.h>

#include "agent/names/names_priv.h"

extern pthread_mutex_t bw_names_lock;

/* Copies at most room - 1 bytes of from (may be NULL), ended by 0. */
void bw_names_copy(char *to, size_t room, const char *from);

/* The caller holds the lock. NULL: there is none. */
struct bw_agent_object *bw_names_find(uint32_t kind, uint64_t handle);
struct bw_agent_object *bw_names_pipeline_of(uint32_t id);

/* A dispatch of the API; what has no fixed size lies in a text beside it. */
struct bw_names_recorded {
	uint64_t pipeline_handle;
	uint32_t pipeline; /* id */
	bool indirect;
	uint32_t base[3], groups[3];
	uint32_t label_at, push_at, push_b; /* in the text; label_at 0: none */
	uint32_t sets_at, sets_b;	    /* the same: as bound_sets.h writes them */
	uint32_t args_at, n_args;	    /* the same: bw_agent_arg */
	uint64_t packet_va, block_va;	    /* told; 0: not known */
};

/* The submission that a thread is making, or has made. */
struct bw_names_submission {
	bool active, has_frame;
	uint32_t frame; /* has_frame: told */
	uint64_t queue;
	struct BW_VEC(struct bw_names_recorded) dispatches;
	struct BW_VEC(struct bw_names_recorded) draws; /* groups: vertices, instances */
	struct bw_names_blob text;
	size_t next;	  /* the dispatches before it have their packets */
	size_t next_draw; /* the same */
	size_t next_task; /* draws before it have the packet of their task shader */
};

/* The calling thread's. */
struct bw_names_submission *bw_names_mine(void);
/* The number of the frame that it belongs to, 0: not known. Under the lock. */
uint32_t bw_names_frame(const struct bw_names_submission *s);

#endif
