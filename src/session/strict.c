/* SPDX-License-Identifier: MIT */
/* --strict and --trace-hash: reports what the virtual GPU found and executed, at the end of a
 * program. They come from the server's file breakwater_strict, with a line each, fields separated
 * by tabs (uapi/strict_output.c). */
#include "session/programs.h"
#include "debug/code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"
#include "base/str.h"
#include "base/util.h"
#include "base/vec.h"
#include "session/server_report.h"
#include "ui/table.h"

#define REPORT_FILE "breakwater_strict"

/* A finding as the server reports it. Texts are borrowed from the report. */
struct finding {
	const char *kind, *name, *text;
	uint64_t times, vmid, pc, start;
	uint32_t word[3];
	unsigned n_words;
};
struct findings BW_VEC(struct finding);

struct report {
	char gpu[16]; /* "gfx1100" */
	char *data;
	bool checks, traces;
	uint64_t hash, instructions, accesses;
	struct findings findings;
};

static void report_fini(struct report *r)
{
	bw_vec_free(&r->findings);
	free(r->data);
}

static struct bw_error *take_finding(struct report *r, char *line)
{
	struct finding f = {.kind = bw_report_field(&line)};
	f.times = bw_report_number(&line);
	f.vmid = bw_report_number(&line);
	f.pc = bw_report_number(&line);
	f.start = bw_report_number(&line);
	f.n_words = (unsigned)BW_MIN(bw_report_number(&line), (uint64_t)BW_ARRAY_SIZE(f.word));
	for (unsigned i = 0; i < BW_ARRAY_SIZE(f.word); i++)
		f.word[i] = (uint32_t)bw_report_number(&line);
	f.name = bw_report_field(&line);
	f.text = bw_report_field(&line);
	return bw_vec_push(&r->findings, f);
}

static struct bw_error *read_report(struct bw_kmd *kmd, struct report *r)
{
	if (!bw_kmd_is_virtual(kmd))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "--strict and --trace-hash need the virtual GPU; %s is hardware",
				 bw_kmd_pci_address(kmd));
	BW_TRY(bw_report_read(kmd, REPORT_FILE, &r->data));
	char *rest = r->data, *line = strsep(&rest, "\n");
	r->checks = bw_report_number(&line);
	r->traces = bw_report_number(&line);
	r->hash = bw_report_number(&line);
	r->instructions = bw_report_number(&line);
	r->accesses = bw_report_number(&line);
	while ((line = strsep(&rest, "\n")))
		if (*line)
			BW_TRY(take_finding(r, line));
	return NULL;
}

struct bw_error *bw_set_up_strict(const struct bw_vgpu_options *o)
{
	BW_TRY(bw_set_up_check(o));
	if (o->strict)
		BW_TRY(bw_add_server_args("--strict=quiet"));
	if (o->deterministic)
		BW_TRY(bw_add_server_args("--deterministic"));
	if (o->interpret)
		BW_TRY(bw_add_server_args("--no-compile"));
	return o->trace_hash ? bw_add_server_args("--trace-hash") : NULL;
}

struct bw_error *bw_check_strict(struct bw_kmd *kmd, const struct bw_vgpu_options *o)
{
	struct report r = {0};
	BW_TRY(bw_check_check(kmd, o));
	if (!o->strict && !o->trace_hash)
		return NULL;
	BW_TRY(bw_report_gpu(kmd, r.gpu, sizeof(r.gpu)));
	struct bw_error *err = read_report(kmd, &r);
	const char *missing = err			   ? NULL
			      : o->strict && !r.checks	   ? "--strict"
			      : o->trace_hash && !r.traces ? "--trace-hash"
							   : NULL;
	report_fini(&r);
	if (missing)
		return bw_errorf(
			BW_E_STATE,
			"the virtual GPU that BREAKWATER_VGPU names was started without %s: start it with that, or unset "
			"BREAKWATER_VGPU and one is started here",
			missing);
	return err;
}

static void instruction_text(const struct report *r, const struct finding *f, char *out,
			     size_t size)
{
	const struct bw_report_code x = {r->gpu, f->name, f->word, f->n_words, f->pc};
	bw_report_instruction(&x, out, size);
}

static bool where_is(struct bw_debug *d, const struct finding *f, struct bw_where *out)
{
	const struct bw_executed x = {
		.pc = f->pc, .start = f->start, .code = f->word, .code_b = f->n_words * 4u};
	return bw_debug_where_executed(d, &x, out);
}

/* The text " in saxpy at saxpy.s:14", as far as the place is known; owned by out. */
static const char *place_text(struct bw_debug *d, const struct finding *f, struct bw_str *out)
{
	struct bw_where w;
	if (!where_is(d, f, &w))
		return "";
	if (w.function)
		bw_str_addf(out, " in %s", w.function);
	if (w.has_line)
		bw_str_addf(out, " at %s:%u%s", bw_base_name(w.line.file), w.line.line,
			    w.line.approximate ? " (about)" : "");
	return bw_str_text(out);
}

static void show_lines(struct bw_out *o, struct bw_debug *d, const struct report *r)
{
	bw_vec_each(&r->findings, f) {
		char text[128], times[32] = "";
		struct bw_str place = {0};
		instruction_text(r, f, text, sizeof(text));
		if (f->times > 1)
			snprintf(times, sizeof(times), ", %" PRIu64 " times", f->times);
		bw_out_line(o, "  %s at 0x%" PRIx64 " (%s)%s%s: %s", f->kind, f->pc,
			    bw_shown_offset(f->pc, f->start).text, place_text(d, f, &place), times,
			    text);
		bw_out_line(o, "      %s", f->text);
		bw_str_free(&place);
	}
}

