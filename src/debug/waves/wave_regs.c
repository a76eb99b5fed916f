// SPDX-License-Identifier: MIT
/* Registers of a stopped wave, by the names that users type. */
#include "debug/waves/waves_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const special_names[BW_REG_SPECIAL_COUNT] = {
	[BW_REG_PC] = "pc",	      [BW_REG_EXEC] = "exec",
	[BW_REG_VCC] = "vcc",	      [BW_REG_SCC] = "scc",
	[BW_REG_M0] = "m0",	      [BW_REG_FLAT_SCRATCH] = "flat_scratch",
	[BW_REG_EXEC_LO] = "exec_lo", [BW_REG_EXEC_HI] = "exec_hi",
	[BW_REG_VCC_LO] = "vcc_lo",   [BW_REG_VCC_HI] = "vcc_hi",
};

enum { VCC_LO = 106, N_TTMP = 16 };

static unsigned class_size(const struct bw_arch *arch, enum bw_reg_class cls)
{
	switch (cls) {
	case BW_REG_SGPR:
		return arch ? arch->n_sgprs : BW_SGPR_SHOWN;
	case BW_REG_VGPR:
		return 256;
	case BW_REG_ACC:
		return arch && arch->accum_granule ? 256 : 0;
	case BW_REG_TTMP:
		return N_TTMP;
	case BW_REG_STATE:
		return BW_WREG_COUNT;
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

bool bw_wave_reg_parse(const struct bw_arch *arch, const char *name, struct bw_wave_reg *out)
{
	static const struct {
		const char *prefix;
		enum bw_reg_class cls;
	} classes[] = {
		{"ttmp", BW_REG_TTMP}, {"s", BW_REG_SGPR}, {"v", BW_REG_VGPR}, {"a", BW_REG_ACC}};
	unsigned first, last;

	if (*name == '$')
		name++;
	for (unsigned i = 0; i < BW_REG_SPECIAL_COUNT; i++) {
		if (strcmp(name, special_names[i]) == 0) {
			*out = (struct bw_wave_reg){BW_REG_SPECIAL, (uint16_t)i, 1};
			return true;
		}
	}
	enum bw_wreg state = arch ? bw_arch_reg_by_name(arch, name) : BW_WREG_NONE;
	if (state != BW_WREG_NONE) {
		*out = (struct bw_wave_reg){BW_REG_STATE, (uint16_t)state, 1};
		return true;
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
		    last >= class_size(arch, classes[i].cls))
			continue;
		*out = (struct bw_wave_reg){classes[i].cls, (uint16_t)first,
					    (uint16_t)(last - first + 1)};
		return true;
	}
	return false;
}

void bw_wave_reg_name(const struct bw_arch *arch, struct bw_wave_reg r, char out[24])
{
	static const char *const prefix[] = {[BW_REG_SGPR] = "s",
					     [BW_REG_VGPR] = "v",
					     [BW_REG_ACC] = "a",
					     [BW_REG_TTMP] = "ttmp"};
	const char *state =
		r.cls == BW_REG_STATE && r.index < BW_WREG_COUNT ? arch->reg[r.index].name : NULL;
	if (r.cls == BW_REG_SPECIAL)
		snprintf(out, 24, "%s",
			 r.index < BW_REG_SPECIAL_COUNT ? special_names[r.index] : "?");
	else if (r.cls == BW_REG_STATE)
		snprintf(out, 24, "%s", state ? state : "?");
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

unsigned bw_debug_n_sgprs(const struct bw_debug *d)
{
	return bw_debug_arch(d)->n_sgprs;
}

/* ---- VGPRs and AccVGPRs, which are numbered together ---- */

bool bw_wave_reg_is_vector(struct bw_wave_reg r)
{
	return r.cls == BW_REG_VGPR || r.cls == BW_REG_ACC;
}

unsigned bw_wave_plain_vgprs(const struct bw_wave_info *w)
{
	return BW_MIN(w->n_vgprs, w->accum_offset);
}

void bw_wave_vgpr_name(const struct bw_wave_info *w, unsigned n, char out[8])
{
	bool is_acc = n >= w->accum_offset;
	snprintf(out, 8, "%c%u", is_acc ? 'a' : 'v', (is_acc ? n - w->accum_offset : n) % 1000);
}

struct bw_error *bw_wave_vgpr_number(const struct bw_wave_info *w, struct bw_wave_reg r,
				     unsigned *out)
{
	const bool is_acc = r.cls == BW_REG_ACC;
	const unsigned plain = bw_wave_plain_vgprs(w), n = is_acc ? w->n_vgprs - plain : plain;
	const unsigned last = r.index + r.count - 1u;
	if (w->n_vgprs == 0)
		return bw_errorf(BW_E_STATE,
				 "the wave has given its VGPRs back (s_sendmsg DEALLOC_VGPRS)");
	if (last >= n && !n)
		return bw_errorf(BW_E_NOT_FOUND, "the wave has no a%u: it was given no AccVGPRs",
				 last);
	if (last >= n)
		return bw_errorf(BW_E_NOT_FOUND, "the wave has no %c%u: it was given %c0 to %c%u",
				 is_acc ? 'a' : 'v', last, is_acc ? 'a' : 'v', is_acc ? 'a' : 'v',
				 n - 1);
	*out = (is_acc ? plain : 0) + r.index;
	return NULL;
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
	*out = bw_join32(s[1], s[0]);
	return NULL;
}

/* Reads the value that the wave found in a TTMP, if the trap handler has not used the TTMP
 * itself. */
static struct bw_error *read_ttmp(const struct bw_wave_record *w, unsigned index, uint64_t *out)
{
	const struct bw_wave_state *state = &w->hw.state;
	const enum bw_wreg reg = (enum bw_wreg)((unsigned)BW_WREG_TTMP0 + index);
	uint32_t known = index == 1 ? ~0u : 0; /* all of it: cause and PC */
	for (unsigned f = 0; f < BW_WF_COUNT; f++)
		if (bw_arch_reg_of(state->arch, (enum bw_wave_field)f) == reg)
			known |= bw_arch_mask(state->arch, (enum bw_wave_field)f);
	if (!known)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "ttmp%u belongs to the trap handler while the wave is stopped",
				 index);
	*out = state->reg[reg] & known;
	return NULL;
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
		*out = index == BW_REG_VCC_HI			   ? bw_hi32(vcc)
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
		*out = bw_hi32(hw->exec);
		break;
	case BW_REG_SCC:
		*out = bw_wave_get(&hw->state, BW_WF_SCC);
		break;
	case BW_REG_M0:
		*out = hw->m0;
		break;
	case BW_REG_FLAT_SCRATCH:
		*out = hw->flat_scratch;
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
	case BW_REG_STATE:
		*out = w->hw.state.reg[r.index];
		return NULL;
	case BW_REG_VGPR:
	case BW_REG_ACC:
		break;
	}
	return bw_errorf(BW_E_INVALID, "%c%u has a value for each lane",
			 r.cls == BW_REG_ACC ? 'a' : 'v', r.index);
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
					    bw_half32(value, i)));
	return NULL;
}

