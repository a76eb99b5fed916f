/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/code.h"
#include "ui/table.h"

/* Stops as events, and their details. */

enum {
	FAULTS = BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR |
		 BW_REASON_ILLEGAL_INSTRUCTION | BW_REASON_ASSERT_TRAP | BW_REASON_DEBUG_TRAP |
		 BW_REASON_TRAP | BW_REASON_FP_EXCEPTION,
};

static const char *reason_of(struct bw_dap *s, const struct bw_stop *stop)
{
	if (stop->kind == BW_STOP_DISPATCH)
		return "entry";
	if (stop->kind == BW_STOP_INTERRUPTED)
		return stop->focus_ended ? "step" : "pause";
	if (stop->reasons & FAULTS)
		return "exception";
	if (stop->reasons & BW_REASON_WATCHPOINT)
		return "data breakpoint";
	if (stop->breakpoint) {
		const struct bw_dap_break *b = bw_dap_find_break(s, stop->breakpoint);
		enum bw_dap_break_kind kind = b ? b->kind : BW_DAP_SOURCE;
		return stop->breakpoint_temporary   ? "entry"
		       : kind == BW_DAP_FUNCTION    ? "function breakpoint"
		       : kind == BW_DAP_INSTRUCTION ? "instruction breakpoint"
						    : "breakpoint";
	}
	if (stop->reasons & (BW_REASON_WAVE_START | BW_REASON_WAVE_END))
		return "entry";
	return stop->reasons & BW_REASON_SINGLE_STEP ? "step" : "pause";
}

/* VS Code goes to a frame without source lines, and opens its disassembly, for this reason alone;
 * what the stop was is in the description. */
static const char *reason_for_editor(struct bw_dap *s, const struct bw_wave_info *w,
				     const char *reason)
{
	struct bw_where where;
	if (!w || !strcmp(reason, "exception") || !strcmp(reason, "data breakpoint"))
		return reason;
	bw_debug_wave_where(s->debug, w, &where);
	return where.has_line ? reason : "instruction breakpoint";
}

static void describe(const struct bw_stop *stop, const char *reason, struct bw_str *out)
{
	char reasons[256];
	bw_reason_text(stop->reasons, reasons, sizeof(reasons));
	const char *signal = bw_reason_signal(stop->reasons);
	if (stop->kind == BW_STOP_DISPATCH)
		bw_str_addf(out, "Dispatch %u is about to begin", stop->dispatch);
	else if (stop->kind == BW_STOP_INTERRUPTED)
		bw_str_add(out, stop->focus_ended ? "The wave has ended"
						  : "Stopped; no wave is on the GPU");
	else if (!strcmp(reason, "entry"))
		bw_str_addf(out, "Start of dispatch %u, %zu wave%s", stop->dispatch, stop->n_same,
			    stop->n_same == 1 ? "" : "s");
	else if (!strcmp(reason, "exception"))
		bw_str_addf(out, "%s (%s)", signal ? signal : "Stopped", reasons);
	else if (stop->breakpoint)
		bw_str_addf(out, "Breakpoint %u, %zu wave%s", stop->breakpoint, stop->n_same,
			    stop->n_same == 1 ? "" : "s");
	else
		bw_str_addf(out, "%s", reasons);
}

static void send_end(struct bw_dap *s, const struct bw_stop *stop)
{
	if (stop->kind == BW_STOP_GPU_GONE)
		bw_dap_say(s, "stderr", "The GPU is gone.\n");
	if (stop->kind == BW_STOP_EXITED) {
		json_t *body = json_object();
		json_object_set_new(
			body, "exitCode",
			json_integer(s->session->exit_status_known ? s->session->exit_status : 0));
		bw_dap_event(s, "exited", body);
	}
	if (!s->is_ended)
		bw_dap_event(s, "terminated", NULL);
	s->is_ended = true;
}

/* Waves that are at breakpoints now, by number; numbers of breakpoints with hits of which the
 * editor has not been told are put into the array `fresh` (which has room for one per wave). */
static size_t take_hits(struct bw_dap *s, uint32_t *fresh, const struct bw_wave_info *all, size_t n)
{
	struct bw_dap_hits now = {0};
	size_t n_fresh = 0, old = 0;
	for (size_t i = 0; i < n; i++) {
		struct bw_dap_hit hit = {all[i].number, all[i].breakpoint};
		if (!hit.breakpoint ||
		    !(all[i].reasons & (BW_REASON_BREAKPOINT | BW_REASON_WATCHPOINT)))
			continue;
		/* Both lists are sorted by the waves' numbers. */
		while (old < s->hits.len && s->hits.data[old].wave < hit.wave)
			old++;
		bool known = old < s->hits.len && s->hits.data[old].wave == hit.wave &&
			     s->hits.data[old].breakpoint == hit.breakpoint;
		if (!known)
			fresh[n_fresh++] = hit.breakpoint;
		/* When out of memory, the hit is reported again. */
		bw_error_free(bw_vec_push(&now, hit));
	}
	bw_vec_free(&s->hits);
	s->hits = now;
	return n_fresh;
}

