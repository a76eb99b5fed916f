/* SPDX-License-Identifier: MIT */
/* --check: its options, and what the virtual GPU's checker found, at the end of a program. */
#include "session/programs.h"
#include "session/session.h"

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
#include "sym/host_place.h"
#include "ui/table.h"
#include "wire/checks.h"

/* ---- options ---- */

struct bw_error *bw_take_check(void *options, const char *option, const char *value)
{
	struct bw_vgpu_options *o = options;
	unsigned what;
	BW_TRY(bw_checks_parse(option, value, &what));
	o->check = value ? value : "";
	return NULL;
}

struct bw_error *bw_check_suppressions(const struct bw_vgpu_options *o, struct bw_suppressions *s)
{
	const char *names[BW_CHECKED_KINDS + 1] = {0};
	for (size_t i = 0; i < BW_CHECKED_KINDS; i++)
		names[i] = bw_checked_kinds[i]->name;
	return o->suppressions ? bw_suppressions_read(s, o->suppressions, names) : NULL;
}

/* Before anything runs: the file's errors come at once. */
static struct bw_error *check_suppressions(const struct bw_vgpu_options *o)
{
	struct bw_suppressions s = {0};
	struct bw_error *err = bw_check_suppressions(o, &s);
	bw_suppressions_fini(&s);
	return err;
}

struct bw_error *bw_set_up_check(const struct bw_vgpu_options *o)
{
	const char *needs_check = o->fails_on_findings	 ? "--error-on-findings"
				  : o->stops_on_findings ? "--stop-on-finding"
				  : o->suppressions	 ? "--suppress"
							 : NULL;
	if (!o->check)
		return needs_check
			       ? bw_errorf(
					 BW_E_INVALID,
					 "%s is about the findings of --check: give that option as well",
					 needs_check)
			       : NULL;
	BW_TRY(check_suppressions(o));
	struct bw_str words = {0};
	/* What is printed at once may be suppressed at the end; what stops is printed then. */
	bool is_silent = o->suppressions || o->stops_on_findings;
	bw_str_addf(&words, "--check%s%s %s%s", *o->check ? "=" : "", o->check,
		    is_silent ? "--check-silent" : "--check-quiet",
		    o->stops_on_findings ? " --stop-on-finding" : "");
	struct bw_error *err = bw_add_server_args(bw_str_text(&words));
	if (!err && setenv(BW_CHECKS_ENV, o->check, 1))
		err = bw_error_nomem();
	bw_str_free(&words);
	return err;
}

