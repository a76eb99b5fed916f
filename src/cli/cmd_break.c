/* SPDX-License-Identifier: MIT */
#include "cli/blocks.h"
#include "base/file.h"
#include "cli/commands.h"
#include "debug/breaks.h"
#include "debug/code.h"
#include "debug/expressions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"

/* $bpnum */
static void remember_number(struct bw_cli *c, uint32_t number)
{
	const struct bw_value v = {.type = {.kind = BW_TYPE_INT, .size_b = 4}, .bits = number};
	bw_error_free(bw_debug_set_var(c->debug, "bpnum", &v)); /* nothing depends on it */
}

void bw_cli_show_new_breakpoint(struct bw_cli *c, uint32_t number, const char *kind)
{
	const struct bw_break_info *b = bw_debug_breakpoint(c->debug, number);
	if (!b)
		return;
	remember_number(c, number);
	bw_out_int(c->out, "number", number);
	bw_out_bool(c->out, "pending", b->pending);
	bw_out_json(c->out, "addresses", bw_addresses_json(b));
	if (bw_starts_with(b->spec, "on dispatch") || b->kind == BW_BREAK_DRAW) {
		bw_out_line(c->out, "%s %u (%s)", kind, number, b->spec);
		return;
	}
	if (!b->n_addr) {
		bw_out_line(c->out, "%s %u (%s) waits for its code to be loaded.", kind, number,
			    b->spec);
		return;
	}
	struct bw_where where;
	const char *function;
	bw_debug_break_where(c->debug, b->number, b->addr[0], &where, &function);
	struct bw_str s = {0};
	bw_str_addf(&s, "%s %u at 0x%llx", kind, number, (unsigned long long)b->addr[0]);
	if (b->n_addr > 1)
		bw_str_addf(&s, ": %s. (%zu locations)", b->spec, b->n_addr);
	else if (where.has_line)
		bw_str_addf(&s, ": file %s, line %u.", bw_base_name(where.line.file),
			    where.line.line);
	bw_out_line(c->out, "%s", bw_str_text(&s));
	bw_str_free(&s);
	bw_show_place_facts(c->out, &where);
}

static struct bw_error *set_breakpoint(struct bw_cli *c, const char *args, bool temporary)
{
	uint32_t number;
	BW_TRY(bw_debug_break_typed(c->debug, args, temporary, &number));
	bw_cli_show_new_breakpoint(c, number, temporary ? "Temporary breakpoint" : "Breakpoint");
	return NULL;
}

/* ---- Watchpoints and catchpoints ---- */

static struct bw_error *set_watchpoint(struct bw_cli *c, const char *args, enum bw_break_kind kind)
{
	uint32_t number;
	if (bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM)
		return bw_errorf(
			BW_E_STATE,
			"The program is not being run (\"run\" starts it): nothing is in memory yet");
	BW_TRY(bw_debug_watch(c->debug, args, kind, &number));
	const struct bw_break_info *b = bw_debug_breakpoint(c->debug, number);
	const struct bw_wave_info *w = bw_debug_focus(c->debug);
	if (!b)
		return NULL;
	remember_number(c, number);
	bw_out_line(c->out, "%s %u: %s", bw_watch_kind_text(b), number, b->spec);
	if (b->watch_register < 0 && w)
		bw_out_line(
			c->out,
			"No watch register can do that: wave %u will be stepped from instruction to instruction%s.",
			w->number,
			b->watch_group ? ", and so will the others of its workgroup" : "");
	bw_out_int(c->out, "number", number);
	bw_out_bool(c->out, "hardware", b->watch_register >= 0);
	return NULL;
}

struct bw_error *bw_cmd_watch(struct bw_cli *c, const char *args)
{
	return set_watchpoint(c, args, BW_BREAK_WATCH);
}

struct bw_error *bw_cmd_rwatch(struct bw_cli *c, const char *args)
{
	return set_watchpoint(c, args, BW_BREAK_RWATCH);
}

struct bw_error *bw_cmd_awatch(struct bw_cli *c, const char *args)
{
	return set_watchpoint(c, args, BW_BREAK_AWATCH);
}

/* Exceptions by the words of the stop reasons and the ISA manual. "all" leaves out what nearly
 * every kernel does: inexact results. */
static const struct {
	const char *word;
	uint32_t excp;
} exception_words[] = {
	{"invalid", BW_EXCP_INVALID},
	{"denormal", BW_EXCP_INPUT_DENORM},
	{"div0", BW_EXCP_DIV0},
	{"overflow", BW_EXCP_OVERFLOW},
	{"underflow", BW_EXCP_UNDERFLOW},
	{"inexact", BW_EXCP_INEXACT},
	{"int_div0", BW_EXCP_INT_DIV0},
	{"all", BW_EXCP_INVALID | BW_EXCP_DIV0 | BW_EXCP_OVERFLOW | BW_EXCP_INT_DIV0},
};

