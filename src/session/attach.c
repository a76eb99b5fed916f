/* SPDX-License-Identifier: MIT */
/* Attaching to running programs. */
#include "session/session.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "base/wait.h"
#include "debug/waves.h"
#include "session/programs.h"
#include "target/call.h"

/* Waits until the agent has said hello. */
static struct bw_error *await_hello(struct bw_session *s, pid_t pid)
{
	enum { TRIES = 200, PIECE_MS = 50 };
	for (int i = 0; i < TRIES && !bw_debug_inferior_of(s->debug, pid); i++) {
		struct bw_stop stop;
		BW_TRY(bw_debug_wait(s->debug, PIECE_MS, &stop));
		if (!bw_wait_should_continue((unsigned)i * PIECE_MS, false))
			return bw_errorf(BW_E_INTERRUPTED, "Quit: process %d has not answered",
					 (int)pid);
		if (stop.kind == BW_STOP_EXITED)
			return bw_errorf(BW_E_GONE, "process %d has ended", (int)pid);
		if (stop.kind != BW_STOP_NONE)
			bw_session_stopped(s, &stop, false);
	}
	return bw_debug_inferior_of(s->debug, pid)
		       ? NULL
		       : bw_errorf(BW_E_TIMEOUT, "process %d does not answer", (int)pid);
}

static void say_attached(struct bw_session *s, pid_t pid, const struct bw_target_attached *a)
{
	const struct bw_inferior_info *i = bw_debug_inferior_of(s->debug, pid);
	uint32_t n = a->n_unstoppable;
	bw_out_line(
		s->out,
		a->was_ready
			? "Attached to %s (process %d)."
			: "Attached to %s (process %d). Its next submission to the GPU is the first that can be stopped.",
		i->comm, (int)pid);
	if (n)
		bw_out_line(
			s->out,
			"%u wave%s launched before and cannot be stopped: \"breakwater exec --ready\" starts a program "
			"so that they can. \"breakwater attach --waves %d\" in another terminal looks at them.",
			n, n == 1 ? " was" : "s were", (int)pid);
	bw_out_bool(s->out, "ready", a->was_ready);
	bw_out_int(s->out, "unstoppable", n);
	bw_out_int(s->out, "pid", pid);
	bw_out_int(s->out, "inferior", i->number);
	bw_out_str(s->out, "program", i->comm);
}

/* Stops what runs, as the user attaches in order to look at it. */
static struct bw_error *stop_if_ready(struct bw_session *s, const struct bw_target_attached *a)
{
	struct bw_stop stop;
	if (!a->was_ready)
		return NULL;
	BW_TRY(bw_debug_stop(s->debug, &stop));
	if (stop.kind == BW_STOP_WAVES)
		bw_session_stopped(s, &stop, false);
	return NULL;
}

/* The first program of the session. */
static struct bw_error *attach_first(struct bw_session *s, pid_t pid,
				     struct bw_target_attached *out)
{
	const struct bw_target_source source = {.kind = BW_SOURCE_PROCESS,
						.kmd = s->kmd,
						.pid = pid,
						.in_fd = -1,
						.out_fd = -1,
						.err_fd = -1};
	struct bw_target *target;
	BW_TRY(bw_open_target(&source, &target));
	BW_TRY(bw_debug_start(s->debug, target));
	struct bw_error *err = await_hello(s, pid);
	if (!err)
		err = bw_target_attached(bw_debug_target(s->debug), pid, out);
	if (err) {
		bw_debug_detach(s->debug);
		return err;
	}
	s->attached = true;
	s->exit_status_known = false;
	s->gpu_fault = false;
	return NULL;
}

/* Attaches to another program, while others are debugged already. */
static struct bw_error *attach_another(struct bw_session *s, pid_t pid,
				       struct bw_target_attached *out)
{
	BW_TRY(bw_target_attach(bw_debug_target(s->debug), pid));
	BW_TRY(await_hello(s, pid));
	return bw_target_attached(bw_debug_target(s->debug), pid, out);
}

struct bw_error *bw_session_check_gpu(struct bw_session *s, pid_t pid)
{
	_cleanup_free_ char *server = NULL;
	const char *ours = NULL;
	if (!s->kmd)
		return bw_errorf(
			BW_E_STATE,
			"This session looks at a crash file, and has no GPU: breakwater attach %d",
			(int)pid);
	BW_TRY(bw_process_setting(pid, "BREAKWATER_VGPU", &server));
	for (const char *const *e = bw_kmd_program_env(s->kmd); e && *e; e++)
		if (bw_starts_with(*e, "BREAKWATER_VGPU="))
			ours = *e + strlen("BREAKWATER_VGPU=");
	if (!ours != !server || (ours && strcmp(ours, server)))
		return bw_errorf(
			BW_E_INVALID,
			"process %d uses another GPU than this session: breakwater attach %d",
			(int)pid, (int)pid);
	return NULL;
}

struct bw_error *bw_session_attach(struct bw_session *s, pid_t pid)
{
	struct bw_target_attached found;
	BW_TRY(bw_debug_state(s->debug) == BW_DEBUG_NO_PROGRAM ? attach_first(s, pid, &found)
							       : attach_another(s, pid, &found));
	/* before the first request this is an event; otherwise it is the command's answer */
	bool event = !bw_out_in_request(s->out);
	if (event)
		bw_out_begin(s->out, "event", "attached");
	say_attached(s, pid, &found);
	if (event)
		bw_out_end(s->out);
	return stop_if_ready(s, &found);
}
