// SPDX-License-Identifier: MIT
#include "conformance.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/util.h"
#include "target/ops.h"

enum { MOST_LDS_B = 64 * 1024 /* that a workgroup can have: RDNA3 ISA manual, LDS */ };

static const struct target_case *now;

void target_ok(struct bw_error *err, const char *what, const char *file, int line)
{
	if (!err)
		return;
	print_error("%s:%d: %s: %s\n", file, line, what, err->message);
	bw_error_free(err);
	fail();
}

static void fails_(struct bw_error *err, enum bw_error_code code, const char *what, int line)
{
	if (!err || err->code != code)
		print_error("line %d: %s: %s\n", line, what, err ? err->message : "no error");
	assert_non_null(err);
	assert_int_equal(err->code, code);
	bw_error_free(err);
}
#define FAILS(expr, code) fails_((expr), code, #expr, __LINE__)

/* Any error at all. */
static void refused_(struct bw_error *err, const char *what, int line)
{
	if (!err)
		print_error("line %d: %s: no error\n", line, what);
	assert_non_null(err);
	bw_error_free(err);
}
#define REFUSED(expr) refused_((expr), #expr, __LINE__)

static int set_up(void **state)
{
	struct target_fixture *f = calloc(1, sizeof(*f));
	assert_non_null(f);
	now->open(now, f);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct target_fixture *f = *state;
	if (f->t)
		bw_target_close(f->t);
	f->t = NULL;
	if (now->closed)
		now->closed(now, f);
	free(f);
	return 0;
}

static bool can(const struct target_fixture *f, uint32_t caps)
{
	return bw_target_can(f->t, caps);
}

/* The slot of the known wave. */
static uint32_t slot_of(struct target_fixture *f, struct bw_target_wave *out)
{
	uint32_t n_slots = f->t->facts.n_slots, *slots = calloc(n_slots, sizeof(*slots));
	size_t n = bw_target_stopped(f->t, slots, n_slots);
	const struct target_known *k = &f->known;
	uint32_t found = UINT32_MAX;
	for (size_t i = 0; i < n; i++) {
		struct bw_target_wave w;
		OK(bw_target_read_wave(f->t, slots[i], &w));
		if (memcmp(w.workgroup, k->workgroup, sizeof(w.workgroup)) ||
		    w.wave_in_group != k->wave_in_group ||
		    (k->wave_in_group == BW_GROUP_UNKNOWN && w.pc != k->pc))
			continue;
		found = slots[i];
		*out = w;
	}
	free(slots);
	assert_int_not_equal(found, UINT32_MAX);
	f->t->space = out->space;
	return found;
}

static uint32_t free_slot(struct target_fixture *f)
{
	for (uint32_t i = 0; i < f->t->facts.n_slots; i++)
		if (!bw_target_is_stopped(f->t, i))
			return i;
	fail_msg("a wave is stopped in each slot: the case needs fewer");
	return 0;
}

/* ---- What it is ---- */

static void check_facts(void **state)
{
	struct target_fixture *f = *state;
	const struct bw_target_facts *x = &f->t->facts;
	OK(bw_target_check(f->t));
	assert_int_equal(f->t->caps & ~(uint32_t)BW_CAP_ALL, 0);
	assert_int_equal(strncmp(x->gfx, "gfx", 3), 0);
	assert_true(x->name[0]);
	assert_true(x->n_slots > 0);
	assert_int_equal(x->n_slots, x->n_se * x->sa_per_se * x->wgp_per_sa * x->simd_per_wgp *
					     x->waves_per_simd);
}

/* ---- What it lacks ---- */

static void check_capabilities(void **state)
{
	struct target_fixture *f = *state;
	struct bw_target_wave w;
	uint32_t slot = slot_of(f, &w), seen = 0;
	for (const struct target_call *c = target_calls; c->fn; c++) {
		seen |= c->caps;
		if (!can(f, c->caps))
			FAILS(c->fn(f, slot), BW_E_UNSUPPORTED);
		else if (c->harmless)
			OK(c->fn(f, slot));
	}
	assert_int_equal(seen, BW_CAP_ALL);
	/* no wave has moved */
	assert_int_equal(bw_target_stopped(f->t, NULL, 0), f->known.n_stopped);
}

/* ---- Waves ---- */

