/* SPDX-License-Identifier: MIT */
/* Loads that go straight to LDS. Rare, and therefore one lane after the other. */
#include "base/util.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "image/format.h"
#include "vgpu/device/exec/memory/buf.h"
#include "vgpu/device/exec/memory/move.h"
#include "vgpu/device/exec/memory/rmw.h"

enum where { BUFFER, TEXEL, GLOBAL, ADDTID, SCRATCH };

/* Lanes of a half each for itself. */
static void locate_lanes(struct bw_span *s, struct bw_exec *x, struct bw_wave *w,
			 const struct bw_rec *rec, enum where where, unsigned size_b)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_mem_request q = bw_mem_request_of(x, w, size_b, BW_ACCESS_READ);
	uint64_t base = (uint64_t)(int64_t)p->imm;
	unsigned lane;
	bool has_saddr = p->saddr != BW_SRC_NULL;

	bw_span_begin(s, 1);
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		s->half[h].exec = bw_wave_half_exec(w, h);
		s->half[h].kind = s->half[h].exec ? BW_SPAN_SCATTER : BW_SPAN_NONE;
	}
	if (has_saddr)
		base += where == SCRATCH ? bw_mem_sgpr(w, p->saddr) : bw_mem_sgpr64(w, p->saddr);
	BW_EACH_LANE(bw_wave_exec(w), lane) {
		uint32_t lo = bw_wave_vgpr(w, p->addr[0])[lane],
			 hi = bw_wave_vgpr(w, p->addr[1])[lane];
		if (where == SCRATCH)
			bw_span_locate_private(s, &q, lane, base + (p->sve ? lo : 0));
		else if (where == ADDTID)
			bw_span_locate_global(s, &q, lane, bw_canonical(base + 4 * lane));
		else
			bw_span_locate_global(
				s, &q, lane,
				bw_canonical(base + lo + (has_saddr ? 0 : bw_join32(hi, 0))));
	}
}

/* X of a texel, after DST_SEL; format NULL: 0 (rule 371). */
static uint32_t texel_x(const struct bw_format *f, uint32_t dst_sel, const uint8_t *bytes)
{
	uint32_t rgba[4], out[4];
	uint32_t fp = bw_fp_plain_begin();
	bw_format_unpack(f, bytes, rgba);
	bw_format_select(f, dst_sel, rgba, out);
	bw_fp_plain_end(fp);
	return out[0];
}

static void put_lane(struct bw_wave *w, const struct bw_mem_prep *p, unsigned lane, uint32_t value)
{
	uint32_t at = (w->s[BW_SRC_M0] & 0xffff) + (uint32_t)p->imm + 4 * lane;
	if (at < w->wg->lds_size_b && w->wg->lds_size_b - at >= 4) /* else dropped: rule 398 */
		memcpy(w->wg->lds + at, &value, 4);
}

static enum bw_mem_result to_lds(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec,
				 enum where where, enum bw_elem e)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	const struct bw_format *f = NULL;
	uint32_t dst_sel = 0;
	unsigned size_b = bw_elem_size_b(e), lane;
	struct bw_span s;

	if (p->is_nop)
		return BW_MEM_OK;
	if (where == TEXEL) {
		f = bw_buf_format(x, w, rec->inst, &dst_sel);
		size_b = f ? f->size_b : 0;
	}
	s.fault_lanes = 0;
	if (where == BUFFER || (where == TEXEL && f))
		bw_buf_locate(&s, x, w, rec,
			      (struct bw_buf_request){size_b, 1, .whole = true, BW_ACCESS_READ});
	else if (where != TEXEL)
		locate_lanes(&s, x, w, rec, where, size_b);
	if (s.fault_lanes)
		return bw_span_check(&s, w);
	BW_EACH_LANE(bw_wave_exec(w), lane) {
		uint8_t buffer[BW_MEM_MAX_B];
		if (where == TEXEL)
			put_lane(w, p, lane,
				 f ? texel_x(f, dst_sel, bw_span_element(&s, lane, size_b, buffer))
				   : 0);
		else
			put_lane(w, p, lane,
				 bw_elem_extend(e, bw_span_element(&s, lane, size_b, buffer), 0));
	}
	return BW_MEM_OK;
}

static bool prepare(struct bw_rec *rec, const struct bw_rec_ctx *ctx)
{
	const struct bw_inst *in = rec->inst;
	struct bw_mem_prep *p = bw_mem_prep_begin(rec, ctx);
	p->saddr = in->saddr == 127 ? BW_SRC_NULL : in->saddr; /* rule 380 */
	p->sve = in->sve;
	bw_mem_prep_src(p->addr, in->vaddr, 2, ctx);
	return true;
}

#define TO_LDS(where, name, elem)                                                                  \
	static enum bw_mem_result do_##name(struct bw_exec *x, struct bw_wave *w,                  \
					    const struct bw_rec *rec)                              \
	{                                                                                          \
		return to_lds(x, w, rec, where, ELEM_##elem);                                      \
	}
#include "vgpu/device/exec/sem/lds.def"
#undef TO_LDS

#define TO_LDS(where, name, elem) {#name, do_##name, prepare},
static const struct bw_mem_row rows[] = {
#include "vgpu/device/exec/sem/lds.def"
};

const struct bw_mem_table bw_mem_lds = {rows, BW_ARRAY_SIZE(rows)};
