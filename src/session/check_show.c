/* SPDX-License-Identifier: MIT */
/* Findings of --check as text, and as rows of a table. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "base/util.h"
#include "session/check_priv.h"
#include "session/server_report.h"
#include "ui/table.h"

struct bw_executed bw_checked_executed(const struct bw_checked_side *s)
{
	return (struct bw_executed){
		.pc = s->pc, .start = s->start, .code = s->word, .code_b = s->n_words * 4u};
}

bool bw_checked_where(struct bw_debug *d, const struct bw_checked_side *s, struct bw_where *out)
{
	const struct bw_executed x = bw_checked_executed(s);
	if (s->pc && bw_debug_where_executed(d, &x, out))
		return true;
	*out = (struct bw_where){0};
	return false;
}

void bw_checked_instruction(const char *gpu, const struct bw_checked_side *s, char *out,
			    size_t size)
{
	const struct bw_report_code x = {gpu, s->name, s->word, s->n_words, s->pc};
	bw_report_instruction(&x, out, size);
}

void bw_checked_add_lds(struct bw_str *s, struct bw_debug *d, const struct bw_checked_side *side,
			uint64_t offset_b)
{
	const struct bw_executed x = bw_checked_executed(side);
	struct bw_str name = {0};
	bw_str_addf(s, "LDS + 0x%" PRIx64, offset_b);
	if (side->pc && bw_debug_lds_executed(d, &x, offset_b, &name))
		bw_str_addf(s, " (%s)", bw_str_text(&name));
	bw_str_free(&name);
}

void bw_checked_add_place(struct bw_str *s, struct bw_debug *d, const struct bw_checked_side *side)
{
	struct bw_where w;
	if (!bw_checked_where(d, side, &w))
		return;
	if (w.function)
		bw_str_addf(s, " in %s", w.function);
	if (w.has_line)
		bw_str_addf(s, " at %s:%u%s", bw_base_name(w.line.file), w.line.line,
			    w.line.approximate ? " (about)" : "");
}

static void show_side(struct bw_out *o, struct bw_debug *d, const struct bw_check_report *r,
		      const struct bw_checked *f, const struct bw_checked_side *s, const char *when)
{
	char text[128], more[32] = "";
	struct bw_str line = {0};
	if (bw_checked_is_of_dispatches(f) && !s->pc) {
		bw_out_line(o, "      %s%s, by a packet of the queue", when, s->access);
		return;
	}
	bw_checked_instruction(r->gpu, s, text, sizeof(text));
	bw_str_addf(&line, "%s%s", when, s->access);
	bw_checked_add_place(&line, d, s);
	int others = __builtin_popcountll(f->bounds.more_lanes);
	if (others)
		snprintf(more, sizeof(more), " and %d more", others);
	if (s->draw)
		bw_str_addf(&line, " by lane %u%s%s%s%s of draw %u", s->lane, more,
			    *s->lane_is ? " (" : "", s->lane_is, *s->lane_is ? ")" : "", s->draw);
	else if (s != &f->second || !f->second_is_code)
		bw_str_addf(&line, " by lane %u%s of wave %u of workgroup (%u,%u,%u)", s->lane,
			    more, s->wave, s->group[0], s->group[1], s->group[2]);
	if (bw_checked_is_of_dispatches(f))
		bw_str_addf(&line, ", dispatch %u", s->dispatch);
	bw_out_line(o, "      %s", bw_str_text(&line));
	bw_out_line(o, "            0x%" PRIx64 " (%s)  %s", s->pc,
		    bw_shown_offset(s->pc, s->start).text, text);
	bw_str_free(&line);
}

void bw_checked_show(struct bw_out *o, struct bw_debug *d, const struct bw_check_report *r,
		     const struct bw_checked *f)
{
	struct bw_str headline = {0};
	char times[32] = "";
	f->kind->add_headline(&headline, d, f);
	if (f->times > 1 && f->has_first)
		snprintf(times, sizeof(times), ", %" PRIu64 " times", f->times);
	bw_out_line(o, "  %s%s", bw_str_text(&headline), times);
	if (f->has_first)
		show_side(o, d, r, f, &f->first,
			  f->has_second && !f->second_is_code ? "first  " : "");
	if (f->has_second)
		show_side(o, d, r, f, &f->second, f->second_is_code ? "from " : "second ");
	bw_out_line(o, "      %s", f->kind->advice(f));
	bw_str_free(&headline);
}

/* ---- races of the same lines ---- */

/* Where both sides of a race are in the source; the lesser one first. */
struct line_pair {
	const char *file[2]; /* [0] NULL: not known, or no race */
	unsigned line[2];
};

