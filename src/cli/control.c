/* SPDX-License-Identifier: MIT */
#include "cli/blocks.h"
#include "cli/commands.h"
#include "debug/waves.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"

/* Running kept lines: if, else, while, loop_break, loop_continue and $argN; the commands of
 * breakpoints, and the user's own. */

/* $arg0 ... $arg31 and $argc by their text. */
static struct bw_error *substitute(const char *line, const struct bw_block_args *args,
				   struct bw_str *out)
{
	for (const char *p = line; *p;) {
		size_t digits = 0;
		bool count = args && !strncmp(p, "$argc", 5) && !isalnum((unsigned char)p[5]) &&
			     p[5] != '_';
		while (args && !strncmp(p, "$arg", 4) && isdigit((unsigned char)p[4 + digits]))
			digits++;
		bool arg = digits && !isalpha((unsigned char)p[4 + digits]) && p[4 + digits] != '_';
		if (count) {
			bw_str_addf(out, "%zu", args->n);
			p += 5;
		} else if (arg) {
			unsigned long i = strtoul(p + 4, NULL, 10);
			if (i >= args->n)
				return bw_errorf(BW_E_INVALID,
						 "Missing argument %lu in user function", i);
			bw_str_add(out, args->arg[i]);
			p += 4 + digits;
		} else {
			bw_str_addn(out, p++, 1);
		}
	}
	return NULL;
}

/* ---- Lines ---- */

enum leaving { STAYS, BREAKS, CONTINUES };

struct run {
	struct bw_cli *c;
	const struct bw_lines_kept *k;
	const struct bw_block_args *args;
	enum leaving leaving;	    /* a loop_break or loop_continue is being carried out */
	unsigned interrupts, stops; /* of the cli when it began */
	bool until_resumed; /* commands of a breakpoint: a command that resumes the program ends the
			     * list */
};

static bool over(const struct run *r)
{
	const struct bw_cli *c = r->c;
	return c->quit || c->after_stop.wave_done || r->leaving != STAYS ||
	       (r->until_resumed && c->stops != r->stops);
}

/* The "end" that belongs to the if or while at `at`, and its else (the end, if it has none). */
static bool find_end(const struct bw_lines_kept *k, size_t at, size_t limit, size_t *out_else,
		     size_t *out_end)
{
	unsigned depth = 0;
	*out_else = SIZE_MAX;
	for (size_t i = at; i < limit; i++) {
		switch (bw_block_word(k->line[i])) {
		case BW_WORD_IF:
		case BW_WORD_WHILE:
		case BW_WORD_OPENS:
			depth++;
			break;
		case BW_WORD_ELSE:
			if (depth == 1 && *out_else == SIZE_MAX)
				*out_else = i;
			break;
		case BW_WORD_END:
			if (--depth)
				break;
			*out_end = i;
			if (*out_else == SIZE_MAX)
				*out_else = i;
			return true;
		case BW_WORD_OTHER:
			break;
		}
	}
	return false;
}

static struct bw_error *holds(struct run *r, const char *line, bool *out)
{
	struct bw_str text = {0};
	struct bw_value v = {0};
	const char *expr = bw_skip_blanks(line);
	while (isalpha((unsigned char)*expr))
		expr++;
	expr = bw_skip_blanks(expr);
	struct bw_error *err =
		expr[0] ? substitute(expr, r->args, &text)
			: bw_errorf(BW_E_INVALID, "if/while commands require arguments");
	if (!err)
		err = bw_cli_eval(r->c, bw_str_text(&text), &v);
	if (!err) {
		unsigned lane = v.across_lanes ? bw_debug_focus_lane(r->c->debug) : 0;
		err = bw_value_truth(&v, lane, out);
	}
	bw_str_free(&text);
	bw_value_fini(&v);
	return err;
}

static struct bw_error *run_range(struct run *r, size_t first, size_t last);

