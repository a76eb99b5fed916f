/* SPDX-License-Identifier: MIT */
/* Memory instructions of an executor with a checker. Each has a row here, whose function calls that
 * of the checker's set as one step. */
#include <pthread.h>

#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/check/check_priv.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/memory/memory.h"

static struct bw_mem_row row_of[BW_OP_COUNT];	       /* here */
static const struct bw_mem_row *inner_of[BW_OP_COUNT]; /* what they call */
static pthread_once_t joined = PTHREAD_ONCE_INIT;

/* ---- scalar memory ---- */

/* How many of n dwords code needs at least: it loads three as four, five as eight. */
static unsigned n_needed(unsigned n)
{
	return n < 4 ? n : n / 2 + 1;
}

/* A scalar load is the whole wave's; lane 0 stands for it. */
static void touch_scalar(struct bw_wave *w, const struct bw_rec *rec)
{
	const struct bw_op_info *info = bw_isa_op_info(rec->inst->op);
	bool is_buffer = info->src[0].type == BW_OPERAND_BUFFER;
	unsigned n = bw_operand_n_regs(&info->dst[0], w->lanes, false);
	const unsigned most = n_needed(n);
	uint64_t va = bw_smem_va(w, rec, is_buffer, n, &n);
	for (n = BW_MIN(n, most); n; n--, va += 4) {
		struct bw_vm_fault no_matter = {0};
		if (bw_canonical(va) != va)
			return;
		uint8_t *host = bw_tlb_lookup_unwatched(
			w->tlb, va, (enum bw_access)(BW_ACCESS_READ | BW_ACCESS_PROBE), &no_matter);
		if (host)
			bw_check_touch_one(w, BW_TOUCH_LOAD, 0, host, 4);
	}
}

/* Compilers load more than they need, up to 16 dwords: the place is outside only if the first dword
 * is. */
static void check_scalar(struct bw_wave *w, const struct bw_rec *rec)
{
	const struct bw_op_info *info = bw_isa_op_info(rec->inst->op);
	unsigned n = bw_operand_n_regs(&info->dst[0], w->lanes, false), n_in;
	bool is_buffer = info->src[0].type == BW_OPERAND_BUFFER;
	uint64_t base, range_b, va = bw_smem_va(w, rec, is_buffer, n, &n_in);
	if (n_in) {
		static const uint32_t zero[1];
		bw_check_addresses(
			w,
			&(struct bw_addresses){
				.exec = 1, .lo = zero, .base = va, .size_b = 1, .told_b = 4 * n});
		return;
	}
	bw_smem_buffer(w, rec, &base, &range_b);
	bw_check_outside(w, &(struct bw_outside){.of = BW_OUTSIDE_BUFFER,
						 .size_b = 4 * n,
						 .base = base,
						 .limit = range_b,
						 .at = (int64_t)(va - base)});
}

/* ---- one instruction ---- */

enum bw_check_access bw_check_access_of(const struct bw_op_info *info)
{
	bool loads = info->flags & BW_OPF_LOAD, stores = info->flags & BW_OPF_STORE;
	return info->flags & BW_OPF_ATOMIC || (loads && stores) ? BW_CHECK_ATOMIC
	       : stores						? BW_CHECK_STORE
								: BW_CHECK_LOAD;
}

/* An acquire of device scope empties the L1, one of the workgroup only what is nearer. gfx942 has
 * the scope in the instruction (LLVM's memory model: SC1). */
static bool is_fence(const struct bw_inst *in)
{
	return in->op == BW_OP_BUFFER_GL1_INV || in->op == BW_OP_S_GL1_INV ||
	       in->op == BW_OP_BUFFER_WBINVL1_VOL || (in->op == BW_OP_BUFFER_INV && in->dlc);
}

/* A load that is an atomic one: GLC; of gfx942 SC0, SC1 or both, by its scope. */
static bool is_coherent(const struct bw_exec *x, const struct bw_inst *in)
{
	return in->glc || (bw_isa_is_gfx9(x->gen) && in->dlc);
}

