/* SPDX-License-Identifier: MIT */
#include "scan/scan.h"

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
enum { MAX_VGPRS = 512, WAVE_SLOTS = 20 };
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

static bool has_ended(const struct bw_scan *s)
{
	return s->has_ended && *s->has_ended;
}

/* SPI and the hardware put the PC of a wave that enters its trap handler into TTMP0 and TTMP1
 * (doc/hardware/traps.md 2.1). */
uint64_t bw_scan_code_pc(const struct bw_scan_wave *w)
{
	const struct bw_wave_state *s = &w->wave.state;
	return bw_wave_get(s, BW_WF_IN_HANDLER)
		       ? bw_join32(s->reg[BW_WREG_TTMP1] & 0xffff, s->reg[BW_WREG_TTMP0])
		       : w->wave.pc;
}

void bw_scan_free(struct bw_scan_waves *list)
{
	bw_vec_each(list, w)
		free(w->vgprs);
	bw_vec_free(list);
}

/* GRBM's INSTANCE for a place, and the SIMD where that is no part of it. */
static uint32_t instance_of(const struct bw_place *p)
{
	return p->is_cu ? p->wgp : bw_arch_instance(p->wgp, p->simd);
}

static uint32_t simd_beside(const struct bw_place *p)
{
	return p->is_cu ? p->simd : 0;
}

static struct bw_error *select_wave(struct reader *r, const struct bw_place *p, bool gpr, bool vgpr,
				    uint32_t lane)
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
	for (unsigned ms = 0; ms < HALT_PATIENCE_MS && !has_ended(r->scan); ms++) {
		BW_TRY(read_dump(r, &w->wave.state));
		if (!r->scan->awaits_halt || is_halted(&w->wave.state))
			break;
		usleep(1000);
	}
	return NULL;
}

static struct bw_error *read_vgprs(struct reader *r, struct bw_scan_wave *w)
{
	const unsigned lanes = w->wave.lanes, n = w->wave.n_vgprs;
	uint32_t column[MAX_VGPRS];
	if (!n)
		return NULL;
	w->vgprs = calloc((size_t)n * lanes, 4);
	if (!w->vgprs)
		return bw_error_nomem();
	for (unsigned lane = 0; lane < lanes && !has_ended(r->scan); lane++) {
		BW_TRY(select_wave(r, &w->place, true, true, lane));
		BW_TRY(read_words(r, column, n));
		for (unsigned i = 0; i < n; i++)
			w->vgprs[(size_t)i * lanes + lane] = column[i];
	}
	return NULL;
}

static unsigned n_vgprs_of(const struct bw_wave_state *s)
{
	unsigned n = s->arch->vgpr_granule * (bw_wave_get(s, BW_WF_VGPR_SIZE) + 1);
	return bw_wave_get(s, BW_WF_NO_VGPRS) ? 0 : BW_MIN(n, (unsigned)MAX_VGPRS);
}

/* What SPI gives a wave that has a trap handler. */
static void find_grid(struct bw_target_wave *w)
{
	const struct bw_wave_state *s = &w->state;
	bool is_known = bw_wave_get(s, BW_WF_TRAP_EN) && bw_arch_has(s->arch, BW_WF_WORKGROUP_X);
	w->workgroup[0] = is_known ? bw_wave_get(s, BW_WF_WORKGROUP_X) : BW_GROUP_UNKNOWN;
	w->workgroup[1] = is_known ? bw_wave_get(s, BW_WF_WORKGROUP_Y) : BW_GROUP_UNKNOWN;
	w->workgroup[2] = is_known ? bw_wave_get(s, BW_WF_WORKGROUP_Z) : BW_GROUP_UNKNOWN;
	w->wave_in_group = is_known ? bw_wave_get(s, BW_WF_WAVE_IN_GROUP) : BW_GROUP_UNKNOWN;
	w->dispatch_packet = is_known ? bw_wave_get(s, BW_WF_PACKET) : 0;
}

static struct bw_error *read_wave(struct reader *r, struct bw_scan_wave *found)
{
	uint32_t gprs[BW_SCAN_SGPR_SLOTS];
	struct bw_target_wave *w = &found->wave;
	uint32_t *reg = w->state.reg;
	w->state.arch = r->arch;
	BW_TRY(read_state(r, found));
	BW_TRY(select_wave(r, &found->place, true, false, 0));
	BW_TRY(read_words(r, gprs, BW_SCAN_SGPR_SLOTS));
	memcpy(found->sgprs, gprs, sizeof(found->sgprs));
	for (unsigned i = 0; i < BW_SCAN_SGPR_SLOTS - BW_SCAN_SGPRS; i++)
		reg[BW_WREG_TTMP0 + i] = gprs[BW_SCAN_SGPRS + i];
	w->seq = 1;
	w->pc = bw_join32(reg[BW_WREG_PC_HI], reg[BW_WREG_PC_LO]);
	w->lanes = (uint8_t)bw_wave_lanes(&w->state);
	w->exec = bw_join32(w->lanes == 32 ? 0 : reg[BW_WREG_EXEC_HI], reg[BW_WREG_EXEC_LO]);
	w->flat_scratch = bw_join32(reg[BW_WREG_FLAT_SCRATCH_HI], reg[BW_WREG_FLAT_SCRATCH_LO]);
	w->m0 = reg[BW_WREG_M0];
	w->space = bw_wave_get(&w->state, BW_WF_VMID);
	w->n_vgprs = n_vgprs_of(&w->state);
	find_grid(w);
	return NULL;
}

