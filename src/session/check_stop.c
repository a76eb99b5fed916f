/* SPDX-License-Identifier: MIT */
/* Findings of --check while the program is there: the one that a wave has stopped for
 * (--stop-on-finding), and all so far. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "debug/stop.h"
#include "debug/waves.h"
#include "session/check_priv.h"
#include "session/session.h"

static struct bw_error *read_findings(struct bw_session *s, struct bw_check_report *r)
{
	if (!s->is_checked)
		return bw_errorf(
			BW_E_STATE,
			"the program is not checked: \"breakwater run --check\" finds errors");
	BW_TRY(bw_check_report_read(s->kmd, r));
	if (!s->suppressions.rows.len)
		return NULL;
	bw_checked_suppress(r, s->debug, &s->suppressions);
	return NULL;
}

static bool is_of_wave(const struct bw_checked_side *s, const struct bw_wave_info *w)
{
	return s->wave == w->wave_in_group && !memcmp(s->group, w->workgroup, sizeof(s->group)) &&
	       (!w->cause_pc || s->pc == w->cause_pc);
}

/* Whether the wave has stopped for it. */
static bool is_cause(const struct bw_checked *f, const struct bw_wave_info *w)
{
	return is_of_wave(&f->first, w) ||
	       (f->has_second && !f->second_is_code && is_of_wave(&f->second, w));
}

/* Leaves those that the function wants. */
static void keep(struct bw_check_report *r,
		 bool (*is_wanted)(const struct bw_checked *, const void *), const void *of)
{
	size_t kept = 0;
	bw_vec_each(&r->findings, f)
		if (is_wanted(f, of))
			r->findings.data[kept++] = *f;
	r->findings.len = kept;
}

static bool has_number(const struct bw_checked *f, const void *number)
{
	return f->number == *(const uint64_t *)number;
}

static bool is_cause_of(const struct bw_checked *f, const void *wave)
{
	return is_cause(f, wave);
}

static void show(struct bw_session *s, const struct bw_check_report *r)
{
	if (bw_out_is_json(s->out)) {
		bw_checked_table(s->out, s->debug, r);
		return;
	}
	bw_vec_each(&r->findings, f) {
		bw_out_line(s->out, "Finding %" PRIu64 ":", f->number);
		bw_checked_show(s->out, s->debug, r, f);
	}
}

/* Asked when a wave has made a finding: whether that is one to stop for. What cannot be read, or is
 * not there, stops. */
static bool stops(void *session, const struct bw_wave_info *w)
{
	struct bw_session *s = session;
	struct bw_check_report r = {0};
	_cleanup_error_ struct bw_error *err = bw_check_report_read(s->kmd, &r);
	if (!err)
		keep(&r, is_cause_of, w);
	bool is_known = !err && r.findings.len;
	if (is_known)
		bw_checked_suppress(&r, s->debug, &s->suppressions);
	bool is_wanted = !is_known || r.findings.len;
	bw_check_report_fini(&r);
	return is_wanted;
}

struct bw_error *bw_session_suppress(struct bw_session *s, const struct bw_vgpu_options *o)
{
	BW_TRY(bw_check_suppressions(o, &s->suppressions));
	if (s->suppressions.rows.len)
		bw_debug_on_finding(s->debug, stops, s);
	return NULL;
}

/* What the wave of a stop has stopped for. False: it has not stopped for a finding, or that is not
 * known. The caller frees *r in any case. */
static bool read_cause(struct bw_session *s, const struct bw_stop *stop, struct bw_check_report *r)
{
	const struct bw_wave_info *w =
		stop->kind == BW_STOP_WAVES && stop->reasons & BW_REASON_FINDING && s->is_checked
			? bw_debug_wave(s->debug, stop->wave)
			: NULL;
	if (!w)
		return false;
	_cleanup_error_ struct bw_error *err = read_findings(s, r);
	if (!err)
		keep(r, is_cause_of, w);
	return !err && r->findings.len;
}

void bw_session_focus_cause(struct bw_session *s, struct bw_stop *stop)
{
	struct bw_check_report r = {0};
	if (read_cause(s, stop, &r)) {
		const struct bw_checked *f = &r.findings.data[0];
		const struct bw_wave_info *w = bw_debug_wave(s->debug, stop->wave);
		bool is_second = f->has_second && !f->second_is_code && is_of_wave(&f->second, w);
		const struct bw_checked_side *side = is_second ? &f->second : &f->first;
		struct bw_error *err = bw_debug_set_lane(s->debug, side->lane);
		if (!err)
			stop->lane = side->lane;
		bw_error_free(err);
	}
	bw_check_report_fini(&r);
}

void bw_session_show_cause(struct bw_session *s, const struct bw_stop *stop)
{
	struct bw_check_report r = {0};
	if (read_cause(s, stop, &r)) {
		bw_out_begin(s->out, "event", "finding");
		show(s, &r);
		bw_out_end(s->out);
	}
	bw_check_report_fini(&r);
}

struct bw_error *bw_session_finding(struct bw_session *s, uint64_t number)
{
	struct bw_check_report r = {0};
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	struct bw_error *err = read_findings(s, &r);
	size_t n = r.findings.len;
	if (!err && !number && (!w || !(w->reasons & BW_REASON_FINDING)))
		err = bw_errorf(BW_E_STATE,
				"The focus wave has not stopped for a finding; \"info findings\" "
				"lists them, \"info finding N\" shows one");
	if (!err && number)
		keep(&r, has_number, &number);
	else if (!err)
		keep(&r, is_cause_of, w);
	if (!err && !r.findings.len)
		err = bw_errorf(BW_E_NOT_FOUND, "There is no such finding; there are %zu", n);
	if (!err)
		show(s, &r);
	bw_check_report_fini(&r);
	return err;
}

static int by_number(const void *a, const void *b)
{
	const struct bw_checked *x = a, *y = b;
	return x->number < y->number ? -1 : x->number > y->number;
}

struct bw_error *bw_session_findings(struct bw_session *s)
{
	struct bw_check_report r = {0};
	struct bw_error *err = read_findings(s, &r);
	if (!err) {
		if (r.findings.len)
			qsort(r.findings.data, r.findings.len, sizeof(*r.findings.data), by_number);
		else
			bw_out_line(s->out, "No findings so far.");
		if (r.findings.len || bw_out_is_json(s->out))
			bw_checked_table(s->out, s->debug, &r);
	}
	bw_check_report_fini(&r);
	return err;
}
