/* SPDX-License-Identifier: MIT */
/* umr -wa: every wave of the GPU with its registers, in one line each, or with -O bits in the long
 * form, of which Mesa reads the lines between "Main Registers" and an empty one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/util.h"
#include "cli/umr.h"

/* amdgpu_gprwave and amdgpu_gca_config (doc/hardware/kernel-interface.md 4.6 and 5.1) */
enum {
	GPRWAVE_SET_STATE = 0xc0242000,
	GPRWAVE_MAX_WORDS = 32,
	N_SGPRS = 108,
	GPRWAVE_MIN_DW = 124
};
enum { CONFIG_DW = 36, CONFIG_SE = 1, CONFIG_CU_PER_SA = 3, CONFIG_SA_PER_SE = 4 };
enum { MAX_VGPRS = 256 };
enum { HALT_PATIENCE_MS = 5000 };

struct gprwave_state {
	uint32_t gpr, se, sa, instance, wave, simd, xcc, thread, vgpr;
};

static const struct bw_arch *arch_of(const struct bw_umr *u)
{
	return bw_arch_of(bw_regs_version(u->gc));
}

struct place {
	uint32_t se, sa, wgp, simd, wave;
};

static struct bw_error *state(struct bw_kmd_file *f, const struct place *p, bool gpr, bool vgpr,
			      uint32_t lane)
{
	struct gprwave_state s = {.gpr = gpr,
				  .se = p->se,
				  .sa = p->sa,
				  .instance = bw_arch_instance(p->wgp, p->simd),
				  .wave = p->wave,
				  .thread = lane,
				  .vgpr = vgpr};
	return bw_kmd_file_ioctl(f, GPRWAVE_SET_STATE, &s);
}

static struct bw_error *read_words(struct bw_kmd_file *f, uint32_t *out, size_t n)
{
	size_t done;
	BW_TRY(bw_kmd_file_read(f, 0, out, n * 4, &done));
	return done == n * 4 ? NULL
			     : bw_errorf(BW_E_SYSTEM, "amdgpu_gprwave gave %zu of %zu bytes", done,
					 n * 4);
}

/* Reads the wave's registers; if it was told to halt, after it has halted. */
static struct bw_error *read_wave(struct bw_umr *u, struct bw_kmd_file *f, const struct place *p,
				  const struct bw_arch *arch, struct bw_wave_state *out)
{
	uint32_t words[GPRWAVE_MAX_WORDS];
	*out = (struct bw_wave_state){.arch = arch};
	BW_TRY(state(f, p, false, false, 0));
	/* Hardware halts at once; the virtual GPU's threads must first be scheduled on the host. */
	for (unsigned ms = 0; ms < HALT_PATIENCE_MS; ms++) {
		BW_TRY(read_words(f, words, arch->n_gprwave + 1u)); /* the type comes first */
		for (unsigned i = 0; i < arch->n_gprwave; i++)
			out->reg[arch->gprwave[i]] = words[i + 1];
		if (!u->halt_waves || bw_wave_get(out, BW_WF_HALTED) ||
		    bw_wave_get(out, BW_WF_FATAL_HALT))
			break;
		usleep(1000);
	}
	return NULL;
}

static void print_row(const char *label, unsigned n, const uint32_t *values, unsigned count)
{
	printf("%s[%4u] = {", label, n);
	for (unsigned i = 0; i < count; i++)
		printf("%s %08x", i ? "," : "", values[i]);
	printf(" }\n");
}

