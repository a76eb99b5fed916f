// SPDX-License-Identifier: MIT
/* Values of the program's types as gdb prints them: {id = 3, w = 1.5}, {1, 2, 0 <repeats 12
 * times>}, RED, 97 'a', "text". */
#include "ui/show_program.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32 };

struct printer {
	struct bw_debug *d;
	struct bw_str *out;
	const struct bw_bytes *bytes; /* of an aggregate */
	char letter;
	unsigned elements, repeats;
	unsigned left; /* numbers and characters that are shown yet; UINT_MAX: all */
	bool pretty;
};

static void print_at(struct printer *p, const struct bw_ctype *t, uint64_t at, unsigned depth);

static void missing(struct bw_str *out, const struct bw_bytes *b)
{
	if (b && b->why[0])
		bw_str_addf(out, "<%s>", b->why);
	else
		bw_str_add(out, "<optimized out>");
}

/* ---- Numbers ---- */

/* An enumeration of bits: no two of them overlap. */
static bool is_flags(const struct bw_ctype *t)
{
	uint64_t seen = 0;
	for (size_t i = 0; i < t->n_enumerators; i++) {
		uint64_t value = (uint64_t)t->enumerators[i].value;
		if (t->enumerators[i].value < 0 || (value & seen))
			return false;
		seen |= value;
	}
	return t->n_enumerators > 0;
}

void bw_show_enumerator(const struct bw_ctype *t, size_t i, struct bw_str *out)
{
	size_t n = bw_ctype_enum_scope(t);
	bw_str_addf(out, "%.*s%s%s", (int)n, n ? t->name : "", n ? "::" : "",
		    t->enumerators[i].name);
}

static void print_enum(struct bw_str *out, const struct bw_ctype *t, int64_t value)
{
	for (size_t i = 0; i < t->n_enumerators; i++) {
		if (t->enumerators[i].value != value)
			continue;
		bw_show_enumerator(t, i, out);
		return;
	}
	uint64_t rest = (uint64_t)value;
	if (!is_flags(t) || !value) {
		bw_str_addf(out, "%lld", (long long)value);
		return;
	}
	bw_str_add(out, "(");
	for (size_t i = 0; i < t->n_enumerators; i++) {
		uint64_t flag = (uint64_t)t->enumerators[i].value;
		if (!flag || (rest & flag) != flag)
			continue;
		bw_str_add(out, rest == (uint64_t)value ? "" : " | ");
		bw_show_enumerator(t, i, out);
		rest &= ~flag;
	}
	if (rest)
		bw_str_addf(out, "%s0x%llx", rest == (uint64_t)value ? "unknown: " : " | ",
			    (unsigned long long)rest);
	bw_str_add(out, ")");
}

/* What a char pointer points to, up to the first zero; nothing where it cannot be read. */
static void print_text_at(struct printer *p, const struct bw_value *v)
{
	enum bw_space space = v->type.space;
	uint64_t addr = v->bits;
	uint8_t c = 0;
	struct bw_str text = {0};
	unsigned n = 0;
	bw_debug_flat_space(&space, &addr);
	for (; n < p->elements; n++) {
		struct bw_error *err = bw_debug_read(p->d, space, addr + n, &c, 1);
		if (err && !n) {
			bw_str_addf(&text, " <error: %s>", err->message);
			bw_str_add(p->out, bw_str_text(&text));
			bw_error_free(err);
			bw_str_free(&text);
			return;
		}
		bw_error_free(err);
		if (err || !c)
			break;
		bw_print_char(&text, c, '"');
	}
	bw_str_addf(p->out, " \"%s\"%s", bw_str_text(&text), n == p->elements ? "..." : "");
	bw_str_free(&text);
}

static void print_pointer(struct printer *p, const struct bw_value *v, bool nested)
{
	const struct bw_ctype *t = bw_ctype_strip(v->type.ctype), *to = bw_ctype_strip(t->elem);
	bool is_text = to->kind == BW_CTYPE_INT && to->is_char;
	char name[BW_TYPE_NAME_MAX], symbol[160];
	if (!nested && !is_text) {
		bw_ctype_name(v->type.ctype, name, sizeof(name));
		bw_str_addf(p->out, "(%s) ", name);
	}
	if (v->type.space != BW_SPACE_GLOBAL)
		bw_str_addf(p->out, "%s#", bw_space_name(v->type.space));
	bw_str_addf(p->out, "0x%llx", (unsigned long long)v->bits);
	if (is_text && (v->bits || v->type.space != BW_SPACE_GLOBAL))
		print_text_at(p, v);
	if (v->type.space != BW_SPACE_GLOBAL)
		return;
	enum bw_space space = BW_SPACE_GLOBAL;
	uint64_t addr = v->bits;
	bw_debug_flat_space(&space, &addr); /* a generic pointer into another space */
	if (space != BW_SPACE_GLOBAL) {
		bw_str_addf(p->out, " <%s#0x%llx>", bw_space_name(space), (unsigned long long)addr);
		return;
	}
	bw_debug_symbolize(p->d, v->bits, symbol, sizeof(symbol));
	if (symbol[0])
		bw_str_addf(p->out, " %s", symbol);
}