static void check_stopped(void **state)
{
	struct target_fixture *f = *state;
	uint32_t n_slots = f->t->facts.n_slots, *slots = calloc(n_slots, sizeof(*slots));
	size_t n = bw_target_stopped(f->t, slots, n_slots), at = 0;
	assert_int_equal(n, f->known.n_stopped);
	for (uint32_t i = 0; i < n_slots; i++) {
		bool listed = at < n && slots[at] == i; /* ascending */
		at += listed;
		assert_int_equal(bw_target_is_stopped(f->t, i), listed);
	}
	assert_int_equal(at, n);
	/* no more than there is room for, and still how many there are */
	uint32_t few[2] = {UINT32_MAX, UINT32_MAX};
	assert_int_equal(bw_target_stopped(f->t, NULL, 0), n);
	assert_int_equal(bw_target_stopped(f->t, few, 1), n);
	assert_int_equal(few[0], slots[0]);
	assert_int_equal(few[1], UINT32_MAX);
	free(slots);
}

static void check_wave(void **state)
{
	struct target_fixture *f = *state;
	const struct target_known *k = &f->known;
	struct bw_target_wave w, again, untouched;
	uint32_t slot = slot_of(f, &w);
	assert_int_equal(w.slot, slot);
	assert_int_equal(w.pc, k->pc);
	assert_int_equal(w.exec, k->exec);
	assert_int_equal(w.lanes, k->lanes);
	assert_true(w.n_vgprs > k->vgpr);
	OK(bw_target_read_wave(f->t, slot, &again));
	assert_int_equal(again.seq, w.seq);
	/* one that is not there */
	uint32_t none = free_slot(f), v = 1;
	memset(&untouched, 0x5a, sizeof(untouched));
	again = untouched;
	FAILS(bw_target_read_wave(f->t, none, &again), BW_E_STATE);
	assert_memory_equal(&again, &untouched, sizeof(again));
	FAILS(bw_target_read_sgprs(f->t, none, 0, 1, &v), BW_E_STATE);
	FAILS(bw_target_read_vgpr(f->t, none, 0, &v), BW_E_STATE);
	assert_int_equal(v, 1);
}

static void check_registers(void **state)
{
	struct target_fixture *f = *state;
	const struct target_known *k = &f->known;
	struct bw_target_wave w;
	uint32_t slot = slot_of(f, &w), all[108], one = 0, lanes[65];
	OK(bw_target_read_sgprs(f->t, slot, 0, 108, all));
	OK(bw_target_read_sgprs(f->t, slot, k->sgpr, 1, &one));
	assert_int_equal(one, k->sgpr_value);
	assert_int_equal(all[k->sgpr], k->sgpr_value);
	lanes[w.lanes] = 0x5a5a5a5a; /* it gives so many and no more */
	OK(bw_target_read_vgpr(f->t, slot, k->vgpr, lanes));
	assert_int_equal(lanes[k->lane], k->vgpr_value);
	assert_int_equal(lanes[w.lanes], 0x5a5a5a5a);
	one = 1;
	REFUSED(bw_target_read_sgprs(f->t, slot, 108, 1, &one));
	REFUSED(bw_target_read_sgprs(f->t, slot, 100, 9, all));
	REFUSED(bw_target_read_sgprs(f->t, slot, UINT32_MAX, 2, &one));
	lanes[0] = 1;
	REFUSED(bw_target_read_vgpr(f->t, slot, w.n_vgprs, lanes));
	REFUSED(bw_target_read_vgpr(f->t, slot, UINT32_MAX, lanes));
	assert_int_equal(one, 1);
	assert_int_equal(lanes[0], 1);
}

