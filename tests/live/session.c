// SPDX-License-Identifier: MIT
#include "session.h"
#include "debug/breaks.h"
#include "debug/expressions.h"
#include "debug/stop.h"
#include "debug/waves.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAIT_MS = 20000, MAX_WORDS = 32 };

void ok_(struct bw_error *err, const char *what, int line)
{
	if (!err)
		return;
	print_error("line %d: %s: %s\n", line, what, err->message);
	bw_error_free(err);
	fail();
}

static void on_notice(void *cookie, enum bw_notice_kind kind, const char *text)
{
	struct session *s = cookie;
	size_t n = strlen(s->notices);
	snprintf(s->notices + n, sizeof(s->notices) - n, "%s\n", text);
}

static const char *build_folder(void)
{
	const char *build = getenv("BREAKWATER_BUILD");
	assert_non_null(build);
	return build;
}

void session_start(struct session *s, const char *kernel, const char *const *args)
{
	char launcher[512], object[512];
	const char *argv[MAX_WORDS] = {launcher, "--gpu", "virtual", object};
	struct bw_code_object *co;

	*s = (struct session){.output = "/tmp/bw-live-XXXXXX"};
	setenv("BREAKWATER_LIBEXEC", build_folder(), 1);
	snprintf(launcher, sizeof(launcher), "%s/breakwater-launch", build_folder());
	snprintf(object, sizeof(object), "%s/tests/%s/%s.co", build_folder(),
		 strcmp(kernel, "saxpy") ? "live" : "debug", kernel);
	size_t n = 4;
	for (; *args && n < MAX_WORDS - 1; args++)
		argv[n++] = *args;
	OK(bw_kmd_open("virtual", &s->kmd));
	OK(bw_debug_create(&s->debug));
	bw_debug_on_notice(s->debug, on_notice, s);
	OK(bw_code_object_load(object, &co));
	OK(bw_debug_add_code_object(s->debug, co));
	int out = mkstemp(s->output);
	assert_true(out >= 0);
	const struct bw_target_source source = {.kind = BW_SOURCE_PROGRAM,
						.kmd = s->kmd,
						.argv = (char *const *)argv,
						.in_fd = -1,
						.out_fd = out,
						.err_fd = -1};
	OK(bw_live_open(&source, &s->target));
	close(out);
	OK(bw_debug_start(s->debug, s->target));
}

void session_end(struct session *s)
{
	bw_debug_destroy(s->debug);
	bw_kmd_close(s->kmd);
	unlink(s->output);
}

struct bw_stop session_wait(struct session *s)
{
	struct bw_stop stop;
	OK(bw_debug_wait(s->debug, WAIT_MS, &stop));
	if (stop.kind == BW_STOP_NONE)
		print_error("no stop within %d ms; notices:\n%s", WAIT_MS, s->notices);
	assert_int_not_equal(stop.kind, BW_STOP_NONE);
	return stop;
}

struct bw_stop session_continue(struct session *s)
{
	OK(bw_debug_continue(s->debug));
	return session_wait(s);
}

uint32_t session_break(struct session *s, const char *where)
{
	uint32_t number;
	OK(bw_debug_break(s->debug, where, false, &number));
	return number;
}

int64_t session_int(struct session *s, const char *expr)
{
	struct bw_value v;
	struct bw_expr_error at;
	OK(bw_debug_eval(s->debug, expr, &v, &at));
	int64_t i = bw_value_i64(&v, bw_debug_focus_lane(s->debug));
	bw_value_fini(&v);
	return i;
}

double session_float(struct session *s, const char *expr)
{
	struct bw_value v;
	struct bw_expr_error at;
	OK(bw_debug_eval(s->debug, expr, &v, &at));
	double f = bw_value_f64(&v, bw_debug_focus_lane(s->debug));
	bw_value_fini(&v);
	return f;
}

const char *session_output(struct session *s, char *buffer, size_t size_b)
{
	FILE *f = fopen(s->output, "r");
	assert_non_null(f);
	size_t n = fread(buffer, 1, size_b - 1, f);
	buffer[n] = 0;
	fclose(f);
	return buffer;
}

int session_finish(struct session *s)
{
	struct bw_stop stop;
	do
		stop = session_continue(s);
	while (stop.kind == BW_STOP_WAVES);
	assert_int_equal(stop.kind, BW_STOP_EXITED);
	assert_true(stop.exit_known);
	return stop.exit_status;
}