static void print_number(struct printer *p, const struct bw_value *v, bool nested)
{
	const struct bw_ctype *t = bw_ctype_strip(v->type.ctype);
	enum bw_value_kind kind = v->type.kind == BW_TYPE_INT	    ? BW_KIND_SIGNED
				  : v->type.kind == BW_TYPE_FLOAT   ? BW_KIND_FLOAT
				  : v->type.kind == BW_TYPE_POINTER ? BW_KIND_POINTER
								    : BW_KIND_UNSIGNED;
	if (p->letter && !(v->type.is_bfloat && p->letter == 'f')) {
		bw_print_value(p->out, v->bits, v->type.size_b, kind, p->letter);
		return;
	}
	if (t->kind == BW_CTYPE_POINTER) {
		print_pointer(p, v, nested);
	} else if (t->kind == BW_CTYPE_ENUM) {
		print_enum(p->out, t, (int64_t)v->bits);
	} else if (t->kind == BW_CTYPE_BOOL && v->bits <= 1) {
		bw_str_add(p->out, v->bits ? "true" : "false");
	} else if (v->type.is_bfloat) {
		bw_str_addf(p->out, "%.4g", bw_value_f64(v, 0));
	} else {
		bw_print_value(p->out, v->bits, v->type.size_b, kind, 0);
		if (t->kind != BW_CTYPE_INT || !t->is_char || v->type.size_b != 1)
			return;
		bw_str_add(p->out, " '");
		bw_print_char(p->out, (uint8_t)v->bits, '\'');
		bw_str_add(p->out, "'");
	}
}

/* ---- Aggregates ---- */

/* One more number is shown. */
static void count_one(struct printer *p)
{
	if (p->left && p->left != UINT_MAX)
		p->left--;
}

static void new_line(struct printer *p, unsigned depth)
{
	bw_str_addf(p->out, "\n%*s", (int)depth * 2, "");
}

static void print_struct(struct printer *p, const struct bw_ctype *t, uint64_t at, unsigned depth)
{
	bw_str_add(p->out, "{");
	for (size_t i = 0; i < t->n_members; i++) {
		const struct bw_cmember *m = &t->members[i];
		if (i)
			bw_str_add(p->out, p->pretty ? "," : ", ");
		if (!p->left) {
			bw_str_add(p->out, "...");
			break;
		}
		if (p->pretty)
			new_line(p, depth + 1);
		if (m->is_base) {
			char name[BW_TYPE_NAME_MAX];
			bw_ctype_name(m->type, name, sizeof(name));
			bw_str_addf(p->out, "<%s> = ", name);
		} else if (m->name)
			bw_str_addf(p->out, "%s = ", m->name);
		if (!m->bit_size) {
			print_at(p, m->type, at + m->offset_b, depth + 1);
			continue;
		}
		uint64_t from = at + m->offset_b + m->bit_offset / 8;
		unsigned bit = m->bit_offset % 8, n = (bit + m->bit_size + 7) / 8;
		struct bw_value v = {.type = bw_type_of(m->type)};
		if (from + n > p->bytes->size_b || memchr(p->bytes->known + from, 0, n)) {
			missing(p->out, p->bytes);
			continue;
		}
		v.bits = bw_type_decode(&v.type, p->bytes->data + from, bit, m->bit_size);
		print_number(p, &v, true);
		count_one(p);
	}
	if (p->pretty && t->n_members)
		new_line(p, depth);
	bw_str_add(p->out, "}");
}

static bool is_known(const struct printer *p, uint64_t at, uint64_t n)
{
	return at <= p->bytes->size_b && n <= p->bytes->size_b - at &&
	       !memchr(p->bytes->known + at, 0, n);
}

