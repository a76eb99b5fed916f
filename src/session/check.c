/* SPDX-License-Identifier: MIT */
/* --check: what the virtual GPU's checker found, at the end of a program. It comes from the
 * server's file breakwater_check, with a line each, fields separated by tabs
 * (uapi/check_output.c). */
#include "session/programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "base/vec.h"
#include "debug/code.h"
#include "session/check_priv.h"
#include "session/server_report.h"
#include "session/suppress.h"
#include "ui/table.h"
#include "wire/checks.h"

#define REPORT_FILE "breakwater_check"

struct findings BW_VEC(struct bw_checked);

struct report {
	char gpu[16];
	char *data;
	uint64_t what; /* enum bw_check_what */
	struct findings findings;
	struct bw_suppressions suppressions;
	uint64_t n_suppressed; /* findings that are not in the list any more */
};

static void report_fini(struct report *r)
{
	bw_vec_free(&r->findings);
	bw_suppressions_fini(&r->suppressions);
	free(r->data);
}

/* ---- the server's lines ---- */

void bw_checked_take_side(char **line, struct bw_checked_side *s)
{
	s->access = bw_report_field(line);
	s->pc = bw_report_number(line);
	s->start = bw_report_number(line);
	s->n_words = (unsigned)BW_MIN(bw_report_number(line), (uint64_t)BW_ARRAY_SIZE(s->word));
	for (unsigned i = 0; i < BW_ARRAY_SIZE(s->word); i++)
		s->word[i] = (uint32_t)bw_report_number(line);
	s->name = bw_report_field(line);
	for (unsigned i = 0; i < 3; i++)
		s->group[i] = (uint32_t)bw_report_number(line);
	s->wave = (uint32_t)bw_report_number(line);
	s->lane = (uint32_t)bw_report_number(line);
}

static const struct bw_checked_kind *const kinds[] = {&bw_checked_race, &bw_checked_bounds,
						      &bw_checked_init, &bw_checked_sync};

static struct bw_error *take_finding(struct report *r, char *line)
{
	const char *kind = bw_report_field(&line);
	for (size_t i = 0; i < BW_ARRAY_SIZE(kinds); i++) {
		struct bw_checked f = {.kind = kinds[i]};
		if (strcmp(kind, kinds[i]->name))
			continue;
		kinds[i]->take(&line, &f);
		return bw_vec_push(&r->findings, f);
	}
	return NULL; /* a newer server's */
}