static struct line_pair lines_of(struct bw_debug *d, const struct bw_checked *f)
{
	struct line_pair p = {0};
	struct bw_where a, b;
	if (!f->relation || !bw_checked_where(d, &f->first, &a) ||
	    !bw_checked_where(d, &f->second, &b) || !a.has_line || !b.has_line)
		return p;
	int order = strcmp(a.line.file, b.line.file);
	unsigned first = order > 0 || (!order && a.line.line > b.line.line);
	p.file[first] = a.line.file;
	p.line[first] = a.line.line;
	p.file[!first] = b.line.file;
	p.line[!first] = b.line.line;
	return p;
}

static bool are_same_lines(const struct line_pair *a, const struct line_pair *b)
{
	return a->file[0] && b->file[0] && a->line[0] == b->line[0] && a->line[1] == b->line[1] &&
	       !strcmp(a->file[0], b->file[0]) && !strcmp(a->file[1], b->file[1]);
}

/* A loop that the compiler has unrolled has the same race in many pairs of instructions. */
void bw_checked_show_all(struct bw_out *o, struct bw_debug *d, const struct bw_check_report *r)
{
	size_t n = r->findings.len;
	const struct bw_checked *all = r->findings.data;
	struct line_pair *pair = calloc(n + 1, sizeof(*pair));
	bool *is_shown = calloc(n + 1, sizeof(*is_shown));
	for (size_t i = 0; pair && is_shown && i < n; i++)
		pair[i] = lines_of(d, &all[i]);
	for (size_t i = 0; i < n; i++) {
		struct bw_checked f = all[i];
		size_t n_more = 0;
		if (is_shown && is_shown[i])
			continue;
		for (size_t k = i + 1; pair && is_shown && k < n; k++) {
			if (!are_same_lines(&pair[i], &pair[k]) || all[k].kind != f.kind ||
			    strcmp(all[k].relation, f.relation) || strcmp(all[k].memory, f.memory))
				continue;
			is_shown[k] = true;
			f.times += all[k].times;
			n_more++;
		}
		bw_checked_show(o, d, r, &f);
		if (n_more)
			bw_out_line(o, "      %zu more finding%s on the same two lines", n_more,
				    n_more == 1 ? " is" : "s are");
	}
	free(pair);
	free(is_shown);
}

/* ---- a table ---- */

struct row_side {
	struct bw_checked_side s;
	char instruction[128];
	struct bw_where where;
};

/* A finding of the table: its sides, resolved. */
struct row {
	struct bw_checked f;
	const char *kind;
	const char *target, *headline, *place;
	char *made, *freed;
	struct row_side first, second;
	bool second_ran; /* its wave and lane are known */
	const char *advice;
};

static void offset_first(struct bw_table *t, const void *of)
{
	const struct bw_checked_side *s = &((const struct row *)of)->first.s;
	if (((const struct row *)of)->f.has_first)
		bw_table_int(t, (int64_t)(s->pc - s->start));
}

static void offset_second(struct bw_table *t, const void *of)
{
	const struct bw_checked_side *s = &((const struct row *)of)->second.s;
	if (((const struct row *)of)->f.has_second)
		bw_table_int(t, (int64_t)(s->pc - s->start));
}

static void group_first(struct bw_table *t, const void *of)
{
	const struct bw_checked_side *s = &((const struct row *)of)->first.s;
	if (((const struct row *)of)->f.has_first && !s->draw)
		bw_table_json_cell(t, json_pack("[I,I,I]", (json_int_t)s->group[0],
						(json_int_t)s->group[1], (json_int_t)s->group[2]));
}

static void group_second(struct bw_table *t, const void *of)
{
	const struct bw_checked_side *s = &((const struct row *)of)->second.s;
	if (((const struct row *)of)->second_ran && !s->draw)
		bw_table_json_cell(t, json_pack("[I,I,I]", (json_int_t)s->group[0],
						(json_int_t)s->group[1], (json_int_t)s->group[2]));
}