static enum bw_mem_result checked(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec)
{
	struct bw_check *c = x->host.check;
	const struct bw_inst *in = rec->inst;
	const struct bw_op_info *info = bw_isa_op_info(in->op);
	const struct bw_code_page *page = x->code.page;
	const struct bw_check_at at = {
		.pc = bw_code_pc(&x->code, rec),
		.word = &page->word[rec - page->rec],
		.n_words = rec->size_dw,
		.access = bw_check_access_of(info),
		.op = in->op,
		.is_coherent = is_coherent(x, in),
	};
	struct bw_check_group *g = bw_check_followed(w);
	bool is_checked = bw_check_begin(c, w, &at);
	if (g)
		g->wave[w->index_in_group].at = &at;
	if (is_checked && is_fence(in))
		bw_check_fence(c);
	/* Images are not followed. */
	if (is_checked && in->fmt == BW_FMT_MIMG && at.access == BW_CHECK_ATOMIC)
		bw_check_give_up(c);
	if (is_checked && in->fmt == BW_FMT_SMEM && info->flags & BW_OPF_LOAD)
		touch_scalar(w, rec);
	if (g && in->fmt == BW_FMT_SMEM && info->flags & BW_OPF_LOAD)
		check_scalar(w, rec);
	enum bw_mem_result r = inner_of[in->op]->fn(x, w, rec);
	if (g)
		g->wave[w->index_in_group].at = NULL;
	if (is_checked)
		bw_check_end(c, w, &at, r == BW_MEM_OK);
	return r;
}

/* Bits of the counter that stores count in: all 0, and the wave waits for all of its stores. */
enum { VSCNT_BITS = 0x3f, VMCNT9_BITS = 0xc00f };

static BW_HANDLER(wait_for_stores)
{
	if (!(rec->inst->imm & (bw_isa_is_gfx9(x->gen) ? VMCNT9_BITS : VSCNT_BITS)))
		bw_check_waited(x->host.check, w);
	BW_NEXT(BW_FOLLOWING(rec));
}

bw_handler *bw_check_handler(const struct bw_exec *x, const struct bw_inst *inst, bw_handler *fn)
{
	unsigned wait = bw_isa_is_gfx9(x->gen) ? BW_OP_S_WAITCNT : BW_OP_S_WAITCNT_VSCNT;
	return x->host.check && inst->op == wait ? wait_for_stores : fn;
}

static const struct bw_mem_table *const tables_v1[] = {&bw_mem_flat_check_v1, &bw_mem_ds_check_v1,
						       &bw_mem_buf_check_v1, &bw_mem_tbuf_check_v1,
						       &bw_mem_img_check_v1};
static const struct bw_mem_table *const tables_v3[] = {&bw_mem_flat_check_v3, &bw_mem_ds_check_v3,
						       &bw_mem_buf_check_v3, &bw_mem_tbuf_check_v3,
						       &bw_mem_img_check_v3};

static void join(void)
{
	const struct bw_mem_table *const *tables = bw_exec_host_has_v3() ? tables_v3 : tables_v1;
	for (unsigned op = 0; op < BW_OP_COUNT; op++)
		inner_of[op] = bw_exec_mem_row(op);
	for (size_t t = 0; t < BW_ARRAY_SIZE(tables_v1); t++)
		for (size_t i = 0; i < tables[t]->n; i++)
			inner_of[bw_isa_op_by_name(tables[t]->row[i].name)] = &tables[t]->row[i];
	for (unsigned op = 0; op < BW_OP_COUNT; op++)
		if (inner_of[op])
			row_of[op] = (struct bw_mem_row){inner_of[op]->name, checked,
							 inner_of[op]->prepare};
}

const struct bw_mem_row *bw_check_row(const struct bw_mem_row *row, unsigned op)
{
	pthread_once(&joined, join);
	return &row_of[op];
}
