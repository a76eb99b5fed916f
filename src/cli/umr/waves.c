/* SPDX-License-Identifier: MIT */
/* umr -wa: every wave of the GPU with its registers, in one line each, or with -O bits in the long
 * form, of which Mesa reads the lines between "Main Registers" and an empty one. umr -ss: one
 * instruction of one wave. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/util.h"
#include "cli/umr/umr.h"

static void print_row(const char *label, unsigned n, const uint32_t *values, unsigned count)
{
	printf("%s[%4u] = {", label, n);
	for (unsigned i = 0; i < count; i++)
		printf("%s %08x", i ? "," : "", values[i]);
	printf(" }\n");
}

static void print_gprs(const struct bw_scan_wave *w)
{
	printf("\n\nSGPRs:\n");
	for (unsigned i = 0; i < BW_SCAN_SGPRS; i += 4)
		print_row("\t", i, w->sgprs + i, 4);
	if (!w->vgprs)
		return;
	printf("\nVGPRs, a row for each, lanes 0 to %u:\n", w->wave.lanes - 1);
	for (unsigned i = 0; i < w->wave.n_vgprs; i++)
		print_row("\t", i, w->vgprs + (size_t)i * w->wave.lanes, w->wave.lanes);
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

static void print_place(const struct bw_place *p)
{
	printf(p->is_cu ? "se%u.sh%u.cu%u.simd%u.wave%u" : "se%u.sa%u.wgp%u.simd%u.wave%u", p->se,
	       p->sa, p->wgp, p->simd, p->wave);
}

static void print_long(struct bw_umr *u, const struct bw_scan_wave *wave)
{
	const struct bw_wave_state *w = &wave->wave.state;
	const struct bw_place *p = &wave->place;
	const struct bw_arch *arch = w->arch;
	printf("\n------------------------------------------------------\n");
	print_place(p);
	printf("\n\nMain Registers:\n");
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
	if (!u->skip_gprs)
		print_gprs(wave);
}

static void print_short(const struct bw_scan_wave *w, bool first)
{
	const struct bw_place *p = &w->place;
	const uint32_t *r = w->wave.state.reg;
	/* Mesa 22 reads these twelve columns, in this order. gfx11 has no INST_DW0, gfx10 no
	 * INST_DW1: they are 0. gfx9 has one HW_ID. */
	if (first)
		printf("SE %s SIMD WAVE# WAVE_STATUS PC_HI PC_LO INST_DW0 INST_DW1 EXEC_HI EXEC_LO "
		       "%s GPRALLOC LDSALLOC TRAPSTS IBSTS M0 MODE\n",
		       p->is_cu ? "SH CU" : "SA WGP", p->is_cu ? "HW_ID" : "HW_ID1 HW_ID2");
	printf("%u %u %u %u %u %08x %08x %08x %08x %08x %08x %08x", p->se, p->sa, p->wgp, p->simd,
	       p->wave, r[BW_WREG_STATUS], r[BW_WREG_PC_HI], r[BW_WREG_PC_LO], r[BW_WREG_INST_DW0],
	       r[BW_WREG_INST_DW1], r[BW_WREG_EXEC_HI], r[BW_WREG_EXEC_LO]);
	if (p->is_cu)
		printf(" %08x", r[BW_WREG_HW_ID]);
	else
		printf(" %08x %08x", r[BW_WREG_HW_ID1], r[BW_WREG_HW_ID2]);
	printf(" %08x %08x %08x %08x %08x %08x\n", r[BW_WREG_GPR_ALLOC], r[BW_WREG_LDS_ALLOC],
	       r[BW_WREG_TRAPSTS], r[BW_WREG_IB_STS], r[BW_WREG_M0], r[BW_WREG_MODE]);
}

struct printer {
	struct bw_umr *u;
	unsigned n;
};

