/* SPDX-License-Identifier: MIT */
#ifndef TESTS_LIVE_SESSION_H
#define TESTS_LIVE_SESSION_H

/* A whole session without the command line: debugger core, live target, launcher, agent and virtual
 * GPU as they are in the build folder. */

#include "debug/debug.h"
#include "debug/stop.h"
#include "kmd/kmd.h"
#include "live/live.h"

#include "../suite.h"

struct session {
	struct bw_kmd *kmd;
	struct bw_debug *debug;
	struct bw_target *target;
	char notices[4096];
	char output[64]; /* file the program prints into */
};

#define OK(expr) ok_((expr), #expr, __LINE__)
void ok_(struct bw_error *err, const char *what, int line);

/* kernel: name of a .co in the build's tests/live; args: more words for the launcher,
 * NULL-terminated. The program is started; its first submission comes with the first wait. */
void session_start(struct session *s, const char *kernel, const char *const *args);
void session_end(struct session *s);
/* Waits at most 20 s; fails the test when there is no stop by then. */
struct bw_stop session_wait(struct session *s);
struct bw_stop session_continue(struct session *s);
uint32_t session_break(struct session *s, const char *where);
/* The value of an expression, as an integer and as a float. */
int64_t session_int(struct session *s, const char *expr);
double session_float(struct session *s, const char *expr);
/* What the program has printed. */
const char *session_output(struct session *s, char *buffer, size_t size_b);
/* Continues until the program has ended; returns its exit status. */
int session_finish(struct session *s);

#endif
