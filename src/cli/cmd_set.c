/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "session/version.h"
#include "cli/complete.h"
#include "cli/terminal.h"
#include "debug/breaks.h"
#include "debug/expressions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* set and show: settings, and assignments. */

struct setting {
	const char *name;
	struct bw_error *(*set)(struct bw_cli *c, const struct setting *s, const char *value);
	/* NULL: of no interest to show */
	const char *(*show)(struct bw_cli *c, const struct setting *s, char *out, size_t out_b);
	const char *always; /* its only value, and why */
	const char *why;
	const char *values; /* words that it takes, for completion; NULL: none but the one above */
};

static struct bw_error *on_off(const char *name, const char *value, bool *out)
{
	if (!value[0] || !strcmp(value, "on") || !strcmp(value, "1"))
		*out = true;
	else if (!strcmp(value, "off") || !strcmp(value, "0"))
		*out = false;
	else
		return bw_errorf(BW_E_INVALID, "\"set %s\" takes on or off, not \"%s\"", name,
				 value);
	return NULL;
}

static const char *word_of(bool on)
{
	return on ? "on" : "off";
}

/* ---- One by one ---- */

static struct bw_error *set_hang(struct bw_cli *c, const struct setting *s, const char *value)
{
	enum { DAY_S = 86400 };
	double seconds = 0;
	if (strcmp(value, "off") &&
	    (!bw_parse_f64(value, &seconds) || !(seconds >= 0.001 && seconds <= DAY_S)))
		return bw_errorf(BW_E_INVALID,
				 "\"set break-on hang\" takes seconds, or off, not \"%s\"", value);
	bw_debug_settings(c->debug)->hang_ms = (uint64_t)(seconds * 1000 + 0.5);
	return NULL;
}

static const char *show_hang(struct bw_cli *c, const struct setting *s, char *out, size_t out_b)
{
	uint64_t ms = bw_debug_settings(c->debug)->hang_ms;
	snprintf(out, out_b, ms ? "%g s" : "off", (double)ms / 1000);
	return out;
}

static struct bw_error *refuse_break_on(struct bw_cli *c, const struct setting *s,
					const char *value)
{
	return bw_errorf(BW_E_INVALID, "\"set break-on\" knows hang, not \"%s\"", value);
}

static struct bw_error *set_list_size(struct bw_cli *c, const struct setting *s, const char *value)
{
	uint64_t n;
	if (!bw_parse_u64(value, &n) || !n || n > 10000)
		return bw_errorf(BW_E_INVALID,
				 "\"set listsize\" takes a number of lines, not \"%s\"", value);
	c->shown.list_size = (unsigned)n;
	return NULL;
}

static const char *show_list_size(struct bw_cli *c, const struct setting *s, char *out,
				  size_t out_b)
{
	snprintf(out, out_b, "%u", bw_cli_list_size(c));
	return out;
}

static const char *const locking_words[] = {
	[BW_LOCKING_STEP] = "step", [BW_LOCKING_ON] = "on", [BW_LOCKING_OFF] = "off"};

static struct bw_error *set_locking(struct bw_cli *c, const struct setting *s, const char *value)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(locking_words); i++) {
		if (strcmp(value, locking_words[i]))
			continue;
		bw_debug_settings(c->debug)->scheduler_locking = (enum bw_locking)i;
		return NULL;
	}
	return bw_errorf(
		BW_E_INVALID,
		"\"set scheduler-locking\" takes step (steps move the focus wave alone), on (nothing "
		"but it ever moves) or off (the others run meanwhile), not \"%s\"",
		value);
}

static const char *show_locking(struct bw_cli *c, const struct setting *s, char *out, size_t out_b)
{
	return locking_words[bw_debug_settings(c->debug)->scheduler_locking];
}

