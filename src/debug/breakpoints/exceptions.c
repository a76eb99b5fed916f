// SPDX-License-Identifier: MIT
/* Makes waves trap for the exceptions that the debugger wants, by EXCP_EN: of new waves through
 * SPI_GDBG, of stopped waves in their slots. Bits that the program's own code enables are left
 * alone (doc/hardware/traps.md 1.2 and 6). */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

struct bw_error *bw_excp_update(struct bw_debug *d)
{
	uint32_t mask = 0;
	bw_vec_each(&d->breaks->all, it) {
		const struct bw_break *b = *it;
		if (!b->info.enabled)
			continue;
		mask |= b->info.excp;
		if (b->watch && b->info.watch_register >= 0)
			mask |= BW_EXCP_ADDR_WATCH;
	}
	if (d->target && !bw_target_can(d->target, BW_EXCP_NEEDS))
		return NULL;
	d->waves->excp = mask;
	d->waves->excp_ever |= mask;
	if (!d->target)
		return NULL;
	return bw_target_set_exceptions(d->target, mask);
}

/* Warns if the new target cannot catch the exceptions that were to be caught before there was a
 * target. */
static void warn_of_exceptions(struct bw_debug *d)
{
	_cleanup_error_ struct bw_error *err = bw_target_need(d->target, BW_EXCP_NEEDS);
	bw_vec_each(&d->breaks->all, b)
		if (err && (*b)->info.kind == BW_BREAK_EXCEPTION && (*b)->info.enabled)
			bw_debug_note(d, BW_NOTICE_WARNING, "Breakpoint %u stops nothing: %s",
				      (*b)->info.number, err->message);
}

/* Sets precise mode on a new target, because the setting is kept when the target changes. */
static struct bw_error *keep_precise(struct bw_debug *d)
{
	if (d->breaks->precise < 0 || d->target->is_precise == (d->breaks->precise == 1))
		return NULL;
	if (bw_target_can(d->target, BW_CAP_PRECISE))
		return bw_target_set_precise(d->target, d->breaks->precise);
	_cleanup_error_ struct bw_error *err = bw_target_need(d->target, BW_CAP_PRECISE);
	bw_debug_note(d, BW_NOTICE_WARNING, "Memory stays %s: %s",
		      d->target->is_precise ? "precise" : "imprecise", err->message);
	return NULL;
}

struct bw_error *bw_excp_begin(struct bw_debug *d)
{
	BW_TRY(bw_excp_update(d));
	warn_of_exceptions(d);
	return keep_precise(d);
}

static uint32_t of_program(struct bw_debug *d, const struct bw_wave_record *w)
{
	const struct bw_dispatch_record *x = bw_debug_dispatch_priv(d, w->info.dispatch);
	return bw_arch_rsrc2_exceptions(bw_debug_arch(d), x ? x->info.desc.rsrc2 : 0);
}

uint32_t bw_excp_own_enables(struct bw_debug *d, const struct bw_wave_record *w, uint32_t raw)
{
	const struct bw_arch *arch = bw_debug_arch(d);
	uint32_t ours = d->waves->excp_ever & ~of_program(d, w);
	return bw_arch_set(arch, BW_WF_EXCP_EN, raw, bw_arch_get(arch, BW_WF_EXCP_EN, raw) & ~ours);
}

/* Enables the wave's own exceptions and those in excp. */
static struct bw_error *write_enables(struct bw_debug *d, struct bw_wave_record *w, uint32_t excp)
{
	struct bw_wave_state state = w->hw.state;
	enum bw_wreg reg = bw_arch_reg_of(state.arch, BW_WF_EXCP_EN);
	bw_wave_set(&state, BW_WF_EXCP_EN, bw_wave_get(&state, BW_WF_EXCP_EN) | excp);
	if (state.reg[reg] == w->raw_enables)
		return NULL;
	w->raw_enables = state.reg[reg];
	return bw_target_write_reg(d->target, w->info.slot, bw_treg(reg), state.reg[reg]);
}

