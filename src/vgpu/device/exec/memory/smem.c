/* SPDX-License-Identifier: MIT */
/* Scalar memory: loads of 1 to 16 dwords for the whole wave, EXEC or not; gfx942: stores and
 * atomics, too. */
#include "base/util.h"
#include "vgpu/device/exec/memory/memory.h"
#include "vgpu/device/exec/memory/rmw.h"

/* One past the last register of the region that `code` lies in: a destination does not run over
 * into the next (rules 33, 35). 0: nothing is written. */
static unsigned region_end(unsigned code, bool priv)
{
	if (code < BW_SRC_TTMP0) /* VCC ends the SGPRs (isa/decode.c, align_sgprs) */
		return BW_SRC_TTMP0;
	if (code < BW_SRC_NULL)
		return priv ? BW_SRC_NULL : 0; /* rule 30 */
	if (code == BW_SRC_NULL)
		return 0;
	return code == BW_SRC_M0 ? BW_SRC_M0 + 1 : BW_SGPR_COUNT;
}

static bool prepare(struct bw_rec *rec, const struct bw_rec_ctx *ctx, unsigned n_dw,
		    unsigned base_align)
{
	const struct bw_inst *in = rec->inst;
	struct bw_smem_prep *p = (struct bw_smem_prep *)(void *)rec->prep;
	unsigned align = n_dw >= 4 ? 4 : n_dw; /* rules 32, 333 */
	unsigned dst = in->dst == BW_SRC_NULL ? in->dst : in->dst & ~(align - 1);
	unsigned end = region_end(dst, ctx->priv);

	memset(p, 0, sizeof(*p));
	p->dst = (uint8_t)dst;
	p->n_write = (uint8_t)(end > dst ? BW_MIN(n_dw, end - dst) : 0);
	/* Out of range as a base means s0 (rule 35). */
	p->sbase = (uint8_t)(in->saddr < BW_SGPR_COUNT ? in->saddr & ~(base_align - 1) : 0);
	p->soffset = in->soffset < BW_SGPR_COUNT ? in->soffset : BW_SRC_NULL;
	p->imm = in->imm;
	p->in_bytes = bw_isa_is_gfx9(ctx->gen);
	p->has_return = in->glc;
	return true;
}

static enum bw_mem_result refused(struct bw_wave *w, const struct bw_vm_fault *f,
				  enum bw_mem_result result)
{
	w->fault = *f;
	w->fault_lanes = 0; /* the wave's own */
	return result;
}

/* Reads n dwords at va, zeros where nothing is resident. An address of 48 bits that was not
 * extended will do: code adds an offset to what s_getpc gives (seen in code that LLVM makes for
 * radeonsi) [I]. */
static enum bw_mem_result read_dwords(struct bw_wave *w, uint64_t va, uint32_t *out, unsigned n)
{
	if (va >> BW_VA_BITS == 0)
		va = bw_canonical(va);
	while (n) {
		struct bw_vm_fault f = {.va = va, .access = BW_ACCESS_READ};
		unsigned here = BW_MIN(n, (unsigned)((BW_PAGE_B - va % BW_PAGE_B) / 4));
		if (bw_canonical(va) != va)
			return refused(w, &f, BW_MEM_FAULT_APERTURE);
		const uint8_t *host = bw_tlb_lookup_unwatched(w->tlb, va, BW_ACCESS_READ, &f);
		if (host)
			memcpy(out, host, 4 * here);
		else if (f.prt)
			memset(out, 0, 4 * here);
		else
			return refused(w, &f, BW_MEM_FAULT_PAGE);
		out += here;
		va += 4 * here;
		n -= here;
	}
	return BW_MEM_OK;
}

/* Address = pair + signed offset + unsigned SOFFSET, low bits cleared (rule 331). */
static inline uint64_t load_va(const struct bw_wave *w, const struct bw_smem_prep *p)
{
	uint64_t va = bw_mem_sgpr64(w, p->sbase) + (uint64_t)(int64_t)p->imm;
	if (p->soffset != BW_SRC_NULL)
		va += bw_mem_sgpr(w, p->soffset);
	return va & ~3ull;
}

