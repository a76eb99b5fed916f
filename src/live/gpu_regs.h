/* SPDX-License-Identifier: MIT */
#ifndef BW_LIVE_GPU_REGS_H
#define BW_LIVE_GPU_REGS_H

/* Registers of the GPU: which the target needs and where they are, the trap registers of a VMID,
 * what is changed and restored (gpu_regs.c), watches, exceptions and precise memory (watch.c), page
 * tables (walk.c), and whether the graphics block may power down (gfxoff.c). */

#include "live/live_priv.h"

/* ---- gpu_regs.c ---- */

struct bw_error *bw_live_find_regs(struct bw_live *l) BW_MUST_CHECK;
struct bw_error *bw_live_facts(struct bw_live *l) BW_MUST_CHECK;
/* Of its VMIDs those that waves of the program have: where KFD has given it one, not those in which
 * only jobs of the agent run. */
uint32_t bw_live_wave_vmids(const struct bw_live_vm *vm);
/* Finds its VMID and points the trap registers of that at its handler. */
struct bw_error *bw_live_enable_traps(struct bw_live *l, struct bw_live_vm *vm) BW_MUST_CHECK;
/* Unless a VMID is reserved, the kernel may have given it another one for this job. */
struct bw_error *bw_live_check_vmid(struct bw_live *l, struct bw_live_vm *vm) BW_MUST_CHECK;
/* Restores the registers of these VMIDs, a bit each; with `all` also those that are common to all
 * VMIDs. */
void bw_live_restore_regs(struct bw_live *l, uint32_t vmids, bool all);
void bw_live_forget_regs(struct bw_live *l, uint32_t vmids, bool all);
/* Writes a register so that it is put back in the end; vmid may be BW_SAVED_GLOBAL. */
struct bw_error *bw_live_write_saved(struct bw_live *l, uint32_t vmid, uint32_t addr_dw,
				     uint32_t value) BW_MUST_CHECK;
/* SPI_GDBG_PER_VMID_CNTL of all VMIDs that are ours, after l->excp has changed. */
struct bw_error *bw_live_update_gdbg(struct bw_live *l) BW_MUST_CHECK;
struct bw_error *bw_live_host_trap(struct bw_live *l) BW_MUST_CHECK;

/* What it takes to ask the SQs for registers of waves. */
struct bw_live_sq {
	struct bw_kmd *kmd;
	const struct bw_live_regs *regs;
	const struct bw_target_facts *facts;
};
/* A register of the wave in a slot. The index register is shared with every other process that
 * looks at waves: the read is repeated until it is still ours afterwards. */
struct bw_error *bw_live_ind_read(const struct bw_live_sq *sq, enum bw_wreg reg, uint32_t slot,
				  uint32_t *out) BW_MUST_CHECK;
/* The wave slots that have a wave, a bit each, of every SIMD: a word each, in the order of slots.
 * Owned. */
struct bw_error *bw_live_active(const struct bw_live_sq *sq, uint32_t **out) BW_MUST_CHECK;
/* Waves that are resident in the address space of that PASID. */
struct bw_error *bw_live_count_waves(struct bw_live *l, uint32_t pasid,
				     uint32_t *out) BW_MUST_CHECK;
/* A field of the wave in this slot as the SQ has it now, not as it was saved. */
struct bw_error *bw_live_field_now(struct bw_live *l, uint32_t slot, enum bw_wave_field f,
				   uint32_t *out) BW_MUST_CHECK;
/* Slots of resident waves of the program, a bit each; n_slots / 32 words. */
struct bw_error *bw_live_resident(struct bw_live *l, uint32_t *out_bits) BW_MUST_CHECK;
/* The fields that have a wave's place in the grid. */
enum { BW_LIVE_GRID = 4 };
extern const enum bw_wave_field bw_live_grid[BW_LIVE_GRID];
/* Whether the wave at this place of the grid is still resident. */
struct bw_error *bw_live_is_resident(struct bw_live *l, uint32_t slot,
				     const uint32_t grid[BW_LIVE_GRID], bool *out) BW_MUST_CHECK;

/* ---- watch.c ---- */

struct bw_error *bw_live_set_watch(struct bw_target *t, unsigned index,
				   const struct bw_target_watch *w) BW_MUST_CHECK;
/* Some jobs have another VMID now. */
void bw_live_move_watches(struct bw_live *l);
struct bw_error *bw_live_set_exceptions(struct bw_target *t, uint32_t mask) BW_MUST_CHECK;
/* Tells the handler what waves enter it for because of us, and no longer when we have left. */
void bw_live_note_enables(struct bw_live *l, struct bw_live_vm *vm);
struct bw_error *bw_live_set_precise(struct bw_target *t, bool on) BW_MUST_CHECK;

/* ---- walk.c ---- */

struct bw_error *bw_live_fault(struct bw_target *t, struct bw_target_fault *out) BW_MUST_CHECK;
struct bw_error *bw_live_walk(struct bw_target *t, uint64_t va,
			      struct bw_verdict *out) BW_MUST_CHECK;
/* Like bw_live_walk, in the page tables of a VMID, whichever process has it. */
struct bw_error *bw_live_walk_vmid(struct bw_live *l, unsigned vmid, uint64_t va,
				   struct bw_verdict *out) BW_MUST_CHECK;

/* ---- gfxoff.c ---- */

struct bw_error *bw_live_gfxoff_hold(struct bw_live *l) BW_MUST_CHECK;
void bw_live_gfxoff_release(struct bw_live *l);

#endif
