/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "debug/expressions.h"
#include "debug/variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* Commands that evaluate: print and its variants, x. */

static struct bw_error *take_format(const char **args, const char *name,
				    struct bw_print_format *out_format)
{
	BW_TRY(bw_cli_take_format(args, false, out_format));
	if (out_format->letter == 'i')
		return bw_errorf(
			BW_E_INVALID,
			"Format letter \"i\" is meaningless in \"%s\" command; x/i shows instructions",
			name);
	return NULL;
}

/* Aggregates are read here: a failure is the command's, and they enter the history as they are. */
static struct bw_error *take_value(struct bw_cli *c, const char *args, struct bw_value *out)
{
	struct bw_value v = {0};
	BW_TRY(bw_cli_eval(c, args[0] ? args : "$", &v));
	struct bw_error *err = bw_debug_fetch(c->debug, &v);
	if (err)
		bw_value_fini(&v);
	else
		*out = v;
	return err;
}

struct bw_error *bw_cmd_whence(struct bw_cli *c, const char *args)
{
	struct bw_value v = {0};
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"whence\" needs an expression: whence out[5]");
	BW_TRY(bw_cli_eval(c, args, &v));
	struct bw_error *err = bw_session_whence(c->session, args, &v);
	bw_value_fini(&v);
	return err;
}

/* Options of gdb's print, beside those that are known here. */
static const char *const other_options[] = {"address",	  "array",	    "array-indexes",
					    "max-depth",  "max-value-size", "memory-tag-violations",
					    "nibbles",	  "null-stop",	    "object",
					    "raw-values", "repeats",	    "static-members",
					    "symbol",	  "union",	    "vtbl"};

/* "on", "off" after an option; neither: on. */
static bool take_on_off(const char **args)
{
	char word[8];
	const char *p = *args;
	bw_take_word(&p, word, sizeof(word));
	bool off = !strcmp(word, "off");
	if (off || !strcmp(word, "on"))
		*args = p;
	return !off;
}

/* "-elements N", "-pretty [on|off]", for this one print; "--" ends them. What begins with another
 * word is an expression: -x. */
static struct bw_error *take_options(struct bw_cli *c, const char **args)
{
	struct bw_debug_settings *s = bw_debug_settings(c->debug);
	while ((*args)[0] == '-') {
		char word[32], count[16];
		uint64_t n = 0;
		const char *p = *args;
		bw_take_word(&p, word, sizeof(word));
		for (size_t i = 0; i < BW_ARRAY_SIZE(other_options); i++)
			if (!strcmp(word + 1, other_options[i]))
				return bw_errorf(BW_E_UNSUPPORTED,
						 "\"print\" knows the options -elements and "
						 "-pretty, not %s",
						 word);
		if (!strcmp(word, "-pretty")) {
			s->print_pretty = take_on_off(&p);
		} else if (!strcmp(word, "-elements")) {
			bw_take_word(&p, count, sizeof(count));
			if (strcmp(count, "unlimited") &&
			    (!bw_parse_u64(count, &n) || n > UINT32_MAX))
				return bw_errorf(BW_E_INVALID,
						 "-elements takes a number or unlimited, not "
						 "\"%s\"",
						 count);
			s->print_elements = n ? (unsigned)n : UINT32_MAX;
		} else if (strcmp(word, "--") != 0) {
			return NULL;
		}
		*args = p;
		if (!strcmp(word, "--"))
			return NULL;
	}
	return NULL;
}

/* "$3 = 0x10" */
static struct bw_error *print_value(struct bw_cli *c, const char *args, const char *name,
				    bool shows_void)
{
	struct bw_print_format f;
	struct bw_value v = {0};
	struct bw_str s = {0};
	BW_TRY(take_format(&args, name, &f));
	bool done;
	struct bw_error *err = bw_cli_print_lanes(c, args, f.letter, &done);
	if (err || done)
		return err;
	BW_TRY(take_value(c, args, &v));
	if (v.place == BW_PLACE_MEMORY) { /* x shows it, as in gdb */
		c->shown.x_space = v.space;
		c->shown.x_next = v.va;
		if (!c->shown.x_format.count)
			c->shown.x_format.count = 1;
	}
	bw_show_value(c->debug, &v, f.letter, &s);
	if (v.type.kind != BW_TYPE_VOID)
		bw_out_line(c->out, "$%u = %s", bw_debug_record(c->debug, &v), bw_str_text(&s));
	else if (shows_void)
		bw_out_line(c->out, "%s", bw_str_text(&s));
	bw_out_str(c->out, "expression", args);
	bw_out_str(c->out, "text", bw_str_text(&s));
	bw_show_value_json(c->out, c->debug, &v);
	bw_str_free(&s);
	bw_value_fini(&v);
	return NULL;
}

