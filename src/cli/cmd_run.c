/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "debug/breaks.h"
#include "debug/code.h"
#include "debug/expressions.h"
#include "debug/frames.h"
#include "debug/registers.h"
#include "debug/variables.h"
#include "sym/returned.h"

#include <stdlib.h>
#include <string.h>

/* Commands that resume waves: run, continue, stepi, nexti, quit. */

struct bw_error *bw_cmd_run(struct bw_cli *c, const char *args)
{
	if (args[0])
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"\"run\" takes no arguments here: give them on breakwater's command line");
	if (c->session->runs_through)
		return bw_session_run_through(c->session);
	BW_TRY(bw_session_restart(c->session));
	return bw_cli_wait_and_show(c);
}

static struct bw_error *need_program(struct bw_cli *c)
{
	return bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM
		       ? bw_errorf(BW_E_STATE, "The program is not being run (\"run\" starts it)")
		       : NULL;
}

/* The end of a program whose waves were stopped is noticed when they are resumed: it is reported as
 * its end, not as an error of the command. */
static struct bw_error *end_if_gone(struct bw_cli *c, struct bw_error *err)
{
	if (!bw_error_catch(&err, BW_E_GONE))
		return err;
	return bw_cli_wait_and_show(c);
}

struct bw_error *bw_cmd_continue(struct bw_cli *c, const char *args)
{
	BW_TRY(need_program(c));
	if (args[0]) {
		uint64_t count;
		BW_TRY(bw_cli_eval_count(c, args, &count));
		const struct bw_wave_info *w = bw_debug_focus(c->debug);
		if (count > 1 && w && bw_debug_breakpoint(c->debug, w->breakpoint))
			BW_TRY(bw_debug_break_ignore(c->debug, w->breakpoint, count - 1));
	}
	struct bw_error *err = bw_debug_continue(c->debug);
	return err ? end_if_gone(c, err) : bw_cli_wait_and_show(c);
}

/* COUNT steps of one kind: bw_debug_stepi or bw_debug_step_lines. */
typedef struct bw_error *step_fn(struct bw_debug *d, uint64_t count, bool over_calls,
				 struct bw_stop *out);

static struct bw_error *step(struct bw_cli *c, const char *args, step_fn *fn, bool over_calls)
{
	BW_TRY(need_program(c));
	const struct bw_wave_info *w;
	BW_TRY(bw_session_need_wave(c->session, &w));
	uint64_t count = 1;
	if (args[0])
		BW_TRY(bw_cli_eval_count(c, args, &count));
	struct bw_stop stop;
	struct bw_error *err = fn(c->debug, count, over_calls, &stop);
	if (err)
		return end_if_gone(c, err);
	bw_session_stopped(c->session, &stop, true);
	return NULL;
}

struct bw_error *bw_cmd_stepi(struct bw_cli *c, const char *args)
{
	return step(c, args, bw_debug_stepi, false);
}

struct bw_error *bw_cmd_nexti(struct bw_cli *c, const char *args)
{
	return step(c, args, bw_debug_stepi, true);
}

struct bw_error *bw_cmd_step(struct bw_cli *c, const char *args)
{
	return step(c, args, bw_debug_step_lines, false);
}

struct bw_error *bw_cmd_next(struct bw_cli *c, const char *args)
{
	return step(c, args, bw_debug_step_lines, true);
}

/* Asks before a jump to another function, which expects other values in registers and scratch. */
static struct bw_error *confirm_jump(struct bw_cli *c, const struct bw_wave_info *w, uint64_t to)
{
	struct bw_frame from, there;
	struct bw_where where;
	struct bw_str question = {0};
	bw_debug_frame(c->debug, w->dispatch, w->pc, &from);
	bw_debug_frame(c->debug, w->dispatch, to, &there);
	if (from.language != BW_LANGUAGE_COMPILED || !from.function ||
	    (there.function && !strcmp(from.function, there.function)))
		return NULL;
	bw_debug_where(c->debug, to, &where);
	if (where.has_line)
		bw_str_addf(&question, "Line %u", where.line.line);
	else
		bw_str_addf(&question, "Address 0x%llx", (unsigned long long)to);
	bw_str_addf(&question, " is not in `%s'.  Jump anyway? ", from.function);
	bool is_yes = bw_cli_ask(c, bw_str_text(&question));
	bw_str_free(&question);
	return is_yes ? NULL : bw_errorf(BW_E_STATE, "Not confirmed");
}

