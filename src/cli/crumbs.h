/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CRUMBS_H
#define BW_CLI_CRUMBS_H

/* The parts of `breakwater exec --breadcrumbs`: what agents say of the command streams that they
 * have put markers into, and the memory that the GPU writes the markers to (crumbs_collect.c); what
 * can be said of it when the program has ended (crumbs_show.c). The memory is the program's: what
 * it says is checked wherever it is used. */

#include <sys/types.h>

#include "base/vec.h"
#include "ui/out.h"
#include "wire/crumbs_proto.h"
#include "wire/message.h"

struct bw_crumbs_settings {
	bool every_packet;
	uint32_t break_at, break_hits; /* 0: none */
};

/* A command stream that a slot is of. */
struct bw_crumbs_known {
	struct bw_crumbs_stream info;
	struct bw_crumbs_mark *marks;	       /* info.n_marks; owned */
	struct bw_crumbs_dispatch *dispatches; /* info.n_dispatches; owned */
};

/* Memory of a DRM file of a process. */
struct bw_crumbs_area_known {
	uint32_t file;
	struct bw_crumbs_slot *slots;  /* mapped; shared with the GPU and the agent */
	struct bw_crumbs_slot *last;   /* as they were when the process ended; owned */
	struct bw_crumbs_known *known; /* BW_CRUMBS_SLOTS; owned */
};

struct bw_crumbs_process {
	int fd; /* -1: it has ended */
	bool greeted;
	struct bw_crumbs_hello hello;
	struct BW_VEC(struct bw_crumbs_area_known) areas;
	uint32_t n_streams, n_unmarked, n_unseen;
	struct bw_crumbs_unmarked unmarked; /* the first of those */
	struct bw_msg msg;
};

struct bw_crumbs {
	struct bw_crumbs_settings settings;
	int listening;
	struct BW_VEC(struct bw_crumbs_process *) processes; /* owned */
};

/* socket: where agents connect; made here. */
struct bw_error *bw_crumbs_open(const struct bw_crumbs_settings *settings, const char *socket,
				struct bw_crumbs **out) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_crumbs_close(struct bw_crumbs *c);
/* Takes what comes until the process of pidfd has ended, and what is there then. */
struct bw_error *bw_crumbs_run(struct bw_crumbs *c, int pidfd) BW_MUST_CHECK;

/* How far a stream has come. Numbers of markers; 0: none. */
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