/* A bit for each wave slot of a SIMD that has a wave, as a register of the SQ says. */
static struct bw_error *read_active(struct reader *r, const struct bw_place *at, uint32_t *out)
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
static struct bw_error *find_active(struct reader *r, const struct bw_place *at, uint32_t *out)
{
	uint32_t active = 0;
	for (uint32_t wave = 0; wave < r->arch->waves_per_simd && !has_ended(r->scan); wave++) {
		struct bw_wave_state state = {.arch = r->arch};
		struct bw_place p = *at;
		p.wave = (uint8_t)wave;
		BW_TRY(select_wave(r, &p, false, false, 0));
		BW_TRY(read_dump(r, &state));
		if (state.reg[BW_WREG_STATUS] != BW_SQ_ABSENT && bw_wave_get(&state, BW_WF_VALID))
			active |= 1u << wave;
	}
	*out = active;
	return NULL;
}

static struct bw_error *each_simd(struct reader *r, const struct bw_place *at)
{
	const struct bw_scan *s = r->scan;
	uint32_t active = 0;
	BW_TRY(r->arch->reg[BW_WREG_ACTIVE].ind ? read_active(r, at, &active)
						: find_active(r, at, &active));
	for (uint32_t wave = 0; wave < WAVE_SLOTS && !has_ended(r->scan); wave++) {
		struct bw_scan_wave w = {.place = *at};
		char place[32];
		w.place.wave = (uint8_t)wave;
		bw_place_text(w.place, place);
		if (!(active >> wave & 1) || (s->places && fnmatch(s->places, place, 0)))
			continue;
		BW_TRY(read_wave(r, &w));
		if (s->vmid >= 0 && w.wave.space != (unsigned)s->vmid)
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

struct bw_error *bw_scan_facts(const struct bw_gpu *gpu, struct bw_target_facts *out)
{
	struct bw_target_facts f = {.arch = bw_arch_of(gpu->part.gc)};
	uint32_t c[CONFIG_DW];
	struct bw_kmd_file *file;
	size_t done = 0;
	if (!f.arch)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "waves of GC %u.%u.%u are not known here: those of " BW_ARCH_KNOWN
				 " are",
				 BW_IP_NUMBERS(gpu->part.gc));
	if (!f.arch->has_wgps && bw_kmd_has_xccs(gpu->kmd))
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"waves of GC %u.%u.%u are in several graphics units (XCCs), of which "
			"only one would be looked at",
			BW_IP_NUMBERS(gpu->part.gc));
	BW_TRY(bw_kmd_file_open(gpu->kmd, "amdgpu_gca_config", false, &file));
	struct bw_error *err = bw_kmd_file_read(file, 0, c, sizeof(c), &done);
	bw_kmd_file_close(file);
	if (!err && done < (CONFIG_SA_PER_SE + 1) * 4)
		err = bw_errorf(BW_E_SYSTEM, "amdgpu_gca_config gave %zu bytes", done);
	if (err)
		return err;
	f.n_se = BW_MIN(c[CONFIG_SE], 64u);
	f.sa_per_se = BW_MIN(c[CONFIG_SA_PER_SE], 16u);
	f.wgp_per_sa = BW_MIN(c[CONFIG_CU_PER_SA] / (f.arch->has_wgps ? 2 : 1), 64u);
	f.simd_per_wgp = f.arch->simds_per_wgp;
	f.waves_per_simd = f.arch->waves_per_simd;
	f.n_slots = f.n_se * f.sa_per_se * f.wgp_per_sa * f.simd_per_wgp * f.waves_per_simd;
	bw_arch_gfx_name(gpu->part.gc, f.gfx, sizeof(f.gfx));
	*out = f;
	return NULL;
}

static struct bw_error *each_place(struct reader *r, const struct bw_target_facts *f)
{
	for (uint32_t slot = 0; slot < f->n_slots && !has_ended(r->scan);
	     slot += f->waves_per_simd) {
		const struct bw_place p = bw_target_place(f, slot);
		BW_TRY(each_simd(r, &p));
	}
	return NULL;
}

