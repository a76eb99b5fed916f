// SPDX-License-Identifier: MIT
/* leave.h has the idea. In detail, for one wave, once code is restored and no cache holds the
 * patched one:
 *
 *   - a wave in the program's code without a single step enters the handler for nothing of ours any
 *     more. It has been seen, and needs no second look: a later wave in its slot was launched
 *     later
 *   - a wave in the handler leaves it, to the program's code or into a copy of an instruction
 *   - a wave in a copy comes back through the handler once more: the copy ends in an s_trap
 *   - a wave with a bit in its MODE that is ours is called in by a host trap and loses it on the
 *     way
 *
 * Where the program has ended with its code still patched, the first of these does not hold: a wave
 * in its code comes to an s_trap later, and so do waves that are launched later. There all that the
 * driver had put on its rings must have ended before anything is looked at.
 *
 * So when every slot has been seen in the first state, the trap base can be restored. A trap of the
 * program's own, or an outstanding host trap, may have made a wave enter the handler meanwhile: the
 * handler reads TMA, which therefore is restored when every slot has been seen outside once
 * more. */
#include "live/leave.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "live/gpu_regs.h"

enum {
	PAUSE_MIN_US = 500, /* between two looks */
	PAUSE_MAX_US = 50000,
	/* looks, and how long, in which only waves of others were there, after which the rings are
	 * theirs. A look at a full GPU takes long. */
	FOREIGN_LOOKS = 3,
	FOREIGN_MS = 200,
};

static const struct bw_kmd_bank everywhere = {
	.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};

/* The state in which the wave of a slot was seen. */
enum phase { NEEDS_NO_HANDLER, IS_OUTSIDE };

struct look {
	const struct bw_leave *v;
	struct bw_live_sq sq;
	enum phase phase;
	uint32_t vmids;
	uint32_t *seen; /* a bit each slot */
	bool call;	/* the wave must enter the handler to have our bits removed */
	/* of a program that has ended with its code patched: what was on the rings then */
	struct bw_kmd_ring_fences *fences;
	size_t n_fences;
	bool has_fences;
	unsigned foreign_looks;
	uint64_t foreign_since_ns;
};

static bool is_inside(uint64_t pc, uint64_t va, uint32_t size_b)
{
	return pc >= va && pc - va < size_b;
}

static bool is_our_code(const struct bw_leave *v, uint64_t pc)
{
	for (size_t i = 0; i < v->n_areas; i++)
		if (is_inside(pc, v->areas[i].handler_va, v->areas[i].handler_b) ||
		    is_inside(pc, v->areas[i].displaced_va, v->areas[i].displaced_b))
			return true;
	return false;
}

/* A register of the wave, as a part of `state`. */
static struct bw_error *read_reg(const struct look *l, enum bw_wreg reg, uint32_t slot,
				 struct bw_wave_state *state)
{
	return bw_live_ind_read(&l->sq, reg, slot, &state->reg[reg]);
}

/* The registers of a wave that runs are not read at one moment. The one that says whether it is in
 * the handler comes last: a wave that was outside of our code when its PC was read and is outside
 * of the handler now has been in the program's code in between. */
static struct bw_error *is_done(struct look *l, uint32_t slot, bool *out)
{
	const struct bw_arch *arch = l->v->facts->arch;
	enum bw_wreg enables = bw_arch_reg_of(arch, BW_WF_STEP_EN);
	struct bw_wave_state s = {.arch = arch};

	*out = true;
	BW_TRY(read_reg(l, bw_arch_reg_of(arch, BW_WF_VMID), slot, &s));
	if (!bw_bit_is_set(l->vmids, bw_wave_get(&s, BW_WF_VMID)))
		return NULL;
	BW_TRY(read_reg(l, BW_WREG_PC_LO, slot, &s));
	BW_TRY(read_reg(l, BW_WREG_PC_HI, slot, &s));
	BW_TRY(read_reg(l, enables, slot, &s));
	BW_TRY(read_reg(l, bw_arch_reg_of(arch, BW_WF_IN_HANDLER), slot, &s));
	if (bw_wave_get(&s, BW_WF_FATAL_HALT))
		return NULL; /* it goes nowhere any more */
	*out = !bw_wave_get(&s, BW_WF_IN_HANDLER);
	if (l->phase == IS_OUTSIDE || !bw_wave_get(&s, BW_WF_TRAP_EN))
		return NULL;
	bool ours = s.reg[enables] & l->v->enables;
	if (ours && *out)
		l->call = true;
	uint64_t pc = bw_join32(s.reg[BW_WREG_PC_HI] & 0xffff, s.reg[BW_WREG_PC_LO]);
	*out &= !ours && !is_our_code(l->v, bw_canonical(pc));
	return NULL;
}

