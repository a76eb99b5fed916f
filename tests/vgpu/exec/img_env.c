/* SPDX-License-Identifier: MIT */
#include "img_env.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void img_descriptor(struct env *e, const struct img_desc *d)
{
	uint32_t *s = &e->w.s[IMG_T];
	unsigned depth = d->depth ? d->depth : 1, levels = d->levels ? d->levels : 1;
	memset(s, 0, 32);
	s[0] = (uint32_t)(ENV_VA >> 8);
	s[1] = (uint32_t)(ENV_VA >> 40) | (levels - 1) << 16 | d->format << 20 |
	       ((d->width - 1) & 3) << 30;
	s[2] = (d->width - 1) >> 2 | (d->height - 1) << 14;
	s[3] = (d->dst_sel ? d->dst_sel : 07654) | d->base_level << 12 | d->last_level << 16 |
	       d->mode << 20 | d->type << 28;
	s[4] = (depth - 1) | d->first << 16;
	if (d->samples_log2) {
		s[1] |= d->samples_log2 << 16;
		s[3] |= d->samples_log2 << 16;
	}
}

void img_sampler(struct env *e, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3)
{
	e->w.s[IMG_S] = w0;
	e->w.s[IMG_S + 1] = w1;
	e->w.s[IMG_S + 2] = w2;
	e->w.s[IMG_S + 3] = w3;
}

enum bw_mem_result img_run(struct env *e, const uint32_t *words, unsigned n)
{
	bool illegal;
	assert_true(bw_isa_decode(BW_ISA_GFX11, words, n, &e->inst));
	enum bw_mem_result r = env_run(e, &illegal);
	assert_false(illegal);
	return r;
}

uint64_t img_va(struct env *e, unsigned level, unsigned x, unsigned y, unsigned z, unsigned sample)
{
	struct bw_image im;
	assert_null(bw_image_read(&e->w.s[IMG_T], &im));
	return bw_image_va(&im, level, x, y, z, sample);
}

void img_poke(struct env *e, uint64_t va, const void *data, size_t size_b)
{
	for (size_t i = 0; i < size_b; i++)
		*env_byte(e, va + i, false) = ((const uint8_t *)data)[i];
}

void img_peek(struct env *e, uint64_t va, void *out, size_t size_b)
{
	for (size_t i = 0; i < size_b; i++)
		((uint8_t *)out)[i] = *env_byte(e, va + i, false);
}
