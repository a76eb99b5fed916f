/* SPDX-License-Identifier: MIT */
#include "sym/shader_scopes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

enum { TEXT_MAX_B = 4 << 20, DECLARED_MAX = 1 << 14, DEPTH_MAX = 256, CONDITIONS_MAX = 64 };

struct token {
	const char *text;
	uint32_t len, line;
	char kind; /* 'a': a name, '0': a number, else the character itself; 0: the end */
};

struct scan {
	const char *begin, *at;
	uint32_t line;
	bool is_wrong;
	int braces; /* of all tokens so far */
	int at_if[CONDITIONS_MAX];
	unsigned n_conditions;
	struct token now, next, before; /* before: the last that was taken */
	struct bw_declarations *out;
	/* the scopes around: the first of out that is in each */
	struct scope {
		size_t first;
		uint32_t line;
		bool is_for; /* ends with a statement, not with a brace */
	} scopes[DEPTH_MAX];
	unsigned depth;
	struct bw_error *err;
};

/* ---- Tokens ---- */

static bool is_word(const struct token *t, const char *word)
{
	return t->kind == 'a' && strlen(word) == t->len && !memcmp(t->text, word, t->len);
}

static bool is_any(const struct token *t, const char *const *words)
{
	while (*words && !is_word(t, *words))
		words++;
	return *words;
}

static void skip_comment(struct scan *s)
{
	const char *end = strstr(s->at + 2, "*/");
	s->is_wrong |= !end;
	for (end = end ? end + 2 : s->at + strlen(s->at); s->at < end; s->at++)
		s->line += *s->at == '\n';
}

/* The rest of a line, with those that a backslash joins to it; how many braces it opens. */
static int skip_line(struct scan *s)
{
	int braces = 0;
	for (; *s->at && *s->at != '\n'; s->at++) {
		if (s->at[0] == '\\' && s->at[1] == '\n') {
			s->at++;
			s->line++;
		} else if (s->at[0] == '/' && s->at[1] == '*') {
			skip_comment(s);
			s->at--;
		} else if (s->at[0] == '/' && s->at[1] == '/') {
			while (*s->at && *s->at != '\n')
				s->at++;
			break;
		}
		braces += (*s->at == '{') - (*s->at == '}');
	}
	return braces;
}

/* Branches of a condition must leave as many blocks open as they found. */
static void directive(struct scan *s)
{
	do
		s->at++;
	while (*s->at == ' ' || *s->at == '\t');
	const bool is_if = !strncmp(s->at, "if", 2), is_end = !strncmp(s->at, "endif", 5),
		   is_else = !strncmp(s->at, "el", 2);
	if (is_if && s->n_conditions < CONDITIONS_MAX)
		s->at_if[s->n_conditions++] = s->braces;
	else if (is_if)
		s->is_wrong = true;
	else if ((is_end || is_else) && s->n_conditions)
		s->is_wrong |= s->at_if[s->n_conditions - 1] != s->braces;
	if (is_end && s->n_conditions)
		s->n_conditions--;
	if (!strncmp(s->at, "line", 4) && isspace((unsigned char)s->at[4])) {
		char *end;
		s->line = (uint32_t)strtoul(s->at + 4, &end, 10) - 1; /* of the line after this */
		while (*end == ' ' || *end == '\t' || *end == '\r')
			end++;
		s->is_wrong |= *end != '\n'; /* another file */
	}
	s->is_wrong |= skip_line(s) != 0;
}

