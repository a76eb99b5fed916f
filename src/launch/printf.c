/* SPDX-License-Identifier: MIT */
#include "launch/printf.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/cursor.h"
#include "base/util.h"

/* What the room is filled with: no number that a kernel is likely to print. */
#define UNWRITTEN 0xb5c0fb4du

enum {
	ARGS_MAX = 64,
	TRIES_MAX = 10000,
	FIELD_MAX = 4096 /* of a width or precision, characters */
};

struct format {
	uint32_t id, n_args;
	uint32_t size_b[ARGS_MAX]; /* whole dwords */
	bool is_string[ARGS_MAX];
	uint32_t call_b; /* all of them */
	const char *text;
};

/* One conversion of a format: %-8.3v4hld */
struct conversion {
	char flags[6];
	int width, precision; /* -1: none */
	unsigned vector;      /* components; 1: no vector */
	char length[3];	      /* "hh", "h", "hl", "l" or "" */
	char letter;
};

void bw_printf_buffer_init(uint8_t *buffer)
{
	const uint32_t head[2] = {0, BW_PRINTF_ROOM_B}, unwritten = UNWRITTEN, tail[2] = {0};
	for (size_t at = BW_PRINTF_HEAD_B; at < BW_PRINTF_BUFFER_B; at += 4)
		memcpy(buffer + at, &unwritten, 4);
	memcpy(buffer, head, sizeof(head));
	memcpy(buffer + BW_PRINTF_HEAD_B + BW_PRINTF_ROOM_B, tail, sizeof(tail));
}

/* "12:" in front of *p, which is moved past it. */
static bool take_number(const char **p, uint32_t *out)
{
	char *end;
	if (!isdigit((unsigned char)**p))
		return false;
	unsigned long v = strtoul(*p, &end, 10);
	if (*end != ':' || v > UINT32_MAX)
		return false;
	*out = (uint32_t)v;
	*p = end + 1;
	return true;
}

/* Metadata writes a backslash sequence for what its syntax uses: \n and the like, and \72 for a
 * colon. Moves *p past it. */
static char unescape(const char **p)
{
	static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	const char *s = *p + 1, *at = *s ? strchr(letters, *s) : NULL;
	if (at) {
		*p = s + 1;
		return values[at - letters];
	}
	if (s[0] >= '0' && s[0] <= '7') {
		unsigned v = 0;
		for (unsigned i = 0; i < 3 && *s >= '0' && *s <= '7'; i++)
			v = v * 8 + (unsigned)(*s++ - '0');
		*p = s;
		return (char)v;
	}
	*p = *s ? s + 1 : s;
	return *s ? *s : '\\';
}

static int parse_field(const char **p)
{
	long v = 0;
	while (isdigit((unsigned char)**p))
		v = BW_MIN(v * 10 + (*(*p)++ - '0'), (long)FIELD_MAX);
	return (int)v;
}

/* After the %; false: it is not a conversion of OpenCL C 2.0 (6.12.13). */
static bool parse_conversion(const char **p, struct conversion *c)
{
	*c = (struct conversion){.width = -1, .precision = -1, .vector = 1};
	for (size_t n = 0; **p && strchr("-+ #0", **p); ++*p)
		if (n + 1 < sizeof(c->flags) && !strchr(c->flags, **p))
			c->flags[n++] = **p;
	if (isdigit((unsigned char)**p))
		c->width = parse_field(p);
	if (**p == '.') {
		++*p;
		c->precision = parse_field(p);
	}
	if (**p == 'v') {
		++*p;
		c->vector = (unsigned)parse_field(p);
		if (c->vector < 2 || c->vector > 16)
			return false;
	}
	for (size_t n = 0; **p && strchr("hl", **p) && n + 1 < sizeof(c->length); ++*p)
		c->length[n++] = **p;
	c->letter = **p;
	if (!c->letter || !strchr("diouxXfFeEgGaAcsp", c->letter))
		return false;
	++*p;
	return true;
}

static void mark_strings(struct format *f)
{
	uint32_t n = 0;
	for (const char *p = f->text; (p = strchr(p, '%')) && n < f->n_args;) {
		struct conversion c;
		if (*++p == '%')
			p++;
		else if (parse_conversion(&p, &c))
			f->is_string[n++] = c.letter == 's';
	}
}

static bool parse_format(const char *line, struct format *out)
{
	*out = (struct format){0};
	if (!take_number(&line, &out->id) || !take_number(&line, &out->n_args) ||
	    out->n_args > ARGS_MAX)
		return false;
	for (uint32_t i = 0; i < out->n_args; i++) {
		if (!take_number(&line, &out->size_b[i]) || out->size_b[i] > BW_PRINTF_ROOM_B)
			return false;
		out->size_b[i] = (uint32_t)bw_align_up(out->size_b[i], 4);
		out->call_b += out->size_b[i];
	}
	out->text = line;
	mark_strings(out);
	return true;
}

