/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "debug/code.h"
#include "debug/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Commands that choose the focus: wave (thread), lane. */

/* The selected frame: choosing a lane leaves it as it is, and so does looking. */
static void show_frame(struct bw_cli *c, const struct bw_wave_info *w)
{
	struct bw_stack_frame f;
	struct bw_str text = {0};
	struct bw_where where;
	struct bw_error *err = bw_debug_selected_frame(c->debug, &f);
	if (!err) {
		bw_show_frame_line(c->out, c->debug, &f);
		return;
	}
	bw_error_free(err);
	bw_show_frame(c->debug, w, true, &text);
	bw_out_line(c->out, "#0  %s", bw_str_text(&text));
	bw_out_str(c->out, "frame", bw_str_text(&text));
	bw_str_free(&text);
	bw_debug_wave_where(c->debug, w, &where);
	bw_out_hex(c->out, "pc", w->pc);
	bw_show_place_facts(c->out, &where);
}

static void show_focus(struct bw_cli *c, const char *verb)
{
	const struct bw_wave_info *w = bw_debug_focus(c->debug);
	unsigned lane = bw_debug_focus_lane(c->debug);
	char name[96];
	bw_lane_name(c->debug, w, lane, name, sizeof(name));
	bw_out_line(c->out, "[%s thread %u, lane %u (%s)]", verb, w->number, lane, name);
	bw_out_int(c->out, "wave", w->number);
	bw_out_int(c->out, "lane", lane);
	bw_out_str(c->out, "name", name);
	bw_out_bool(c->out, "active", w->exec >> lane & 1);
	show_frame(c, w);
	if (!(w->exec >> lane & 1))
		bw_out_line(c->out, "warning: Current lane is inactive.");
}

static struct bw_error *choose_lane(struct bw_cli *c, const char *text)
{
	uint64_t lane;
	const struct bw_wave_info *w;
	BW_TRY(bw_session_need_wave(c->session, &w));
	BW_TRY(bw_cli_eval_count(c, text, &lane));
	if (lane >= w->lanes)
		return bw_errorf(BW_E_INVALID, "The wave has lanes 0 to %u, not %llu",
				 w->lanes - 1u, (unsigned long long)lane);
	return bw_debug_set_lane(c->debug, (unsigned)lane);
}

/* ---- apply: a command for many ---- */

/* -q: no title; -s: errors are ignored silently; -c: errors are reported, and the next one
 * follows. */
struct apply {
	const char *command;
	bool quiet, silent, goes_on;
};

static void take_flags(struct apply *a)
{
	while (a->command[0] == '-' && a->command[1] && (!a->command[2] || a->command[2] == ' ')) {
		a->quiet |= a->command[1] == 'q';
		a->silent |= a->command[1] == 's';
		a->goes_on |= a->command[1] == 'c';
		if (!strchr("qsc", a->command[1]))
			return;
		a->command = bw_skip_blanks(a->command + 2);
	}
}

/* The title of the answer that follows. */
static void say_focus(struct bw_cli *c)
{
	bw_out_begin(c->out, "event", "focus");
	bw_out_int(c->out, "wave", bw_debug_focus(c->debug)->number);
	bw_out_int(c->out, "lane", bw_debug_focus_lane(c->debug));
	bw_out_end(c->out);
}

static struct bw_error *apply_once(struct bw_cli *c, const struct apply *a)
{
	say_focus(c);
	struct bw_error *err = bw_cli_execute(c, a->command);
	if (err && a->goes_on)
		bw_out_error(c->out, err);
	if (err && (a->silent || a->goes_on)) {
		bw_error_free(err);
		return NULL;
	}
	return err;
}

/* The focus that "apply" restores at its end. */
struct focus {
	uint32_t wave;
	unsigned lane;
	struct bw_stack_frame frame; /* the selected one */
};

static struct focus current_focus(struct bw_cli *c)
{
	struct focus f = {.wave = bw_debug_focus(c->debug)->number,
			  .lane = bw_debug_focus_lane(c->debug)};
	bw_error_free(bw_debug_selected_frame(c->debug, &f.frame));
	return f;
}

