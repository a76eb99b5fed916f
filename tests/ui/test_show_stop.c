/* SPDX-License-Identifier: MIT */
#include "ui/show.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../suite.h"
#include "debug/debug.h"

/* Between a wave's stop and its report the program or its connection can end, and the wave with it:
 * the event is still one of doc/json.schema.in (event-stop-without-waves). */
static void a_wave_that_is_gone(void **state)
{
	static const char *const expected[2] = {
		"The wave that had stopped is gone; \"continue\" goes on.\n",
		"{\"type\":\"event\",\"event\":\"stop\",\"reason\":\"interrupted\"}\n"};
	const struct bw_stop stop = {
		.kind = BW_STOP_WAVES, .wave = 7, .reasons = BW_REASON_SINGLE_STEP};
	struct bw_debug *d;
	assert_null(bw_debug_create(&d));
	for (int json = 0; json < 2; json++) {
		struct bw_out *o;
		char *text;
		size_t size;
		FILE *f = open_memstream(&text, &size);
		assert_non_null(f);
		assert_null(bw_out_create(f, json, &o));
		bw_show_stop(o, d, &stop, false);
		bw_out_destroy(o);
		fclose(f);
		assert_string_equal(text, expected[json]);
		free(text);
	}
	bw_debug_destroy(d);
}

TESTS(a_wave_that_is_gone);
