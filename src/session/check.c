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
#include "session/server_report.h"
#include "ui/table.h"
#include "wire/checks.h"

#define REPORT_FILE "breakwater_check"

/* One of the two accesses of a race. Texts are borrowed from the report. */
struct side {
	const char *access, *name;
	uint64_t pc, start;
	uint32_t word[3];
	unsigned n_words;
	uint32_t group[3], wave, lane;
};

struct finding {
	const char *kind, *relation, *memory;
	uint64_t times, vmid, lanes, va, size_b;
	bool has_pointer;
	uint32_t pointer_sgpr, pointer_offset;
	uint64_t pointer;
	struct side first, second;
};
struct findings BW_VEC(struct finding);

struct report {
	char gpu[16];
	char *data;
	uint64_t what; /* enum bw_check_what */
	struct findings findings;
};

static void report_fini(struct report *r)
{
	bw_vec_free(&r->findings);
	free(r->data);
}

/* ---- the server's lines ---- */

static void take_side(char **line, struct side *s)
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

static struct bw_error *take_finding(struct report *r, char *line)
{
	struct finding f = {.kind = "race", .relation = bw_report_field(&line)};
	f.memory = bw_report_field(&line);
	f.times = bw_report_number(&line);
	f.vmid = bw_report_number(&line);
	f.lanes = bw_report_number(&line);
	f.va = bw_report_number(&line);
	f.size_b = bw_report_number(&line);
	f.has_pointer = bw_report_number(&line);
	f.pointer_sgpr = (uint32_t)bw_report_number(&line);
	f.pointer_offset = (uint32_t)bw_report_number(&line);
	f.pointer = bw_report_number(&line);
	take_side(&line, &f.first);
	take_side(&line, &f.second);
	return bw_vec_push(&r->findings, f);
}

