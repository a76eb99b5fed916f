/* SPDX-License-Identifier: MIT */
#include "ui/out.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"

/* An object that is being built. */
struct open_object {
	json_t *object;
	json_t *lines; /* lines of text; a member of the object if it has no others */
	size_t n_head; /* members that every object has */
};

struct bw_out {
	struct bw_sink sink;
	bool json;
	json_t *request; /* id of the current request, NULL: none */
	struct BW_VEC(struct open_object) stack;
	bool lines_only;
	unsigned lost; /* nested objects that were lost as memory ran out */
};

struct bw_error *bw_out_create(FILE *f, bool json, struct bw_out **out)
{
	struct bw_out *o = calloc(1, sizeof(*o));
	if (!o)
		return bw_error_nomem();
	o->sink.f = f;
	o->json = json;
	*out = o;
	return NULL;
}

static void end(struct bw_out *o)
{
	while (o->stack.len)
		bw_out_end(o);
	bw_vec_free(&o->stack);
	json_decref(o->request);
	fflush(o->sink.f);
}

void bw_out_destroy(struct bw_out *o)
{
	if (!o)
		return;
	end(o);
	free(o);
}

struct bw_error *bw_out_divert(struct bw_out *o, FILE *f, bool json, struct bw_out **kept)
{
	struct bw_out *other;
	BW_TRY(bw_out_create(f, json, &other));
	const struct bw_out before = *o;
	*o = *other;
	*other = before;
	o->sink.log = before.sink.log;
	o->sink.log_only = before.sink.log_only;
	*kept = other;
	return NULL;
}

void bw_out_restore(struct bw_out *o, struct bw_out *kept)
{
	end(o);
	kept->sink.log = o->sink.log; /* "set logging" may have changed it */
	kept->sink.log_only = o->sink.log_only;
	*o = *kept;
	free(kept);
}

bool bw_out_is_json(const struct bw_out *o)
{
	return o->json;
}

/* Names of enum bw_error_code, by which a client can decide what to do. */
static const char *code_name(enum bw_error_code code)
{
	switch (code) {
	case BW_E_NOMEM:
		return "out-of-memory";
	case BW_E_INVALID:
		return "invalid";
	case BW_E_NOT_FOUND:
		return "not-found";
	case BW_E_UNSUPPORTED:
		return "unsupported";
	case BW_E_SYSTEM:
		return "system";
	case BW_E_FAULT:
		return "fault";
	case BW_E_GONE:
		return "gone";
	case BW_E_TIMEOUT:
		return "timeout";
	case BW_E_STATE:
		return "state";
	case BW_E_INTERRUPTED:
		return "interrupted";
	}
	return "invalid";
}

static void add_error(json_t *object, const struct bw_error *err)
{
	json_object_set_new(object, "code", json_string(code_name(err->code)));
	json_object_set_new(object, "message", bw_json_text(err->message));
	if (err->code == BW_E_SYSTEM)
		json_object_set_new(object, "errno", json_integer(err->errnum));
	if (err->code == BW_E_FAULT)
		json_object_set_new(object, "address",
				    json_sprintf("0x%llx", (unsigned long long)err->va));
}

static json_t *new_object(struct bw_out *o, const char *type)
{
	json_t *object = json_object();
	json_object_set_new(object, "type", json_string(type));
	if (o->request)
		json_object_set(object, "request", o->request);
	return object;
}

static void write_object(struct bw_out *o, const json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);
	if (text)
		fprintf(o->sink.f, "%s\n", text);
	if (text && o->sink.log)
		fprintf(o->sink.log, "%s\n", text);
	free(text);
	fflush(o->sink.f);
}

void bw_out_begin_request(struct bw_out *o, json_t *id)
{
	json_decref(o->request);
	o->request = o->json ? id : NULL;
	if (!o->json)
		json_decref(id);
}

bool bw_out_in_request(const struct bw_out *o)
{
	return o->request;
}

