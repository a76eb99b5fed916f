/* SPDX-License-Identifier: MIT */
#include "ui/paint.h"

#include <ctype.h>
#include <string.h>

#include "base/util.h"

/* The colours are gdb's: addresses blue, functions yellow, files green, the rest from its source
 * style. Of the sixteen that each terminal has, in the shades of the user's own choice. */
enum colour { PLAIN, BOLD, DIM, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN };
static const char *const sgr[] = {
	[PLAIN] = "",	     [BOLD] = "\033[1m",     [DIM] = "\033[2m",
	[RED] = "\033[31m",  [GREEN] = "\033[32m",   [YELLOW] = "\033[33m",
	[BLUE] = "\033[34m", [MAGENTA] = "\033[35m", [CYAN] = "\033[36m",
};

static void add_painted(struct bw_str *out, enum colour colour, const char *text, size_t n)
{
	if (!n)
		return;
	bool ends_line = text[n - 1] == '\n'; /* which no colour goes beyond */
	bw_str_add(out, sgr[colour]);
	bw_str_addn(out, text, n - ends_line);
	if (colour != PLAIN)
		bw_str_add(out, "\033[0m");
	if (ends_line)
		bw_str_add(out, "\n");
}

static bool in_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_';
}

/* Whether a word can begin at p, which is after `start`. */
static bool begins(const char *start, const char *p)
{
	return p == start || !in_word(p[-1]);
}

/* ---- What is recognised: the length at p, 0: it is something else ---- */

/* An address: longer than numbers of 32 bits are. */
static size_t address(const char *p)
{
	enum { MIN_DIGITS = 9 };
	size_t n = 2;
	if (p[0] != '0' || p[1] != 'x')
		return 0;
	while (isxdigit((unsigned char)p[n]))
		n++;
	return n - 2 >= MIN_DIGITS && !in_word(p[n]) ? n : 0;
}

/* "<saxpy+24>", "<+24>" */
static size_t symbol(const char *p)
{
	size_t n = p[0] == '<' ? strcspn(p, "> \n") : 0;
	return n > 1 && p[n] == '>' ? n + 1 : 0;
}

/* "saxpy.s:12", with the folders before it: the length of the file's name */
static size_t file(const char *p)
{
	size_t n = strcspn(p, ": \t\n(),\"'<>");
	const char *dot = memrchr(p, '.', n);
	bool has_suffix = dot && dot > p && p + n - dot > 1 && isalpha((unsigned char)dot[1]);
	return has_suffix && p[n] == ':' && isdigit((unsigned char)p[n + 1]) ? n : 0;
}

/* Whether p is within "s[0:1]": registers, no numbers. */
static bool is_register(const char *start, const char *p)
{
	while (p > start && (isdigit((unsigned char)p[-1]) || p[-1] == ':'))
		p--;
	if (p - start < 2 || p[-1] != '[')
		return false;
	const char *name = p - 2;
	while (name > start && isalpha((unsigned char)name[-1]))
		name--;
	size_t n = (size_t)(p - 1 - name);
	return (n == 1 && (*name == 's' || *name == 'v')) || (n == 4 && !memcmp(name, "ttmp", n));
}

static size_t number(const char *start, const char *p)
{
	size_t n = 0;
	if (is_register(start, p))
		return 0;
	if (!isdigit((unsigned char)p[0]) && !(p[0] == '.' && isdigit((unsigned char)p[1])))
		return 0;
	while (in_word(p[n]) || p[n] == '.' ||
	       ((p[n] == '+' || p[n] == '-') && n && tolower((unsigned char)p[n - 1]) == 'e' &&
		p[1] != 'x'))
		n++;
	return n;
}

static size_t quoted(const char *p)
{
	size_t n = 1;
	if (p[0] != '"' && p[0] != '\'')
		return 0;
	while (p[n] && p[n] != '\n' && p[n] != p[0])
		n += p[n] == '\\' && p[n + 1] && p[n + 1] != '\n' ? 2 : 1;
	return p[n] == p[0] ? n + 1 : 0;
}

static size_t comment(const char *p)
{
	if (p[0] == '/' && p[1] == '/')
		return strcspn(p, "\n");
	if (p[0] == '/' && p[1] == '*') {
		const char *end = strstr(p + 2, "*/");
		size_t line = strcspn(p, "\n");
		return end && (size_t)(end - p) < line ? (size_t)(end - p) + 2 : line;
	}
	return 0;
}

