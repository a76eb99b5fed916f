// SPDX-License-Identifier: MIT
/* Stopped waves, as their slots in the debug area show them. The area is the program's memory: its
 * content is checked where it would be used as an index or a size. */
#include "live/live_priv.h"
#include "live/gpu_regs.h"
#include "live/operations.h"

#include <string.h>

volatile struct bw_trap_slot *bw_live_slot(struct bw_live_vm *vm, uint32_t slot)
{
	return (volatile struct bw_trap_slot *)(vm->area + BW_TRAP_C_SIZE +
						(size_t)slot * BW_TRAP_SLOT_STRIDE);
}

static volatile uint32_t *vgpr(struct bw_live *l, struct bw_live_vm *vm, uint32_t slot, unsigned n,
			       unsigned lanes)
{
	size_t at = BW_TRAP_C_SIZE + (size_t)l->t.facts.n_slots * BW_TRAP_SLOT_STRIDE +
		    slot * bw_trap_vgpr_stride(l->t.facts.arch) + (size_t)n * lanes * 4;
	return (volatile uint32_t *)(vm->area + at);
}

/* Acquire: what the wave wrote before its state is seen after it. */
static uint32_t load(volatile uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

bool bw_live_stopped_in(struct bw_live_vm *vm, uint32_t slot)
{
	if (!vm->attached)
		return false;
	volatile struct bw_trap_slot *s = bw_live_slot(vm, slot);
	const struct bw_live_slot *mine = &vm->slots[slot];
	if (load(&s->state) != BW_TRAP_STATE_STOPPED)
		return false;
	return !mine->resumed || s->seq != mine->resumed_seq;
}

bool bw_live_is_stopped(struct bw_target *t, uint32_t slot)
{
	return bw_live_owner(bw_live_of(t), slot);
}

uint32_t bw_live_place(struct bw_live *l, uint32_t slot)
{
	struct bw_live_vm *vm = bw_live_last_owner(l, slot);
	volatile struct bw_trap_slot *s = vm ? bw_live_slot(vm, slot) : NULL;
	if (!s || !s->lent)
		return slot;
	int place = bw_trap_slot_index(l->t.facts.arch, vm->control, s->hw[BW_TRAP_HW_HW_ID1]);
	return place < 0 || (uint32_t)place >= l->t.facts.n_slots ? slot : (uint32_t)place;
}

size_t bw_live_stopped(struct bw_target *t, uint32_t *out_slots, size_t max)
{
	struct bw_live *l = bw_live_of(t);
	size_t n = 0;
	for (uint32_t slot = 0; slot < t->facts.n_slots; slot++) {
		if (!bw_live_owner(l, slot))
			continue;
		if (n < max)
			out_slots[n] = slot;
		n++;
	}
	return n;
}

struct bw_error *bw_live_need_stopped(struct bw_live *l, uint32_t slot, struct bw_live_vm **out)
{
	*out = bw_live_owner(l, slot);
	if (*out)
		return NULL;
	if (!bw_live_any_attached(l))
		return bw_errorf(BW_E_GONE, "the program has closed the GPU");
	return bw_errorf(BW_E_STATE, "the wave in slot %u is not stopped", slot);
}

void bw_live_state(const struct bw_arch *arch, volatile struct bw_trap_slot *s,
		   struct bw_wave_state *out)
{
	*out = (struct bw_wave_state){.arch = arch};
	for (unsigned r = 0; r < BW_WREG_COUNT; r++) {
		int at = bw_trap_hw_of((enum bw_wreg)r);
		if (at >= 0 && arch->reg[r].ind)
			out->reg[r] = s->hw[at];
	}
}

/* The place of a register of the wave's state in a slot; NULL: it is not saved. */
static volatile uint32_t *saved_reg(volatile struct bw_trap_slot *s, enum bw_wreg reg)
{
	int at = bw_trap_hw_of(reg);
	return at >= 0 ? &s->hw[at] : NULL;
}

/* A wave that was stopped in a barrier leaves it when the others have come, stopped or not. */
static struct bw_error *update_barrier(struct bw_live *l, uint32_t slot,
				       volatile struct bw_trap_slot *s, struct bw_wave_state *state)
{
	volatile uint32_t *reg = saved_reg(s, bw_arch_reg_of(state->arch, BW_WF_IN_BARRIER));
	uint32_t now;
	if (!reg || !bw_wave_get(state, BW_WF_IN_BARRIER))
		return NULL;
	BW_TRY(bw_live_field_now(l, bw_live_place(l, slot), BW_WF_IN_BARRIER, &now));
	if (now)
		return NULL;
	bw_wave_set(state, BW_WF_IN_BARRIER, 0);
	*reg &= ~bw_arch_mask(state->arch, BW_WF_IN_BARRIER);
	return NULL;
}

/* How many VGPRs have been saved. */
static uint32_t n_vgprs(struct bw_live *l, volatile struct bw_trap_slot *s)
{
	const uint32_t most =
		(uint32_t)(bw_trap_vgpr_stride(l->t.facts.arch) / (64 * sizeof(uint32_t)));
	return BW_MIN(s->hw[BW_TRAP_HW_VGPRS], most);
}

struct bw_error *bw_live_read_wave(struct bw_target *t, uint32_t slot, struct bw_target_wave *out)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	struct bw_wave_state state;
	uint32_t hw[BW_TRAP_HW_COUNT];

	BW_TRY(bw_live_need_stopped(l, slot, &vm));
	volatile struct bw_trap_slot *s = bw_live_slot(vm, slot);
	for (size_t i = 0; i < BW_TRAP_HW_COUNT; i++)
		hw[i] = s->hw[i];
	bw_live_state(t->facts.arch, s, &state);
	BW_TRY(update_barrier(l, slot, s, &state));
	/* Being in the handler and single steps are caused by the debugger, so they are not
	 * shown. */
	bw_wave_set(&state, BW_WF_IN_HANDLER, 0);
	bw_wave_set(&state, BW_WF_STEP_EN, 0);
	*out = (struct bw_target_wave){
		.slot = slot,
		.space = vm->number,
		.seq = s->seq,
		.pc = bw_canonical(bw_join32(hw[BW_TRAP_HW_PC_HI], hw[BW_TRAP_HW_PC_LO])),
		.exec = bw_join32(hw[BW_TRAP_HW_EXEC_HI], hw[BW_TRAP_HW_EXEC_LO]),
		.flat_scratch =
			bw_join32(hw[BW_TRAP_HW_FLAT_SCRATCH_HI], hw[BW_TRAP_HW_FLAT_SCRATCH_LO]),
		.m0 = hw[BW_TRAP_HW_M0],
		.state = state,
		.dispatch_packet = bw_wave_get(&state, BW_WF_PACKET),
		.workgroup = {bw_wave_get(&state, BW_WF_WORKGROUP_X),
			      bw_wave_get(&state, BW_WF_WORKGROUP_Y),
			      bw_wave_get(&state, BW_WF_WORKGROUP_Z)},
		.wave_in_group = bw_wave_get(&state, BW_WF_WAVE_IN_GROUP),
		.n_vgprs = n_vgprs(l, s),
		.lanes = bw_wave_lanes(&state),
	};
	return NULL;
}