static struct bw_error *set_backtrace(struct bw_cli *c, const struct setting *s, const char *value)
{
	uint64_t limit = 0;
	if (strcmp(value, "unlimited") != 0 && (!bw_parse_u64(value, &limit) || limit > UINT32_MAX))
		return bw_errorf(BW_E_INVALID,
				 "\"set backtrace limit\" takes a number of frames, or unlimited, "
				 "not \"%s\"",
				 value);
	c->shown.backtrace_limit = (unsigned)limit;
	return NULL;
}

static const char *show_backtrace(struct bw_cli *c, const struct setting *s, char *out,
				  size_t out_b)
{
	if (!c->shown.backtrace_limit)
		return "unlimited";
	snprintf(out, out_b, "%u", c->shown.backtrace_limit);
	return out;
}

static struct bw_error *set_precise(struct bw_cli *c, const struct setting *s, const char *value)
{
	bool on;
	BW_TRY(on_off(s->name, value, &on));
	return bw_debug_set_precise(c->debug, on);
}

static const char *show_precise(struct bw_cli *c, const struct setting *s, char *out, size_t out_b)
{
	return word_of(bw_debug_is_precise(c->debug));
}

static struct bw_error *set_hold_time(struct bw_cli *c, const struct setting *s, const char *value)
{
	bool *hold = &bw_debug_settings(c->debug)->hold_time;
	BW_TRY(on_off(s->name, value, hold));
	return *hold ? NULL : bw_debug_resume_time(c->debug);
}

static const char *show_hold_time(struct bw_cli *c, const struct setting *s, char *out,
				  size_t out_b)
{
	return word_of(bw_debug_settings(c->debug)->hold_time);
}

static struct bw_error *set_stop_on_dispatch(struct bw_cli *c, const struct setting *s,
					     const char *value)
{
	return on_off(s->name, value, &bw_debug_settings(c->debug)->stop_on_dispatch);
}

static const char *show_stop_on_dispatch(struct bw_cli *c, const struct setting *s, char *out,
					 size_t out_b)
{
	return word_of(bw_debug_settings(c->debug)->stop_on_dispatch);
}

static struct bw_error *set_detach_on_fork(struct bw_cli *c, const struct setting *s,
					   const char *value)
{
	BW_TRY(on_off(s->name, value, &c->session->detach_on_fork));
	struct bw_target *t = bw_debug_target(c->debug);
	return t ? bw_target_detach_children(t, c->session->detach_on_fork) : NULL;
}

static const char *show_detach_on_fork(struct bw_cli *c, const struct setting *s, char *out,
				       size_t out_b)
{
	return word_of(c->session->detach_on_fork);
}

static struct bw_error *set_trace(struct bw_cli *c, const struct setting *s, const char *value)
{
	return on_off(s->name, value, &c->trace);
}

static const char *show_trace(struct bw_cli *c, const struct setting *s, char *out, size_t out_b)
{
	return word_of(c->trace);
}

static struct bw_error *set_confirm(struct bw_cli *c, const struct setting *s, const char *value)
{
	return on_off(s->name, value, &c->confirm);
}

static const char *show_confirm(struct bw_cli *c, const struct setting *s, char *out, size_t out_b)
{
	return word_of(c->confirm);
}

/* A breakpoint on every dispatch: the first waves of each stop at their first instruction. */
static struct bw_error *set_trap_on_entry(struct bw_cli *c, const struct setting *s,
					  const char *value)
{
	bool on, is = bw_debug_breakpoint(c->debug, c->entry_breakpoint);
	BW_TRY(on_off(s->name, value, &on));
	if (on == is)
		return NULL;
	if (!on)
		return bw_debug_break_delete(c->debug, c->entry_breakpoint);
	BW_TRY(bw_debug_break_dispatch(c->debug, "every", false, &c->entry_breakpoint));
	bw_out_line(c->out, "Breakpoint %u (on dispatch every)", c->entry_breakpoint);
	return NULL;
}

static const char *show_trap_on_entry(struct bw_cli *c, const struct setting *s, char *out,
				      size_t out_b)
{
	return word_of(bw_debug_breakpoint(c->debug, c->entry_breakpoint));
}

