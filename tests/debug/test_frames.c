/* SPDX-License-Identifier: MIT */
#include "debug/frames/flow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "../sym/samples.h"

/* What code has done to the registers of its caller. Expectations are from the disassembly of the
 * samples by llvm-objdump-19. */

struct opened {
	struct bw_code_object *co;
	struct bw_flow_code code;
	struct bw_flow_effects effects;
};

static struct opened opened(const char *name)
{
	struct opened o = {.co = sample(name), .code = {.gen = BW_ISA_GFX11, .lanes = 32}};
	o.code.image = bw_code_object_image(o.co, &o.code.image_b);
	return o;
}

static void closed(struct opened *o)
{
	bw_flow_effects_free(&o->effects);
	bw_code_object_close(o->co);
}

static uint64_t symbol(const struct opened *o, const char *name)
{
	size_t n;
	const struct bw_symbol *s = bw_code_object_symbols(o->co, &n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(s[i].name, name) == 0)
			return s[i].addr;
	fail_msg("no symbol %s", name);
	return 0;
}

static struct bw_walk walked(struct opened *o, uint64_t entry, uint64_t at)
{
	struct bw_walk w = {.entry = entry, .end = UINT64_MAX};
	struct bw_error *err = bw_walk_run(&o->code, &o->effects, at, &w);
	if (err)
		fail_msg("%s", err->message);
	return w;
}

static bool is(struct bw_sym s, enum bw_sym_kind kind, unsigned reg, uint32_t value)
{
	return s.kind == kind && s.reg == reg && s.value == value;
}

/* nest -O2, in outer behind its second call: the return address is in lanes 0 and 1 of v5, the
 * caller's s33 in s2, and s33 is the frame, whose slot 0 has the inactive lanes of v5. */
static void in_the_middle(void **state)
{
	struct opened o = opened("nest.O2");
	uint64_t outer = symbol(&o, "outer");
	struct bw_walk w = walked(&o, outer, outer + 0x5c);
	bool lo = false, hi = false;
	assert_true(w.has_state);
	for (unsigned i = 0; i < w.state.n_lanes; i++) {
		const struct bw_sym_lane *l = &w.state.lane[i];
		if (l->in_scratch || l->vgpr != 5)
			continue;
		lo |= l->lane == 0 && is(l->sym, BW_SYM_ENTRY, 30, 0);
		hi |= l->lane == 1 && is(l->sym, BW_SYM_ENTRY, 31, 0);
	}
	assert_true(lo && hi);
	assert_true(is(w.state.sgpr[2], BW_SYM_ENTRY, 33, 0));
	assert_true(is(w.state.sgpr[33], BW_SYM_BASE, 0, 0));
	assert_true(is(w.state.sgpr[32], BW_SYM_BASE, 0, 16));
	assert_int_equal(w.state.sgpr[30].kind, BW_SYM_CODE);
	assert_int_equal(w.state.n_slots, 1);
	assert_int_equal(w.state.slot[0].offset, 0);
	assert_int_equal(w.state.slot[0].vgpr, 5);
	assert_int_equal(w.state.slot[0].lanes, BW_LANES_INACTIVE);
	/* it calls inner, twice */
	assert_int_equal(w.targets.len, 1);
	assert_int_equal(w.targets.data[0], symbol(&o, "inner"));
	bw_walk_fini(&w);
	closed(&o);
}

/* A function gives back what it has to: at its return, and in its effect on callers. */
static void effects(void **state)
{
	static const char *const objects[] = {"nest.O2", "nest.O0", "rec.O2", "rec.O0"};
	static const char *const functions[] = {"outer", "outer", "deep", "deep"};
	for (size_t i = 0; i < 4; i++) {
		struct opened o = opened(objects[i]);
		struct bw_walk w = walked(&o, symbol(&o, functions[i]), UINT64_MAX);
		assert_true(w.effect.returns && w.effect.keeps_s32);
		/* unoptimised branches keep EXEC in scratch, through which it is not followed */
		assert_true(w.effect.keeps_exec || !strcmp(objects[i], "rec.O0"));
		assert_int_equal(w.effect.link, 30);
		assert_true(w.effect.keeps_sgpr[0] >> 33 & 1 && w.effect.keeps_sgpr[0] >> 34 & 1);
		for (unsigned v = 40; v < 48; v++)
			assert_int_equal(w.effect.vgpr[v], BW_LANES_ALL);
		assert_int_equal(w.effect.vgpr[0] & BW_LANES_ACTIVE, 0);
		bw_walk_fini(&w);
		closed(&o);
	}
}

/* inner of nest -O2 keeps everything but v0 to v2, so that its caller loses nothing else. */
static void unused_registers(void **state)
{
	struct opened o = opened("nest.O2");
	struct bw_walk w = walked(&o, symbol(&o, "inner"), UINT64_MAX);
	for (unsigned v = 0; v < 256; v++)
		assert_int_equal(w.effect.vgpr[v], v < 3 ? BW_LANES_INACTIVE : BW_LANES_ALL);
	for (unsigned s = 0; s < 106; s++)
		assert_true(s == 32 || w.effect.keeps_sgpr[s / 64] >> s % 64 & 1);
	bw_walk_fini(&w);
	closed(&o);
}

