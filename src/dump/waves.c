/* SPDX-License-Identifier: MIT */
/* The waves that the files hold. */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"
#include "dump/dump_priv.h"

/* Names of the register database after SQ_WAVE_ (data/regs/gc-*.txt). */
static const struct {
	const char *name;
	enum bw_wreg reg;
} registers[] = {
#define R(n) {#n, BW_WREG_##n}
	R(MODE),
	R(STATUS),
	R(TRAPSTS),
	R(STATE_PRIV),
	R(EXCP_FLAG_PRIV),
	R(EXCP_FLAG_USER),
	R(TRAP_CTRL),
	R(HW_ID1),
	R(HW_ID2),
	R(GPR_ALLOC),
	R(LDS_ALLOC),
	R(IB_STS),
	R(IB_STS2),
	R(IB_DBG1),
	R(SCHED_MODE),
	R(SHADER_CYCLES),
	R(DVGPR_ALLOC_LO),
	R(DVGPR_ALLOC_HI),
	R(PC_LO),
	R(PC_HI),
	R(FLAT_SCRATCH_LO),
	R(FLAT_SCRATCH_HI),
	R(M0),
	R(EXEC_LO),
	R(EXEC_HI),
#undef R
};

/* Places that a GPU can have: a table of all slots must stay small, whatever a file says. */
enum { MOST_SE = 16, MOST_SA = 4, MOST_WGP = 32, MOST_SIMD = 4, MOST_WAVES = 20 };

static bool is_place(const struct bw_crash_wave *w)
{
	return w->has_place && w->se < MOST_SE && w->sa < MOST_SA && w->wgp < MOST_WGP &&
	       w->simd < MOST_SIMD && w->wave < MOST_WAVES;
}

static uint32_t slot_of(const struct bw_target_facts *f, const struct bw_crash_wave *w)
{
	return (((w->se * f->sa_per_se + w->sa) * f->wgp_per_sa + w->wgp) * f->simd_per_wgp +
		w->simd) *
		       f->waves_per_simd +
	       w->wave;
}

/* As large as the waves need it: the files do not say how large the GPU is. One slot is left
 * free. */
struct bw_error *bw_dump_place_waves(struct bw_dump *d)
{
	struct bw_target_facts *f = &d->t.facts;
	const struct bw_crash_waves *waves = &d->crash->report.waves;
	f->n_se = f->sa_per_se = f->wgp_per_sa = 1;
	f->simd_per_wgp = f->arch->simds_per_wgp;
	f->waves_per_simd = f->arch->waves_per_simd;
	bw_vec_each(&waves->list, w) {
		if (!is_place(w))
			continue;
		f->n_se = BW_MAX(f->n_se, w->se + 1);
		f->sa_per_se = BW_MAX(f->sa_per_se, w->sa + 1);
		f->wgp_per_sa = BW_MAX(f->wgp_per_sa, w->wgp + 1);
		f->simd_per_wgp = BW_MAX(f->simd_per_wgp, w->simd + 1);
		f->waves_per_simd = BW_MAX(f->waves_per_simd, w->wave + 1);
	}
	f->n_slots = f->n_se * f->sa_per_se * f->wgp_per_sa * f->simd_per_wgp * f->waves_per_simd;
	d->slots = malloc(f->n_slots * sizeof(*d->slots));
	if (!d->slots)
		return bw_error_nomem();
	memset(d->slots, 0xff, f->n_slots * sizeof(*d->slots));
	for (size_t i = 0; i < waves->list.len; i++) {
		const struct bw_crash_wave *w = &waves->list.data[i];
		uint64_t pc;
		/* of two in one place (two reports), the first */
		if (is_place(w) && bw_crash_wave_pc(w, &pc) &&
		    d->slots[slot_of(f, w)] == UINT32_MAX)
			d->slots[slot_of(f, w)] = (uint32_t)i;
	}
	return NULL;
}

bool bw_dump_is_stopped(struct bw_target *t, uint32_t slot)
{
	return slot < t->facts.n_slots && bw_dump_of(t)->slots[slot] != UINT32_MAX;
}

