/* SPDX-License-Identifier: MIT */
#include "cli/wave_scan.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/ip_version.h"
#include "base/util.h"

/* amdgpu_gprwave and amdgpu_gca_config (doc/hardware/kernel-interface.md 4.6 and 5.1) */
enum { GPRWAVE_SET_STATE = 0xc0242000, GPRWAVE_MAX_WORDS = 32 };
enum { CONFIG_DW = 36, CONFIG_SE = 1, CONFIG_CU_PER_SA = 3, CONFIG_SA_PER_SE = 4 };
enum { MAX_VGPRS = 256, WAVE_SLOTS = 20 };
enum { HALT_PATIENCE_MS = 5000 };

struct gprwave_state {
	uint32_t gpr, se, sa, instance, wave, simd, xcc, thread, vgpr;
};

struct reader {
	const struct bw_scan *scan;
	const struct bw_arch *arch;
	struct bw_kmd_file *gprwave;
	uint32_t ind_index_dw, ind_data_dw;
	struct bw_error *(*fn)(void *cookie, struct bw_scan_wave *w);
	void *cookie;
};

void bw_scan_place_text(const struct bw_scan_place *p, char out[40])
{
	snprintf(out, 40, "se%u.sa%u.%s%u.simd%u.w%u", p->se, p->sa, p->is_cu ? "cu" : "wgp",
		 p->wgp, p->simd, p->wave);
}

void bw_scan_free(struct bw_scan_waves *list)
{
	bw_vec_each(list, w)
		free(w->vgprs);
	bw_vec_free(list);
}

/* GRBM's INSTANCE for a place, and the SIMD where that is no part of it. */
static uint32_t instance_of(const struct bw_scan_place *p)
{
	return p->is_cu ? p->wgp : bw_arch_instance(p->wgp, p->simd);
}

static uint32_t simd_beside(const struct bw_scan_place *p)
{
	return p->is_cu ? p->simd : 0;
}

static struct bw_error *select_wave(struct reader *r, const struct bw_scan_place *p, bool gpr,
				    bool vgpr, uint32_t lane)
{
	struct gprwave_state s = {.gpr = gpr,
				  .se = p->se,
				  .sa = p->sa,
				  .instance = instance_of(p),
				  .wave = p->wave,
				  .simd = simd_beside(p),
				  .thread = lane,
				  .vgpr = vgpr};
	return bw_kmd_file_ioctl(r->gprwave, GPRWAVE_SET_STATE, &s);
}

static struct bw_error *read_words(struct reader *r, uint32_t *out, size_t n)
{
	size_t done;
	BW_TRY(bw_kmd_file_read(r->gprwave, 0, out, n * 4, &done));
	return done == n * 4 ? NULL
			     : bw_errorf(BW_E_SYSTEM, "amdgpu_gprwave gave %zu of %zu bytes", done,
					 n * 4);
}

static bool is_halted(const struct bw_wave_state *s)
{
	return bw_wave_get(s, BW_WF_HALTED) || bw_wave_get(s, BW_WF_FATAL_HALT);
}

/* What the kernel says of the slot that is selected: a type, then registers. */
static struct bw_error *read_dump(struct reader *r, struct bw_wave_state *out)
{
	uint32_t words[GPRWAVE_MAX_WORDS];
	BW_TRY(read_words(r, words, r->arch->n_gprwave + 1u));
	if (words[0] != r->arch->gprwave_type)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "amdgpu_gprwave has wave data of type %u, and %s has type %u",
				 words[0], r->arch->name, r->arch->gprwave_type);
	for (unsigned i = 0; i < r->arch->n_gprwave; i++)
		out->reg[r->arch->gprwave[i]] = words[i + 1];
	return NULL;
}

/* Hardware halts at once; the virtual GPU's threads must first be scheduled on the host. */
static struct bw_error *read_state(struct reader *r, struct bw_scan_wave *w)
{
	BW_TRY(select_wave(r, &w->place, false, false, 0));
	for (unsigned ms = 0; ms < HALT_PATIENCE_MS && !bw_look_ended; ms++) {
		BW_TRY(read_dump(r, &w->state));
		if (!r->scan->awaits_halt || is_halted(&w->state))
			break;
		usleep(1000);
	}
	return NULL;
}

static struct bw_error *read_vgprs(struct reader *r, struct bw_scan_wave *w)
{
	unsigned n = r->arch->vgpr_granule * (bw_wave_get(&w->state, BW_WF_VGPR_SIZE) + 1);
	uint32_t column[MAX_VGPRS];
	n = BW_MIN(n, (unsigned)MAX_VGPRS);
	if (bw_wave_get(&w->state, BW_WF_NO_VGPRS))
		return NULL;
	w->vgprs = calloc((size_t)n * w->lanes, 4);
	if (!w->vgprs)
		return bw_error_nomem();
	w->n_vgprs = n;
	for (unsigned lane = 0; lane < w->lanes && !bw_look_ended; lane++) {
		BW_TRY(select_wave(r, &w->place, true, true, lane));
		BW_TRY(read_words(r, column, n));
		for (unsigned i = 0; i < n; i++)
			w->vgprs[(size_t)i * w->lanes + lane] = column[i];
	}
	return NULL;
}

