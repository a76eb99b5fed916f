// SPDX-License-Identifier: MIT
/* Types of the program as ptype shows them. */
#include "ui/show_program.h"

#include <string.h>

enum { MAX_DECLARED = 64, MAX_INDENT = 64 };

void bw_show_declared(const struct bw_ctype *t, const char *name, struct bw_str *out)
{
	struct bw_str dims = {0};
	char text[BW_TYPE_NAME_MAX];
	while (t->kind == BW_CTYPE_ARRAY) {
		if (t->count)
			bw_str_addf(&dims, "[%llu]", (unsigned long long)t->count);
		else
			bw_str_add(&dims, "[]");
		t = t->elem;
	}
	bw_ctype_name(t, text, sizeof(text));
	char *inside = strstr(text, "(*");
	if (inside)
		bw_str_addf(out, "%.*s%s%s%s", (int)(inside + 2 - text), text, name,
			    bw_str_text(&dims), inside + 2);
	else
		bw_str_addf(out, "%s%s%s%s", text,
			    !name[0] || text[strlen(text) - 1] == '*' ? "" : " ", name,
			    bw_str_text(&dims));
	bw_str_free(&dims);
}

/* ---- ptype/o ---- */

/* What gdb's "ptype/o" prints in front of members: where they are, in bytes and bits, and how
 * large. */
enum { OFFSET_WIDTH = 27 };

struct offsets {
	uint64_t base; /* bits in front of the struct */
	uint64_t end;  /* of the member before, in bits from the struct; 0: none yet */
};

static void add_hole(struct bw_str *out, const struct offsets *o, uint64_t at, const char *what)
{
	if (!o->end || o->end >= at)
		return;
	uint64_t bits = at - o->end;
	if (bits % 8)
		bw_str_addf(out, "/* XXX %2u-bit %-7s    */\n", (unsigned)(bits % 8), what);
	if (bits / 8)
		bw_str_addf(out, "/* XXX %2llu-byte %-7s   */\n", (unsigned long long)bits / 8,
			    what);
}

static void add_offset(struct bw_str *out, struct offsets *o, const struct bw_cmember *m,
		       bool is_union)
{
	unsigned long long size_b = bw_ctype_strip(m->type)->size_b;
	uint64_t at = m->offset_b * 8 + (m->bit_size ? m->bit_offset : 0);
	if (is_union) {
		bw_str_addf(out, "/* %21llu */", size_b);
		return;
	}
	add_hole(out, o, at, "hole");
	unsigned long long whole = (o->base + at) / 8;
	if (m->bit_size)
		bw_str_addf(out, "/* %6llu: %-2u  |  %6llu */", whole,
			    (unsigned)((o->base + at) % 8), size_b);
	else
		bw_str_addf(out, "/* %6llu      |  %6llu */", whole, size_b);
	o->end = at + (m->bit_size ? m->bit_size : size_b * 8);
}

static void show_offsets(const struct bw_ctype *t, uint64_t base, unsigned indent,
			 struct bw_str *out);

/* The struct or union that a member is itself, which is shown whole; NULL: another type. */
static const struct bw_ctype *whole_member(const struct bw_ctype *t)
{
	while (t->kind == BW_CTYPE_QUALIFIED && t->elem)
		t = t->elem;
	return t->kind == BW_CTYPE_STRUCT || t->kind == BW_CTYPE_UNION ? t : NULL;
}

static void show_member_whole(const struct bw_cmember *m, const struct bw_ctype *t, uint64_t base,
			      unsigned indent, struct bw_str *out)
{
	char name[BW_TYPE_NAME_MAX];
	bw_ctype_name(m->type, name, sizeof(name));
	const char *body = strstr(name, "{...}");
	bool has_word = t->name &&
			(bw_starts_with(t->name, "struct ") || bw_starts_with(t->name, "union "));
	const char *word = has_word || body ? "" : t->kind == BW_CTYPE_UNION ? "union " : "struct ";
	if (body)
		bw_str_addf(out, "%.*s{\n", (int)(body - name), name);
	else
		bw_str_addf(out, "%s%s {\n", word, name);
	show_offsets(t, base, indent, out);
	bw_str_addf(out, "}%s%s;\n", m->name ? " " : "", m->name ? m->name : "");
}

