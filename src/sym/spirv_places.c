/* SPDX-License-Identifier: MIT */
#include "sym/spirv_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "sym/spirv_priv.h"

enum { PLACES_MAX = 1024, NESTED_MAX = 64, CALLS_MAX = 4096 };

/* A loop whose merge block has not come yet. */
struct open_loop {
	uint32_t merge; /* label */
	size_t place;
};

struct finder {
	struct bw_spirv *s;
	struct bw_spirv_places *out;
	uint32_t function; /* 0: none that the entry point runs */
	uint32_t file, line;
	struct open_loop open[NESTED_MAX];
	unsigned n_open;
};

/* Marks the functions that the entry point runs, by index + 1; all, if there are too many calls. */
static void find_run(const struct bw_spirv *s, bool *is_run)
{
	bool more = s->calls.len <= CALLS_MAX;
	memset(is_run, !more, s->functions.len + 1);
	is_run[bw_spirv_entry(s)] = true;
	while (more) {
		more = false;
		bw_vec_each(&s->calls, c) {
			uint32_t callee = is_run[c->caller + 1] ? bw_spv_function(s, c->callee) : 0;
			more |= !is_run[callee] && callee;
			is_run[callee] |= callee != 0;
		}
	}
}

static void cover(struct finder *f, struct bw_spirv_place *p)
{
	const struct spv_file *file = f->line ? bw_spv_file(f->s, f->file) : NULL;
	if (!file)
		return;
	if (!p->file) {
		p->file = file->name;
		p->first_line = p->last_line = f->line;
	} else if (!strcmp(p->file, file->name)) {
		p->first_line = BW_MIN(p->first_line, f->line);
		p->last_line = BW_MAX(p->last_line, f->line);
	}
}

static struct bw_error *add_place(struct finder *f, enum bw_spirv_place_kind kind)
{
	struct bw_spirv_place new = {.kind = kind, .function = f->function};
	if (f->out->list.len >= PLACES_MAX)
		return NULL;
	cover(f, &new);
	return bw_vec_push(&f->out->list, new);
}

/* An instruction of a function that runs. */
static struct bw_error *look_at(struct finder *f, const uint32_t *w, unsigned op, unsigned n)
{
	const size_t next = f->out->list.len;
	if (op == OP_LABEL && n > 1)
		while (f->n_open && f->open[f->n_open - 1].merge == w[1])
			f->n_open--;
	if (op == OP_CONTROL_BARRIER)
		return add_place(f, BW_SPIRV_BARRIER);
	if (op != OP_LOOP_MERGE || n < 3)
		return NULL;
	BW_TRY(add_place(f, BW_SPIRV_LOOP));
	if (f->out->list.len > next && f->n_open < NESTED_MAX)
		f->open[f->n_open++] = (struct open_loop){w[1], next};
	return NULL;
}

static bool is_same(const struct bw_spirv_place *a, const struct bw_spirv_place *b)
{
	return a->file && b->file && a->kind == b->kind && a->first_line == b->first_line &&
	       a->last_line == b->last_line && !strcmp(a->file, b->file);
}

/* Compilers copy blocks; the place in the source is one. */
static void drop_copies(struct bw_spirv_places *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->list.len; i++) {
		bool is_new = true;
		for (size_t k = 0; k < n && is_new; k++)
			is_new = !is_same(&p->list.data[k], &p->list.data[i]);
		if (is_new)
			p->list.data[n++] = p->list.data[i];
	}
	p->list.len = n;
}

/* The line of the next instructions; true: the instruction says no more than that. */
static bool take_line(struct finder *f, const uint32_t *w, unsigned op, unsigned n)
{
	if (op == OP_LINE && n > 3) {
		f->file = w[1];
		f->line = w[2];
		return true;
	}
	if (op == OP_NO_LINE || op == OP_FUNCTION || op == OP_LABEL) {
		f->line = 0; /* a line ends with its block */
		return false;
	}
	return bw_spv_debug_line(f->s, w, &f->file, &f->line);
}

struct bw_error *bw_spirv_find_places(struct bw_spirv *s, struct bw_spirv_places *out)
{
	struct finder f = {.s = s, .out = out};
	unsigned op, n;
	_cleanup_free_ bool *is_run = calloc(s->functions.len + 1, sizeof(*is_run));
	if (!is_run)
		return bw_error_nomem();
	find_run(s, is_run);
	for (size_t at = SPV_HEADER; bw_spv_inst(s, at, &op, &n); at += n) {
		const uint32_t *w = &s->words[at];
		if (op == OP_FUNCTION && n > 2) {
			const uint32_t function = bw_spv_function(s, w[2]);
			f.function = function && is_run[function] ? function : 0;
			f.n_open = 0;
		}
		const bool is_line = take_line(&f, w, op, n);
		if (!f.function)
			continue;
		if (is_line && f.line) {
			out->has_lines = true;
			for (unsigned i = 0; i < f.n_open; i++)
				cover(&f, &out->list.data[f.open[i].place]);
		}
		if (!is_line)
			BW_TRY(look_at(&f, w, op, n));
	}
	drop_copies(out);
	return NULL;
}

void bw_spirv_places_free(struct bw_spirv_places *p)
{
	bw_vec_free(&p->list);
}
