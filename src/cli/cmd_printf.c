/* SPDX-License-Identifier: MIT */
#include "cli/blocks.h"
#include "cli/commands.h"
#include "debug/breaks.h"
#include "debug/variables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"

/* printf "FORMAT", EXPR, ...: C's conversions on values of the program. */

enum { MAX_TEXT_B = 4096 };

/* The expression up to the next comma that is not inside of brackets or a string; *s is moved past
 * it. */
static char *next_argument(const char **s)
{
	int depth = 0;
	bool quoted = false;
	const char *p = bw_skip_blanks(*s), *start = p;
	for (; *p; p++) {
		if (*p == '"' && (p == start || p[-1] != '\\'))
			quoted = !quoted;
		if (quoted)
			continue;
		if (strchr("([{", *p))
			depth++;
		else if (strchr(")]}", *p))
			depth--;
		else if (*p == ',' && depth <= 0)
			break;
	}
	char *text = strndup(start, (size_t)(p - start));
	*s = *p == ',' ? p + 1 : p;
	return text;
}

static char escaped(char ch)
{
	static const char from[] = "ntrab\\\"", to[] = "\n\t\r\a\b\\\"";
	const char *at = strchr(from, ch);
	return at && ch ? to[at - from] : ch;
}

/* The string between the quotation marks, escapes undone; *s is moved past the second. */
static struct bw_error *take_format(const char **s, struct bw_str *out)
{
	const char *p = bw_skip_blanks(*s);
	if (*p++ != '"')
		return bw_errorf(BW_E_INVALID,
				 "Bad format string: \"printf\" takes \"FORMAT\", EXPR...");
	for (; *p && *p != '"'; p++) {
		char ch = *p;
		if (ch == '\\' && p[1])
			ch = escaped(*++p);
		bw_str_addn(out, &ch, 1);
	}
	if (*p++ != '"')
		return bw_errorf(BW_E_INVALID, "Bad format string, non-terminated '\"'");
	p = bw_skip_blanks(p);
	if (*p && *p != ',')
		return bw_errorf(BW_E_INVALID,
				 "Invalid argument syntax: a comma is missing after the format");
	*s = *p ? p + 1 : p;
	return NULL;
}

/* Text of the debugger's own, or what a pointer points to up to its 0, such that a terminal only
 * shows it. */
static struct bw_error *text_of(struct bw_cli *c, const struct bw_value *v, struct bw_str *out)
{
	if (v->type.kind == BW_TYPE_TEXT) {
		bw_str_add_printable(out, v->text, "\n\t");
		return NULL;
	}
	char text[MAX_TEXT_B + 1];
	size_t n = 0;
	enum bw_space space = v->type.kind == BW_TYPE_POINTER ? v->type.space : BW_SPACE_GLOBAL;
	uint64_t addr = v->bits, max = MAX_TEXT_B;
	if (v->type.kind == BW_TYPE_AGGREGATE) { /* a char array */
		if (v->place != BW_PLACE_MEMORY)
			return bw_value_need_number(v);
		space = v->space;
		addr = v->va;
		max = BW_MIN(max, bw_type_size(&v->type));
	}
	bw_debug_flat_space(&space, &addr);
	for (; n < max; n++) {
		BW_TRY(bw_debug_read(c->debug, space, addr + n, &text[n], 1));
		if (!text[n])
			break;
	}
	text[n] = '\0';
	bw_str_add_printable(out, text, "\n\t");
	return NULL;
}

/* Widths and precisions in it: what C allows is as much as memory holds. */
static struct bw_error *check_flags(const char *flags)
{
	for (const char *p = flags; *p;) {
		char *end;
		unsigned long n = *p >= '0' && *p <= '9' ? strtoul(p, &end, 10) : 0;
		if (n > MAX_TEXT_B)
			return bw_errorf(BW_E_INVALID, "\"printf\" makes no field wider than %d",
					 MAX_TEXT_B);
		p = *p >= '0' && *p <= '9' ? end : p + 1;
	}
	return NULL;
}

