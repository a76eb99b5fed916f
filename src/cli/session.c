/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/subcommands.h"
#include "cli/tui.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static struct bw_cli *volatile session; /* NULL: there is none (any more) */
static volatile sig_atomic_t n_interrupts;
static void (*volatile at_end)(void); /* bw_cli_on_end */

void bw_cli_interrupt(struct bw_cli *c)
{
	n_interrupts++;
	if (c && c->debug)
		bw_debug_interrupt(c->debug);
}

static void on_interrupt(int sig)
{
	bw_cli_interrupt(session);
}

struct bw_cli *bw_cli_current(void)
{
	return session;
}

/* SIGTERM, SIGHUP and the limit of --timeout: no more commands, and no more waiting. */
static void on_end(int sig)
{
	if (!session || session->ended_by)
		return;
	session->ended_by = sig;
	session->quit = true;
	bw_cli_tui_leave_now();
	bw_debug_interrupt(session->debug);
	if (at_end)
		at_end();
}

void bw_cli_on_end(void (*fn)(void))
{
	at_end = fn;
}

unsigned bw_cli_interrupts(void)
{
	return (unsigned)n_interrupts;
}

void bw_cli_catch_interrupts(struct bw_cli *c)
{
	bw_cli_watch_waits(c);
	if (c->is_library)
		return;
	session = c;
	/* Without SA_RESTART: a read at the prompt is cut short, too. */
	struct sigaction action = {.sa_handler = on_interrupt}, before;
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* A second signal of this kind ends the process at once. */
	action = (struct sigaction){.sa_handler = on_end, .sa_flags = SA_RESETHAND};
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, &before);
	if (before.sa_handler == SIG_IGN) /* nohup */
		sigaction(SIGHUP, &before, NULL);
	if (c->limit_s <= 0)
		return;
	action.sa_flags = 0;
	sigaction(SIGALRM, &action, NULL);
	/* The alarm repeats: the first one may come just before a read, and would not interrupt
	 * it. */
	double whole = floor(c->limit_s);
	const struct itimerval limit = {
		.it_interval = {.tv_sec = 1},
		.it_value = {(time_t)whole, (suseconds_t)((c->limit_s - whole) * 1e6)}};
	setitimer(ITIMER_REAL, &limit, NULL);
}

void bw_cli_ignore_interrupts(const struct bw_cli *c)
{
	if (session == c)
		session = NULL;
}

struct bw_error *bw_cli_start_program(struct bw_cli *c)
{
	char *settings[BW_LAYER_SETTINGS] = {NULL};
	if (!c->program.argv)
		return bw_errorf(
			BW_E_STATE,
			"There is no program to start: this session attached to one (\"attach PID\")");
	c->attached = false;
	int out_fd, err_fd = -1;
	BW_TRY(bw_cli_keep_output(c, &out_fd));
	if (c->editor) {
		out_fd = c->editor->output_fd[0];
		err_fd = c->editor->output_fd[1];
	}
	struct bw_target_source source = {.kind = BW_SOURCE_PROGRAM,
					  .kmd = c->kmd,
					  .argv = c->program.argv,
					  .in_fd = -1,
					  .out_fd = out_fd,
					  .err_fd = err_fd};
	struct bw_target *target;
	bw_out_flush(c->out);
	if (!c->program.is_kernel)
		BW_TRY(bw_cli_layer_settings(c->shaders, settings));
	source.env = (const char *const *)settings;
	c->clients_before = bw_kmd_n_clients_ever(c->kmd);
	struct bw_error *err = bw_cli_open_target(&source, &target);
	bw_cli_free_settings(settings);
	BW_TRY(err);
	if (bw_target_can(target, BW_CAP_PROCESSES))
		err = bw_target_detach_children(target, c->detach_on_fork);
	if (err) {
		bw_target_close(target);
		return err;
	}
	c->exit_status_known = false;
	c->gpu_fault = false;
	BW_TRY(bw_debug_start(c->debug, target));
	/* A signal that came before there was a target: otherwise nothing would end the wait that
	 * follows. */
	if (c->ended_by)
		bw_debug_interrupt(c->debug);
	return NULL;
}

