// SPDX-License-Identifier: MIT
#include "sym/assigned_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/str.h"
#include "base/util.h"

enum {
	MOST_LINES = 1500,
	LONGEST_LINE = 512,
	MOST_WRITES = BW_ASSIGNED_MAX,
	MOST_LOOPS = 64,
	MOST_LABELS = 64
};

enum gives { GIVES_OTHER, GIVES_MAYBE, GIVES_VALUE };

struct write {
	unsigned line;
	int depth;
	enum gives gives;
	bool is_whole;	  /* executed whenever its block is, and assigns all of the variable */
	bool in_header;	  /* of a loop */
	bool more_behind; /* another statement follows in its line */
	uint64_t size_b;  /* of what is assigned; 0: not known */
};

struct loop {
	unsigned first, last;
	int depth;
	bool is_open;
};

struct label {
	unsigned line;
	int depth;
};

/* The source from the declaration to the end of the variable's scope. Depths are those of blocks,
 * 0 at the declaration. */
struct scan {
	const struct bw_assigned *a;
	uint64_t value;
	bool is_part;
	bool names_share; /* an array's name without an index counts as a write */
	/* a possible write, by a macro, and with is_strict_references by a reference of C++, counts
	 * as a write */
	bool is_strict, is_strict_references;
	uint64_t calls, macros; /* bit n: of the n-th open parenthesis */
	unsigned line, last_line;
	int depth, parens;
	bool in_comment, has_opened;
	/* of the statement so far */
	bool is_start, is_controlled, is_for;
	int header_parens; /* of a `for`: where it is, 0 after it */
	unsigned clause;   /* of its header */
	int lowest[MOST_LINES];
	struct write writes[MOST_WRITES];
	struct loop loops[MOST_LOOPS];
	struct label labels[MOST_LABELS];
	unsigned n_writes, n_loops, n_labels;
	bool is_unclear, has_ended, lacks_text;
};

static const char *blanks_before(const char *start, const char *p)
{
	while (p > start && (p[-1] == ' ' || p[-1] == '\t'))
		p--;
	return p;
}

/* ---- What is assigned ---- */

static bool named_constant(const struct bw_ctype *t, const char *text, uint64_t *out)
{
	for (size_t i = 0; t->kind == BW_CTYPE_ENUM && i < t->n_enumerators; i++) {
		if (!t->enumerators[i].name || !bw_word_is(text, t->enumerators[i].name))
			continue;
		*out = (uint64_t)t->enumerators[i].value;
		return true;
	}
	*out = bw_word_is(text, "true");
	return *out || bw_word_is(text, "false");
}

/* The value that `= text` gives: a literal is compared, any other expression may give every
 * value. */
static enum gives assigned_value(const struct scan *s, const char *text)
{
	const struct bw_ctype *t = bw_ctype_strip(s->a->type);
	const char *end;
	char *number_end;
	uint64_t bits = 0;
	text = bw_skip_blanks(text);
	if (s->is_part || (t->kind == BW_CTYPE_FLOAT && t->size_b < 4))
		return GIVES_MAYBE;
	if (named_constant(t, text, &bits)) {
		end = text + bw_word_length(text);
	} else if (t->kind == BW_CTYPE_FLOAT) {
		double v = strtod(text, &number_end);
		bits = t->size_b == 4 ? f32_bits((float)v) : f64_bits(v);
		end = number_end;
	} else {
		bits = strtoull(text, &number_end, 0);
		end = number_end;
	}
	if (end == text)
		return GIVES_MAYBE;
	end = bw_skip_blanks(end + strspn(end, "uUlLfF"));
	if (!*end || !strchr(";,", *end))
		return GIVES_MAYBE;
	unsigned width = t->size_b && t->size_b < 8 ? 8 * (unsigned)t->size_b : 64;
	return (bits ^ s->value) << (64 - width) ? GIVES_OTHER : GIVES_VALUE;
}

