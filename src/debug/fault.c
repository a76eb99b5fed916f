// SPDX-License-Identifier: MIT
/* What a memory violation was about: which instruction, which lanes, which address, and what the
 * page tables say to it. The address rules are those of reference gfx11-rules, 331 and 372 to 385.
 */
#include "debug/debug_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum {
	PAGE_B = 4096,
	/* SH_MEM_BASES as the amdgpu driver programs it on gfx10 and later (gfx_v11_0.c,
	 * DEFAULT_SH_MEM_BASES 0x6000): LDS at 0x60000000'00000000, scratch 4 GiB above it */
	APERTURE_LDS = 0x60000000,
	APERTURE_SCRATCH = 0x60000001,
};

/* Registers that addresses are made of, all lanes. */
struct access {
	struct bw_inst inst;
	uint64_t sbase; /* SGPR pair or single, 0 without one */
	uint32_t soffset;
	bool has_sbase, vaddr_is_64, has_vaddr;
	uint32_t lo[64], hi[64];
	unsigned lanes;
};

static unsigned mem_size(const char *mem)
{
	static const struct {
		const char *name;
		uint8_t size_b;
	} rows[] = {
		{"B8", 1},    {"U8", 1},    {"I8", 1},	   {"B16", 2},	 {"U16", 2},
		{"I16", 2},   {"B32", 4},   {"U32", 4},	   {"I32", 4},	 {"F32", 4},
		{"B32x2", 8}, {"B64", 8},   {"U64", 8},	   {"I64", 8},	 {"F64", 8},
		{"B96", 12},  {"B128", 16}, {"B64x2", 16}, {"B256", 32}, {"B512", 64},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].name, mem) == 0)
			return rows[i].size_b;
	return 4;
}

static bool has_sgpr(unsigned code)
{
	return code != BW_SRC_NULL &&
	       code != 127; /* 127: the manual's other way to say none (rule 380) */
}

static struct bw_error *scalar(struct bw_debug *d, struct bw_wave *w, unsigned code, bool pair,
			       uint64_t *out)
{
	uint32_t s[2] = {0};
	*out = 0;
	if (code == BW_SRC_M0) {
		*out = w->hw.m0;
		return NULL;
	}
	if (code > BW_SRC_VCC_HI || (pair && code >= BW_SRC_VCC_HI))
		return NULL;
	BW_TRY(d->target->ops->read_sgprs(d->target, w->info.slot, code, pair ? 2 : 1, s));
	*out = s[0] | (uint64_t)s[1] << 32;
	return NULL;
}

static struct bw_error *vector(struct bw_debug *d, struct bw_wave *w, unsigned n, uint32_t *out)
{
	if (n >= w->info.n_vgprs)
		return NULL;
	return d->target->ops->read_vgpr(d->target, w->info.slot, n, out);
}

/* Reads what the instruction's address needs. False: a format whose addresses are not worked out
 * here. */
static struct bw_error *load_operands(struct bw_debug *d, struct bw_wave *w, struct access *a,
				      bool *out_known)
{
	const struct bw_inst *i = &a->inst;
	uint64_t v;

	*out_known = true;
	a->has_sbase = has_sgpr(i->saddr);
	switch ((int)i->fmt) {
	case BW_FMT_SMEM:
		BW_TRY(scalar(d, w, i->saddr, true, &a->sbase));
		if (has_sgpr(i->soffset)) {
			BW_TRY(scalar(d, w, i->soffset, false, &v));
			a->soffset = (uint32_t)v;
		}
		return NULL;
	case BW_FMT_GLOBAL:
		a->has_vaddr = i->op != BW_OP_GLOBAL_LOAD_ADDTID_B32 &&
			       i->op != BW_OP_GLOBAL_STORE_ADDTID_B32;
		a->vaddr_is_64 = !a->has_sbase;
		if (a->has_sbase)
			BW_TRY(scalar(d, w, i->saddr, true, &a->sbase));
		break;
	case BW_FMT_FLAT:
		a->has_vaddr = a->vaddr_is_64 = true;
		a->has_sbase = false;
		break;
	case BW_FMT_SCRATCH:
		a->has_vaddr = i->sve;
		if (a->has_sbase)
			BW_TRY(scalar(d, w, i->saddr, false, &a->sbase));
		break;
	case BW_FMT_DS:
		a->has_vaddr = true;
		a->has_sbase = false;
		break;
	default:
		*out_known = false;
		return NULL;
	}
	if (a->has_vaddr)
		BW_TRY(vector(d, w, i->vaddr, a->lo));
	if (a->vaddr_is_64)
		BW_TRY(vector(d, w, i->vaddr + 1u, a->hi));
	return NULL;
}