static int by_place(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	const uint64_t keys[][2] = {{x->second.start, y->second.start},
				    {x->second.pc, y->second.pc},
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

struct bw_error *bw_set_up_check(const struct bw_vgpu_options *o)
{
	if (!o->check)
		return o->fails_on_findings
			       ? bw_errorf(BW_E_INVALID,
					   "--error-on-findings is about the findings of --check, "
					   "which is not there")
			       : NULL;
	struct bw_str words = {0};
	bw_str_addf(&words, "--check%s%s --check-quiet", *o->check ? "=" : "", o->check);
	struct bw_error *err = bw_add_server_args(bw_str_text(&words));
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

static struct bw_executed executed(const struct side *s)
{
	return (struct bw_executed){
		.pc = s->pc, .start = s->start, .code = s->word, .code_b = s->n_words * 4u};
}

static bool where_is(struct bw_debug *d, const struct side *s, struct bw_where *out)
{
	const struct bw_executed x = executed(s);
	if (s->pc && bw_debug_where_executed(d, &x, out))
		return true;
	*out = (struct bw_where){0};
	return false;
}

/* "out + 0x10", or the address. */
static void add_target(struct bw_str *s, struct bw_debug *d, const struct finding *f)
{
	const struct bw_executed x = executed(&f->second);
	const char *name = NULL;
	if (!strcmp(f->memory, "LDS")) {
		bw_str_addf(s, "LDS + 0x%" PRIx64, f->va);
		return;
	}
	if (f->has_pointer)
		name = bw_debug_pointer_executed(d, &x, f->pointer_sgpr, f->pointer_offset);
	if (name)
		bw_str_addf(s, "%s + 0x%" PRIx64, name, f->va - f->pointer);
	else if (f->va)
		bw_str_addf(s, "0x%" PRIx64, f->va);
	else
		bw_str_addf(s, "an address that is not known");
}

static void instruction_text(const struct report *r, const struct side *s, char *out, size_t size)
{
	const struct bw_report_code x = {r->gpu, s->name, s->word, s->n_words, s->pc};
	bw_report_instruction(&x, out, size);
}

static void add_place(struct bw_str *s, struct bw_debug *d, const struct side *side)
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
		      const struct side *s, const char *when)
{
	char text[128];
	struct bw_str place = {0};
	instruction_text(r, s, text, sizeof(text));
	add_place(&place, d, s);
	bw_out_line(o, "      %s %s%s by lane %u of wave %u of workgroup (%u,%u,%u)", when,
		    s->access, bw_str_text(&place), s->lane, s->wave, s->group[0], s->group[1],
		    s->group[2]);
	bw_out_line(o, "            0x%" PRIx64 " (+0x%" PRIx64 ")  %s", s->pc, s->pc - s->start,
		    text);
	bw_str_free(&place);
}

/* Why nothing orders the two, and what would. */
static const char *advice(const struct finding *f)
{
	bool one_is_atomic =
		!strcmp(f->first.access, "atomic") || !strcmp(f->second.access, "atomic");
	bool is_lds = !strcmp(f->memory, "LDS");
	if (!strcmp(f->relation, "lanes"))
		return "the lanes store different values to one place in one instruction: which one stays is not defined; "
		       "let one lane store, or use an atomic operation";
	if (!strcmp(f->relation, "waves"))
		return is_lds || !one_is_atomic
			       ? "no barrier of the workgroup lies between the two waves' accesses: a barrier would order them"
			       : "one side is not atomic, and no barrier of the workgroup lies between: use an atomic operation there, or a barrier";
	return one_is_atomic
		       ? "one side is not atomic, and workgroups are in no order: use an atomic operation on both sides"
		       : "workgroups are in no order: use atomic operations, or a dispatch of its own for the second access";
}

static void show_finding(struct bw_out *o, struct bw_debug *d, const struct report *r,
			 const struct finding *f)
{
	struct bw_str target = {0};
	char times[32] = "";
	add_target(&target, d, f);
	if (f->times > 1)
		snprintf(times, sizeof(times), ", %" PRIu64 " times", f->times);
	bw_out_line(o, "  race between %s on %" PRIu64 " byte%s of %s%s",
		    !strcmp(f->relation, "lanes")   ? "lanes of an instruction"
		    : !strcmp(f->relation, "waves") ? "waves of a workgroup"
						    : "workgroups",
		    f->size_b, f->size_b == 1 ? "" : "s", bw_str_text(&target), times);
	show_side(o, d, r, &f->first, "first ");
	show_side(o, d, r, &f->second, "second");
	bw_out_line(o, "      %s", advice(f));
	bw_str_free(&target);
}

struct row_side {
	struct side s;
	char instruction[128];
	struct bw_where where;
};

/* A finding of the JSON table: both sides, resolved. */
struct row {
	struct finding f;
	const char *target;
	struct row_side first, second;
	const char *advice;
};

static void offset_first(struct bw_table *t, const void *of)
{
	const struct side *s = &((const struct row *)of)->first.s;
	bw_table_int(t, (int64_t)(s->pc - s->start));
}

static void offset_second(struct bw_table *t, const void *of)
{
	const struct side *s = &((const struct row *)of)->second.s;
	bw_table_int(t, (int64_t)(s->pc - s->start));
}

static void group_first(struct bw_table *t, const void *of)
{
	const struct side *s = &((const struct row *)of)->first.s;
	bw_table_json_cell(t, json_pack("[I,I,I]", (json_int_t)s->group[0], (json_int_t)s->group[1],
					(json_int_t)s->group[2]));
}

static void group_second(struct bw_table *t, const void *of)
{
	const struct side *s = &((const struct row *)of)->second.s;
	bw_table_json_cell(t, json_pack("[I,I,I]", (json_int_t)s->group[0], (json_int_t)s->group[1],
					(json_int_t)s->group[2]));
}

/* In text a finding has another form (show_finding). */
#define SIDE(side)                                                                                 \
	{NULL, #side "_access", "text", BW_OF(struct row, side.s.access)},                         \
		{NULL, #side "_address", "hex", BW_OF(struct row, side.s.pc)},                     \
		{NULL, #side "_offset", "integer", BW_GET(offset_##side)},                         \
		{NULL, #side "_instruction", "text", BW_OF(struct row, side.instruction)},         \
		{NULL, #side "_function", "text?", BW_OF(struct row, side.where.function)},        \
		{NULL, #side "_file", "text?", BW_OF(struct row, side.where.line.file),            \
		 BW_IF(struct row, side.where.has_line)},                                          \
		{NULL, #side "_line", "count?", BW_OF(struct row, side.where.line.line),           \
		 BW_IF(struct row, side.where.has_line)},                                          \
		{NULL, #side "_workgroup", "dims", BW_GET(group_##side)},                          \
		{NULL, #side "_wave", "count", BW_OF(struct row, side.s.wave)},                    \
	{                                                                                          \
		NULL, #side "_lane", "count", BW_OF(struct row, side.s.lane)                       \
	}
static const struct bw_fact finding_rows[] = {
	{NULL, "kind", "text", BW_OF(struct row, f.kind)},
	{NULL, "between", "text", BW_OF(struct row, f.relation)},
	{NULL, "memory", "text", BW_OF(struct row, f.memory)},
	{NULL, "times", "count", BW_OF(struct row, f.times)},
	{NULL, "vmid", "count", BW_OF(struct row, f.vmid)},
	{NULL, "wave_size", "count", BW_OF(struct row, f.lanes)},
	{NULL, "address", "hex", BW_OF(struct row, f.va)},
	{NULL, "size", "count", BW_OF(struct row, f.size_b)},
	{NULL, "target", "text", BW_OF(struct row, target)},
	SIDE(first),
	SIDE(second),
	{NULL, "text", "text", BW_OF(struct row, advice)},
};
BW_FACTS(finding_facts, "check", "findings", finding_rows);

static void fill_side(struct row_side *out, struct bw_debug *d, const struct report *r,
		      const struct side *s)
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
		struct row row = {.f = *f, .advice = advice(f)};
		struct bw_str target = {0};
		add_target(&target, d, f);
		row.target = bw_str_text(&target);
		fill_side(&row.first, d, r, &f->first);
		fill_side(&row.second, d, r, &f->second);
		bw_table_row(&t, &row);
		bw_str_free(&target);
	}
	bw_out_table(o, &t, "");
	bw_table_fini(&t);
}

static void show_findings(struct bw_out *o, struct bw_debug *d, const struct report *r)
{
	size_t n = r->findings.len;
	bw_out_begin(o, "event", "check");
	if (n)
		bw_out_line(o, "Check: %zu finding%s.", n, n == 1 ? "" : "s");
	else
		bw_out_line(o, "Check: no findings.");
	bw_out_int(o, "n_findings", (int64_t)n);
	if (bw_out_is_json(o))
		show_table(o, d, r);
	else
		bw_vec_each(&r->findings, f)
			show_finding(o, d, r, f);
	bw_out_end(o);
}

struct bw_error *bw_show_check(struct bw_kmd *kmd, const struct bw_vgpu_options *o,
			       struct bw_debug *debug, struct bw_out *out, bool *out_fails)
{
	struct report r = {0};
	*out_fails = false;
	if (!o->check)
		return NULL;
	struct bw_error *err = read_report(kmd, &r);
	if (!err) {
		show_findings(out, debug, &r);
		*out_fails = o->fails_on_findings && r.findings.len;
	}
	report_fini(&r);
	return err;
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
	struct bw_error *err = bw_show_check(kmd, o, d, out, out_fails);
	bw_debug_destroy(d);
	return err;
}