/* Runs of equal characters are a piece of their own; the last zero is not shown. */
static void print_text(struct printer *p, const uint8_t *text, uint64_t n)
{
	bool open = false;
	uint64_t shown = 0, i = 0;
	if (n && !text[n - 1])
		n--;
	if (!n)
		bw_str_add(p->out, "\"\"");
	while (i < n && shown < p->elements && p->left) {
		uint64_t run = 1;
		while (i + run < n && text[i + run] == text[i])
			run++;
		if (run > p->repeats) {
			bw_str_add(p->out, open ? "\", '" : i ? ", '" : "'");
			bw_print_char(p->out, text[i], '\'');
			bw_str_addf(p->out, "' <repeats %llu times>", (unsigned long long)run);
			shown += p->repeats;
			open = false;
			i += run;
			count_one(p);
			continue;
		}
		if (!open)
			bw_str_add(p->out, i ? ", \"" : "\"");
		open = true;
		for (uint64_t k = 0; k < run && shown < p->elements && p->left; k++, i++, shown++) {
			bw_print_char(p->out, text[i], '"');
			count_one(p);
		}
	}
	if (open)
		bw_str_add(p->out, "\"");
	if (i < n)
		bw_str_add(p->out, "...");
}

static void print_array(struct printer *p, const struct bw_ctype *t, uint64_t at, unsigned depth)
{
	const struct bw_ctype *elem = bw_ctype_strip(t->elem);
	uint64_t elem_b = bw_ctype_stride(t), shown = 0, i = 0, n = t->count;
	if (!elem_b || n > BW_VALUE_MAX_B / elem_b) {
		bw_str_add(p->out, "{...}");
		return;
	}
	if (elem->kind == BW_CTYPE_INT && elem->is_char && elem_b == 1 && !p->letter &&
	    is_known(p, at, n)) { /* vectors too, as gdb does */
		print_text(p, p->bytes->data + at, n);
		return;
	}
	bw_str_add(p->out, "{");
	while (i < n && shown < p->elements && p->left) {
		uint64_t from = at + i * elem_b, run = 1;
		while (i + run < n && from + (run + 1) * elem_b <= p->bytes->size_b &&
		       !memcmp(p->bytes->data + from, p->bytes->data + from + run * elem_b,
			       elem_b) &&
		       !memcmp(p->bytes->known + from, p->bytes->known + from + run * elem_b,
			       elem_b))
			run++;
		if (i)
			bw_str_add(p->out, ", ");
		print_at(p, t->elem, from, depth + 1);
		if (run > p->repeats) {
			bw_str_addf(p->out, " <repeats %llu times>", (unsigned long long)run);
			i += run;
			shown += p->repeats;
		} else {
			i++;
			shown++;
		}
	}
	bw_str_add(p->out, i < n ? "...}" : "}");
}

static void print_at(struct printer *p, const struct bw_ctype *type, uint64_t at, unsigned depth)
{
	const struct bw_ctype *t = bw_ctype_strip(type);
	struct bw_value v = {.type = bw_type_of(type)};
	uint64_t size_b = bw_type_size(&v.type);
	if (depth > MAX_DEPTH) {
		bw_str_add(p->out, "{...}");
		return;
	}
	bool aggregate = v.type.kind == BW_TYPE_AGGREGATE;
	/* nothing of an aggregate is known: said once */
	bool none = size_b && at <= p->bytes->size_b && size_b <= p->bytes->size_b - at &&
		    !memchr(p->bytes->known + at, 1, size_b);
	if (v.type.kind == BW_TYPE_VOID) {
		bw_str_addf(p->out, "<type %s is not supported>", t->name ? t->name : "?");
	} else if (aggregate ? none : !is_known(p, at, size_b)) {
		missing(p->out, p->bytes);
	} else if (t->kind == BW_CTYPE_STRUCT || t->kind == BW_CTYPE_UNION) {
		print_struct(p, t, at, depth);
	} else if (aggregate) {
		print_array(p, t, at, depth);
	} else {
		v.bits = bw_type_decode(&v.type, p->bytes->data + at, 0, 0);
		print_number(p, &v, true);
		count_one(p);
	}
}

static void show(const struct bw_value *v, bool nested, struct printer p)
{
	struct bw_debug *d = p.d;
	struct bw_str *out = p.out;
	if (v->is_missing) {
		missing(out, v->bytes);
		return;
	}
	if (v->type.kind != BW_TYPE_AGGREGATE) {
		print_number(&p, v, nested);
		return;
	}
	struct bw_value whole;
	struct bw_error *err = bw_value_copy(v, &whole);
	if (err) {
		bw_str_addf(out, "<error: %s>", err->message);
		bw_error_free(err);
		return;
	}
	err = bw_debug_fetch(d, &whole);
	if (err)
		bw_str_addf(out, "<error: %s>", err->message);
	else if (whole.bytes) {
		p.bytes = whole.bytes;
		print_at(&p, whole.type.ctype, whole.bytes_at, 0);
	}
	bw_error_free(err);
	bw_value_fini(&whole);
}

