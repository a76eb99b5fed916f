/* SPDX-License-Identifier: MIT */
#ifndef BW_REPLAY_SHOW_H
#define BW_REPLAY_SHOW_H

/* A difference from the capture, as text and JSON. */

#include "replay/locate.h"
#include "ui/out.h"

void bw_replay_show_difference(struct bw_out *o, const struct bw_replay_difference *d);
/* Behind the difference that it belongs to; nothing where it was not looked for. */
void bw_replay_show_blame(struct bw_out *o, const struct bw_replay_blame *b);

#endif