/* The member of that name; NULL: there is none. */
static const struct bw_ctype *member_type(const struct bw_ctype *t, const char *name)
{
	for (size_t i = 0; i < t->n_members; i++)
		if (t->members[i].name && bw_word_is(name, t->members[i].name))
			return t->members[i].type;
	return NULL;
}

/* After members and elements: `.x`, `[i]`. *type becomes theirs, NULL where that is not known. */
static const char *skip_parts(const char *text, const struct bw_ctype **type)
{
	for (;;) {
		const struct bw_ctype *t = *type ? bw_ctype_strip(*type) : NULL;
		text = bw_skip_blanks(text);
		const char *end = *text == '[' ? strchr(text, ']') : NULL;
		if (end) {
			*type = t ? t->elem : NULL;
			text = end + 1;
		} else if (*text == '.') {
			text = bw_skip_blanks(text + 1);
			*type = t ? member_type(t, text) : NULL;
			text += bw_word_length(text);
		} else {
			return text;
		}
	}
}

static bool is_compound(const char *text)
{
	bool shift = !strncmp(text, "<<", 2) || !strncmp(text, ">>", 2);
	return shift ? text[2] == '=' : *text && strchr("+-*/%&|^", *text) && text[1] == '=';
}

static bool is_address_taken(const char *line, const char *at)
{
	const char *p = blanks_before(line, at);
	if (p == line || p[-1] != '&' || (p - 1 > line && p[-2] == '&'))
		return false;
	p = blanks_before(line, p - 1);
	return p == line || (!bw_is_of_word(p[-1]) && p[-1] != ')' && p[-1] != ']');
}

/* Whether the parenthesis at p is that of a call or of a macro; upper case counts as a macro. */
static void note_call(struct scan *s, const char *line, const char *p)
{
	static const char *const others[] = {"if", "for", "while", "switch", "return", "sizeof"};
	const char *end = blanks_before(line, p), *word = end;
	bool is_call = end == line || strchr(">])", end[-1]), is_macro = false;
	uint64_t bit = 1ull << (s->parens & 63);
	while (word > line && bw_is_of_word(word[-1]))
		word--;
	if (word < end) {
		is_call = is_macro = true;
		for (size_t i = 0; i < BW_ARRAY_SIZE(others); i++)
			is_call &= !bw_word_is(word, others[i]);
		for (const char *c = word; c < end; c++)
			is_macro &= !islower((unsigned char)*c);
	}
	s->is_unclear |= s->parens >= 63;
	s->calls = is_call ? s->calls | bit : s->calls & ~bit;
	s->macros = is_macro ? s->macros | bit : s->macros & ~bit;
}

/* Whether the name is all of an argument, or of what a reference is made from. */
static bool may_be_referred_to(const struct scan *s, const char *line, const char *at)
{
	const char *before = blanks_before(line, at),
		   *next = bw_skip_blanks(at + strlen(s->a->name));
	int parens = s->parens;
	while (parens && before > line && before[-1] == '(' && *next == ')' &&
	       !(s->calls >> (parens - 1) & 1)) {
		before = blanks_before(line, before - 1);
		next = bw_skip_blanks(next + 1);
		parens--;
	}
	char c = before > line ? before[-1] : ',';
	if (*next && !strchr("),};", *next))
		return false;
	if (c == '=' || c == ':')
		return memchr(line, '&', (size_t)(before - line));
	return c == '{' || (strchr("(,", c) && (!parens || s->calls >> (parens - 1) & 1));
}

static bool may_write(const struct scan *s, const char *line, const char *at)
{
	if (s->is_strict && s->macros & ((1ull << s->parens) - 1))
		return true;
	return s->is_strict_references && may_be_referred_to(s, line, at);
}