static struct bw_error *run_while(struct run *r, size_t at, size_t end)
{
	struct bw_cli *c = r->c;
	for (uint64_t rounds = 1;; rounds++) {
		bool yes;
		BW_TRY(holds(r, r->k->line[at], &yes));
		if (!yes)
			return NULL;
		BW_TRY(run_range(r, at + 1, end));
		if (r->leaving == CONTINUES)
			r->leaving = STAYS;
		bool breaks = r->leaving == BREAKS;
		if (breaks)
			r->leaving = STAYS;
		if (breaks || over(r))
			return NULL;
		if (r->interrupts != bw_session_interrupts())
			return bw_errorf(BW_E_STATE, "Quit: the loop was interrupted");
		if (c->max_rounds && rounds >= c->max_rounds)
			return bw_errorf(BW_E_INVALID, "the loop has run %u times", c->max_rounds);
	}
}

static struct bw_error *run_line(struct run *r, const char *line)
{
	struct bw_str text = {0};
	const char *word = bw_skip_blanks(line);
	if (!strcmp(word, "loop_break") || !strcmp(word, "loop_continue")) {
		r->leaving = word[5] == 'b' ? BREAKS : CONTINUES;
		return NULL;
	}
	struct bw_error *err = substitute(line, r->args, &text);
	if (!err)
		err = bw_cli_execute(r->c, bw_str_text(&text));
	bw_str_free(&text);
	return err;
}

static struct bw_error *run_control(struct run *r, size_t first, size_t last, size_t *out_next)
{
	size_t other, end;
	bool yes, loop = bw_block_word(r->k->line[first]) == BW_WORD_WHILE;
	if (!find_end(r->k, first, last, &other, &end))
		return bw_errorf(BW_E_INVALID, "\"%s\" has no \"end\"", r->k->line[first]);
	*out_next = end + 1;
	BW_TRY(bw_cli_deeper(r->c));
	struct bw_error *err = loop ? run_while(r, first, end) : holds(r, r->k->line[first], &yes);
	if (!err && !loop && yes)
		err = run_range(r, first + 1, other);
	else if (!err && !loop && other < end)
		err = run_range(r, other + 1, end);
	r->c->depth--;
	return err;
}

static struct bw_error *run_range(struct run *r, size_t first, size_t last)
{
	for (size_t i = first; i < last && !over(r);) {
		const char *line = r->k->line[i];
		enum bw_block_word word = bw_block_word(line);
		bool control = word == BW_WORD_IF || word == BW_WORD_WHILE;
		if (control && !bw_cli_collects(r->c)) {
			BW_TRY(run_control(r, i, last, &i));
			continue;
		}
		BW_TRY(run_line(r, line));
		i++;
	}
	return NULL;
}

static struct bw_error *run_all(struct bw_cli *c, const struct bw_lines_kept *k,
				const struct bw_block_args *args, bool until_resumed)
{
	struct bw_lines_kept copy; /* a copy, as the lines it runs may change the stored block */
	BW_TRY(bw_lines_kept_copy(k, &copy));
	struct run r = {.c = c,
			.k = &copy,
			.args = args,
			.interrupts = bw_session_interrupts(),
			.stops = c->stops,
			.until_resumed = until_resumed};
	struct bw_error *err = run_range(&r, 0, copy.n);
	bw_lines_kept_fini(&copy);
	return err;
}

struct bw_error *bw_run_lines(struct bw_cli *c, const struct bw_lines_kept *k,
			      const struct bw_block_args *args)
{
	return run_all(c, k, args, false);
}

/* ---- The user's commands ---- */

/* Splits into words, or quoted strings (the marks stay). */
static struct bw_error *split_args(const char *text, struct bw_block_args *out)
{
	while (*(text = bw_skip_blanks(text))) {
		size_t n = 0;
		char quote = 0;
		for (; text[n] && (quote || !isspace((unsigned char)text[n])); n++) {
			if (quote && text[n] == '\\' && text[n + 1])
				n++;
			else if (text[n] == quote)
				quote = 0;
			else if (!quote && (text[n] == '"' || text[n] == '\''))
				quote = text[n];
		}
		if (out->n == BW_ARRAY_SIZE(out->arg))
			return bw_errorf(BW_E_INVALID, "a user command takes %zu arguments at most",
					 out->n);
		out->arg[out->n] = strndup(text, n);
		if (!out->arg[out->n])
			return bw_error_nomem();
		out->n++;
		text += n;
	}
	return NULL;
}

