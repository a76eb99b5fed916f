/* SPDX-License-Identifier: MIT */
/* Reports the result of --shader: the shaders that were replaced, or those that the program had if
 * none was. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "inject/swap_priv.h"

enum { SHOWN_MAX = 12, EVENTS_MAX = 1 << 20 };

/* A process that was killed can have left a part of a record, at the end. */
static struct bw_error *read_events(const struct bw_swaps *s, struct bw_swap_events *out)
{
	struct bw_swap_said one;
	_cleanup_fclose_ FILE *f = bw_folder_read(s->folder, BW_SWAP_SAID_FILE);
	if (!f && errno != ENOENT)
		return bw_error_errno(errno, "cannot read %s/" BW_SWAP_SAID_FILE, s->folder->path);
	while (f && out->len < EVENTS_MAX && fread(&one, sizeof(one), 1, f) == 1) {
		char *const texts[] = {one.name, one.module, one.entry, one.file};
		for (size_t i = 0; i < BW_ARRAY_SIZE(texts); i++)
			texts[i][sizeof(one.name) - 1] = '\0';
		one.text[sizeof(one.text) - 1] = '\0';
		BW_TRY(bw_vec_push(out, one));
	}
	return NULL;
}

const char *bw_swap_name(const struct bw_swap_said *e)
{
	return *e->name ? e->name : *e->module ? e->module : *e->file ? e->file : e->entry;
}

/* Adds the shader's name and hash. */
static void add_title(struct bw_str *s, const struct bw_swap_said *e)
{
	const char *name = bw_swap_name(e);
	bw_str_add_printable(s, *name ? name : "(no name)", "");
	if (e->hash)
		bw_str_addf(s, " (%016" PRIx64 ")", e->hash);
	else if (e->code_va)
		bw_str_addf(s, " (0x%" PRIx64 ")", e->code_va);
}

static bool is_same(const struct bw_swap_said *a, const struct bw_swap_said *b)
{
	return a->hash == b->hash && !strcmp(a->name, b->name) && !strcmp(a->module, b->module) &&
	       !strcmp(a->entry, b->entry) && !strcmp(a->file, b->file);
}

/* A pipeline that got its name later is there twice. */
static bool is_last_of_its(const struct bw_swap_events *events, size_t i)
{
	const struct bw_swap_said *e = &events->data[i];
	for (size_t k = i + 1; k < events->len; k++) {
		const struct bw_swap_said *later = &events->data[k];
		if (later->event != BW_SWAP_CREATED)
			continue;
		if (is_same(e, later) || (!*e->name && *later->name && later->hash == e->hash))
			return false;
	}
	return true;
}

/* "first step (0011...), second step (0011...)" */
static void list_created(const struct bw_swap_events *events, struct bw_str *out)
{
	unsigned n = 0;
	for (size_t i = 0; i < events->len; i++) {
		if (events->data[i].event != BW_SWAP_CREATED || !is_last_of_its(events, i))
			continue;
		if (++n > SHOWN_MAX)
			continue;
		bw_str_add(out, n > 1 ? ", " : "");
		add_title(out, &events->data[i]);
	}
	if (n > SHOWN_MAX)
		bw_str_addf(out, " and %u more", n - SHOWN_MAX);
}

struct counted {
	uint32_t n_replaced, n_refused;
	const struct bw_swap_said *refused; /* the first; NULL: none */
};

/* titles: of those that were replaced, each once. */
static struct counted count(const struct bw_swap_events *events, uint32_t rule,
			    struct bw_str *titles)
{
	struct counted c = {0};
	for (size_t i = 0; i < events->len; i++) {
		const struct bw_swap_said *e = &events->data[i];
		bool is_known = false;
		if (e->rule != rule ||
		    (e->event != BW_SWAP_REPLACED && e->event != BW_SWAP_REFUSED))
			continue;
		if (e->event == BW_SWAP_REFUSED) {
			c.n_refused++;
			c.refused = c.refused ? c.refused : e;
			continue;
		}
		for (size_t k = 0; k < i && !is_known; k++)
			is_known = events->data[k].rule == rule &&
				   events->data[k].event == e->event &&
				   is_same(e, &events->data[k]);
		if (is_known || ++c.n_replaced > SHOWN_MAX)
			continue;
		bw_str_add(titles, c.n_replaced > 1 ? ", " : "");
		add_title(titles, e);
		bw_str_addf(titles, "%s%s", *e->text ? ", " : "", e->text);
	}
	if (c.n_replaced > SHOWN_MAX)
		bw_str_addf(titles, " and %u more", c.n_replaced - SHOWN_MAX);
	return c;
}