static uint64_t lane_address(const struct access *a, unsigned lane, enum bw_space *out_space)
{
	const struct bw_inst *i = &a->inst;
	uint64_t v = a->vaddr_is_64 ? a->lo[lane] | (uint64_t)a->hi[lane] << 32 : a->lo[lane];

	*out_space = BW_SPACE_GLOBAL;
	switch ((int)i->fmt) {
	case BW_FMT_SMEM:
		return (a->sbase + (uint64_t)(int64_t)i->imm + a->soffset) & ~3ull;
	case BW_FMT_GLOBAL:
		if (!a->has_vaddr)
			v = 4ull * lane;
		return (a->has_sbase ? a->sbase : 0) + v + (uint64_t)(int64_t)i->imm;
	case BW_FMT_SCRATCH:
		*out_space = BW_SPACE_PRIVATE;
		return (uint32_t)((a->has_sbase ? a->sbase : 0) + (a->has_vaddr ? v : 0) +
				  (uint64_t)(int64_t)i->imm);
	case BW_FMT_DS:
		*out_space = BW_SPACE_LDS;
		return (uint32_t)(v + (uint32_t)i->imm);
	default: /* FLAT: the aperture is that of the address before the offset (rule 372) */
		if (v >> 32 == APERTURE_LDS || v >> 32 == APERTURE_SCRATCH) {
			*out_space = v >> 32 == APERTURE_LDS ? BW_SPACE_LDS : BW_SPACE_PRIVATE;
			return (uint32_t)(v + (uint32_t)i->imm);
		}
		return v + (uint64_t)(int64_t)i->imm;
	}
}

static bool allows(const struct bw_verdict *v, const struct bw_fault_info *f)
{
	if (v->kind != BW_VERDICT_MAPPED)
		return false;
	if (f->is_fetch)
		return v->executable;
	return (f->is_write && !f->is_atomic) ? v->writable
	       : f->is_atomic		      ? v->readable && v->writable
					      : v->readable;
}

/* One page after another; lanes of a wave mostly share theirs. */
struct pages {
	struct bw_debug *d;
	struct bw_verdict last;
	uint64_t page;
	bool have;
};

static struct bw_error *ask(struct pages *p, uint64_t va, const struct bw_verdict **out)
{
	uint64_t page = va / PAGE_B;
	if (!p->have || p->page != page) {
		BW_TRY(p->d->target->ops->walk(p->d->target, va, &p->last));
		p->page = page;
		p->have = true;
	}
	*out = &p->last;
	return NULL;
}

/* Bytes of scratch that one lane has, from COMPUTE_TMPRING_SIZE.WAVESIZE 26:12, units of 256 bytes.
 */
static uint32_t scratch_lane_b(struct bw_debug *d, const struct bw_wave *w)
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, w->info.dispatch);
	return x ? (uint32_t)bw_bits(x->desc.tmpring_size, 26, 12) * 256 / w->info.lanes : 0;
}