/* In text a finding as a whole has another form (bw_checked_show). */
#define SIDE(side, may, ...)                                                                       \
	{NULL, #side "_access", "text" may, BW_OF(struct row, side.s.access)},                     \
		{NULL, #side "_address", "hex" may, BW_OF(struct row, side.s.pc)},                 \
		{NULL, #side "_offset", "integer" may, BW_GET(offset_##side)},                     \
		{NULL, #side "_instruction", "text" may, BW_OF(struct row, side.instruction)},     \
		{NULL, #side "_function", "text?", BW_OF(struct row, side.where.function)},        \
		{NULL, #side "_file", "text?", BW_OF(struct row, side.where.line.file),            \
		 BW_IF(struct row, side.where.has_line)},                                          \
		{NULL, #side "_line", "count?", BW_OF(struct row, side.where.line.line),           \
		 BW_IF(struct row, side.where.has_line)},                                          \
		{NULL, #side "_workgroup", "dims?", BW_GET(group_##side)},                         \
		{NULL, #side "_draw", "count?", "counted on the GPU",                              \
		 BW_OF(struct row, side.s.draw)},                                                  \
		{NULL,                                                                             \
		 #side "_lane_is",                                                                 \
		 "text?",                                                                          \
		 "what it runs for in a draw",                                                     \
		 BW_OF(struct row, side.s.lane_is),                                                \
		 BW_IF(struct row, side.s.draw)},                                                  \
		{NULL, #side "_wave", "count" may,                                                 \
		 BW_OF(struct row, side.s.wave) __VA_OPT__(, ) __VA_ARGS__},                       \
		{NULL, #side "_lane", "count" may,                                                 \
		 BW_OF(struct row, side.s.lane) __VA_OPT__(, ) __VA_ARGS__},                       \
	{                                                                                          \
		NULL, #side "_dispatch", "count?", "in the order in which the GPU has begun them", \
			BW_OF(struct row, side.s.dispatch)                                         \
	}
static const struct bw_fact finding_rows[] = {
	{"Num", "number", "count", "in the order in which they were made",
	 BW_OF(struct row, f.number)},
	{"Kind", "kind", "text", BW_OF(struct row, kind)},
	{"Place", NULL, "text", BW_OF(struct row, place)},
	{"What", "what", "text", BW_OF(struct row, headline)},
	{NULL, "between", "text?", BW_OF(struct row, f.relation)},
	{NULL, "use", "text?", BW_OF(struct row, f.use)},
	{NULL, "memory", "text", BW_OF(struct row, f.memory)},
	{NULL, "times", "count", BW_OF(struct row, f.times)},
	{NULL, "vmid", "count", BW_OF(struct row, f.vmid)},
	{NULL, "wave_size", "count", BW_OF(struct row, f.lanes)},
	{NULL, "address", "hex", BW_OF(struct row, f.va)},
	{NULL, "size", "count", BW_OF(struct row, f.size_b)},
	{NULL, "target", "text", BW_OF(struct row, target)},
	{NULL, "limit", "count?", "how large the object is, in bytes, elements or texels",
	 BW_OF(struct row, f.bounds.limit), BW_IF(struct row, f.bounds.of)},
	{NULL, "is_freed", "bool?", BW_OF(struct row, f.bounds.is_freed),
	 BW_IF(struct row, f.bounds.of)},
	{NULL, "made", "text?", "where the program has made the object", BW_OF(struct row, made)},
	{NULL, "freed", "text?", "where the program has freed the object",
	 BW_OF(struct row, freed)},
	SIDE(first, "?", BW_IF(struct row, f.has_first)),
	SIDE(second, "?", BW_IF(struct row, second_ran)),
	{NULL, "text", "text", BW_OF(struct row, advice)},
};
BW_FACTS(finding_facts, "check", "findings", finding_rows);

static void fill_side(struct row_side *out, struct bw_debug *d, const struct bw_check_report *r,
		      const struct bw_checked_side *s)
{
	out->s = *s;
	bw_checked_instruction(r->gpu, s, out->instruction, sizeof(out->instruction));
	bw_checked_where(d, s, &out->where);
}

/* "histogram.cl:3", or the function, or the address. */
static void add_short_place(struct bw_str *s, const struct row_side *side)
{
	const struct bw_where *w = &side->where;
	if (w->has_line)
		bw_str_addf(s, "%s:%u", bw_base_name(w->line.file), w->line.line);
	else if (w->function)
		bw_str_addf(s, "%s+0x%" PRIx64, w->function, w->offset_b);
	else if (side->s.pc)
		bw_str_addf(s, "0x%" PRIx64, side->s.pc);
}

void bw_checked_table(struct bw_out *o, struct bw_debug *d, const struct bw_check_report *r)
{
	struct bw_table t;
	bw_table_begin(&t, &finding_facts);
	bw_vec_each(&r->findings, f) {
		struct row row = {.f = *f, .kind = f->kind->name, .advice = f->kind->advice(f)};
		struct bw_str target = {0}, headline = {0}, place = {0};
		f->kind->add_target(&target, d, f);
		row.target = bw_str_text(&target);
		f->kind->add_headline(&headline, d, f);
		row.headline = bw_str_text(&headline);
		if (f->bounds.of)
			row.made = bw_checked_made(f);
		if (f->bounds.is_freed)
			row.freed = bw_checked_freed(f);
		row.second_ran = f->has_second && !f->second_is_code;
		if (f->has_first)
			fill_side(&row.first, d, r, &f->first);
		if (f->has_second)
			fill_side(&row.second, d, r, &f->second);
		add_short_place(&place, row.second_ran ? &row.second : &row.first);
		row.place = bw_str_text(&place);
		bw_table_row(&t, &row);
		bw_str_free(&target);
		bw_str_free(&headline);
		bw_str_free(&place);
		free(row.made);
		free(row.freed);
	}
	bw_out_table(o, &t, "");
	bw_table_fini(&t);
}
