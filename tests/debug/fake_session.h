/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DEBUG_FAKE_SESSION_H
#define TESTS_DEBUG_FAKE_SESSION_H

/* A session on the fake target with raw code called "demo" at FAKE_BASE, dispatched as `groups`
 * workgroups of 64 items (two waves of 32 each), arguments at FAKE_BASE + 0x1000. */

#include <stdint.h>

#include "../suite.h"
#include "debug/debug.h"
#include "debug/stop.h"
#include "fake_target.h"

/* gfx11 words: s_mov_b32 s4, 5; s_add_u32 s4, s4, 1; s_nop; s_branch +1; s_trap 3; s_add_u32 s4,
 * s4, 2; s_endpgm; s_branch -1 */
enum {
	MOV = 0xbe840085,
	ADD1 = 0x80048104,
	NOP = 0xbf800000,
	BRANCH1 = 0xbfa00001,
	TRAP3 = 0xbf900003,
	ADD2 = 0x80048204,
	END = 0xbfb00000,
	SELF = 0xbfa0ffff
};

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
/* A breakpoint at a place in words; its number. */
uint32_t set_break(struct fake_session *s, const char *text);
/* The next stop, or BW_STOP_NONE. */
struct bw_stop wait_stop(struct fake_session *s);
/* Continues until then. */
struct bw_stop go(struct fake_session *s);
/* Expects err to be one of this code whose message contains part. */
void fake_fails(struct bw_error *err, enum bw_error_code code, const char *part);

#endif
