/* SPDX-License-Identifier: MIT */
/* Any text as an expression, a breakpoint's place and a condition, in front of a stopped wave of
 * the fake target. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../debug/fake_target.h"
#include "debug/breaks.h"
#include "debug/expressions.h"
#include "debug/stop.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const uint32_t code[] = {0xbf900003, 0x80048104,
				0xbfb00000}; /* s_trap 3, s_add_u32, s_endpgm */
static const struct bw_target_dispatch dispatch = {
	.code_va = FAKE_BASE, .initiator = 1u << 15, .groups = {2, 1, 1}, .group_size = {64, 1, 1}};

static void must(struct bw_error *err)
{
	if (err)
		abort();
}

static struct bw_debug *stopped_session(void)
{
	struct bw_debug *d;
	struct bw_stop stop;
	struct fake_target *f = fake_create(NULL);
	must(bw_debug_create(&d));
	must(bw_debug_add_raw(d, "demo", code, sizeof(code)));
	memcpy(fake_at(f, FAKE_BASE), code, sizeof(code));
	fake_push(f, &(struct bw_target_event){.kind = BW_EVENT_SUBMIT,
					       .submission = 1,
					       .queue = 1,
					       .dispatches = &dispatch,
					       .n_dispatches = 1});
	for (uint32_t i = 0; i < 4; i++)
		fake_launch(f, i, FAKE_BASE, i / 2, i % 2);
	must(bw_debug_start(d, &f->t));
	must(bw_debug_wait(d, 1000, &stop));
	if (stop.kind != BW_STOP_WAVES)
		abort();
	return d;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct bw_debug *d;
	static unsigned uses;
	struct bw_value v;
	struct bw_expr_error where;
	uint32_t number;
	char *text = malloc(n + 1);

	/* variables and breakpoints gather: a fresh session now and then */
	if (d && ++uses % 500 == 0) {
		bw_debug_destroy(d);
		d = NULL;
	}
	if (!d)
		d = stopped_session();
	if (!text)
		return 0;
	memcpy(text, bytes, n);
	text[n] = 0;
	struct bw_error *err = bw_debug_eval(d, text, &v, &where);
	if (!err)
		bw_value_fini(&v);
	else if (where.column > strlen(text))
		abort();
	bw_error_free(err);
	err = bw_debug_break(d, text, false, &number);
	if (!err)
		err = bw_debug_break_delete(d, number);
	bw_error_free(err);
	bw_debug_free_words(bw_debug_complete_expr(d, text));
	bw_debug_free_words(bw_debug_complete_where(d, text));
	free(text);
	return 0;
}
