/* SPDX-License-Identifier: MIT */
/* The page: of files, of a session, of a session that looks at files. */
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "debug/source.h"
#include "debug/waves.h"
#include "report/report_priv.h"

static void add_title(const struct bw_report *r, struct bw_page *page)
{
	struct bw_str title = {0};
	const char *who = r->debug ? bw_debug_program_name(r->debug) : "";
	if (r->crash && r->crash->dumps.len && *r->crash->dumps.data[0].process)
		who = r->crash->dumps.data[0].process;
	bw_str_addf(&title, r->crash ? "GPU crash" : "GPU stop");
	if (*who)
		bw_str_addf(&title, " of %s", who);
	bw_page_begin(page, bw_str_text(&title));
	bw_str_free(&title);
}

/* Adds the parts about the stop: first those that tell what happened, then those with the state of
 * everything. */
static struct bw_error *add_session(struct bw_report_session *s)
{
	struct bw_error *err = bw_report_session_waves(s);
	if (!err)
		err = bw_report_session_code(s);
	if (!err)
		bw_report_session_lanes(s);
	if (!err)
		bw_report_session_draws(s);
	if (!err)
		err = bw_report_session_registers(s);
	if (!err)
		err = bw_report_session_stream(s);
	return err ? err : bw_report_session_buffers(s);
}

static struct bw_error *add_parts(const struct bw_report *r, struct bw_crash_page *p)
{
	size_t n_waves = 0;
	struct bw_report_session s = {
		.report = r, .debug = r->debug, .page = &p->page, .room = &p->room};
	if (r->debug)
		bw_debug_waves(r->debug, &n_waves);
	if (r->crash)
		bw_report_crash_verdict(p);
	if (r->debug && (!r->crash || n_waves)) {
		bw_report_session_summary(&s);
		bw_report_session_fault(&s);
	}
	if (r->crash)
		BW_TRY(bw_report_crash_begin(p));
	if (n_waves || (r->debug && !r->crash))
		BW_TRY(add_session(&s));
	else if (r->crash)
		BW_TRY(bw_report_crash_waves(p));
	if (r->crash)
		bw_report_crash_end(p);
	return NULL;
}

struct bw_error *bw_report_page(const struct bw_report *r, struct bw_str *out)
{
	struct bw_crash_page p = {.crash = r->crash, .part = r->part, .page = {.out = *out}};
	add_title(r, &p.page);
	/* the page is for others: debug information may name any file of the user's */
	if (r->debug)
		bw_source_paths_confine(bw_debug_source_paths(r->debug), true);
	struct bw_error *err = add_parts(r, &p);
	if (r->debug)
		bw_source_paths_confine(bw_debug_source_paths(r->debug), false);
	bw_page_note(&p.page, "%s", r->made);
	bw_page_end(&p.page);
	*out = p.page.out;
	return err ? err : out->failed ? bw_error_nomem() : NULL;
}

struct bw_error *bw_report_write(const struct bw_report *r, const char *path, size_t *out_size_b)
{
	struct bw_str page = {0};
	struct bw_error *err = bw_report_page(r, &page);
	if (!err)
		err = bw_file_write(path, "we", bw_str_text(&page), page.len);
	if (!err)
		*out_size_b = page.len;
	bw_str_free(&page);
	return err;
}