const char *bw_cli_exception_word(size_t i)
{
	return i < BW_ARRAY_SIZE(exception_words) ? exception_words[i].word : NULL;
}

static struct bw_error *no_exception(const char *word)
{
	struct bw_str all = {0};
	for (size_t i = 0; i < BW_ARRAY_SIZE(exception_words); i++)
		bw_str_add_next(&all, exception_words[i].word);
	struct bw_error *err =
		bw_errorf(BW_E_INVALID, "\"%s\" is not an exception: %s", word, bw_str_text(&all));
	bw_str_free(&all);
	return err;
}

static struct bw_error *exceptions_of(const char *args, uint32_t *out_mask)
{
	uint32_t mask = 0;
	while (args[0]) {
		char word[32];
		bool known = false;
		bw_take_word(&args, word, sizeof(word));
		for (size_t i = 0; i < BW_ARRAY_SIZE(exception_words); i++) {
			if (strcmp(word, exception_words[i].word))
				continue;
			mask |= exception_words[i].excp;
			known = true;
		}
		if (!known)
			return no_exception(word);
	}
	*out_mask =
		mask ? mask : BW_EXCP_INVALID | BW_EXCP_DIV0 | BW_EXCP_OVERFLOW | BW_EXCP_INT_DIV0;
	return NULL;
}

/* catch dispatch ...: break on dispatch */
static struct bw_error *set_dispatch_breakpoint(struct bw_cli *c, const char *args, bool temporary)
{
	struct bw_str text = {0};
	bw_str_addf(&text, "on dispatch %s", args);
	struct bw_error *err = set_breakpoint(c, bw_str_text(&text), temporary);
	bw_str_free(&text);
	return err;
}

static struct bw_error *set_catchpoint(struct bw_cli *c, const char *args, bool temporary)
{
	char what[32];
	uint32_t number, mask = 0;
	bw_take_word(&args, what, sizeof(what));
	/* These exceptions stop a wave with or without a catchpoint. */
	if (!strcmp(what, "fault") || !strcmp(what, "trap") || !strcmp(what, "illegal")) {
		bw_out_line(c->out, "Every %s stops its wave; there is nothing to set.",
			    !strcmp(what, "fault")  ? "memory violation"
			    : !strcmp(what, "trap") ? "s_trap"
						    : "illegal instruction");
		return NULL;
	}
	if (!strcmp(what, "dispatch"))
		return set_dispatch_breakpoint(c, args, temporary);
	if (strcmp(what, "fp"))
		return bw_errorf(
			BW_E_INVALID,
			"\"catch\" takes dispatch ..., or fp [invalid denormal div0 overflow underflow inexact int_div0 all]; "
			"memory violations, illegal instructions and traps always stop");
	BW_TRY(exceptions_of(args, &mask));
	BW_TRY(bw_debug_catch_exceptions(c->debug, mask, temporary, &number));
	const struct bw_break_info *b = bw_debug_breakpoint(c->debug, number);
	remember_number(c, number);
	bw_out_line(c->out, "%s %u (%s)", temporary ? "Temporary catchpoint" : "Catchpoint", number,
		    b ? b->spec : "");
	bw_out_int(c->out, "number", number);
	return NULL;
}

struct bw_error *bw_cmd_catch(struct bw_cli *c, const char *args)
{
	return set_catchpoint(c, args, false);
}

struct bw_error *bw_cmd_tcatch(struct bw_cli *c, const char *args)
{
	return set_catchpoint(c, args, true);
}

struct bw_error *bw_cmd_break(struct bw_cli *c, const char *args)
{
	return set_breakpoint(c, args, false);
}

struct bw_error *bw_cmd_tbreak(struct bw_cli *c, const char *args)
{
	return set_breakpoint(c, args, true);
}