/* The handler's own bits stay: IN_HANDLER must be there when the register is written back, before
 * s_rfe clears it. */
static struct bw_error *write_state(const struct bw_arch *arch, volatile struct bw_trap_slot *s,
				    enum bw_wreg reg, uint32_t value)
{
	static const enum bw_wave_field handlers[] = {BW_WF_IN_HANDLER, BW_WF_STEP_EN};
	volatile uint32_t *at = saved_reg(s, reg);
	uint32_t keep = 0;
	if (!at || !arch->reg[reg].ind)
		return bw_errorf(BW_E_INVALID, "the trap handler does not save this register");
	for (size_t i = 0; i < BW_ARRAY_SIZE(handlers); i++)
		if (bw_arch_reg_of(arch, handlers[i]) == reg)
			keep |= bw_arch_mask(arch, handlers[i]);
	*at = (value & ~keep) | (*at & keep);
	return NULL;
}

struct bw_error *bw_live_write_reg(struct bw_target *t, uint32_t slot, enum bw_target_reg reg,
				   uint64_t value)
{
	struct bw_live_vm *vm;
	uint32_t low = bw_lo32(value), high = bw_hi32(value);
	const unsigned in_sgprs = t->facts.arch->flat_scratch_sgpr;

	BW_TRY(bw_live_need_stopped(bw_live_of(t), slot, &vm));
	volatile struct bw_trap_slot *s = bw_live_slot(vm, slot);
	if (reg >= BW_TREG_STATE)
		return write_state(t->facts.arch, s, (enum bw_wreg)(reg - BW_TREG_STATE), low);
	switch ((int)reg) {
	case BW_TREG_PC:
		s->hw[BW_TRAP_HW_PC_LO] = low;
		s->hw[BW_TRAP_HW_PC_HI] = high & 0xffff;
		break;
	case BW_TREG_EXEC:
		s->hw[BW_TRAP_HW_EXEC_LO] = low;
		s->hw[BW_TRAP_HW_EXEC_HI] = high;
		break;
	case BW_TREG_M0:
		s->hw[BW_TRAP_HW_M0] = low;
		break;
	case BW_TREG_FLAT_SCRATCH:
		if (in_sgprs) {
			s->sgpr[in_sgprs] = low;
			s->sgpr[in_sgprs + 1] = high;
		}
		s->hw[BW_TRAP_HW_FLAT_SCRATCH_LO] = low;
		s->hw[BW_TRAP_HW_FLAT_SCRATCH_HI] = high;
		break;
	case BW_TREG_DISPLACED_RETURN:
		s->return_lo = low;
		s->return_hi = high;
		break;
	}
	return NULL;
}

