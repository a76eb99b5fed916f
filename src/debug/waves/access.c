// SPDX-License-Identifier: MIT
/* Computes the accesses of a memory instruction: the address of each lane, from the registers of a
 * stopped wave. The address rules are those of doc/rules.md 331, 340 to 347 and 372 to 385. */
#include "debug/code/code_priv.h"
#include "debug/waves/waves_priv.h"

#include <string.h>

#include "gpuvm/apertures.h"
#include "isa/descriptor.h"
#include "isa/ops.h"

static bool is_lds_aperture(uint64_t va)
{
	return bw_hi32(va) == bw_aperture_hi(BW_APERTURE_SHARED_BASE) ||
	       bw_hi32(va) == bw_aperture_hi(BW_APERTURE_KFD_BASE);
}

static bool is_scratch_aperture(uint64_t va)
{
	return bw_hi32(va) == bw_aperture_hi(BW_APERTURE_PRIVATE_BASE) ||
	       bw_hi32(va) == bw_aperture_hi(BW_APERTURE_KFD_BASE) + 1;
}

bool bw_access_aperture(uint64_t va, enum bw_space *out_space)
{
	if (!is_lds_aperture(va) && !is_scratch_aperture(va))
		return false;
	*out_space = is_lds_aperture(va) ? BW_SPACE_LDS : BW_SPACE_PRIVATE;
	return true;
}

/* The registers that addresses are computed from, for all lanes. */
struct operands {
	uint64_t sbase; /* value of the SGPR or the pair of SGPRs; 0: there is none */
	uint32_t soffset;
	bool has_sbase, vaddr_is_64, has_vaddr;
	uint32_t lo[64], hi[64];
	struct bw_buffer_desc buffer;
};

static bool has_sgpr(unsigned code)
{
	return code != BW_SRC_NULL &&
	       code != 127; /* 127: the manual's second code for "no register" (rule 380) */
}

static struct bw_error *scalar(struct bw_debug *d, struct bw_wave_record *w, unsigned code,
			       bool pair, uint64_t *out)
{
	uint32_t s[2] = {0};
	*out = 0;
	if (code == BW_SRC_M0) {
		*out = w->hw.m0;
		return NULL;
	}
	if (code >= BW_SRC_INT_0 && code <= BW_SRC_INT_64) { /* SOFFSET */
		*out = code - BW_SRC_INT_0;
		return NULL;
	}
	if (code > BW_SRC_VCC_HI || (pair && code >= BW_SRC_VCC_HI))
		return NULL;
	BW_TRY(bw_target_read_sgprs(d->target, w->info.slot, code, pair ? 2 : 1, s));
	*out = bw_join32(s[1], s[0]);
	return NULL;
}

static struct bw_error *vector(struct bw_debug *d, struct bw_wave_record *w, unsigned n,
			       uint32_t *out)
{
	if (n >= w->info.n_vgprs)
		return NULL;
	return bw_target_read_vgpr(d->target, w->info.slot, n, out);
}

static struct bw_error *descriptor(struct bw_debug *d, struct bw_wave_record *w, unsigned srsrc,
				   struct bw_buffer_desc *out)
{
	uint32_t v[BW_BUFFER_DESC_DW] = {0};
	srsrc &= ~3u;
	if (srsrc + 4 <= 108)
		BW_TRY(bw_target_read_sgprs(d->target, w->info.slot, srsrc, 4, v));
	*out = bw_buffer_desc_read(v);
	return NULL;
}

/* Reads the registers that the instruction's address needs. False: addresses of this format are not
 * computed here */
static struct bw_error *load_operands(struct bw_debug *d, struct bw_wave_record *w,
				      const struct bw_inst *i, struct operands *o, bool *out_known)
{
	uint64_t v;

	*out_known = true;
	o->has_sbase = has_sgpr(i->saddr);
	switch ((int)i->fmt) {
	case BW_FMT_SMEM:
		BW_TRY(scalar(d, w, i->saddr, true, &o->sbase));
		if (has_sgpr(i->soffset)) {
			BW_TRY(scalar(d, w, i->soffset, false, &v));
			o->soffset = (uint32_t)v;
		}
		return NULL;
	case BW_FMT_GLOBAL:
		o->has_vaddr = !(bw_isa_op_info(i->op)->flags & BW_OPF_ADDTID);
		o->vaddr_is_64 = !o->has_sbase;
		if (o->has_sbase)
			BW_TRY(scalar(d, w, i->saddr, true, &o->sbase));
		break;
	case BW_FMT_FLAT:
		o->has_vaddr = o->vaddr_is_64 = true;
		o->has_sbase = false;
		break;
	case BW_FMT_SCRATCH:
		o->has_vaddr = i->sve;
		if (o->has_sbase)
			BW_TRY(scalar(d, w, i->saddr, false, &o->sbase));
		break;
	case BW_FMT_DS:
		o->has_vaddr = true;
		o->has_sbase = false;
		break;
	case BW_FMT_MUBUF:
	case BW_FMT_MTBUF:
		BW_TRY(descriptor(d, w, i->srsrc, &o->buffer));
		v = 0;
		if (o->has_sbase)
			BW_TRY(scalar(d, w, i->saddr, false, &v));
		o->soffset = (uint32_t)v;
		if (i->idxen || i->offen)
			BW_TRY(vector(d, w, i->vaddr, o->lo));
		if (i->idxen && i->offen)
			BW_TRY(vector(d, w, i->vaddr + 1u, o->hi));
		return NULL;
	default:
		*out_known = false;
		return NULL;
	}
	if (o->has_vaddr)
		BW_TRY(vector(d, w, i->vaddr, o->lo));
	if (o->vaddr_is_64)
		BW_TRY(vector(d, w, i->vaddr + 1u, o->hi));
	return NULL;
}

