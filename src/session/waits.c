/* SPDX-License-Identifier: MIT */
/* Waiting for the answer of another process: tells the user for what it waits; Ctrl-C ends the
 * wait. */
#include "session/session.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/wait.h"
#include "target/call.h"

enum {
	TELL_STOPPED_MS = 2000, /* patience with a process that is stopped by a signal */
	/* With one that is not stopped: it may have much to do, and giving up may cost the
	 * connection to it. */
	TELL_SLOW_MS = 10000,
	/* with work that is known to take long, and that continues without us */
	TELL_REASON_MS = 500,
};

static void tell(struct bw_session *s, const char *fmt, ...) BW_PRINTF(2, 3);
static void tell(struct bw_session *s, const char *fmt, ...)
{
	va_list args;
	char text[512];
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	bw_out_begin(s->out, "event", "notice");
	bw_out_str(s->out, "kind", "said");
	bw_out_str(s->out, "text", text);
	bw_out_line(s->out, "[%s]", text);
	bw_out_end(s->out);
	bw_out_flush(s->out);
}

/* A user who quits, or has typed Ctrl-C since the command began, does not wait for an answer that
 * cannot come. */
static bool wants_out(const struct bw_session *s)
{
	return s->ended_by || s->interrupts_before != bw_session_interrupts();
}

static bool meanwhile(void *cookie, unsigned waited_ms, bool for_answer)
{
	struct bw_session *s = cookie;
	pid_t pid;
	const char *name;
	char state;
	const char *reason = bw_wait_reason();
	bool slow = for_answer && waited_ms >= TELL_SLOW_MS;
	bool known = reason && waited_ms >= TELL_REASON_MS;
	bool stopped = bw_wait_find_stopped(&pid, &name, &state);
	if (!s->wait_told && stopped && waited_ms >= TELL_STOPPED_MS) {
		s->wait_told = true;
		if (state == 'T')
			tell(s,
			     "Waiting for %s: process %d is stopped by a signal (state T); \"kill -CONT %d\" continues it, "
			     "Ctrl-C ends the wait",
			     name, (int)pid, (int)pid);
		else
			tell(s,
			     "Waiting for %s: another debugger has stopped process %d (state t) and has to continue it; "
			     "Ctrl-C ends the wait",
			     name, (int)pid);
	} else if (!s->wait_told && !stopped && known && !wants_out(s)) {
		s->wait_told = true;
		tell(s, "Waiting for %s; Ctrl-C ends the wait", reason);
	} else if (!s->wait_told && !stopped && !known && slow) {
		s->wait_told = true;
		tell(s, "Waiting for an answer for %u s; Ctrl-C ends the wait", waited_ms / 1000);
	}
	if (!wants_out(s) || !(stopped || slow || known))
		return true;
	s->wait_given_up = true;
	return false;
}

void bw_session_begin_command(struct bw_session *s)
{
	struct bw_target *t = bw_debug_target(s->debug);
	/* An earlier Ctrl-C at a terminal was for the previous command; that of a program which
	 * writes its commands into a pipe may be for this one. */
	if (t && (s->interactive || s->wait_given_up))
		bw_target_forget_interrupt(t);
	s->wait_given_up = false;
	s->interrupts_before = bw_session_interrupts();
	s->wait_told = false;
}

void bw_session_watch_waits(struct bw_session *s)
{
	bw_session_begin_command(s);
	bw_wait_set(meanwhile, s);
}