/* The struct, union or enum without a name that a declaration begins with: "struct {...} *p". */
static const struct bw_ctype *anonymous_base(const struct bw_ctype *t)
{
	for (unsigned i = 0; i < MAX_DECLARED; i++) {
		switch ((int)t->kind) {
		case BW_CTYPE_POINTER:
		case BW_CTYPE_ARRAY:
		case BW_CTYPE_FUNCTION:
		case BW_CTYPE_QUALIFIED:
			t = t->elem;
			break;
		case BW_CTYPE_STRUCT:
		case BW_CTYPE_UNION:
		case BW_CTYPE_ENUM:
			return t->name ? NULL : t;
		default:
			return NULL;
		}
	}
	return NULL;
}

static void show_enum(const struct bw_ctype *t, struct bw_str *out)
{
	int64_t next = 0;
	for (size_t i = 0; i < t->n_enumerators; i++) {
		const struct bw_cenumerator *e = &t->enumerators[i];
		bw_str_add(out, i ? ", " : "");
		bw_show_enumerator(t, i, out);
		if (e->value != next)
			bw_str_addf(out, " = %lld", (long long)e->value);
		next = (int64_t)((uint64_t)e->value + 1);
	}
}

/* A member as gdb shows it: a type without a name is shown whole, and in it one that has no name
 * either is "{...}", but for the members of an anonymous union or struct, which are seen as one's
 * own. levels: how many more are shown whole. */
static void show_member(const struct bw_cmember *m, int levels, unsigned indent, struct bw_str *out)
{
	struct bw_str text = {0};
	const struct bw_ctype *t = anonymous_base(m->type);
	bw_show_declared(m->type, m->name ? m->name : "", &text);
	const char *body = strstr(bw_str_text(&text), "{...}");
	bool has_members = t && t->kind != BW_CTYPE_ENUM;
	if (m->name || !has_members)
		levels--;
	if (!t || !body || levels < 0 || indent > MAX_INDENT) {
		bw_str_add(out, bw_str_text(&text));
	} else {
		bw_str_addf(out, "%.*s{", (int)(body - bw_str_text(&text)), bw_str_text(&text));
		if (!has_members)
			show_enum(t, out);
		else
			bw_str_add(out, "\n");
		for (size_t i = 0; has_members && i < t->n_members; i++) {
			bw_str_addf(out, "%*s", (int)indent + 4, "");
			show_member(&t->members[i], levels, indent + 4, out);
		}
		bw_str_addf(out, "%*s}%s", has_members ? (int)indent : 0, "", body + 5);
	}
	if (m->bit_size)
		bw_str_addf(out, " : %u", m->bit_size);
	bw_str_add(out, ";\n");
	bw_str_free(&text);
}

/* The members up to the closing brace. */
static void show_offsets(const struct bw_ctype *t, uint64_t base, unsigned indent,
			 struct bw_str *out)
{
	struct offsets o = {.base = base};
	bool is_union = t->kind == BW_CTYPE_UNION, any = false;
	for (size_t i = 0; i < t->n_members; i++) {
		const struct bw_cmember *m = &t->members[i];
		const struct bw_ctype *whole = whole_member(m->type);
		if (m->is_base)
			continue;
		any = true;
		add_offset(out, &o, m, is_union);
		bw_str_addf(out, "%*s", (int)indent + 4, "");
		if (whole && indent <= MAX_INDENT)
			show_member_whole(m, whole, base + m->offset_b * 8, indent + 4, out);
		else
			show_member(m, 0, indent + 4, out);
	}
	if (!any)
		bw_str_addf(out, "%*s<no data fields>\n", OFFSET_WIDTH + 4 + (int)indent, "");
	add_hole(out, &o, t->size_b * 8, "padding");
	bw_str_addf(out, "\n%*s/* total size (bytes): %4llu */\n%*s",
		    OFFSET_WIDTH + 4 + (int)indent, "", (unsigned long long)t->size_b,
		    OFFSET_WIDTH + (int)indent + (indent ? 0 : 2), "");
}

static void show_members(const struct bw_ctype *t, bool offsets, struct bw_str *out)
{
	bool any = false;
	if (offsets) {
		show_offsets(t, 0, 0, out);
		return;
	}
	for (size_t i = 0; i < t->n_members; i++) {
		if (t->members[i].is_base)
			continue;
		any = true;
		bw_str_add(out, "    ");
		show_member(&t->members[i], 1, 4, out);
	}
	if (!any)
		bw_str_add(out, "    <no data fields>\n");
}

