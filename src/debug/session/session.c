// SPDX-License-Identifier: MIT
#include "debug/stepping/stepping_priv.h"
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/programs_priv.h"
#include "debug/expressions/eval.h"
#include "debug/frames/frames_priv.h"
#include "debug/variables/variables_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "isa/text.h"
#include "sym/lines.h"

/* The session with all of its parts. */
struct whole {
	struct bw_debug debug; /* first: it is freed as a whole */
	struct bw_programs programs;
	struct bw_debug_code code;
	struct bw_waves waves;
	struct bw_dispatches dispatches;
	struct bw_breaks breaks;
	struct bw_stepping stepping;
	struct bw_variables variables;
	struct bw_stack stack;
	struct bw_vars vars;
};

struct bw_error *bw_debug_create(struct bw_debug **out)
{
	struct whole *all = calloc(1, sizeof(*all));
	if (!all)
		return bw_error_nomem();
	struct bw_debug *d = &all->debug;
	d->programs = &all->programs;
	d->code = &all->code;
	d->waves = &all->waves;
	d->dispatches = &all->dispatches;
	d->breaks = &all->breaks;
	d->stepping = &all->stepping;
	d->variables = &all->variables;
	d->stack = &all->stack;
	d->vars = &all->vars;
	bw_breaks_init(d->breaks);
	bw_debug_forget_program(d);
	d->settings.hold_time = true;
	d->settings.print_elements = 200; /* gdb's */
	d->settings.print_repeats = 10;	  /* gdb's */
	struct bw_error *err = bw_debug_code_init(d->code);
	if (err)
		bw_debug_destroy(d);
	else
		*out = d;
	return err;
}

void bw_debug_destroy(struct bw_debug *d)
{
	if (!d)
		return;
	bw_debug_detach(d);
	bw_breaks_fini(d->breaks);
	bw_debug_code_fini(d->code);
	bw_dispatches_fini(d->dispatches);
	bw_waves_fini(d->waves);
	bw_stepping_fini(d->stepping);
	bw_variables_fini(d->variables);
	bw_stack_fini(d->stack);
	bw_vars_fini(d->vars);
	bw_programs_fini(d->programs);
	bw_isa_text_destroy(d->text);
	free(d);
}

void bw_debug_on_notice(struct bw_debug *d, bw_notice_fn *fn, void *cookie)
{
	d->notice = fn;
	d->notice_cookie = cookie;
}

void bw_debug_note(struct bw_debug *d, enum bw_notice_kind kind, const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (!d->notice)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	d->notice(d->notice_cookie, kind, text);
}

enum bw_debug_state bw_debug_state(const struct bw_debug *d)
{
	return d->state;
}

struct bw_target *bw_debug_target(struct bw_debug *d)
{
	return d->target;
}

struct bw_debug_settings *bw_debug_settings(struct bw_debug *d)
{
	return &d->settings;
}

struct bw_error *bw_debug_need_target(struct bw_debug *d)
{
	if (!d->target)
		return bw_errorf(BW_E_STATE, "The program is not being run");
	return NULL;
}

struct bw_error *bw_debug_start(struct bw_debug *d, struct bw_target *t)
{
	if (d->target)
		return bw_errorf(BW_E_STATE, "The program is being run already");
	struct bw_wave_record *slots =
		calloc(t->facts.n_slots ? t->facts.n_slots : 1, sizeof(*slots));
	if (!slots)
		return bw_error_nomem();
	bw_debug_forget_program(d);
	d->waves->slots = slots;
	d->target = t;
	d->state = BW_DEBUG_RUNNING;
	BW_TRY(bw_draws_begin(d));
	return bw_excp_begin(d);
}

void bw_debug_forget_program(struct bw_debug *d)
{
	bw_breaks_forget(d, 0);
	bw_debug_code_forget(d, 0);
	bw_dispatches_forget(d->dispatches);
	bw_waves_forget(d);
	bw_programs_forget(d);
	bw_stepping_forget(d->stepping);
}

/* bw_debug_interrupt may come in at any moment: it must not find a target that is being freed. */
void bw_debug_close_target(struct bw_debug *d)
{
	struct bw_target *t = d->target;
	__atomic_store_n(&d->target, NULL, __ATOMIC_SEQ_CST);
	d->state = BW_DEBUG_NO_PROGRAM;
	d->time_held = false; /* there is no target any more */
	if (t)
		bw_target_close(t);
	bw_debug_forget_program(d);
}

const struct bw_arch *bw_debug_arch(const struct bw_debug *d)
{
	return d->target ? d->target->facts.arch : bw_arch_nth(0);
}

enum bw_isa_gen bw_debug_isa(const struct bw_debug *d)
{
	/* Each generation of arch is one of isa (tests/arch). */
	enum bw_isa_gen gen = BW_ISA_GFX11;
	bw_isa_gen_by_name(bw_debug_arch(d)->name, &gen);
	return gen;
}

