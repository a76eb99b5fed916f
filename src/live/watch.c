// SPDX-License-Identifier: MIT
/* Address watches, exceptions of waves to come, precise memory: registers that are the same for all
 * waves of a VMID, or of the GPU. */
#include "live/live_priv.h"
#include "live/gpu_regs.h"
#include "live/operations.h"

/* The bits that differ between the first and the last byte are not compared, nor those below. */
static struct bw_error *mask_of(const struct bw_arch *arch, const struct bw_target_watch *w,
				uint32_t *out)
{
	const unsigned low_bit = arch->watch.lowest_bit, width = arch->watch.mask.width;
	uint64_t differ = w->va ^ (w->va + w->size_b - 1);
	unsigned free_bits = differ ? 64 - (unsigned)__builtin_clzll(differ) : 0;
	if (free_bits > low_bit + width)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "%llu bytes at 0x%llx cross a boundary that a watch cannot span",
				 (unsigned long long)w->size_b, (unsigned long long)w->va);
	uint32_t all = (1u << width) - 1;
	unsigned low = free_bits > low_bit ? free_bits - low_bit : 0;
	*out = all & ~((1u << low) - 1);
	return NULL;
}

static bool is_one(uint32_t mask)
{
	return mask && !(mask & (mask - 1));
}

static struct bw_live_vm *vm_of(const struct bw_live *l, uint32_t space)
{
	bw_vec_each(&l->vms, vm)
		if ((*vm)->number == space)
			return *vm;
	return NULL;
}

/* A program that has run before a debugger has attached had another VMID then: the interrupt
 * block's table still names that one too. With a VMID reserved, all its waves have the one that a
 * stopped wave has. */
static struct bw_error *choose_vmid(struct bw_live *l, struct bw_live_vm *vm)
{
	uint32_t vmid;
	vm->watched_vmids = bw_live_wave_vmids(vm);
	if (!vm->vmid_reserved || is_one(vm->watched_vmids))
		return NULL;
	for (uint32_t slot = 0; slot < l->t.facts.n_slots; slot++) {
		if (bw_live_owner(l, slot) != vm)
			continue;
		BW_TRY(bw_live_field_now(l, bw_live_place(l, slot), BW_WF_VMID, &vmid));
		vm->watched_vmids &= 1u << vmid;
		return NULL;
	}
	return NULL;
}

static struct bw_error *write_watch(struct bw_live *l, unsigned index)
{
	const struct bw_arch *arch = l->t.facts.arch;
	const struct bw_target_watch *w = &l->watch[index];
	uint32_t first = l->regs.tcp_watch[index], mask = 0;

	/* off while it is changed */
	BW_TRY(bw_live_write_saved(l, BW_SAVED_GLOBAL, first + 2, 0));
	if (!w->size_b)
		return NULL;
	BW_TRY(mask_of(arch, w, &mask));
	struct bw_live_vm *vm = vm_of(l, w->space);
	if (vm && (!vm->vmid_reserved || !is_one(vm->watched_vmids & vm->vmids)))
		BW_TRY(choose_vmid(l, vm));
	uint32_t vmids = vm ? vm->watched_vmids & vm->vmids : 0;
	if (!is_one(vmids))
		return bw_errorf(
			BW_E_UNSUPPORTED, "the program's VMID is not known, and a watch needs it%s",
			vmids && vm->vmid_reserved ? "; it is known once a wave has stopped" : "");
	uint32_t vmid = (uint32_t)__builtin_ctz(vmids);
	BW_TRY(bw_live_write_saved(l, BW_SAVED_GLOBAL, first, bw_hi32(w->va) & 0xffff));
	BW_TRY(bw_live_write_saved(l, BW_SAVED_GLOBAL, first + 1,
				   (uint32_t)w->va & ~(BW_WATCH_GRANULE_B - 1u)));
	uint32_t cntl = bw_arch_put(arch->watch.mask, mask) | bw_arch_put(arch->watch.vmid, vmid) |
			bw_arch_put(arch->watch.mode, w->mode) | bw_arch_put(arch->watch.valid, 1);
	return bw_live_write_saved(l, BW_SAVED_GLOBAL, first + 2, cntl);
}

struct bw_error *bw_live_set_watch(struct bw_target *t, unsigned index,
				   const struct bw_target_watch *w)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_target_watch before = l->watch[index];

	if (!bw_live_any_attached(l))
		return w ? bw_errorf(BW_E_STATE, "the program's waves cannot be stopped") : NULL;
	const struct bw_live_vm *vm = bw_live_vm(l);
	l->watch[index] = w ? *w : (struct bw_target_watch){0};
	if (!l->watch[index].space && vm)
		l->watch[index].space = vm->number;
	struct bw_error *err = write_watch(l, index);
	if (err)
		l->watch[index] = before;
	return err;
}

void bw_live_move_watches(struct bw_live *l)
{
	for (unsigned i = 0; i < BW_TARGET_WATCHES; i++) {
		struct bw_error *err = l->watch[i].size_b ? write_watch(l, i) : NULL;
		if (!err)
			continue;
		bw_live_note(l, true, "the watch at 0x%llx is off: %s",
			     (unsigned long long)l->watch[i].va, err->message);
		l->watch[i].size_b = 0;
		bw_error_free(err);
	}
}

void bw_live_note_enables(struct bw_live *l, struct bw_live_vm *vm)
{
	uint32_t ours = l->excp_ever & ~vm->excp_of_program;
	if (vm->control)
		__atomic_store_n(&vm->control->enables, bw_trap_enables(l->t.facts.arch, ours),
				 __ATOMIC_SEQ_CST);
}

struct bw_error *bw_live_set_exceptions(struct bw_target *t, uint32_t mask)
{
	struct bw_live *l = bw_live_of(t);
	l->excp = mask;
	l->excp_ever |= mask;
	bw_vec_each(&l->vms, vm)
		bw_live_note_enables(l, *vm);
	return bw_live_any_attached(l) ? bw_live_update_gdbg(l) : NULL;
}

struct bw_error *bw_live_set_precise(struct bw_target *t, bool on)
{
	struct bw_live *l = bw_live_of(t);
	const struct bw_kmd_bank all = {.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};
	uint32_t v;
	BW_TRY(bw_kmd_reg_read(l->kmd, &all, l->regs.sq_debug, &v));
	uint32_t bit = bw_arch_put(l->t.facts.arch->single_memop, 1);
	v = on ? v | bit : v & ~bit;
	BW_TRY(bw_live_write_saved(l, BW_SAVED_GLOBAL, l->regs.sq_debug, v));
	BW_TRY(bw_kmd_reg_read(l->kmd, &all, l->regs.sq_debug, &v));
	if (on && (v & bit) != bit)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"this GPU has no precise memory: SQ_DEBUG.SINGLE_MEMOP stays 0 when it is set");
	t->is_precise = on;
	return NULL;
}
