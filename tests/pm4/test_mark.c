/* SPDX-License-Identifier: MIT */
/* Copies of command streams with markers. What a copy does is followed as the command processor
 * would: calls, chains and returns (doc/hardware/dispatch.md 2.1; nvd.h of Linux 6.12). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "pm4/mark.h"
#include "pm4/pm4.h"

enum { COPY_VA = 0x7f000000, BEGUN_VA = 0x5000, ENDED_VA = 0x5004, GO_VA = 0x5040 };

/* The program's streams. */
struct memory {
	struct {
		uint64_t va;
		const uint32_t *dw;
		size_t n;
		bool is_written; /* by the GPU: must not be copied */
	} streams[4];
};

static bool read_stream(void *cookie, uint64_t va, uint32_t *out, size_t n, bool is_called)
{
	const struct memory *m = cookie;
	for (size_t i = 0; i < BW_ARRAY_SIZE(m->streams); i++) {
		if (m->streams[i].va != va || n > m->streams[i].n ||
		    (is_called && m->streams[i].is_written))
			continue;
		memcpy(out, m->streams[i].dw, n * 4);
		return true;
	}
	return false;
}

/* What the command processor sees of a copy, in its order. */
struct trace {
	uint32_t begun[32], ended[32], waits[32], dims[32];
	unsigned n_begun, n_ended, n_waits, n_dims;
	uint64_t called_outside; /* a stream of the program that is executed where it is */
};

static void note(struct trace *t, const struct bw_pm4_packet *p)
{
	struct bw_pm4_write_data w;
	struct bw_pm4_release_mem r;
	struct bw_pm4_wait_reg_mem wait;
	struct bw_pm4_dispatch_direct d;
	if (bw_pm4_write_data(p, &w) && w.address == BEGUN_VA) {
		assert_int_equal(w.destination, BW_PM4_WRITE_MEM);
		t->begun[t->n_begun++] = w.data[0];
	} else if (bw_pm4_release_mem(p, &r) && r.address == ENDED_VA) {
		assert_int_equal(r.data_is, BW_PM4_DATA_32);
		assert_int_equal(r.event, 0x28); /* BOTTOM_OF_PIPE_TS */
		assert_int_equal(r.gcr, 0);
		t->ended[t->n_ended++] = (uint32_t)r.value;
	} else if (bw_pm4_wait_reg_mem(p, &wait) && wait.in_memory && wait.address == GO_VA) {
		assert_int_equal(wait.function, BW_PM4_GREATER_EQUAL);
		assert_int_equal(wait.mask, ~0u);
		t->waits[t->n_waits++] = wait.reference;
	} else if (bw_pm4_dispatch_direct(p, &d)) {
		t->dims[t->n_dims++] = d.x;
	}
}

static void follow(struct trace *t, const uint32_t *copy, size_t all_dw, uint64_t va, size_t n)
{
	struct bw_pm4_packet p;
	size_t begin = (va - COPY_VA) / 4;
	if (va < COPY_VA || begin + n > all_dw) {
		t->called_outside = va;
		return;
	}
	assert_int_equal(n % 8, 0);
	for (size_t at = 0; at < n; at += p.size_dw) {
		assert_true(bw_pm4_at(copy + begin, n, at, &p));
		const struct bw_pm4_flow flow = bw_pm4_flow(&p);
		if (flow.calls) {
			if (flow.chain)
				assert_int_equal(at + p.size_dw, n);
			follow(t, copy, all_dw, flow.va, flow.size_dw);
			if (flow.chain)
				return;
		} else if (p.kind == BW_PM4_TYPE3) {
			note(t, &p);
		}
	}
}

static void run(const struct bw_pm4_mark_options *options, const struct memory *m, struct trace *t,
		struct bw_pm4_marked *out)
{
	struct bw_pm4_mark_options o = *options;
	o.begun_va = BEGUN_VA;
	o.ended_va = ENDED_VA;
	o.go_va = GO_VA;
	o.read = read_stream;
	o.cookie = (void *)(uintptr_t)m;
	assert_null(bw_pm4_mark(&o, m->streams[0].va, m->streams[0].n, out));
	uint32_t *copy = calloc(out->size_dw, 4);
	bw_pm4_marked_write(out, COPY_VA, copy);
	follow(t, copy, out->size_dw, COPY_VA, out->pieces.data[0].words.len);
	free(copy);
}

