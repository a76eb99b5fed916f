/* SPDX-License-Identifier: MIT */
#ifndef BW_REPLAY_SHOW_H
#define BW_REPLAY_SHOW_H

/* What a replay has found, as text and JSON: damage of the capture, a difference from it. */

#include "replay/locate.h"
#include "ui/out.h"

/* "3 dispatches", "1 dispatch and 5 draws" */
struct bw_replay_work {
	char text[64];
};
struct bw_replay_work bw_replay_work(uint32_t n_dispatches, uint32_t n_draws);

/* skipped_b: of the file, between blocks. Text only where there is any. */
void bw_replay_show_damage(struct bw_out *o, const struct bw_replay_report *r, uint64_t skipped_b);
void bw_replay_show_difference(struct bw_out *o, const struct bw_replay_difference *d);
/* After the difference that it belongs to; nothing where it was not looked for. */
void bw_replay_show_blame(struct bw_out *o, const struct bw_replay_blame *b);

#endif