static void found_name(struct scan *s, const char *line, const char *at)
{
	const struct bw_ctype *type = s->a->type;
	const char *next = bw_skip_blanks(at + strlen(s->a->name));
	const char *parts = skip_parts(next, &type);
	if (s->line == s->a->decl_line) /* its brackets say how long it is */
		type = s->a->type;
	const char *before = blanks_before(line, at);
	bool is_pointer = bw_ctype_strip(s->a->type)->kind == BW_CTYPE_POINTER;
	bool is_plain = *parts == '=' && parts[1] != '=', is_part = parts != next;
	bool is_stepped = !strncmp(parts, "++", 2) || !strncmp(parts, "--", 2);
	if (before - line >= 2 && (!strncmp(before - 2, "++", 2) || !strncmp(before - 2, "--", 2)))
		is_stepped = true;
	bool is_shared = is_address_taken(line, at), is_strict_write = may_write(s, line, at);
	if (s->names_share && bw_ctype_strip(s->a->type)->kind == BW_CTYPE_ARRAY && !is_part &&
	    s->line != s->a->decl_line)
		is_shared = true;
	/* the memory that it points to */
	bool is_target = is_pointer && (is_part || (before > line && before[-1] == '*' &&
						    !is_stepped && s->line != s->a->decl_line));
	if (!is_shared && !is_strict_write && is_target)
		return;
	if (!is_plain && !is_stepped && !is_compound(parts) && !is_shared && !is_strict_write)
		return;
	if (s->n_writes == MOST_WRITES) {
		s->is_unclear = true;
		return;
	}
	bool in_header = s->is_for && s->header_parens;
	const char *behind = strchr(parts, ';');
	s->writes[s->n_writes++] = (struct write){
		.line = s->line,
		.depth = s->depth,
		.gives = is_plain && !is_part ? assigned_value(s, parts + 1) : GIVES_MAYBE,
		.is_whole = !is_part && !is_shared &&
			    (in_header ? is_plain && !s->clause : !s->is_controlled && !s->parens),
		.in_header = in_header,
		.size_b = is_shared || !type ? 0 : bw_ctype_strip(type)->size_b,
		.more_behind = behind && *bw_skip_blanks(behind + 1)};
}

/* ---- Blocks and loops ---- */

static void open_loop(struct scan *s)
{
	if (s->n_loops == MOST_LOOPS)
		s->is_unclear = true;
	else
		s->loops[s->n_loops++] =
			(struct loop){.first = s->line, .depth = s->depth, .is_open = true};
}

/* A statement has ended, and with it the loops whose bodies it is. */
static void close_loops(struct scan *s)
{
	bool of_loop = s->n_writes && s->writes[0].in_header;
	for (unsigned i = 0; i < s->n_loops; i++) {
		struct loop *l = &s->loops[i];
		if (!l->is_open || l->depth < s->depth)
			continue;
		l->is_open = false;
		l->last = s->line;
		/* for (int i ...) */
		if (!i && of_loop && l->first == s->a->decl_line)
			s->has_ended = true;
	}
}

static void begin_statement(struct scan *s)
{
	s->is_start = true;
	s->is_controlled = s->is_for = false;
	s->header_parens = 0;
	s->clause = 0;
}

static void found_word(struct scan *s, const char *word)
{
	static const char *const control[] = {"if",   "else",	"for",	   "while", "do",
					      "case", "switch", "default", "goto"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(control); i++)
		if (bw_word_is(word, control[i]))
			s->is_controlled = true;
	if (bw_word_is(word, "for") || bw_word_is(word, "while") || bw_word_is(word, "do")) {
		open_loop(s);
		s->is_for = *word == 'f';
		s->header_parens = 0;
		s->clause = 0;
	}
	bool is_label = bw_word_is(word, "case") || bw_word_is(word, "default");
	if (is_label && s->n_labels == MOST_LABELS)
		s->is_unclear = true;
	else if (is_label)
		s->labels[s->n_labels++] = (struct label){s->line, s->depth};
	s->is_unclear |= bw_word_is(word, "goto") || bw_word_is(word, "asm");
	s->is_start = false;
}

