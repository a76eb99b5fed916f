/* SPDX-License-Identifier: MIT */
/* Running, and the events that end it. */
#include "api/api_priv.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <breakwater/session.h>

#include "base/cleanup.h"
#include "debug/stop.h"
#include "target/call.h"

struct breakwater_event {
	struct bw_stop stop;
	char *text;
};

enum breakwater_event_kind breakwater_event_kind(const struct breakwater_event *e)
{
	switch (e->stop.kind) {
	case BW_STOP_DISPATCH:
		return BREAKWATER_EVENT_DISPATCH;
	case BW_STOP_INTERRUPTED:
		return BREAKWATER_EVENT_INTERRUPTED;
	case BW_STOP_EXITED:
		return BREAKWATER_EVENT_EXITED;
	case BW_STOP_GPU_GONE:
		return BREAKWATER_EVENT_GPU_GONE;
	case BW_STOP_QUEUE_ERROR:
		return BREAKWATER_EVENT_QUEUE_ERROR;
	case BW_STOP_NONE:
	case BW_STOP_WAVES:
		break;
	}
	return BREAKWATER_EVENT_STOPPED;
}

static bool has_wave(const struct breakwater_event *e)
{
	return e->stop.kind == BW_STOP_WAVES;
}

uint32_t breakwater_event_wave(const struct breakwater_event *e)
{
	return has_wave(e) ? e->stop.wave : 0;
}

uint32_t breakwater_event_reasons(const struct breakwater_event *e)
{
	return has_wave(e) ? e->stop.reasons : 0;
}

uint32_t breakwater_event_breakpoint(const struct breakwater_event *e)
{
	return has_wave(e) ? e->stop.breakpoint : 0;
}

uint64_t breakwater_event_n_waves(const struct breakwater_event *e)
{
	return has_wave(e) ? e->stop.n_waves : 0;
}

bool breakwater_event_exit_status(const struct breakwater_event *e, int *out)
{
	int status = e->stop.exit_status;
	if (e->stop.kind != BW_STOP_EXITED || !e->stop.exit_known)
		return false;
	*out = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return true;
}

const char *breakwater_event_text(const struct breakwater_event *e)
{
	return e->text;
}

void breakwater_event_free(struct breakwater_event *e)
{
	if (!e)
		return;
	free(e->text);
	free(e);
}

/* ---- Running ---- */

/* A program that has died while it was stopped: the next wait reports that. */
static struct bw_error *unless_gone(struct bw_error *err)
{
	bw_error_catch(&err, BW_E_GONE);
	return err;
}

struct breakwater_error *breakwater_start(struct breakwater_session *s)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STILL);
	if (!err)
		err = bw_session_restart(s->session);
	if (!err)
		s->resumed = true;
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_continue(struct breakwater_session *s)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STOPPED);
	if (!err)
		err = bw_debug_look_for_some_end(s->session->debug);
	if (!err)
		err = unless_gone(bw_debug_continue(s->session->debug));
	if (!err)
		s->resumed = true;
	return bw_api_leave(&call, err);
}

/* The stop, the commands of its breakpoint, and the last stop that these led to. */
static struct bw_error *handle_stop(struct breakwater_session *s, const struct bw_stop *stop,
				    bool brief)
{
	struct bw_session *session = s->session;
	bw_session_stopped(session, stop, brief);
	return session->commands ? session->commands->after_stop(session->commands_cookie) : NULL;
}

static struct bw_error *wait_for_stop(struct breakwater_session *s, int timeout_ms)
{
	struct bw_stop stop;
	BW_TRY(bw_debug_wait(s->session->debug, timeout_ms, &stop));
	return stop.kind == BW_STOP_NONE ? NULL : handle_stop(s, &stop, false);
}