static struct bw_error *print(struct bw_cli *c, const char *args, const char *name, bool shows_void)
{
	struct bw_debug_settings *s = bw_debug_settings(c->debug), before = *s;
	struct bw_error *err = take_options(c, &args);
	if (!err)
		err = print_value(c, args, name, shows_void);
	s->print_elements = before.print_elements;
	s->print_pretty = before.print_pretty;
	return err;
}

struct bw_error *bw_cmd_print(struct bw_cli *c, const char *args)
{
	return print(c, args, "print", true);
}

struct bw_error *bw_cmd_call(struct bw_cli *c, const char *args)
{
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"call\" takes an expression");
	return print(c, args, "call", false);
}

/* The value alone: no number, no newline. */
struct bw_error *bw_cmd_output(struct bw_cli *c, const char *args)
{
	struct bw_print_format f;
	struct bw_value v = {0};
	struct bw_str s = {0};
	BW_TRY(take_format(&args, "output", &f));
	BW_TRY(take_value(c, args, &v));
	bw_show_value(c->debug, &v, f.letter, &s);
	bw_out_text(c->out, bw_str_text(&s));
	bw_out_str(c->out, "text", bw_str_text(&s));
	bw_str_free(&s);
	bw_value_fini(&v);
	return NULL;
}

/* $_ is the last address that was examined, $__ the value there. */
static void remember_place(struct bw_cli *c, const struct bw_print_format *f, uint64_t addr)
{
	unsigned size_b = bw_print_format_size(f);
	bool is_float = f->letter == 'f' && size_b > 1;
	struct bw_value at = {.type = {.kind = BW_TYPE_POINTER,
				       .size_b = c->shown.x_space == BW_SPACE_GLOBAL ? 8 : 4,
				       .space = c->shown.x_space,
				       .elem_kind = is_float ? BW_TYPE_FLOAT : BW_TYPE_UINT,
				       .elem_size_b = (uint8_t)size_b,
				       .depth = 1},
			      .bits = addr};
	struct bw_value there = {0};
	struct bw_error *err = bw_debug_set_var(c->debug, "_", &at);
	if (!err)
		err = bw_cli_eval(c, "*$_", &there);
	if (!err)
		err = bw_debug_set_var(c->debug, "__", &there);
	bw_value_fini(&there);
	bw_error_free(err); /* a failure to set them is ignored, as the memory has been shown */
}

void bw_cli_examine_next(struct bw_cli *c, uint64_t va)
{
	const struct bw_print_format f = {.count = 1, .letter = 'x', .unit = 'w'};
	c->shown.x_space = BW_SPACE_GLOBAL;
	c->shown.x_next = va;
	if (!c->shown.x_format.count)
		c->shown.x_format = f;
	remember_place(c, &f, va);
}

/* Letter and unit are the defaults of the next x. */
static struct bw_error *take_x_format(struct bw_cli *c, const char **args)
{
	struct bw_print_format f;
	if ((*args)[0] != '/') {
		c->shown.x_format.count = 1;
		return NULL;
	}
	BW_TRY(bw_cli_take_format(args, true, &f));
	char unit = c->shown.x_format.unit, letter = c->shown.x_format.letter;
	c->shown.x_format = f;
	/* a character is a byte where nothing else is said, as in gdb */
	if (!f.unit && f.letter == 'c' && unit)
		c->shown.x_format.unit = 'b';
	else if (!f.unit && f.letter != 'i' && f.letter != 's')
		c->shown.x_format.unit = unit;
	if (!f.letter)
		c->shown.x_format.letter = letter;
	return NULL;
}

struct bw_error *bw_cmd_x(struct bw_cli *c, const char *args)
{
	bool first = c->shown.x_format.count == 0;
	BW_TRY(take_x_format(c, &args));
	if (args[0])
		BW_TRY(bw_cli_eval_address(c, args, &c->shown.x_space, &c->shown.x_next));
	else if (first)
		return bw_errorf(BW_E_INVALID, "\"x\" takes an address");
	const struct bw_print_format *f = &c->shown.x_format;
	uint64_t start = c->shown.x_next;
	BW_TRY(bw_show_memory(c->out, c->debug, c->shown.x_space, start, f, &c->shown.x_next));
	unsigned size_b = bw_print_format_size(f);
	bool units = f->letter != 'i' && f->letter != 's';
	remember_place(c, f,
		       units && c->shown.x_next >= start + size_b ? c->shown.x_next - size_b
								  : start);
	return NULL;
}