static void remember_exit(struct bw_cli *c, const struct bw_stop *s)
{
	if (!s->exit_known)
		return;
	c->exit_status_known = true;
	c->exit_status = WIFEXITED(s->exit_status) ? WEXITSTATUS(s->exit_status)
						   : 128 + WTERMSIG(s->exit_status);
}

/* The program has failed and never opened the GPU: perhaps the agent could not be loaded into
 * it. */
static void warn_if_unseen(struct bw_cli *c, const struct bw_stop *s)
{
	if (c->attached || c->program.is_kernel || !c->program.argv || !s->exit_known ||
	    !s->exit_status)
		return;
	_cleanup_error_ struct bw_error *said = bw_cli_check_preload(c->program.argv[0]);
	_cleanup_error_ struct bw_error *err =
		said ? NULL : bw_cli_check_seen(c->kmd, c->clients_before, c->program.argv[0]);
	if (!err)
		return;
	bw_out_begin(c->out, "event", "notice");
	bw_out_str(c->out, "kind", "warning");
	bw_out_str(c->out, "text", err->message);
	bw_out_line(c->out, "warning: %s.", err->message);
	bw_out_end(c->out);
}

static void show_stop(struct bw_cli *c, const struct bw_stop *s, bool brief)
{
	const uint32_t gpu = BW_REASON_MEMORY_VIOLATION | BW_REASON_ADDRESS_ERROR |
			     BW_REASON_ILLEGAL_INSTRUCTION | BW_REASON_ASSERT_TRAP |
			     BW_REASON_FP_EXCEPTION;
	c->gpu_fault = s->kind == BW_STOP_GPU_GONE || s->kind == BW_STOP_QUEUE_ERROR ||
		       (s->kind == BW_STOP_WAVES && s->reasons & gpu);
	c->last_stop = *s;
	bw_cli_show_output(c, s->kind == BW_STOP_EXITED);
	if (s->kind == BW_STOP_WAVES)
		bw_cli_show_kernel_output(c);
	if (s->kind == BW_STOP_EXITED) {
		remember_exit(c, s);
		warn_if_unseen(c, s);
	}
	/* The normal end of a program is not reported where only its output is of interest. */
	bool quiet = s->kind == BW_STOP_EXITED && s->exit_known && s->exit_status == 0 &&
		     c->plain && !bw_out_is_json(c->out);
	c->stopped_at = s->kind == BW_STOP_WAVES ? s->breakpoint : 0;
	c->stops += !brief || s->kind != BW_STOP_WAVES;
	quiet |= bw_cli_is_silent(c, c->stopped_at);
	/* The stop serves only to end the session; with --timeout the place is shown. */
	quiet |= c->ended_by && c->ended_by != SIGALRM;
	if (!quiet)
		bw_show_stop(c->out, c->debug, s, brief);
	bw_cli_tui_stopped(c);
	bw_cli_forget_list(c);
}

static void after_stop(struct bw_cli *c, const struct bw_stop *s)
{
	if (s->kind == BW_STOP_WAVES)
		bw_cli_show_displays(c);
	if (c->editor)
		c->editor->stopped(c->editor->cookie, s);
	if (c->on_stop)
		c->on_stop(c->on_stop_cookie, s);
}

void bw_cli_stopped(struct bw_cli *c, const struct bw_stop *s, bool brief)
{
	show_stop(c, s, brief);
	after_stop(c, s);
}

void bw_cli_stopped_behind(struct bw_cli *c, const struct bw_stop *s, const struct bw_returned *r)
{
	show_stop(c, s, false);
	if (s->kind == BW_STOP_WAVES && !s->focus_changed)
		bw_cli_show_returned(c, r);
	after_stop(c, s);
}

