/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_FMODE_H
#define BW_VGPU_EXEC_FMODE_H

/* The float part of a wave's MODE register, ready for use: what the host's MXCSR must hold while
 * rows run, and what rows and write-back ask about (doc/rules.md 107 to 128). */

#include <stdbool.h>
#include <stdint.h>

/* MODE.FP_ROUND. The host counts +inf and -inf the other way round. */
enum bw_round { BW_ROUND_NEAREST, BW_ROUND_UP, BW_ROUND_DOWN, BW_ROUND_ZERO };

struct bw_fmode {
	uint32_t mode;	       /* the MODE this was made from */
	uint32_t mxcsr32;      /* for f32 rows; set while the executor runs */
	uint32_t mxcsr64;      /* for f64 rows: rounding and denormals of the f16/f64 fields */
	uint32_t mxcsr_narrow; /* for f64 to f32: rounds as f32, takes f64 operands */
	/* mxcsr_f16 is for f16 rows, which handle denormals by themselves: the rounding of the
	 * f16/f64 field; equal to mxcsr32 if that rounds the same way. mxcsr_bf16 keeps denormals:
	 * those of bf16 are denormal in f32, too. */
	uint32_t mxcsr_f16, mxcsr_bf16;
	uint32_t flush_in32; /* 1: f32 inputs that are denormal count as zero */
	uint32_t flush_out32;
	uint32_t flush_in16; /* f16 and f64 */
	uint32_t flush_out16;
	uint8_t round32, round16; /* enum bw_round */
	bool ieee, dx10_clamp, fp16_ovfl;
};

void bw_fmode_set(struct bw_fmode *m, uint32_t mode);

/* Saves the host's float state and sets the wave's; restore gives it back. */
uint32_t bw_fmode_enter(const struct bw_fmode *m);
void bw_fmode_leave(uint32_t saved);
/* Switches between the states of f32 and f64 rows. */
void bw_fmode_load(uint32_t mxcsr);

#endif
