/* SPDX-License-Identifier: MIT */
#include "pm4/pm4.h"
#include "pm4/scan.h"

static void store(struct bw_pm4_scan *state, uint32_t addr_dw, uint32_t value, size_t at_dw)
{
	if (addr_dw < BW_PM4_SH_BEGIN_DW || addr_dw >= BW_PM4_SH_BEGIN_DW + BW_PM4_N_SH)
		return;
	state->sh[addr_dw - BW_PM4_SH_BEGIN_DW] = value;
	state->sh_va[addr_dw - BW_PM4_SH_BEGIN_DW] = state->va + at_dw * 4;
}

/* True when the packet is reported to the caller. */
static bool look(struct bw_pm4_scan *state, const struct bw_pm4_packet *p, struct bw_pm4_find *f)
{
	struct bw_pm4_set_reg set;
	struct bw_pm4_set_base base;
	struct bw_pm4_dispatch_direct direct;
	struct bw_pm4_dispatch_indirect indirect;
	struct bw_pm4_dispatch_indirect_at at;
	uint32_t addr_dw, value;

	if (bw_pm4_set_reg_begin(p, &set)) {
		while (bw_pm4_set_reg_next(&set, &addr_dw, &value))
			store(state, addr_dw, value, f->pos_dw + 1 + (size_t)(set.value - p->body));
		return false;
	}
	if (bw_pm4_set_base(p, &base)) {
		if (base.index < 4)
			state->base[base.index] = base.address;
		return false;
	}
	if (bw_pm4_dispatch_direct(p, &direct)) {
		f->what = BW_PM4_FOUND_DISPATCH;
		f->dispatch =
			(struct bw_pm4_dispatch){{direct.x, direct.y, direct.z}, direct.initiator};
		return true;
	}
	if (bw_pm4_dispatch_indirect(p, &indirect)) {
		bool has_va = bw_pm4_dispatch_indirect_at(p, &at);
		f->what = BW_PM4_FOUND_DISPATCH;
		f->indirect = true;
		f->indirect_va = has_va ? at.address : indirect.offset + state->base[1];
		f->dispatch = (struct bw_pm4_dispatch){{~0u, ~0u, ~0u},
						       has_va ? at.initiator : indirect.initiator};
		return true;
	}
	f->flow = bw_pm4_flow(p);
	if (f->flow.calls)
		f->what = BW_PM4_FOUND_INDIRECT_BUFFER;
	return f->flow.calls;
}

void bw_pm4_find_dispatches(struct bw_pm4_scan *state, const uint32_t *dw, size_t n_dw,
			    bw_pm4_find_fn *fn, void *cookie)
{
	struct bw_pm4_packet p;
	for (size_t pos = 0; pos < n_dw; pos += p.size_dw) {
		struct bw_pm4_find f = {.what = BW_PM4_FOUND_BAD, .pos_dw = pos, .state = state};
		if (!bw_pm4_at(dw, n_dw, pos, &p) || !bw_pm4_is_known(&p)) {
			fn(cookie, &f);
			return;
		}
		if (look(state, &p, &f) && !fn(cookie, &f))
			return;
		if (f.flow.chain)
			return;
	}
}