static struct bw_error *read_wave(struct reader *r, struct bw_scan_wave *w)
{
	uint32_t gprs[BW_SCAN_SGPR_SLOTS];
	w->state.arch = r->arch;
	BW_TRY(read_state(r, w));
	BW_TRY(select_wave(r, &w->place, true, false, 0));
	BW_TRY(read_words(r, gprs, BW_SCAN_SGPR_SLOTS));
	memcpy(w->sgprs, gprs, sizeof(w->sgprs));
	for (unsigned i = 0; i < BW_SCAN_SGPR_SLOTS - BW_SCAN_SGPRS; i++)
		w->state.reg[BW_WREG_TTMP0 + i] = gprs[BW_SCAN_SGPRS + i];
	w->pc = bw_join32(w->state.reg[BW_WREG_PC_HI], w->state.reg[BW_WREG_PC_LO]);
	w->exec = bw_join32(w->state.reg[BW_WREG_EXEC_HI], w->state.reg[BW_WREG_EXEC_LO]);
	w->vmid = bw_wave_get(&w->state, BW_WF_VMID);
	w->lanes = bw_wave_lanes(&w->state);
	if (w->lanes == 32)
		w->exec &= UINT32_MAX;
	return NULL;
}

/* A bit for each wave slot of a SIMD that has a wave, as a register of the SQ says. */
static struct bw_error *read_active(struct reader *r, const struct bw_scan_place *at, uint32_t *out)
{
	struct bw_kmd *kmd = r->scan->gpu->kmd;
	const struct bw_kmd_bank bank = {
		.use_grbm = true, .se = at->se, .sa = at->sa, .instance = instance_of(at)};
	uint32_t active;
	BW_TRY(bw_kmd_reg_write(kmd, &bank, r->ind_index_dw,
				bw_arch_ind(r->arch, BW_WREG_ACTIVE, 0)));
	BW_TRY(bw_kmd_reg_read(kmd, &bank, r->ind_data_dw, &active));
	*out = active == BW_SQ_ABSENT ? 0 : active;
	return NULL;
}

/* Like read_active, where there is no such register: a slot without a wave has STATUS.VALID 0, and
 * so have those of an SQ that does not exist. */
static struct bw_error *find_active(struct reader *r, const struct bw_scan_place *at, uint32_t *out)
{
	uint32_t active = 0;
	for (uint32_t wave = 0; wave < r->arch->waves_per_simd && !bw_look_ended; wave++) {
		struct bw_wave_state state = {.arch = r->arch};
		struct bw_scan_place p = *at;
		p.wave = wave;
		BW_TRY(select_wave(r, &p, false, false, 0));
		BW_TRY(read_dump(r, &state));
		if (state.reg[BW_WREG_STATUS] != BW_SQ_ABSENT && bw_wave_get(&state, BW_WF_VALID))
			active |= 1u << wave;
	}
	*out = active;
	return NULL;
}

static struct bw_error *each_simd(struct reader *r, const struct bw_scan_place *at)
{
	const struct bw_scan *s = r->scan;
	uint32_t active = 0;
	BW_TRY(r->arch->reg[BW_WREG_ACTIVE].ind ? read_active(r, at, &active)
						: find_active(r, at, &active));
	for (uint32_t wave = 0; wave < WAVE_SLOTS && !bw_look_ended; wave++) {
		struct bw_scan_wave w = {.place = *at};
		char place[40];
		w.place.wave = wave;
		bw_scan_place_text(&w.place, place);
		if (!(active >> wave & 1) || (s->places && fnmatch(s->places, place, 0)))
			continue;
		BW_TRY(read_wave(r, &w));
		if (s->vmid >= 0 && w.vmid != (unsigned)s->vmid)
			continue;
		struct bw_error *err = s->reads_vgprs ? read_vgprs(r, &w) : NULL;
		if (!err)
			err = r->fn(r->cookie, &w);
		free(w.vgprs);
		if (err)
			return err;
	}
	return NULL;
}

static struct bw_error *each_place(struct reader *r)
{
	uint32_t c[CONFIG_DW];
	struct bw_kmd_file *f;
	size_t done = 0;
	BW_TRY(bw_kmd_file_open(r->scan->gpu->kmd, "amdgpu_gca_config", false, &f));
	struct bw_error *err = bw_kmd_file_read(f, 0, c, sizeof(c), &done);
	bw_kmd_file_close(f);
	if (!err && done < (CONFIG_SA_PER_SE + 1) * 4)
		err = bw_errorf(BW_E_SYSTEM, "amdgpu_gca_config gave %zu bytes", done);
	if (err)
		return err;
	const uint32_t cus_per_wgp = r->arch->has_wgps ? 2 : 1, simds = r->arch->simds_per_wgp,
		       n_wgp = BW_MIN(c[CONFIG_CU_PER_SA] / cus_per_wgp, 64u),
		       n_sa = BW_MIN(c[CONFIG_SA_PER_SE], 16u), n_se = BW_MIN(c[CONFIG_SE], 64u);
	for (uint32_t i = 0; i < n_se * n_sa * n_wgp * simds && !bw_look_ended; i++) {
		struct bw_scan_place p = {.se = i / (n_sa * n_wgp * simds),
					  .sa = i / (n_wgp * simds) % n_sa,
					  .wgp = i / simds % n_wgp,
					  .simd = i % simds,
					  .is_cu = !r->arch->has_wgps};
		BW_TRY(each_simd(r, &p));
	}
	return NULL;
}

