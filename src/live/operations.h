/* SPDX-License-Identifier: MIT */
#ifndef BW_LIVE_OPERATIONS_H
#define BW_LIVE_OPERATIONS_H

/* The operations of a live target (target/ops.h): stopped waves and their registers, in the slots
 * of the debug areas (slots.c), resuming and stepping (control.c), memory and code (memory.c). */

#include "live/live_priv.h"

/* ---- slots.c ---- */

extern const struct bw_target_ops bw_live_ops;
volatile struct bw_trap_slot *bw_live_slot(struct bw_live_vm *vm, uint32_t slot);
/* The registers of the wave that stands, or has last stood, in the slot. */
void bw_live_state(const struct bw_arch *arch, volatile struct bw_trap_slot *s,
		   struct bw_wave_state *out);
/* Whether a wave of it is stopped in the slot. */
bool bw_live_stopped_in(struct bw_live_vm *vm, uint32_t slot);
bool bw_live_is_stopped(struct bw_target *t, uint32_t slot);
size_t bw_live_stopped(struct bw_target *t, uint32_t *out_slots, size_t max);
struct bw_error *bw_live_read_wave(struct bw_target *t, uint32_t slot,
				   struct bw_target_wave *out) BW_MUST_CHECK;
struct bw_error *bw_live_write_reg(struct bw_target *t, uint32_t slot, enum bw_target_reg reg,
				   uint64_t value) BW_MUST_CHECK;
struct bw_error *bw_live_read_sgprs(struct bw_target *t, uint32_t slot, unsigned first, unsigned n,
				    uint32_t *out) BW_MUST_CHECK;
struct bw_error *bw_live_write_sgpr(struct bw_target *t, uint32_t slot, unsigned n,
				    uint32_t value) BW_MUST_CHECK;
struct bw_error *bw_live_read_vgpr(struct bw_target *t, uint32_t slot, unsigned n,
				   uint32_t *out) BW_MUST_CHECK;
struct bw_error *bw_live_write_vgpr(struct bw_target *t, uint32_t slot, unsigned n, unsigned lane,
				    uint32_t value) BW_MUST_CHECK;
/* Where the wave of a slot is on the GPU: at the place of the slot, unless KFD has moved it. */
uint32_t bw_live_place(struct bw_live *l, uint32_t slot);
struct bw_error *bw_live_need_stopped(struct bw_live *l, uint32_t slot,
				      struct bw_live_vm **out) BW_MUST_CHECK;
struct bw_error *bw_live_read_lds(struct bw_target *t, uint32_t slot, uint32_t offset_b, void *out,
				  size_t size_b) BW_MUST_CHECK;
struct bw_error *bw_live_write_lds(struct bw_target *t, uint32_t slot, uint32_t offset_b,
				   const void *data, size_t size_b) BW_MUST_CHECK;

/* ---- control.c ---- */

struct bw_error *bw_live_resume(struct bw_target *t, const uint32_t *slots, size_t n) BW_MUST_CHECK;
struct bw_error *bw_live_step(struct bw_target *t, uint32_t slot) BW_MUST_CHECK;
struct bw_error *bw_live_wait_wave(struct bw_target *t, uint32_t slot, int timeout_ms,
				   bool *out_stopped, bool *out_ended) BW_MUST_CHECK;
struct bw_error *bw_live_stop_all(struct bw_target *t, uint32_t *out_running) BW_MUST_CHECK;
/* Writes a command and, for those that end, waits for its end. */
struct bw_error *bw_live_command(struct bw_live_vm *vm, uint32_t slot, uint32_t command,
				 uint32_t arg0, uint32_t arg1) BW_MUST_CHECK;

/* ---- memory.c ---- */

struct bw_error *bw_live_read(struct bw_target *t, uint64_t va, void *out,
			      size_t size_b) BW_MUST_CHECK;
struct bw_error *bw_live_write(struct bw_target *t, uint64_t va, const void *data,
			       size_t size_b) BW_MUST_CHECK;
struct bw_error *bw_live_read_scratch(struct bw_target *t, uint32_t slot, unsigned lane,
				      uint32_t offset_b, void *out, size_t size_b) BW_MUST_CHECK;
struct bw_error *bw_live_write_scratch(struct bw_target *t, uint32_t slot, unsigned lane,
				       uint32_t offset_b, const void *data,
				       size_t size_b) BW_MUST_CHECK;
struct bw_error *bw_live_patch(struct bw_target *t, uint64_t va, uint32_t word) BW_MUST_CHECK;
struct bw_error *bw_live_unpatch(struct bw_target *t, uint64_t va) BW_MUST_CHECK;
struct bw_error *bw_live_set_filter(struct bw_target *t, unsigned index, uint64_t pc,
				    const struct bw_target_filter *filter) BW_MUST_CHECK;
struct bw_error *bw_live_maps(struct bw_target *t, struct bw_target_map **out,
			      size_t *out_n) BW_MUST_CHECK;
struct bw_error *bw_live_freed(struct bw_target *t, uint64_t va,
			       struct bw_target_freed *out) BW_MUST_CHECK;
struct bw_error *bw_live_objects(struct bw_target *t, struct bw_target_object **out,
				 size_t *out_n) BW_MUST_CHECK;
/* shaders.c */
struct bw_error *bw_live_shader(struct bw_target *t, uint32_t pipeline,
				struct bw_target_shader **out) BW_MUST_CHECK;
/* draws.c */
struct bw_error *bw_live_draws(struct bw_target *t, uint32_t question, void *io) BW_MUST_CHECK;
/* runtime.c */
struct bw_error *bw_live_loaded(struct bw_target *t, struct bw_target_loaded **out,
				size_t *out_n) BW_MUST_CHECK;
struct bw_error *bw_live_loaded_bytes(struct bw_target *t, uint64_t base, uint8_t **out,
				      size_t *out_size_b) BW_MUST_CHECK;
struct bw_error *bw_live_queues(struct bw_target *t, struct bw_target_queue **out,
				size_t *out_n) BW_MUST_CHECK;

#endif
