/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/core/gws.h"

#include "base/util.h"
#include "vgpu/device/exec/check/check.h"
#include "vgpu/device/exec/core/exec_priv.h"

enum { POLL_CLOCKS = 64 };

/* The resource is M0[21:16] + offset0; the number comes from the first active lane. False: the wave
 * waits. */
static bool do_op(const struct bw_rec *rec, struct bw_wave *w, const struct bw_exec *x,
		  enum bw_gws_op op, bool takes_number)
{
	const struct bw_inst *inst = rec->inst;
	uint64_t exec = bw_wave_exec(w);
	if (!exec || !x->host.gws)
		return true;
	unsigned reg = inst->vaddr < w->n_vgprs ? inst->vaddr : 0;
	bool has_number = takes_number && w->n_vgprs;
	uint32_t n = has_number ? bw_wave_vgpr(w, reg)[__builtin_ctzll(exec)] : 0;
	unsigned resource = ((w->s[BW_SRC_M0] >> 16) + inst->offset0) % BW_GWS_RESOURCES;
	w->sleep_clocks = POLL_CLOCKS;
	if (x->host.check && !w->gws.waits)
		bw_check_gws_arrive(x->host.check, w, resource);
	if (!x->host.gws(x->host.cookie, w, resource, op, n))
		return false;
	if (x->host.check)
		bw_check_gws_leave(x->host.check, w, resource);
	return true;
}

/* A wave that waits sleeps in front of the instruction. */
#define GWS(name, op, takes_number)                                                                \
	static BW_HANDLER(h_##name)                                                                \
	{                                                                                          \
		if (do_op(rec, w, x, BW_GWS_##op, takes_number))                                   \
			BW_NEXT(BW_FOLLOWING(rec));                                                \
		BW_EXIT(BW_EXIT_SLEEP, bw_code_pc(&x->code, rec));                                 \
	}
#include "vgpu/device/exec/sem/gws.def"
#undef GWS

#define GWS(name_, ...) {.name = #name_, .fn = h_##name_, .form = BW_WAVE_RAW},
const struct bw_wave_row bw_gws_rows[] = {
#include "vgpu/device/exec/sem/gws.def"
};
const size_t bw_n_gws_rows = BW_ARRAY_SIZE(bw_gws_rows);