struct bw_error *bw_cli_each_number(struct bw_cli *c, const char *args, bw_number_fn *fn,
				    void *cookie)
{
	if (!args[0])
		return fn(c, 0, cookie);
	while (args[0]) {
		char word[32];
		struct bw_value v = {0};
		uint64_t first, last;
		bw_take_word(&args, word, sizeof(word));
		char *dash = strchr(word, '-');
		if (dash)
			*dash = '\0';
		bool good = bw_parse_u64(word, &first) && (!dash || bw_parse_u64(dash + 1, &last));
		if (!good && !dash && word[0] == '$') { /* $bpnum, $n */
			BW_TRY(bw_cli_eval(c, word, &v));
			good = !v.elem && !v.is_missing &&
			       (v.type.kind == BW_TYPE_INT || v.type.kind == BW_TYPE_UINT);
			first = v.bits;
			bw_value_fini(&v);
		}
		if (!good || !first || first > UINT32_MAX)
			return bw_errorf(BW_E_INVALID,
					 "\"%s\" is not the number of a breakpoint or display",
					 word);
		if (!dash)
			last = first;
		if (last < first || last > first + 65536)
			return bw_errorf(BW_E_INVALID, "%s-%s is not a range of numbers", word,
					 dash ? dash + 1 : "");
		for (uint64_t n = first; n <= last; n++)
			BW_TRY(fn(c, (uint32_t)n, cookie));
	}
	return NULL;
}

static struct bw_error *delete_one(struct bw_cli *c, uint32_t number, void *cookie)
{
	return bw_debug_break_delete(c->debug, number);
}

/* Removes a word with which args may begin: "delete breakpoints 1 2", "enable once 1". */
static bool take_keyword(const char **args, const char *keyword)
{
	char word[32];
	const char *rest = *args;
	bw_take_word(&rest, word, sizeof(word));
	if (strcmp(word, keyword))
		return false;
	*args = rest;
	return true;
}

struct bw_error *bw_cmd_delete(struct bw_cli *c, const char *args)
{
	if (take_keyword(&args, "display"))
		return bw_cmd_undisplay(c, args);
	take_keyword(&args, "breakpoints");
	return bw_cli_each_number(c, args, delete_one, NULL);
}

struct enabling {
	bool on;
	enum bw_break_after after;
	uint64_t count;
};

static struct bw_error *enable_one(struct bw_cli *c, uint32_t number, void *cookie)
{
	const struct enabling *e = cookie;
	if (e->on && e->after != BW_BREAK_STAYS && !number)
		return bw_errorf(
			BW_E_INVALID,
			"\"enable once\", \"delete\" and \"count\" take numbers of breakpoints");
	BW_TRY(bw_debug_break_enable(c->debug, number, e->on));
	return e->on && number ? bw_debug_break_after(c->debug, number, e->after, e->count) : NULL;
}

struct bw_error *bw_cmd_enable(struct bw_cli *c, const char *args)
{
	struct enabling e = {.on = true, .after = BW_BREAK_STAYS};
	if (take_keyword(&args, "display"))
		return bw_cli_enable_displays(c, args, true);
	take_keyword(&args, "breakpoints");
	if (take_keyword(&args, "once")) {
		e.after = BW_BREAK_DISABLED;
		e.count = 1;
	} else if (take_keyword(&args, "delete")) {
		e.after = BW_BREAK_DELETED;
	} else if (take_keyword(&args, "count")) {
		char word[32];
		bw_take_word(&args, word, sizeof(word));
		e.after = BW_BREAK_DISABLED;
		if (!bw_parse_u64(word, &e.count) || !e.count)
			return bw_errorf(
				BW_E_INVALID,
				"\"enable count\" takes a count and numbers of breakpoints");
	}
	return bw_cli_each_number(c, args, enable_one, &e);
}

struct bw_error *bw_cmd_disable(struct bw_cli *c, const char *args)
{
	struct enabling e = {.on = false};
	if (take_keyword(&args, "display"))
		return bw_cli_enable_displays(c, args, false);
	take_keyword(&args, "breakpoints");
	return bw_cli_each_number(c, args, enable_one, &e);
}

/* All breakpoints at a place. */
struct bw_error *bw_cmd_clear(struct bw_cli *c, const char *args)
{
	uint64_t *places;
	size_t n_places, n;
	struct bw_str names = {0};
	BW_TRY(bw_debug_places(c->debug, args, &places, &n_places));
	const struct bw_break_info *list = bw_debug_breakpoints(c->debug, &n);
	_cleanup_free_ uint32_t *numbers = calloc(n ? n : 1, sizeof(*numbers));
	size_t n_numbers = 0;
	for (size_t i = 0; numbers && i < n; i++) {
		bool here = false;
		for (size_t k = 0; k < list[i].n_addr; k++)
			for (size_t p = 0; p < n_places; p++)
				here |= list[i].addr[k] == places[p];
		if (here && list[i].kind == BW_BREAK_CODE)
			numbers[n_numbers++] = list[i].number;
	}
	free(places);
	struct bw_error *err = n_numbers ? NULL
					 : bw_errorf(BW_E_NOT_FOUND, "No breakpoint at %s",
						     args[0] ? args : "this place");
	for (size_t i = 0; !err && i < n_numbers; i++) {
		err = bw_debug_break_delete(c->debug, numbers[i]);
		bw_str_addf(&names, " %u", numbers[i]);
	}
	if (!err)
		bw_out_line(c->out, "Deleted breakpoint%s%s", n_numbers == 1 ? "" : "s",
			    bw_str_text(&names));
	bw_str_free(&names);
	return err;
}

