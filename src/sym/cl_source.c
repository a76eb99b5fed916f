/* SPDX-License-Identifier: MIT */
#include "sym/cl_priv.h"

#include <ctype.h>
#include <string.h>

#include "base/util.h"

/* A preprocessor that knows what it does not know: predefined macros, headers, macros with
 * arguments. A condition that depends on them keeps all of its branches, in doubt. */

enum {
	SOURCE_MAX_B = 4 << 20,
	TOKENS_MAX = 1 << 18,
	REPLACED_MAX = 1 << 20,
	MACROS_MAX = 4096,
	NESTING_MAX = 64,
	EXPANSION_MAX = 16,
};

bool bw_cl_is(const struct bw_cl_token *t, const char *text)
{
	return (t->kind == BW_CL_NAME || t->kind == BW_CL_MARK) && t->len == strlen(text) &&
	       !memcmp(t->text, text, t->len);
}

static bool same(const struct bw_cl_token *a, const struct bw_cl_token *b)
{
	return a->len == b->len && !memcmp(a->text, b->text, a->len);
}

/* ---- Text to tokens ---- */

struct reader {
	const char *at;
	bool at_line_start;
	bool is_wrong; /* a comment without an end */
};

static size_t splice(const char *s)
{
	return s[0] == '\\' && s[1] == '\n'		      ? 2
	       : s[0] == '\\' && s[1] == '\r' && s[2] == '\n' ? 3
							      : 0;
}

/* Blanks and comments; whole lines too, where lines: at_line_start tells of them. */
static void skip_blanks(struct reader *r, bool lines)
{
	for (;;) {
		const char *s = r->at;
		if (splice(s)) {
			r->at += splice(s);
		} else if (*s == '\n' && lines) {
			r->at_line_start = true;
			r->at++;
		} else if (*s && *s != '\n' && isspace((unsigned char)*s)) {
			r->at++;
		} else if (s[0] == '/' && s[1] == '/') {
			while (*r->at && *r->at != '\n')
				r->at += BW_MAX(splice(r->at), (size_t)1);
		} else if (s[0] == '/' && s[1] == '*') {
			const char *end = strstr(s + 2, "*/");
			r->is_wrong |= !end;
			r->at = end ? end + 2 : s + strlen(s);
		} else {
			return;
		}
	}
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* 16, 0x10, 020, 0b1, with u and l after it. */
static bool read_integer(const char *s, uint32_t len, int64_t *out)
{
	uint64_t v = 0;
	uint32_t i = 0;
	unsigned base = 10;
	if (len > 2 && s[0] == '0' && (s[1] | 32) == 'x') {
		base = 16;
		i = 2;
	} else if (len > 2 && s[0] == '0' && (s[1] | 32) == 'b') {
		base = 2;
		i = 2;
	} else if (len > 1 && s[0] == '0') {
		base = 8;
	}
	for (; i < len; i++) {
		char c = (char)(s[i] | 32);
		unsigned digit = c >= 'a' ? (unsigned)(c - 'a') + 10 : (unsigned)(s[i] - '0');
		if (!isxdigit((unsigned char)s[i]) || digit >= base)
			break;
		if (v >> 56)
			return false;
		v = v * base + digit;
	}
	for (; i < len && ((s[i] | 32) == 'u' || (s[i] | 32) == 'l'); i++)
		;
	*out = (int64_t)v;
	return i == len;
}

/* The next token of the line, END at the end of it. */
static struct bw_cl_token next_of_line(struct reader *r)
{
	const char *before = r->at;
	skip_blanks(r, false);
	const char *s = r->at;
	struct bw_cl_token t = {.text = s, .touches = s == before};
	if (!*s || *s == '\n')
		return t;
	if (isalpha((unsigned char)*s) || *s == '_') {
		while (is_name_char(s[t.len]))
			t.len++;
		t.kind = BW_CL_NAME;
	} else if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) {
		while (is_name_char(s[t.len]) || s[t.len] == '.' ||
		       ((s[t.len] == '+' || s[t.len] == '-') && strchr("eEpP", s[t.len - 1])))
			t.len++;
		t.kind = read_integer(s, t.len, &t.value) ? BW_CL_NUMBER : BW_CL_OTHER;
	} else if (*s == '"' || *s == '\'') {
		t.len = 1;
		while (s[t.len] && s[t.len] != '\n' && s[t.len] != *s)
			t.len += s[t.len] == '\\' && s[t.len + 1] ? 2 : 1;
		t.len += s[t.len] == *s;
		t.kind = BW_CL_OTHER;
	} else {
		t.len = 1;
		t.kind = BW_CL_MARK;
	}
	r->at += t.len;
	return t;
}

