// SPDX-License-Identifier: MIT
/* What a dispatch was given: the descriptors that user SGPRs lead to, as drivers lay them out, and
 * push constants. */
#include "debug/bound.h"
#include "debug/dispatches.h"
#include "debug/stop.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "fake_session.h"
#include "target/ops.h"

enum { PIPELINE = 7, SET_B = 64, PUSH_B = 24 };
/* RADV's 32-bit pointers lead here. */
#define SETS 0xffff800000060000ull
#define RINGS 0xffff800000070000ull
#define NUMBERS (FAKE_BASE + 0x4000)
#define OTHER (FAKE_BASE + 0x5000)

static struct bw_target_ops ops;
static struct bw_error *(*read_fake)(struct bw_target *, uint64_t, void *, size_t);

/* V#: 48 bits of address, no stride, records, and a word3 with a format (RDNA3 ISA guide,
 * 9.1.5). */
static void set_bytes(uint32_t out[SET_B / 4])
{
	const uint64_t va[2] = {NUMBERS, OTHER};
	memset(out, 0, SET_B);
	for (unsigned i = 0; i < 2; i++) {
		out[4 * i] = (uint32_t)va[i];
		out[4 * i + 1] = (uint32_t)(va[i] >> 32) & 0xffff;
		out[4 * i + 2] = 256 << i;
		out[4 * i + 3] = 0x31014fac;
	}
}

static struct bw_error *read_sets(struct bw_target *t, uint64_t va, void *out, size_t size_b)
{
	uint32_t set[SET_B / 4];
	if (va < SETS)
		return read_fake(t, va, out, size_b);
	set_bytes(set);
	memset(out, 0, size_b);
	if (va - SETS < SET_B)
		memcpy(out, (uint8_t *)set + (va - SETS), BW_MIN(size_b, SET_B - (va - SETS)));
	return NULL;
}

static struct bw_error *maps(struct bw_target *t, struct bw_target_map **out, size_t *out_n)
{
	const struct bw_target_map all[] = {{.va = SETS, .size_b = 0x1000},
					    {.va = RINGS, .size_b = 0x1000},
					    {.va = FAKE_BASE, .size_b = FAKE_MEMORY_B}};
	*out = malloc(sizeof(all));
	assert_non_null(*out);
	memcpy(*out, all, sizeof(all));
	*out_n = BW_ARRAY_SIZE(all);
	return NULL;
}

static struct bw_error *objects(struct bw_target *t, struct bw_target_object **out, size_t *out_n)
{
	*out = calloc(1, sizeof(**out));
	assert_non_null(*out);
	(*out)->kind = BW_OBJECT_PIPELINE;
	(*out)->id = PIPELINE;
	(*out)->sets[0] = 2;
	(*out)->push_b = PUSH_B;
	strcpy((*out)->entry, "main");
	*out_n = 1;
	return NULL;
}

/* Expects the set to be found by this SGPR of a dispatch that has n of them, and of the push
 * constants only those that its pipeline knows. */
static void found_in(unsigned sgpr, unsigned n, const uint32_t *s)
{
	bool closed = false;
	struct fake_target *f = fake_create(&closed);
	struct bw_debug *d;
	struct bw_target_dispatch x = {.code_va = FAKE_BASE,
				       .pipeline = PIPELINE,
				       .rsrc2 = n << 1,
				       .initiator = 1u << 15,
				       .groups = {1, 1, 1},
				       .group_size = {64, 1, 1}};
	const uint8_t push[128] = {1, 2, 3};
	memcpy(x.user_data, s, n * sizeof(*s));
	x.push = push;
	x.push_b = sizeof(push);
	const uint32_t end = 0xbfb00000;
	memcpy(fake_at(f, FAKE_BASE), &end, 4);
	read_fake = f->t.ops->read;
	ops = *f->t.ops;
	ops.read = read_sets;
	ops.maps = maps;
	ops.objects = objects;
	f->t.ops = &ops;
	fake_push(f,
		  &(struct bw_target_event){.kind = BW_EVENT_PROGRAM, .pid = 42, .comm = "fake"});
	fake_push(f, &(struct bw_target_event){.kind = BW_EVENT_SUBMIT,
					       .submission = 1,
					       .dispatches = &x,
					       .n_dispatches = 1});
	OK(bw_debug_create(&d));
	bw_debug_settings(d)->stop_on_dispatch = true;
	fake_launch(f, 0, FAKE_BASE, 0, 0);
	OK(bw_debug_start(d, &f->t));
	struct bw_stop stop;
	OK(bw_debug_wait(d, 10, &stop));
	assert_int_equal(stop.kind, BW_STOP_DISPATCH);

	struct bw_bound *bound;
	size_t n_bound;
	OK(bw_debug_bound(d, 1, &bound, &n_bound));
	assert_int_equal(n_bound, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(bound[i].kind, BW_BOUND_BUFFER);
		assert_int_equal(bound[i].sgpr, sgpr);
		assert_int_equal(bound[i].va, i ? OTHER : NUMBERS);
		assert_int_equal(bound[i].size_b, 256 << i);
	}
	free(bound);
	size_t n_dispatches;
	const struct bw_dispatch_info *info = bw_debug_dispatches(d, &n_dispatches);
	assert_int_equal(n_dispatches, 1);
	assert_int_equal(info->desc.push_b, PUSH_B);
	assert_memory_equal(info->desc.push, push, PUSH_B);
	bw_debug_destroy(d);
	assert_true(closed);
}

static void behind_the_rings(void **state)
{
	found_in(2, 3, (uint32_t[]){(uint32_t)RINGS, RINGS >> 32, (uint32_t)SETS});
	found_in(2, 3, (uint32_t[]){0, 0, (uint32_t)SETS});
}

/* Mesa 26: no rings, so the set's pointer is the first, or the only one. */
static void without_rings(void **state)
{
	found_in(0, 1, (uint32_t[]){(uint32_t)SETS});
	found_in(0, 3, (uint32_t[]){(uint32_t)SETS, (uint32_t)SETS + 0x804, 1200});
}

TESTS(behind_the_rings, without_rings);
