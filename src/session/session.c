/* SPDX-License-Identifier: MIT */
/* A session from its program's start to its end. */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wait.h"
#include "debug/waves.h"
#include "inject/swap.h"
#include "session/crash_files.h"
#include "session/programs.h"
#include "target/call.h"
#include "ui/show.h"

static void on_notice(void *cookie, enum bw_notice_kind kind, const char *text)
{
	enum { MOST_WARNINGS_B = 4096 };
	struct bw_session *s = cookie;
	static const char *const names[] = {[BW_NOTICE_INFO] = "info",
					    [BW_NOTICE_SAID] = "said",
					    [BW_NOTICE_WARNING] = "warning",
					    [BW_NOTICE_PROGRAM] = "program",
					    [BW_NOTICE_DISPATCH] = "dispatch",
					    [BW_NOTICE_DISPATCH_FAILED] = "dispatch-failed",
					    [BW_NOTICE_BREAKPOINT] = "breakpoint",
					    [BW_NOTICE_WAVE_EXIT] = "wave-exit"};
	bw_out_begin(s->out, "event", "notice");
	bw_out_str(s->out, "kind", names[kind]);
	bw_out_str(s->out, "text", text);
	if (kind == BW_NOTICE_WARNING && s->warnings.len < MOST_WARNINGS_B)
		bw_str_addf(&s->warnings, "Warning: %s.\n", text);
	if (kind == BW_NOTICE_WARNING)
		bw_out_line(s->out, "warning: %s.", text);
	else if (kind == BW_NOTICE_WAVE_EXIT || kind == BW_NOTICE_SAID) /* has its brackets */
		bw_out_line(s->out, "%s", text);
	else if (kind == BW_NOTICE_DISPATCH_FAILED)
		bw_out_line(s->out, "[%s]", text);
	/* Other notices are frequent, and are for programs that read --json. */
	bw_out_end(s->out);
	if (kind == BW_NOTICE_SAID) /* flush, because it may be long until more output comes */
		bw_out_flush(s->out);
}

struct bw_error *bw_session_init(struct bw_session *s, struct bw_out *out)
{
	*s = (struct bw_session){.out = out, .output_fd = {-1, -1}, .kept_fd = -1};
	BW_TRY(bw_debug_create(&s->debug));
	bw_debug_on_notice(s->debug, on_notice, s);
	return NULL;
}

void bw_session_fini(struct bw_session *s)
{
	bw_session_ignore_signals(s);
	if (s->commands)
		s->commands->end(s->commands_cookie);
	bw_debug_destroy(s->debug);
	bw_swaps_end(s->swaps);
	bw_suppressions_fini(&s->suppressions);
	bw_folder_remove(&s->folder);
	if (s->crash)
		bw_crash_free(s->crash);
	free(s->crash);
	bw_kmd_close(s->kmd);
	for (size_t i = 0; s->program.argv && s->program.argv[i]; i++)
		free(s->program.argv[i]);
	free(s->program.argv);
	bw_wait_set(NULL, NULL);
	bw_str_free(&s->warnings);
	if (s->kept_fd >= 0)
		close(s->kept_fd);
}

/* around: the brackets before and after the text for people. */
static void say_notice(struct bw_session *s, const char *kind, const char *text,
		       const char *const around[2])
{
	bw_out_begin(s->out, "event", "notice");
	bw_out_str(s->out, "kind", kind);
	bw_out_str(s->out, "text", text);
	bw_out_line(s->out, "%s%s%s", around[0], text, around[1]);
	bw_out_end(s->out);
}

void bw_session_say(struct bw_session *s, const char *kind, const char *text)
{
	say_notice(s, kind, text, (const char *const[]){"", ""});
}

void bw_session_warn(struct bw_session *s, const char *text)
{
	say_notice(s, "warning", text, (const char *const[]){"warning: ", "."});
}

/* ---- Its program ---- */

static struct bw_error *open_program(struct bw_session *s, struct bw_target **out)
{
	char *settings[BW_LAYER_SETTINGS] = {NULL};
	if (s->keeps_output)
		BW_TRY(bw_session_keep_output(s));
	if (!s->program.is_kernel)
		BW_TRY(bw_layer_settings(s->shaders, settings));
	const struct bw_target_source source = {.kind = BW_SOURCE_PROGRAM,
						.kmd = s->kmd,
						.argv = s->program.argv,
						.env = (const char *const *)settings,
						.in_fd = -1,
						.out_fd = s->keeps_output ? s->kept_fd
									  : s->output_fd[0],
						.err_fd = s->output_fd[1]};
	bw_out_flush(s->out);
	s->clients_before = bw_kmd_n_clients_ever(s->kmd);
	struct bw_error *err = bw_open_target(&source, out);
	bw_layer_settings_fini(settings);
	return err;
}