static struct bw_error *begin(struct reader *r, struct bw_target_facts *out_facts)
{
	const struct bw_gpu *gpu = r->scan->gpu;
	struct bw_reg reg;
	BW_TRY(bw_scan_facts(gpu, out_facts));
	r->arch = out_facts->arch;
	if (!bw_gpu_find(gpu, "SQ_IND_INDEX", &reg, &r->ind_index_dw) ||
	    !bw_gpu_find(gpu, "SQ_IND_DATA", &reg, &r->ind_data_dw))
		return bw_errorf(BW_E_NOT_FOUND, "this GPU has no register SQ_IND_INDEX");
	return bw_kmd_file_open(gpu->kmd, "amdgpu_gprwave", true, &r->gprwave);
}

struct bw_error *bw_scan_each(const struct bw_scan *s,
			      struct bw_error *(*fn)(void *cookie, struct bw_scan_wave *w),
			      void *cookie)
{
	struct reader r = {.scan = s, .fn = fn, .cookie = cookie};
	struct bw_target_facts facts;
	BW_TRY(begin(&r, &facts));
	struct bw_error *err = each_place(&r, &facts);
	bw_kmd_file_close(r.gprwave);
	return err;
}

struct bw_error *bw_scan_vgprs(const struct bw_scan *s, struct bw_scan_wave *w)
{
	struct reader r = {.scan = s};
	struct bw_target_facts facts;
	BW_TRY(begin(&r, &facts));
	struct bw_error *err = read_vgprs(&r, w);
	bw_kmd_file_close(r.gprwave);
	if (err) {
		free(w->vgprs);
		w->vgprs = NULL;
	}
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

/* ---- commands ---- */

static struct bw_error *find_command(const struct bw_gpu *gpu, struct bw_reg *out,
				     uint32_t *out_addr_dw)
{
	return bw_gpu_find(gpu, "SQ_CMD", out, out_addr_dw)
		       ? NULL
		       : bw_errorf(BW_E_NOT_FOUND, "this GPU has no register SQ_CMD");
}

static struct bw_error *arch_of(const struct bw_gpu *gpu, const struct bw_arch **out)
{
	struct bw_target_facts facts;
	BW_TRY(bw_scan_facts(gpu, &facts));
	*out = facts.arch;
	return NULL;
}

struct bw_error *bw_scan_halt_command(const struct bw_gpu *gpu, bool on, struct bw_guard_write *out)
{
	const struct bw_arch *arch;
	struct bw_reg reg;
	BW_TRY(arch_of(gpu, &arch));
	BW_TRY(find_command(gpu, &reg, &out->addr_dw));
	out->bank = (struct bw_kmd_bank){.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};
	out->value = bw_arch_sq_cmd_all(arch, BW_SQ_CMD_SETHALT, UINT32_MAX, on);
	return NULL;
}

struct bw_error *bw_scan_halt_all(const struct bw_gpu *gpu, bool on)
{
	struct bw_guard_write c;
	BW_TRY(bw_scan_halt_command(gpu, on, &c));
	return bw_kmd_reg_write(gpu->kmd, &c.bank, c.addr_dw, c.value);
}

static struct bw_error *command(const struct bw_gpu *gpu, const struct bw_place *p,
				enum bw_sq_cmd cmd)
{
	const struct bw_kmd_bank bank = {
		.use_grbm = true, .se = p->se, .sa = p->sa, .instance = instance_of(p)};
	struct bw_reg reg;
	uint32_t sq_cmd_dw;
	uint64_t word = 0;
	BW_TRY(find_command(gpu, &reg, &sq_cmd_dw));
	BW_TRY(bw_reg_encode(&reg, "CMD", cmd, word, &word));
	BW_TRY(bw_reg_encode(&reg, "MODE", BW_SQ_MODE_SINGLE, word, &word));
	BW_TRY(bw_reg_encode(&reg, "WAVE_ID", p->wave, word, &word));
	if (p->is_cu)
		BW_TRY(bw_reg_encode(&reg, "SIMD_ID", p->simd, word, &word));
	return bw_kmd_reg_write(gpu->kmd, &bank, sq_cmd_dw, (uint32_t)word);
}

struct bw_error *bw_scan_release(const struct bw_gpu *gpu, const struct bw_place *p)
{
	return command(gpu, p, BW_SQ_CMD_SETHALT);
}

struct bw_error *bw_scan_step(const struct bw_gpu *gpu, const struct bw_place *p)
{
	const struct bw_arch *arch;
	BW_TRY(arch_of(gpu, &arch));
	if (bw_arch_take(arch->sq_cmd.cmd, ~0u) < BW_SQ_CMD_SINGLE_STEP)
		return bw_errorf(BW_E_UNSUPPORTED, "the SQ of %s has no command for a single step",
				 arch->name);
	return command(gpu, p, BW_SQ_CMD_SINGLE_STEP);
}
