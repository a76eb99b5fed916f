/* SPDX-License-Identifier: MIT */
/* The s_traps that breakpoints put into the code; several may share one. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/waves/waves_priv.h"

#include <string.h>

#include "base/cleanup.h"
#include "isa/ops.h"
#include "trap/trap.h"

struct bw_patch *bw_debug_patch_at(struct bw_debug *d, uint64_t va)
{
	bw_vec_each(&d->breaks->patches, p)
		if (p->va == va && p->space == d->space)
			return p;
	return NULL;
}

uint32_t bw_patch_word(const struct bw_debug *d, const struct bw_patch *p, unsigned id)
{
	const struct bw_arch *arch = bw_debug_arch(d);
	int exceptions = bw_arch_hwreg(arch, bw_arch_reg_of(arch, BW_WF_ALU_EXCEPTIONS));
	const uint32_t imm = (uint16_t)p->inst.imm;
	bool reads = p->inst.op == BW_OP_S_GETREG_B32 &&
		     (int)bw_words_get(&imm, BW_GETREG_ID) == exceptions;
	return bw_arch_s_trap(arch, id) | (reads ? arch->s_trap_reads_exceptions : 0u);
}

struct bw_error *bw_debug_patch_ref(struct bw_debug *d, uint64_t va)
{
	struct bw_patch new = {.space = d->space, .va = va, .refs = 1};
	struct bw_patch *p = bw_debug_patch_at(d, va);
	bw_filter_dirty(d);
	if (p) {
		p->refs++;
		return NULL;
	}
	BW_TRY(bw_target_need(d->target, BW_BREAK_NEEDS));
	BW_TRY(bw_debug_read_inst(d, va, &new.inst, NULL));
	BW_TRY(bw_inst_check_start(d, va));
	BW_TRY(bw_vec_reserve(&d->breaks->patches, d->breaks->patches.len + 1));
	BW_TRY(bw_target_patch(d->target, va, bw_patch_word(d, &new, BW_TRAP_ID_BREAKPOINT)));
	d->breaks->patches.data[d->breaks->patches.len++] = new;
	bw_filter_dirty(d);
	return NULL;
}

void bw_debug_patch_unref(struct bw_debug *d, uint64_t va)
{
	struct bw_patch *p = bw_debug_patch_at(d, va);
	bw_filter_dirty(d);
	if (!p || --p->refs)
		return;
	bw_filter_drop(d, p);
	struct bw_error *err = d->target ? bw_target_unpatch(d->target, va) : NULL;
	/* The program has ended or has freed the memory meanwhile: there is nothing to remove. */
	bool gone = bw_error_catch(&err, BW_E_GONE) || bw_error_catch(&err, BW_E_FAULT);
	if (err && !gone) {
		bw_debug_note(d, BW_NOTICE_WARNING, "Cannot remove breakpoint at 0x%llx: %s",
			      (unsigned long long)va, err->message);
		bw_error_free(err);
	}
	if (p->copy_va) {
		err = bw_vec_push(&d->breaks->free_cells, p->cell);
		bw_error_free(err); /* when out of memory the cell is lost, which does no other
				     * harm */
	}
	bw_vec_remove(&d->breaks->patches, (size_t)(p - d->breaks->patches.data));
}
