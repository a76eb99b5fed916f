/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/compile/emit.h"

#include <string.h>

#include "base/util.h"

enum { BLOCK_ALIGN = 64 };

void bw_emit_begin(struct bw_emit *e, struct bw_code_memory *memory)
{
	e->memory = memory;
	e->start_b = e->at_b = bw_align_up(memory->used_b, BLOCK_ALIGN);
	e->is_full = e->is_too_large = false;
	e->n_later = 0;
}

/* The distance of two bytes of the memory, for a hole at the second one. */
static uint32_t distance(size_t to_b, size_t from_b, int32_t addend)
{
	return (uint32_t)to_b - (uint32_t)from_b + (uint32_t)addend;
}

static void fill(struct bw_emit *e, size_t at_b, uint32_t value)
{
	memcpy(e->memory->write + at_b, &value, sizeof(value));
}

static void fill_later(struct bw_emit *e, size_t at_b, const struct bw_hole *hole)
{
	if (e->n_later == BW_ARRAY_SIZE(e->later)) {
		e->is_too_large = true;
		return;
	}
	e->later[e->n_later].at = (uint32_t)at_b;
	e->later[e->n_later].addend = hole->addend;
	e->later[e->n_later].value = hole->what == BW_HOLE_ORIGINAL ? e->original : e->konst;
	e->later[e->n_later++].is_masked = hole->what == BW_HOLE_MASKED;
}

void bw_emit_stencil(struct bw_emit *e, const struct bw_stencil *stencil)
{
	if (e->is_full || e->memory->size_b - e->at_b < stencil->size_b) {
		e->is_full = true;
		return;
	}
	memcpy(e->memory->write + e->at_b, stencil->code, stencil->size_b);
	for (unsigned i = 0; i < stencil->n_holes; i++) {
		const struct bw_hole *hole = &stencil->hole[i];
		size_t at_b = e->at_b + hole->at;
		if (hole->what < BW_HOLE_VALUES)
			fill(e, at_b, e->value[hole->what] + (uint32_t)hole->addend);
		else if (hole->what == BW_HOLE_DATA) /* which lies at the start of the memory */
			fill(e, at_b, distance(0, at_b, hole->addend));
		else if (hole->what == BW_HOLE_CONT)
			fill(e, at_b, distance(e->at_b + stencil->size_b, at_b, hole->addend));
		else if (hole->what == BW_HOLE_SKIP)
			fill(e, at_b,
			     distance(e->at_b + stencil->size_b + e->skip_b, at_b, hole->addend));
		else
			fill_later(e, at_b, hole);
	}
	e->at_b += stencil->size_b;
}

void bw_emit_part(struct bw_emit *e, enum bw_block_part part)
{
	const struct bw_stencil stencil = bw_stencil_part(part);
	bw_emit_stencil(e, &stencil);
}

void bw_emit_over_call(struct bw_emit *e, const struct bw_stencil *stencil)
{
	e->skip_b = bw_stencil_part(BW_PART_CALL).size_b;
	bw_emit_stencil(e, stencil);
}

static uint32_t from_first(const struct bw_emit *e, const struct bw_rec *rec)
{
	return (uint32_t)((const uint8_t *)rec - (const uint8_t *)e->first);
}

void bw_emit_call(struct bw_emit *e, const struct bw_rec *rec, bw_handler *handler)
{
	e->value[BW_HOLE_T] = from_first(e, rec);
	e->value[BW_HOLE_F] = from_first(e, rec + rec->size_dw);
	e->value[BW_HOLE_COUNT] = e->n_after;
	e->konst = (uint64_t)(uintptr_t)handler;
	bw_emit_part(e, BW_PART_CALL);
	e->result = BW_NO_RESULT;
	e->half = BW_NO_HALF;
}

void bw_emit_masked(struct bw_emit *e)
{
	for (unsigned i = 0; i < e->n_later; i++)
		if (e->later[i].is_masked)
			fill(e, e->later[i].at,
			     distance(e->at_b, e->later[i].at, e->later[i].addend));
}

/* Holes with the same constant one after the other share it. */
const void *bw_emit_end(struct bw_emit *e)
{
	size_t next_b = bw_align_up(e->at_b, sizeof(uint64_t)), konst_b = 0;
	const uint64_t *last = NULL;
	if (e->memory->size_b - e->at_b < (e->n_later + 1) * sizeof(uint64_t))
		e->is_full = true;
	if (e->is_full || e->is_too_large)
		return NULL;
	for (unsigned i = 0; i < e->n_later; i++) {
		if (e->later[i].is_masked)
			continue;
		const uint64_t *value = &e->later[i].value;
		if (!last || *last != *value) {
			konst_b = next_b;
			next_b += sizeof(*value);
			memcpy(e->memory->write + konst_b, value, sizeof(*value));
		}
		last = value;
		fill(e, e->later[i].at, distance(konst_b, e->later[i].at, e->later[i].addend));
	}
	e->memory->used_b = next_b;
	return e->memory->run + e->start_b;
}