struct lengths {
	uint32_t size_b[ARGS_MAX];
	unsigned tries; /* left: a format may be made to take for ever */
};

/* LLVM 19 makes room for a string's end, but does not write it after a string of whole dwords:
 * what follows it lies one dword before its place, and a dword at the call's end stays unwritten.
 * Which strings are `n_short` so is found by trying: from argument `at` on, whose bytes are at
 * `bytes`. Sets their lengths. */
static bool find_short_strings(const struct format *f, uint32_t at, const uint8_t *bytes,
			       uint32_t n_short, struct lengths *l)
{
	uint32_t *size_b = l->size_b;
	if (at == f->n_args)
		return !n_short;
	if (!l->tries)
		return false;
	l->tries--;
	uint32_t full_b = f->size_b[at];
	size_b[at] = full_b;
	if (!f->is_string[at])
		return find_short_strings(f, at + 1, bytes + full_b, n_short, l);
	size_t len = strnlen((const char *)bytes, full_b);
	if (len < full_b && len + 4 >= full_b &&
	    find_short_strings(f, at + 1, bytes + full_b, n_short, l))
		return true;
	if (!n_short || full_b < 8 || len < full_b - 4)
		return false;
	size_b[at] = full_b - 4;
	return find_short_strings(f, at + 1, bytes + full_b - 4, n_short - 1, l);
}

/* How many bytes each argument of a call of f->call_b bytes has. */
static void measure(const struct format *f, const uint8_t *bytes, struct lengths *out)
{
	uint32_t n_short = 0, word = UNWRITTEN;
	for (uint32_t left_b = f->call_b; left_b >= 4; left_b -= 4) {
		memcpy(&word, bytes + left_b - 4, 4);
		if (word != UNWRITTEN)
			break;
		n_short++;
	}
	out->tries = TRIES_MAX;
	if (!find_short_strings(f, 0, bytes, n_short, out))
		memcpy(out->size_b, f->size_b, sizeof(f->size_b));
}

/* Of one component; three have the room of three or of four. */
static unsigned size_of(const struct conversion *c, uint32_t argument_b)
{
	unsigned n = c->vector == 3 && argument_b % 3 ? 4 : c->vector;
	unsigned size_b = argument_b / n;
	return size_b >= 8 ? 8 : size_b >= 4 ? 4 : size_b >= 2 ? 2 : size_b;
}

static void add_value(const struct conversion *c, const uint8_t *bytes, unsigned size_b,
		      struct bw_str *out)
{
	char spec[32];
	int width = BW_MAX(c->width, 0);
	uint64_t u = 0;
	memcpy(&u, bytes, size_b);
	/* as in C: converted back to the char or short that the length names */
	unsigned bits = BW_MIN(size_b * 8, c->length[0] != 'h'	 ? 64u
					   : c->length[1] == 'h' ? 8u
					   : c->length[1] == 'l' ? 32u
								 : 16u);
	if (strchr("di", c->letter)) {
		snprintf(spec, sizeof(spec), "%%%s*.*" PRId64, c->flags);
		bw_str_addf(out, spec, width, c->precision, bw_sign_extend(u, bits));
	} else if (strchr("ouxX", c->letter)) {
		snprintf(spec, sizeof(spec), "%%%s*.*l%c", c->flags, c->letter);
		bw_str_addf(out, spec, width, c->precision,
			    (unsigned long)(bits == 64 ? u : u & ((1ull << bits) - 1)));
	} else if (c->letter == 'c') {
		snprintf(spec, sizeof(spec), "%%%s*c", c->flags);
		bw_str_addf(out, spec, width, (int)(unsigned char)u);
	} else if (c->letter == 'p') {
		snprintf(spec, sizeof(spec), "%%%s*s", c->flags);
		char text[24];
		snprintf(text, sizeof(text), "0x%" PRIx64, u);
		bw_str_addf(out, spec, width, text);
	} else {
		double d = 0;
		float f;
		_Float16 h;
		if (size_b == 8)
			memcpy(&d, bytes, 8);
		else if (size_b == 4)
			memcpy(&f, bytes, 4), d = (double)f;
		else if (size_b == 2)
			memcpy(&h, bytes, 2), d = (double)h;
		snprintf(spec, sizeof(spec), "%%%s*.*%c", c->flags, c->letter);
		bw_str_addf(out, spec, width, c->precision, d);
	}
}

static void add_string(const struct conversion *c, const uint8_t *bytes, uint32_t size_b,
		       struct bw_str *out)
{
	char spec[32];
	size_t len = strnlen((const char *)bytes, size_b);
	int most = c->precision < 0 ? (int)BW_MIN(len, (size_t)INT32_MAX)
				    : (int)BW_MIN(len, (size_t)c->precision);
	snprintf(spec, sizeof(spec), "%%%s*.*s", c->flags);
	bw_str_addf(out, spec, BW_MAX(c->width, 0), most, (const char *)bytes);
}