static void show_rule(const char *word, const struct bw_swap_events *events,
		      const struct counted *c, const char *titles, struct bw_out *o)
{
	struct bw_str s = {0};
	if (c->n_replaced)
		bw_out_line(o, "--shader %s: replaced %s.", word, titles);
	if (c->refused) {
		add_title(&s, c->refused);
		bw_out_line(o, "--shader %s: %s was not replaced: %s.", word, bw_str_text(&s),
			    c->refused->text);
	}
	if (!c->n_replaced && !c->refused) {
		list_created(events, &s);
		bw_out_line(o, "--shader %s: no shader of that name was created; there %s%s.", word,
			    s.len ? "were: " : "were none", bw_str_text(&s));
	}
	bw_str_free(&s);
}

static void add_json(json_t *list, const char *word, const struct counted *c)
{
	json_t *one = json_object();
	json_object_set_new(one, "shader", json_string(word));
	json_object_set_new(one, "replaced", json_integer(c->n_replaced));
	json_object_set_new(one, "refused", json_integer(c->n_refused));
	if (c->refused)
		json_object_set_new(one, "why", json_string(c->refused->text));
	json_array_append_new(list, one);
}

static json_t *created_json(const struct bw_swap_events *events)
{
	json_t *list = json_array();
	for (size_t i = 0; i < events->len; i++) {
		const struct bw_swap_said *e = &events->data[i];
		if (e->event != BW_SWAP_CREATED || !is_last_of_its(events, i))
			continue;
		json_t *one = json_object();
		json_object_set_new(one, "name", json_string(e->name));
		json_object_set_new(one, "module", json_string(e->module));
		json_object_set_new(one, "entry", json_string(e->entry));
		json_object_set_new(one, "file", json_string(e->file));
		if (e->hash)
			json_object_set_new(one, "hash", json_sprintf("%016" PRIx64, e->hash));
		json_array_append_new(list, one);
	}
	return list;
}

static struct bw_error *save(const struct bw_swaps *s, const struct bw_swap_events *events,
			     struct bw_out *o)
{
	struct bw_str said = {0};
	unsigned n = 0;
	struct bw_error *err = bw_swaps_save(s, events, &said, &n);
	if (said.len)
		bw_out_text(o, bw_str_text(&said));
	if (!err)
		bw_out_line(o, "%u file%s of shaders in %s.", n, n == 1 ? "" : "s", s->save);
	bw_out_int(o, "files", n);
	bw_str_free(&said);
	return err;
}

struct bw_error *bw_swaps_report(const struct bw_swaps *s, struct bw_out *o)
{
	struct bw_swap_events events = {0};
	struct bw_error *err = read_events(s, &events);
	if (err) {
		bw_vec_free(&events);
		return err;
	}
	json_t *rules = json_array();
	bw_out_begin(o, "event", "shaders");
	for (size_t i = 0; i < s->rules.rules.len; i++) {
		struct bw_str titles = {0};
		struct counted c = count(&events, (uint32_t)i, &titles);
		show_rule(s->words[i], &events, &c, bw_str_text(&titles), o);
		add_json(rules, s->words[i], &c);
		bw_str_free(&titles);
	}
	if (s->save)
		err = save(s, &events, o);
	bw_out_json(o, "rules", rules);
	bw_out_json(o, "created", created_json(&events));
	bw_out_end(o);
	bw_vec_free(&events);
	return err;
}
