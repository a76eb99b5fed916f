// SPDX-License-Identifier: MIT
/* Questions about draws, which the virtual GPU answers (wire/draws_proto.h). */
#include "live/operations.h"
#include "target/draws.h"

struct bw_error *bw_live_draws(struct bw_target *t, uint32_t question, void *io)
{
	struct bw_live *l = bw_live_of(t);
	if (!l->draws)
		BW_TRY(bw_kmd_file_open(l->kmd, BW_DRAWS_FILE, true, &l->draws));
	return bw_kmd_file_ioctl(l->draws, question, io);
}