/* Restores the focus, if that wave still is stopped, and the frame, if it still is in it. */
static void restore_focus(struct bw_cli *c, const struct focus *f)
{
	struct bw_stack_frame now;
	struct bw_error *err = bw_debug_set_focus(c->debug, f->wave);
	if (!err)
		err = bw_debug_set_lane(c->debug, f->lane);
	if (!err && f->frame.level)
		err = bw_debug_stack_frame(c->debug, f->frame.level, &now);
	if (!err && f->frame.level && now.pc == f->frame.pc && now.die == f->frame.die)
		err = bw_debug_select_frame(c->debug, f->frame.level);
	bw_error_free(err);
}

/* "1 3-5 CMD" or "all CMD": the numbers; *args is moved past them. */
static struct bw_error *take_waves(struct bw_cli *c, const char **args, uint32_t **out,
				   size_t *out_n)
{
	char word[64];
	size_t n = 0, n_list;
	const struct bw_wave_info *list = bw_debug_waves(c->debug, &n_list);
	bool all = false;
	uint32_t *numbers = calloc(n_list + 1, sizeof(*numbers));
	bool *wanted = calloc(n_list + 1, sizeof(*wanted));
	for (const char *rest = *args; numbers && wanted && !all;) {
		uint64_t first, last;
		bw_take_word(&rest, word, sizeof(word));
		all = !strcmp(word, "all");
		char *dash = strchr(word, '-');
		if (dash)
			*dash = '\0';
		if (!all &&
		    (!bw_parse_u64(word, &first) || (dash && !bw_parse_u64(dash + 1, &last))))
			break;
		for (size_t i = 0; i < n_list; i++)
			wanted[i] |= all || (list[i].number >= first &&
					     list[i].number <= (dash ? last : first));
		*args = rest;
	}
	for (size_t i = 0; numbers && wanted && i < n_list; i++)
		if (wanted[i])
			numbers[n++] = list[i].number;
	bool failed = !wanted || !numbers;
	free(wanted);
	*out = numbers;
	*out_n = n;
	return failed ? bw_error_nomem() : NULL;
}

static struct bw_error *apply_to_waves(struct bw_cli *c, const char *args)
{
	_cleanup_free_ uint32_t *numbers = NULL;
	size_t n;
	char name[96];
	struct bw_error *err = take_waves(c, &args, &numbers, &n);
	BW_TRY(err);
	struct apply a = {.command = args};
	take_flags(&a);
	if (!a.command[0])
		return bw_errorf(BW_E_INVALID,
				 "\"apply\" takes numbers of waves, or all, and a command");
	if (!n)
		return bw_errorf(BW_E_NOT_FOUND,
				 "No stopped wave has such a number; \"info waves\" lists them");
	const struct focus before = current_focus(c);
	unsigned interrupts = bw_session_interrupts();
	for (size_t i = 0; !err && i < n && !c->quit && interrupts == bw_session_interrupts();
	     i++) {
		const struct bw_wave_info *w = bw_debug_wave(c->debug, numbers[i]);
		if (!w) /* the command has resumed it */
			continue;
		bw_wave_name(w, name, sizeof(name));
		if (!a.quiet && !bw_out_is_json(c->out))
			bw_out_line(c->out, "\nThread %u (%s):", w->number, name);
		err = bw_debug_set_focus(c->debug, numbers[i]);
		if (!err)
			err = apply_once(c, &a);
	}
	restore_focus(c, &before);
	return err;
}

/* Whether a command prints an expression: 64 blocks of it are no answer, a table is. */
static bool prints(const char *command)
{
	size_t n = strcspn(command, "/ ");
	return !strstr(command, "@lanes") &&
	       ((n == 1 && *command == 'p') || (n == 5 && !strncmp(command, "print", n)) ||
		(n == 7 && !strncmp(command, "inspect", n)));
}

/* "print EXPR @lanes" */
static struct bw_error *print_in_lanes(struct bw_cli *c, const char *command)
{
	_cleanup_free_ char *text = NULL;
	if (asprintf(&text, "%s @lanes", command) < 0)
		return bw_error_nomem();
	return bw_cli_execute(c, text);
}

