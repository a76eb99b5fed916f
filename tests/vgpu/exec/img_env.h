/* SPDX-License-Identifier: MIT */
#ifndef BW_TEST_IMG_ENV_H
#define BW_TEST_IMG_ENV_H

/* For tests of image instructions: descriptors in s[8:15] and s[16:19], texels by hand. */

#include "mem_env.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "image/image.h"

enum { IMG_T = 8, IMG_S = 16 };

struct img_desc {
	unsigned format, type, mode, width, height, depth, first, levels, base_level, last_level,
		samples_log2;
	uint32_t dst_sel; /* 0: XYZW */
};

void img_descriptor(struct env *e, const struct img_desc *d);
void img_sampler(struct env *e, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3);
/* Decodes words and executes. */
enum bw_mem_result img_run(struct env *e, const uint32_t *words, unsigned n);
#define IMG_RUN(e, ...)                                                                            \
	img_run(e, (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)
/* The address of a texel of the current descriptor, from image.c, and its bytes. */
uint64_t img_va(struct env *e, unsigned level, unsigned x, unsigned y, unsigned z, unsigned sample);
void img_poke(struct env *e, uint64_t va, const void *data, size_t size_b);
void img_peek(struct env *e, uint64_t va, void *out, size_t size_b);

static inline uint32_t img_bits(float v)
{
	uint32_t b;
	__builtin_memcpy(&b, &v, 4);
	return b;
}

static inline float img_float(uint32_t b)
{
	float v;
	__builtin_memcpy(&v, &b, 4);
	return v;
}

#endif