static int by_place(const void *a, const void *b)
{
	const struct bw_checked *x = a, *y = b;
	const struct bw_checked_side *last_x = x->has_second ? &x->second : &x->first,
				     *last_y = y->has_second ? &y->second : &y->first;
	const uint64_t keys[][2] = {{last_x->start, last_y->start},
				    {last_x->pc, last_y->pc},
				    {x->first.pc, y->first.pc}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

static struct bw_error *read_report(struct bw_kmd *kmd, struct report *r)
{
	if (!bw_kmd_is_virtual(kmd))
		return bw_errorf(BW_E_UNSUPPORTED, "--check needs the virtual GPU; %s is hardware",
				 bw_kmd_pci_address(kmd));
	BW_TRY(bw_report_gpu(kmd, r->gpu, sizeof(r->gpu)));
	BW_TRY(bw_report_read(kmd, REPORT_FILE, &r->data));
	char *rest = r->data, *line = strsep(&rest, "\n");
	r->what = bw_report_number(&line);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			BW_TRY(take_finding(r, line));
	if (r->findings.len)
		qsort(r->findings.data, r->findings.len, sizeof(*r->findings.data), by_place);
	return NULL;
}

/* ---- options ---- */

struct bw_error *bw_take_check(void *options, const char *option, const char *value)
{
	struct bw_vgpu_options *o = options;
	unsigned what;
	BW_TRY(bw_checks_parse(option, value, &what));
	o->check = value ? value : "";
	return NULL;
}

static struct bw_error *read_suppressions(const struct bw_vgpu_options *o,
					  struct bw_suppressions *s)
{
	const char *names[BW_ARRAY_SIZE(kinds) + 1] = {0};
	for (size_t i = 0; i < BW_ARRAY_SIZE(kinds); i++)
		names[i] = kinds[i]->name;
	return o->suppressions ? bw_suppressions_read(s, o->suppressions, names) : NULL;
}

/* Before anything runs: the file's errors come at once. */
static struct bw_error *check_suppressions(const struct bw_vgpu_options *o)
{
	struct bw_suppressions s = {0};
	struct bw_error *err = read_suppressions(o, &s);
	bw_suppressions_fini(&s);
	return err;
}

struct bw_error *bw_set_up_check(const struct bw_vgpu_options *o)
{
	const char *needs_check = o->fails_on_findings ? "--error-on-findings"
				  : o->suppressions    ? "--suppress"
						       : NULL;
	if (!o->check)
		return needs_check
			       ? bw_errorf(
					 BW_E_INVALID,
					 "%s is about the findings of --check, which is not there",
					 needs_check)
			       : NULL;
	BW_TRY(check_suppressions(o));
	struct bw_str words = {0};
	/* What is printed at once may be suppressed at the end. */
	bw_str_addf(&words, "--check%s%s %s", *o->check ? "=" : "", o->check,
		    o->suppressions ? "--check-silent" : "--check-quiet");
	struct bw_error *err = bw_add_server_args(bw_str_text(&words));
	if (!err && setenv(BW_CHECKS_ENV, o->check, 1))
		err = bw_error_nomem();
	bw_str_free(&words);
	return err;
}

struct bw_error *bw_check_check(struct bw_kmd *kmd, const struct bw_vgpu_options *o)
{
	struct report r = {0};
	if (!o->check)
		return NULL;
	struct bw_error *err = read_report(kmd, &r);
	bool is_missing = !err && !r.what;
	report_fini(&r);
	if (is_missing)
		return bw_errorf(
			BW_E_STATE,
			"the virtual GPU that BREAKWATER_VGPU names was started without --check: start it with that, or unset "
			"BREAKWATER_VGPU and one is started here");
	return err;
}

/* ---- output ---- */

struct bw_executed bw_checked_executed(const struct bw_checked_side *s)
{
	return (struct bw_executed){
		.pc = s->pc, .start = s->start, .code = s->word, .code_b = s->n_words * 4u};
}

static bool where_is(struct bw_debug *d, const struct bw_checked_side *s, struct bw_where *out)
{
	const struct bw_executed x = bw_checked_executed(s);
	if (s->pc && bw_debug_where_executed(d, &x, out))
		return true;
	*out = (struct bw_where){0};
	return false;
}

static void instruction_text(const struct report *r, const struct bw_checked_side *s, char *out,
			     size_t size)
{
	const struct bw_report_code x = {r->gpu, s->name, s->word, s->n_words, s->pc};
	bw_report_instruction(&x, out, size);
}

static void add_place(struct bw_str *s, struct bw_debug *d, const struct bw_checked_side *side)
{
	struct bw_where w;
	if (!where_is(d, side, &w))
		return;
	if (w.function)
		bw_str_addf(s, " in %s", w.function);
	if (w.has_line)
		bw_str_addf(s, " at %s:%u%s", bw_base_name(w.line.file), w.line.line,
			    w.line.approximate ? " (about)" : "");
}

static void show_side(struct bw_out *o, struct bw_debug *d, const struct report *r,
		      const struct bw_checked *f, const struct bw_checked_side *s, const char *when)
{
	char text[128], more[32] = "";
	struct bw_str line = {0};
	instruction_text(r, s, text, sizeof(text));
	bw_str_addf(&line, "%s%s", when, s->access);
	add_place(&line, d, s);
	int others = __builtin_popcountll(f->bounds.more_lanes);
	if (others)
		snprintf(more, sizeof(more), " and %d more", others);
	if (s != &f->second || !f->second_is_code)
		bw_str_addf(&line, " by lane %u%s of wave %u of workgroup (%u,%u,%u)", s->lane,
			    more, s->wave, s->group[0], s->group[1], s->group[2]);
	bw_out_line(o, "      %s", bw_str_text(&line));
	bw_out_line(o, "            0x%" PRIx64 " (+0x%" PRIx64 ")  %s", s->pc, s->pc - s->start,
		    text);
	bw_str_free(&line);
}

static void show_finding(struct bw_out *o, struct bw_debug *d, const struct report *r,
			 const struct bw_checked *f)
{
	struct bw_str headline = {0};
	char times[32] = "";
	f->kind->add_headline(&headline, d, f);
	if (f->times > 1)
		snprintf(times, sizeof(times), ", %" PRIu64 " times", f->times);
	bw_out_line(o, "  %s%s", bw_str_text(&headline), times);
	show_side(o, d, r, f, &f->first, f->has_second && !f->second_is_code ? "first  " : "");
	if (f->has_second)
		show_side(o, d, r, f, &f->second, f->second_is_code ? "from " : "second ");
	bw_out_line(o, "      %s", f->kind->advice(f));
	bw_str_free(&headline);
}

struct row_side {
	struct bw_checked_side s;
	char instruction[128];
	struct bw_where where;
};

/* A finding of the JSON table: its sides, resolved. */
struct row {
	struct bw_checked f;
	const char *kind;
	const char *target;
	char *made, *freed;
	struct row_side first, second;
	bool second_ran; /* its wave and lane are known */
	const char *advice;
};

static void offset_first(struct bw_table *t, const void *of)
{
	const struct bw_checked_side *s = &((const struct row *)of)->first.s;
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
	bw_table_json_cell(t, json_pack("[I,I,I]", (json_int_t)s->group[0], (json_int_t)s->group[1],
					(json_int_t)s->group[2]));
}

static void group_second(struct bw_table *t, const void *of)
{
	const struct bw_checked_side *s = &((const struct row *)of)->second.s;
	if (((const struct row *)of)->second_ran)
		bw_table_json_cell(t, json_pack("[I,I,I]", (json_int_t)s->group[0],
						(json_int_t)s->group[1], (json_int_t)s->group[2]));
}

/* In text a finding has another form (show_finding). */
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
		{NULL, #side "_workgroup", "dims" may, BW_GET(group_##side)},                      \
		{NULL, #side "_wave", "count" may,                                                 \
		 BW_OF(struct row, side.s.wave) __VA_OPT__(, ) __VA_ARGS__},                       \
	{                                                                                          \
		NULL, #side "_lane", "count" may,                                                  \
			BW_OF(struct row, side.s.lane) __VA_OPT__(, ) __VA_ARGS__                  \
	}
static const struct bw_fact finding_rows[] = {
	{NULL, "kind", "text", BW_OF(struct row, kind)},
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
	SIDE(first, ""),
	SIDE(second, "?", BW_IF(struct row, second_ran)),
	{NULL, "text", "text", BW_OF(struct row, advice)},
};
BW_FACTS(finding_facts, "check", "findings", finding_rows);

static void fill_side(struct row_side *out, struct bw_debug *d, const struct report *r,
		      const struct bw_checked_side *s)
{
	out->s = *s;
	instruction_text(r, s, out->instruction, sizeof(out->instruction));
	where_is(d, s, &out->where);
}

static void show_table(struct bw_out *o, struct bw_debug *d, const struct report *r)
{
	struct bw_table t;
	bw_table_begin(&t, &finding_facts);
	bw_vec_each(&r->findings, f) {
		struct row row = {.f = *f, .kind = f->kind->name, .advice = f->kind->advice(f)};
		struct bw_str target = {0};
		f->kind->add_target(&target, d, f);
		row.target = bw_str_text(&target);
		if (f->bounds.of)
			row.made = bw_checked_made(f);
		if (f->bounds.is_freed)
			row.freed = bw_checked_freed(f);
		row.second_ran = f->has_second && !f->second_is_code;
		fill_side(&row.first, d, r, &f->first);
		if (f->has_second)
			fill_side(&row.second, d, r, &f->second);
		bw_table_row(&t, &row);
		bw_str_free(&target);
		free(row.made);
		free(row.freed);
	}
	bw_out_table(o, &t, "");
	bw_table_fini(&t);
}

/* ---- findings that are known ---- */

static const struct bw_fact suppressed_rows[] = {
	{NULL, "line", "count", "of the file", BW_OF(struct bw_suppression, line)},
	{NULL, "kind", "text", BW_OF(struct bw_suppression, kind)},
	{NULL, "place", "text", BW_OF(struct bw_suppression, place)},
	{NULL, "reason", "text", BW_OF(struct bw_suppression, reason)},
	{NULL, "n_findings", "count", BW_OF(struct bw_suppression, n_findings)},
};
BW_FACTS(suppressed_facts, "check suppressions", "suppressions", suppressed_rows);

static struct bw_suppressed_place place_of(const struct bw_where *w)
{
	return (struct bw_suppressed_place){.function = w->function,
					    .file = w->has_line ? bw_base_name(w->line.file) : NULL,
					    .line = w->has_line ? w->line.line : 0};
}

/* Takes those away that a row of the file matches. */
static void suppress(struct report *r, struct bw_debug *d)
{
	size_t kept = 0;
	bw_vec_each(&r->findings, f) {
		struct bw_where first, second = {0};
		where_is(d, &f->first, &first);
		if (f->has_second)
			where_is(d, &f->second, &second);
		const struct bw_suppressed_place places[] = {place_of(&first), place_of(&second)};
		struct bw_suppression *row = bw_suppressions_find(&r->suppressions, f->kind->name,
								  places, BW_ARRAY_SIZE(places));
		if (!row)
			r->findings.data[kept++] = *f;
		else
			row->n_findings++;
	}
	r->n_suppressed = r->findings.len - kept;
	r->findings.len = kept;
}

static void show_suppressed(struct bw_out *o, const struct report *r, const char *path)
{
	const struct bw_suppression *rows = r->suppressions.rows.data;
	if (bw_out_is_json(o)) {
		bw_out_int(o, "n_suppressed", (int64_t)r->n_suppressed);
		bw_out_facts(o, &suppressed_facts, rows, r->suppressions.rows.len, "");
		return;
	}
	for (size_t i = 0; i < r->suppressions.rows.len; i++)
		if (rows[i].n_findings)
			bw_out_line(o, "  suppressed %" PRIu64 " by %s:%u (%s %s): %s",
				    rows[i].n_findings, path, rows[i].line, rows[i].kind,
				    rows[i].place, rows[i].reason);
		else
			bw_out_line(o, "  %s:%u (%s %s) has matched no finding", path, rows[i].line,
				    rows[i].kind, rows[i].place);
}

/* How the code that is not known here becomes known: the debugger sees what a program loads. */
static void show_other_way(struct bw_out *o, struct bw_debug *d, const struct report *r,
			   const struct bw_vgpu_options *v, char *const *program)
{
	struct bw_where w;
	bool is_known = true;
	bw_vec_each(&r->findings, f)
		is_known &= where_is(d, &f->first, &w);
	if (is_known)
		return;
	struct bw_str s = {0};
	bw_str_addf(&s, "breakwater run --check%s%s --batch -ex run --", *v->check ? "=" : "",
		    v->check);
	for (; *program; program++) {
		bw_str_add(&s, " ");
		bw_str_add_word(&s, *program);
	}
	bw_out_line(o, "With functions and lines: %s", bw_str_text(&s));
	bw_out_str(o, "with_lines", bw_str_text(&s));
	bw_str_free(&s);
}

/* Lines of the driver's text are of no use to who has written the shader. */
static void show_way_to_source(struct bw_out *o, struct bw_debug *d, const struct report *r)
{
	static const char nir[] = ".nir";
	bw_vec_each(&r->findings, f) {
		struct bw_where w;
		if (!where_is(d, &f->first, &w) || !w.has_line)
			continue;
		size_t len = strlen(w.line.file);
		if (len < strlen(nir) || strcmp(w.line.file + len - strlen(nir), nir) != 0)
			continue;
		bw_out_line(o, "Lines of .nir files are of the driver's text of the shader "
			       "(\"list\"). With -O0 they are those of its source.");
		return;
	}
}

static void show_findings(struct bw_out *o, struct bw_debug *d, const struct report *r)
{
	size_t n = r->findings.len;
	char suppressed[48] = "";
	if (r->n_suppressed)
		snprintf(suppressed, sizeof(suppressed), ", %" PRIu64 " suppressed",
			 r->n_suppressed);
	if (n)
		bw_out_line(o, "Check: %zu finding%s%s.", n, n == 1 ? "" : "s", suppressed);
	else
		bw_out_line(o, "Check: no findings%s.", suppressed);
	bw_out_int(o, "n_findings", (int64_t)n);
	if (bw_out_is_json(o))
		show_table(o, d, r);
	else
		bw_vec_each(&r->findings, f)
			show_finding(o, d, r, f);
}

/* program: NULL, or what can be run again under the debugger, up to NULL. */
static struct bw_error *show_report(struct bw_kmd *kmd, const struct bw_vgpu_options *o,
				    struct bw_debug *debug, char *const *program,
				    struct bw_out *out, bool *out_fails)
{
	struct report r = {0};
	struct bw_error *err = read_report(kmd, &r);
	if (!err)
		err = read_suppressions(o, &r.suppressions);
	if (!err) {
		bw_out_begin(out, "event", "check");
		suppress(&r, debug);
		show_findings(out, debug, &r);
		if (o->suppressions)
			show_suppressed(out, &r, o->suppressions);
		show_way_to_source(out, debug, &r);
		if (program)
			show_other_way(out, debug, &r, o, program);
		bw_out_end(out);
		*out_fails = o->fails_on_findings && r.findings.len;
	}
	report_fini(&r);
	return err;
}

struct bw_error *bw_show_check(struct bw_kmd *kmd, const struct bw_vgpu_options *o,
			       struct bw_debug *debug, struct bw_out *out, bool *out_fails)
{
	*out_fails = false;
	return o->check ? show_report(kmd, o, debug, NULL, out, out_fails) : NULL;
}

struct bw_error *bw_show_check_of(struct bw_kmd *kmd, const struct bw_vgpu_options *o,
				  char *const *program, struct bw_out *out, bool *out_fails)
{
	struct bw_debug *d;
	*out_fails = false;
	if (!o->check)
		return NULL;
	BW_TRY(bw_debug_create(&d));
	bw_report_add_code(d, program);
	struct bw_error *err = show_report(kmd, o, d, program, out, out_fails);
	bw_debug_destroy(d);
	return err;
}