/* One look at the slots of a SIMD that have not been seen yet; active: those with a wave. */
static struct bw_error *look_at(struct look *l, uint32_t first, uint32_t active, bool *out_all)
{
	const struct bw_target_facts *f = l->v->facts;
	uint32_t all = (1u << f->waves_per_simd) - 1, shift = first % 32;

	l->seen[first / 32] |= (all & ~active) << shift;
	for (uint32_t left = active; left; left &= left - 1) {
		uint32_t wave = (uint32_t)__builtin_ctz(left);
		bool done = l->seen[first / 32] >> (shift + wave) & 1;
		if (!done)
			BW_TRY(is_done(l, first + wave, &done));
		if (done)
			l->seen[first / 32] |= 1u << (shift + wave);
		else
			*out_all = false;
	}
	return NULL;
}

static struct bw_error *look_at_all(struct look *l, bool *out_all)
{
	const struct bw_target_facts *f = l->v->facts;
	_cleanup_free_ uint32_t *active = NULL;
	*out_all = true;
	BW_TRY(bw_live_active(&l->sq, &active));
	for (uint32_t slot = 0; slot < f->n_slots; slot += f->waves_per_simd)
		BW_TRY(look_at(l, slot, active[slot / f->waves_per_simd], out_all));
	return NULL;
}

static struct bw_error *call_in(const struct look *l)
{
	for (unsigned vmid = 0; vmid < 16; vmid++)
		if (bw_bit_is_set(l->vmids, vmid))
			BW_TRY(bw_kmd_reg_write(
				l->v->kmd, &everywhere, l->v->regs->sq_cmd,
				bw_arch_sq_cmd_all(l->v->facts->arch, BW_SQ_CMD_TRAP, vmid, 0)));
	return NULL;
}

/* ---- Jobs of a program that has ended ---- */

/* Whether waves of our VMIDs, and of others, are there. */
static struct bw_error *find_waves(const struct look *l, bool *out_ours, bool *out_others)
{
	const struct bw_target_facts *f = l->v->facts;
	struct bw_wave_state s = {.arch = f->arch};
	_cleanup_free_ uint32_t *active = NULL;
	*out_ours = *out_others = false;
	BW_TRY(bw_live_active(&l->sq, &active));
	for (uint32_t slot = 0; slot < f->n_slots && !*out_ours; slot++) {
		const uint32_t wave = slot % f->waves_per_simd;
		if (!bw_bit_is_set(active[slot / f->waves_per_simd], wave))
			continue;
		BW_TRY(read_reg(l, bw_arch_reg_of(f->arch, BW_WF_VMID), slot, &s));
		bool ours = bw_bit_is_set(l->vmids, bw_wave_get(&s, BW_WF_VMID));
		*out_ours |= ours;
		*out_others |= !ours;
	}
	return NULL;
}

/* Whether all has ended that was on the driver's rings when the program was found to have ended:
 * what it submits is on them before, and what it had not put on them yet is dropped with it
 * (drm_sched_entity_kill). Rings are shared, and a job of another program after ours may take any
 * time: its waves, without one of ours, say that ours is over. A driver whose fences cannot be read
 * is not waited for. */
static struct bw_error *jobs_are_over(struct look *l, bool *out)
{
	_cleanup_free_ struct bw_kmd_ring_fences *now = NULL;
	size_t n = 0;
	bool ours, others;
	*out = true;
	struct bw_error *err = bw_kmd_fences(l->v->kmd, &now, &n);
	if (err) {
		bw_error_free(err);
		return NULL;
	}
	if (!l->has_fences) {
		l->has_fences = true;
		l->fences = now;
		l->n_fences = n;
		now = NULL;
	}
	const struct bw_kmd_ring_fences *at = now ? now : l->fences;
	for (size_t i = 0; i < BW_MIN(n, l->n_fences); i++)
		if ((int32_t)(at[i].signaled - l->fences[i].emitted) < 0)
			*out = false;
	if (*out)
		return NULL;
	BW_TRY(find_waves(l, &ours, &others));
	l->foreign_looks = others && !ours ? l->foreign_looks + 1 : 0;
	if (l->foreign_looks <= 1)
		l->foreign_since_ns = bw_live_now_ns();
	*out = l->foreign_looks >= FOREIGN_LOOKS &&
	       bw_live_now_ns() - l->foreign_since_ns >= FOREIGN_MS * 1000000ull;
	return NULL;
}

/* Waits for the jobs of a program that has ended with its code patched. New waves are told by
 * registers whether they enter a handler at all, so this comes before any is restored. */
static struct bw_error *await_jobs(struct look *l)
{
	unsigned pause_us = PAUSE_MIN_US;
	bool patched, over = false;
	while (!over) {
		if (!l->v->meanwhile(l->v->cookie, &patched)) {
			BW_LOG(WARN, "live", "the jobs of a program that has ended do not end");
			return NULL;
		}
		if (!patched)
			return NULL;
		BW_TRY(jobs_are_over(l, &over));
		if (over)
			break;
		nanosleep(&(struct timespec){.tv_nsec = pause_us * 1000l}, NULL);
		pause_us = BW_MIN(pause_us * 2, (unsigned)PAUSE_MAX_US);
	}
	return NULL;
}