/* clang-format off */
#define DISPATCH(n) 0xc0031502, n, 1, 1, 0x2045
#define SET_SH 0xc0017600, 0x242, 0x00040000
#define CALL(va, n) 0xc0023f00, va, 0, 0x00800000 | (n)
#define CHAIN(va, n) 0xc0023f00, va, 0, 0x00900000 | (n)
/* clang-format on */

static const uint32_t called[] = {SET_SH, DISPATCH(20)};
static const uint32_t last[] = {DISPATCH(40), SET_SH};
static const uint32_t first[] = {SET_SH,	  DISPATCH(10), 0xffff1000,
				 CALL(0x2000, 8), DISPATCH(30), CHAIN(0x3000, 8)};
static const struct memory whole = {.streams = {{0x1000, first, BW_ARRAY_SIZE(first), false},
						{0x2000, called, BW_ARRAY_SIZE(called), false},
						{0x3000, last, BW_ARRAY_SIZE(last), false}}};

/* Calls and chains are followed, and numbers are in the order of execution. */
static void test_dispatches(void **state)
{
	struct bw_pm4_marked m = {0};
	struct trace t = {0};
	run(&(struct bw_pm4_mark_options){.wait_from = UINT32_MAX}, &whole, &t, &m);
	assert_int_equal(m.marks.len, 5); /* four, and the end */
	assert_int_equal(m.n_unseen, 0);
	assert_int_equal(t.n_dims, 4);
	assert_int_equal(t.n_begun, 5);
	assert_int_equal(t.n_ended, 5);
	assert_int_equal(t.n_waits, 5);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(t.begun[i], i + 1);
		assert_int_equal(t.ended[i], i + 1);
		assert_int_equal(t.waits[i], i + 1);
	}
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(t.dims[i], 10 * (i + 1));
	const struct bw_pm4_mark *k = m.marks.data;
	assert_int_equal(k[0].ib_va, 0x1000);
	assert_int_equal(k[0].at_dw, 3);
	assert_int_equal(k[1].ib_va, 0x2000);
	assert_int_equal(k[1].at_dw, 3);
	assert_int_equal(k[1].depth, 1);
	assert_int_equal(k[2].at_dw, 13);
	assert_int_equal(k[3].ib_va, 0x3000);
	assert_int_equal(k[3].depth, 0);
	assert_int_equal(k[4].op, BW_PM4_MARK_END);
	bw_pm4_marked_free(&m);
}

/* Each packet but NOPs, and the wait for each from the third on beside those of work. */
static void test_packets(void **state)
{
	struct bw_pm4_marked m = {0};
	struct trace t = {0};
	run(&(struct bw_pm4_mark_options){.every_packet = true, .wait_from = 8}, &whole, &t, &m);
	/* SET_SH, dispatch, call, SET_SH, dispatch, dispatch, chain, dispatch, SET_SH, the end */
	static const uint32_t waits[] = {2, 5, 6, 8, 9, 10};
	assert_int_equal(m.marks.len, 10);
	assert_int_equal(t.n_begun, 10);
	assert_int_equal(t.n_ended, 5);
	assert_int_equal(t.n_waits, BW_ARRAY_SIZE(waits));
	for (unsigned i = 0; i < BW_ARRAY_SIZE(waits); i++)
		assert_int_equal(t.waits[i], waits[i]);
	assert_int_equal(m.marks.data[2].op, BW_PM4_INDIRECT_BUFFER);
	bw_pm4_marked_free(&m);
}