/* Whether an access of one lane fails; the verdict says why. */
static struct bw_error *lane_fails(struct bw_debug *d, struct bw_wave *w, struct pages *p,
				   const struct bw_fault_info *f, enum bw_space space,
				   uint64_t addr, struct bw_verdict *out, uint64_t *out_addr,
				   bool *out_fails)
{
	const struct bw_verdict *v;

	*out_fails = false;
	if (space == BW_SPACE_LDS)
		return NULL; /* reads 0 beyond its end, and is no fault */
	if (space == BW_SPACE_PRIVATE) {
		uint32_t size_b = scratch_lane_b(d, w);
		if (addr + f->access_size_b <= size_b)
			return NULL;
		*out = (struct bw_verdict){.kind = BW_VERDICT_UNMAPPED};
		snprintf(out->text, sizeof(out->text),
			 "a lane of this dispatch has %u bytes of scratch", size_b);
		*out_addr = addr;
		*out_fails = true;
		return NULL;
	}
	for (uint64_t at = addr;; at = bw_align_down(at, PAGE_B) + PAGE_B) {
		BW_TRY(ask(p, at, &v));
		if (v->kind == BW_VERDICT_UNKNOWN)
			return NULL;
		if (!allows(v, f)) {
			*out = *v;
			*out_addr = at;
			*out_fails = true;
			return NULL;
		}
		if (bw_align_down(at, PAGE_B) == bw_align_down(addr + f->access_size_b - 1, PAGE_B))
			return NULL;
	}
}

static struct bw_error *find_lanes(struct bw_debug *d, struct bw_wave *w, const struct access *a,
				   struct bw_fault_info *f)
{
	struct pages p = {.d = d};
	unsigned lanes = f->is_scalar ? 1 : w->info.lanes;

	for (unsigned lane = 0; lane < lanes; lane++) {
		enum bw_space space;
		struct bw_verdict v;
		bool fails;
		if (!f->is_scalar && !(w->info.exec >> lane & 1))
			continue;
		uint64_t addr = lane_address(a, lane, &space), at = 0;
		BW_TRY(lane_fails(d, w, &p, f, space, addr, &v, &at, &fails));
		if (!fails)
			continue;
		f->fault_lanes |= 1ull << lane;
		if (f->first_lane >= 0)
			continue;
		f->first_lane = (int)lane;
		f->space = space;
		f->addr = at;
		f->has_addr = true;
		f->verdict = v;
	}
	return NULL;
}

static void classify(const struct bw_inst *i, struct bw_fault_info *f)
{
	const struct bw_op_info *info = bw_isa_op_info(i->op);
	f->is_scalar = i->fmt == BW_FMT_SMEM;
	f->is_atomic = strstr(info->name, "_atomic_") != NULL;
	f->is_write = f->is_atomic || strstr(info->name, "store") != NULL;
	f->access_size_b = mem_size(info->mem);
}

/* The GPU's own record, and the page it names where the instruction says nothing. */
static void add_record(struct bw_debug *d, struct bw_fault_info *f)
{
	struct bw_error *err = d->target->ops->fault(d->target, &f->record);
	f->has_status = !err && f->record.present;
	bw_error_free(err);
	if (f->has_addr || !f->has_status)
		return;
	f->addr = f->record.va;
	f->has_addr = true;
	err = d->target->ops->walk(d->target, f->addr, &f->verdict);
	bw_error_free(err);
}

struct bw_error *bw_debug_fault(struct bw_debug *d, uint32_t number, struct bw_fault_info *out)
{
	struct bw_fault_info f = {.first_lane = -1};
	struct bw_wave *w = bw_debug_wave_priv(d, number);
	struct access a = {0};
	bool known;

	if (!w)
		return bw_errorf(BW_E_NOT_FOUND, "Wave %u is not stopped", number);
	struct bw_error *err = bw_debug_read_inst(d, w->info.pc, &a.inst, NULL);
	if (err && err->code == BW_E_FAULT) {
		/* the code itself is not there */
		bw_error_free(err);
		f.is_fetch = true;
		f.access_size_b = 4;
		f.addr = w->info.pc;
		f.has_addr = true;
		BW_TRY(d->target->ops->walk(d->target, f.addr, &f.verdict));
		add_record(d, &f);
		*out = f;
		return NULL;
	}
	BW_TRY(err);
	if (bw_isa_op_info(a.inst.op)->class == BW_CLASS_MEM && a.inst.op != BW_OP_ILLEGAL) {
		f.has_instruction = true;
		classify(&a.inst, &f);
		BW_TRY(load_operands(d, w, &a, &known));
		if (known)
			BW_TRY(find_lanes(d, w, &a, &f));
	}
	add_record(d, &f);
	*out = f;
	return NULL;
}