static void found_mark(struct scan *s, char c)
{
	switch (c) {
	case '(':
		s->parens++;
		if (s->is_for && !s->header_parens && !s->clause)
			s->header_parens = s->parens;
		else if (!s->is_for)
			s->is_controlled = true;
		break;
	case ')':
		if (s->parens == s->header_parens) {
			s->header_parens = 0;
			s->clause = 9; /* after it */
		}
		s->parens -= s->parens > 0;
		break;
	case ';':
		if (s->parens) {
			s->clause++;
			break;
		}
		close_loops(s);
		begin_statement(s);
		break;
	case '{':
		s->depth++;
		s->has_opened = true;
		begin_statement(s);
		break;
	case '}':
		s->depth--;
		close_loops(s);
		begin_statement(s);
		break;
	default:
		break;
	}
}

/* ---- Lines ---- */

/* The line without comments and with empty strings. */
static void strip(struct scan *s, const char *text, char *out)
{
	size_t n = 0;
	char quote = 0;
	for (; *text && n + 1 < LONGEST_LINE; text++) {
		if (s->in_comment) {
			s->in_comment = text[0] != '*' || text[1] != '/';
			text += !s->in_comment;
		} else if (quote) {
			if (*text == '\\' && text[1])
				text++;
			else if (*text == quote)
				quote = 0;
		} else if (text[0] == '/' && text[1] == '/') {
			break;
		} else if (text[0] == '/' && text[1] == '*') {
			s->in_comment = true;
			text++;
		} else {
			if (*text == '"' || *text == '\'')
				quote = *text;
			out[n++] = *text == '\r' ? ' ' : *text;
		}
	}
	s->is_unclear |= n + 1 == LONGEST_LINE;
	out[n] = 0;
}

static void scan_line(struct scan *s, const char *text)
{
	char line[LONGEST_LINE];
	bool named = false;
	strip(s, text, line);
	s->lowest[s->line - s->a->decl_line] = s->depth;
	if (*bw_skip_blanks(line) == '#') {
		s->is_unclear |= !strncmp(bw_skip_blanks(bw_skip_blanks(line) + 1), "if", 2);
		return;
	}
	for (const char *p = line; *p && !s->has_ended;) {
		size_t n = bw_word_length(p);
		if (!n) {
			if (*p == '(')
				note_call(s, line, p);
			found_mark(s, *p++);
			s->lowest[s->line - s->a->decl_line] =
				BW_MIN(s->lowest[s->line - s->a->decl_line], s->depth);
			/* of a local its block, of a parameter the function */
			s->has_ended |=
				s->depth < 0 || (s->a->is_param && s->has_opened && !s->depth);
			continue;
		}
		found_word(s, p);
		const char *before = blanks_before(line, p);
		bool member =
			before > line && (before[-1] == '.' ||
					  (before - line >= 2 && !strncmp(before - 2, "->", 2)));
		if (!member && bw_word_is(p, s->a->name)) {
			named = true;
			found_name(s, line, p);
		}
		p += n;
	}
	if (s->line == s->a->decl_line && !named)
		s->is_unclear = true; /* another text than the compiler's */
}

/* False: the text does not say enough. */
static bool scan(const struct bw_assigned *a, struct scan *s)
{
	s->a = a;
	begin_statement(s);
	if (a->is_param)
		s->writes[s->n_writes++] = (struct write){
			.line = a->decl_line, .gives = GIVES_MAYBE, .is_whole = true};
	for (unsigned i = 0; i < MOST_LINES && !s->has_ended; i++) {
		s->line = a->decl_line + i;
		const char *text = a->line(a->ctx, s->line);
		s->lacks_text = !text;
		if (!text)
			return false;
		scan_line(s, text);
		s->last_line = s->line;
	}
	for (unsigned i = 0; i < s->n_loops; i++)
		if (s->loops[i].is_open)
			s->loops[i].last = s->last_line;
	return s->has_ended && !s->is_unclear && s->n_writes && a->at_line <= s->last_line;
}

/* ---- Which one is executed last ---- */