/* Words of gdb that can only have one value here. */
static struct bw_error *set_always(struct bw_cli *c, const struct setting *s, const char *value)
{
	bool unlimited = !strcmp(value, "unlimited") || !strcmp(value, "off");
	bool off = !strcmp(value, s->always) || (!strcmp(s->always, "0") && unlimited);
	if (off || (!strcmp(s->always, "on") && !value[0]))
		return NULL;
	return bw_errorf(BW_E_UNSUPPORTED, "%s is always %s: %s", s->name, s->always, s->why);
}

static const char *show_always(struct bw_cli *c, const struct setting *s, char *out, size_t out_b)
{
	return s->always;
}

/* A limit: 0 and "unlimited" are none. */
static struct bw_error *set_count(const char *name, const char *value, unsigned *out)
{
	uint64_t n = 0;
	if (value[0] && strcmp(value, "unlimited") && (!bw_parse_u64(value, &n) || n > UINT32_MAX))
		return bw_errorf(BW_E_INVALID, "\"set %s\" takes a number or unlimited, not \"%s\"",
				 name, value);
	*out = n ? (unsigned)n : UINT32_MAX;
	return NULL;
}

static const char *show_count(unsigned n, char *out, size_t out_b)
{
	snprintf(out, out_b, "%u", n);
	return n == UINT32_MAX ? "unlimited" : out;
}

static struct bw_error *set_elements(struct bw_cli *c, const struct setting *s, const char *value)
{
	return set_count(s->name, value, &bw_debug_settings(c->debug)->print_elements);
}

static const char *show_elements(struct bw_cli *c, const struct setting *s, char *out, size_t out_b)
{
	return show_count(bw_debug_settings(c->debug)->print_elements, out, out_b);
}

static struct bw_error *set_repeats(struct bw_cli *c, const struct setting *s, const char *value)
{
	return set_count(s->name, value, &bw_debug_settings(c->debug)->print_repeats);
}

static const char *show_repeats(struct bw_cli *c, const struct setting *s, char *out, size_t out_b)
{
	return show_count(bw_debug_settings(c->debug)->print_repeats, out, out_b);
}

static struct bw_error *set_pretty(struct bw_cli *c, const struct setting *s, const char *value)
{
	return on_off(s->name, value, &bw_debug_settings(c->debug)->print_pretty);
}

static const char *show_pretty(struct bw_cli *c, const struct setting *s, char *out, size_t out_b)
{
	return word_of(bw_debug_settings(c->debug)->print_pretty);
}

static struct bw_error *set_folders(struct bw_cli *c, const struct setting *s, const char *value)
{
	return bw_cli_set_folders(c, value);
}

static struct bw_error *set_substitute(struct bw_cli *c, const struct setting *s, const char *value)
{
	return bw_cli_set_substitute(c, value);
}

static struct bw_error *set_terminal(struct bw_cli *c, const struct setting *s, const char *value)
{
	return bw_terminal_set(c, s->name, value);
}

static const char *show_terminal(struct bw_cli *c, const struct setting *s, char *out, size_t out_b)
{
	return bw_terminal_show(c, s->name, out, out_b);
}