/* All breakpoints that waves have hit since the last stop: there can be several. */
static void add_hits(struct bw_dap *s, const struct bw_stop *stop, json_t *body)
{
	size_t n;
	const struct bw_wave_info *all = bw_debug_waves(s->debug, &n);
	_cleanup_free_ uint32_t *fresh = calloc(n ? n : 1, sizeof(*fresh));
	size_t n_fresh = fresh ? take_hits(s, fresh, all, n) : 0;
	json_t *ids = json_array();
	bw_vec_each(&s->breaks, b) {
		bool hit = b->number == stop->breakpoint;
		for (size_t i = 0; i < n_fresh && !hit; i++)
			hit = fresh[i] == b->number;
		if (!hit)
			continue;
		json_array_append_new(ids, json_integer(b->number));
		bw_dap_count_hit(s, b->number);
	}
	if (json_array_size(ids))
		json_object_set_new(body, "hitBreakpointIds", ids);
	else
		json_decref(ids);
}

void bw_dap_send_continued(struct bw_dap *s)
{
	json_t *body = json_object();
	json_object_set_new(body, "threadId", json_integer(BW_DAP_PROGRAM_THREAD));
	json_object_set_new(body, "allThreadsContinued", json_true());
	bw_dap_event(s, "continued", body);
	s->told_thread = 0;
}

/* Prepares the editor for a stop of this thread. If the editor has another thread as the stopped
 * one, it is told first that this one continued, because nvim-dap continues a second thread that
 * stops. */
static void take_to(struct bw_dap *s, int64_t thread)
{
	if (s->told_thread && s->told_thread != thread)
		bw_dap_send_continued(s);
	s->told_thread = thread;
}

/* Sends the event of the focus wave's stop; frees description. */
static void send_focus(struct bw_dap *s, const char *reason, json_t *description)
{
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	take_to(s, w->number);
	json_t *body = json_object();
	json_object_set_new(body, "reason", json_string(reason_for_editor(s, w, reason)));
	json_object_set_new(body, "description", description);
	json_object_set_new(body, "threadId", json_integer(w->number));
	json_object_set_new(body, "allThreadsStopped", json_true());
	bw_dap_event(s, "stopped", body);
}

void bw_dap_send_focus(struct bw_dap *s)
{
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	if (!w || s->told_thread == w->number)
		return;
	send_focus(s, "pause", json_sprintf("Wave %u was chosen", w->number));
}

void bw_dap_send_goto(struct bw_dap *s)
{
	send_focus(s, "goto", json_string("Moved; nothing was executed"));
}

void bw_dap_send_stop(struct bw_dap *s, const struct bw_stop *stop)
{
	struct bw_str text = {0};
	if (stop->kind == BW_STOP_EXITED || stop->kind == BW_STOP_GPU_GONE) {
		send_end(s, stop);
		return;
	}
	bool has_wave = stop->kind == BW_STOP_WAVES && bw_debug_wave(s->debug, stop->wave);
	json_int_t thread = has_wave ? (json_int_t)stop->wave : BW_DAP_PROGRAM_THREAD;
	const char *reason = reason_of(s, stop);
	describe(stop, reason, &text);
	if (has_wave)
		bw_dap_keep_lane(s);
	take_to(s, thread);
	json_t *body = json_object();
	json_object_set_new(
		body, "reason",
		json_string(reason_for_editor(
			s, has_wave ? bw_debug_wave(s->debug, stop->wave) : NULL, reason)));
	json_object_set_new(body, "description", bw_dap_text(&text));
	if (!strcmp(reason, "exception"))
		json_object_set_new(body, "text", bw_dap_text(&text));
	json_object_set_new(body, "threadId", json_integer(thread));
	json_object_set_new(body, "allThreadsStopped", json_true());
	if (has_wave)
		add_hits(s, stop, body);
	bw_dap_event(s, "stopped", body);
	bw_str_free(&text);
}

struct bw_error *bw_dap_exception_info(struct bw_dap *s, json_t *args, json_t *body)
{
	BW_TRY(bw_dap_focus_thread(s, args));
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	char reasons[256];
	if (!(w->reasons & FAULTS))
		return bw_errorf(BW_E_STATE, "Wave %u has not stopped at an exception", w->number);
	bw_reason_text(w->reasons & FAULTS, reasons, sizeof(reasons));
	const char *signal = bw_reason_signal(w->reasons);
	json_object_set_new(body, "exceptionId", json_string(reasons));
	json_object_set_new(
		body, "breakMode",
		json_string(w->reasons & BW_REASON_FP_EXCEPTION ? "userUnhandled" : "always"));
	if (signal)
		json_object_set_new(body, "description", json_string(signal));
	if (!(w->reasons & BW_REASON_MEMORY_VIOLATION))
		return NULL;
	/* Prints what the command `fault` says: the access, the lanes, the page walk. */
	bw_dap_flush(s);
	struct bw_error *err = bw_dap_execute(s, "info fault");
	_cleanup_free_ char *text = bw_dap_take_printed(s);
	if (!err && text) {
		json_t *details = json_object();
		json_object_set_new(details, "message", bw_json_text(text));
		json_object_set_new(details, "typeName", json_string(reasons));
		json_object_set_new(body, "details", details);
	}
	bw_error_free(err);
	return NULL;
}