size_t bw_dump_stopped(struct bw_target *t, uint32_t *out_slots, size_t max)
{
	size_t n = 0;
	for (uint32_t slot = 0; slot < t->facts.n_slots; slot++) {
		if (!bw_dump_is_stopped(t, slot))
			continue;
		if (n < max)
			out_slots[n] = slot;
		n++;
	}
	return n;
}

static struct bw_error *wave_in(struct bw_target *t, uint32_t slot,
				const struct bw_crash_wave **out)
{
	struct bw_dump *d = bw_dump_of(t);
	if (!bw_dump_is_stopped(t, slot))
		return bw_errorf(BW_E_STATE, "the crash file has no wave in slot %u", slot);
	*out = &d->crash->report.waves.list.data[d->slots[slot]];
	return NULL;
}

static struct bw_wave_state state_of(const struct bw_target *t, const struct bw_crash_wave *w)
{
	struct bw_wave_state state = {.arch = t->facts.arch};
	for (size_t i = 0; i < BW_ARRAY_SIZE(registers); i++)
		bw_crash_wave_register(w, registers[i].name, &state.reg[registers[i].reg]);
	return state;
}

/* umr 1.0 prints 64 lanes of waves that have 32. */
static unsigned lanes_of(const struct bw_crash_wave *w, const struct bw_wave_state *state)
{
	uint32_t word;
	unsigned said = bw_wave_lanes(state);
	bool is_said = bw_crash_wave_register(w, "IB_STS2", &word); /* WAVE64 of gfx10 and gfx11 */
	if (!w->lanes)
		return said;
	return is_said ? BW_MIN(said, w->lanes) : w->lanes;
}

struct bw_error *bw_dump_read_wave(struct bw_target *t, uint32_t slot, struct bw_target_wave *out)
{
	const struct bw_crash_wave *w = NULL;
	BW_TRY(wave_in(t, slot, &w));
	const struct bw_wave_state state = state_of(t, w);
	const uint32_t *reg = state.reg;
	unsigned lanes = lanes_of(w, &state);
	*out = (struct bw_target_wave){
		.slot = slot,
		.space = 1,
		.seq = 1,
		.pc = bw_canonical(bw_join32(reg[BW_WREG_PC_HI], reg[BW_WREG_PC_LO])),
		.exec = bw_join32(lanes == 64 ? reg[BW_WREG_EXEC_HI] : 0, reg[BW_WREG_EXEC_LO]),
		.flat_scratch =
			bw_join32(reg[BW_WREG_FLAT_SCRATCH_HI], reg[BW_WREG_FLAT_SCRATCH_LO]),
		.m0 = reg[BW_WREG_M0],
		.state = state,
		/* in TTMPs, which the tool does not print */
		.workgroup = {BW_GROUP_UNKNOWN, BW_GROUP_UNKNOWN, BW_GROUP_UNKNOWN},
		.wave_in_group = BW_GROUP_UNKNOWN,
		.n_vgprs = w->n_vgprs,
		.lanes = (uint8_t)lanes,
	};
	return NULL;
}

struct bw_error *bw_dump_read_sgprs(struct bw_target *t, uint32_t slot, unsigned first, unsigned n,
				    uint32_t *out)
{
	enum { SGPRS = 108 };
	const struct bw_crash_wave *w = NULL;
	BW_TRY(wave_in(t, slot, &w));
	if (first > SGPRS || n > SGPRS - first)
		return bw_errorf(BW_E_INVALID, "no such SGPRs");
	if (first + n > w->n_sgprs)
		return bw_errorf(BW_E_NOT_FOUND,
				 "the crash file has %u SGPRs of this wave, not s%u", w->n_sgprs,
				 first + n - 1);
	memcpy(out, w->sgprs + first, (size_t)n * 4);
	return NULL;
}

struct bw_error *bw_dump_read_vgpr(struct bw_target *t, uint32_t slot, unsigned n, uint32_t *out)
{
	const struct bw_crash_wave *w = NULL;
	BW_TRY(wave_in(t, slot, &w));
	if (n >= w->n_vgprs)
		return bw_errorf(BW_E_NOT_FOUND,
				 "the crash file has %u VGPRs of this wave, not v%u", w->n_vgprs,
				 n);
	const struct bw_wave_state state = state_of(t, w);
	memcpy(out, w->vgprs.data + (size_t)n * w->lanes, lanes_of(w, &state) * 4u);
	return NULL;
}