struct bw_error *bw_cli_run_defined(struct bw_cli *c, const char *line, bool *out_ran)
{
	char name[64];
	struct bw_block_args args = {.n = 0};
	bw_take_word(&line, name, sizeof(name));
	const struct bw_block *b = bw_block_of_command(c, name);
	*out_ran = b;
	if (!b)
		return NULL;
	struct bw_error *err = split_args(line, &args);
	if (!err)
		err = bw_run_lines(c, &b->lines, &args);
	for (size_t i = 0; i < args.n; i++)
		free(args.arg[i]);
	return err;
}

/* ---- Commands of breakpoints ---- */

bool bw_cli_is_silent(const struct bw_cli *c, uint32_t breakpoint)
{
	const struct bw_block *b = breakpoint ? bw_block_of_breakpoint(c, breakpoint) : NULL;
	return b && b->lines.n && !strcmp(b->lines.line[0], "silent");
}

struct bw_error *bw_cmd_silent(struct bw_cli *c, const char *args)
{
	return NULL; /* "silent" was handled before the stop was shown */
}

/* Runs the list once for each wave that has stopped here, with the focus on it. A command that
 * resumes the program takes effect after the last wave. */
static struct bw_error *run_each_wave(struct bw_cli *c, const struct bw_lines_kept *lines)
{
	size_t n = 0, n_here = 0;
	unsigned stops = c->stops;
	const struct bw_wave_info *all = bw_debug_waves(c->debug, &n),
				  *focus = bw_debug_focus(c->debug);
	_cleanup_free_ uint32_t *here = calloc(n ? n : 1, sizeof(*here));
	if (!here || !focus)
		return here ? NULL : bw_error_nomem();
	uint32_t breakpoint = focus->breakpoint, first = focus->number;
	uint64_t pc = focus->pc;
	for (size_t i = 0; i < n; i++)
		if (all[i].breakpoint == breakpoint && all[i].pc == pc)
			here[n_here++] = all[i].number;
	struct bw_error *err = NULL;
	for (size_t i = 0; !err && i < n_here && c->stops == stops && !c->quit; i++) {
		err = bw_debug_set_focus(c->debug, here[i]);
		c->after_stop.waves_left = n_here - i - 1;
		c->after_stop.wave_done = false;
		if (!err)
			err = run_all(c, lines, NULL, true);
	}
	c->after_stop.waves_left = 0;
	c->after_stop.wave_done = false;
	if (!err && c->stops == stops && bw_debug_wave(c->debug, first))
		err = bw_debug_set_focus(c->debug, first);
	return err;
}

/* A command that resumes the program ends the list, as in gdb: the next stop has a list of its
 * own. */
struct bw_error *bw_cli_run_stop_commands(struct bw_cli *c)
{
	struct bw_error *err = NULL;
	if (c->after_stop.runs_commands || !c->after_stop.breakpoint)
		return NULL;
	c->after_stop.runs_commands = true;
	while (!err && c->after_stop.breakpoint && !c->quit) {
		uint32_t number = c->after_stop.breakpoint;
		const struct bw_block *b = bw_block_of_breakpoint(c, number);
		c->after_stop.breakpoint = 0;
		/* they may resume the program again and again */
		if (b && c->session->interrupts_before != bw_session_interrupts()) {
			bw_target_forget_interrupt(bw_debug_target(c->debug));
			err = bw_errorf(BW_E_STATE,
					"Quit: interrupted, the commands of breakpoint %u are not "
					"run at this stop",
					number);
			break;
		}
		if (b)
			err = b->each_wave ? run_each_wave(c, &b->lines)
					   : run_all(c, &b->lines, NULL, true);
	}
	c->after_stop.breakpoint = 0;
	c->after_stop.runs_commands = false;
	return err;
}
