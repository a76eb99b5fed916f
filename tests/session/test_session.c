/* SPDX-License-Identifier: MIT */
/* A session on the fake target: who is told of a stop and when, and how it is left. */
#include "session/session.h"

#include "../debug/fake_session.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum { ABORT = 0xbf900002 };
/* s_trap 2 stops the waves as a fault of the code; those of `loop` run. */
static const uint32_t fault[] = {NOP, ABORT, END};
static const uint32_t loop[] = {NOP, SELF};

struct fixture {
	struct bw_session s;
	struct fake_session fake;
	struct bw_out *out;
	FILE *f;
	char *text;
	size_t size;
	char told[64]; /* who was told of stops, a letter each */
	bool is_silent;
};

static bool stopping(void *cookie, const struct bw_stop *stop, bool brief)
{
	struct fixture *x = cookie;
	strcat(x->told, brief ? "b" : "s");
	fflush(x->f);
	assert_int_equal(x->size, 0); /* nothing has been shown yet */
	return x->is_silent;
}

static void stopped(void *cookie, const struct bw_stop *stop)
{
	struct fixture *x = cookie;
	strcat(x->told, "S");
	bw_out_flush(x->out);
	assert_int_equal(x->size == 0, x->is_silent);
}

static void on_stop(void *cookie, const struct bw_stop *stop)
{
	struct fixture *x = cookie;
	strcat(x->told, "O");
}

static void begin(struct fixture *x, const uint32_t *code, size_t n_dw)
{
	*x = (struct fixture){.told = ""};
	x->f = open_memstream(&x->text, &x->size);
	assert_non_null(x->f);
	OK(bw_out_create(x->f, false, &x->out));
	OK(bw_session_init(&x->s, x->out));
	bw_debug_destroy(x->s.debug);
	fake_session_create(&x->fake, code, n_dw);
	x->s.debug = x->fake.debug;
	x->s.hooks = (struct bw_session_hooks){stopping, stopped, NULL, x};
	x->s.on_stop = on_stop;
	x->s.on_stop_cookie = x;
}

static void end(struct fixture *x)
{
	bw_session_fini(&x->s);
	bw_out_destroy(x->out);
	fclose(x->f);
	free(x->text);
}

static void stop(struct fixture *x, bool brief)
{
	struct bw_stop s = wait_stop(&x->fake);
	assert_int_equal(s.kind, BW_STOP_WAVES);
	bw_session_stopped(&x->s, &s, brief);
	fflush(x->f);
}

static void stops_are_shown_between_the_hooks(void **state)
{
	struct fixture x;
	begin(&x, fault, 3);
	fake_session_start(&x.fake, 1);
	stop(&x, false);
	assert_string_equal(x.told, "sSO");
	assert_non_null(strstr(x.text, "Thread 1 \"fake\" received signal SIGABRT"));
	assert_int_equal(x.s.last_stop.kind, BW_STOP_WAVES);
	end(&x);
}

static void silent_stops_are_not_shown(void **state)
{
	struct fixture x;
	begin(&x, fault, 3);
	x.is_silent = true;
	fake_session_start(&x.fake, 1);
	stop(&x, true);
	assert_string_equal(x.told, "bSO");
	assert_int_equal(x.size, 0);
	end(&x);
}

/* As shells see it: a fault of the GPU's code that nobody continued from. */
static void a_fault_gives_the_exit_status(void **state)
{
	struct fixture x;
	begin(&x, fault, 3);
	fake_session_start(&x.fake, 1);
	stop(&x, false);
	assert_true(x.s.gpu_fault);
	assert_int_equal(bw_session_leave(&x.s), BW_LEFT_KILLED);
	assert_true(x.s.exit_status_known);
	assert_int_equal(x.s.exit_status, BW_EXIT_GPU);
	assert_int_equal(bw_session_leave(&x.s), BW_LEFT_NOTHING);
	end(&x);
}

static void what_was_attached_to_runs_on(void **state)
{
	struct fixture x;
	begin(&x, loop, 2);
	fake_session_start(&x.fake, 1);
	x.s.attached = true;
	assert_int_equal(bw_session_leave(&x.s), BW_LEFT_DETACHED);
	assert_false(x.s.exit_status_known);
	assert_int_equal(x.s.exit_status, 0);
	end(&x);
}

static void what_is_missing_is_said(void **state)
{
	struct fixture x;
	const struct bw_wave_info *w;
	begin(&x, loop, 2);
	fake_fails(bw_session_need_wave(&x.s, &w), BW_E_STATE, "The program is not being run");
	fake_fails(bw_session_start(&x.s), BW_E_STATE, "There is no program to start");
	fake_session_start(&x.fake, 1);
	fake_fails(bw_session_need_wave(&x.s, &w), BW_E_STATE, "No wave is stopped");
	x.s.ended_by = SIGALRM;
	x.s.limit_s = 2.5;
	fake_fails(bw_session_what_ended(&x.s), BW_E_TIMEOUT, "2.5 s");
	x.s.ended_by = SIGTERM;
	assert_null(bw_session_what_ended(&x.s));
	end(&x);
}

TESTS(stops_are_shown_between_the_hooks, silent_stops_are_not_shown, a_fault_gives_the_exit_status,
      what_was_attached_to_runs_on, what_is_missing_is_said);