/* Writes one conversion. spec: "%-8lu" without its length letters, which 64-bit values do not
 * need. */
static struct bw_error *convert(struct bw_cli *c, const char *flags, char letter,
				const struct bw_value *v, struct bw_str *out)
{
	char spec[40];
	unsigned lane = bw_debug_focus_lane(c->debug);
	bool text = v->type.kind == BW_TYPE_TEXT;
	if (text && letter != 's')
		return bw_errorf(BW_E_INVALID, "%%%c takes a number", letter);
	if (letter != 's' || v->is_missing)
		BW_TRY(bw_value_need_number(v));
	switch (letter) {
	case 'd':
	case 'i':
		snprintf(spec, sizeof(spec), "%%%s" PRId64, flags);
		bw_str_addf(out, spec,
			    v->type.kind == BW_TYPE_FLOAT ? (int64_t)bw_value_f64(v, lane)
							  : bw_value_i64(v, lane));
		return NULL;
	case 'u':
	case 'x':
	case 'X':
	case 'o': {
		uint64_t bits = (uint64_t)bw_value_i64(v, lane);
		if (v->type.size_b < 8)
			bits &= (1ull << v->type.size_b * 8) - 1;
		snprintf(spec, sizeof(spec), "%%%sl%c", flags, letter);
		bw_str_addf(out, spec, bits);
		return NULL;
	}
	case 'p':
		bw_str_addf(out, "0x%" PRIx64, (uint64_t)bw_value_i64(v, lane));
		return NULL;
	case 'c':
		snprintf(spec, sizeof(spec), "%%%sc", flags);
		bw_str_addf(out, spec, (int)bw_value_i64(v, lane));
		return NULL;
	case 'e':
	case 'E':
	case 'f':
	case 'g':
	case 'G':
		snprintf(spec, sizeof(spec), "%%%s%c", flags, letter);
		bw_str_addf(out, spec, bw_value_f64(v, lane));
		return NULL;
	case 's': {
		struct bw_str s = {0};
		struct bw_error *err = text_of(c, v, &s);
		snprintf(spec, sizeof(spec), "%%%ss", flags);
		if (!err)
			bw_str_addf(out, spec, bw_str_text(&s));
		bw_str_free(&s);
		return err;
	}
	default:
		return bw_errorf(BW_E_INVALID, "\"printf\" has no conversion %%%c", letter);
	}
}

static struct bw_error *format(struct bw_cli *c, const char *fmt, const char *args,
			       struct bw_str *out)
{
	while (*fmt) {
		char flags[16];
		size_t n = 0;
		if (*fmt != '%' || fmt[1] == '%') {
			bw_str_addn(out, fmt, 1);
			fmt += *fmt == '%' ? 2 : 1;
			continue;
		}
		fmt++;
		while (*fmt && strchr("-+ #0123456789.", *fmt) && n + 1 < sizeof(flags))
			flags[n++] = *fmt++;
		flags[n] = '\0';
		BW_TRY(check_flags(flags));
		while (*fmt && strchr("hlzjt", *fmt))
			fmt++;
		if (!*fmt)
			return bw_errorf(BW_E_INVALID, "the format ends within a conversion");
		_cleanup_free_ char *text = next_argument(&args);
		if (!text || !text[0])
			return bw_errorf(BW_E_INVALID,
					 "Bad format string, missing argument for %%%c", *fmt);
		struct bw_value v = {0};
		BW_TRY(bw_cli_eval(c, text, &v));
		struct bw_error *err = convert(c, flags, *fmt++, &v, out);
		bw_value_fini(&v);
		if (err)
			return err;
	}
	if (bw_skip_blanks(args)[0])
		return bw_errorf(BW_E_INVALID,
				 "Wrong number of arguments for specified format-string");
	return NULL;
}

