/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_DRAW_H
#define BW_VGPU_DEVICE_DRAW_H

/* Draws of the universal queue: ARCHITECTURE.md, "A draw".
 *
 * A draw takes its registers when it begins, and then runs in rounds: some subgroups of vertices go
 * to the workgroup dispatcher as the groups of a dispatch, their exports become triangles, and the
 * pixels of these become waves of further dispatches. Between the rounds the queue waits like a
 * queue whose dispatch is not complete. Vertex and pixel waves have slots like those of compute
 * shaders, so everything that stops, shows or kills waves works for them.
 *
 * Rounds run one after the other. All of a draw but its waves and its pixels (draw_parts.c) runs on
 * the command processor's thread. What is not supported is refused by name, and the draw is left
 * out (cp_draw.c). */

#include "vgpu/device/cp.h"

struct bw_draw;

struct bw_draw_call {
	uint32_t n; /* vertices or indices of one instance */
	uint32_t n_instances;
	bool indexed;
	uint64_t index_va;
	uint64_t max_indices; /* those beyond read 0 */
	uint32_t first_index;
	bool is_mesh; /* then n is the number of groups */
	uint32_t groups[3];
	/* The groups are what a task shader launches (task_ring.h). User SGPRs, or
	 * BW_PM4_SH_BEGIN_DW for none: the entry, and how many groups it has. */
	bool is_task;
	uint32_t ring_register, dimensions_register;
};

/* NULL, and a draw in *out (also when it has nothing to do: NULL there); or the reason why it is
 * not supported, which stays valid. */
const char *bw_draw_begin(struct bw_queue *q, const struct bw_draw_call *call,
			  struct bw_draw **out);
/* The next part. BW_CP_STOP: it cannot go on, and *out_why says the reason until bw_draw_end(). */
enum bw_cp_result bw_draw_continue(struct bw_draw *d, const char **out_why);
/* Drops the queue's draw; waves that still run keep what they need. Accepts that there is none. */
void bw_draw_end(struct bw_queue *q);
/* The threads that draws use beside the command processor's; it has ended. Accepts NULL. */
struct bw_draw_threads;
void bw_draw_threads_destroy(struct bw_draw_threads *t);
/* Sets the registers of draws to the values of CLEAR_STATE (clearstate_gfx11.h of Linux). */
void bw_draw_clear_state(struct bw_device *dev);

/* --- for the dispatcher and the executor (draw_wave.c), any thread --- */
struct bw_inst;
/* Threads of a group, by its number in the dispatch. */
unsigned bw_draw_group_threads(const struct bw_draw *d, uint32_t group);
/* Instructions that a wave of its round executes at most before others have their turn. */
uint64_t bw_draw_turn(const struct bw_draw *d);
/* Sets the registers of a wave that starts, after they were zeroed. */
void bw_draw_wave_launch(const struct bw_group *g, struct bw_wave *w);
/* What TTMP8 to TTMP10 say of the waves of a group, in place of a workgroup's number: which of the
 * round it is, the round (bit 31: of pixels), and the lower half of the packet's address. */
void bw_draw_group_place(const struct bw_group *g, uint32_t out[3]);
/* For the checker: what it tells of the group's lanes; lanes of which it tells nothing. */
struct bw_check_draw;
void bw_draw_checked(const struct bw_group *g, struct bw_check_draw *out);
void bw_draw_hide_helpers(struct bw_group *g);
/* exp, lds_param_load, messages to the tessellator, and instructions on the global data share
 * (gds.h). False: it is another one. */
bool bw_draw_instruction(struct bw_group *g, struct bw_wave *w, const struct bw_inst *in);
/* All waves of the round have ended, or have been dropped. */
void bw_draw_round_done(struct bw_draw *d);
void bw_draw_unref(struct bw_draw *d);

#endif
