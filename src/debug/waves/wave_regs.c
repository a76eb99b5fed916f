// SPDX-License-Identifier: MIT
/* Registers of a stopped wave, by the names that users type. */
#include "debug/debug_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const special_names[BW_REG_SPECIAL_COUNT] = {
	[BW_REG_PC] = "pc",
	[BW_REG_EXEC] = "exec",
	[BW_REG_VCC] = "vcc",
	[BW_REG_SCC] = "scc",
	[BW_REG_M0] = "m0",
	[BW_REG_MODE] = "mode",
	[BW_REG_STATUS] = "status",
	[BW_REG_TRAPSTS] = "trapsts",
	[BW_REG_FLAT_SCRATCH] = "flat_scratch",
	[BW_REG_HW_ID1] = "hw_id1",
	[BW_REG_HW_ID2] = "hw_id2",
	[BW_REG_GPR_ALLOC] = "gpr_alloc",
	[BW_REG_LDS_ALLOC] = "lds_alloc",
	[BW_REG_IB_STS] = "ib_sts",
	[BW_REG_IB_STS2] = "ib_sts2",
	[BW_REG_SHADER_CYCLES] = "shader_cycles",
	[BW_REG_EXEC_LO] = "exec_lo",
	[BW_REG_EXEC_HI] = "exec_hi",
	[BW_REG_VCC_LO] = "vcc_lo",
	[BW_REG_VCC_HI] = "vcc_hi",
};

enum { VCC_LO = 106, N_TTMP = 16 };

static unsigned class_size(enum bw_reg_class cls)
{
	switch (cls) {
	case BW_REG_SGPR:
		return BW_SGPR_SHOWN;
	case BW_REG_VGPR:
		return 256;
	case BW_REG_TTMP:
		return N_TTMP;
	case BW_REG_SPECIAL:
		break;
	}
	return BW_REG_SPECIAL_COUNT;
}

/* A number of at most three digits; NULL when there is none. */
static const char *parse_index(const char *p, unsigned *out)
{
	unsigned n = 0, digits = 0;
	while (isdigit((unsigned char)*p) && digits < 3) {
		n = n * 10 + (unsigned)(*p++ - '0');
		digits++;
	}
	*out = n;
	return digits && !isdigit((unsigned char)*p) ? p : NULL;
}

bool bw_wave_reg_parse(const char *name, struct bw_wave_reg *out)
{
	static const struct {
		const char *prefix;
		enum bw_reg_class cls;
	} classes[] = {{"ttmp", BW_REG_TTMP}, {"s", BW_REG_SGPR}, {"v", BW_REG_VGPR}};
	unsigned first, last;

	if (*name == '$')
		name++;
	for (unsigned i = 0; i < BW_REG_SPECIAL_COUNT; i++) {
		if (strcmp(name, special_names[i]) == 0) {
			*out = (struct bw_wave_reg){BW_REG_SPECIAL, (uint16_t)i, 1};
			return true;
		}
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(classes); i++) {
		size_t n = strlen(classes[i].prefix);
		if (strncmp(name, classes[i].prefix, n) != 0)
			continue;
		const char *p = name + n;
		bool range = *p == '[';
		p = parse_index(p + range, &first);
		last = first;
		if (p && range && *p == ':')
			p = parse_index(p + 1, &last);
		if (!p || (range && *p++ != ']') || *p || last < first ||
		    last >= class_size(classes[i].cls))
			continue;
		*out = (struct bw_wave_reg){classes[i].cls, (uint16_t)first,
					    (uint16_t)(last - first + 1)};
		return true;
	}
	return false;
}

void bw_wave_reg_name(struct bw_wave_reg r, char out[24])
{
	static const char *const prefix[] = {
		[BW_REG_SGPR] = "s", [BW_REG_VGPR] = "v", [BW_REG_TTMP] = "ttmp"};
	if (r.cls == BW_REG_SPECIAL)
		snprintf(out, 24, "%s",
			 r.index < BW_REG_SPECIAL_COUNT ? special_names[r.index] : "?");
	else if (r.count > 1)
		snprintf(out, 24, "%s[%u:%u]", prefix[r.cls], r.index, r.index + r.count - 1);
	else
		snprintf(out, 24, "%s%u", prefix[r.cls], r.index);
}