/* What must not be copied is called where it is; what is no packet stays as it is. */
static void test_unseen(void **state)
{
	static const uint32_t words[] = {CALL(0x2000, 8), DISPATCH(10), 0x12345678, 1, 2};
	struct memory memory = whole;
	memory.streams[0].dw = words;
	memory.streams[0].n = BW_ARRAY_SIZE(words);
	memory.streams[1].is_written = true;
	struct bw_pm4_mark_options o = {.wait_from = UINT32_MAX,
					.begun_va = BEGUN_VA,
					.ended_va = ENDED_VA,
					.go_va = GO_VA,
					.read = read_stream,
					.cookie = &memory};
	struct bw_pm4_marked m = {0};
	assert_null(bw_pm4_mark(&o, 0x1000, BW_ARRAY_SIZE(words), &m));
	assert_int_equal(m.n_unseen, 2);
	assert_int_equal(m.links.len, 0);
	assert_int_equal(m.marks.len, 3);
	assert_true(m.marks.data[1].is_bad);
	assert_int_equal(m.marks.data[1].at_dw, 9);
	const struct bw_pm4_stream *w = &m.pieces.data[0].words;
	assert_memory_equal(w->data, words, 4 * 4); /* the call as it was */
	bw_pm4_marked_free(&m);
	m = (struct bw_pm4_marked){0};
	struct bw_error *err = bw_pm4_mark(&o, 0x9000, 8, &m);
	assert_non_null(err);
	assert_int_equal(err->code, BW_E_UNSUPPORTED);
	bw_error_free(err);
	bw_pm4_marked_free(&m);
}

/* A part with a condition is skipped by its length: it stays in one piece, without markers. */
static void test_conditional(void **state)
{
	static const uint32_t words[] = {0xc0032200, 0x100, 0, 0, 5, DISPATCH(10), DISPATCH(20)};
	const struct memory memory = {.streams = {{0x1000, words, BW_ARRAY_SIZE(words), false}}};
	struct bw_pm4_marked m = {0};
	struct trace t = {0};
	run(&(struct bw_pm4_mark_options){.wait_from = UINT32_MAX}, &memory, &t, &m);
	assert_int_equal(m.n_unseen, 1);
	assert_int_equal(m.marks.len, 2);
	assert_int_equal(t.n_dims, 2);
	assert_memory_equal(m.pieces.data[0].words.data, words, 10 * 4);
	bw_pm4_marked_free(&m);
}

/* A stream that chains to itself ends somewhere, as does one that calls itself. */
static void test_endless(void **state)
{
	static const uint32_t chain[] = {SET_SH, 0xffff1000, CHAIN(0x1000, 8)};
	static const uint32_t call[] = {SET_SH, 0xffff1000, CALL(0x1000, 8)};
	const uint32_t *const words[] = {chain, call};
	for (unsigned i = 0; i < 2; i++) {
		const struct memory memory = {.streams = {{0x1000, words[i], 8, false}}};
		struct bw_pm4_mark_options o = {.every_packet = true,
						.wait_from = UINT32_MAX,
						.read = read_stream,
						.cookie = (void *)(uintptr_t)&memory};
		struct bw_pm4_marked m = {0};
		assert_null(bw_pm4_mark(&o, 0x1000, 8, &m));
		assert_int_equal(m.n_unseen, 1);
		bw_pm4_marked_free(&m);
	}
}

/* Extra packets come behind the dispatches that they should come behind. */
static void test_put(void **state)
{
	static const uint32_t extra[] = {DISPATCH(99)};
	static const uint32_t expected[] = {10, 20, 99, 30, 40};
	struct bw_pm4_marked m = {0};
	struct trace t = {0};
	run(
		&(struct bw_pm4_mark_options){
			.wait_from = UINT32_MAX, .put = extra, .put_dw = 5, .put_behind = 2},
		&whole, &t, &m);
	assert_true(m.has_put);
	assert_int_equal(t.n_dims, BW_ARRAY_SIZE(expected));
	for (unsigned i = 0; i < t.n_dims; i++)
		assert_int_equal(t.dims[i], expected[i]);
	bw_pm4_marked_free(&m);
}

TESTS(test_dispatches, test_packets, test_unseen, test_conditional, test_endless, test_put);