static inline __attribute__((always_inline)) enum bw_mem_result
load(struct bw_wave *w, const struct bw_rec *rec, unsigned n_dw)
{
	const struct bw_smem_prep *p = bw_smem_prep(rec);
	uint64_t va = load_va(w, p);

	const struct bw_tlb_entry *e = &w->tlb->entry[bw_tlb_slot(va)];
	if (__builtin_expect(e->tag == bw_tlb_tag(va) && e->access & BW_ACCESS_READ &&
				     p->n_write == n_dw && va % BW_PAGE_B + 4 * n_dw <= BW_PAGE_B,
			     1)) {
		memcpy(&w->s[p->dst], e->host + va % BW_PAGE_B, 4 * n_dw);
		return BW_MEM_OK;
	}
	uint32_t data[16];
	enum bw_mem_result result = read_dwords(w, va, data, n_dw);
	if (result == BW_MEM_OK)
		memcpy(&w->s[p->dst], data, 4 * p->n_write);
	return result;
}

/* The base of a descriptor, and the size of its range. */
static inline uint64_t range_of(const struct bw_wave *w, const struct bw_smem_prep *p,
				uint64_t *out_range_b)
{
	uint32_t v[4];
	for (unsigned i = 0; i < 4; i++)
		v[i] = bw_mem_sgpr(w, p->sbase + i);
	return bw_smem_range(v, p->in_bytes, out_range_b);
}

/* Descriptor base, stride for the size of the range only; dwords beyond it read 0 one by one (rule
 * 334). */
static uint64_t buffer_va(const struct bw_wave *w, const struct bw_smem_prep *p, unsigned n_dw,
			  unsigned *out_n_in)
{
	uint64_t range_b, base = range_of(w, p, &range_b);
	uint64_t offset = (uint32_t)p->imm;
	if (p->soffset != BW_SRC_NULL)
		offset += bw_mem_sgpr(w, p->soffset);
	offset &= ~3ull;

	uint64_t n_in = range_b > offset ? (range_b - offset) / 4 : 0;
	*out_n_in = (unsigned)BW_MIN(n_in, (uint64_t)n_dw);
	return bw_canonical((base & ~3ull) + offset);
}

void bw_smem_buffer(const struct bw_wave *w, const struct bw_rec *rec, uint64_t *out_base,
		    uint64_t *out_range_b)
{
	*out_base = bw_canonical(range_of(w, bw_smem_prep(rec), out_range_b) & ~3ull);
}

static enum bw_mem_result buffer_load(struct bw_wave *w, const struct bw_rec *rec, unsigned n_dw)
{
	const struct bw_smem_prep *p = bw_smem_prep(rec);
	uint32_t data[16] = {0};
	unsigned n_in;
	uint64_t va = buffer_va(w, p, n_dw, &n_in);
	enum bw_mem_result result = read_dwords(w, va, data, n_in);
	if (result == BW_MEM_OK)
		memcpy(&w->s[p->dst], data, 4 * p->n_write);
	return result;
}

/* ---- gfx942 ---- */

enum where { PAIR, BUFFER_BASE };

/* One dword at least is in range, or *out_n_in is 0. */
static uint64_t any_va(const struct bw_wave *w, const struct bw_smem_prep *p, enum where where,
		       unsigned n_dw, unsigned *out_n_in)
{
	*out_n_in = n_dw;
	return where == PAIR ? load_va(w, p) : buffer_va(w, p, n_dw, out_n_in);
}

/* The place of what is written. *out: NULL where nothing is resident, which is not a fault.
 * Watches do not see it, as they do not see scalar loads [I]. */
static enum bw_mem_result find_written(struct bw_wave *w, uint64_t va, enum bw_access access,
				       uint8_t **out)
{
	struct bw_vm_fault f = {.va = va, .access = access};
	*out = NULL;
	if (bw_canonical(va) != va)
		return refused(w, &f, BW_MEM_FAULT_APERTURE);
	*out = bw_tlb_lookup_unwatched(w->tlb, va, access, &f);
	return *out || f.prt ? BW_MEM_OK : refused(w, &f, BW_MEM_FAULT_PAGE);
}

static enum bw_mem_result store(struct bw_wave *w, const struct bw_rec *rec, enum where where,
				unsigned n_dw)
{
	const struct bw_smem_prep *p = bw_smem_prep(rec);
	unsigned n_in;
	uint64_t va = any_va(w, p, where, n_dw, &n_in);
	uint8_t *at[4];
	/* All places are known before anything is written. */
	for (unsigned i = 0; i < n_in; i++) {
		enum bw_mem_result result = find_written(w, va + 4 * i, BW_ACCESS_WRITE, &at[i]);
		if (result != BW_MEM_OK)
			return result;
	}
	for (unsigned i = 0; i < n_in; i++) {
		uint32_t v = bw_mem_sgpr(w, p->dst + i);
		if (at[i])
			memcpy(at[i], &v, 4);
	}
	return BW_MEM_OK;
}