static struct bw_error *check_sgprs(struct bw_live *l, uint32_t slot, unsigned first, unsigned n,
				    struct bw_live_vm **out)
{
	BW_TRY(bw_live_need_stopped(l, slot, out));
	if (first > 108 || n > 108 - first)
		return bw_errorf(BW_E_INVALID, "no such SGPRs: %u to %u", first, first + n - 1);
	return NULL;
}

struct bw_error *bw_live_read_sgprs(struct bw_target *t, uint32_t slot, unsigned first, unsigned n,
				    uint32_t *out)
{
	struct bw_live_vm *vm;
	BW_TRY(check_sgprs(bw_live_of(t), slot, first, n, &vm));
	volatile struct bw_trap_slot *s = bw_live_slot(vm, slot);
	for (unsigned i = 0; i < n; i++)
		out[i] = s->sgpr[first + i];
	return NULL;
}

struct bw_error *bw_live_write_sgpr(struct bw_target *t, uint32_t slot, unsigned n, uint32_t value)
{
	struct bw_live_vm *vm;
	BW_TRY(check_sgprs(bw_live_of(t), slot, n, 1, &vm));
	bw_live_slot(vm, slot)->sgpr[n] = value;
	return NULL;
}

static struct bw_error *check_vgpr(struct bw_live *l, uint32_t slot, unsigned n,
				   struct bw_live_vm **out, unsigned *out_lanes)
{
	BW_TRY(bw_live_need_stopped(l, slot, out));
	volatile struct bw_trap_slot *s = bw_live_slot(*out, slot);
	uint32_t have = n_vgprs(l, s);
	if (n >= have)
		return bw_errorf(BW_E_INVALID, "no such VGPR: v%u of %u", n, have);
	struct bw_wave_state state;
	bw_live_state(l->t.facts.arch, s, &state);
	*out_lanes = bw_wave_lanes(&state);
	return NULL;
}

