/* SPDX-License-Identifier: MIT */
#ifndef BW_INJECT_CRUMBS_H
#define BW_INJECT_CRUMBS_H

/* The parts of `breakwater exec --breadcrumbs`: the messages of agents about the command streams
 * into which they have put markers, and the memory to which the GPU writes the markers
 * (crumbs_collect.c); and the report when the program has ended (crumbs_show.c). The memory belongs
 * to the program, so its contents are checked wherever they are used. */

#include <sys/types.h>

#include "base/folder.h"
#include "base/vec.h"
#include "inject/stomp.h"
#include "kmd/follow.h"
#include "ui/out.h"
#include "wire/crumbs_proto.h"
#include "wire/message.h"

struct bw_crumbs_settings {
	bool every_packet;
	/* each marker waits for the user, from marker break_at on, in the break_hits-th stream of a
	 * process that has so many markers; 0: none */
	uint32_t break_at, break_hits;
	/* registers to fill, of submission at_submission (0: each), after so many dispatches */
	struct bw_stomp_set pokes; /* borrowed */
	uint32_t at_submission, at_dispatch;
	int udp; /* a connected socket to which all changes are sent; borrowed; -1: none */
	/* the terminal on which the user is asked if there is no socket; borrowed; -1: none */
	int tty;
};

/* The command stream that uses a slot. */
struct bw_crumbs_known {
	struct bw_crumbs_stream info;
	struct bw_crumbs_mark *marks;	       /* info.n_marks elements; owned */
	struct bw_crumbs_dispatch *dispatches; /* info.n_dispatches elements; owned */
	uint32_t break_from; /* the first marker that waits for the user; UINT32_MAX: none */
	uint32_t told_begun, told_ended;
	bool told_end;
	uint32_t asked;	  /* the marker about which the user was asked; 0: none */
	int64_t asked_ns; /* when the user was asked */
};

/* Marker memory of a DRM file of a process. */
struct bw_crumbs_area_known {
	uint32_t file;
	struct bw_crumbs_slot *slots;  /* mapped; the GPU and the agent write it */
	struct bw_crumbs_slot *last;   /* the slots when the process ended; owned */
	struct bw_crumbs_known *known; /* BW_CRUMBS_SLOTS elements; owned */
};

struct bw_crumbs_process {
	int fd;	   /* -1: the process has ended */
	pid_t pid; /* 0: its number is not known in our namespace */
	bool greeted;
	struct bw_hello hello;
	struct BW_VEC(struct bw_crumbs_area_known) areas;
	uint32_t n_streams, n_unmarked, n_unseen;
	struct BW_VEC(uint32_t) n_marks; /* numbers of markers of its streams, in their order */
	/* number of streams that have the marker break_at */
	uint32_t hits;
	struct bw_crumbs_unmarked unmarked; /* the first stream without markers */
	/* messages as far as they have come; said.msg is the one that is handled */
	struct bw_msg_pieces said;
};

struct bw_crumbs {
	struct bw_crumbs_settings settings;
	int listening;
	const struct bw_followed *program; /* set while the program runs */
	uint64_t token;			   /* token of our datagrams */
	uint32_t sequence;		   /* number of the last datagram */
	uint32_t n_unsent;
	/* the user has let everything continue */
	bool is_free;
	struct BW_VEC(struct bw_crumbs_process *) processes; /* owned */
};

/* Agents connect in the folder. */
struct bw_error *bw_crumbs_open(const struct bw_crumbs_settings *settings,
				const struct bw_folder *folder,
				struct bw_crumbs **out) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_crumbs_close(struct bw_crumbs *c);
/* Handles messages until the process has ended, and those that have come by then. The kernel may
 * keep a process that was killed until its jobs have ended. */
struct bw_error *bw_crumbs_run(struct bw_crumbs *c, struct bw_followed *p) BW_MUST_CHECK;

/* ---- crumbs_follow.c: while the program runs ---- */

/* Whether changes are wanted as they come, by UDP or on a terminal. */
static inline bool bw_crumbs_is_followed(const struct bw_crumbs *c)
{
	return c->settings.break_at || c->settings.udp >= 0;
}
/* Called when a stream has come: decides whether it breaks. */
void bw_crumbs_arm(struct bw_crumbs *c, struct bw_crumbs_process *p, struct bw_crumbs_known *k);
/* Reads all markers, reports changes, and lets the GPU continue or asks the user. */
void bw_crumbs_look(struct bw_crumbs *c);
/* Called when a process has ended: its streams have ended with it, wherever they were. */
void bw_crumbs_tell_ends(struct bw_crumbs *c, struct bw_crumbs_process *p);
/* Called when settings.udp has something to read; bw_crumbs_take_key: settings.tty. */
void bw_crumbs_take_datagram(struct bw_crumbs *c);
void bw_crumbs_take_key(struct bw_crumbs *c);
/* Appends a packet as text: "marker 3, DISPATCH_DIRECT, dword 53 of the IB at 0x...: dispatch 0,
 * ...". */
struct bw_str;
void bw_crumbs_name(const struct bw_crumbs_known *k, uint32_t number, struct bw_str *out);
const struct bw_crumbs_dispatch *bw_crumbs_dispatch_of(const struct bw_crumbs_known *k,
						       const struct bw_crumbs_mark *m);
/* The last marker before this one whose packet starts waves; 0: none. */
uint32_t bw_crumbs_work_before(const struct bw_crumbs_known *k, uint32_t number);
/* The number of streams of the process, up to this one, that have so many markers: the count for
 * --break. */
uint32_t bw_crumbs_hits(const struct bw_crumbs_process *p, uint32_t stream, uint32_t number);

/* The progress of a stream. Numbers are those of markers; 0: none. */
struct bw_crumbs_verdict {
	bool is_good;	      /* the stream has ended, without an error */
	uint32_t first;	      /* the first marker whose packet did not end */
	uint32_t last_work;   /* the last marker before it whose work has ended */
	uint32_t last_packet; /* the last packet before it that has a marker */
	enum bw_crumbs_how how;
};
struct bw_crumbs_verdict bw_crumbs_judge(const struct bw_crumbs_slot *s,
					 const struct bw_crumbs_known *k);
/* Prints an event "breadcrumbs". */
void bw_crumbs_show(const struct bw_crumbs *c, struct bw_out *o);

#endif