/* ---- Macros ---- */

struct macro {
	struct bw_cl_token name;
	struct bw_cl_tokens body; /* owned */
	bool is_defined, takes_arguments;
	bool in_doubt;	/* whether, or as what, it is defined */
	bool is_active; /* is being replaced */
};

struct condition {
	bool was_taken, is_taken; /* a branch before; this one */
	bool in_doubt;		  /* one of the branches so far */
	bool outer_taken, outer_doubt;
};

struct pre {
	struct reader r;
	struct BW_VEC(struct macro) macros;
	struct condition conditions[NESTING_MAX];
	unsigned n_conditions;
	bool is_taken, in_doubt; /* of the line at hand */
	unsigned n_replaced;	 /* tokens of macros */
	bool has_include;	 /* from here on any other name may be a macro */
	struct bw_cl_tokens *out;
};

static struct macro *find_macro(struct pre *p, const struct bw_cl_token *name)
{
	bw_vec_each(&p->macros, m)
		if (same(&m->name, name))
			return m;
	return NULL;
}

/* Names that the compiler, its header of OpenCL C or a driver may define. */
static bool may_be_predefined(const struct bw_cl_token *name)
{
	static const char *const begin[] = {
		"_",	 "cl_",	  "CL",	    "FLT_",  "DBL_",  "HALF_", "CHAR_", "SCHAR_", "UCHAR_",
		"SHRT_", "USHRT", "INT_",   "UINT_", "LONG_", "ULONG", "M_",	"FP_",	  "ATOMIC",
		"MAXFL", "HUGE_", "INFINI", "NAN",   "NULL",  "IMAGE", "EMBED", "kernel", "SPIR"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(begin); i++)
		if (name->len >= strlen(begin[i]) &&
		    !memcmp(name->text, begin[i], strlen(begin[i])))
			return true;
	return false;
}

/* Whether it is a macro; *out_doubt: that is not known. */
static bool is_macro(struct pre *p, const struct bw_cl_token *name, bool *out_doubt)
{
	const struct macro *m = find_macro(p, name);
	*out_doubt = m ? m->in_doubt : p->has_include || may_be_predefined(name);
	return m && m->is_defined;
}

static struct bw_error *add_macro(struct pre *p, const struct macro *new)
{
	struct macro *old = find_macro(p, &new->name);
	if (old) {
		bool was_same = old->is_defined && new->is_defined &&
				old->body.len == new->body.len && !old->in_doubt;
		for (size_t i = 0; was_same && i < old->body.len; i++)
			was_same = same(&old->body.data[i], &new->body.data[i]);
		bw_vec_free(&old->body);
		*old = *new;
		old->in_doubt |= p->in_doubt && !was_same;
		return NULL;
	}
	if (p->macros.len >= MACROS_MAX)
		return bw_errorf(BW_E_UNSUPPORTED, "too many macros");
	return bw_vec_push(&p->macros, *new);
}

/* After #define, or of an option -D (equals: "=" is between name and value). */
static struct bw_error *define(struct pre *p, struct reader *r, bool equals)
{
	struct macro m = {.is_defined = true, .in_doubt = p->in_doubt};
	struct bw_error *err = NULL;
	m.name = next_of_line(r);
	if (m.name.kind != BW_CL_NAME)
		return bw_errorf(BW_E_INVALID, "a macro without a name");
	struct bw_cl_token t = next_of_line(r);
	m.takes_arguments = t.touches && bw_cl_is(&t, "(");
	if (equals && bw_cl_is(&t, "="))
		t = next_of_line(r);
	else if (equals && t.kind == BW_CL_END)
		t = (struct bw_cl_token){.kind = BW_CL_NUMBER, .text = "1", .len = 1, .value = 1};
	for (; !err && t.kind != BW_CL_END; t = next_of_line(r)) {
		err = m.body.len < TOKENS_MAX
			      ? bw_vec_push(&m.body, t)
			      : bw_errorf(BW_E_UNSUPPORTED, "a macro that is too long");
	}
	if (!err)
		err = add_macro(p, &m);
	if (err)
		bw_vec_free(&m.body);
	return err;
}