struct bw_error *bw_live_read_vgpr(struct bw_target *t, uint32_t slot, unsigned n, uint32_t *out)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	unsigned lanes;
	BW_TRY(check_vgpr(l, slot, n, &vm, &lanes));
	memcpy(out, (const void *)vgpr(l, vm, slot, n, lanes), lanes * sizeof(uint32_t));
	return NULL;
}

struct bw_error *bw_live_write_vgpr(struct bw_target *t, uint32_t slot, unsigned n, unsigned lane,
				    uint32_t value)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_vm *vm;
	unsigned lanes;
	BW_TRY(check_vgpr(l, slot, n, &vm, &lanes));
	if (lane >= lanes)
		return bw_errorf(BW_E_INVALID, "no such lane: %u of %u", lane, lanes);
	vgpr(l, vm, slot, n, lanes)[lane] = value;
	return NULL;
}

/* ---- LDS, by the wave itself ---- */

static struct bw_error *check_lds(struct bw_live *l, uint32_t slot, uint32_t offset_b,
				  size_t size_b, struct bw_live_vm **out)
{
	BW_TRY(bw_live_need_stopped(l, slot, out));
	struct bw_wave_state state;
	bw_live_state(l->t.facts.arch, bw_live_slot(*out, slot), &state);
	uint64_t have_b =
		(uint64_t)bw_wave_get(&state, BW_WF_LDS_SIZE) * l->t.facts.arch->lds_granule_b;
	if (have_b == 0)
		return bw_error_fault(offset_b, "the wave's workgroup has no LDS");
	if (offset_b >= have_b || size_b > have_b - offset_b)
		return bw_error_fault(offset_b,
				      "Cannot access memory at address local#0x%x: the workgroup "
				      "has %llu bytes of "
				      "LDS",
				      offset_b, (unsigned long long)have_b);
	return NULL;
}

struct bw_error *bw_live_read_lds(struct bw_target *t, uint32_t slot, uint32_t offset_b, void *out,
				  size_t size_b)
{
	struct bw_live_vm *vm;
	uint32_t data[BW_TRAP_DATA_DW];
	uint8_t *to = out;

	BW_TRY(check_lds(bw_live_of(t), slot, offset_b, size_b, &vm));
	while (size_b) {
		uint32_t skip = offset_b % 4;
		size_t n = BW_MIN(size_b, sizeof(data) - skip);
		uint32_t dwords = (uint32_t)((skip + n + 3) / 4);
		BW_TRY(bw_live_command(vm, slot, BW_TRAP_CMD_LDS_READ, offset_b - skip, dwords));
		memcpy(data, (const void *)bw_live_slot(vm, slot)->data, dwords * 4);
		memcpy(to, (uint8_t *)data + skip, n);
		to += n;
		offset_b += (uint32_t)n;
		size_b -= n;
	}
	return NULL;
}

struct bw_error *bw_live_write_lds(struct bw_target *t, uint32_t slot, uint32_t offset_b,
				   const void *data, size_t size_b)
{
	struct bw_live_vm *vm;
	const uint8_t *from = data;

	BW_TRY(check_lds(bw_live_of(t), slot, offset_b, size_b, &vm));
	while (size_b) {
		uint32_t skip = offset_b % 4;
		size_t n = BW_MIN(size_b, (size_t)BW_TRAP_DATA_DW * 4 - skip);
		uint32_t dwords = (uint32_t)((skip + n + 3) / 4);
		/* whole dwords are written: the bytes around those that are written are read
		 * first */
		if (skip || n % 4)
			BW_TRY(bw_live_command(vm, slot, BW_TRAP_CMD_LDS_READ, offset_b - skip,
					       dwords));
		memcpy((uint8_t *)bw_live_slot(vm, slot)->data + skip, from, n);
		BW_TRY(bw_live_command(vm, slot, BW_TRAP_CMD_LDS_WRITE, offset_b - skip, dwords));
		from += n;
		offset_b += (uint32_t)n;
		size_b -= n;
	}
	return NULL;
}