/* Waves at a breakpoint need no displacement, as closing restores the code. Those that reported a
 * trap resume after it, as with continue. inferior: which one's waves; 0: all. */
void bw_debug_prepare_detach(struct bw_debug *d, uint32_t inferior)
{
	if (!bw_target_can(d->target, BW_CAP_RUN | BW_CAP_WRITE_REGS))
		return;
	for (size_t i = 0; i < d->waves->stopped.len; i++) {
		struct bw_wave_record *w = bw_stopped_wave(d, i);
		if (inferior && w->info.inferior != inferior)
			continue;
		if (inferior && d->waves->excp_ever)
			bw_error_free(bw_excp_write_own(d, w));
		if (w->skip_b && w->info.pc == w->stop_pc)
			bw_error_free(bw_target_write_reg(d->target, w->info.slot, BW_TREG_PC,
							  w->info.pc + w->skip_b));
	}
}

/* Stops all waves before the session leaves the program, so that bw_excp_remove_ours can restore
 * their exceptions. */
static void stop_to_leave(struct bw_debug *d)
{
	if (d->waves->excp_ever && d->state == BW_DEBUG_RUNNING &&
	    bw_target_can(d->target, BW_EXCP_NEEDS))
		bw_error_free(bw_debug_stop_all(d));
}

void bw_debug_detach(struct bw_debug *d)
{
	if (d->target) {
		stop_to_leave(d);
		bw_excp_remove_ours(d);
		bw_debug_prepare_detach(d, 0);
	}
	bw_debug_close_target(d);
}

struct bw_error *bw_debug_kill(struct bw_debug *d)
{
	BW_TRY(bw_debug_need_target(d));
	BW_TRY(bw_target_need(d->target, BW_CAP_PROCESSES));
	struct bw_error *err = bw_target_kill(d->target, 0);
	bw_debug_close_target(d);
	return err;
}

static struct bw_error *hold_time(struct bw_debug *d, bool on)
{
	if (!d->target || d->time_held == on || !bw_target_can(d->target, BW_CAP_HOLD_TIME))
		return NULL;
	d->time_held = on;
	struct bw_error *err = bw_target_hold_time(d->target, on);
	/* a program that is gone: an event will say so */
	return bw_error_catch(&err, BW_E_GONE) ? NULL : err;
}

struct bw_error *bw_debug_hold_time(struct bw_debug *d)
{
	return d->settings.hold_time && d->state == BW_DEBUG_STOPPED ? hold_time(d, true) : NULL;
}

struct bw_error *bw_debug_resume_time(struct bw_debug *d)
{
	return hold_time(d, false);
}

void bw_debug_interrupt(struct bw_debug *d)
{
	struct bw_target *t = __atomic_load_n(&d->target, __ATOMIC_SEQ_CST);
	if (t)
		bw_target_interrupt(t);
}

struct bw_error *bw_debug_add_code_object(struct bw_debug *d, struct bw_code_object *co)
{
	struct bw_module *m = calloc(1, sizeof(*m));
	if (!m) {
		bw_code_object_close(co);
		return bw_error_nomem();
	}
	m->co = co;
	m->name = strdup(bw_code_object_path(co));
	struct bw_error *err = m->name ? bw_lines_open(co, &m->lines) : bw_error_nomem();
	if (!err)
		err = bw_code_object_name_args(co, m->lines);
	if (!err)
		bw_lines_search_in(m->lines, &d->code->source_paths);
	if (!err) /* before modules that were found without a name in the meantime */
		err = bw_vec_insert(&d->code->modules, 0, m);
	if (err) {
		bw_module_free(m);
		return err;
	}
	if (bw_lines_damage(m->lines))
		bw_debug_note(d, BW_NOTICE_WARNING, "%s", bw_lines_damage(m->lines));
	if (!d->target)
		return NULL;
	BW_TRY(bw_debug_match_again(d));
	bw_debug_resolve_breaks(d);
	return NULL;
}

struct bw_error *bw_debug_add_raw(struct bw_debug *d, const char *name, const void *code,
				  size_t size_b)
{
	struct bw_module *m = calloc(1, sizeof(*m));
	if (!m)
		return bw_error_nomem();
	m->name = strdup(name);
	m->raw = malloc(size_b ? size_b : 1);
	struct bw_error *err =
		m->name && m->raw ? bw_vec_push(&d->code->modules, m) : bw_error_nomem();
	if (err) {
		bw_module_free(m);
		return err;
	}
	memcpy(m->raw, code, size_b);
	m->raw_b = size_b;
	m->raw_kernel = (struct bw_kernel){.name = m->name, .end = size_b};
	m->raw_symbol = (struct bw_symbol){.name = m->name, .size_b = size_b, .is_function = true};
	return NULL;
}