/* "all CMD", "0-3 CMD", "-active CMD": lanes of the focus wave. */
static struct bw_error *apply_to_lanes(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w = bw_debug_focus(c->debug);
	struct apply a = {.command = args};
	uint64_t lanes = 0, all = w->lanes == 64 ? ~0ull : 0xffffffffu;
	char word[64], name[96];
	for (;;) {
		uint64_t first, last;
		const char *rest = a.command;
		bw_take_word(&rest, word, sizeof(word));
		size_t comma = strcspn(word, ",");
		if (word[comma] && strspn(word, "0123456789-,") == strlen(word)) {
			word[comma] = '\0'; /* "0-3,7": one after the other */
			rest = a.command + comma + 1;
		}
		char *dash = word[0] == '-' ? NULL : strchr(word, '-');
		if (dash)
			*dash = '\0';
		if (!strcmp(word, "all"))
			lanes |= all;
		else if (!strcmp(word, "-active"))
			lanes |= w->exec;
		else if (!bw_parse_u64(word, &first) || (dash && !bw_parse_u64(dash + 1, &last)))
			break;
		else if ((dash ? last : first) >= w->lanes || (dash && last < first))
			return bw_errorf(BW_E_INVALID, "The wave has lanes 0 to %u", w->lanes - 1u);
		else
			for (uint64_t i = first; i <= (dash ? last : first); i++)
				lanes |= 1ull << i;
		a.command = rest;
	}
	take_flags(&a);
	if (!lanes || !a.command[0])
		return bw_errorf(BW_E_INVALID,
				 "\"lane apply\" takes lanes, all or -active, and a command");
	if (lanes == all && prints(a.command))
		return print_in_lanes(c, a.command);
	struct bw_error *err = NULL;
	const struct focus before = current_focus(c);
	unsigned interrupts = bw_session_interrupts();
	for (unsigned lane = 0;
	     !err && lane < 64 && !c->quit && interrupts == bw_session_interrupts(); lane++) {
		w = bw_debug_wave(c->debug, before.wave);
		if (!w || !(lanes >> lane & 1) || bw_debug_focus(c->debug) != w)
			continue;
		bw_lane_name(c->debug, w, lane, name, sizeof(name));
		if (!a.quiet && !bw_out_is_json(c->out))
			bw_out_line(c->out, "\nLane %u (%s):", lane, name);
		err = bw_debug_set_lane(c->debug, lane);
		if (!err)
			err = apply_once(c, &a);
	}
	restore_focus(c, &before);
	return err;
}

/* Waves whose name, place or function holds the text. */
static struct bw_error *find_waves(struct bw_cli *c, const char *text)
{
	size_t n, found = 0;
	const struct bw_wave_info *list = bw_debug_waves(c->debug, &n);
	for (size_t i = 0; i < n; i++) {
		struct bw_where where;
		char name[96];
		bw_wave_name(&list[i], name, sizeof(name));
		bw_debug_where(c->debug, list[i].pc, &where);
		if (!strstr(name, text) && !(where.function && strstr(where.function, text)))
			continue;
		bw_out_line(c->out, "Thread %u: %s in %s", list[i].number, name,
			    where.function ? where.function : "??");
		found++;
	}
	if (!found)
		bw_out_line(c->out, "No threads match '%s'", text);
	return NULL;
}

struct bw_error *bw_cmd_wave(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	BW_TRY(bw_session_need_wave(c->session, &w));
	if (!args[0]) {
		show_focus(c, "Current");
		return NULL;
	}
	if (bw_starts_with(args, "apply "))
		return apply_to_waves(c, bw_skip_blanks(args + strlen("apply")));
	if (bw_starts_with(args, "find "))
		return find_waves(c, bw_skip_blanks(args + strlen("find")));
	_cleanup_free_ char *text = strdup(args);
	if (!text)
		return bw_error_nomem();
	char *colon = strchr(text, ':');
	if (colon)
		*colon = '\0';
	uint64_t number;
	BW_TRY(bw_cli_eval_count(c, text, &number));
	if (number > UINT32_MAX || !bw_debug_wave(c->debug, (uint32_t)number))
		return bw_errorf(BW_E_NOT_FOUND,
				 "No stopped wave has the number %s; \"info waves\" lists them",
				 text);
	BW_TRY(bw_debug_set_focus(c->debug, (uint32_t)number));
	BW_TRY(bw_debug_select_frame(c->debug, 0));
	if (colon)
		BW_TRY(choose_lane(c, colon + 1));
	show_focus(c, "Switching to");
	return NULL;
}

struct bw_error *bw_cmd_lane(struct bw_cli *c, const char *args)
{
	const struct bw_wave_info *w;
	BW_TRY(bw_session_need_wave(c->session, &w));
	if (bw_starts_with(args, "apply "))
		return apply_to_lanes(c, bw_skip_blanks(args + strlen("apply")));
	if (args[0])
		BW_TRY(choose_lane(c, args));
	show_focus(c, args[0] ? "Switching to" : "Current");
	return NULL;
}