static void check_write_registers(void **state)
{
	struct target_fixture *f = *state;
	const struct target_known *k = &f->known;
	struct bw_target_wave w, after;
	uint32_t slot = slot_of(f, &w), before[108], s[108], v[64], was[64];
	if (!can(f, BW_CAP_WRITE_REGS))
		return; /* check_capabilities has seen that it says so */
	OK(bw_target_read_sgprs(f->t, slot, 0, 108, before));
	OK(bw_target_write_sgpr(f->t, slot, k->sgpr, 0x12345678));
	OK(bw_target_read_sgprs(f->t, slot, 0, 108, s));
	for (unsigned i = 0; i < 108; i++)
		assert_int_equal(s[i], i == k->sgpr ? 0x12345678 : before[i]);
	OK(bw_target_write_sgpr(f->t, slot, k->sgpr, k->sgpr_value));

	OK(bw_target_read_vgpr(f->t, slot, k->vgpr, was));
	OK(bw_target_write_vgpr(f->t, slot, k->vgpr, k->lane, 0x87654321));
	OK(bw_target_read_vgpr(f->t, slot, k->vgpr, v));
	for (unsigned i = 0; i < w.lanes; i++)
		assert_int_equal(v[i], i == k->lane ? 0x87654321 : was[i]);
	OK(bw_target_write_vgpr(f->t, slot, k->vgpr, k->lane, k->vgpr_value));

	OK(bw_target_write_reg(f->t, slot, BW_TREG_EXEC, 0xff));
	OK(bw_target_write_reg(f->t, slot, BW_TREG_M0, 77));
	OK(bw_target_write_reg(f->t, slot, BW_TREG_PC, k->pc + k->step_b));
	OK(bw_target_read_wave(f->t, slot, &after));
	assert_int_equal(after.exec, 0xff);
	assert_int_equal(after.m0, 77);
	assert_int_equal(after.pc, k->pc + k->step_b);
	assert_int_equal(after.seq, w.seq); /* it has not run */
	OK(bw_target_write_reg(f->t, slot, BW_TREG_EXEC, w.exec));
	OK(bw_target_write_reg(f->t, slot, BW_TREG_M0, w.m0));
	OK(bw_target_write_reg(f->t, slot, BW_TREG_PC, w.pc));

	REFUSED(bw_target_write_sgpr(f->t, slot, 108, 0));
	REFUSED(bw_target_write_vgpr(f->t, slot, w.n_vgprs, 0, 0));
	REFUSED(bw_target_write_vgpr(f->t, slot, k->vgpr, w.lanes, 0));
	uint32_t none = free_slot(f);
	FAILS(bw_target_write_reg(f->t, none, BW_TREG_M0, 0), BW_E_STATE);
	FAILS(bw_target_write_sgpr(f->t, none, 0, 0), BW_E_STATE);
	FAILS(bw_target_write_vgpr(f->t, none, 0, 0, 0), BW_E_STATE);
}

/* ---- Memory ---- */

static void check_memory(void **state)
{
	struct target_fixture *f = *state;
	const struct target_known *k = &f->known;
	struct bw_target_wave w;
	uint8_t got[256] = {0}, data[64], before[64], new[64];
	slot_of(f, &w);
	size_t code_b = BW_MIN(k->code_dw * 4, sizeof(got));
	OK(bw_target_read(f->t, k->code_va, got, code_b));
	assert_memory_equal(got, k->code, code_b);
	/* at any byte, and as many */
	OK(bw_target_read(f->t, k->code_va + 3, got, 5));
	assert_memory_equal(got, (const uint8_t *)k->code + 3, 5);
	if (!can(f, BW_CAP_WRITE_MEMORY))
		return;
	OK(bw_target_read(f->t, k->data_va, before, sizeof(before)));
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 7 + 1);
	OK(bw_target_write(f->t, k->data_va + 1, data, 61));
	OK(bw_target_read(f->t, k->data_va, new, sizeof(new)));
	assert_memory_equal(new + 1, data, 61);
	assert_int_equal(new[0], before[0]);
	assert_memory_equal(new + 62, before + 62, 2);
	OK(bw_target_write(f->t, k->data_va, before, sizeof(before)));
}