static struct bw_error *write_exec(struct bw_debug *d, struct bw_wave_record *w, uint64_t value)
{
	BW_TRY(write_target(d, w, BW_TREG_EXEC, value));
	w->hw.exec = value;
	bw_wave_find_lanes(d, w);
	return NULL;
}

static struct bw_error *write_pc(struct bw_debug *d, struct bw_wave_record *w, uint64_t value)
{
	if (value % 4)
		return bw_errorf(BW_E_INVALID,
				 "0x%llx is not an instruction address: not a multiple of 4",
				 (unsigned long long)value);
	BW_TRY(write_target(d, w, BW_TREG_PC, value));
	w->hw.pc = w->info.pc = value;
	bw_wave_find_lanes(d, w);
	return NULL;
}

/* Refuses a value that sets the flag of an enabled exception, which would stop the wave at once. */
static struct bw_error *check_exceptions(struct bw_debug *d, const struct bw_wave_record *w,
					 const struct bw_wave_state *after)
{
	const struct bw_arch *arch = after->arch;
	enum bw_wreg reg = bw_arch_reg_of(arch, BW_WF_ALU_EXCEPTIONS);
	uint32_t added = bw_wave_get(after, BW_WF_ALU_EXCEPTIONS) &
			 ~bw_wave_get(&w->hw.state, BW_WF_ALU_EXCEPTIONS);
	uint32_t traps = added & (bw_wave_get(&w->hw.state, BW_WF_EXCP_EN) | d->waves->excp);
	char names[128];
	if (!traps)
		return NULL;
	bw_arch_flags_text(arch, reg, bw_arch_set(arch, BW_WF_ALU_EXCEPTIONS, 0, traps), names,
			   sizeof(names));
	return bw_errorf(BW_E_STATE,
			 "%s of %s cannot be set while that exception is enabled: the wave would "
			 "trap at once",
			 names, arch->reg[reg].name);
}