static uint64_t data_of(const struct bw_wave *w, unsigned code, unsigned size_b)
{
	uint32_t low = bw_mem_sgpr(w, code);
	return size_b == 8 ? bw_join32(bw_mem_sgpr(w, code + 1), low) : low;
}

/* Data, and after them what cmpswap compares with. */
static enum bw_mem_result atomic(struct bw_wave *w, const struct bw_rec *rec, enum where where,
				 const struct bw_rmw *op)
{
	const struct bw_smem_prep *p = bw_smem_prep(rec);
	unsigned n_dw = op->size_b / 4, n_in;
	uint64_t va = any_va(w, p, where, n_dw, &n_in) & ~(uint64_t)(op->size_b - 1), old = 0;
	uint8_t *at = NULL;
	if (n_in == n_dw) {
		enum bw_mem_result result = find_written(
			w, va, (enum bw_access)(BW_ACCESS_WRITE | BW_ACCESS_ATOMIC), &at);
		if (result != BW_MEM_OK)
			return result;
	}
	if (at)
		old = op->shared(at, data_of(w, p->dst, op->size_b),
				 data_of(w, p->dst + n_dw, op->size_b), 0);
	for (unsigned i = 0; i < n_dw && p->has_return && p->n_write; i++)
		w->s[p->dst + i] = (uint32_t)(old >> 32 * i);
	return BW_MEM_OK;
}

uint64_t bw_smem_va(const struct bw_wave *w, const struct bw_rec *rec, bool is_buffer,
		    unsigned n_dw, unsigned *out_n_dw)
{
	*out_n_dw = n_dw;
	return is_buffer ? buffer_va(w, bw_smem_prep(rec), n_dw, out_n_dw)
			 : load_va(w, bw_smem_prep(rec));
}

#define LOAD(name, n_dw)                                                                           \
	static enum bw_mem_result do_##name(struct bw_exec *x, struct bw_wave *w,                  \
					    const struct bw_rec *rec)                              \
	{                                                                                          \
		return load(w, rec, n_dw);                                                         \
	}                                                                                          \
	static bool prepare_##name(struct bw_rec *rec, const struct bw_rec_ctx *ctx)               \
	{                                                                                          \
		return prepare(rec, ctx, n_dw, 2);                                                 \
	}
#define BUFFER(name, n_dw)                                                                         \
	static enum bw_mem_result do_##name(struct bw_exec *x, struct bw_wave *w,                  \
					    const struct bw_rec *rec)                              \
	{                                                                                          \
		return buffer_load(w, rec, n_dw);                                                  \
	}                                                                                          \
	static bool prepare_##name(struct bw_rec *rec, const struct bw_rec_ctx *ctx)               \
	{                                                                                          \
		return prepare(rec, ctx, n_dw, 4);                                                 \
	}
/* cmpswap has twice as many registers: none of them is refused, those that cannot be are 0. */
#define WRITE(name, call, where, n_dw)                                                             \
	static enum bw_mem_result do_##name(struct bw_exec *x, struct bw_wave *w,                  \
					    const struct bw_rec *rec)                              \
	{                                                                                          \
		return call;                                                                       \
	}                                                                                          \
	static bool prepare_##name(struct bw_rec *rec, const struct bw_rec_ctx *ctx)               \
	{                                                                                          \
		return prepare(rec, ctx, n_dw, where == PAIR ? 2 : 4);                             \
	}
#define STORE(name, where, n_dw) WRITE(name, store(w, rec, where, n_dw), where, n_dw)
#define ATOMIC(name, where, rmw)                                                                   \
	WRITE(name, atomic(w, rec, where, &bw_rmw_##rmw), where, bw_rmw_##rmw.size_b / 4)
#define HINT(name)
#include "vgpu/device/exec/sem/smem.def"
#undef LOAD
#undef BUFFER
#undef STORE
#undef ATOMIC
#undef HINT

#define LOAD(name, ...) {#name, do_##name, prepare_##name},
#define BUFFER LOAD
#define STORE LOAD
#define ATOMIC LOAD
#define HINT(name) {#name, bw_mem_nothing, NULL},
static const struct bw_mem_row rows[] = {
#include "vgpu/device/exec/sem/smem.def"
};

const struct bw_mem_table bw_mem_smem = {rows, BW_ARRAY_SIZE(rows)};