unsigned bw_wave_reg_size_dw(struct bw_wave_reg r, const struct bw_wave_info *w)
{
	if (r.cls != BW_REG_SPECIAL)
		return r.count;
	switch (r.index) {
	case BW_REG_PC:
	case BW_REG_FLAT_SCRATCH:
		return 2;
	case BW_REG_EXEC:
	case BW_REG_VCC:
		return w && w->lanes == 32 ? 1 : 2;
	default:
		return 1;
	}
}

/* ---- Reading ---- */

static struct bw_error *read_sgprs(struct bw_debug *d, struct bw_wave_record *w, unsigned first,
				   unsigned count, uint64_t *out)
{
	uint32_t s[2] = {0};
	if (count > 2)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"a value of more than 64 bits (%u registers): use x or info registers",
			count);
	BW_TRY(bw_target_read_sgprs(d->target, w->info.slot, first, count, s));
	*out = s[0] | (uint64_t)s[1] << 32;
	return NULL;
}

static struct bw_error *read_ttmp(const struct bw_wave_record *w, unsigned index, uint64_t *out)
{
	switch (index) {
	case 1:
		*out = w->hw.ttmp1;
		return NULL;
	case 6:
		*out = w->hw.dispatch_packet;
		return NULL;
	case 8:
	case 9:
	case 10:
		*out = w->hw.workgroup[index - 8];
		return NULL;
	case 11:
		*out = w->hw.wave_in_group;
		return NULL;
	default:
		return bw_errorf(BW_E_UNSUPPORTED,
				 "ttmp%u belongs to the trap handler while the wave is stopped",
				 index);
	}
}

static struct bw_error *read_special(struct bw_debug *d, struct bw_wave_record *w, unsigned index,
				     uint64_t *out)
{
	const struct bw_target_wave *hw = &w->hw;
	uint64_t vcc;

	switch ((enum bw_reg_special)index) {
	case BW_REG_VCC:
	case BW_REG_VCC_LO:
	case BW_REG_VCC_HI:
		BW_TRY(read_sgprs(d, w, VCC_LO, 2, &vcc));
		*out = index == BW_REG_VCC_HI			   ? vcc >> 32
		       : index == BW_REG_VCC_LO || hw->lanes == 32 ? (uint32_t)vcc
								   : vcc;
		return NULL;
	case BW_REG_PC:
		*out = hw->pc;
		break;
	case BW_REG_EXEC:
		*out = hw->lanes == 32 ? (uint32_t)hw->exec : hw->exec;
		break;
	case BW_REG_EXEC_LO:
		*out = (uint32_t)hw->exec;
		break;
	case BW_REG_EXEC_HI:
		*out = hw->exec >> 32;
		break;
	case BW_REG_SCC:
		*out = hw->status & 1;
		break;
	case BW_REG_M0:
		*out = hw->m0;
		break;
	case BW_REG_MODE:
		*out = hw->mode;
		break;
	case BW_REG_STATUS:
		*out = hw->status;
		break;
	case BW_REG_TRAPSTS:
		*out = hw->trapsts;
		break;
	case BW_REG_FLAT_SCRATCH:
		*out = hw->flat_scratch;
		break;
	case BW_REG_HW_ID1:
		*out = hw->hw_id1;
		break;
	case BW_REG_HW_ID2:
		*out = hw->hw_id2;
		break;
	case BW_REG_GPR_ALLOC:
		*out = hw->gpr_alloc;
		break;
	case BW_REG_LDS_ALLOC:
		*out = hw->lds_alloc;
		break;
	case BW_REG_IB_STS:
		*out = hw->ib_sts;
		break;
	case BW_REG_IB_STS2:
		*out = hw->ib_sts2;
		break;
	case BW_REG_SHADER_CYCLES:
		*out = hw->cycles;
		break;
	case BW_REG_SPECIAL_COUNT:
		return bw_errorf(BW_E_INVALID, "no such register");
	}
	return NULL;
}

