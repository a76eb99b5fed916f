// SPDX-License-Identifier: MIT
/* GFXOFF: an idle graphics block powers down, and trap registers with it (doc/hardware/traps.md
 * 7.5, kernel-interface.md 4.2). Kept on while we debug. The kernel counts who asks, so each 0 that
 * is written to amdgpu_gfxoff needs its 1, by us or by the guard. */
#include "live/live_priv.h"
#include "live/gpu_regs.h"

static struct bw_error *write_gfxoff(struct bw_kmd *kmd, uint32_t allow)
{
	struct bw_kmd_file *f;
	size_t done = 0;
	BW_TRY(bw_kmd_file_open(kmd, "amdgpu_gfxoff", true, &f));
	struct bw_error *err = bw_kmd_file_write(f, 0, &allow, sizeof(allow), &done);
	bw_kmd_file_close(f);
	return err;
}

/* A device without the file has no GFXOFF, or does not let us: `breakwater doctor` says which. */
struct bw_error *bw_live_gfxoff_hold(struct bw_live *l)
{
	struct bw_kmd_file *f;
	struct bw_error *err = bw_kmd_file_open(l->kmd, "amdgpu_gfxoff", true, &f);
	if (err) {
		bw_error_free(err);
		return NULL;
	}
	bw_kmd_file_close(f);
	BW_TRY(bw_guard_add_gfxoff(&l->guard));
	BW_TRY(bw_error_wrap(write_gfxoff(l->kmd, 0), "keeping the graphics block on"));
	l->gfxoff_held = true;
	return NULL;
}

void bw_live_gfxoff_release(struct bw_live *l)
{
	if (l->gfxoff_held)
		bw_error_free(write_gfxoff(l->kmd, 1));
	l->gfxoff_held = false;
}
