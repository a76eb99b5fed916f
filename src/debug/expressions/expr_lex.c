// SPDX-License-Identifier: MIT
#include "debug/expressions/expr_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void bad(struct bw_tok *t, const char *message)
{
	t->kind = BW_TOK_BAD;
	t->message = message;
}

/* 12, 0x1f, 0b101, 017 and suffixes u, l; typed as C types them. */
static void int_literal(const char *s, size_t len, struct bw_tok *t)
{
	char digits[BW_NAME_MAX];
	bool is_unsigned = false, is_long = false;
	char *end;
	int base = 10;
	const char *p = digits;

	if (len >= sizeof(digits)) {
		bad(t, "number too long");
		return;
	}
	memcpy(digits, s, len);
	digits[len] = 0;
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
		base = 16;
	} else if (digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B')) {
		base = 2;
		p += 2;
	} else if (digits[0] == '0' && len > 1) {
		base = 8;
	}
	while (len && strchr("uUlL", digits[len - 1])) {
		is_unsigned |= digits[len - 1] == 'u' || digits[len - 1] == 'U';
		is_long |= digits[len - 1] == 'l' || digits[len - 1] == 'L';
		digits[--len] = 0;
	}
	unsigned long long v = strtoull(p, &end, base);
	if (*end || end == p || (v == ~0ull && strlen(p) > 22)) {
		bad(t, "Invalid number");
		return;
	}
	bool wide = is_long || v > UINT32_MAX || (base == 10 && !is_unsigned && v > INT32_MAX);
	uint64_t signed_max = wide ? INT64_MAX : INT32_MAX;
	t->kind = BW_TOK_INT;
	t->number = bw_expr_int(v, wide ? 8 : 4, !is_unsigned && v <= signed_max);
}

static void float_literal(const char *s, size_t len, struct bw_tok *t)
{
	char digits[BW_NAME_MAX];
	char *end;
	if (len >= sizeof(digits)) {
		bad(t, "number too long");
		return;
	}
	memcpy(digits, s, len);
	digits[len] = 0;
	bool is_float = digits[len - 1] == 'f' || digits[len - 1] == 'F';
	if (is_float)
		digits[len - 1] = 0;
	double v = strtod(digits, &end);
	if (*end || end == digits) {
		bad(t, "Invalid number");
		return;
	}
	t->kind = BW_TOK_FLOAT;
	t->number = (struct bw_value){.type = {.kind = BW_TYPE_FLOAT, .size_b = is_float ? 4 : 8}};
	if (is_float) {
		float f = (float)v;
		uint32_t bits;
		memcpy(&bits, &f, sizeof(bits));
		t->number.bits = bits;
	} else {
		memcpy(&t->number.bits, &v, sizeof(v));
	}
}

static void number(const char *text, size_t pos, struct bw_tok *t)
{
	const char *s = text + pos;
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X'), is_float = false;
	size_t n = 0;

	for (;; n++) {
		if (s[n] == '.') {
			is_float = true;
		} else if (!hex && (s[n] == 'e' || s[n] == 'E')) {
			is_float = true;
			if (s[n + 1] == '+' || s[n + 1] == '-')
				n++;
		} else if (!is_word(s[n])) {
			break;
		}
	}
	if (!hex && n && (s[n - 1] == 'f' || s[n - 1] == 'F'))
		is_float = true;
	t->end = pos + n;
	if (is_float)
		float_literal(s, n, t);
	else
		int_literal(s, n, t);
}

/* "[2:3]" right after the name of a register file. */
static size_t range_length(const char *s)
{
	size_t n = 1;
	if (s[0] != '[')
		return 0;
	while (isdigit((unsigned char)s[n]))
		n++;
	if (n == 1 || s[n] != ':')
		return 0;
	size_t colon = n++;
	while (isdigit((unsigned char)s[n]))
		n++;
	return n > colon + 1 && s[n] == ']' ? n + 1 : 0;
}

/* "::i" after "zoo", or alone */
static bool is_part(const char *s)
{
	return s[0] == ':' && s[1] == ':' && is_word(s[2]) && !isdigit((unsigned char)s[2]);
}

static void word(const char *text, size_t pos, struct bw_tok *t)
{
	static const char entry[] = "@entry";
	size_t start = pos, n;

	t->kind = BW_TOK_IDENT;
	if (text[pos] == '$') {
		t->kind = BW_TOK_DOLLAR;
		start = ++pos;
		if (text[pos] == '$') /* $$ and $$3 of the value history */
			pos++;
	}
	for (;;) {
		while (is_word(text[pos]) || (text[pos] == '$' && t->kind == BW_TOK_IDENT))
			pos++;
		if (t->kind != BW_TOK_IDENT || !is_part(text + pos))
			break;
		pos += 2;
	}
	n = pos - start;
	if ((n == 1 && (text[start] == 's' || text[start] == 'v')) ||
	    (n == 4 && strncmp(text + start, "ttmp", 4) == 0)) {
		size_t range = range_length(text + pos);
		n += range;
		pos += range;
	}
	t->is_entry = t->kind == BW_TOK_IDENT && !strncmp(text + pos, entry, strlen(entry)) &&
		      !is_word(text[pos + strlen(entry)]);
	t->end = pos + (t->is_entry ? strlen(entry) : 0);
	if (n >= sizeof(t->name)) {
		bad(t, "name too long");
		return;
	}
	memcpy(t->name, text + start, n);
	t->name[n] = 0;
}