struct bw_error *bw_wave_reg_read(struct bw_debug *d, struct bw_wave_record *w,
				  struct bw_wave_reg r, uint64_t *out)
{
	switch (r.cls) {
	case BW_REG_SPECIAL:
		return read_special(d, w, r.index, out);
	case BW_REG_SGPR:
		return read_sgprs(d, w, r.index, r.count, out);
	case BW_REG_TTMP:
		return read_ttmp(w, r.index, out);
	case BW_REG_VGPR:
		break;
	}
	return bw_errorf(BW_E_INVALID, "v%u has a value for each lane", r.index);
}

/* ---- Writing ---- */

static struct bw_error *write_target(struct bw_debug *d, struct bw_wave_record *w,
				     enum bw_target_reg reg, uint64_t value)
{
	return bw_target_write_reg(d->target, w->info.slot, reg, value);
}

static struct bw_error *write_sgprs(struct bw_debug *d, struct bw_wave_record *w, unsigned first,
				    unsigned count, uint64_t value)
{
	if (count > 2)
		return bw_errorf(BW_E_UNSUPPORTED, "cannot write %u registers at once", count);
	for (unsigned i = 0; i < count; i++)
		BW_TRY(bw_target_write_sgpr(d->target, w->info.slot, first + i,
					    (uint32_t)(value >> 32 * i)));
	return NULL;
}

static struct bw_error *write_exec(struct bw_debug *d, struct bw_wave_record *w, uint64_t value)
{
	BW_TRY(write_target(d, w, BW_TREG_EXEC, value));
	w->hw.exec = value;
	w->info.exec = w->hw.lanes == 32 ? (uint32_t)value : value;
	return NULL;
}

static struct bw_error *write_pc(struct bw_debug *d, struct bw_wave_record *w, uint64_t value)
{
	if (value % 4)
		return bw_errorf(BW_E_INVALID,
				 "0x%llx is no instruction address: not a multiple of 4",
				 (unsigned long long)value);
	BW_TRY(write_target(d, w, BW_TREG_PC, value));
	w->hw.pc = w->info.pc = value;
	return NULL;
}

/* What the trap handler gives back to a wave (doc/hardware/traps.md 4). */
enum {
	MODE_WRITABLE = 0x00bff3ff, /* FP_ROUND to IEEE, EXCP_EN, WAVE_END, FP16_OVFL */
	STATUS_WRITABLE = 0x19,	    /* SCC, USER_PRIO */
	TRAPSTS_WRITABLE = 0x7f,    /* the float exceptions so far */
};

/* Bits that change although they cannot: named. */
static struct bw_error *check_bits(enum bw_reg_special reg, uint32_t changed, uint32_t writable,
				   const char *why)
{
	char names[128];
	if (!(changed & ~writable))
		return NULL;
	bw_wave_reg_flags_text(reg, changed & ~writable, names, sizeof(names));
	return bw_errorf(BW_E_UNSUPPORTED, "these bits of %s cannot be written: 0x%x%s%s (%s)",
			 special_names[reg], changed & ~writable, names[0] ? " " : "", names, why);
}

static struct bw_error *write_trapsts(struct bw_debug *d, struct bw_wave_record *w, uint32_t value)
{
	char names[128];
	uint32_t enabled = (uint32_t)bw_bits(w->hw.mode | d->excp << 12, 18, 12);
	BW_TRY(check_bits(
		BW_REG_TRAPSTS, w->hw.trapsts ^ value, TRAPSTS_WRITABLE,
		"the float exceptions so far can be, the rest says why the wave stopped"));
	uint32_t traps = value & ~w->hw.trapsts & enabled;
	bw_wave_reg_flags_text(BW_REG_TRAPSTS, traps, names, sizeof(names));
	if (traps)
		return bw_errorf(BW_E_STATE,
				 "%s of trapsts cannot be set while that exception is enabled: the "
				 "wave would trap at once",
				 names);
	BW_TRY(write_target(d, w, BW_TREG_TRAPSTS, value));
	w->hw.trapsts = value;
	return NULL;
}