struct bw_error *bw_excp_sync(struct bw_debug *d, struct bw_wave_record *w)
{
	/* the trap handler does not restore flags that would trap at once */
	w->hidden_excp = bw_wave_get(&w->hw.state, BW_WF_ALU_EXCEPTIONS) & d->waves->excp;
	return write_enables(d, w, d->waves->excp);
}

struct bw_error *bw_excp_restore_flags(struct bw_debug *d, struct bw_wave_record *w)
{
	struct bw_wave_state *state = &w->hw.state;
	enum bw_wreg reg = bw_arch_reg_of(state->arch, BW_WF_ALU_EXCEPTIONS);
	uint32_t seen = bw_wave_get(state, BW_WF_ALU_EXCEPTIONS);
	uint32_t hidden = w->hidden_excp & ~seen;
	w->hidden_excp = 0;
	if (!hidden)
		return NULL;
	bw_wave_set(state, BW_WF_ALU_EXCEPTIONS, seen | hidden);
	return bw_target_write_reg(d->target, w->info.slot, bw_treg(reg), state->reg[reg]);
}

struct bw_error *bw_excp_write_own(struct bw_debug *d, struct bw_wave_record *w)
{
	return write_enables(d, w, 0);
}

void bw_excp_remove_ours(struct bw_debug *d)
{
	if (!d->waves->excp_ever || !d->target || !bw_target_can(d->target, BW_EXCP_NEEDS))
		return;
	for (size_t i = 0; i < d->waves->stopped.len; i++) {
		struct bw_wave_record *w = bw_stopped_wave(d, i);
		bw_error_free(write_enables(d, w, 0));
	}
	d->waves->excp = d->waves->excp_ever = 0;
	bw_error_free(bw_target_set_exceptions(d->target, 0));
}

uint32_t bw_excp_hit(struct bw_debug *d, struct bw_wave_record *w, uint32_t excp, bool *out_resume)
{
	uint64_t lanes = w->info.exec;
	/* exceptions that the program itself enabled stop it with or without a catchpoint */
	*out_resume = !(excp & of_program(d, w));
	bw_vec_each(&d->breaks->all, it) {
		struct bw_break *b = *it;
		if (b->info.kind != BW_BREAK_EXCEPTION || !b->info.enabled ||
		    !(b->info.excp & excp))
			continue;
		if (!bw_break_counts(d, b, w, &lanes))
			continue;
		*out_resume = false;
		return b->info.number;
	}
	return 0;
}

struct bw_error *bw_debug_catch_exceptions(struct bw_debug *d, uint32_t mask, bool temporary,
					   uint32_t *out_number)
{
	static const char *const names[] = {"invalid",	 "denormal", "div0",	"overflow",
					    "underflow", "inexact",  "int_div0"};
	if (d->target)
		BW_TRY(bw_target_need(d->target, BW_EXCP_NEEDS));
	struct bw_break *b = calloc(1, sizeof(*b));
	struct bw_str spec = {0};
	if (!b)
		return bw_error_nomem();
	bw_str_add(&spec, "catch fp");
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++)
		if (mask >> i & 1)
			bw_str_addf(&spec, " %s", names[i]);
	b->spec = strdup(bw_str_text(&spec));
	bw_str_free(&spec);
	b->info = (struct bw_break_info){.kind = BW_BREAK_EXCEPTION,
					 .temporary = temporary,
					 .enabled = true,
					 .watch_register = -1,
					 .excp = mask};
	if (!b->spec) {
		bw_break_free(b);
		return bw_error_nomem();
	}
	BW_TRY(bw_break_add(d, b, out_number));
	return bw_excp_update(d);
}

/* ---- Precise memory ---- */

struct bw_error *bw_debug_set_precise(struct bw_debug *d, bool on)
{
	if (d->target)
		BW_TRY(bw_target_set_precise(d->target, on));
	d->breaks->precise = on;
	return NULL;
}

bool bw_debug_is_precise(const struct bw_debug *d)
{
	return d->target ? d->target->is_precise : d->breaks->precise == 1;
}