/* Whether all ways to at_line lead through k. */
static bool dominates(const struct scan *s, const struct write *k)
{
	unsigned at = s->a->at_line;
	if (!k->is_whole || k->line >= at)
		return false;
	/* the code of the scope's last brace is executed in it */
	unsigned end = at == s->last_line ? at - 1 : at;
	for (unsigned line = k->line + 1; line <= end; line++)
		if (s->lowest[line - s->a->decl_line] < k->depth)
			return false;
	for (unsigned i = 0; i < s->n_labels; i++)
		if (s->labels[i].line > k->line && s->labels[i].line <= at &&
		    s->labels[i].depth <= k->depth)
			return false;
	return true;
}

static bool is_in(const struct loop *l, unsigned line)
{
	return line >= l->first && line <= l->last;
}

/* Whether the variable can have at at_line what w has assigned. */
static bool reaches(const struct scan *s, unsigned w)
{
	const struct write *write = &s->writes[w];
	unsigned at = s->a->at_line;
	bool forward =
		write->line < at || (write->line == at && (write->in_header || write->more_behind));
	for (unsigned k = w + 1; k < s->n_writes && forward; k++)
		forward = !dominates(s, &s->writes[k]);
	if (forward)
		return true;
	for (unsigned i = 0; i < s->n_loops; i++) {
		const struct loop *l = &s->loops[i];
		bool again = is_in(l, at) && is_in(l, write->line) && write->line >= at;
		for (unsigned k = 0; k < s->n_writes && again; k++)
			again = s->writes[k].line <= l->first || !dominates(s, &s->writes[k]);
		if (again)
			return true;
	}
	return false;
}

bool bw_assigned_constant(const struct bw_assigned *a, uint64_t value, bool is_part)
{
	struct scan s = {.value = value, .is_part = is_part};
	bool may = false, elsewhere = false;
	unsigned n_reached = 0;
	if (!scan(a, &s))
		return s.lacks_text || (s.has_ended && !s.is_unclear && s.n_writes);
	if (bw_macros_assign(a, s.last_line, a->name))
		return false;
	for (unsigned i = 0; i < s.n_writes; i++) {
		const struct write *w = &s.writes[i];
		bool declares = w->line == a->decl_line && a->at_line <= a->decl_line;
		bool reached = declares || reaches(&s, i);
		if (reached && w->gives == GIVES_VALUE)
			return true;
		n_reached += reached;
		may |= reached && w->gives == GIVES_MAYBE;
		elsewhere |= !reached && w->gives != GIVES_OTHER;
	}
	/* a value that all calls pass to an optimized function is a constant; a value that it
	 * assigns is another */
	return may && !elsewhere && (!a->is_param || n_reached == 1);
}

bool bw_assigned_last(const struct bw_assigned *a, bool is_part, struct bw_assigned_last *out)
{
	struct scan s = {.is_part = is_part};
	*out = (struct bw_assigned_last){.is_all = true};
	if (!scan(a, &s))
		return false;
	for (unsigned i = 0; i < s.n_writes; i++) {
		const struct write *w = &s.writes[i];
		bool declares = w->line == a->decl_line && a->at_line <= a->decl_line;
		if (!declares && !reaches(&s, i)) {
			out->is_all = false;
			continue;
		}
		if (!out->n || out->line[out->n - 1] != w->line)
			out->line[out->n++] = w->line;
	}
	return true;
}

bool bw_assigned_places(const struct bw_assigned *a, struct bw_assigned_place out[BW_ASSIGNED_MAX],
			size_t *out_n)
{
	struct scan s = {.names_share = true, .is_part = true};
	if (!scan(a, &s) || bw_macros_assign(a, s.last_line, a->name))
		return false;
	for (unsigned i = 0; i < s.n_writes; i++)
		out[i] = (struct bw_assigned_place){s.writes[i].line, s.writes[i].size_b};
	*out_n = s.n_writes;
	return true;
}

bool bw_assigned_never(const struct bw_assigned *a, bool has_references)
{
	struct scan s = {
		.names_share = true, .is_strict = true, .is_strict_references = has_references};
	return a->is_param && scan(a, &s) && s.n_writes == 1 &&
	       !bw_macros_assign(a, s.last_line, NULL);
}