/* One argument; false: it is shorter than its conversion needs. */
static bool add_argument(const struct conversion *c, const uint8_t *bytes, uint32_t size_b,
			 struct bw_str *out)
{
	if (c->letter == 's') {
		add_string(c, bytes, size_b, out);
		return true;
	}
	unsigned each_b = size_of(c, size_b);
	if (!each_b || (uint64_t)each_b * c->vector > size_b)
		return false;
	for (unsigned i = 0; i < c->vector; i++) {
		bw_str_add(out, i ? "," : "");
		add_value(c, bytes + (size_t)i * each_b, each_b, out);
	}
	return true;
}

/* One call, its arguments at the cursor. */
static bool add_call(const struct format *f, struct bw_cursor *args, struct bw_str *out)
{
	uint32_t n = 0;
	struct lengths l;
	const uint8_t *bytes = bw_cursor_bytes(args, f->call_b);
	if (args->overrun)
		return false;
	measure(f, bytes, &l);
	for (const char *p = f->text; *p;) {
		if (*p != '%') {
			char ch = *p == '\\' ? unescape(&p) : *p++;
			bw_str_addn(out, &ch, 1);
			continue;
		}
		const char *from = p++;
		struct conversion c;
		if (*p == '%') {
			bw_str_add(out, "%");
			p++;
		} else if (!parse_conversion(&p, &c) || n >= f->n_args) {
			bw_str_addn(out, from, (size_t)(p - from));
		} else {
			if (!add_argument(&c, bytes, l.size_b[n], out))
				return false;
			bytes += l.size_b[n++];
		}
	}
	return true;
}

static const struct format *find_format(const struct format *formats, size_t n, uint32_t id)
{
	for (size_t i = 0; i < n; i++)
		if (formats[i].id == id)
			return &formats[i];
	return NULL;
}

/* Strings whose length is a multiple of 4 leave a dword at the end of the call unwritten. */
static bool is_complete(const struct format *f, const uint8_t *args)
{
	uint32_t most_short = 0, word;
	for (uint32_t i = 0; i < f->n_args; i++)
		most_short += f->is_string[i];
	for (uint32_t at = 0; at + 4 * most_short < f->call_b; at += 4) {
		memcpy(&word, args + at, 4);
		if (word == UNWRITTEN)
			return false;
	}
	return true;
}

/* Formats as structs, owned by the caller. */
static struct format *parse_formats(const char *const *lines, size_t n_lines, size_t *out_n)
{
	struct format *parsed = calloc(n_lines ? n_lines : 1, sizeof(*parsed));
	*out_n = 0;
	for (size_t i = 0; parsed && i < n_lines; i++)
		*out_n += parse_format(lines[i], &parsed[*out_n]);
	return parsed;
}

size_t bw_printf_calls_text(const uint8_t *calls, size_t size_b, const char *const *formats,
			    size_t n_formats, struct bw_str *out)
{
	size_t n, done = 0;
	_cleanup_free_ struct format *parsed = parse_formats(formats, n_formats, &n);
	struct bw_cursor c = bw_cursor(calls, size_b);
	while (parsed && bw_cursor_left(&c) >= 4) {
		uint32_t id = bw_cursor_u32(&c);
		const struct format *f = find_format(parsed, n, id);
		if (!f || bw_cursor_left(&c) < f->call_b || !is_complete(f, calls + done + 4) ||
		    !add_call(f, &c, out))
			break;
		done += 4 + (size_t)f->call_b;
	}
	return done;
}

void bw_printf_buffer_text(const uint8_t *buffer, const char *const *formats, size_t n_formats,
			   struct bw_str *out)
{
	uint32_t used_b, lost, shown_b;
	memcpy(&used_b, buffer, 4);
	memcpy(&lost, buffer + BW_PRINTF_HEAD_B + BW_PRINTF_ROOM_B, 4);
	memcpy(&shown_b, buffer + BW_PRINTF_SHOWN_AT, 4);
	used_b = BW_MIN(used_b, (uint32_t)BW_PRINTF_ROOM_B);
	shown_b = BW_MIN(shown_b, used_b);
	struct bw_cursor c = bw_cursor(buffer + BW_PRINTF_HEAD_B + shown_b, used_b - shown_b);
	size_t n;
	_cleanup_free_ struct format *parsed = parse_formats(formats, n_formats, &n);
	while (bw_cursor_left(&c) >= 4) {
		uint32_t id = bw_cursor_u32(&c);
		const struct format *f = find_format(parsed, n, id);
		if (!f || !add_call(f, &c, out)) {
			bw_str_addf(
				out,
				"[the rest of what the kernel prints cannot be read: call %u]\n",
				id);
			break;
		}
	}
	if (lost)
		bw_str_addf(out, "[%u more calls of printf found no room: there are %u MiB]\n",
			    lost, BW_PRINTF_ROOM_B >> 20);
}