struct bw_error *bw_cli_wait_and_show(struct bw_cli *c)
{
	struct bw_stop stop;
	bw_out_flush(c->out);
	bw_str_clear(&c->warnings);
	if (c->editor && !c->editor->waits)
		return NULL;
	bw_cli_tui_resumed(c);
	BW_TRY(bw_debug_wait(c->debug, -1, &stop));
	bw_cli_stopped(c, &stop, false);
	return NULL;
}

/* ---- Leaving ---- */

static bool is_yes(const char *answer)
{
	answer = bw_skip_blanks(answer);
	return answer[0] == 'y' || answer[0] == 'Y';
}

/* End of input is a yes, as in gdb, and Ctrl-C a no. */
static bool ask_terminal(const char *question)
{
	for (;;) {
		char answer[256];
		size_t n = 0;
		printf("%s(y or n) ", question);
		fflush(stdout);
		for (;;) {
			char ch;
			ssize_t got = read(STDIN_FILENO, &ch, 1);
			if (got < 0 && errno == EINTR) {
				printf("Quit\n");
				return false;
			}
			if (got <= 0) {
				printf("EOF [assumed Y]\n");
				return true;
			}
			if (ch == '\n')
				break;
			if (n + 1 < sizeof(answer))
				answer[n++] = ch;
		}
		answer[n] = '\0';
		const char *word = bw_skip_blanks(answer);
		if (is_yes(word) || word[0] == 'n' || word[0] == 'N')
			return is_yes(word);
		printf("Please answer y or n.\n");
	}
}

bool bw_cli_ask(struct bw_cli *c, const char *question)
{
	if (!c->confirm)
		return true;
	if (c->interactive)
		return ask_terminal(question);
	bw_out_line(c->out, "%s(y or n) [answered Y; input not from terminal]", question);
	return true;
}

bool bw_cli_may_leave(struct bw_cli *c)
{
	if (!c->interactive || !c->confirm || c->ended_by ||
	    bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM ||
	    !bw_target_can(bw_debug_target(c->debug), BW_CAP_PROCESSES))
		return true;
	size_t n;
	const struct bw_inferior_info *all = bw_debug_inferiors(c->debug, &n);
	const char *fate = c->attached ? "detached" : "killed";
	bw_out_line(c->out, "A debugging session is active.\n");
	for (size_t i = 0; i < n; i++)
		bw_out_line(c->out, "\tInferior %u [process %d] will be %s.", all[i].number,
			    (int)all[i].pid, fate);
	if (!n) /* it has not opened the GPU yet */
		bw_out_line(c->out, "\tProcess %d will be %s.",
			    (int)bw_debug_target(c->debug)->program, fate);
	bw_out_text(c->out, "\n");
	return ask_terminal("Quit anyway? ");
}

void bw_cli_leave(struct bw_cli *c)
{
	if (bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM) {
		if (c->gpu_fault && !c->exit_status_known)
			c->exit_status = BW_EXIT_GPU;
		return;
	}
	if (c->attached || !bw_target_can(bw_debug_target(c->debug), BW_CAP_PROCESSES)) {
		bw_debug_detach(c->debug);
		return;
	}
	/* Detaches from further programs that were attached to. */
	bw_error_free(bw_debug_kill(c->debug));
	bw_cli_show_output(c, true);
	if (c->gpu_fault) {
		bw_out_line(
			c->out,
			"[The program was killed. With -i, or commands, \"breakwater run\" stays here to look around]");
		c->exit_status = BW_EXIT_GPU;
		c->exit_status_known = true;
	} else if (!c->interactive && !c->quit) {
		bw_out_line(c->out, "[The program was killed]");
	}
}

void bw_cli_fail(struct bw_cli *c, struct bw_error *err)
{
	if (c->out && bw_out_is_json(c->out)) {
		if (!c->error_reported)
			bw_out_error(c->out, err);
	} else {
		fputs("breakwater: ", stderr);
		bw_out_printable(stderr, err->message);
		fputs(strchr(err->message, '\n') ? "\n" : ".\n", stderr);
	}
	c->exit_status = BW_EXIT_USAGE;
	bw_error_free(err);
}