static struct bw_error *print_gprs(struct bw_kmd_file *f, const struct place *p,
				   const struct bw_wave_state *w)
{
	uint32_t gprs[MAX_VGPRS];
	BW_TRY(state(f, p, true, false, 0));
	BW_TRY(read_words(f, gprs, GPRWAVE_MIN_DW));
	printf("\n\nSGPRs:\n");
	for (unsigned i = 0; i < N_SGPRS; i += 4)
		print_row("\t", i, gprs + i, 4);
	if (bw_wave_get(w, BW_WF_NO_VGPRS))
		return NULL;
	unsigned n = w->arch->vgpr_granule * (bw_wave_get(w, BW_WF_VGPR_SIZE) + 1);
	n = BW_MIN(n, (unsigned)MAX_VGPRS);
	unsigned lanes = bw_wave_get(w, BW_WF_IS_WAVE64) ? 64 : 32;
	uint32_t(*vgprs)[MAX_VGPRS] = calloc(lanes, sizeof(*vgprs));
	if (!vgprs)
		return bw_error_nomem();
	struct bw_error *err = NULL;
	for (unsigned lane = 0; lane < lanes && !err; lane++) {
		err = state(f, p, true, true, lane);
		if (!err)
			err = read_words(f, vgprs[lane], n);
	}
	printf("\nVGPRs, a row for each, lanes 0 to %u:\n", lanes - 1);
	for (unsigned i = 0; i < n && !err; i++) {
		uint32_t row[64];
		for (unsigned lane = 0; lane < lanes; lane++)
			row[lane] = vgprs[lane][i];
		print_row("\t", i, row, lanes);
	}
	free(vgprs);
	return err;
}

/* A word of the dump as the register database knows it. False: it does not. */
static bool find_reg(struct bw_umr *u, const struct bw_arch *arch, unsigned word,
		     struct bw_reg *out)
{
	return bw_regs_at_index(u->gc, "sq", arch->reg[arch->gprwave[word]].ind, out) != 0;
}

static void print_fields(struct bw_umr *u, const struct bw_wave_state *w, unsigned word)
{
	struct bw_reg reg;
	struct bw_reg_field_value fields[32];
	if (!find_reg(u, w->arch, word, &reg) || reg.n_fields < 2)
		return;
	size_t n =
		bw_reg_decode(&reg, w->reg[w->arch->gprwave[word]], fields, BW_ARRAY_SIZE(fields));
	printf("\t%s%s:", reg.prefix, reg.name);
	for (size_t i = 0; i < n; i++)
		printf(" %s %llu%s", fields[i].field.name, (unsigned long long)fields[i].value,
		       i + 1 < n ? "," : "\n");
}

static struct bw_error *print_long(struct bw_umr *u, struct bw_kmd_file *f, const struct place *p,
				   const struct bw_wave_state *w)
{
	const struct bw_arch *arch = w->arch;
	printf("\n------------------------------------------------------\n"
	       "se%u.sa%u.wgp%u.simd%u.wave%u\n\nMain Registers:\n",
	       p->se, p->sa, p->wgp, p->simd, p->wave);
	for (unsigned i = 0; i < arch->n_gprwave; i++) {
		struct bw_reg reg = {.prefix = "", .name = "?"};
		char name[64];
		find_reg(u, arch, i, &reg);
		snprintf(name, sizeof(name), "%s%s", reg.prefix, reg.name);
		printf("%20s: %08x%s", name, w->reg[arch->gprwave[i]],
		       i % 4 < 3 && i + 1 < arch->n_gprwave ? " | " : "\n");
	}
	printf("\n\nRegister Bits:\n");
	for (unsigned i = 0; i < arch->n_gprwave; i++)
		print_fields(u, w, i);
	return print_gprs(f, p, w);
}

static void print_short(const struct place *p, const struct bw_wave_state *w, bool first)
{
	const uint32_t *r = w->reg;
	/* What Mesa 22 reads: twelve columns in this order. gfx11 has no INST_DW0 and _DW1. */
	if (first)
		printf("SE SA WGP SIMD WAVE# WAVE_STATUS PC_HI PC_LO INST_DW0 INST_DW1 EXEC_HI "
		       "EXEC_LO HW_ID1 "
		       "HW_ID2 GPRALLOC LDSALLOC TRAPSTS IBSTS M0 MODE\n");
	printf("%u %u %u %u %u %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x %08x "
	       "%08x %08x\n",
	       p->se, p->sa, p->wgp, p->simd, p->wave, r[BW_WREG_STATUS], r[BW_WREG_PC_HI],
	       r[BW_WREG_PC_LO], 0, 0, r[BW_WREG_EXEC_HI], r[BW_WREG_EXEC_LO], r[BW_WREG_HW_ID1],
	       r[BW_WREG_HW_ID2], r[BW_WREG_GPR_ALLOC], r[BW_WREG_LDS_ALLOC], r[BW_WREG_TRAPSTS],
	       r[BW_WREG_IB_STS], r[BW_WREG_M0], r[BW_WREG_MODE]);
}

