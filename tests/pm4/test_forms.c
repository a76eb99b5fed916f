/* SPDX-License-Identifier: MIT */
/* Each form of a packet that data/pm4 has: what is read of it and made again has the same fields,
 * as calls.h names them, and no others. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "pm4/calls.h"
#include "pm4/sdma_build.h"

enum { PACKET_MAX_DW = 24, N_DATA = 3, ROUNDS = 50, ALIGN_MAX = 32 };

static uint32_t random_state = 4711;
static uint32_t next_random(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return random_state ^ random_state >> 15;
}

static const struct bw_pm4_call *call_named(const char *prefix, const char *form)
{
	unsigned n;
	char name[64];
	const struct bw_pm4_call *calls = bw_pm4_calls(&n);
	snprintf(name, sizeof(name), "%s%s", prefix, form);
	for (unsigned i = 0; i < n; i++) {
		size_t len = strlen(name);
		if (!strncmp(calls[i].name, name, len) &&
		    strspn(calls[i].name + len, "_") == strlen(calls[i].name + len))
			return &calls[i];
	}
	fail_msg("%s is no call", name);
	return NULL;
}

static void compare(const struct bw_pm4_call *c, const uint32_t *dw, uint32_t n_dw,
		    const struct bw_pm4_stream *made)
{
	assert_false(made->failed);
	assert_int_equal(made->len, n_dw);
	for (const struct bw_pm4_call_field *f = c->fields; f->name; f++) {
		uint64_t was = bw_pm4_call_get(f, dw), is = bw_pm4_call_get(f, made->data);
		bool is_aligned = f->kind == BW_PM4_CALL_ADDRESS || f->kind == BW_PM4_CALL_STREAM;
		uint64_t mask = is_aligned ? ~(ALIGN_MAX - 1ull) : ~0ull;
		if ((was & mask) != (is & mask) || (is & ~was))
			fail_msg("%s: %s", c->name, f->name);
	}
	for (uint32_t i = 1; i < c->n_dw; i++)
		if (!c->count_bits || i != c->count_lo / 32)
			assert_int_equal(bw_pm4_call_unnamed(c, made->data, i), 0);
	assert_memory_equal(dw + c->n_dw, made->data + c->n_dw, (n_dw - c->n_dw) * 4);
}

static uint32_t make_words(const struct bw_pm4_call *c, uint32_t *dw)
{
	uint32_t n_dw = c->n_dw + (c->has_data ? N_DATA : 0);
	for (uint32_t i = 0; i < n_dw; i++)
		dw[i] = next_random();
	return n_dw;
}

static void pm4_forms(void **state)
{
	uint32_t dw[PACKET_MAX_DW];
#define FORM(form, n)                                                                              \
	for (unsigned i = 0; i < ROUNDS; i++) {                                                    \
		const struct bw_pm4_call *c = call_named("", #form);                               \
		struct bw_pm4_##form v;                                                            \
		struct bw_pm4_packet p;                                                            \
		struct bw_pm4_stream s = {0};                                                      \
		uint32_t n_dw = make_words(c, dw);                                                 \
		assert_int_equal(c->n_dw, (n) + 1);                                                \
		dw[0] = bw_pm4_header(c->code, n_dw - 1);                                          \
		assert_true(bw_pm4_at(dw, n_dw, 0, &p));                                           \
		assert_true(bw_pm4_##form(&p, &v));                                                \
		bw_pm4_build_##form(&s, &v);                                                       \
		compare(c, dw, n_dw, &s);                                                          \
		assert_int_equal(s.data[0], dw[0]);                                                \
		bw_pm4_stream_free(&s);                                                            \
		p.n_body = (n) - 1u;                                                               \
		assert_true(!(n) || !bw_pm4_##form(&p, &v));                                       \
	}
#include "pm4/forms.inc"
#undef FORM
}

static void sdma_forms(void **state)
{
	uint32_t dw[PACKET_MAX_DW];
#define FORM(form, n)                                                                              \
	for (unsigned i = 0; i < ROUNDS; i++) {                                                    \
		const struct bw_pm4_call *c = call_named("sdma_", #form);                          \
		struct bw_sdma_##form v;                                                           \
		struct bw_pm4_stream s = {0};                                                      \
		uint32_t n_dw = make_words(c, dw);                                                 \
		const struct bw_sdma_packet p = {bw_sdma_info(c->code), dw[0], dw, n_dw};          \
		assert_int_equal(c->n_dw, n);                                                      \
		assert_true(bw_sdma_##form(&p, &v));                                               \
		bw_sdma_build_##form(&s, &v);                                                      \
		compare(c, dw, n_dw, &s);                                                          \
		assert_int_equal((uint16_t)s.data[0], c->code);                                    \
		bw_pm4_stream_free(&s);                                                            \
	}
#include "pm4/sdma_forms.inc"
}

TESTS(pm4_forms, sdma_forms);