static struct bw_error *format_all(struct bw_cli *c, const char *args, struct bw_str *out)
{
	struct bw_str fmt = {0};
	struct bw_error *err = take_format(&args, &fmt);
	if (!err)
		err = format(c, bw_str_text(&fmt), args, out);
	bw_str_free(&fmt);
	return err;
}

struct bw_error *bw_cmd_printf(struct bw_cli *c, const char *args)
{
	struct bw_str text = {0};
	struct bw_error *err = format_all(c, args, &text);
	if (!err) {
		bw_out_raw(c->out, bw_str_text(&text));
		bw_out_str(c->out, "text", bw_str_text(&text));
	}
	bw_str_free(&text);
	return err;
}

/* ---- dprintf ---- */

/* The comma between the place and the format: the first one that a quotation mark follows, since
 * conditions may have commas, too. NULL: there is none. */
static const char *format_comma(const char *args)
{
	for (const char *p = args; *p; p++)
		if (*p == ',' && bw_skip_blanks(p + 1)[0] == '"')
			return p;
	return NULL;
}

struct bw_error *bw_cmd_dprintf(struct bw_cli *c, const char *args)
{
	uint32_t number;
	const char *comma = format_comma(args);
	if (!comma || comma == args)
		return bw_errorf(BW_E_INVALID, "\"dprintf\" takes WHERE,\"FORMAT\",EXPR...");
	const char *rest = comma + 1;
	struct bw_str format_text = {0}, line = {0};
	struct bw_error *err = take_format(&rest, &format_text);
	bw_str_free(&format_text);
	BW_TRY(err);
	_cleanup_free_ char *where = strndup(args, (size_t)(comma - args));
	if (!where)
		return bw_error_nomem();
	BW_TRY(bw_debug_break(c->debug, where, false, &number));
	bw_str_addf(&line, "printf %s", bw_skip_blanks(comma + 1));
	err = bw_debug_break_pass(c->debug, number);
	if (!err)
		err = bw_block_set(c, number, bw_str_text(&line));
	bw_str_free(&line);
	if (err) {
		bw_error_free(bw_debug_break_delete(c->debug, number));
		return err;
	}
	bw_debug_on_passing(c->debug, bw_cli_passing, c);
	bw_cli_show_new_breakpoint(c, number, "Dprintf");
	return NULL;
}

void bw_cli_passing(void *cookie, uint32_t breakpoint, uint32_t wave)
{
	struct bw_cli *c = cookie;
	struct bw_block *b = bw_block_of_breakpoint(c, breakpoint);
	struct bw_str text = {0};
	if (!b || !b->lines.n || b->has_failed)
		return;
	struct bw_error *err = format_all(c, b->lines.line[0] + strlen("printf "), &text);
	bw_out_begin(c->out, "event", "dprintf");
	bw_out_int(c->out, "breakpoint", breakpoint);
	bw_out_int(c->out, "wave", wave);
	if (err) {
		/* for thousands of waves it would be the same */
		bw_out_line(c->out, "warning: dprintf %u prints nothing more: %s", breakpoint,
			    err->message);
		bw_out_str(c->out, "error", err->message);
		b->has_failed = true;
	} else {
		bw_out_text(c->out, bw_str_text(&text));
		bw_out_str(c->out, "text", bw_str_text(&text));
	}
	bw_out_end(c->out);
	bw_out_flush(c->out);
	bw_error_free(err);
	bw_str_free(&text);
}

/* A command made as printf makes text: eval "break *saxpy+%d", $n */
struct bw_error *bw_cmd_eval(struct bw_cli *c, const char *args)
{
	enum { MAX_DEPTH = 50 };
	struct bw_str text = {0};
	struct bw_error *err = c->depth < MAX_DEPTH
				       ? format_all(c, args, &text)
				       : bw_errorf(BW_E_INVALID, "\"eval\" runs itself");
	c->depth++;
	if (!err)
		err = bw_cli_execute(c, bw_str_text(&text));
	c->depth--;
	bw_str_free(&text);
	return err;
}