static struct bw_error *print_wave(void *cookie, struct bw_scan_wave *w)
{
	struct printer *p = cookie;
	if (p->u->bits)
		print_long(p->u, w);
	else
		print_short(w, !p->n);
	p->n++;
	return NULL;
}

struct bw_error *bw_umr_waves(struct bw_umr *u)
{
	struct printer p = {u, 0};
	struct bw_scan s = {.gpu = &u->gpu,
			    .vmid = -1,
			    .reads_vgprs = u->bits && !u->skip_gprs,
			    .awaits_halt = u->halt_waves,
			    .has_ended = &bw_look_ended};
	struct bw_scan_halt h = BW_SCAN_HALT_INIT;
	h.gpu = &u->gpu;
	h.has_ended = &bw_look_ended;
	struct bw_error *err = u->halt_waves ? bw_scan_halt_begin(&h) : NULL;
	if (!err)
		err = bw_scan_each(&s, print_wave, &p);
	if (u->halt_waves)
		err = bw_scan_halt_end(&h, err);
	if (!err && !p.n)
		printf("No active waves!\n");
	return err;
}

/* ---- -ss ---- */

/* The wave of a place. out->n_vgprs 0; *out_there false: there is none. */
static struct bw_error *look_at(struct bw_umr *u, const char *place, struct bw_scan_wave *out,
				bool *out_there)
{
	struct bw_scan_waves list = {0};
	const struct bw_scan s = {.gpu = &u->gpu, .places = place, .vmid = -1};
	struct bw_error *err = bw_scan_run(&s, &list);
	*out_there = !err && list.len;
	if (*out_there)
		*out = list.data[0];
	bw_scan_free(&list);
	return err;
}

struct bw_error *bw_umr_step(struct bw_umr *u, const char *text)
{
	enum { PATIENCE = 100 };
	struct bw_scan_wave before, after;
	const struct bw_arch *arch = bw_arch_of(u->gpu.part.gc);
	unsigned n[5];
	char place[32], end;
	bool is_there;
	bool is_place =
		sscanf(text, "%u,%u,%u,%u,%u%c", &n[0], &n[1], &n[2], &n[3], &n[4], &end) == 5;
	for (unsigned i = 0; is_place && i < BW_ARRAY_SIZE(n); i++)
		is_place = n[i] <= UINT8_MAX;
	if (!is_place)
		return bw_errorf(BW_E_INVALID, "-ss takes SE,SA,WGP,SIMD,WAVE, not %s", text);
	const struct bw_place p = {(uint8_t)n[0], (uint8_t)n[1], (uint8_t)n[2],
				   (uint8_t)n[3], (uint8_t)n[4], arch && !arch->has_wgps};
	bw_place_text(p, place);
	BW_TRY(look_at(u, place, &before, &is_there));
	if (!is_there)
		return bw_errorf(BW_E_NOT_FOUND, "there is no wave at %s (-wa lists them)", place);
	if (!bw_wave_get(&before.wave.state, BW_WF_HALTED))
		return bw_errorf(BW_E_INVALID,
				 "the wave at %s runs, and only a halted one can be stepped "
				 "(\"breakwater waves --halt --keep\" halts all until Enter)",
				 place);
	BW_TRY(bw_scan_step(&u->gpu, &p));
	after = before;
	/* A branch to itself and a wait leave the PC where it is. */
	for (unsigned i = 0; i < PATIENCE && is_there && after.wave.pc == before.wave.pc; i++) {
		BW_TRY(look_at(u, place, &after, &is_there));
		if (is_there && after.wave.pc == before.wave.pc)
			usleep(1000);
	}
	print_place(&p);
	printf(": PC 0x%" PRIx64, before.wave.pc);
	if (!is_there)
		printf(", and the wave has ended\n");
	else if (after.wave.pc == before.wave.pc)
		printf(", where it still is: it waits, or branches to itself\n");
	else
		printf(" => 0x%" PRIx64 "\n", after.wave.pc);
	return NULL;
}