/* "-D N=16 -DM": of the build. Values in quotes are not followed, which puts the name in doubt. */
static struct bw_error *take_options(struct pre *p, const char *options)
{
	struct reader r = {.at = options};
	for (;;) {
		while (*r.at && isspace((unsigned char)*r.at))
			r.at++;
		if (!*r.at)
			return NULL;
		bool defines = r.at[0] == '-' && r.at[1] == 'D',
		     undefines = r.at[0] == '-' && r.at[1] == 'U';
		if (!defines && !undefines) {
			p->has_include |= !strncmp(r.at, "-include", 8);
			while (*r.at && !isspace((unsigned char)*r.at))
				r.at++;
			continue;
		}
		r.at += 2;
		while (*r.at && isspace((unsigned char)*r.at))
			r.at++;
		struct macro m = {.is_defined = defines};
		m.name = next_of_line(&r);
		if (m.name.kind != BW_CL_NAME)
			return bw_errorf(BW_E_INVALID, "an option -D without a name");
		struct bw_cl_token value = {
			.kind = BW_CL_NUMBER, .text = "1", .len = 1, .value = 1};
		bool has_value = defines && *r.at == '=' && r.at++;
		struct bw_error *err = NULL;
		if (defines && !has_value)
			err = bw_vec_push(&m.body, value);
		m.takes_arguments = *r.at == '(';
		while (!err && *r.at && !isspace((unsigned char)*r.at)) {
			value = next_of_line(&r);
			m.in_doubt |= value.kind == BW_CL_OTHER || bw_cl_is(&value, "\\");
			if (value.kind == BW_CL_END)
				break;
			err = bw_vec_push(&m.body, value);
		}
		if (!err)
			err = add_macro(p, &m);
		if (err) {
			bw_vec_free(&m.body);
			return err;
		}
	}
}

static struct bw_error *put_token(struct pre *p, struct bw_cl_token t, bool in_doubt)
{
	if (p->out->len >= TOKENS_MAX)
		return bw_errorf(BW_E_UNSUPPORTED, "too many tokens");
	t.in_doubt = p->in_doubt || in_doubt;
	return bw_vec_push(p->out, t);
}

/* A token with its macros replaced. A macro with arguments stays what it is, as a name: what it
 * makes is not known. */
static struct bw_error *expand(struct pre *p, struct bw_cl_token t, bool in_doubt, unsigned depth)
{
	struct macro *m = t.kind == BW_CL_NAME ? find_macro(p, &t) : NULL;
	if (!m || !m->is_defined || m->takes_arguments || m->is_active)
		return put_token(p, t, in_doubt || (m && (m->takes_arguments || m->in_doubt)));
	p->n_replaced += 1 + (unsigned)m->body.len;
	if (depth >= EXPANSION_MAX || p->n_replaced > REPLACED_MAX)
		return bw_errorf(BW_E_UNSUPPORTED, "macros that are too deep");
	struct bw_error *err = NULL;
	m->is_active = true;
	for (size_t i = 0; !err && i < m->body.len; i++)
		err = expand(p, m->body.data[i], in_doubt || m->in_doubt, depth + 1);
	m->is_active = false;
	return err;
}

/* ---- Constants ---- */

struct constant {
	const struct bw_cl_token *at;
	bool (*name)(void *ctx, const struct bw_cl_token *t, int64_t *out);
	void *ctx;
	unsigned depth;
	bool is_wrong;
};

static int64_t binary(struct constant *c, int lowest);

static int64_t unary(struct constant *c)
{
	const struct bw_cl_token *t = c->at;
	int64_t v = 0;
	if (++c->depth > NESTING_MAX || t->in_doubt || t->kind == BW_CL_END)
		c->is_wrong = true;
	if (c->is_wrong)
		return 0;
	c->at++;
	if (t->kind == BW_CL_NUMBER) {
		v = t->value;
	} else if (bw_cl_is(t, "(")) {
		v = binary(c, 0);
		c->is_wrong |= !bw_cl_is(c->at, ")");
		c->at += !c->is_wrong;
	} else if (bw_cl_is(t, "!")) {
		v = !unary(c);
	} else if (bw_cl_is(t, "-")) {
		v = (int64_t)(0 - (uint64_t)unary(c));
	} else if (bw_cl_is(t, "+")) {
		v = unary(c);
	} else if (bw_cl_is(t, "~")) {
		v = ~unary(c);
	} else if (t->kind != BW_CL_NAME || !c->name || !c->name(c->ctx, t, &v)) {
		c->is_wrong = true;
	}
	c->depth--;
	return v;
}

static const struct {
	const char *text;
	int level;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
		 {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},	{"<", 7},
		 {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static int operator_at(const struct bw_cl_token *t)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(operators); i++) {
		const char *s = operators[i].text;
		if (t->kind != BW_CL_MARK || *t->text != s[0])
			continue;
		if (!s[1] || (t[1].kind == BW_CL_MARK && t[1].touches && *t[1].text == s[1]))
			return (int)i;
	}
	return -1;
}

