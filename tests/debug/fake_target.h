/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DEBUG_FAKE_TARGET_H
#define TESTS_DEBUG_FAKE_TARGET_H

/* A target of a few waves over one piece of memory, with an executor of a handful of scalar
 * instructions: enough for breakpoints, displaced steps and traps to be played through without a
 * GPU. Everything is a plain struct, so that tests set and look at what they like. */

#include "target/target.h"

enum {
	FAKE_WAVES = 8,
	FAKE_VGPRS = 16,
	FAKE_MEMORY_B = 1 << 16,
	FAKE_LDS_B = 1024,
	FAKE_SCRATCH_B = 256
};
#define FAKE_BASE 0x700000000000ull /* of the memory */
#define FAKE_CODE_BUFFER (FAKE_BASE + 0xe000)

enum fake_state { FAKE_ABSENT, FAKE_RUNNING, FAKE_STOPPED };

struct fake_wave {
	enum fake_state state;
	struct bw_target_wave hw;
	uint32_t s[108];
	uint32_t v[FAKE_VGPRS][64];
	uint64_t displaced_return;
	uint8_t scratch[64][FAKE_SCRATCH_B];
	bool step;
};

struct fake_patch {
	uint64_t va;
	uint32_t before, word;
};

struct fake_target {
	struct bw_target t;
	struct fake_wave wave[FAKE_WAVES];
	uint8_t memory[FAKE_MEMORY_B];
	uint8_t lds[FAKE_LDS_B];
	struct fake_patch patch[64];
	unsigned n_patches;
	struct bw_target_event events[16]; /* given out in order */
	unsigned n_events, next_event;
	bool stop_pending, interrupted, killed, time_held;
	struct bw_target_watch watch[BW_TARGET_WATCHES]; /* size_b 0: off */
	uint32_t excp;					 /* as asked for by set_exceptions */
	struct bw_target_freed freed;			 /* what the program has freed last */
	bool lost;		    /* the program is ending: no wave answers any more */
	bool *closed;		    /* set by close, which frees the target */
	unsigned n_resumes, n_gone; /* submissions released */
	uint64_t n_executed;
};

struct fake_target *fake_create(bool *closed);
void fake_push(struct fake_target *f, const struct bw_target_event *ev);
uint8_t *fake_at(struct fake_target *f, uint64_t va);
/* Whether these bytes lie in its memory. */
bool fake_has_memory(uint64_t va, size_t size_b);
/* A wave at pc, running; workgroup x, wave_in_group. */
void fake_launch(struct fake_target *f, uint32_t slot, uint64_t pc, uint32_t workgroup,
		 uint32_t wave_in_group);
/* Puts a wave into the stopped state without a reason of its own (host trap). */
void fake_stop(struct fake_target *f, uint32_t slot);
/* Runs all running waves until each has stopped, ended or made many instructions. */
void fake_run(struct fake_target *f);

/* An operation is called: never without its capabilities. */
void fake_must(const struct bw_target *t, uint32_t caps);

/* fake_program.c */
struct bw_error *fake_shader(struct bw_target *t, uint32_t pipeline, struct bw_target_shader **out);
struct bw_error *fake_objects(struct bw_target *t, struct bw_target_object **out, size_t *out_n);
struct bw_error *fake_loaded(struct bw_target *t, struct bw_target_loaded **out, size_t *out_n);
struct bw_error *fake_draws(struct bw_target *t, uint32_t question, void *io);
struct bw_error *fake_queues(struct bw_target *t, struct bw_target_queue **out, size_t *out_n);
struct bw_error *fake_loaded_bytes(struct bw_target *t, uint64_t base, uint8_t **out,
				   size_t *out_size_b);

#endif
