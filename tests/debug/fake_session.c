// SPDX-License-Identifier: MIT
#include "fake_session.h"

#include "debug/breaks.h"

#include <stdio.h>
#include <string.h>

static uint32_t code[64];
static size_t code_dw;
static struct bw_target_dispatch dispatch;

void fake_ok(struct bw_error *err, const char *what, int line)
{
	if (!err)
		return;
	print_error("line %d: %s: %s\n", line, what, err->message);
	bw_error_free(err);
	fail();
}

void fake_fails(struct bw_error *err, enum bw_error_code expected, const char *part)
{
	assert_non_null(err);
	if (!strstr(err->message, part))
		print_error("\"%s\" does not contain \"%s\"\n", err->message, part);
	assert_non_null(strstr(err->message, part));
	assert_int_equal(err->code, expected);
	bw_error_free(err);
}

static void on_notice(void *cookie, enum bw_notice_kind kind, const char *text)
{
	struct fake_session *s = cookie;
	size_t n = strlen(s->notices);
	snprintf(s->notices + n, sizeof(s->notices) - n, "%s\n", text);
}

void fake_session_create(struct fake_session *s, const uint32_t *words, size_t n_dw)
{
	*s = (struct fake_session){0};
	assert_true(n_dw <= sizeof(code) / 4);
	memcpy(code, words, n_dw * 4);
	code_dw = n_dw;
	OK(bw_debug_create(&s->debug));
	bw_debug_on_notice(s->debug, on_notice, s);
	OK(bw_debug_add_raw(s->debug, "demo", words, n_dw * 4));
}

void fake_session_start_without(struct fake_session *s, uint32_t groups, uint32_t lack)
{
	struct fake_target *f = fake_create(&s->closed);
	bool runs = !(lack & BW_CAP_RUN);
	f->t.caps &= ~lack;
	s->fake = f;
	memcpy(fake_at(f, FAKE_BASE), code, code_dw * 4);
	dispatch =
		(struct bw_target_dispatch){.code_va = FAKE_BASE,
					    .initiator = 1u << 15,
					    .groups = {groups, 1, 1},
					    .group_size = {64, 1, 1},
					    .user_data = {(uint32_t)(FAKE_BASE + 0x1000),
							  (uint32_t)((FAKE_BASE + 0x1000) >> 32)}};
	fake_push(f,
		  &(struct bw_target_event){.kind = BW_EVENT_PROGRAM, .pid = 42, .comm = "fake"});
	fake_push(f, &(struct bw_target_event){.kind = BW_EVENT_SUBMIT,
					       .submission = 1,
					       .is_running = !runs,
					       .queue = 2,
					       .dispatches = &dispatch,
					       .n_dispatches = 1});
	for (uint32_t i = 0; i < FAKE_WAVES && i < 2 * groups; i++)
		fake_launch(f, i, FAKE_BASE, i / 2, i % 2);
	for (uint32_t i = 0; i < FAKE_WAVES && !runs; i++)
		if (f->wave[i].state == FAKE_RUNNING)
			fake_stop(f, i);
	OK(bw_debug_start(s->debug, &f->t));
}

void fake_session_start(struct fake_session *s, uint32_t groups)
{
	fake_session_start_without(s, groups, 0);
}

void fake_session_end(struct fake_session *s)
{
	bw_debug_destroy(s->debug);
	assert_true(s->closed);
}

uint32_t set_break(struct fake_session *s, const char *text)
{
	uint32_t n;
	OK(bw_debug_break(s->debug, text, false, &n));
	return n;
}

struct bw_stop wait_stop(struct fake_session *s)
{
	struct bw_stop stop;
	OK(bw_debug_wait(s->debug, 100, &stop));
	return stop;
}

struct bw_stop go(struct fake_session *s)
{
	OK(bw_debug_continue(s->debug));
	return wait_stop(s);
}