static struct bw_error *each_simd(struct bw_umr *u, struct bw_kmd_file *f, struct place *p,
				  const uint32_t at[2], unsigned *n)
{
	const struct bw_arch *arch = arch_of(u);
	struct bw_wave_state w;
	struct bw_kmd_bank bank = {.use_grbm = true,
				   .se = p->se,
				   .sa = p->sa,
				   .instance = bw_arch_instance(p->wgp, p->simd)};
	uint32_t active;
	BW_TRY(bw_kmd_reg_write(u->kmd, &bank, at[0], bw_arch_ind(arch, BW_WREG_ACTIVE, 0)));
	BW_TRY(bw_kmd_reg_read(u->kmd, &bank, at[1], &active));
	for (p->wave = 0; active != BW_SQ_ABSENT && p->wave < 20; p->wave++) {
		if (!(active >> p->wave & 1))
			continue;
		BW_TRY(read_wave(u, f, p, arch, &w));
		if (u->bits)
			BW_TRY(print_long(u, f, p, &w));
		else
			print_short(p, &w, !*n);
		++*n;
	}
	return NULL;
}

static struct bw_error *each_wave(struct bw_umr *u, struct bw_kmd_file *f, unsigned *n)
{
	static const char *const names[2] = {"SQ_IND_INDEX", "SQ_IND_DATA"};
	uint32_t config[CONFIG_DW], at[2];
	struct bw_kmd_file *file;
	size_t done = 0;
	BW_TRY(bw_kmd_file_open(u->kmd, "amdgpu_gca_config", false, &file));
	struct bw_error *err = bw_kmd_file_read(file, 0, config, sizeof(config), &done);
	bw_kmd_file_close(file);
	if (!err && done < (CONFIG_SA_PER_SE + 1) * 4)
		err = bw_errorf(BW_E_SYSTEM, "amdgpu_gca_config gave %zu bytes", done);
	for (unsigned i = 0; i < 2 && !err; i++)
		err = bw_regs_address(u->gc, names[i], u->gc_bases_dw, u->n_gc_bases, &at[i]);
	if (err)
		return err;
	const uint32_t simds = arch_of(u)->simds_per_wgp;
	uint32_t n_wgp = BW_MIN(config[CONFIG_CU_PER_SA] / 2, 64u),
		 n_sa = BW_MIN(config[CONFIG_SA_PER_SE], 16u),
		 n_se = BW_MIN(config[CONFIG_SE], 64u);
	for (uint32_t i = 0; i < n_se * n_sa * n_wgp * simds; i++) {
		struct place p = {.se = i / (n_sa * n_wgp * simds),
				  .sa = i / (n_wgp * simds) % n_sa,
				  .wgp = i / simds % n_wgp,
				  .simd = i % simds};
		BW_TRY(each_simd(u, f, &p, at, n));
	}
	return NULL;
}

static struct bw_error *halt(struct bw_umr *u, bool on)
{
	const struct bw_kmd_bank all = {.use_grbm = true, .se = ~0u, .sa = ~0u, .instance = ~0u};
	uint32_t sq_cmd;
	BW_TRY(bw_regs_address(u->gc, "SQ_CMD", u->gc_bases_dw, u->n_gc_bases, &sq_cmd));
	return bw_kmd_reg_write(u->kmd, &all, sq_cmd,
				bw_arch_sq_cmd_all(arch_of(u), BW_SQ_CMD_SETHALT, UINT32_MAX, on));
}

struct bw_error *bw_umr_waves(struct bw_umr *u)
{
	struct bw_kmd_file *f;
	unsigned n = 0;
	if (!arch_of(u))
		return bw_errorf(BW_E_UNSUPPORTED, "waves of this GPU are not known here");
	BW_TRY(bw_kmd_file_open(u->kmd, "amdgpu_gprwave", true, &f));
	struct bw_error *err = u->halt_waves ? halt(u, true) : NULL;
	if (!err)
		err = each_wave(u, f, &n);
	if (u->halt_waves) {
		struct bw_error *resumed = halt(u, false);
		if (err)
			bw_error_free(resumed);
		else
			err = resumed;
	}
	bw_kmd_file_close(f);
	if (!err && !n)
		printf("No active waves!\n");
	return err;
}
