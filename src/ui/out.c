/* SPDX-License-Identifier: MIT */
#include "ui/out.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 4 };

struct bw_out {
	FILE *f;
	bool json;
	json_t *stack[MAX_DEPTH];
	unsigned depth;
};

struct bw_error *bw_out_create(FILE *f, bool json, struct bw_out **out)
{
	struct bw_out *o = calloc(1, sizeof(*o));
	if (!o)
		return bw_error_nomem();
	o->f = f;
	o->json = json;
	*out = o;
	return NULL;
}

void bw_out_destroy(struct bw_out *o)
{
	if (!o)
		return;
	while (o->depth)
		bw_out_end(o);
	fflush(o->f);
	free(o);
}

bool bw_out_is_json(const struct bw_out *o)
{
	return o->json;
}

void bw_out_begin(struct bw_out *o, const char *kind, const char *name)
{
	if (!o->json || o->depth == MAX_DEPTH)
		return;
	json_t *object = json_object();
	json_object_set_new(object, kind, json_string(name));
	o->stack[o->depth++] = object;
}

static void write_object(struct bw_out *o, json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER);
	if (text)
		fprintf(o->f, "%s\n", text);
	free(text);
	json_decref(object);
	fflush(o->f);
}

void bw_out_end(struct bw_out *o)
{
	if (o->json && o->depth)
		write_object(o, o->stack[--o->depth]);
}

void bw_out_line(struct bw_out *o, const char *fmt, ...)
{
	if (o->json)
		return;
	va_list args;
	va_start(args, fmt);
	vfprintf(o->f, fmt, args);
	va_end(args);
	fputc('\n', o->f);
}

void bw_out_text(struct bw_out *o, const char *text)
{
	if (!o->json)
		fputs(text, o->f);
}

void bw_out_flush(struct bw_out *o)
{
	fflush(o->f);
}

void bw_out_json(struct bw_out *o, const char *key, json_t *value)
{
	if (o->json && o->depth)
		json_object_set_new(o->stack[o->depth - 1], key, value);
	else
		json_decref(value);
}

void bw_out_str(struct bw_out *o, const char *key, const char *value)
{
	if (o->json)
		bw_out_json(o, key, json_string(value) ?: json_string("(not UTF-8)"));
}

void bw_out_strf(struct bw_out *o, const char *key, const char *fmt, ...)
{
	if (!o->json)
		return;
	va_list args;
	va_start(args, fmt);
	bw_out_json(o, key, json_vsprintf(fmt, args));
	va_end(args);
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
	bw_out_text(o, bw_str_text(&text));
	bw_str_free(&text);
}

void bw_out_error(struct bw_out *o, const struct bw_error *err)
{
	if (o->json) {
		bw_out_begin(o, "event", "error");
		bw_out_str(o, "message", err->message);
		bw_out_end(o);
		return;
	}
	fflush(o->f);
	/* What shows a place below its sentence ends as it is. */
	fprintf(stderr, "%s%s\n", err->message, strchr(err->message, '\n') ? "" : ".");
}
