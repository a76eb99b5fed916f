/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/live.h"

static struct bw_debug *interrupted_session;
static volatile sig_atomic_t n_interrupts;

static void on_interrupt(int sig)
{
	n_interrupts++;
	if (interrupted_session)
		bw_debug_interrupt(interrupted_session);
}

unsigned bw_cli_interrupts(void)
{
	return (unsigned)n_interrupts;
}

void bw_cli_catch_interrupts(struct bw_cli *c)
{
	interrupted_session = c->debug;
	/* Without SA_RESTART: a read at the prompt is cut short, too. */
	struct sigaction action = {.sa_handler = on_interrupt};
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

struct bw_error *bw_cli_start_program(struct bw_cli *c)
{
	char *settings[3] = {NULL};
	if (!c->program.argv)
		return bw_errorf(BW_E_STATE, "There is no program to start: this session attached to one (\"attach PID\")");
	c->attached = false;
	int out_fd;
	BW_TRY(bw_cli_keep_output(c, &out_fd));
	struct bw_live_options options = {
		.kmd = c->kmd, .argv = c->program.argv, .in_fd = -1, .out_fd = out_fd, .err_fd = -1};
	struct bw_target *target;
	bw_out_flush(c->out);
	if (!c->program.is_kernel)
		BW_TRY(bw_cli_vulkan_settings(settings));
	options.env = (const char *const *)settings;
	struct bw_error *err = bw_live_start(&options, &target);
	free(settings[0]);
	free(settings[1]);
	BW_TRY(err);
	bw_live_send_away(target, c->detach_on_fork);
	c->exit_status_known = false;
	c->gpu_fault = false;
	return bw_debug_start(c->debug, target);
}

static void remember_exit(struct bw_cli *c, const struct bw_stop *s)
{
	if (!s->exit_known)
		return;
	c->exit_status_known = true;
	c->exit_status = WIFEXITED(s->exit_status) ? WEXITSTATUS(s->exit_status) : 128 + WTERMSIG(s->exit_status);
}

void bw_cli_stopped(struct bw_cli *c, const struct bw_stop *s, bool brief)
{
	const uint32_t gpu = BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR | BW_REASON_ILLEGAL_INSTRUCTION |
			     BW_REASON_ASSERT_TRAP | BW_REASON_FP_EXCEPTION;
	c->gpu_fault = s->kind == BW_STOP_GPU_GONE || (s->kind == BW_STOP_WAVES && s->reasons & gpu);
	bw_cli_show_output(c, s->kind == BW_STOP_EXITED);
	if (s->kind == BW_STOP_EXITED)
		remember_exit(c, s);
	/* A program that did what it was asked needs no obituary; its output is what the user wants. */
	bool quiet = s->kind == BW_STOP_EXITED && s->exit_known && s->exit_status == 0 && c->plain &&
		     !bw_out_is_json(c->out);
	c->stopped_at = s->kind == BW_STOP_WAVES ? s->breakpoint : 0;
	c->stops += !brief || s->kind != BW_STOP_WAVES;
	quiet |= bw_cli_is_silent(c, c->stopped_at);
	if (!quiet)
		bw_show_stop(c->out, c->debug, s, brief);
	free(c->list_file);
	c->list_file = NULL;
	if (s->kind == BW_STOP_WAVES)
		bw_cli_show_displays(c);
}

struct bw_error *bw_cli_wait_and_show(struct bw_cli *c)
{
	struct bw_stop stop;
	bw_out_flush(c->out);
	BW_TRY(bw_debug_wait(c->debug, -1, &stop));
	bw_cli_stopped(c, &stop, false);
	return NULL;
}

void bw_cli_leave(struct bw_cli *c)
{
	if (bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM) {
		if (c->gpu_fault && !c->exit_status_known)
			c->exit_status = BW_EXIT_GPU;
		return;
	}
	if (c->gpu_fault && !c->attached) {
		/* Nothing good can come of running on. */
		bw_out_line(c->out, "[The program was killed. With -i, or commands, \"breakwater run\" stays here to look around]");
		bw_error_free(bw_debug_kill(c->debug));
		c->exit_status = BW_EXIT_GPU;
		c->exit_status_known = true;
		return;
	}
	struct bw_target *t = bw_debug_target(c->debug);
	pid_t pid = t ? bw_live_pid(t) : 0;
	bw_debug_detach(c->debug);
	if (!c->scripted || pid <= 0)
		return;
	/* A script's program is not left behind: its output belongs to ours. */
	int status;
	pid_t ended;
	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	if (ended == pid) {
		struct bw_stop s = {.kind = BW_STOP_EXITED, .exit_known = true, .exit_status = status};
		bw_cli_show_output(c, true);
		if (!c->exit_status_known)
			remember_exit(c, &s);
	}
}