/* The address of a lane's buffer access. False: it is outside of the descriptor's range. */
static bool buffer_address(const struct bw_inst *i, const struct operands *o, unsigned lane,
			   uint64_t *out)
{
	const struct bw_buffer_desc *b = &o->buffer;
	uint64_t index = (i->idxen ? o->lo[lane] : 0u) + (b->add_tid ? (uint64_t)lane : 0);
	uint64_t offset = (uint32_t)i->imm;
	if (i->offen)
		offset += i->idxen ? o->hi[lane] : o->lo[lane];
	bool swizzle = b->element_b && b->stride_b;
	uint64_t linear =
		swizzle ? bw_buffer_desc_swizzle(b, index, offset) : index * b->stride_b + offset;
	*out = bw_canonical(b->base + o->soffset + linear);
	switch (b->oob_select) {
	case BW_OOB_INDEX:
		return index < b->n_records;
	case BW_OOB_NONE:
		return b->n_records != 0;
	case BW_OOB_RAW:
		if (!swizzle)
			return linear + o->soffset < b->n_records;
		return index < b->n_records && offset < b->stride_b;
	default:
		return index < b->n_records && offset < b->stride_b;
	}
}

static uint64_t lane_address(const struct bw_inst *i, const struct operands *o, unsigned lane,
			     enum bw_space *out_space)
{
	uint64_t v = o->vaddr_is_64 ? bw_join32(o->hi[lane], o->lo[lane]) : o->lo[lane];

	*out_space = BW_SPACE_GLOBAL;
	switch ((int)i->fmt) {
	case BW_FMT_SMEM:
		return (o->sbase + (uint64_t)(int64_t)i->imm + o->soffset) & ~3ull;
	case BW_FMT_GLOBAL:
		if (!o->has_vaddr)
			v = 4ull * lane;
		return (o->has_sbase ? o->sbase : 0) + v + (uint64_t)(int64_t)i->imm;
	case BW_FMT_SCRATCH:
		*out_space = BW_SPACE_PRIVATE;
		return (uint32_t)((o->has_sbase ? o->sbase : 0) + (o->has_vaddr ? v : 0) +
				  (uint64_t)(int64_t)i->imm);
	case BW_FMT_DS:
		*out_space = BW_SPACE_LDS;
		return (uint32_t)(v + (uint32_t)i->imm);
	default: /* FLAT: the aperture is that of the address before the offset (rule 372) */
		if (bw_access_aperture(v, out_space))
			return (uint32_t)(v + (uint32_t)i->imm);
		return v + (uint64_t)(int64_t)i->imm;
	}
}

/* Whether a load has overwritten the registers of its own address. */
static bool overwrites_address(const struct bw_inst *i, const struct operands *o, unsigned size_b)
{
	unsigned dst = i->fmt == BW_FMT_MUBUF || i->fmt == BW_FMT_MTBUF ? i->vdata : i->dst;
	unsigned n_dst = (size_b + 3) / 4,
		 n_addr = o->vaddr_is_64 || (i->idxen && i->offen) ? 2 : 1;
	return dst < i->vaddr + n_addr && i->vaddr < dst + n_dst;
}

struct bw_error *bw_access_of(struct bw_debug *d, struct bw_wave_record *w, uint64_t pc,
			      struct bw_wave_access *out)
{
	struct operands o = {0};

	memset(out, 0, sizeof(*out));
	BW_TRY(bw_debug_read_inst(d, pc, &out->inst, NULL));
	const struct bw_inst *i = &out->inst;
	const struct bw_op_info *info = bw_isa_op_info(i->op);
	if (i->op == BW_OP_ILLEGAL || info->class != BW_CLASS_MEM)
		return NULL;
	out->is_memory = true;
	out->is_scalar = i->fmt == BW_FMT_SMEM;
	out->is_atomic = info->flags & BW_OPF_ATOMIC;
	out->is_write = info->flags & (BW_OPF_ATOMIC | BW_OPF_STORE);
	/* otherwise the data format decides */
	out->size_b = info->mem.bits ? info->mem.bits / 8 : 4;
	/* EXEC itself, also in whole-wave code */
	uint64_t exec = w->info.lanes == 32 ? (uint32_t)w->hw.exec : w->hw.exec;
	out->lanes = out->is_scalar ? 1 : exec;
	out->span_b = out->size_b;
	if (i->fmt == BW_FMT_MIMG)
		return bw_image_access(d, w, info, out);
	BW_TRY(load_operands(d, w, i, &o, &out->has_addresses));
	if (!out->has_addresses)
		return NULL;
	bool loads = !out->is_write || (out->is_atomic && i->glc);
	out->address_lost = loads && !out->is_scalar && overwrites_address(i, &o, out->size_b);
	for (unsigned lane = 0; lane < (out->is_scalar ? 1u : w->info.lanes); lane++) {
		if (i->fmt != BW_FMT_MUBUF && i->fmt != BW_FMT_MTBUF)
			out->addr[lane] = lane_address(i, &o, lane, &out->space[lane]);
		else if (!buffer_address(i, &o, lane, &out->addr[lane]))
			out->lanes &= ~(1ull << lane);
	}
	return NULL;
}