struct bw_error *bw_session_start(struct bw_session *s)
{
	struct bw_target *target;
	struct bw_error *err = NULL;
	if (!s->program.argv)
		return bw_errorf(
			BW_E_STATE,
			"There is no program to start: this session attached to one (\"attach PID\")");
	BW_TRY(bw_session_need_stops(s));
	s->attached = false;
	BW_TRY(open_program(s, &target));
	if (bw_target_can(target, BW_CAP_PROCESSES))
		err = bw_target_detach_children(target, s->detach_on_fork);
	if (err) {
		bw_target_close(target);
		return err;
	}
	s->exit_status_known = false;
	s->gpu_fault = false;
	BW_TRY(bw_debug_start(s->debug, target));
	/* A signal that came before there was a target: otherwise nothing would end the wait that
	 * follows. */
	if (s->ended_by)
		bw_debug_interrupt(s->debug);
	return NULL;
}

struct bw_error *bw_session_restart(struct bw_session *s)
{
	if (bw_debug_state(s->debug) != BW_DEBUG_NO_PROGRAM) {
		BW_TRY(bw_target_need(bw_debug_target(s->debug), BW_CAP_RUN));
		BW_TRY(bw_debug_kill(s->debug));
	}
	return bw_session_start(s);
}

/* ---- Stops ---- */

static void remember_exit(struct bw_session *s, const struct bw_stop *stop)
{
	if (!stop->exit_known)
		return;
	s->exit_status_known = true;
	s->exit_status = WIFEXITED(stop->exit_status) ? WEXITSTATUS(stop->exit_status)
						      : 128 + WTERMSIG(stop->exit_status);
}

/* The program has never opened the GPU: perhaps the agent could not be loaded into it, or it found
 * no driver. */
static void warn_if_unseen(struct bw_session *s, const struct bw_stop *stop)
{
	if (s->attached || s->program.is_kernel || !s->program.argv || !stop->exit_known ||
	    bw_debug_program_pid(s->debug) > 0)
		return;
	const char *program = s->program.argv[s->program.named];
	_cleanup_error_ struct bw_error *said = bw_check_preload(program);
	_cleanup_error_ struct bw_error *err =
		said		    ? NULL
		: stop->exit_status ? bw_check_seen(s->kmd, s->clients_before, program)
				    : bw_check_used(program);
	if (err)
		bw_session_warn(s, err->message);
}

/* Remembers a stop, and prints what has to come before it. */
static void note_stop(struct bw_session *s, const struct bw_stop *stop)
{
	const uint32_t gpu = BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR |
			     BW_REASON_ILLEGAL_INSTRUCTION | BW_REASON_ASSERT_TRAP |
			     BW_REASON_FP_EXCEPTION;
	s->gpu_fault = stop->kind == BW_STOP_GPU_GONE || stop->kind == BW_STOP_QUEUE_ERROR ||
		       (stop->kind == BW_STOP_WAVES && stop->reasons & gpu);
	s->last_stop = *stop;
	bw_session_show_output(s, stop->kind == BW_STOP_EXITED);
	if (stop->kind == BW_STOP_WAVES)
		bw_session_show_kernel_output(s);
	if (stop->kind == BW_STOP_EXITED) {
		remember_exit(s, stop);
		warn_if_unseen(s, stop);
	}
}

void bw_session_stopped(struct bw_session *s, const struct bw_stop *of, bool brief)
{
	const struct bw_session_hooks *h = &s->hooks;
	struct bw_stop with_lane = *of;
	const struct bw_stop *stop = &with_lane;
	bw_session_focus_cause(s, &with_lane);
	note_stop(s, stop);
	bool silent = h->stopping && h->stopping(h->cookie, stop, brief);
	/* The stop only serves to end the session, so it is not shown, unless the limit of time has
	 * passed. */
	silent |= s->ended_by && s->ended_by != SIGALRM;
	if (!silent) {
		bw_show_stop(s->out, s->debug, stop, brief);
		bw_session_show_cause(s, stop);
	}
	if (h->stopped)
		h->stopped(h->cookie, stop);
	if (s->on_stop)
		s->on_stop(s->on_stop_cookie, stop);
}

struct bw_error *bw_session_need_wave(struct bw_session *s, const struct bw_wave_info **out)
{
	*out = bw_debug_focus(s->debug);
	if (*out)
		return NULL;
	return bw_errorf(BW_E_STATE, bw_debug_state(s->debug) == BW_DEBUG_NO_PROGRAM
					     ? "The program is not being run (\"run\" starts it)"
					     : "No wave is stopped");
}

/* ---- Its end ---- */

enum bw_session_left bw_session_leave(struct bw_session *s)
{
	if (bw_debug_state(s->debug) == BW_DEBUG_NO_PROGRAM) {
		if (s->gpu_fault && !s->exit_status_known)
			s->exit_status = BW_EXIT_GPU;
		return BW_LEFT_NOTHING;
	}
	if (s->attached || !bw_target_can(bw_debug_target(s->debug), BW_CAP_PROCESSES)) {
		bw_debug_detach(s->debug);
		return BW_LEFT_DETACHED;
	}
	/* Also detaches from other programs to which the session was attached. */
	bw_error_free(bw_debug_kill(s->debug));
	bw_session_show_output(s, true);
	if (s->gpu_fault) {
		s->exit_status = BW_EXIT_GPU;
		s->exit_status_known = true;
	}
	return BW_LEFT_KILLED;
}
