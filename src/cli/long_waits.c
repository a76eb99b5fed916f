/* SPDX-License-Identifier: MIT */
/* Waiting for the answer of another process: tells the user what is waited for, and Ctrl-C gives
 * up. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/wait.h"

enum {
	TELL_STOPPED_MS = 2000, /* patience with a process that is stopped by a signal */
	/* With one that is not stopped: it may have much to do, and giving up may cost the
	 * connection to it. */
	TELL_SLOW_MS = 10000,
	TELL_REASON_MS = 500, /* with what is known to take long, and goes on without us */
};

static void tell(struct bw_cli *c, const char *fmt, ...) BW_PRINTF(2, 3);
static void tell(struct bw_cli *c, const char *fmt, ...)
{
	va_list args;
	char text[512];
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	bw_out_begin(c->out, "event", "notice");
	bw_out_str(c->out, "kind", "said");
	bw_out_str(c->out, "text", text);
	bw_out_line(c->out, "[%s]", text);
	bw_out_end(c->out);
	bw_out_flush(c->out);
}

/* A user who quits, or has typed Ctrl-C since the command began, does not wait for an answer that
 * cannot come. */
static bool wants_out(const struct bw_cli *c)
{
	return c->ended_by || c->interrupts_before != bw_cli_interrupts();
}

static bool meanwhile(void *cookie, unsigned waited_ms, bool for_answer)
{
	struct bw_cli *c = cookie;
	pid_t pid;
	const char *name;
	char state;
	const char *reason = bw_wait_reason();
	bool slow = for_answer && waited_ms >= TELL_SLOW_MS;
	bool known = reason && waited_ms >= TELL_REASON_MS;
	bool stopped = bw_wait_find_stopped(&pid, &name, &state);
	if (!c->wait_told && stopped && waited_ms >= TELL_STOPPED_MS) {
		c->wait_told = true;
		if (state == 'T')
			tell(c,
			     "Waiting for %s: process %d is stopped by a signal (state T); \"kill -CONT %d\" continues it, "
			     "Ctrl-C ends the wait",
			     name, (int)pid, (int)pid);
		else
			tell(c,
			     "Waiting for %s: another debugger has stopped process %d (state t) and has to continue it; "
			     "Ctrl-C ends the wait",
			     name, (int)pid);
	} else if (!c->wait_told && !stopped && known && !wants_out(c)) {
		c->wait_told = true;
		tell(c, "Waiting for %s; Ctrl-C ends the wait", reason);
	} else if (!c->wait_told && !stopped && !known && slow) {
		c->wait_told = true;
		tell(c, "Waiting for an answer for %u s; Ctrl-C ends the wait", waited_ms / 1000);
	}
	if (!wants_out(c) || !(stopped || slow || known))
		return true;
	c->wait_given_up = true;
	return false;
}

void bw_cli_begin_command(struct bw_cli *c)
{
	struct bw_target *t = bw_debug_target(c->debug);
	/* An earlier Ctrl-C at a terminal was for the previous command; that of a program which
	 * writes its commands into a pipe may be for this one. */
	if (t && (c->interactive || c->wait_given_up))
		bw_target_forget_interrupt(t);
	c->wait_given_up = false;
	c->interrupts_before = bw_cli_interrupts();
	c->wait_told = false;
}

void bw_cli_watch_waits(struct bw_cli *c)
{
	bw_cli_begin_command(c);
	bw_wait_set(meanwhile, c);
}