static const char *why_read_only(enum bw_reg_special reg)
{
	switch ((int)reg) {
	case BW_REG_HW_ID1:
	case BW_REG_HW_ID2:
		return "it says where the wave runs";
	case BW_REG_GPR_ALLOC:
	case BW_REG_LDS_ALLOC:
		return "the wave was given this when it was launched";
	case BW_REG_IB_STS:
	case BW_REG_IB_STS2:
		return "it says what the hardware is about";
	case BW_REG_SHADER_CYCLES:
		return "it is a clock";
	default:
		return "there is no way to";
	}
}

static struct bw_error *write_special(struct bw_debug *d, struct bw_wave_record *w, unsigned index,
				      uint64_t value)
{
	struct bw_target_wave *hw = &w->hw;
	uint32_t low = (uint32_t)value, status;

	switch ((enum bw_reg_special)index) {
	case BW_REG_PC:
		return write_pc(d, w, bw_canonical(value));
	case BW_REG_EXEC:
		if (hw->lanes == 32) /* EXEC_HI of wave32 is kept as it is */
			value = low | (hw->exec & ~0xffffffffull);
		return write_exec(d, w, value);
	case BW_REG_EXEC_LO:
		return write_exec(d, w, low | (hw->exec & ~0xffffffffull));
	case BW_REG_EXEC_HI:
		return write_exec(d, w, (uint32_t)hw->exec | value << 32);
	case BW_REG_VCC:
		return write_sgprs(d, w, VCC_LO, hw->lanes == 32 ? 1 : 2, value);
	case BW_REG_VCC_LO:
		return write_sgprs(d, w, VCC_LO, 1, value);
	case BW_REG_VCC_HI:
		return write_sgprs(d, w, VCC_LO + 1, 1, value);
	case BW_REG_SCC:
		if (value > 1)
			return bw_errorf(BW_E_INVALID, "scc is one bit: 0 or 1");
		status = (hw->status & ~1u) | low;
		BW_TRY(write_target(d, w, BW_TREG_STATUS, status));
		hw->status = status;
		return NULL;
	case BW_REG_M0:
		BW_TRY(write_target(d, w, BW_TREG_M0, low));
		hw->m0 = low;
		return NULL;
	case BW_REG_MODE:
		BW_TRY(check_bits(BW_REG_MODE, hw->mode ^ low, MODE_WRITABLE,
				  "stepi sets TRAP_AFTER_INST, the rest means nothing"));
		BW_TRY(write_target(d, w, BW_TREG_MODE, low));
		hw->mode = w->raw_mode = low;
		return NULL;
	case BW_REG_STATUS:
		BW_TRY(check_bits(BW_REG_STATUS, hw->status ^ low, STATUS_WRITABLE,
				  "SCC and USER_PRIO can be, the rest is the hardware's"));
		BW_TRY(write_target(d, w, BW_TREG_STATUS, low));
		hw->status = low;
		return NULL;
	case BW_REG_TRAPSTS:
		return write_trapsts(d, w, low);
	case BW_REG_FLAT_SCRATCH:
		BW_TRY(write_target(d, w, BW_TREG_FLAT_SCRATCH, value));
		hw->flat_scratch = value;
		return NULL;
	case BW_REG_HW_ID1:
	case BW_REG_HW_ID2:
	case BW_REG_GPR_ALLOC:
	case BW_REG_LDS_ALLOC:
	case BW_REG_IB_STS:
	case BW_REG_IB_STS2:
	case BW_REG_SHADER_CYCLES:
	case BW_REG_SPECIAL_COUNT:
		break;
	}
	return bw_errorf(BW_E_UNSUPPORTED, "%s cannot be written: %s",
			 index < BW_REG_SPECIAL_COUNT ? special_names[index] : "this register",
			 why_read_only((enum bw_reg_special)index));
}