static void keeps_but(const struct bw_sym_effect *e, unsigned a, unsigned b, unsigned c)
{
	assert_true(e->returns && e->keeps_s32 && e->keeps_exec && e->link == 30);
	for (unsigned v = 0; v < 256; v++)
		assert_int_equal(e->vgpr[v],
				 v == a || v == b || v == c ? BW_LANES_INACTIVE : BW_LANES_ALL);
	for (unsigned s = 0; s < 106; s++)
		assert_int_equal(e->keeps_sgpr[s / 64] >> s % 64 & 1, s > 1 && s != 32);
}

/* s_setpc_b64 to an address: a branch inside of the function, and tail calls. */
static void jumps(void **state)
{
	struct opened o = opened("jumps");
	struct bw_walk w = walked(&o, symbol(&o, "far"), symbol(&o, "far_end"));
	keeps_but(&w.effect, 7, 9, 9);
	assert_true(w.has_state);
	assert_true(is(w.state.sgpr[32], BW_SYM_BASE, 0, 16));
	assert_int_equal(w.state.vgpr[7], BW_LANES_ALL);
	bw_walk_fini(&w);
	w = walked(&o, symbol(&o, "tail"), UINT64_MAX);
	keeps_but(&w.effect, 3, 7, 9);
	assert_int_equal(w.targets.len, 1);
	assert_int_equal(w.targets.data[0], symbol(&o, "far"));
	bw_walk_fini(&w);
	w = walked(&o, symbol(&o, "pointer"), UINT64_MAX);
	assert_true(w.effect.returns);
	assert_int_equal(w.effect.vgpr[40], BW_LANES_ALL);
	assert_int_equal(w.effect.vgpr[3], BW_LANES_INACTIVE);
	assert_int_equal(w.effect.keeps_sgpr[0], ~0ull << 30 & ~(1ull << 32));
	bw_walk_fini(&w);
	w = walked(&o, symbol(&o, "lost"), UINT64_MAX);
	assert_false(w.effect.returns);
	bw_walk_fini(&w);
	closed(&o);
}

/* What one walk says of all places is what a walk for each of them says. */
static void reached(void **state)
{
	static const char *const objects[] = {"nest.O2", "rec.O0", "jumps", "jumps"};
	static const char *const functions[] = {"outer", "deep", "tail", "far"};
	(void)state;
	for (size_t i = 0; i < BW_ARRAY_SIZE(objects); i++) {
		struct opened o = opened(objects[i]);
		uint64_t entry = symbol(&o, functions[i]);
		struct bw_walk all = walked(&o, entry, UINT64_MAX);
		unsigned n_reached = 0;
		for (uint64_t at = entry - 8; at < entry + 0x800; at += 2) {
			struct bw_walk w = walked(&o, entry, at);
			assert_int_equal(bw_flow_reaches(&all.reached, entry, at), w.has_state);
			n_reached += w.has_state;
			bw_walk_fini(&w);
		}
		assert_true(n_reached > 4);
		bw_walk_fini(&all);
		closed(&o);
	}
}

/* Any bytes as code, any place in it: no crash, no hang, and no state where none can be. */
static void check_damaged(const char *sample, const char *name)
{
	struct opened o = opened(sample);
	uint64_t entry = symbol(&o, name);
	uint8_t *image = malloc(o.code.image_b);
	uint32_t seed = 1;
	assert_non_null(image);
	for (unsigned round = 0; round < 200; round++) {
		memcpy(image, o.code.image, o.code.image_b);
		for (unsigned i = 0; i < 64; i++) {
			seed = seed * 1664525 + 1013904223;
			image[(seed >> 8) % o.code.image_b] ^= (uint8_t)(seed >> 3);
		}
		struct opened bad = o;
		bad.code.image = image;
		bad.effects = (struct bw_flow_effects){0};
		struct bw_walk w = walked(&bad, entry, entry + 4 * round);
		assert_true(w.state.n_lanes <= BW_SYM_LANES && w.state.n_slots <= BW_SYM_SLOTS);
		bw_walk_fini(&w);
		bw_flow_effects_free(&bad.effects);
	}
	struct bw_walk w = walked(&o, o.code.image_b + 4, 0);
	assert_false(w.has_state);
	bw_walk_fini(&w);
	w = walked(&o, entry, entry + 2);
	assert_false(w.has_state);
	bw_walk_fini(&w);
	free(image);
	closed(&o);
}

static void damaged_callers(void **state)
{
	check_damaged("rec.O0", "deep");
}

static void damaged_jumps(void **state)
{
	check_damaged("jumps", "tail");
}

TESTS(in_the_middle, effects, unused_registers, jumps, reached, damaged_callers, damaged_jumps);