static int64_t apply(struct constant *c, int op, int64_t a, int64_t b)
{
	const char *s = operators[op].text;
	uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
	bool divides = *s == '/' || *s == '%', shifts = operators[op].level == 8;
	if ((divides && (!b || a < 0 || b < 0)) || (shifts && (b < 0 || b > 62 || a < 0))) {
		c->is_wrong = true;
		return 0;
	}
	switch (operators[op].level) {
	case 1:
		return a || b;
	case 2:
		return a && b;
	case 3:
		return a | b;
	case 4:
		return a ^ b;
	case 5:
		return a & b;
	case 6:
		return (*s == '=') == (a == b);
	case 7:
		return *s == '<' ? (s[1] ? a <= b : a < b) : (s[1] ? a >= b : a > b);
	case 8:
		return *s == '<' ? (int64_t)(ua << b) : a >> b;
	case 9:
		return (int64_t)(*s == '+' ? ua + ub : ua - ub);
	default:
		return *s == '*' ? (int64_t)(ua * ub) : *s == '/' ? a / b : a % b;
	}
}

static int64_t binary(struct constant *c, int lowest)
{
	int64_t v = unary(c);
	for (;;) {
		int op = c->is_wrong ? -1 : operator_at(c->at);
		if (op < 0 || operators[op].level <= lowest)
			return v;
		c->at += strlen(operators[op].text);
		v = apply(c, op, v, binary(c, operators[op].level));
	}
}

bool bw_cl_constant(const struct bw_cl_token **at,
		    bool (*name)(void *ctx, const struct bw_cl_token *t, int64_t *out), void *ctx,
		    int64_t *out)
{
	struct constant c = {.at = *at, .name = name, .ctx = ctx};
	*out = binary(&c, 0);
	*at = c.at;
	return !c.is_wrong;
}

/* ---- Directives ---- */

/* A name that is left in a condition is 0, unless it may be a macro that is not known here. */
static bool name_in_condition(void *ctx, const struct bw_cl_token *t, int64_t *out)
{
	bool in_doubt;
	*out = 0;
	return !is_macro(ctx, t, &in_doubt) && !in_doubt;
}

/* "defined NAME" and "defined(NAME)", as a number; NAME in doubt: in doubt. */
static struct bw_error *take_defined(struct pre *p, struct bw_cl_tokens *to)
{
	struct bw_cl_token name = next_of_line(&p->r), end;
	bool bracket = bw_cl_is(&name, "("), in_doubt;
	if (bracket)
		name = next_of_line(&p->r);
	if (bracket && (end = next_of_line(&p->r), !bw_cl_is(&end, ")")))
		return bw_errorf(BW_E_INVALID, "a condition that cannot be read");
	struct bw_cl_token is = {.kind = BW_CL_NUMBER, .text = name.text, .len = name.len};
	is.value = is_macro(p, &name, &in_doubt);
	is.in_doubt = in_doubt;
	return bw_vec_push(to, is);
}

/* The expression after #if; *out_doubt: its value is not known. */
static struct bw_error *condition(struct pre *p, bool *out, bool *out_doubt)
{
	struct bw_cl_tokens tokens = {0}, *to = p->out;
	struct bw_error *err = NULL;
	bool outer = p->in_doubt;
	int64_t value = 0;
	p->out = &tokens;
	p->in_doubt = false;
	for (struct bw_cl_token t = next_of_line(&p->r); !err && t.kind != BW_CL_END;
	     t = next_of_line(&p->r))
		err = bw_cl_is(&t, "defined") ? take_defined(p, &tokens) : expand(p, t, false, 0);
	if (!err)
		err = bw_vec_push(&tokens, (struct bw_cl_token){0});
	p->out = to;
	p->in_doubt = outer;
	if (!err) {
		const struct bw_cl_token *at = tokens.data;
		*out_doubt =
			!bw_cl_constant(&at, name_in_condition, p, &value) || at->kind != BW_CL_END;
		*out = value != 0;
	}
	bw_vec_free(&tokens);
	return err;
}

static void branch(struct pre *p, struct condition *c, bool value, bool in_doubt)
{
	c->is_taken = !c->was_taken && (value || in_doubt);
	c->in_doubt |= in_doubt && c->is_taken;
	c->was_taken |= value && !in_doubt && !c->was_taken;
	p->is_taken = c->outer_taken && c->is_taken;
	p->in_doubt = c->outer_doubt || (c->is_taken && c->in_doubt);
}