struct bw_error *bw_wave_reg_write(struct bw_debug *d, struct bw_wave_record *w,
				   struct bw_wave_reg r, uint64_t value)
{
	struct bw_error *err = NULL;
	switch (r.cls) {
	case BW_REG_SPECIAL:
		err = write_special(d, w, r.index, value);
		break;
	case BW_REG_SGPR:
		err = write_sgprs(d, w, r.index, r.count, value);
		break;
	case BW_REG_TTMP:
		err = bw_errorf(BW_E_UNSUPPORTED,
				"ttmp%u cannot be written: it belongs to the trap handler",
				r.index);
		break;
	case BW_REG_VGPR:
		err = bw_errorf(BW_E_INVALID, "v%u has a value for each lane: name one, $v%u[LANE]",
				r.index, r.index);
		break;
	}
	bw_debug_waves_changed(d);
	return err;
}

/* ---- For commands, by wave number ---- */

static struct bw_error *stopped_wave(struct bw_debug *d, uint32_t number,
				     struct bw_wave_record **out)
{
	*out = bw_debug_wave_priv(d, number);
	return *out ? NULL : bw_errorf(BW_E_NOT_FOUND, "Wave %u is not stopped", number);
}

struct bw_error *bw_debug_reg_read(struct bw_debug *d, uint32_t wave, struct bw_wave_reg r,
				   uint64_t *out)
{
	struct bw_wave_record *w;
	BW_TRY(stopped_wave(d, wave, &w));
	return bw_wave_reg_read(d, w, r, out);
}

struct bw_error *bw_debug_reg_write(struct bw_debug *d, uint32_t wave, struct bw_wave_reg r,
				    uint64_t value)
{
	struct bw_wave_record *w;
	BW_TRY(stopped_wave(d, wave, &w));
	return bw_wave_reg_write(d, w, r, value);
}

static struct bw_error *check_vgpr(const struct bw_wave_record *w, unsigned n)
{
	if (w->info.n_vgprs == 0)
		return bw_errorf(BW_E_STATE,
				 "the wave has given its VGPRs back (s_sendmsg DEALLOC_VGPRS)");
	if (n >= w->info.n_vgprs)
		return bw_errorf(BW_E_NOT_FOUND, "the wave has no v%u: it was given v0 to v%u", n,
				 w->info.n_vgprs - 1);
	return NULL;
}

struct bw_error *bw_debug_vgpr_read(struct bw_debug *d, uint32_t wave, unsigned n, uint32_t *out)
{
	struct bw_wave_record *w;
	BW_TRY(stopped_wave(d, wave, &w));
	BW_TRY(check_vgpr(w, n));
	return bw_target_read_vgpr(d->target, w->info.slot, n, out);
}

struct bw_error *bw_debug_vgpr_write(struct bw_debug *d, uint32_t wave, unsigned n, unsigned lane,
				     uint32_t value)
{
	struct bw_wave_record *w;
	BW_TRY(stopped_wave(d, wave, &w));
	BW_TRY(check_vgpr(w, n));
	if (lane >= w->info.lanes)
		return bw_errorf(BW_E_NOT_FOUND, "Invalid lane ID: %u (the wave has lanes 0 to %u)",
				 lane, w->info.lanes - 1u);
	return bw_target_write_vgpr(d->target, w->info.slot, n, lane, value);
}

struct bw_error *bw_debug_sgprs_read(struct bw_debug *d, uint32_t wave, unsigned first, unsigned n,
				     uint32_t *out)
{
	struct bw_wave_record *w;
	BW_TRY(stopped_wave(d, wave, &w));
	if (first > BW_SGPR_SHOWN + 2 || n > BW_SGPR_SHOWN + 2 - first)
		return bw_errorf(BW_E_INVALID, "no such SGPRs: %u to %u", first, first + n - 1);
	return bw_target_read_sgprs(d->target, w->info.slot, first, n, out);
}

/* ---- Fields ---- */

struct flag {
	enum bw_reg_special reg;
	uint8_t hi, lo;
	const char *name;
};

