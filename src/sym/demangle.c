/* SPDX-License-Identifier: MIT */
#include "sym/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"

/* libstdc++: abi::__cxa_demangle of <cxxabi.h>, which C cannot include. */
char *__cxa_demangle(const char *mangled, char *out, size_t *len, int *status);

enum { MAX_NAME = 65536 };

/* Types that the libstdc++ of GCC 12 does not know, or takes for others. Each is demangled as a
 * decimal type, which GPUs do not have, and that is replaced in the result. As with the types
 * themselves, no S_ of the name refers to these. */
static const struct {
	const char *mangled, *as, *as_name, *name;
} newer_types[] = {
	{"DF16_", "Df", "decimal32", "_Float16"},
	{"DF16b", "Dd", "decimal64", "std::bfloat16_t"},
};

/* A copy of text with each `from` replaced. NULL: no memory. */
static char *replaced(const char *text, const char *from, const char *to)
{
	struct bw_str out = {0};
	for (const char *at; (at = strstr(text, from)); text = at + strlen(from)) {
		bw_str_addn(&out, text, (size_t)(at - text));
		bw_str_add(&out, to);
	}
	bw_str_add(&out, text);
	return bw_str_take(&out);
}

char *bw_demangle(const char *name)
{
	int status = 0;
	if (strncmp(name, "_Z", 2) != 0 || strlen(name) > MAX_NAME)
		return NULL;
	_cleanup_free_ char *known = strdup(name);
	for (size_t i = 0; i < BW_ARRAY_SIZE(newer_types) && known; i++) {
		char *next = replaced(known, newer_types[i].mangled, newer_types[i].as);
		free(known);
		known = next;
	}
	char *out = known ? __cxa_demangle(known, NULL, NULL, &status) : NULL;
	for (size_t i = 0; i < BW_ARRAY_SIZE(newer_types) && out && strcmp(known, name); i++) {
		char *next = replaced(out, newer_types[i].as_name, newer_types[i].name);
		free(out);
		out = next;
	}
	return out;
}

static bool opens(char c)
{
	return c == '(' || c == '<' || c == '[';
}

static bool closes(char c)
{
	return c == ')' || c == '>' || c == ']';
}

/* The type of "operator unsigned int()", with the blank before it; so of "operator new()". */
static size_t conversion_length(const char *p)
{
	size_t n = 0;
	for (int depth = 0; p[n] && (p[n] != '(' || depth); n++)
		depth += (p[n] == '<') - (p[n] == '>');
	return n;
}

/* "operator<", "operator()": the characters after the word are its name. 0: p, which is in `full`,
 * is not at such a name. */
static size_t operator_length(const char *full, const char *p)
{
	const size_t word = strlen("operator");
	if (strncmp(p, "operator", word) != 0 ||
	    (p > full && (isalnum((unsigned char)p[-1]) || p[-1] == '_')))
		return 0;
	if (p[word] == ' ')
		return word + conversion_length(p + word);
	size_t n = strspn(p + word, "<>=!+-*/%^&|~,[");
	if (p[word] == '(')
		n = 2;
	return n ? word + n + (p[word] == '[') : 0;
}

const char *bw_name_base(const char *full, size_t *out_len)
{
	const char *start = full, *p = full;
	int depth = 0;
	for (; *p; p++) {
		size_t op = depth ? 0 : operator_length(full, p);
		if (op) {
			p += strnlen(p, op) - 1;
			continue;
		}
		bool anonymous = !strncmp(p, "(anonymous namespace)", 21);
		if (*p == '(' && !depth && !anonymous)
			break;
		if (*p == ' ' && !depth)
			start = p + 1;
		depth += opens(*p) - closes(*p);
	}
	*out_len = (size_t)(p - start);
	return start;
}

/* Compares up to the ends, without spaces, and without template arguments on the left where skip
 * says so. */
static bool same(const char *a, size_t a_len, const char *b, bool skip)
{
	const char *end = a + a_len;
	for (;;) {
		while (a < end && *a == ' ')
			a++;
		while (*b == ' ')
			b++;
		if (skip && a < end && *a == '<') {
			int depth = 0;
			do
				depth += (*a == '<') - (*a == '>');
			while (++a < end && depth);
			continue;
		}
		if (a == end || !*b)
			return a == end && !*b;
		if (*a++ != *b++)
			return false;
	}
}

bool bw_name_is(const char *full, const char *typed)
{
	size_t len;
	const char *base = bw_name_base(full, &len), *end = base + len;
	if (!*typed)
		return false;
	if (!strcmp(full, typed) || same(full, strlen(full), typed, false))
		return true;
	/* at each "::" that is not within template arguments */
	int depth = 0;
	bool at_name = true;
	for (const char *p = base; p < end; p++) {
		if (at_name &&
		    (same(p, (size_t)(end - p), typed, false) ||
		     same(p, (size_t)(end - p), typed, true) || same(p, strlen(p), typed, false)))
			return true;
		depth += opens(*p) - closes(*p);
		at_name = !depth && *p == ':' && p > base && p[-1] == ':';
	}
	return false;
}
