/* SPDX-License-Identifier: MIT */
#ifndef BW_RECORD_COLLECT_PRIV_H
#define BW_RECORD_COLLECT_PRIV_H

/* The inside of the collector: its programs, and when they are read (collect.c); their messages
 * (collect_take.c). */

#include "record/collect.h"
#include "record/orders.h"
#include "wire/capture_area.h"
#include "wire/capture_proto.h"
#include "wire/message.h"

struct collected_pipeline {
	uint32_t id, number;
};

/* A process that is captured. */
struct source {
	int fd;
	bool greeted;
	struct bw_hello hello;
	/* pages sent since the last record: numbers in the file, or ids in the ring that holds
	 * them */
	struct BW_VEC(uint64_t) pages;
	/* for DRM file n + 1 of the process: its address space in the capture */
	struct BW_VEC(uint32_t) files;
	/* its pipelines, by its ids: numbers in the file, or ids in the ring */
	struct BW_VEC(struct collected_pipeline) pipelines;
	uint32_t last, last_space;   /* its submission that has no result yet; 0: none */
	struct bw_msg_pieces said;   /* messages on its socket, as far as they have come */
	struct bw_msg msg;	     /* the message that is handled */
	struct bw_capture_area area; /* with a ring: the memory to which its records come */
};

struct bw_collect {
	struct bw_capture_writer *w;
	struct bw_capture_ring *ring; /* NULL: records go into the file at once */
	int listening, stop_fd;
	/* while it runs: whose end it awaits, and what else ends it (BW_COLLECT_*) */
	const struct bw_followed *program;
	unsigned until;
	uint32_t wait_ms;
	uint64_t unseen_max_b; /* bw_capture_go */
	bool is_over;	       /* the file is complete: records are not added any more */
	uint64_t came_ns;      /* when the last record came */
	/* seen: also those that the trigger has not taken; granted: those that it has taken; taken:
	 * those of which the record has come */
	uint32_t n_seen, n_granted, n_taken, n_results, n_faults, n_hangs, n_processes, n_spaces,
		n_written;
	struct bw_capture_trigger trigger;
	int orders; /* orders.h */
	unsigned n_put_off;
	bool is_written_by_order;
	char file[sizeof(((struct bw_capture_ordered *)NULL)->file)];
	struct BW_VEC(struct source *) sources; /* owned */
};

/* collect_take.c. Handles s->msg. An error ends the source, unless it is the file's (BW_E_SYSTEM,
 * BW_E_NOMEM). */
struct bw_error *bw_collect_take(struct bw_collect *c, struct source *s) BW_MUST_CHECK;
/* Called when a record has taken the pages. */
void bw_collect_release_pages(struct bw_collect *c, struct source *s);

#endif