/* doc/hardware/registers.md 4, gfx11; MODE's low fields: RDNA3 ISA manual, MODE register */
static const struct flag flags[] = {
	{BW_REG_STATUS, 0, 0, "SCC"},
	{BW_REG_STATUS, 2, 1, "SPI_PRIO"},
	{BW_REG_STATUS, 4, 3, "USER_PRIO"},
	{BW_REG_STATUS, 5, 5, "PRIV"},
	{BW_REG_STATUS, 6, 6, "TRAP_EN"},
	{BW_REG_STATUS, 7, 7, "TTRACE_EN"},
	{BW_REG_STATUS, 8, 8, "EXPORT_RDY"},
	{BW_REG_STATUS, 9, 9, "EXECZ"},
	{BW_REG_STATUS, 10, 10, "VCCZ"},
	{BW_REG_STATUS, 11, 11, "IN_TG"},
	{BW_REG_STATUS, 12, 12, "IN_BARRIER"},
	{BW_REG_STATUS, 13, 13, "HALT"},
	{BW_REG_STATUS, 14, 14, "TRAP"},
	{BW_REG_STATUS, 16, 16, "VALID"},
	{BW_REG_STATUS, 17, 17, "ECC_ERR"},
	{BW_REG_STATUS, 18, 18, "SKIP_EXPORT"},
	{BW_REG_STATUS, 23, 23, "FATAL_HALT"},
	{BW_REG_STATUS, 24, 24, "NO_VGPRS"},
	{BW_REG_STATUS, 28, 28, "IDLE"},
	{BW_REG_STATUS, 29, 29, "SCRATCH_EN"},
	{BW_REG_MODE, 3, 0, "FP_ROUND"},
	{BW_REG_MODE, 7, 4, "FP_DENORM"},
	{BW_REG_MODE, 8, 8, "DX10_CLAMP"},
	{BW_REG_MODE, 9, 9, "IEEE"},
	{BW_REG_MODE, 11, 11, "TRAP_AFTER_INST"},
	{BW_REG_MODE, 20, 12, "EXCP_EN"},
	{BW_REG_MODE, 21, 21, "WAVE_END"},
	{BW_REG_MODE, 23, 23, "FP16_OVFL"},
	{BW_REG_TRAPSTS, 0, 0, "INVALID"},
	{BW_REG_TRAPSTS, 1, 1, "INPUT_DENORM"},
	{BW_REG_TRAPSTS, 2, 2, "DIV0"},
	{BW_REG_TRAPSTS, 3, 3, "OVERFLOW"},
	{BW_REG_TRAPSTS, 4, 4, "UNDERFLOW"},
	{BW_REG_TRAPSTS, 5, 5, "INEXACT"},
	{BW_REG_TRAPSTS, 6, 6, "INT_DIV0"},
	{BW_REG_TRAPSTS, 7, 7, "ADDR_WATCH0"},
	{BW_REG_TRAPSTS, 8, 8, "MEM_VIOL"},
	{BW_REG_TRAPSTS, 10, 10, "SAVECTX"},
	{BW_REG_TRAPSTS, 11, 11, "ILLEGAL_INST"},
	{BW_REG_TRAPSTS, 14, 12, "ADDR_WATCH1_3"},
	{BW_REG_TRAPSTS, 15, 15, "BUFFER_OOB"},
	{BW_REG_TRAPSTS, 16, 16, "HOST_TRAP"},
	{BW_REG_TRAPSTS, 17, 17, "WAVE_START"},
	{BW_REG_TRAPSTS, 18, 18, "WAVE_END"},
	{BW_REG_TRAPSTS, 19, 19, "PERF_SNAPSHOT"},
	{BW_REG_TRAPSTS, 20, 20, "TRAP_AFTER_INST"},
	{BW_REG_TRAPSTS, 28, 28, "XNACK_ERROR"},
};

void bw_wave_reg_flags_text(enum bw_reg_special r, uint32_t value, char *out, size_t out_b)
{
	size_t len = 0;
	if (out_b)
		out[0] = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(flags); i++) {
		const struct flag *f = &flags[i];
		unsigned v = (unsigned)bw_bits(value, f->hi, f->lo);
		if (f->reg != r || !v)
			continue;
		int n = f->hi == f->lo
				? snprintf(out + len, out_b - len, "%s%s", len ? " " : "", f->name)
				: snprintf(out + len, out_b - len, "%s%s=%u", len ? " " : "",
					   f->name, v);
		if (n < 0 || (size_t)n >= out_b - len)
			return;
		len += (size_t)n;
	}
}
