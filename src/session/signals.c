/* SPDX-License-Identifier: MIT */
/* Ctrl-C, and what ends a session from outside: SIGTERM, SIGHUP, the limit of time. */
#include "session/session.h"

#include <math.h>
#include <sys/time.h>

static struct bw_session *volatile session; /* NULL: there is none (any more) */
static volatile sig_atomic_t n_interrupts;
static void (*volatile at_end)(void); /* bw_session_on_end */

void bw_session_interrupt(struct bw_session *s)
{
	n_interrupts++;
	if (s && s->debug)
		bw_debug_interrupt(s->debug);
}

static void on_interrupt(int sig)
{
	bw_session_interrupt(session);
}

struct bw_session *bw_session_current(void)
{
	return session;
}

/* Ends the session: no more commands, and no more waiting. */
static void on_end(int sig)
{
	struct bw_session *s = session;
	if (!s || s->ended_by)
		return;
	s->ended_by = sig;
	if (s->hooks.ending)
		s->hooks.ending(s->hooks.cookie);
	bw_debug_interrupt(s->debug);
	if (at_end)
		at_end();
}

void bw_session_on_end(void (*fn)(void))
{
	at_end = fn;
}

unsigned bw_session_interrupts(void)
{
	return (unsigned)n_interrupts;
}

void bw_session_catch_signals(struct bw_session *s)
{
	bw_session_watch_waits(s);
	if (!s->owns_signals)
		return;
	session = s;
	/* Without SA_RESTART: it also interrupts a read at the prompt. */
	struct sigaction action = {.sa_handler = on_interrupt}, before;
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* A second signal of this kind ends the process at once. */
	action = (struct sigaction){.sa_handler = on_end, .sa_flags = SA_RESETHAND};
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, &before);
	if (before.sa_handler == SIG_IGN) /* nohup */
		sigaction(SIGHUP, &before, NULL);
	if (s->limit_s <= 0)
		return;
	action.sa_flags = 0;
	sigaction(SIGALRM, &action, NULL);
	/* The alarm repeats: the first one may come just before a read, and would not interrupt
	 * it. */
	double whole = floor(s->limit_s);
	const struct itimerval limit = {
		.it_interval = {.tv_sec = 1},
		.it_value = {(time_t)whole, (suseconds_t)((s->limit_s - whole) * 1e6)}};
	setitimer(ITIMER_REAL, &limit, NULL);
}

void bw_session_ignore_signals(const struct bw_session *s)
{
	if (session == s)
		session = NULL;
}

struct bw_error *bw_session_what_ended(const struct bw_session *s)
{
	return s->ended_by == SIGALRM
		       ? bw_errorf(BW_E_TIMEOUT,
				   "The session has taken %g s, the limit of --timeout", s->limit_s)
		       : NULL;
}
