/* SPDX-License-Identifier: MIT */
#ifndef BW_TARGET_DRAWS_H
#define BW_TARGET_DRAWS_H

/* What a target says of draws, their waves and their pixels: the questions and answers of
 * wire/draws_proto.h, for targets with BW_CAP_DRAWS (the virtual GPU; no register of a GPU says
 * it). */

#include "target/call.h"
#include "wire/draws_proto.h"

/* [DRAWS] One of BW_DRAWS_IOCTL_*; io: its struct, in and out. */
struct bw_error *bw_target_draws(struct bw_target *t, uint32_t question, void *io) BW_MUST_CHECK;

#endif