/* Words of C, OpenCL C, HIP, GLSL and HLSL. */
static bool is_keyword(const char *p, size_t n)
{
	static const char *const words[] = {
		"break",    "case",	   "const",    "constant", "continue", "default",
		"discard",  "do",	   "else",     "enum",	   "for",      "global",
		"goto",	    "groupshared", "if",       "inline",   "kernel",   "layout",
		"local",    "private",	   "readonly", "restrict", "return",   "shared",
		"sizeof",   "static",	   "struct",   "switch",   "template", "typedef",
		"typename", "uniform",	   "union",    "volatile", "while",    "writeonly",
	};
	while (n && *p == '_') { /* __kernel, __global__ */
		p++;
		n--;
	}
	while (n && p[n - 1] == '_')
		n--;
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == n && !memcmp(words[i], p, n))
			return true;
	return false;
}

static bool is_type(const char *p, size_t n)
{
	static const char *const roots[] = {
		"void", "bool",	 "char", "uchar", "short",  "ushort", "int",	  "uint",
		"long", "ulong", "half", "float", "double", "signed", "unsigned", "size_t",
		"vec",	"ivec",	 "uvec", "bvec",  "dvec",   "mat",    "dim",
	};
	while (n > 1 && isdigit((unsigned char)p[n - 1])) /* float4, vec3 */
		n--;
	for (size_t i = 0; i < BW_ARRAY_SIZE(roots); i++)
		if (strlen(roots[i]) == n && !memcmp(roots[i], p, n))
			return true;
	return n > 2 && p[n - 2] == '_' && p[n - 1] == 't';
}

/* ---- The kinds of lines ---- */

static size_t paint_text(const char *start, const char *p, struct bw_str *out)
{
	size_t n = 0;
	enum colour colour = BLUE;
	if (begins(start, p))
		n = address(p);
	if (!n) {
		n = symbol(p);
		colour = YELLOW;
	}
	if (!n && (p == start || strchr(" \t(\n", p[-1]))) {
		n = file(p);
		colour = GREEN;
	}
	add_painted(out, colour, p, n);
	return n;
}

static size_t paint_source(const char *start, const char *p, struct bw_str *out)
{
	size_t n = comment(p);
	enum colour colour = DIM;
	if (!n) {
		n = quoted(p);
		colour = GREEN;
	}
	if (!n && begins(start, p)) {
		n = number(start, p);
		colour = MAGENTA;
	}
	if (!n && begins(start, p) && in_word(*p)) {
		while (in_word(p[n]))
			n++;
		colour = is_keyword(p, n) ? CYAN : is_type(p, n) ? YELLOW : PLAIN;
	}
	if (!n && *p == '#' && (p == start || p[-1] == '\t' || p[-1] == '\n')) {
		for (n = 1; in_word(p[n]);)
			n++;
		colour = CYAN;
	}
	add_painted(out, colour, p, n);
	return n;
}

/* The mnemonic is the first word after the colon of the address. */
static size_t paint_code(const char *start, const char *p, struct bw_str *out)
{
	size_t n = paint_text(start, p, out);
	if (n)
		return n;
	const char *before = p;
	while (before > start && (before[-1] == ' ' || before[-1] == '\t'))
		before--;
	bool is_first = before < p && before > start && before[-1] == ':';
	n = comment(p);
	enum colour colour = DIM;
	if (!n && is_first && begins(start, p)) {
		while (in_word(p[n]))
			n++;
		colour = GREEN;
	}
	if (!n && begins(start, p)) {
		n = number(start, p);
		colour = MAGENTA;
	}
	add_painted(out, colour, p, n);
	return n;
}

void bw_paint(enum bw_paint kind, const char *text, struct bw_str *out)
{
	const char *plain = text, *p = text;
	if (kind == BW_PAINT_TITLE) {
		add_painted(out, BOLD, text, strlen(text));
		return;
	}
	if (kind == BW_PAINT_SOURCE) /* the line's number stays as it is */
		p += strspn(text, "0123456789");
	while (*p) {
		struct bw_str part = {0};
		size_t n = kind == BW_PAINT_SOURCE ? paint_source(text, p, &part)
			   : kind == BW_PAINT_CODE ? paint_code(text, p, &part)
						   : paint_text(text, p, &part);
		if (n) {
			bw_str_addn(out, plain, (size_t)(p - plain));
			bw_str_add(out, bw_str_text(&part));
			plain = p + n;
		}
		bw_str_free(&part);
		p += n ? n : 1;
	}
	bw_str_add(out, plain);
}
