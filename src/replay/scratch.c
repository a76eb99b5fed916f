/* SPDX-License-Identifier: MIT */
#include "replay/scratch.h"

#include <amdgpu_drm.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "pm4/scan.h"
#include "regs/field.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B, UNIT_B = 256 };

#define SH(state, name) ((state)->sh[BW_REG_GC_DW(COMPUTE_##name) - BW_PM4_SH_BEGIN_DW])

struct job {
	struct bw_replay_gpu *g;
	const struct bw_capture_space *s;
	struct bw_replay_scratches *out;
	struct bw_error *err;
};

static bool has(const struct bw_replay_scratches *all, const struct bw_replay_scratch *one)
{
	bw_vec_each(all, a)
		if (a->buffer == one->buffer && a->begin_b == one->begin_b &&
		    a->end_b == one->end_b)
			return true;
	return false;
}

static struct bw_error *add(struct job *j, uint64_t va, uint64_t size_b)
{
	bw_vec_each(&j->s->maps, m) {
		uint64_t begin = BW_MAX(va, m->va), end = BW_MIN(va + size_b, m->va + m->size_b);
		if (!m->buffer || begin >= end)
			continue;
		const struct bw_replay_scratch one = {m->buffer, begin - m->va + m->offset_b,
						      end - m->va + m->offset_b};
		if (!has(j->out, &one))
			BW_TRY(bw_vec_push(j->out, one));
	}
	return NULL;
}

/* WAVES are of each shader engine, in gfx11 (doc/hardware/dispatch.md 2.3). */
static struct bw_error *note(struct job *j, const struct bw_pm4_scan *r)
{
	uint64_t va = bw_canonical(
		bw_join_256b(SH(r, DISPATCH_SCRATCH_BASE_HI), SH(r, DISPATCH_SCRATCH_BASE_LO)));
	uint64_t waves = BW_FIELD_GET(COMPUTE_TMPRING_SIZE, WAVES, SH(r, TMPRING_SIZE));
	uint64_t wave_b =
		(uint64_t)BW_FIELD_GET(COMPUTE_TMPRING_SIZE, WAVESIZE, SH(r, TMPRING_SIZE)) *
		UNIT_B;
	if (!BW_FIELD_GET(COMPUTE_PGM_RSRC2, SCRATCH_EN, SH(r, PGM_RSRC2)) || !wave_b)
		return NULL;
	return add(j, va, waves * wave_b * bw_replay_gpu_engines(j->g));
}

static bool on_find(void *cookie, const struct bw_pm4_find *found, uint64_t packet_va)
{
	struct job *j = cookie;
	(void)packet_va;
	if (found->what == BW_PM4_FOUND_DISPATCH)
		j->err = note(j, found->state);
	return !j->err;
}

static bool read_ib(void *cookie, uint64_t va, uint32_t *out, size_t n)
{
	const struct job *j = cookie;
	return bw_replay_gpu_read(j->g, j->s->number, va, out, n * 4);
}

struct bw_error *bw_replay_scratch_note(struct bw_replay_gpu *g, const struct bw_capture_space *s,
					const struct bw_capture_submission *sub,
					struct bw_replay_scratches *out)
{
	struct job j = {.g = g, .s = s, .out = out};
	_cleanup_free_ struct bw_pm4_ib_scan *scan = calloc(1, sizeof(*scan));
	if (!scan)
		return bw_error_nomem();
	scan->read = read_ib;
	scan->found = on_find;
	scan->cookie = &j;
	bw_vec_each(&sub->ibs, ib)
		if (!j.err && ib->ip_type == AMDGPU_HW_IP_COMPUTE)
			bw_pm4_scan_ib(scan, ib->va, ib->size_b / 4);
	return j.err;
}

uint64_t bw_replay_scratch_settle(const struct bw_replay_scratches *all, uint64_t buffer,
				  uint64_t page_at, const uint8_t *captured, uint8_t *memory)
{
	uint64_t n = 0;
	bw_vec_each(all, a) {
		uint64_t begin = BW_MAX(a->begin_b, page_at);
		uint64_t end = BW_MIN(a->end_b, page_at + PAGE_B);
		for (uint64_t i = begin; a->buffer == buffer && i < end; i++)
			n += captured[i - page_at] != memory[i - page_at];
		if (a->buffer == buffer && begin < end)
			memcpy(memory + (begin - page_at), captured + (begin - page_at),
			       end - begin);
	}
	return n;
}