static void skip_blanks(struct scan *s)
{
	for (bool is_first = s->at == s->begin || s->at[-1] == '\n';; s->at++) {
		if (*s->at == '\n') {
			s->line++;
			is_first = true;
		} else if (*s->at == '#' && is_first) {
			directive(s);
			s->at--;
		} else if (s->at[0] == '/' && s->at[1] == '/') {
			skip_line(s);
			s->at--;
		} else if (s->at[0] == '/' && s->at[1] == '*') {
			skip_comment(s);
			s->at--;
		} else if (!isspace((unsigned char)*s->at) && *s->at != '\\') {
			return;
		}
	}
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* now becomes the next token. */
static void take_word(struct scan *s)
{
	s->before = s->now;
	s->now = s->next;
	skip_blanks(s);
	struct token t = {.text = s->at, .line = s->line, .len = 1};
	if (isalpha((unsigned char)*s->at) || *s->at == '_')
		t.kind = 'a';
	else if (isdigit((unsigned char)*s->at))
		t.kind = '0';
	else
		t.kind = *s->at;
	while ((t.kind == 'a' || t.kind == '0') && is_name(s->at[t.len]))
		t.len++;
	if (t.kind)
		s->at += t.len;
	s->braces += (t.kind == '{') - (t.kind == '}');
	s->next = t;
}

/* ---- Scopes ---- */

static void begin(struct scan *s, bool is_for)
{
	if (s->depth == DEPTH_MAX) {
		s->is_wrong = true;
		return;
	}
	s->scopes[s->depth++] = (struct scope){s->out->len, s->before.line, is_for};
}

/* The scope ends with the token that was taken last. */
static void end(struct scan *s)
{
	const struct scope scope = s->scopes[--s->depth];
	for (size_t i = scope.first; i < s->out->len; i++) {
		struct bw_declared *d = &s->out->data[i];
		if (d->end)
			continue; /* of a scope in this one */
		d->end = s->before.line;
		d->end_is_shared =
			s->now.kind && s->now.kind != '}' && s->now.line == s->before.line;
	}
}

static void end_statement(struct scan *s)
{
	while (s->depth && s->scopes[s->depth - 1].is_for && !is_word(&s->now, "else"))
		end(s);
}

/* Skips from an opening bracket to the end of its closing one. */
static void skip_brackets(struct scan *s)
{
	int depth = 0;
	do {
		depth += s->now.kind == '(' || s->now.kind == '[' || s->now.kind == '{';
		depth -= s->now.kind == ')' || s->now.kind == ']' || s->now.kind == '}';
		take_word(s);
	} while (depth > 0 && s->now.kind);
	s->is_wrong |= depth != 0;
}

/* Skips to one of these marks outside of brackets, or to the closing bracket around. */
static void skip_to(struct scan *s, char a, char b)
{
	while (s->now.kind && s->now.kind != a && s->now.kind != b && s->now.kind != ')' &&
	       s->now.kind != ']' && s->now.kind != '}') {
		if (s->now.kind == '(' || s->now.kind == '[' || s->now.kind == '{')
			skip_brackets(s);
		else
			take_word(s);
	}
}

static void declare(struct scan *s, const struct token *name, bool is_loop)
{
	const struct bw_declared d = {.name = name->text,
				      .len = name->len,
				      .line = name->line,
				      .begin = s->depth > 1 ? s->scopes[s->depth - 1].line : 0,
				      .is_loop = is_loop};
	if (s->out->len >= DECLARED_MAX)
		s->is_wrong = true;
	else if (!s->err)
		s->err = bw_vec_push(s->out, d);
}

/* Skips the name of a type, and the <...> after it. */
static void skip_type(struct scan *s)
{
	take_word(s);
	if (s->now.kind != '<')
		return;
	while (s->now.kind && s->now.kind != '>' && s->now.kind != ';')
		take_word(s);
	if (s->now.kind == '>')
		take_word(s);
}

/* A statement up to its ';'; false: what was taken is only in front of one. "TYPE NAME", where NAME
 * is followed by what can follow a variable that is declared, is a declaration; others are
 * expressions, jumps and what only macros explain. */
static bool simple_statement(struct scan *s, bool is_loop)
{
	static const char *const qualifiers[] = {"const",    "highp",	"mediump",	"lowp",
						 "precise",  "static",	"volatile",	"row_major",
						 "unsigned", "uniform", "column_major", NULL};
	static const char *const jumps[] = {"return", "break", "continue", "discard", NULL};
	static const char *const begins[] = {"for", "while", "do", "if", "switch", NULL};
	const size_t first = s->out->len;
	while (is_any(&s->now, qualifiers))
		take_word(s);
	if (s->now.kind == 'a' && !is_any(&s->now, jumps)) {
		skip_type(s);
		if (is_any(&s->now, begins)) /* after a macro */
			return false;
		if (s->now.kind == '(')
			skip_brackets(s);
		if (s->now.kind == '{')
			return false;
		if (s->now.kind == '[')
			skip_brackets(s);
		bool goes_on = s->now.kind == 'a' && s->next.kind && strchr(";=,[", s->next.kind);
		while (goes_on && s->now.kind == 'a') {
			declare(s, &s->now, is_loop);
			skip_to(s, ',', ';');
			goes_on = s->now.kind == ',';
			if (goes_on)
				take_word(s);
		}
	}
	skip_to(s, ';', ';');
	if (s->now.kind != ';')
		s->is_wrong = true;
	else
		take_word(s);
	const bool is_last = !s->now.kind || s->now.kind == '}' || s->now.line != s->before.line;
	for (size_t i = first; i < s->out->len; i++)
		s->out->data[i].is_last = is_last && s->out->data[i].line == s->before.line;
	return true;
}

/* Goes on to the next part of the head of a for. */
static void next_part(struct scan *s)
{
	skip_to(s, ';', ';');
	if (s->now.kind == ';')
		take_word(s);
	else
		s->is_wrong |= s->now.kind != ')';
}

/* A statement, or the part of one that is in front of another: "if (x)", "else", "case 1:". */
static void statement(struct scan *s)
{
	static const char *const heads[] = {"if", "while", "switch", NULL};
	if (s->now.kind == '[') { /* an attribute */
		skip_brackets(s);
	} else if (is_any(&s->now, heads)) {
		const bool is_while = is_word(&s->now, "while");
		take_word(s);
		skip_brackets(s);
		if (is_while && s->now.kind == ';') { /* of do, or a loop without a body */
			take_word(s);
			end_statement(s);
		}
	} else if (is_word(&s->now, "else") || is_word(&s->now, "do")) {
		take_word(s);
	} else if (is_word(&s->now, "case") || is_word(&s->now, "default")) {
		skip_to(s, ':', ';');
		take_word(s);
	} else if (is_word(&s->now, "for")) {
		take_word(s);
		begin(s, true);
		take_word(s); /* ( */
		simple_statement(s, true);
		while (s->now.kind && s->now.kind != ')' && !s->is_wrong)
			next_part(s);
		take_word(s);
	} else if (simple_statement(s, false)) {
		end_statement(s);
	}
}

/* Reads a function from its '{' to its end. */
static void function(struct scan *s)
{
	const unsigned outside = s->depth;
	do {
		if (s->now.kind == '{') {
			take_word(s);
			begin(s, false);
		} else if (s->now.kind == '}') {
			s->is_wrong |= s->scopes[s->depth - 1].is_for;
			take_word(s);
			end(s);
			if (s->depth > outside)
				end_statement(s);
		} else {
			statement(s);
		}
	} while (s->depth > outside && s->now.kind && !s->is_wrong && !s->err);
	s->is_wrong |= s->depth != outside;
}

/* A '{' begins a function where the ')' of its parameters is before it, or in HLSL a meaning of its
 * result (": SV_Target") between the two. */
static void module(struct scan *s)
{
	struct token behind_name = {0}, last = {0};
	while (s->now.kind && !s->is_wrong && !s->err) {
		const bool has_meaning =
			s->before.kind == 'a' && last.kind == ':' && behind_name.kind == ')';
		if (s->now.kind == '{' && (s->before.kind == ')' || has_meaning)) {
			function(s);
		} else if (s->now.kind == '{' || s->now.kind == '(' || s->now.kind == '[') {
			skip_brackets(s);
		} else {
			behind_name = last;
			last = s->before;
			take_word(s);
		}
	}
}

struct bw_error *bw_shader_declarations(const char *text, struct bw_declarations *out)
{
	struct scan s = {.begin = text, .at = text, .line = 1, .out = out};
	if (strlen(text) > TEXT_MAX_B)
		return NULL;
	take_word(&s);
	take_word(&s);
	module(&s);
	if (s.is_wrong || s.err || s.n_conditions)
		bw_vec_free(out);
	return s.err;
}