/* clang-format off */
static const struct setting settings[] = {
	{"backtrace limit", set_backtrace, show_backtrace, NULL, NULL, "unlimited"},
	{"break-on hang", set_hang, show_hang, NULL, NULL, "off"},
	{"break-on-hang", set_hang, NULL, NULL, NULL},
	{"break-on", refuse_break_on, NULL, NULL, NULL},
	{"breakpoint pending", set_always, show_always, "on", "a breakpoint whose code is not loaded yet waits for it"},
	{"confirm", set_confirm, show_confirm, NULL, NULL, "on off"},
	{"directories", set_folders, NULL, NULL, NULL},
	{"detach-on-fork", set_detach_on_fork, show_detach_on_fork, NULL, NULL, "on off"},
	{"height", set_terminal, show_terminal, NULL, NULL, "unlimited"},
	{"hold-time", set_hold_time, show_hold_time, NULL, NULL, "on off"},
	{"listsize", set_list_size, show_list_size, NULL, NULL},
	{"logging enabled", set_terminal, show_terminal, NULL, NULL, "on off"},
	{"logging file", set_terminal, show_terminal, NULL, NULL},
	{"logging overwrite", set_terminal, show_terminal, NULL, NULL, "on off"},
	{"logging redirect", set_terminal, show_terminal, NULL, NULL, "on off"},
	{"logging", set_terminal, NULL, NULL, NULL},
	{"non-stop", set_always, show_always, "off", "when one wave stops, all stop"},
	{"pagination", set_terminal, show_terminal, NULL, NULL, "on off"},
	{"precise-memory", set_precise, show_precise, NULL, NULL, "on off"},
	{"print elements", set_elements, show_elements, NULL, NULL, "unlimited"},
	{"print pretty", set_pretty, show_pretty, NULL, NULL, "on off"},
	{"print repeats", set_repeats, show_repeats, NULL, NULL, "unlimited"},
	{"scheduler-locking", set_locking, show_locking, NULL, NULL, "step on off"},
	{"stop-on-dispatch", set_stop_on_dispatch, show_stop_on_dispatch, NULL, NULL, "on off"},
	{"style enabled", set_terminal, show_terminal, NULL, NULL, "on off"},
	{"substitute-path", set_substitute, NULL, NULL, NULL},
	{"trace-commands", set_trace, show_trace, NULL, NULL, "on off"},
	{"trap-on-entry", set_trap_on_entry, show_trap_on_entry, NULL, NULL, "on off"},
	{"width", set_always, show_always, "0", "long lines are never folded"},
};
/* clang-format on */

/* Adds the values of a setting that begin with prefix. */
static void add_values(struct bw_strings *out, const struct setting *s, const char *prefix)
{
	if (s->values)
		bw_cli_add_words(out, s->values, prefix);
	else if (s->always)
		bw_cli_add_words(out, s->always, prefix);
}

void bw_cli_add_settings(struct bw_strings *out, const char *before, const char *prefix, bool set)
{
	before = bw_skip_blanks(before);
	size_t len = strlen(before);
	while (len && before[len - 1] == ' ')
		len--;
	if (!len)
		bw_cli_add_words(
			out,
			set ? "var amdgpu directories substitute-path"
			    : "user convenience values version directories substitute-path",
			prefix);
	for (size_t i = 0; i < BW_ARRAY_SIZE(settings); i++) {
		const struct setting *s = &settings[i];
		const char *name = s->name;
		if (!s->show)
			continue;
		if (len && strncmp(name, before, len) == 0 && !name[len]) {
			if (set)
				add_values(out, s, prefix);
			continue;
		}
		/* a name may have several words: "break-on hang" */
		if (len && (strncmp(name, before, len) != 0 || name[len] != ' '))
			continue;
		name += len ? len + 1 : 0;
		bw_cli_add_candidate(out, name, prefix, strcspn(name, " "));
	}
}

/* ---- The commands ---- */

/* rocgdb's vendor prefix is accepted. */
static const char *skip_vendor(const char *args)
{
	return bw_starts_with(args, "amdgpu ") ? bw_skip_blanks(args + strlen("amdgpu ")) : args;
}

/* Whether name is "logging file" where word is "logging", or word is empty. */
static bool is_of(const char *name, const char *word)
{
	size_t n = strlen(word);
	return !n || (bw_starts_with(name, word) && name[n] == ' ');
}

/* The setting that args begin with; *args is moved past it. */
static const struct setting *take_setting(const char **args)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(settings); i++) {
		size_t n = strlen(settings[i].name);
		if (strncmp(*args, settings[i].name, n) ||
		    ((*args)[n] && (*args)[n] != ' ' && (*args)[n] != '\t'))
			continue;
		*args = bw_skip_blanks(*args + n);
		return &settings[i];
	}
	return NULL;
}