static void check_unmapped(void **state)
{
	struct target_fixture *f = *state;
	const struct target_known *k = &f->known;
	struct bw_target_wave w;
	uint8_t got[16], untouched[16];
	slot_of(f, &w);
	memset(untouched, 0x5a, sizeof(untouched));
	memcpy(got, untouched, sizeof(got));
	struct bw_error *err = bw_target_read(f->t, k->unmapped_va, got, sizeof(got));
	assert_non_null(err);
	assert_int_equal(err->code, BW_E_FAULT);
	assert_int_equal(err->va, k->unmapped_va);
	bw_error_free(err);
	/* no address at all, and around the end of all addresses */
	FAILS(bw_target_read(f->t, 0x0001000000000000, got, 4), BW_E_FAULT);
	FAILS(bw_target_read(f->t, UINT64_MAX - 3, got, 8), BW_E_FAULT);
	if (k->end_va) { /* all or nothing; the first byte that is not there is named */
		err = bw_target_read(f->t, k->end_va - 4, got, 8);
		assert_non_null(err);
		assert_int_equal(err->code, BW_E_FAULT);
		assert_int_equal(err->va, k->end_va);
		bw_error_free(err);
	}
	assert_memory_equal(got, untouched, sizeof(got));
	if (can(f, BW_CAP_WRITE_MEMORY)) {
		FAILS(bw_target_write(f->t, k->unmapped_va, got, 4), BW_E_FAULT);
		FAILS(bw_target_write(f->t, UINT64_MAX - 3, got, 8), BW_E_FAULT);
	}
	if (can(f, BW_CAP_PATCH))
		FAILS(bw_target_patch(f->t, k->unmapped_va, 0xbf800000), BW_E_FAULT);
}

static void check_patch(void **state)
{
	struct target_fixture *f = *state;
	const struct target_known *k = &f->known;
	struct bw_target_wave w;
	uint32_t got[64];
	slot_of(f, &w);
	if (!can(f, BW_CAP_PATCH))
		return;
	size_t n = BW_MIN(k->code_dw, BW_ARRAY_SIZE(got));
	OK(bw_target_patch(f->t, k->code_va, 0xbf900003));
	OK(bw_target_patch(f->t, k->code_va + 8, 0xbf900003));
	OK(bw_target_patch(f->t, k->code_va, 0xbf900002)); /* another one in its place */
	OK(bw_target_read(f->t, k->code_va, got, n * 4));
	assert_memory_equal(got, k->code, n * 4);
	OK(bw_target_read(f->t, k->code_va + 8, got, 4));
	assert_int_equal(got[0], k->code[2]);
	OK(bw_target_read(f->t, k->code_va + 1, got, 2)); /* part of a patched word */
	assert_memory_equal(got, (const uint8_t *)k->code + 1, 2);
	OK(bw_target_unpatch(f->t, k->code_va));
	OK(bw_target_unpatch(f->t, k->code_va + 8));
	OK(bw_target_read(f->t, k->code_va, got, n * 4));
	assert_memory_equal(got, k->code, n * 4);
	REFUSED(bw_target_unpatch(f->t, k->code_va));
	if (can(f, BW_CAP_WRITE_MEMORY)) { /* a write under a patch is there after its removal */
		const uint32_t other = ~k->code[0];
		OK(bw_target_patch(f->t, k->code_va, 0xbf900003));
		OK(bw_target_write(f->t, k->code_va, &other, 4));
		OK(bw_target_read(f->t, k->code_va, got, 4));
		assert_int_equal(got[0], other);
		OK(bw_target_unpatch(f->t, k->code_va));
		OK(bw_target_read(f->t, k->code_va, got, 4));
		assert_int_equal(got[0], other);
		OK(bw_target_write(f->t, k->code_va, k->code, 4));
	}
	uint64_t va = 0;
	uint32_t size_b = 0;
	bw_target_code_buffer(f->t, &va, &size_b);
	assert_true(va && size_b);
	OK(bw_target_read(f->t, va, got, 4));
}

static void check_lds(void **state)
{
	struct target_fixture *f = *state;
	const struct target_known *k = &f->known;
	struct bw_target_wave w;
	uint32_t slot = slot_of(f, &w), got = 0, new = 0xabcdef01;
	if (!can(f, BW_CAP_LDS))
		return;
	FAILS(bw_target_read_lds(f->t, slot, MOST_LDS_B, &got, 4), BW_E_FAULT);
	FAILS(bw_target_read_lds(f->t, slot, UINT32_MAX, &got, 4), BW_E_FAULT);
	if (!k->lds_b)
		return;
	FAILS(bw_target_read_lds(f->t, slot, MOST_LDS_B - 2, &got, 4), BW_E_FAULT);
	assert_int_equal(got, 0);
	OK(bw_target_read_lds(f->t, slot, k->lds_at_b, &got, 4));
	assert_int_equal(got, k->lds_value);
	if (!can(f, BW_CAP_WRITE_MEMORY)) {
		FAILS(bw_target_write_lds(f->t, slot, k->lds_at_b, &new, 4), BW_E_UNSUPPORTED);
		return;
	}
	OK(bw_target_write_lds(f->t, slot, k->lds_at_b + 1, &new, 2));
	OK(bw_target_read_lds(f->t, slot, k->lds_at_b, &got, 4));
	assert_int_equal(got, (k->lds_value & 0xff0000ff) | 0xef0100);
	OK(bw_target_write_lds(f->t, slot, k->lds_at_b, &k->lds_value, 4));
	FAILS(bw_target_write_lds(f->t, slot, MOST_LDS_B, &new, 4), BW_E_FAULT);
}

