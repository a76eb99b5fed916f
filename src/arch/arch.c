/* SPDX-License-Identifier: MIT */
#include "arch/arch.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/util.h"

extern const struct bw_arch bw_arch_gfx9, bw_arch_gfx942, bw_arch_gfx10_1, bw_arch_gfx10,
	bw_arch_gfx11, bw_arch_gfx12;

/* the first is what kernels are built for where nothing says which GPU will run them */
static const struct bw_arch *const rows[] = {&bw_arch_gfx11,   &bw_arch_gfx12, &bw_arch_gfx10,
					     &bw_arch_gfx10_1, &bw_arch_gfx9,  &bw_arch_gfx942};

const struct bw_arch *bw_arch_nth(size_t n)
{
	return n < BW_ARRAY_SIZE(rows) ? rows[n] : NULL;
}

const struct bw_arch *bw_arch_of(uint32_t gc_version)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (gc_version >= rows[i]->first_gc && gc_version <= rows[i]->last_gc)
			return rows[i];
	return NULL;
}

bool bw_arch_knows_code(const struct bw_arch *a)
{
	return a->s_trap != 0;
}

const struct bw_arch *bw_arch_of_code(uint32_t gc_version)
{
	const struct bw_arch *a = bw_arch_of(gc_version);
	return a && bw_arch_knows_code(a) ? a : NULL;
}

/* GPUs without a row whose name is not that of their version: revision 0 of 9.4.3 was gfx940 and
 * gfx941 (amdkfd/kfd_device.c of Linux 6.12). */
static const struct bw_arch_chip named[] = {
	{BW_IP_VERSION(9, 4, 1), "gfx908", 0},
	{BW_IP_VERSION(9, 4, 2), "gfx90a", 0},
};

void bw_arch_gfx_name(uint32_t gc_version, char *out, size_t size_b)
{
	const struct bw_arch *arch = bw_arch_of(gc_version);
	const struct bw_arch_chip *chip = arch ? bw_arch_chip(arch, gc_version) : NULL;
	for (size_t i = 0; i < BW_ARRAY_SIZE(named) && !chip; i++)
		if (named[i].gc_version == gc_version)
			chip = &named[i];
	if (chip)
		snprintf(out, size_b, "%s", chip->gfx);
	else
		snprintf(out, size_b, "gfx%u%x%x", BW_IP_NUMBERS(gc_version));
}

const char *bw_arch_default_gfx(void)
{
	return rows[0]->chips[0].gfx;
}

uint32_t bw_arch_code_end(uint32_t gc_version)
{
	const struct bw_arch *arch = bw_arch_of_code(gc_version);
	if (arch)
		return arch->s_code_end;
	/* the same word in all GPUs of gfx9, and in all others so far */
	return (bw_ip_major(gc_version) == 9 ? &bw_arch_gfx942 : rows[0])->s_code_end;
}

const struct bw_arch_chip *bw_arch_chip(const struct bw_arch *a, uint32_t gc_version)
{
	for (size_t i = 0; i < a->n_chips; i++)
		if (a->chips[i].gc_version == gc_version)
			return &a->chips[i];
	return NULL;
}

/* ---- Fields ---- */

static uint32_t ones(unsigned width)
{
	return (uint32_t)((1ull << width) - 1);
}

uint32_t bw_arch_take(struct bw_arch_bits b, uint32_t word)
{
	return word >> b.lo & ones(b.width);
}

uint32_t bw_arch_put(struct bw_arch_bits b, uint32_t value)
{
	return (value & ones(b.width)) << b.lo;
}

bool bw_arch_has(const struct bw_arch *a, enum bw_wave_field f)
{
	return a->at[f].bits.width != 0;
}

enum bw_wreg bw_arch_reg_of(const struct bw_arch *a, enum bw_wave_field f)
{
	return (enum bw_wreg)a->at[f].reg;
}

uint32_t bw_arch_get(const struct bw_arch *a, enum bw_wave_field f, uint32_t raw)
{
	const struct bw_arch_place *p = &a->at[f];
	uint32_t value = bw_arch_take(p->bits, raw);
	/* a field of 32 bits has no upper part */
	return p->upper.width ? value | bw_arch_take(p->upper, raw) << p->bits.width : value;
}

uint32_t bw_arch_mask(const struct bw_arch *a, enum bw_wave_field f)
{
	return bw_arch_put(a->at[f].bits, ~0u) | bw_arch_put(a->at[f].upper, ~0u);
}

uint32_t bw_arch_set(const struct bw_arch *a, enum bw_wave_field f, uint32_t raw, uint32_t value)
{
	const struct bw_arch_place *p = &a->at[f];
	/* as above: nothing is left of value where the lower part takes 32 bits */
	uint32_t upper = p->upper.width ? bw_arch_put(p->upper, value >> p->bits.width) : 0;
	return (raw & ~bw_arch_mask(a, f)) | bw_arch_put(p->bits, value) | upper;
}

uint32_t bw_wave_get(const struct bw_wave_state *s, enum bw_wave_field f)
{
	return bw_arch_get(s->arch, f, s->reg[s->arch->at[f].reg]);
}

unsigned bw_wave_lanes(const struct bw_wave_state *s)
{
	bool only_64 = !bw_arch_has(s->arch, BW_WF_IS_WAVE64);
	return only_64 || bw_wave_get(s, BW_WF_IS_WAVE64) ? 64 : 32;
}

uint32_t bw_wave_accum_offset(const struct bw_wave_state *s)
{
	return s->arch->accum_granule
		       ? (bw_wave_get(s, BW_WF_ACCUM_OFFSET) + 1) * s->arch->accum_granule
		       : UINT32_MAX;
}

