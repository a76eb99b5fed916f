/* SPDX-License-Identifier: MIT */
#ifndef BW_DUMP_DUMP_PRIV_H
#define BW_DUMP_DUMP_PRIV_H

#include "base/vec.h"
#include "crash/crash.h"
#include "dump/dump.h"
#include "target/ops.h"

/* Memory that a file has the contents of. */
struct bw_dump_piece {
	uint64_t va, size_b;
	const uint32_t *words; /* borrowed from the crash */
	size_t order;	       /* of two that overlap, the earlier one counts */
};

enum bw_dump_state { BW_DUMP_DONE, BW_DUMP_RUNNING, BW_DUMP_WAITING, BW_DUMP_STATES };
struct bw_dump_dispatches BW_VEC(struct bw_target_dispatch);

struct bw_dump {
	struct bw_target t;
	const struct bw_crash *crash;		    /* borrowed */
	struct BW_VEC(struct bw_dump_piece) pieces; /* by address; they do not overlap */
	/* for each slot the wave of the crash in it; UINT32_MAX: none */
	uint32_t *slots;
	/* of the submission that hung, as the place in it tells */
	struct bw_dump_dispatches dispatches[BW_DUMP_STATES];
	unsigned next_event;
	bool interrupted; /* atomic */
};

static inline struct bw_dump *bw_dump_of(struct bw_target *t)
{
	return (struct bw_dump *)((char *)t - offsetof(struct bw_dump, t));
}

/* memory.c */
struct bw_error *bw_dump_find_memory(struct bw_dump *d) BW_MUST_CHECK;
struct bw_error *bw_dump_read(struct bw_target *t, uint64_t va, void *out,
			      size_t size_b) BW_MUST_CHECK;
/* NULL where it is not in the files, else how many words follow from there. */
const uint32_t *bw_dump_words(const struct bw_dump *d, uint64_t va, size_t *out_n);
struct bw_error *bw_dump_maps(struct bw_target *t, struct bw_target_map **out,
			      size_t *out_n) BW_MUST_CHECK;

/* shaders.c */
/* 0: none has its code there. */
uint32_t bw_dump_pipeline_of(const struct bw_dump *d, uint64_t code_va);
struct bw_error *bw_dump_objects(struct bw_target *t, struct bw_target_object **out,
				 size_t *out_n) BW_MUST_CHECK;
struct bw_error *bw_dump_shader(struct bw_target *t, uint32_t pipeline,
				struct bw_target_shader **out) BW_MUST_CHECK;

/* dispatches.c */
struct bw_error *bw_dump_find_dispatches(struct bw_dump *d) BW_MUST_CHECK;

/* waves.c */
struct bw_error *bw_dump_place_waves(struct bw_dump *d) BW_MUST_CHECK;
size_t bw_dump_stopped(struct bw_target *t, uint32_t *out_slots, size_t max);
bool bw_dump_is_stopped(struct bw_target *t, uint32_t slot);
struct bw_error *bw_dump_read_wave(struct bw_target *t, uint32_t slot,
				   struct bw_target_wave *out) BW_MUST_CHECK;
struct bw_error *bw_dump_read_sgprs(struct bw_target *t, uint32_t slot, unsigned first, unsigned n,
				    uint32_t *out) BW_MUST_CHECK;
struct bw_error *bw_dump_read_vgpr(struct bw_target *t, uint32_t slot, unsigned n,
				   uint32_t *out) BW_MUST_CHECK;

#endif
