/* SPDX-License-Identifier: MIT */
#ifndef BW_REPLAY_LOCATE_H
#define BW_REPLAY_LOCATE_H

/* By which packet a submission comes to leave other memory than in the capture. The capture holds
 * memory after whole submissions alone, so the replay is compared with itself: the submission runs
 * with fewer and fewer packets, and the first packet is looked for with which one of the bytes that
 * differ in the end has the value that it has in the end. */

#include "replay/play.h"

enum bw_replay_blame_kind {
	BW_REPLAY_BLAME_NONE = 0, /* not looked for */
	BW_REPLAY_BLAME_PACKET,
	/* The replay writes none of the bytes that differ: they have what was there before. */
	BW_REPLAY_BLAME_NOT_WRITTEN,
	/* Alone, with the memory that the capture has before it, it leaves the captured memory. */
	BW_REPLAY_BLAME_NOT_ALONE,
	/* Its packets are not known, or it fails with a part of them. */
	BW_REPLAY_BLAME_UNKNOWN,
};

struct bw_replay_blame {
	enum bw_replay_blame_kind kind;
	uint32_t packet, n_packets; /* from 0, in the order of execution; and how many there are */
	struct bw_pm4_step step;
	/* dispatch: its number, from 0, in the capture's list, in which draws are, too */
	bool is_dispatch, is_draw;
	uint32_t dispatch;
	char pipeline[64], label[BW_CAPTURE_LABEL_MAX_B]; /* "": not known */
	/* the first byte in memory that it leaves as it is in the end; va 0: not mapped */
	uint64_t buffer, offset_b, va;
	uint8_t before[16], captured[16], replayed[16];
	unsigned n_bytes; /* of the three */
	/* of all bytes that differ in the end: those that it leaves so, and those that no packet of
	 * the replay changes. At most as many pages as MAX are looked at. */
	uint64_t n_differ_b, n_written_b, n_missing_b;
	bool is_cut;
	bool is_unsteady; /* each run leaves other bytes: the packet is the first to change one */
	char why[200];	  /* UNKNOWN */
};
enum { BW_REPLAY_BLAME_PAGES_MAX = 4096 };

/* number: of a submission that differs. o: as it was replayed. */
struct bw_error *bw_replay_locate(struct bw_capture_reader *r, const char *node,
				  const struct bw_replay_options *o, uint32_t number,
				  struct bw_replay_blame *out) BW_MUST_CHECK;

#endif
