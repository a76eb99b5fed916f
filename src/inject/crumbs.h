/* SPDX-License-Identifier: MIT */
#ifndef BW_INJECT_CRUMBS_H
#define BW_INJECT_CRUMBS_H

/* The parts of `breakwater exec --breadcrumbs`: what agents say of the command streams that they
 * have put markers into, and the memory that the GPU writes the markers to (crumbs_collect.c); what
 * can be said of it when the program has ended (crumbs_show.c). The memory is the program's: what
 * it says is checked wherever it is used. */

#include <sys/types.h>

#include "base/vec.h"
#include "inject/stomp.h"
#include "kmd/follow.h"
#include "ui/out.h"
#include "wire/crumbs_proto.h"
#include "wire/message.h"

struct bw_crumbs_settings {
	bool every_packet;
	/* from marker break_at of the break_hits-th stream of a process that has so many on, each
	 * marker waits for the user; 0: none */
	uint32_t break_at, break_hits;
	/* registers to fill, of submission at_submission (0: each), after so many dispatches */
	struct bw_stomp_set pokes; /* borrowed */
	uint32_t at_submission, at_dispatch;
	int udp; /* a connected socket that all changes are sent to; borrowed, -1: none */
	int tty; /* where the user is asked without one; borrowed, -1: nowhere */
};

/* A command stream that a slot is of. */
struct bw_crumbs_known {
	struct bw_crumbs_stream info;
	struct bw_crumbs_mark *marks;	       /* info.n_marks; owned */
	struct bw_crumbs_dispatch *dispatches; /* info.n_dispatches; owned */
	uint32_t break_from; /* the first marker that waits for the user; UINT32_MAX: none */
	uint32_t told_begun, told_ended;
	bool told_end;
	uint32_t asked;	  /* the marker that the user is asked about; 0: none */
	int64_t asked_ns; /* when */
};

/* Memory of a DRM file of a process. */
struct bw_crumbs_area_known {
	uint32_t file;
	struct bw_crumbs_slot *slots;  /* mapped; shared with the GPU and the agent */
	struct bw_crumbs_slot *last;   /* as they were when the process ended; owned */
	struct bw_crumbs_known *known; /* BW_CRUMBS_SLOTS; owned */
};

struct bw_crumbs_process {
	int fd;	   /* -1: it has ended */
	pid_t pid; /* 0: it has no number here */
	bool greeted;
	struct bw_hello hello;
	struct BW_VEC(struct bw_crumbs_area_known) areas;
	uint32_t n_streams, n_unmarked, n_unseen;
	struct BW_VEC(uint32_t) n_marks;    /* of its streams, in their order */
	uint32_t hits;			    /* streams that have the marker break_at */
	struct bw_crumbs_unmarked unmarked; /* the first of those */
	struct bw_msg_pieces said; /* as far as it has come; said.msg is the one that is taken */
};

struct bw_crumbs {
	struct bw_crumbs_settings settings;
	int listening;
	const struct bw_followed *program; /* while it runs */
	uint64_t token;			   /* of our datagrams */
	uint32_t sequence;		   /* of the last one */
	uint32_t n_unsent;
	bool is_free;					     /* the user has let all go on */
	struct BW_VEC(struct bw_crumbs_process *) processes; /* owned */
};

/* socket: where agents connect; made here. */
struct bw_error *bw_crumbs_open(const struct bw_crumbs_settings *settings, const char *socket,
				struct bw_crumbs **out) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_crumbs_close(struct bw_crumbs *c);
/* Takes what comes until the process has ended, and what is there then. One that was killed may
 * still be kept by the kernel, until its jobs have ended. */
struct bw_error *bw_crumbs_run(struct bw_crumbs *c, struct bw_followed *p) BW_MUST_CHECK;

/* ---- crumbs_follow.c: while the program runs ---- */

/* Whether somebody wants to know each change as it comes. */
static inline bool bw_crumbs_is_followed(const struct bw_crumbs *c)
{
	return c->settings.break_at || c->settings.udp >= 0;
}
/* The stream has just come: whether it is one that breaks. */
void bw_crumbs_arm(struct bw_crumbs *c, struct bw_crumbs_process *p, struct bw_crumbs_known *k);
/* Looks at all markers, tells what has changed, and lets the GPU go on or asks. */
void bw_crumbs_look(struct bw_crumbs *c);
/* The process has ended: so have its streams, however far they were. */
void bw_crumbs_tell_ends(struct bw_crumbs *c, struct bw_crumbs_process *p);
/* There is something to read on settings.udp, settings.tty. */
void bw_crumbs_take_datagram(struct bw_crumbs *c);
void bw_crumbs_take_key(struct bw_crumbs *c);
/* A packet as text: "marker 3, DISPATCH_DIRECT, dword 53 of the IB at 0x...: dispatch 0, ...". */
struct bw_str;
void bw_crumbs_name(const struct bw_crumbs_known *k, uint32_t number, struct bw_str *out);
const struct bw_crumbs_dispatch *bw_crumbs_dispatch_of(const struct bw_crumbs_known *k,
						       const struct bw_crumbs_mark *m);
/* The last marker in front of this one whose packet starts waves; 0: none. */
uint32_t bw_crumbs_work_before(const struct bw_crumbs_known *k, uint32_t number);
/* Streams of the process up to this one that have so many markers: what --break takes. */
uint32_t bw_crumbs_hits(const struct bw_crumbs_process *p, uint32_t stream, uint32_t number);

/* The progress of a stream. Numbers are those of markers; 0: none. */
struct bw_crumbs_verdict {
	bool is_good;	      /* it has ended, and well */
	uint32_t first;	      /* the first that did not end */
	uint32_t last_work;   /* the last one in front of it whose work has ended */
	uint32_t last_packet; /* the last one in front of it that has a marker */
	enum bw_crumbs_how how;
};
struct bw_crumbs_verdict bw_crumbs_judge(const struct bw_crumbs_slot *s,
					 const struct bw_crumbs_known *k);
/* An event "breadcrumbs". */
void bw_crumbs_show(const struct bw_crumbs *c, struct bw_out *o);

#endif