static void check_scratch(void **state)
{
	struct target_fixture *f = *state;
	const struct target_known *k = &f->known;
	struct bw_target_wave w;
	uint32_t slot = slot_of(f, &w), got = 0, new = 0xabcdef01;
	if (!can(f, BW_CAP_SCRATCH))
		return;
	REFUSED(bw_target_read_scratch(f->t, slot, 0, k->scratch_b, &got, 4));
	REFUSED(bw_target_read_scratch(f->t, slot, 64, 0, &got, 4));
	assert_int_equal(got, 0);
	if (!k->scratch_b || !can(f, BW_CAP_WRITE_MEMORY))
		return;
	OK(bw_target_write_scratch(f->t, slot, k->lane, 4, &new, 4));
	OK(bw_target_read_scratch(f->t, slot, k->lane, 4, &got, 4));
	assert_int_equal(got, new);
}

static void check_page_tables(void **state)
{
	struct target_fixture *f = *state;
	const struct target_known *k = &f->known;
	struct bw_target_wave w;
	struct bw_verdict v = {0};
	slot_of(f, &w);
	if (!can(f, BW_CAP_WALK))
		return;
	OK(bw_target_walk(f->t, k->pc, &v));
	assert_int_equal(v.kind, BW_VERDICT_MAPPED);
	assert_true(v.readable && v.executable);
	OK(bw_target_walk(f->t, k->unmapped_va, &v));
	assert_int_equal(v.kind, BW_VERDICT_UNMAPPED);
	if (!can(f, BW_CAP_FAULT))
		return;
	struct bw_target_fault fault = {.present = true};
	OK(bw_target_fault(f->t, &fault));
	assert_false(fault.present);
}

static void check_maps(void **state)
{
	struct target_fixture *f = *state;
	struct bw_target_map *all = NULL;
	struct bw_target_wave w;
	size_t n = 0;
	bool has_code = false;
	slot_of(f, &w);
	if (!can(f, BW_CAP_MAPS))
		return;
	OK(bw_target_maps(f->t, &all, &n));
	for (size_t i = 0; i < n; i++) {
		has_code |= f->known.pc >= all[i].va && f->known.pc - all[i].va < all[i].size_b;
		assert_false(f->known.unmapped_va >= all[i].va &&
			     f->known.unmapped_va - all[i].va < all[i].size_b);
	}
	free(all);
	assert_true(has_code);
}

/* ---- What happens ---- */

/* The next event but STOP: that waves have stopped may be told more than once. */
static enum bw_target_event_kind next(struct target_fixture *f, int timeout_ms)
{
	struct bw_target_event ev;
	do
		OK(bw_target_wait(f->t, timeout_ms, &ev));
	while (ev.kind == BW_EVENT_STOP);
	return ev.kind;
}

static void check_interrupt(void **state)
{
	struct target_fixture *f = *state;
	assert_int_equal(next(f, 0), BW_EVENT_NONE);
	assert_false(bw_target_is_interrupted(f->t));
	bw_target_interrupt(f->t);
	bw_target_interrupt(f->t);
	assert_true(bw_target_is_interrupted(f->t));
	assert_true(bw_target_is_interrupted(f->t));
	assert_int_equal(next(f, -1), BW_EVENT_INTERRUPT);
	assert_int_equal(next(f, 0), BW_EVENT_NONE);
	bw_target_interrupt(f->t);
	bw_target_forget_interrupt(f->t);
	assert_false(bw_target_is_interrupted(f->t));
	assert_int_equal(next(f, 0), BW_EVENT_NONE);
	assert_int_equal(bw_target_stopped(f->t, NULL, 0), f->known.n_stopped);
}