static struct bw_error *begin_condition(struct pre *p, const struct bw_cl_token *word)
{
	bool value = false, in_doubt = false;
	struct bw_error *err = NULL;
	if (p->n_conditions >= NESTING_MAX)
		return bw_errorf(BW_E_UNSUPPORTED, "conditions that are too deep");
	struct condition *c = &p->conditions[p->n_conditions++];
	*c = (struct condition){.outer_taken = p->is_taken, .outer_doubt = p->in_doubt};
	if (!p->is_taken) {
		c->was_taken = true;
	} else if (bw_cl_is(word, "if")) {
		err = condition(p, &value, &in_doubt);
	} else {
		struct bw_cl_token name = next_of_line(&p->r);
		value = is_macro(p, &name, &in_doubt) == bw_cl_is(word, "ifdef");
	}
	branch(p, c, value, in_doubt);
	return err;
}

static struct bw_error *go_on(struct pre *p, const struct bw_cl_token *word)
{
	bool value = true, in_doubt = false;
	struct bw_error *err = NULL;
	if (!p->n_conditions)
		return bw_errorf(BW_E_INVALID, "#%.*s without an #if", (int)word->len, word->text);
	struct condition *c = &p->conditions[p->n_conditions - 1];
	if (bw_cl_is(word, "endif")) {
		p->is_taken = c->outer_taken;
		p->in_doubt = c->outer_doubt;
		p->n_conditions--;
		return NULL;
	}
	p->in_doubt = c->outer_doubt;
	if (bw_cl_is(word, "elif") && !c->was_taken)
		err = condition(p, &value, &in_doubt);
	branch(p, c, value, in_doubt);
	return err;
}

static struct bw_error *directive(struct pre *p)
{
	struct bw_cl_token word = next_of_line(&p->r);
	if (bw_cl_is(&word, "if") || bw_cl_is(&word, "ifdef") || bw_cl_is(&word, "ifndef"))
		return begin_condition(p, &word);
	if (bw_cl_is(&word, "elif") || bw_cl_is(&word, "else") || bw_cl_is(&word, "endif"))
		return go_on(p, &word);
	if (!p->is_taken)
		return NULL;
	if (bw_cl_is(&word, "define"))
		return define(p, &p->r, false);
	if (bw_cl_is(&word, "undef")) {
		struct macro m = {.name = next_of_line(&p->r), .in_doubt = p->in_doubt};
		return m.name.kind == BW_CL_NAME ? add_macro(p, &m) : NULL;
	}
	if (bw_cl_is(&word, "include"))
		p->has_include = true;
	if (!bw_cl_is(&word, "pragma"))
		return NULL;
	struct bw_cl_token what = next_of_line(&p->r);
	what.kind = BW_CL_PACK;
	return what.len == 4 && !memcmp(what.text, "pack", 4) ? put_token(p, what, false) : NULL;
}

static void skip_line(struct reader *r)
{
	while (next_of_line(r).kind != BW_CL_END)
		;
}

static struct bw_error *read_all(struct pre *p)
{
	while (!p->r.is_wrong) {
		skip_blanks(&p->r, true);
		if (!*p->r.at)
			break;
		bool first = p->r.at_line_start;
		p->r.at_line_start = false;
		if (first && *p->r.at == '#') {
			p->r.at++;
			BW_TRY(directive(p));
			skip_line(&p->r);
			continue;
		}
		struct bw_cl_token t = next_of_line(&p->r);
		if (p->is_taken)
			BW_TRY(expand(p, t, false, 0));
	}
	if (p->r.is_wrong || p->n_conditions)
		return bw_errorf(BW_E_INVALID, "a comment or an #if without an end");
	return bw_vec_push(p->out, (struct bw_cl_token){0});
}

struct bw_error *bw_cl_tokens_of(const char *source, const char *options, struct bw_cl_tokens *out)
{
	struct pre p = {.r = {.at = source, .at_line_start = true}, .is_taken = true, .out = out};
	if (strlen(source) > SOURCE_MAX_B || strlen(options) > SOURCE_MAX_B)
		return bw_errorf(BW_E_UNSUPPORTED, "the source is too long");
	struct bw_error *err = take_options(&p, options);
	if (!err)
		err = read_all(&p);
	bw_vec_each(&p.macros, m)
		bw_vec_free(&m->body);
	bw_vec_free(&p.macros);
	if (err)
		bw_vec_free(out);
	return err;
}