static struct bw_error *arch_of(const struct bw_gpu *gpu, const struct bw_arch **out)
{
	*out = bw_arch_of(gpu->part.gc);
	return *out ? NULL
		    : bw_errorf(BW_E_UNSUPPORTED,
				"waves of GC %u.%u.%u are not known here: those of " BW_ARCH_KNOWN
				" are",
				BW_IP_NUMBERS(gpu->part.gc));
}

struct bw_error *bw_scan_each(const struct bw_scan *s,
			      struct bw_error *(*fn)(void *cookie, struct bw_scan_wave *w),
			      void *cookie)
{
	struct reader r = {.scan = s, .fn = fn, .cookie = cookie};
	struct bw_reg reg;
	BW_TRY(arch_of(s->gpu, &r.arch));
	if (!bw_gpu_find(s->gpu, "SQ_IND_INDEX", &reg, &r.ind_index_dw) ||
	    !bw_gpu_find(s->gpu, "SQ_IND_DATA", &reg, &r.ind_data_dw))
		return bw_errorf(BW_E_NOT_FOUND, "this GPU has no register SQ_IND_INDEX");
	BW_TRY(bw_kmd_file_open(s->gpu->kmd, "amdgpu_gprwave", true, &r.gprwave));
	struct bw_error *err = each_place(&r);
	bw_kmd_file_close(r.gprwave);
	return err;
}

static struct bw_error *keep(void *cookie, struct bw_scan_wave *w)
{
	struct bw_scan_waves *list = cookie;
	BW_TRY(bw_vec_push(list, *w));
	w->vgprs = NULL;
	return NULL;
}

struct bw_error *bw_scan_run(const struct bw_scan *s, struct bw_scan_waves *out)
{
	return bw_scan_each(s, keep, out);
}

struct bw_error *bw_scan_halt_all(struct bw_gpu *gpu, bool on)
{
	const struct bw_kmd_bank all = {.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};
	const struct bw_arch *arch;
	struct bw_reg reg;
	uint32_t sq_cmd_dw;
	BW_TRY(arch_of(gpu, &arch));
	if (!bw_gpu_find(gpu, "SQ_CMD", &reg, &sq_cmd_dw))
		return bw_errorf(BW_E_NOT_FOUND, "this GPU has no register SQ_CMD");
	return bw_kmd_reg_write(gpu->kmd, &all, sq_cmd_dw,
				bw_arch_sq_cmd_all(arch, BW_SQ_CMD_SETHALT, UINT32_MAX, on));
}

static struct bw_error *command(struct bw_gpu *gpu, const struct bw_scan_place *p,
				enum bw_sq_cmd cmd)
{
	const struct bw_kmd_bank bank = {
		.use_grbm = true, .se = p->se, .sa = p->sa, .instance = instance_of(p)};
	struct bw_reg reg;
	uint32_t sq_cmd_dw;
	uint64_t word = 0;
	if (!bw_gpu_find(gpu, "SQ_CMD", &reg, &sq_cmd_dw))
		return bw_errorf(BW_E_NOT_FOUND, "this GPU has no register SQ_CMD");
	BW_TRY(bw_reg_encode(&reg, "CMD", cmd, word, &word));
	BW_TRY(bw_reg_encode(&reg, "MODE", BW_SQ_MODE_SINGLE, word, &word));
	BW_TRY(bw_reg_encode(&reg, "WAVE_ID", p->wave, word, &word));
	if (p->is_cu)
		BW_TRY(bw_reg_encode(&reg, "SIMD_ID", p->simd, word, &word));
	return bw_kmd_reg_write(gpu->kmd, &bank, sq_cmd_dw, (uint32_t)word);
}

struct bw_error *bw_scan_release(struct bw_gpu *gpu, const struct bw_scan_place *p)
{
	return command(gpu, p, BW_SQ_CMD_SETHALT);
}

struct bw_error *bw_scan_step(struct bw_gpu *gpu, const struct bw_scan_place *p)
{
	const struct bw_arch *arch;
	BW_TRY(arch_of(gpu, &arch));
	if (bw_arch_take(arch->sq_cmd.cmd, ~0u) < BW_SQ_CMD_SINGLE_STEP)
		return bw_errorf(BW_E_UNSUPPORTED, "the SQ of %s has no command for a single step",
				 arch->name);
	return command(gpu, p, BW_SQ_CMD_SINGLE_STEP);
}