static struct printer printer_of(struct bw_debug *d, char letter, struct bw_str *out)
{
	const struct bw_debug_settings *s = bw_debug_settings(d);
	return (struct printer){.d = d,
				.out = out,
				.letter = letter,
				.elements = s->print_elements,
				.repeats = s->print_repeats,
				.left = UINT_MAX,
				.pretty = s->print_pretty};
}

void bw_show_typed(struct bw_debug *d, const struct bw_value *v, char letter, bool nested,
		   struct bw_str *out)
{
	show(v, nested, printer_of(d, letter, out));
}

void bw_show_row_value(struct bw_debug *d, const struct bw_value *v, char letter,
		       struct bw_str *out)
{
	struct printer p = printer_of(d, letter, out);
	p.left = p.elements;
	if (v->type.kind == BW_TYPE_AGGREGATE && v->type.ctype)
		show(v, false, p);
	else
		bw_show_value(d, v, letter, out);
}

/* ---- JSON ---- */

static json_t *number_json(const struct bw_value *v)
{
	const struct bw_ctype *t = bw_ctype_strip(v->type.ctype);
	if (t->kind == BW_CTYPE_BOOL)
		return json_boolean(v->bits != 0);
	if (t->kind == BW_CTYPE_ENUM) {
		struct bw_str s = {0};
		print_enum(&s, t, (int64_t)v->bits);
		json_t *text = bw_json_text(bw_str_text(&s));
		bw_str_free(&s);
		return text;
	}
	return bw_show_number_json(v, v->bits);
}

/* A bit field of the struct at `at`. */
static json_t *bits_json(const struct bw_bytes *b, const struct bw_cmember *m, uint64_t at)
{
	uint64_t from = at + m->offset_b + m->bit_offset / 8;
	unsigned bit = m->bit_offset % 8, n = (bit + m->bit_size + 7) / 8;
	struct bw_value v = {.type = bw_type_of(m->type)};
	if (from + n > b->size_b || memchr(b->known + from, 0, n))
		return json_null();
	v.bits = bw_type_decode(&v.type, b->data + from, bit, m->bit_size);
	return number_json(&v);
}

static json_t *json_at(const struct bw_bytes *b, const struct bw_ctype *type, uint64_t at,
		       unsigned depth)
{
	const struct bw_ctype *t = bw_ctype_strip(type);
	struct bw_value v = {.type = bw_type_of(type)};
	uint64_t size_b = bw_type_size(&v.type), elem_b;
	json_t *out;
	bool empty = v.type.kind == BW_TYPE_AGGREGATE && !size_b;
	if (depth > MAX_DEPTH || v.type.kind == BW_TYPE_VOID || empty || at > b->size_b ||
	    size_b > b->size_b - at)
		return json_null();
	if (t->kind == BW_CTYPE_STRUCT || t->kind == BW_CTYPE_UNION) {
		out = json_object();
		for (size_t i = 0; i < t->n_members; i++) {
			const struct bw_cmember *m = &t->members[i];
			char name[24];
			snprintf(name, sizeof(name), "<%zu>", i);
			json_object_set_new(
				out, m->name ? m->name : name,
				m->bit_size ? bits_json(b, m, at)
					    : json_at(b, m->type, at + m->offset_b, depth + 1));
		}
		return out;
	}
	if (t->kind == BW_CTYPE_ARRAY || t->kind == BW_CTYPE_VECTOR) {
		elem_b = bw_ctype_stride(t);
		out = json_array();
		for (uint64_t i = 0; elem_b && i < t->count && i < BW_VALUE_MAX_B / elem_b; i++)
			json_array_append_new(out, json_at(b, t->elem, at + i * elem_b, depth + 1));
		return out;
	}
	if (memchr(b->known + at, 0, size_b))
		return json_null();
	v.bits = bw_type_decode(&v.type, b->data + at, 0, 0);
	return number_json(&v);
}

json_t *bw_show_typed_json(struct bw_debug *d, const struct bw_value *v)
{
	struct bw_value whole;
	json_t *out = NULL;
	if (v->is_missing)
		return json_null();
	if (v->type.kind != BW_TYPE_AGGREGATE)
		return number_json(v);
	struct bw_error *err = bw_value_copy(v, &whole);
	if (!err) {
		err = bw_debug_fetch(d, &whole);
		if (!err && whole.bytes)
			out = json_at(whole.bytes, whole.type.ctype, whole.bytes_at, 0);
		bw_value_fini(&whole);
	}
	bw_error_free(err);
	return out ? out : json_null();
}