static struct bw_error *step(struct breakwater_session *s, enum breakwater_step kind,
			     uint64_t count)
{
	struct bw_debug *d = s->session->debug;
	const struct bw_wave_info *w;
	struct bw_stop stop;
	struct bw_error *err = NULL;
	bool over = kind == BREAKWATER_STEP_OVER_CALL || kind == BREAKWATER_STEP_LINE_OVER_CALLS;
	BW_TRY(bw_debug_look_for_some_end(d));
	BW_TRY(bw_session_need_wave(s->session, &w));
	switch (kind) {
	case BREAKWATER_STEP_INSTRUCTION:
	case BREAKWATER_STEP_OVER_CALL:
		err = bw_debug_stepi(d, count, over, &stop);
		break;
	case BREAKWATER_STEP_LINE:
	case BREAKWATER_STEP_LINE_OVER_CALLS:
		err = bw_debug_step_lines(d, count, over, &stop);
		break;
	case BREAKWATER_STEP_OUT:
		err = bw_debug_finish(d, &stop);
		break;
	default:
		return bw_errorf(BW_E_INVALID, "%d is not a kind of step", (int)kind);
	}
	if (bw_error_catch(&err, BW_E_GONE))
		return wait_for_stop(s, -1);
	return err ? err : handle_stop(s, &stop, kind != BREAKWATER_STEP_OUT);
}

/* What a wait or a step asks for. */
struct waiting {
	bool is_step;
	enum breakwater_step kind;
	uint64_t count;
	int timeout_ms;
};

static struct bw_error *run_waiting(struct breakwater_session *s, const struct waiting *w,
				    struct breakwater_event **out)
{
	struct bw_api_capture capture;
	struct breakwater_event *e = calloc(1, sizeof(*e));
	if (!e)
		return bw_error_nomem();
	struct bw_error *err = bw_api_capture_begin(&capture, s->session, false);
	if (err) {
		free(e);
		return err;
	}
	err = w->is_step ? step(s, w->kind, w->count) : wait_for_stop(s, w->timeout_ms);
	struct bw_error *lost = bw_api_capture_end(&capture, &e->text);
	if (err)
		bw_error_free(lost);
	else
		err = lost;
	e->stop = s->stop;
	if (err || !s->has_stop) {
		breakwater_event_free(e);
		e = NULL;
	}
	if (!err)
		*out = e;
	return err;
}

static struct bw_error *need_running(const struct breakwater_session *s)
{
	enum bw_debug_state state = bw_debug_state(s->session->debug);
	if (s->resumed || state == BW_DEBUG_RUNNING)
		return NULL;
	return bw_errorf(
		BW_E_STATE,
		state == BW_DEBUG_STOPPED
			? "The program is stopped already: it must be resumed before a wait"
			: "The program is not being run");
}

struct breakwater_error *breakwater_wait(struct breakwater_session *s, int timeout_ms,
					 struct breakwater_event **out)
{
	const struct waiting w = {.timeout_ms = timeout_ms < 0 ? -1 : timeout_ms};
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_ANY);
	if (!err)
		err = need_running(s);
	if (!err)
		err = run_waiting(s, &w, out);
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_step(struct breakwater_session *s, enum breakwater_step kind,
					 uint64_t count, struct breakwater_event **out)
{
	const struct waiting w = {.is_step = true, .kind = kind, .count = count};
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STOPPED);
	if (!err && !count)
		err = bw_errorf(BW_E_INVALID, "A step has a count of 1 at least");
	if (!err)
		err = run_waiting(s, &w, out);
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_kill(struct breakwater_session *s)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_ANY);
	if (!err && bw_debug_state(s->session->debug) == BW_DEBUG_NO_PROGRAM)
		err = bw_errorf(BW_E_STATE, "The program is not being run");
	if (!err)
		err = bw_target_need(bw_debug_target(s->session->debug), BW_CAP_PROCESSES);
	if (!err)
		err = bw_debug_kill(s->session->debug);
	if (!err)
		s->resumed = false;
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_detach(struct breakwater_session *s)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_ANY);
	if (!err && bw_debug_state(s->session->debug) == BW_DEBUG_NO_PROGRAM)
		err = bw_errorf(BW_E_STATE, "The program is not being run");
	if (!err) {
		bw_debug_detach(s->session->debug);
		s->resumed = false;
	}
	return bw_api_leave(&call, err);
}