/* " : public base" */
static void show_bases(const struct bw_ctype *t, struct bw_str *out)
{
	bool any = false;
	for (size_t i = 0; i < t->n_members; i++) {
		if (!t->members[i].is_base)
			continue;
		char name[BW_TYPE_NAME_MAX];
		bw_ctype_name(t->members[i].type, name, sizeof(name));
		bw_str_addf(out, "%s%s", any ? ", public " : " : public ", name);
		any = true;
	}
}

/* Where the word is in a declaration; NULL: nowhere. */
static const char *find_word(const char *text, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
		if ((at == text || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return at;
	}
	return NULL;
}

void bw_show_type(const struct bw_ctype *t, bool offsets, struct bw_str *out)
{
	char name[BW_TYPE_NAME_MAX];
	bool plain = true;
	const struct bw_ctype *s = bw_ctype_strip(t);
	/* what is around the struct: "const struct node {...} *", "... [4]" */
	for (unsigned i = 0; i < MAX_DECLARED; i++) {
		if (s->kind != BW_CTYPE_ARRAY && s->kind != BW_CTYPE_POINTER)
			break;
		s = bw_ctype_strip(s->elem);
		plain = false;
	}
	bw_ctype_name_unrolled(t, name, sizeof(name));
	const char *tag = s->name		      ? s->name
			  : s->kind == BW_CTYPE_UNION ? "union {...}"
			  : s->kind == BW_CTYPE_ENUM  ? "enum {...}"
						      : "struct {...}";
	const char *at = find_word(name, tag);
	bool has_members = s->kind == BW_CTYPE_STRUCT || s->kind == BW_CTYPE_UNION;
	if (!at || (!has_members && s->kind != BW_CTYPE_ENUM)) {
		bw_str_add(out, name);
		return;
	}
	const char *word = s->kind == BW_CTYPE_UNION  ? "union"
			   : s->is_enum_class	      ? "enum class"
			   : s->kind == BW_CTYPE_ENUM ? "enum"
						      : "struct";
	bool tagged = s->name && bw_starts_with(s->name, word); /* C++ has no "struct" */
	bw_str_addf(out, "%.*s", (int)(at - name), name);
	bw_str_addf(out, "%s%s%s", tagged ? "" : word, tagged || !s->name ? "" : " ",
		    s->name ? s->name : "");
	show_bases(s, out);
	/* whether the source says it, nothing here knows; gdb shows it too */
	if (s->kind == BW_CTYPE_ENUM && s->name && !tagged && s->elem)
		bw_str_addf(out, " : %s", s->elem->name ? s->elem->name : "...");
	bw_str_add(out, " {");
	if (has_members) {
		bw_str_add(out, "\n");
		show_members(s, offsets && plain, out);
	} else {
		show_enum(s, out);
	}
	bw_str_addf(out, "}%s", at + strlen(tag));
}

json_t *bw_show_type_json(const struct bw_ctype *t)
{
	const struct bw_ctype *s = bw_ctype_strip(t);
	char name[BW_TYPE_NAME_MAX];
	bw_ctype_name(t, name, sizeof(name));
	json_t *out = json_object();
	json_object_set_new(out, "name", bw_json_text(name));
	json_object_set_new(out, "size", json_integer((json_int_t)s->size_b));
	if (s->kind == BW_CTYPE_STRUCT || s->kind == BW_CTYPE_UNION) {
		json_t *list = json_array();
		for (size_t i = 0; i < s->n_members; i++) {
			const struct bw_cmember *m = &s->members[i];
			json_t *row = json_object();
			bw_ctype_name(m->type, name, sizeof(name));
			if (m->name)
				json_object_set_new(row, "name", bw_json_text(m->name));
			json_object_set_new(row, "type", bw_json_text(name));
			json_object_set_new(row, "offset", json_integer((json_int_t)m->offset_b));
			json_object_set_new(
				row, "size",
				json_integer((json_int_t)bw_ctype_strip(m->type)->size_b));
			if (m->bit_size)
				json_object_set_new(row, "bits", json_integer(m->bit_size));
			json_array_append_new(list, row);
		}
		json_object_set_new(out, "members", list);
	}
	if (s->kind == BW_CTYPE_ENUM) {
		json_t *list = json_array();
		for (size_t i = 0; i < s->n_enumerators; i++) {
			json_t *row = json_object();
			json_object_set_new(row, "name", bw_json_text(s->enumerators[i].name));
			json_object_set_new(row, "value", json_integer(s->enumerators[i].value));
			json_array_append_new(list, row);
		}
		json_object_set_new(out, "enumerators", list);
	}
	return out;
}