void bw_out_end_request(struct bw_out *o, const struct bw_error *err)
{
	if (!o->json) {
		if (err)
			bw_out_error(o, err);
		return;
	}
	json_t *object = new_object(o, "end");
	json_object_set_new(object, "result", json_string(err ? "error" : "done"));
	if (err)
		add_error(object, err);
	write_object(o, object);
	json_decref(object);
	json_decref(o->request);
	o->request = NULL;
}

static void close_object(struct open_object *open)
{
	json_decref(open->lines);
	json_decref(open->object);
}

/* The object that members and lines go to, NULL: none. */
static struct open_object *top(const struct bw_out *o)
{
	return o->lost || !o->stack.len ? NULL : &o->stack.data[o->stack.len - 1];
}

/* Takes the top object off. False: there is none, or there was no memory for it. */
static bool pop(struct bw_out *o, struct open_object *out)
{
	if (o->lost) {
		o->lost--;
		return false;
	}
	if (!o->stack.len)
		return false;
	*out = o->stack.data[--o->stack.len];
	return true;
}

void bw_out_begin(struct bw_out *o, const char *kind, const char *name)
{
	if (!o->json)
		return;
	json_t *object = new_object(o, strcmp(kind, "command") ? kind : "answer");
	json_object_set_new(object, kind, json_string(name));
	struct open_object open = {object, json_array(), json_object_size(object)};
	struct bw_error *err = o->lost ? bw_error_nomem() : bw_vec_push(&o->stack, open);
	if (!err)
		return;
	o->lost++;
	close_object(&open);
	bw_error_free(err);
}

void bw_out_end(struct bw_out *o)
{
	struct open_object open;
	if (!pop(o, &open))
		return;
	if (json_object_size(open.object) == open.n_head && json_array_size(open.lines))
		json_object_set(open.object, "lines", open.lines);
	write_object(o, open.object);
	close_object(&open);
}

void bw_out_drop(struct bw_out *o)
{
	struct open_object open;
	if (pop(o, &open))
		close_object(&open);
}

/* Adds lines of text, for an object without other members. Text outside of all objects is a
 * notice. */
static void keep_lines(struct bw_out *o, const char *text)
{
	struct open_object *open = top(o);
	if (!open && !o->lost) {
		bw_out_begin(o, "event", "notice");
		bw_out_str(o, "kind", "said");
		bw_out_str(o, "text", text);
		bw_out_end(o);
		return;
	}
	while (open && text) {
		const char *end = strchr(text, '\n');
		_cleanup_free_ char *line =
			end ? strndup(text, (size_t)(end - text)) : strdup(text);
		if (line && (end || *text))
			json_array_append_new(open->lines, bw_json_text(line));
		text = end ? end + 1 : NULL;
	}
}

void bw_out_printable(FILE *f, const char *text)
{
	struct bw_str s = {0};
	bw_str_add_printable(&s, text, "\n\t");
	fputs(bw_str_text(&s), f);
	bw_str_free(&s);
}

/* Takes what is not printable out of it. */
static void put(struct bw_out *o, enum bw_paint kind, const char *text)
{
	struct bw_str s = {0};
	bw_str_add_printable(&s, text, "\n\t");
	bw_sink_put(&o->sink, kind, bw_str_text(&s));
	bw_str_free(&s);
}

static void put_line(struct bw_out *o, enum bw_paint kind, const char *fmt, va_list args)
{
	_cleanup_free_ char *text = NULL;
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	if (!text)
		return;
	if (o->json) {
		keep_lines(o, text);
		return;
	}
	put(o, kind, text);
	bw_sink_put(&o->sink, BW_PAINT_TEXT, "\n");
}

void bw_out_line(struct bw_out *o, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	put_line(o, BW_PAINT_TEXT, fmt, args);
	va_end(args);
}

void bw_out_painted(struct bw_out *o, enum bw_paint kind, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	put_line(o, kind, fmt, args);
	va_end(args);
}

void bw_out_text(struct bw_out *o, const char *text)
{
	if (o->json)
		keep_lines(o, text);
	else
		put(o, BW_PAINT_TEXT, text);
}