struct finding_row {
	struct finding f;
	char instruction[128];
	struct bw_where where;
};

static void offset(struct bw_table *t, const void *of)
{
	const struct finding *f = &((const struct finding_row *)of)->f;
	bw_table_int(t, (int64_t)(f->pc - f->start));
}

/* In text it has another form (show_lines). */
#define HAS_LINE BW_IF(struct finding_row, where.has_line)
static const struct bw_fact finding_rows[] = {
	{NULL, "kind", "text", BW_OF(struct finding_row, f.kind)},
	{NULL, "times", "count", BW_OF(struct finding_row, f.times)},
	{NULL, "vmid", "count", BW_OF(struct finding_row, f.vmid)},
	{NULL, "address", "hex", BW_OF(struct finding_row, f.pc)},
	{NULL, "offset", "integer", BW_GET(offset)},
	{NULL, "instruction", "text", BW_OF(struct finding_row, instruction)},
	{NULL, "function", "text?", BW_OF(struct finding_row, where.function)},
	{NULL, "file", "text?", BW_OF(struct finding_row, where.line.file), HAS_LINE},
	{NULL, "line", "count?", BW_OF(struct finding_row, where.line.line), HAS_LINE},
	{NULL, "text", "text", BW_OF(struct finding_row, f.text)},
};
BW_FACTS(finding_facts, "strict", "findings", finding_rows);

static void show_table(struct bw_out *o, struct bw_debug *d, const struct report *r)
{
	struct bw_table t;
	bw_table_begin(&t, &finding_facts);
	bw_vec_each(&r->findings, f) {
		struct finding_row row = {.f = *f};
		instruction_text(r, f, row.instruction, sizeof(row.instruction));
		if (!where_is(d, f, &row.where))
			row.where = (struct bw_where){0};
		bw_table_row(&t, &row);
	}
	bw_out_table(o, &t, "");
	bw_table_fini(&t);
}

static void show_findings(struct bw_out *o, struct bw_debug *d, const struct report *r)
{
	size_t n = r->findings.len;
	bw_out_begin(o, "event", "strict");
	if (n)
		bw_out_line(o, "Strict mode: %zu finding%s.", n, n == 1 ? "" : "s");
	else
		bw_out_line(o, "Strict mode: no findings.");
	bw_out_int(o, "n_findings", (int64_t)n);
	if (bw_out_is_json(o))
		show_table(o, d, r);
	else
		show_lines(o, d, r);
	bw_out_end(o);
}

static void show_trace(struct bw_out *o, const struct report *r)
{
	bw_out_begin(o, "event", "trace");
	bw_out_line(o, "Trace hash 0x%016" PRIx64 " of %" PRIu64 " instructions.", r->hash,
		    r->instructions);
	bw_out_hex(o, "hash", r->hash);
	bw_out_int(o, "instructions", (int64_t)r->instructions);
	bw_out_end(o);
}

struct bw_error *bw_show_strict(struct bw_kmd *kmd, const struct bw_vgpu_options *o,
				struct bw_debug *debug, struct bw_out *out)
{
	struct report r = {0};
	if (!o->strict && !o->trace_hash)
		return NULL;
	BW_TRY(bw_report_gpu(kmd, r.gpu, sizeof(r.gpu)));
	struct bw_error *err = read_report(kmd, &r);
	if (!err && o->strict)
		show_findings(out, debug, &r);
	if (!err && o->trace_hash)
		show_trace(out, &r);
	report_fini(&r);
	return err;
}

struct bw_error *bw_show_strict_of(struct bw_kmd *kmd, const struct bw_vgpu_options *o,
				   char *const *program, struct bw_out *out)
{
	struct bw_debug *d;
	if (!o->strict)
		return bw_show_strict(kmd, o, NULL, out);
	BW_TRY(bw_debug_create(&d));
	bw_report_add_code(d, kmd, program);
	struct bw_error *err = bw_show_strict(kmd, o, d, out);
	bw_debug_destroy(d);
	return err;
}

const struct bw_option bw_vgpu_rows[] = {
	{"--strict", NULL,
	 "the virtual GPU shows what only hardware would: at the end, missing waits, uninitialised registers, "
	 "stale caches, hazards",
	 BW_FLAG(struct bw_vgpu_options, strict)},
	{"--check", "[=LIST]",
	 "the virtual GPU looks for races, accesses out of bounds, values that nobody has written and "
	 "missed barriers (LIST: races, bounds, init, sync, writers; also leaks)",
	 BW_CALL(bw_take_check)},
	{"--error-on-findings", NULL, "end with status 4 if --check finds something",
	 BW_FLAG(struct bw_vgpu_options, fails_on_findings)},
	{"--suppress", "FILE",
	 "leave out findings of --check that are known: a line of FILE has their kind, place and reason",
	 BW_TEXT(struct bw_vgpu_options, suppressions)},
	{"--deterministic", NULL, BW_DETERMINISTIC_HELP,
	 BW_FLAG(struct bw_vgpu_options, deterministic)},
	{"--trace-hash", NULL,
	 "the same, and at the end a hash of all instructions and memory accesses",
	 BW_FLAG(struct bw_vgpu_options, trace_hash)},
	{"--no-compile", NULL, "the virtual GPU interprets all instructions, which is slower",
	 BW_FLAG(struct bw_vgpu_options, interpret)},
	{"--fidelity", NULL,
	 "at the end, which instructions the virtual GPU executed not exactly, and how often",
	 BW_FLAG(struct bw_vgpu_options, fidelity)},
	{0},
};