/* The character of an escape sequence of C, without its backslash: n, 033, x1b. */
static int escaped(const char *text, size_t *pos)
{
	static const char named[] = "a\ab\bf\fn\nr\rt\tv\ve\033";
	char c = text[(*pos)++];
	int value = 0;
	if (c == 'x' && isxdigit((unsigned char)text[*pos])) {
		for (; isxdigit((unsigned char)text[*pos]); (*pos)++) {
			int digit = tolower((unsigned char)text[*pos]);
			value = (value * 16 + (isdigit(digit) ? digit - '0' : digit - 'a' + 10)) &
				0xff;
		}
		return value;
	}
	if (c >= '0' && c <= '7') {
		value = c - '0';
		for (int i = 0; i < 2 && text[*pos] >= '0' && text[*pos] <= '7'; i++)
			value = value * 8 + text[(*pos)++] - '0';
		return value & 0xff;
	}
	for (size_t i = 0; named[i]; i += 2)
		if (named[i] == c)
			return named[i + 1];
	return c;
}

static void quoted(const char *text, size_t pos, struct bw_tok *t)
{
	char quote = text[pos++];
	size_t n = 0;

	while (text[pos] && text[pos] != quote) {
		int c = (unsigned char)text[pos++];
		if (c == '\\' && text[pos])
			c = escaped(text, &pos);
		if (n + 1 >= (quote == '"' ? sizeof(t->number.text) : sizeof(t->name))) {
			bad(t, "string too long");
			t->end = pos;
			return;
		}
		t->name[n++] = (char)c;
	}
	t->name[n] = 0;
	t->end = text[pos] ? pos + 1 : pos;
	if (!text[pos]) {
		bad(t, quote == '\'' ? "Unmatched single quote" : "Unterminated string");
	} else if (quote == '"') {
		t->kind = BW_TOK_STRING;
	} else if (n > 1 && (is_word(t->name[0]) || is_part(t->name)) &&
		   !isdigit((unsigned char)t->name[0])) {
		t->kind = BW_TOK_IDENT; /* as in gdb, a name may be quoted: 'zoo::i' */
	} else if (n != 1) {
		bad(t, "a character between single quotes expected");
	} else {
		t->kind = BW_TOK_CHAR;
		t->number = bw_expr_int((uint64_t)(int64_t)t->name[0], 1, true);
		t->number.type.ctype = bw_expr_char_type();
	}
}

static void operator(const char *text, size_t pos, struct bw_tok *t)
{
	static const struct {
		char text[4];
		int op, assign_op;
	} ops[] = {
		{"<<=", BW_OPR_ASSIGN, BW_OPR_SHL},
		{">>=", BW_OPR_ASSIGN, BW_OPR_SHR},
		{"++", BW_OPR_INC, '+'},
		{"--", BW_OPR_INC, '-'},
		{"<<", BW_OPR_SHL, 0},
		{">>", BW_OPR_SHR, 0},
		{"<=", BW_OPR_LE, 0},
		{">=", BW_OPR_GE, 0},
		{"==", BW_OPR_EQ, 0},
		{"!=", BW_OPR_NE, 0},
		{"&&", BW_OPR_AND, 0},
		{"||", BW_OPR_OR, 0},
		{"+=", BW_OPR_ASSIGN, '+'},
		{"-=", BW_OPR_ASSIGN, '-'},
		{"*=", BW_OPR_ASSIGN, '*'},
		{"/=", BW_OPR_ASSIGN, '/'},
		{"%=", BW_OPR_ASSIGN, '%'},
		{"&=", BW_OPR_ASSIGN, '&'},
		{"|=", BW_OPR_ASSIGN, '|'},
		{"^=", BW_OPR_ASSIGN, '^'},
		{"=", BW_OPR_ASSIGN, 0},
	};
	t->kind = BW_TOK_OP;
	for (size_t i = 0; i < BW_ARRAY_SIZE(ops); i++) {
		size_t n = strlen(ops[i].text);
		if (strncmp(text + pos, ops[i].text, n) == 0) {
			t->op = ops[i].op;
			t->assign_op = ops[i].assign_op;
			t->end = pos + n;
			return;
		}
	}
	t->op = (unsigned char)text[pos];
	t->end = pos + 1;
	if (!strchr("+-*/%&|^~!<>()[]{}?:.@#,", text[pos]))
		bad(t, "Invalid character in expression");
}

void bw_expr_lex(const char *text, size_t pos, struct bw_tok *out)
{
	while (text[pos] == ' ' || text[pos] == '\t')
		pos++;
	*out = (struct bw_tok){.column = pos, .end = pos, .kind = BW_TOK_END};
	char c = text[pos];
	if (!c)
		return;
	if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)text[pos + 1])))
		number(text, pos, out);
	else if (is_word(c) || c == '$' || is_part(text + pos))
		word(text, pos, out);
	else if (c == '\'' || c == '"')
		quoted(text, pos, out);
	else
		operator(text, pos, out);
}
