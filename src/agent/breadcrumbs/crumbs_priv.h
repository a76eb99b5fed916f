/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_BREADCRUMBS_CRUMBS_PRIV_H
#define BW_AGENT_BREADCRUMBS_CRUMBS_PRIV_H

/* crumbs.c makes the copies and crumbs_watch.c looks at their markers; crumbs_link.c has the
 * connection to the listener. */

#include "agent/breadcrumbs/crumbs.h"
#include "agent/memory/place.h"
#include "pm4/mark.h"
#include "wire/crumbs_proto.h"
#include "wire/message.h"

/* A command stream of a submission, with markers. */
struct bw_crumbs_part {
	struct bw_crumbs_slot *slot;
	struct bw_placed copy;
	uint32_t *last_work; /* by marker: the last one in front of it that starts waves; owned */
	uint32_t n_marks;
	bool has_end; /* the last marker is the stream's end */
	bool asks;    /* the listener allows each marker */
	struct drm_amdgpu_cs_chunk_ib ib;
	uint32_t begun, ended; /* as last seen */
	int64_t changed_ns;    /* when they were seen to change */
	bool is_stuck;	       /* nothing has changed for long */
	int64_t went_on_ns;    /* when something did again */
	bool is_innocent;      /* the submission has failed in another of its streams */
};

struct bw_crumbs_job {
	struct bw_crumbs_job *next;
	struct bw_agent_file *file; /* a reference */
	struct drm_amdgpu_wait_cs_in wait;
	int64_t asked_ns; /* when its fence was asked for last */
	size_t n_parts;
	struct bw_crumbs_part parts[]; /* up to the chunks of the call */
};

/* The state of breadcrumbs for a DRM file. */
struct bw_agent_crumbs {
	struct bw_placed area; /* BW_CRUMBS_SLOTS of bw_crumbs_slot */
	uint64_t top;	       /* buffers are placed below it */
	uint32_t next_slot;
	bool failed; /* it has no area, and gets none */
	struct BW_VEC(struct bw_placed) spare;
	/* the page fault that was on record when the last one was looked for */
	uint64_t fault_va;
	uint32_t fault_status;
};

/* ---- crumbs_link.c ---- */

/* Connects once. NULL: there is nobody, or it has refused. */
const struct bw_crumbs_go *bw_crumbs_link(void);
/* False: the listener is gone. fd: -1, or borrowed. */
bool bw_crumbs_send(enum bw_crumbs_msg type, const struct bw_msg_part *parts, size_t n, int fd);
void bw_crumbs_link_fork_child(void);

/* ---- crumbs_watch.c ---- */

/* Takes ownership; the copies and slots come back by bw_crumbs_give_back. */
void bw_crumbs_watch(struct bw_crumbs_job *job);
void bw_crumbs_watch_fork_child(void);

/* ---- crumbs.c ---- */

/* A slot that is free, of BW_CRUMBS_SLOTS, from *io_next on; it is RUNNING then. NULL: all are in
 * use. One thread at a time for each area. */
struct bw_crumbs_slot *bw_crumbs_take_slot(struct bw_crumbs_slot *slots, uint32_t *io_next,
					   uint32_t *out_number);
/* The next numbers of a submission and of a stream of this process. */
void bw_crumbs_number(uint32_t *out_submission, uint32_t *out_stream);
void bw_crumbs_packets_fork_child(void);

/* Frees a job; result: of its fence. */
void bw_crumbs_give_back(struct bw_crumbs_job *job, int result);

#endif