static struct bw_error *write_state(struct bw_debug *d, struct bw_wave_record *w, enum bw_wreg reg,
				    uint32_t value)
{
	struct bw_wave_state after = w->hw.state;
	const struct bw_arch_reg *row = &after.arch->reg[reg];
	uint32_t refused = (value ^ after.reg[reg]) & ~row->writable;
	char names[128];

	if (!row->writable)
		return bw_errorf(BW_E_UNSUPPORTED, "%s cannot be written: %s", row->name,
				 row->why_not);
	bw_arch_flags_text(after.arch, reg, refused, names, sizeof(names));
	if (refused)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "these bits of %s cannot be written: 0x%x%s%s (%s)", row->name,
				 refused, names[0] ? " " : "", names, row->why_not);
	after.reg[reg] = value;
	BW_TRY(check_exceptions(d, w, &after));
	BW_TRY(write_target(d, w, bw_treg(reg), value));
	if (reg == bw_arch_reg_of(after.arch, BW_WF_EXCP_EN))
		w->raw_enables = value;
	w->hw.state = after;
	return NULL;
}

static struct bw_error *write_scc(struct bw_debug *d, struct bw_wave_record *w, uint64_t value)
{
	struct bw_wave_state after = w->hw.state;
	enum bw_wreg reg = bw_arch_reg_of(after.arch, BW_WF_SCC);
	if (value > 1)
		return bw_errorf(BW_E_INVALID, "scc is one bit: 0 or 1");
	bw_wave_set(&after, BW_WF_SCC, (uint32_t)value);
	BW_TRY(write_target(d, w, bw_treg(reg), after.reg[reg]));
	w->hw.state = after;
	return NULL;
}

static struct bw_error *write_special(struct bw_debug *d, struct bw_wave_record *w, unsigned index,
				      uint64_t value)
{
	struct bw_target_wave *hw = &w->hw;
	uint32_t low = (uint32_t)value;

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
		return write_exec(d, w, bw_join32(bw_lo32(value), bw_lo32(hw->exec)));
	case BW_REG_VCC:
		return write_sgprs(d, w, VCC_LO, hw->lanes == 32 ? 1 : 2, value);
	case BW_REG_VCC_LO:
		return write_sgprs(d, w, VCC_LO, 1, value);
	case BW_REG_VCC_HI:
		return write_sgprs(d, w, VCC_LO + 1, 1, value);
	case BW_REG_SCC:
		return write_scc(d, w, value);
	case BW_REG_M0:
		BW_TRY(write_target(d, w, BW_TREG_M0, low));
		hw->m0 = low;
		return NULL;
	case BW_REG_FLAT_SCRATCH:
		BW_TRY(write_target(d, w, BW_TREG_FLAT_SCRATCH, value));
		hw->flat_scratch = value;
		return NULL;
	case BW_REG_SPECIAL_COUNT:
		break;
	}
	return bw_errorf(BW_E_INVALID, "no such register");
}

struct bw_error *bw_wave_reg_write(struct bw_debug *d, struct bw_wave_record *w,
				   struct bw_wave_reg r, uint64_t value)
{
	struct bw_error *err = NULL;
	switch (r.cls) {
	case BW_REG_SPECIAL:
		err = write_special(d, w, r.index, value);
		break;
	case BW_REG_STATE:
		err = write_state(d, w, (enum bw_wreg)r.index, (uint32_t)value);
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
	case BW_REG_ACC: {
		char name[24];
		bw_wave_reg_name(bw_debug_arch(d), r, name);
		err = bw_errorf(BW_E_INVALID, "%s has a value for each lane: name one, $%s[LANE]",
				name, name);
		break;
	}
	}
	d->waves->list_valid = false;
	bw_stack_changed(d);
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

/* Of all that the wave has, as long as it has any. */
static struct bw_error *check_vgpr(const struct bw_wave_record *w, unsigned n)
{
	unsigned number;
	if (n < w->info.n_vgprs)
		return NULL;
	return bw_wave_vgpr_number(&w->info, (struct bw_wave_reg){BW_REG_VGPR, (uint16_t)n, 1},
				   &number);
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
	bw_stack_changed(d);
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