struct bw_error *bw_check_check(struct bw_kmd *kmd, const struct bw_vgpu_options *o)
{
	struct bw_check_report r = {0};
	if (!o->check)
		return NULL;
	struct bw_error *err = bw_check_report_read(kmd, &r);
	bool is_missing = !err && !r.what;
	bw_check_report_fini(&r);
	if (is_missing)
		return bw_errorf(
			BW_E_STATE,
			"the virtual GPU that BREAKWATER_VGPU names was started without --check: start it with that, or unset "
			"BREAKWATER_VGPU and one is started here");
	return err;
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

void bw_checked_suppress(struct bw_check_report *r, struct bw_debug *d, struct bw_suppressions *by)
{
	size_t kept = 0;
	bw_vec_each(&r->findings, f) {
		struct bw_where first, second = {0};
		struct bw_host_place made;
		bw_checked_where(d, &f->first, &first);
		if (f->has_second)
			bw_checked_where(d, &f->second, &second);
		struct bw_suppressed_place places[] = {place_of(&first), place_of(&second)};
		if (!f->has_first && bw_checked_made_at(f, &made))
			places[0] =
				(struct bw_suppressed_place){made.function, made.file, made.line};
		struct bw_suppression *row =
			bw_suppressions_find(by, f->kind->name, places, BW_ARRAY_SIZE(places));
		if (!row)
			r->findings.data[kept++] = *f;
		else
			row->n_findings++;
	}
	r->n_suppressed = r->findings.len - kept;
	r->findings.len = kept;
}

static void show_suppressed(struct bw_out *o, const struct bw_check_report *r, const char *path)
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
static void show_other_way(struct bw_out *o, struct bw_debug *d, const struct bw_check_report *r,
			   const struct bw_vgpu_options *v, char *const *program)
{
	struct bw_where w;
	bool is_known = true;
	bw_vec_each(&r->findings, f)
		is_known &= !f->has_first || bw_checked_where(d, &f->first, &w);
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
static void show_way_to_source(struct bw_out *o, struct bw_debug *d,
			       const struct bw_check_report *r)
{
	static const char nir[] = ".nir";
	bw_vec_each(&r->findings, f) {
		struct bw_where w;
		if (!bw_checked_where(d, &f->first, &w) || !w.has_line)
			continue;
		size_t len = strlen(w.line.file);
		if (len < strlen(nir) || strcmp(w.line.file + len - strlen(nir), nir) != 0)
			continue;
		bw_out_line(o, "Lines of .nir files are of the driver's text of the shader "
			       "(\"list\"). With -O0 they are those of its source.");
		return;
	}
}

static void show_findings(struct bw_out *o, struct bw_debug *d, const struct bw_check_report *r,
			  bool after_fault)
{
	size_t n = r->findings.len;
	char suppressed[48] = "";
	if (r->n_suppressed)
		snprintf(suppressed, sizeof(suppressed), ", %" PRIu64 " suppressed",
			 r->n_suppressed);
	if (n)
		bw_out_line(o, "Check: %zu finding%s%s.", n, n == 1 ? "" : "s", suppressed);
	else
		bw_out_line(o, "Check: no findings%s%s.", after_fault ? " besides the fault" : "",
			    suppressed);
	bw_out_int(o, "n_findings", (int64_t)n);
	if (bw_out_is_json(o))
		bw_checked_table(o, d, r);
	else
		bw_checked_show_all(o, d, r);
}

struct told {
	struct bw_kmd *kmd;
	struct bw_debug *debug;
	char *const *program; /* NULL, or what can be run again under the debugger, up to NULL */
	bool after_fault;     /* the session has shown a fault, which is not a finding */
};

static struct bw_error *show_report(const struct told *t, const struct bw_vgpu_options *o,
				    struct bw_out *out, bool *out_fails)
{
	struct bw_kmd *kmd = t->kmd;
	struct bw_debug *debug = t->debug;
	struct bw_check_report r = {0};
	struct bw_error *err = bw_check_report_read(kmd, &r);
	if (!err)
		err = bw_check_report_read_leaks(kmd, &r);
	if (!err)
		err = bw_check_suppressions(o, &r.suppressions);
	if (!err) {
		bw_out_begin(out, "event", "check");
		bw_checked_suppress(&r, debug, &r.suppressions);
		show_findings(out, debug, &r, t->after_fault);
		if (o->suppressions)
			show_suppressed(out, &r, o->suppressions);
		show_way_to_source(out, debug, &r);
		if (t->program)
			show_other_way(out, debug, &r, o, t->program);
		bw_out_end(out);
		*out_fails = o->fails_on_findings && r.findings.len;
	}
	bw_check_report_fini(&r);
	return err;
}

struct bw_error *bw_show_check(const struct bw_session *s, const struct bw_vgpu_options *o,
			       bool *out_fails)
{
	const struct told t = {s->kmd, s->debug, NULL, s->gpu_fault};
	*out_fails = false;
	return o->check ? show_report(&t, o, s->out, out_fails) : NULL;
}

struct bw_error *bw_show_check_of(struct bw_kmd *kmd, const struct bw_vgpu_options *o,
				  char *const *program, struct bw_out *out, bool *out_fails)
{
	struct bw_debug *d;
	*out_fails = false;
	if (!o->check)
		return NULL;
	BW_TRY(bw_debug_create(&d));
	bw_report_add_code(d, kmd, program);
	struct bw_error *err =
		show_report(&(struct told){kmd, d, program, false}, o, out, out_fails);
	bw_debug_destroy(d);
	return err;
}