struct bw_error *bw_cmd_condition(struct bw_cli *c, const char *args)
{
	char word[32];
	uint64_t number;
	bw_take_word(&args, word, sizeof(word));
	if (!bw_parse_u64(word, &number) || number > UINT32_MAX)
		return bw_errorf(BW_E_INVALID,
				 "\"condition\" takes a breakpoint number and an expression");
	BW_TRY(bw_debug_break_condition(c->debug, (uint32_t)number, args));
	if (!args[0])
		bw_out_line(c->out, "Breakpoint %u now unconditional.", (unsigned)number);
	return NULL;
}

struct bw_error *bw_cmd_ignore(struct bw_cli *c, const char *args)
{
	char word[32];
	uint64_t number, count;
	bw_take_word(&args, word, sizeof(word));
	if (!word[0] || !args[0])
		return bw_errorf(BW_E_INVALID, "\"ignore\" takes a breakpoint number and a count");
	BW_TRY(bw_cli_eval_count(c, word, &number));
	BW_TRY(bw_cli_eval_count(c, args, &count));
	if (number > UINT32_MAX)
		return bw_errorf(BW_E_NOT_FOUND, "No breakpoint number %s", word);
	BW_TRY(bw_debug_break_ignore(c->debug, (uint32_t)number, count));
	bw_out_line(c->out, "Will ignore the next %llu crossing%s of breakpoint %u.",
		    (unsigned long long)count, count == 1 ? "" : "s", (unsigned)number);
	return NULL;
}

/* ---- save breakpoints ---- */

static void save_one(FILE *f, struct bw_cli *c, const struct bw_break_info *b)
{
	static const char *const verbs[] = {
		[BW_BREAK_CODE] = "break ",    [BW_BREAK_WATCH] = "watch ",
		[BW_BREAK_RWATCH] = "rwatch ", [BW_BREAK_AWATCH] = "awatch ",
		[BW_BREAK_EXCEPTION] = "",     [BW_BREAK_DRAW] = "break "};
	size_t n;
	const char *const *lines = bw_cli_commands_of(c, b->number, &n);
	const struct bw_block *block = bw_block_of_breakpoint(c, b->number);
	/* the spec of a catchpoint is the command itself */
	fprintf(f, "%s%s%s", b->temporary ? "t" : "", b->passes ? "dprintf " : verbs[b->kind],
		b->spec);
	if (b->condition)
		fprintf(f, " if %s", b->condition);
	if (b->wave)
		fprintf(f, " wave %u", b->wave);
	if (b->passes && n) {
		fprintf(f, ",%s", lines[0] + strlen("printf "));
		n = 0;
	}
	fputc('\n', f);
	if (b->ignore)
		fprintf(f, "ignore $bpnum %llu\n", (unsigned long long)b->ignore);
	if (n)
		fprintf(f, "commands %s$bpnum\n", block && block->each_wave ? "-each-wave " : "");
	for (size_t i = 0; i < n; i++)
		fprintf(f, "  %s\n", lines[i]);
	if (n)
		fprintf(f, "end\n");
	if (!b->enabled)
		fprintf(f, "disable $bpnum\n");
}

struct bw_error *bw_cmd_save(struct bw_cli *c, const char *args)
{
	size_t n;
	if (!take_keyword(&args, "breakpoints") || !args[0])
		return bw_errorf(
			BW_E_INVALID,
			"\"save\" takes breakpoints and a file; \"source\" reads it again");
	const struct bw_break_info *list = bw_debug_breakpoints(c->debug, &n);
	if (!n)
		return bw_errorf(BW_E_STATE, "Nothing to save");
	_cleanup_fclose_ FILE *f = fopen(args, "w");
	if (!f)
		return bw_error_errno(errno, "cannot write %s", args);
	for (size_t i = 0; i < n; i++)
		save_one(f, c, &list[i]);
	if (fflush(f)) {
		bw_file_remove_half(args);
		return bw_error_errno(errno, "cannot write %s", args);
	}
	bw_out_line(c->out, "Saved to file '%s'.", args);
	return NULL;
}
