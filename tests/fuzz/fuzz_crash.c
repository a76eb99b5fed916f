/* SPDX-License-Identifier: MIT */
/* Files of crashes from anywhere: dumps, logs and what else there is, line by line, and what is
 * said of them. The first byte chooses whether the user says which GPU it is. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "crash/crash.h"
#include "dump/dump.h"
#include "target/call.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Everything that can be asked of a target that cannot run. */
static void look_at(const struct bw_crash *c)
{
	const struct bw_target_source source = {.kind = BW_SOURCE_CRASH, .crash = c};
	struct bw_target_event ev = {.kind = BW_EVENT_PROGRAM};
	struct bw_target_wave w;
	struct bw_target_map *maps = NULL;
	struct bw_target *t;
	uint32_t slots[4], dw[108];
	size_t n;
	struct bw_error *err = bw_dump_open(&source, &t);
	if (err) {
		bw_error_free(err);
		return;
	}
	while (ev.kind != BW_EVENT_NONE) {
		err = bw_target_wait(t, 0, &ev);
		assert(!err);
		for (size_t i = 0; i < ev.n_dispatches && ev.kind == BW_EVENT_SUBMIT; i++)
			bw_error_free(bw_target_read(t, ev.dispatches[i].code_va, dw, 64));
	}
	n = bw_target_stopped(t, slots, 4);
	assert(n <= t->facts.n_slots);
	for (size_t i = 0; i < n && i < 4; i++) {
		err = bw_target_read_wave(t, slots[i], &w);
		assert(!err);
		bw_error_free(bw_target_read_sgprs(t, slots[i], 0, 108, dw));
		for (uint32_t v = 0; v <= w.n_vgprs; v++)
			bw_error_free(bw_target_read_vgpr(t, slots[i], v, dw));
		bw_error_free(bw_target_read(t, w.pc, dw, 4));
	}
	bw_error_free(bw_target_maps(t, &maps, &n));
	free(maps);
	struct bw_target_object *objects = NULL;
	n = 0;
	bw_error_free(bw_target_objects(t, &objects, &n));
	for (size_t i = 0; i < n; i++) {
		struct bw_target_shader *shader = NULL;
		bw_error_free(bw_target_shader(t, objects[i].id, &shader));
		free(shader);
	}
	free(objects);
	bw_target_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct bw_crash c = {0};
	struct bw_str verdict = {0};
	struct bw_gpuvm_part part;
	unsigned line = 0;
	if (!n)
		return 0;
	const char *text = (const char *)bytes + 1;
	for (size_t at = 0, left = n - 1; at < left;) {
		const char *end = memchr(text + at, '\n', left - at);
		size_t len = end ? (size_t)(end - text) - at : left - at;
		bw_crash_line(&c, text + at, len, ++line);
		at += len + 1;
		if (len && text[at - 2] == '\f')
			bw_crash_next_file(&c);
	}
	/* what is text and SPIR-V at once is both */
	bw_crash_report_file(&c.report, "a.spv", text, (n - 1) & ~(size_t)3);
	bw_crash_end(&c);
	assert(c.dumps.len <= BW_CRASH_MAX_DUMPS + 1); /* a report's */
	struct bw_error *err = bw_gpuvm_part_parse(bytes[0] & 2 ? "9.0" : "12.0", &part);
	assert(!err);
	bw_crash_verdict(&c, bytes[0] & 1 ? &part : NULL, &verdict);
	for (size_t i = 0; i < c.dumps.len; i++) {
		const struct bw_crash_dump *d = &c.dumps.data[i];
		struct bw_crash_place place;
		assert(d->registers.len <= BW_CRASH_MAX_REGISTERS &&
		       d->n_words <= BW_CRASH_MAX_WORDS);
		for (size_t k = 0; k < d->registers.len; k++)
			assert(d->registers.data[k].block < d->blocks.len);
		if (bw_crash_find_place(d, &place))
			assert(place.at_dw <= d->ibs.data[place.ib].words.len);
	}
	look_at(&c);
	bw_str_free(&verdict);
	bw_crash_free(&c);
	return 0;
}
