/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DEBUG_FAKE_SESSION_H
#define TESTS_DEBUG_FAKE_SESSION_H

/* A session on the fake target with raw code called "demo" at FAKE_BASE, dispatched as `groups`
 * workgroups of 64 items (two waves of 32 each), arguments at FAKE_BASE + 0x1000. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "debug/debug.h"
#include "fake_target.h"

struct fake_session {
	struct bw_debug *debug;
	struct fake_target *fake;
	bool closed;
	char notices[2048];
};

#define OK(expr) fake_ok((expr), #expr, __LINE__)
void fake_ok(struct bw_error *err, const char *what, int line);
/* Creates the session and adds the code; breakpoints may be set then. */
void fake_session_create(struct fake_session *s, const uint32_t *code, size_t n_dw);
/* Starts it: the waves are launched at the code's start when the submission is released. */
void fake_session_start(struct fake_session *s, uint32_t groups);
/* On a target that lacks these capabilities; without BW_CAP_RUN the waves are stopped where they
 * begin. */
void fake_session_start_without(struct fake_session *s, uint32_t groups, uint32_t lack);
void fake_session_end(struct fake_session *s);
/* Expects err to be one of this code whose message contains part. */
void fake_fails(struct bw_error *err, enum bw_error_code code, const char *part);

#endif