static void show_setting(struct bw_cli *c, const struct setting *s, json_t *list)
{
	char text[64];
	const char *value = s->show(c, s, text, sizeof(text));
	bw_out_line(c->out, "%-18s %s", s->name, value);
	json_array_append_new(list, json_pack("{s:s, s:s}", "name", s->name, "value", value));
}

static struct bw_error *no_setting(const char *name)
{
	return bw_errorf(BW_E_INVALID, "There is no setting \"%s\"; \"show\" lists them", name);
}

/* $1, $2 ... of print, and $name: those of the user. */
static void show_variables(struct bw_cli *c, bool history)
{
	const struct bw_value *v;
	const char *name;
	json_t *list = json_array();
	for (size_t i = 0; (v = bw_debug_var(c->debug, i, &name)); i++) {
		bool numbered = name[0] >= '1' && name[0] <= '9';
		if (numbered != history)
			continue;
		struct bw_str s = {0};
		bw_show_value(c->debug, v, 0, &s);
		bw_out_line(c->out, "$%s = %s", name, bw_str_text(&s));
		json_t *row = json_object();
		json_object_set_new(row, "name", bw_json_text(name));
		json_object_set_new(row, "text", bw_json_text(bw_str_text(&s)));
		json_array_append_new(list, row);
		bw_str_free(&s);
	}
	bw_out_json(c->out, "variables", list);
}

struct bw_error *bw_cmd_show(struct bw_cli *c, const char *args)
{
	args = skip_vendor(args);
	char word[64];
	const char *rest = args;
	const struct setting *s = take_setting(&rest);
	json_t *list = json_array();
	for (size_t i = 0; i < BW_ARRAY_SIZE(settings); i++)
		if (settings[i].show && (s == &settings[i] || is_of(settings[i].name, args)))
			show_setting(c, &settings[i], list);
	if (json_array_size(list)) {
		bw_out_json(c->out, "settings", list);
		return NULL;
	}
	json_decref(list);
	rest = args;
	bw_take_word(&rest, word, sizeof(word));
	if (!strcmp(word, "user"))
		return bw_show_user(c, rest);
	if (!strcmp(word, "version")) {
		bw_out_line(c->out, "breakwater %s", bw_version());
		bw_out_str(c->out, "version", bw_version());
		return NULL;
	}
	if (bw_cli_show_paths(c, word, rest))
		return NULL;
	if (!strcmp(word, "convenience") || !strcmp(word, "conv") || !strcmp(word, "values")) {
		show_variables(c, word[0] == 'v');
		return NULL;
	}
	return no_setting(args);
}

/* An assignment has "=", or changes by ++ and --. */
static bool assigns(const char *text)
{
	return strchr(text, '=') || strstr(text, "++") || strstr(text, "--");
}

struct bw_error *bw_cmd_set(struct bw_cli *c, const char *args)
{
	char word[64];
	const char *rest = skip_vendor(args);
	const struct setting *s = take_setting(&rest);
	if (s)
		return s->set(c, s, rest);
	rest = args;
	bw_take_word(&rest, word, sizeof(word));
	bool var = !strcmp(word, "var") || !strcmp(word, "variable");
	if (var)
		args = rest;
	if (!assigns(args)) {
		if (!var && word[0] && word[0] != '$' && word[0] != '*')
			return bw_errorf(
				BW_E_INVALID,
				"There is no setting \"%s\" (\"show\" lists them), and an assignment has a \"=\"",
				word);
		return bw_errorf(
			BW_E_INVALID,
			"\"set var\" takes an assignment, such as $s4 = 7, $v2[3] = 1.5 or out[0] = 1");
	}
	struct bw_value v = {0};
	BW_TRY(bw_cli_eval(c, args, &v));
	bw_value_fini(&v);
	return NULL;
}