/* The focus wave resumes at another place; the others where they stopped. */
struct bw_error *bw_cmd_jump(struct bw_cli *c, const char *args)
{
	uint64_t *places;
	size_t n;
	const struct bw_wave_info *w;
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"jump\" takes a place, as \"break\" does");
	BW_TRY(need_program(c));
	BW_TRY(bw_target_need(bw_debug_target(c->debug), BW_CAP_RUN));
	BW_TRY(bw_session_need_wave(c->session, &w));
	BW_TRY(bw_debug_places(c->debug, args, &places, &n));
	uint64_t to = places[0];
	free(places);
	if (n > 1)
		return bw_errorf(BW_E_INVALID, "\"%s\" is %zu places: jump to *ADDRESS", args, n);
	BW_TRY(confirm_jump(c, w, to));
	BW_TRY(bw_debug_reg_write(c->debug, w->number,
				  (struct bw_wave_reg){BW_REG_SPECIAL, BW_REG_PC, 1}, to));
	bw_out_line(c->out, "Continuing at 0x%llx.", (unsigned long long)to);
	bw_out_flush(c->out); /* before the program can print */
	return bw_cmd_continue(c, "");
}

/* Runs to the first instruction of the first dispatch. */
struct bw_error *bw_cmd_starti(struct bw_cli *c, const char *args)
{
	uint32_t number;
	BW_TRY(bw_debug_break_dispatch(c->debug, "1", true, &number));
	struct bw_error *err = bw_cmd_run(c, args);
	if (err)
		bw_error_free(bw_debug_break_delete(c->debug, number));
	return err;
}

static struct bw_error *to_place(struct bw_cli *c, const char *where, bool in_frame)
{
	const struct bw_wave_info *w;
	struct bw_stop stop;
	BW_TRY(need_program(c));
	BW_TRY(bw_session_need_wave(c->session, &w));
	struct bw_error *err = where[0] ? bw_debug_advance(c->debug, where, in_frame, &stop)
					: bw_debug_until(c->debug, &stop);
	if (err)
		return end_if_gone(c, err);
	bw_session_stopped(c->session, &stop, !where[0]);
	return NULL;
}

struct bw_error *bw_cmd_until(struct bw_cli *c, const char *args)
{
	return to_place(c, args, true);
}

struct bw_error *bw_cmd_advance(struct bw_cli *c, const char *args)
{
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"advance\" takes a place, as \"break\" does");
	return to_place(c, args, false);
}

void bw_cli_show_returned(struct bw_cli *c, const struct bw_returned *r)
{
	struct bw_value v = {0};
	struct bw_str text = {0};
	char name[BW_TYPE_NAME_MAX];
	if (!r->type || !bw_debug_returned_is_there(c->debug, r))
		return;
	if (bw_debug_returned_value(c->debug, r, &v)) {
		bw_show_value(c->debug, &v, 0, &text);
		bw_out_line(c->out, "Value returned is $%u = %s", bw_debug_record(c->debug, &v),
			    bw_str_text(&text));
	} else {
		bw_ctype_name(r->type, name, sizeof(name));
		if (r->is_nocall)
			bw_out_line(
				c->out,
				"warning: Function '%s' does not follow the target calling convention, cannot determine its returned value.",
				r->function);
		const char *part = r->is_nocall ? NULL : bw_returned_why_not(r->type);
		bw_out_line(c->out, "Value returned has type: %s. Cannot determine contents%s%s%s",
			    name, part ? ": it has " : "", part ? part : "",
			    part ? ", which compilers return in ways that are not known here" : "");
	}
	bw_str_free(&text);
	bw_value_fini(&v);
}

struct bw_error *bw_cmd_finish(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	struct bw_stack_frame f, caller;
	struct bw_returned returned = {0};
	struct bw_str text = {0};
	struct bw_stop stop;
	if (args[0])
		return bw_errorf(BW_E_INVALID, "\"finish\" takes no argument: select a frame");
	BW_TRY(need_program(c));
	BW_TRY(bw_session_need_wave(c->session, &w));
	BW_TRY(bw_debug_selected_frame(c->debug, &f));
	struct bw_error *err = bw_debug_stack_frame(c->debug, f.level + 1, &caller);
	bw_show_stack_frame(c->debug, &f, &text);
	if (!err)
		bw_debug_returned_begin(c->debug, &f, &caller, &returned);
	if (!err && !bw_out_is_json(c->out))
		bw_out_line(c->out, "Run till exit from #%-2u %s", f.level, bw_str_text(&text));
	bw_str_free(&text);
	bw_error_free(err);
	bw_out_flush(c->out); /* before the program can print */
	err = bw_debug_finish(c->debug, &stop);
	if (err)
		return end_if_gone(c, err);
	bw_cli_finished(c, &stop, &returned);
	return NULL;
}

struct bw_error *bw_cmd_quit(struct bw_cli *c, const char *args)
{
	uint64_t status = 0;
	if (args[0] && (!bw_parse_u64(args, &status) || status > 255))
		return bw_errorf(BW_E_INVALID, "\"quit\" takes an exit status from 0 to 255");
	if (!bw_cli_may_leave(c))
		return bw_errorf(BW_E_STATE, "Not confirmed");
	if (args[0]) {
		c->session->exit_status = (int)status;
		c->session->exit_status_known = true;
	}
	c->quit = true;
	return NULL;
}