/* Looks until every slot has been seen in the state that the phase asks for. */
static struct bw_error *await(struct look *l, enum phase phase)
{
	unsigned pause_us = PAUSE_MIN_US, rounds = 0;

	l->phase = phase;
	memset(l->seen, 0, l->v->facts->n_slots / 8);
	for (bool all = false; !all; rounds++) {
		bool patched;
		if (!l->v->meanwhile(l->v->cookie, &patched)) {
			BW_LOG(WARN, "live", "some waves do not leave the trap handler");
			return NULL;
		}
		l->call = false;
		BW_TRY(look_at_all(l, &all));
		if (l->call)
			BW_TRY(call_in(l));
		if (all)
			break;
		nanosleep(&(struct timespec){.tv_nsec = pause_us * 1000l}, NULL);
		pause_us = BW_MIN(pause_us * 2, (unsigned)PAUSE_MAX_US);
	}
	BW_LOG(DEBUG, "live", "waves have left after %u looks", rounds + 1);
	return NULL;
}

/* ---- Registers ---- */

enum kind { TRAP_BASE, TRAP_MEMORY, ALL_ELSE };

static enum kind kind_of(const struct bw_leave *v, const struct bw_saved_reg *r)
{
	if (r->vmid != BW_SAVED_GLOBAL &&
	    (r->addr_dw == v->regs->tba_lo || r->addr_dw == v->regs->tba_hi))
		return TRAP_BASE;
	if (r->vmid != BW_SAVED_GLOBAL &&
	    (r->addr_dw == v->regs->tma_lo || r->addr_dw == v->regs->tma_hi))
		return TRAP_MEMORY;
	return ALL_ELSE;
}

/* VMIDs that have another trap base than ours: their program has ended, and the kernel has given
 * them to one that another debugger has attached to. */
static struct bw_error *find_taken(const struct bw_leave *v, uint32_t *out_vmids)
{
	*out_vmids = 0;
	for (size_t i = 0; i < v->n_saved; i++) {
		const struct bw_saved_reg *r = &v->saved[i];
		const struct bw_kmd_bank bank = bw_saved_reg_bank(r);
		uint32_t now;
		if (r->vmid == BW_SAVED_GLOBAL || r->addr_dw != v->regs->tba_lo)
			continue;
		BW_TRY(bw_kmd_reg_read(v->kmd, &bank, r->addr_dw, &now));
		if (now != r->ours && now != r->ours_before && now != r->before)
			*out_vmids |= 1u << r->vmid;
	}
	return NULL;
}

/* Restores in reverse order of changing: so of the trap base the upper half, with TRAP_EN, comes
 * first. */
static struct bw_error *put_back(const struct bw_leave *v, enum kind kind)
{
	uint32_t taken;
	BW_TRY(find_taken(v, &taken));
	for (size_t i = v->n_saved; i-- > 0;) {
		const struct bw_saved_reg *r = &v->saved[i];
		const struct bw_kmd_bank bank = bw_saved_reg_bank(r);
		uint32_t now;
		if (kind_of(v, r) != kind ||
		    (r->vmid != BW_SAVED_GLOBAL && bw_bit_is_set(taken, r->vmid)))
			continue;
		BW_TRY(bw_kmd_reg_read(v->kmd, &bank, r->addr_dw, &now));
		if (now == r->ours || now == r->ours_before)
			BW_TRY(bw_kmd_reg_write(v->kmd, &bank, r->addr_dw, r->before));
	}
	return NULL;
}

static struct bw_error *leave(struct look *l)
{
	const struct bw_leave *v = l->v;
	for (size_t i = 0; i < v->n_saved; i++)
		if (v->saved[i].vmid != BW_SAVED_GLOBAL)
			l->vmids |= 1u << v->saved[i].vmid;
	if (l->vmids)
		BW_TRY(await_jobs(l));
	BW_TRY(put_back(v, ALL_ELSE));
	if (l->vmids)
		BW_TRY(await(l, NEEDS_NO_HANDLER));
	BW_TRY(put_back(v, TRAP_BASE));
	if (l->vmids)
		BW_TRY(await(l, IS_OUTSIDE));
	return put_back(v, TRAP_MEMORY);
}

struct bw_error *bw_leave_registers(const struct bw_leave *v)
{
	struct look l = {.v = v, .sq = {v->kmd, v->regs, v->facts}};
	_cleanup_free_ uint32_t *seen = calloc(v->facts->n_slots / 32 + 1, sizeof(*seen));

	if (!seen)
		return bw_error_nomem();
	l.seen = seen;
	struct bw_error *err = leave(&l);
	free(l.fences);
	return err;
}