void bw_out_raw(struct bw_out *o, const char *text)
{
	if (o->json)
		keep_lines(o, text);
	else
		bw_sink_put_raw(&o->sink, text);
}

struct bw_sink *bw_out_sink(struct bw_out *o)
{
	return &o->sink;
}

void bw_out_flush(struct bw_out *o)
{
	fflush(o->sink.f);
}

void bw_out_json(struct bw_out *o, const char *key, json_t *value)
{
	struct open_object *open = o->lines_only ? NULL : top(o);
	if (open)
		json_object_set_new(open->object, key, value);
	else
		json_decref(value);
}

void bw_out_register(struct bw_out *o, const char *name, json_t *value)
{
	json_t *all =
		top(o) && !o->lines_only ? json_object_get(top(o)->object, "registers") : NULL;
	if (!all) {
		all = json_object();
		bw_out_json(o, "registers", json_incref(all));
		json_decref(all);
		all = top(o) && !o->lines_only ? json_object_get(top(o)->object, "registers")
					       : NULL;
	}
	if (all)
		json_object_set_new(all, name, value);
	else
		json_decref(value);
}

void bw_out_str(struct bw_out *o, const char *key, const char *value)
{
	if (o->json)
		bw_out_json(o, key, bw_json_text(value));
}

void bw_out_name(struct bw_out *o, const char *key, const char *value)
{
	bw_out_str(o, key, value);
	if (top(o))
		top(o)->n_head = json_object_size(top(o)->object);
}

void bw_out_lines_only(struct bw_out *o, bool on)
{
	o->lines_only = on;
}

void bw_out_strf(struct bw_out *o, const char *key, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	if (!o->json)
		return;
	va_list args;
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	if (text)
		bw_out_str(o, key, text);
}

void bw_out_int(struct bw_out *o, const char *key, int64_t value)
{
	if (o->json)
		bw_out_json(o, key, json_integer(value));
}

void bw_out_bool(struct bw_out *o, const char *key, bool value)
{
	if (o->json)
		bw_out_json(o, key, json_boolean(value));
}

void bw_out_hex(struct bw_out *o, const char *key, uint64_t value)
{
	if (o->json)
		bw_out_json(o, key, json_sprintf("0x%llx", (unsigned long long)value));
}

void bw_out_table(struct bw_out *o, const struct bw_table *t, const char *if_empty)
{
	if (o->json) {
		bw_out_json(o, t->key, bw_table_json(t));
		return;
	}
	if (!bw_table_rows(t)) {
		bw_out_line(o, "%s", if_empty);
		return;
	}
	struct bw_str text = {0};
	bw_table_render(t, &text);
	/* the first line has the titles */
	const char *rows = strchr(bw_str_text(&text), '\n');
	if (rows) {
		_cleanup_free_ char *titles =
			strndup(bw_str_text(&text), (size_t)(rows + 1 - bw_str_text(&text)));
		put(o, BW_PAINT_TITLE, titles ? titles : "");
		put(o, BW_PAINT_TEXT, rows + 1);
	}
	bw_str_free(&text);
}

void bw_out_facts_of(struct bw_out *o, const struct bw_fact_table *facts, const void *elements,
		     size_t n, size_t element_b, const char *if_empty)
{
	struct bw_table t;
	bw_table_begin(&t, facts);
	for (size_t i = 0; i < n; i++)
		bw_table_row(&t, (const char *)elements + i * element_b);
	bw_out_table(o, &t, if_empty);
	bw_table_fini(&t);
}

void bw_out_error(struct bw_out *o, const struct bw_error *err)
{
	if (o->json) {
		bw_out_begin(o, "event", "error");
		if (top(o))
			add_error(top(o)->object, err);
		bw_out_end(o);
		return;
	}
	fflush(o->sink.f);
	if (o->sink.log)
		fprintf(o->sink.log, "%s%s", err->message,
			strchr(err->message, '\n') ? "\n" : ".\n");
	/* A message with a caret line below its sentence gets no final stop. */
	bw_out_printable(stderr, err->message);
	fputs(strchr(err->message, '\n') ? "\n" : ".\n", stderr);
}