void bw_wave_set(struct bw_wave_state *s, enum bw_wave_field f, uint32_t value)
{
	uint32_t *reg = &s->reg[s->arch->at[f].reg];
	*reg = bw_arch_set(s->arch, f, *reg, value);
}

/* ---- Registers ---- */

enum bw_wreg bw_arch_reg_by_name(const struct bw_arch *a, const char *name)
{
	for (unsigned i = 0; i < BW_WREG_COUNT; i++)
		if (a->reg[i].name && strcmp(a->reg[i].name, name) == 0)
			return (enum bw_wreg)i;
	return BW_WREG_NONE;
}

void bw_arch_flags_text(const struct bw_arch *a, enum bw_wreg reg, uint32_t value, char *out,
			size_t out_b)
{
	size_t len = 0;
	if (out_b)
		out[0] = 0;
	for (size_t i = 0; i < a->n_flags; i++) {
		const struct bw_arch_flag *f = &a->flags[i];
		uint32_t v = bw_arch_take(f->bits, value);
		if (f->reg != reg || !v)
			continue;
		const char *between = len ? " " : "";
		int n = f->bits.width == 1
				? snprintf(out + len, out_b - len, "%s%s", between, f->name)
				: snprintf(out + len, out_b - len, "%s%s=%u", between, f->name, v);
		if (n < 0 || (size_t)n >= out_b - len)
			return;
		len += (size_t)n;
	}
}

int bw_arch_hwreg(const struct bw_arch *a, enum bw_wreg reg)
{
	/* s_getreg's number is the index in SQ_IND from some place on, as far as its six bits
	 * reach; MODE is 1 everywhere */
	enum { N_HWREGS = 1 << 6 /* BW_GETREG_ID */ };
	int number = a->reg[reg].ind - (a->reg[BW_WREG_MODE].ind - 1);
	return number >= 0 && number < N_HWREGS ? number : -1;
}

uint32_t bw_arch_hwreg_simm16(const struct bw_arch *a, enum bw_wave_field f)
{
	const struct bw_arch_place *p = &a->at[f];
	int number = bw_arch_hwreg(a, (enum bw_wreg)p->reg);
	assert(number >= 0 && p->bits.width);
	uint32_t simm16 = 0;
	bw_words_put(&simm16, BW_GETREG_ID, (unsigned)number);
	bw_words_put(&simm16, BW_GETREG_OFFSET, p->bits.lo);
	bw_words_put(&simm16, BW_GETREG_SIZE, p->bits.width - 1u);
	return simm16;
}

/* ---- SQ_IND, SQ_CMD, GRBM ---- */

uint32_t bw_arch_ind(const struct bw_arch *a, enum bw_wreg reg, uint32_t wave)
{
	assert(a->reg[reg].ind);
	return bw_arch_put(a->ind.index, a->reg[reg].ind) | bw_arch_put(a->ind.wave, wave);
}

uint32_t bw_arch_ind_run(const struct bw_arch *a, uint32_t index, uint32_t wave, uint32_t lane)
{
	return bw_arch_put(a->ind.index, index) | bw_arch_put(a->ind.wave, wave) |
	       bw_arch_put(a->ind.lane, lane) | a->ind.auto_incr;
}

uint32_t bw_arch_sq_cmd_all(const struct bw_arch *a, enum bw_sq_cmd cmd, uint32_t vmid,
			    uint32_t data)
{
	uint32_t word = bw_arch_put(a->sq_cmd.cmd, cmd) |
			bw_arch_put(a->sq_cmd.mode, BW_SQ_MODE_BROADCAST) |
			bw_arch_put(a->sq_cmd.data, data);
	if (vmid == UINT32_MAX)
		return word;
	return word | bw_arch_put(a->sq_cmd.check_vmid, 1) | bw_arch_put(a->sq_cmd.vmid, vmid);
}

uint32_t bw_arch_instance(uint32_t wgp, uint32_t simd)
{
	return wgp << BW_ARCH_INSTANCE_SIMD_BITS | simd;
}

/* ---- Code ---- */

uint32_t bw_arch_s_trap(const struct bw_arch *a, uint32_t id)
{
	assert(id <= a->trap_id_max);
	return a->s_trap | id;
}

/* ---- What a dispatch starts its waves with ---- */

uint32_t bw_arch_rsrc2_exceptions(const struct bw_arch *a, uint32_t rsrc2)
{
	return bw_arch_take(a->rsrc.excp_en, rsrc2) | bw_arch_take(a->rsrc.excp_en_msb, rsrc2)
							      << a->rsrc.excp_en.width;
}

unsigned bw_arch_lanes(const struct bw_arch *a, uint32_t initiator)
{
	return bw_arch_take(a->rsrc.wave32, initiator) ? 32 : 64;
}

struct bw_arch_resources bw_arch_resources(const struct bw_arch *a, unsigned lanes, uint32_t rsrc1,
					   uint32_t rsrc2, uint32_t tmpring_size)
{
	uint32_t wave_size = bw_arch_take(a->rsrc.wave_size, tmpring_size);
	return (struct bw_arch_resources){
		.vgprs = (bw_arch_take(a->rsrc.vgprs, rsrc1) + 1) * a->rsrc.vgpr_granule *
			 (lanes == 32 ? 2 : 1),
		.user_sgprs = bw_arch_take(a->rsrc.user_sgprs, rsrc2),
		.lds_b = bw_arch_take(a->rsrc.lds_size, rsrc2) * a->rsrc.lds_granule_b,
		.scratch_b = bw_arch_take(a->rsrc.scratch_en, rsrc2)
				     ? wave_size * a->rsrc.wave_size_granule_b
				     : 0,
	};
}