/* One wave, one instruction; the others stay where they are. */
static void check_step(void **state)
{
	struct target_fixture *f = *state;
	struct bw_target_wave w, after;
	uint32_t slot = slot_of(f, &w);
	bool stopped = false, ended = false;
	if (!can(f, BW_CAP_RUN))
		return;
	OK(bw_target_step(f->t, slot));
	OK(bw_target_wait_wave(f->t, slot, -1, &stopped, &ended));
	assert_true(stopped && !ended);
	OK(bw_target_read_wave(f->t, slot, &after));
	assert_int_equal(after.pc, f->known.pc + f->known.step_b);
	assert_int_not_equal(after.seq, w.seq);
	assert_int_equal(bw_target_stopped(f->t, NULL, 0), f->known.n_stopped);
	assert_int_equal(next(f, 0), BW_EVENT_NONE);
	FAILS(bw_target_step(f->t, free_slot(f)), BW_E_STATE);
}

static void check_precise(void **state)
{
	struct target_fixture *f = *state;
	bool before = f->t->is_precise;
	if (!can(f, BW_CAP_PRECISE))
		return;
	OK(bw_target_set_precise(f->t, !before));
	assert_int_equal(f->t->is_precise, !before);
	OK(bw_target_set_precise(f->t, before));
	assert_int_equal(f->t->is_precise, before);
}

/* Waits for it, whatever comes before; no submission fails. */
static struct bw_target_event await(struct target_fixture *f, enum bw_target_event_kind kind)
{
	enum { PATIENCE_MS = 60000 };
	struct bw_target_event ev;
	do {
		OK(bw_target_wait(f->t, PATIENCE_MS, &ev));
		assert_true(ev.kind != BW_EVENT_DONE || !ev.result);
	} while (ev.kind != kind && ev.kind != BW_EVENT_NONE);
	assert_int_equal(ev.kind, kind);
	return ev;
}

static void check_end(void **state)
{
	struct target_fixture *f = *state;
	uint32_t n_slots = f->t->facts.n_slots, *slots = calloc(n_slots, sizeof(*slots));
	size_t n = bw_target_stopped(f->t, slots, n_slots);
	if (can(f, BW_CAP_RUN) && f->known.ends) {
		OK(bw_target_resume(f->t, slots, n));
		struct bw_target_event ev = await(f, BW_EVENT_EXIT);
		assert_true(ev.exit_known);
		assert_int_equal(ev.exit_status, 0);
		f->fate = TARGET_ENDED;
		FAILS(bw_target_resume(f->t, slots, n), BW_E_GONE);
		assert_int_equal(bw_target_stopped(f->t, NULL, 0), 0);
	}
	free(slots);
}

static void check_detach(void **state)
{
	struct target_fixture *f = *state;
	if (!can(f, BW_CAP_PROCESSES))
		return;
	OK(bw_target_detach(f->t, 0));
	await(f, BW_EVENT_EXIT);
	assert_int_equal(bw_target_stopped(f->t, NULL, 0), 0);
}

static void check_kill(void **state)
{
	struct target_fixture *f = *state;
	if (!can(f, BW_CAP_PROCESSES))
		return;
	OK(bw_target_kill(f->t, 0));
	f->fate = TARGET_KILLED;
	struct bw_target_event ev = await(f, BW_EVENT_EXIT);
	assert_true(!f->t->program || (ev.exit_known && WIFSIGNALED(ev.exit_status)));
}

/* Closing it while everything is as it was found: `closed` of the case looks at what is left. */
static void check_close(void **state)
{
	struct target_fixture *f = *state;
	bw_target_close(f->t);
	f->t = NULL;
}

int target_conformance(const struct target_case *c)
{
#define CHECK(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
	const struct CMUnitTest checks[] = {
		CHECK(check_facts),   CHECK(check_capabilities), CHECK(check_stopped),
		CHECK(check_wave),    CHECK(check_registers),	 CHECK(check_write_registers),
		CHECK(check_memory),  CHECK(check_unmapped),	 CHECK(check_patch),
		CHECK(check_lds),     CHECK(check_scratch),	 CHECK(check_page_tables),
		CHECK(check_maps),    CHECK(check_interrupt),	 CHECK(check_step),
		CHECK(check_precise), CHECK(check_end),		 CHECK(check_detach),
		CHECK(check_kill),    CHECK(check_close),
	};
	now = c;
	print_message("target: %s\n", c->name);
	return cmocka_run_group_tests_name(c->name, checks, NULL, NULL);
}
