/* SPDX-License-Identifier: MIT */
#include "agent/opencl/launch_layout.h"

#include <string.h>

#include "base/util.h"

/* Each argument can be there or not: as many tries as no honest block needs. */
enum { TRIES_MAX = 50000, LDS_MAX_B = 65536, ALIGN_MAX_B = 128 };

struct search {
	const struct bw_launch_arg *args;
	uint32_t n_args;
	const uint8_t *block;
	size_t block_b;
	uint32_t *at;
	unsigned tries_left;
};

/* Whether the bytes at this place can be the argument. */
static bool fits(const struct search *s, const struct bw_launch_arg *a, size_t at)
{
	uint64_t word = 0;
	if (at > s->block_b || a->size_b > s->block_b - at)
		return false;
	if (a->is_known)
		return memcmp(s->block + at, a->value, a->size_b) == 0;
	memcpy(&word, s->block + at, BW_MIN(a->size_b, (uint32_t)sizeof(word)));
	switch (a->kind) {
	case BW_LAUNCH_LOCAL:
		return word < LDS_MAX_B;
	case BW_LAUNCH_BUFFER:
		return word && word == bw_canonical(word);
	case BW_LAUNCH_VALUE:
		return true;
	case BW_LAUNCH_OPAQUE:
		break;
	}
	return false;
}

/* The largest power of two that divides the size: the alignment of all but some structures. */
static uint32_t natural_align(uint32_t size_b)
{
	uint32_t align = size_b & (0u - size_b);
	return BW_MIN(align, (uint32_t)ALIGN_MAX_B);
}

/* Places for argument i and those after it, from pos on. The recursion is as deep as there are
 * arguments. */
static bool place(struct search *s, uint32_t i, size_t pos)
{
	if (i == s->n_args)
		return true;
	if (!s->tries_left)
		return false;
	s->tries_left--;
	const struct bw_launch_arg *a = &s->args[i];
	size_t before = SIZE_MAX;
	bool can_be = a->kind != BW_LAUNCH_OPAQUE && a->size_b;
	for (uint32_t align = can_be ? natural_align(a->size_b) : 0; align; align /= 2) {
		size_t at = bw_align_up(pos, align);
		if (at == before)
			continue;
		before = at;
		s->at[i] = (uint32_t)at;
		if (fits(s, a, at) && place(s, i + 1, at + a->size_b))
			return true;
	}
	s->at[i] = BW_LAUNCH_NOWHERE;
	return place(s, i + 1, pos);
}

/* A value that zeros in memory do not have. */
static bool tells(const struct bw_launch_arg *a)
{
	bool any = false;
	for (uint32_t i = 0; a->is_known && i < a->size_b; i++)
		any |= a->value[i] != 0;
	return any;
}

bool bw_launch_layout(const struct bw_launch_arg *args, uint32_t n_args, const uint8_t *block,
		      size_t block_b, uint32_t *out_at)
{
	uint32_t at[BW_LAUNCH_ARGS_MAX];
	struct search s = {args, n_args, block, block_b, at, TRIES_MAX};
	bool told = false;
	if (n_args > BW_LAUNCH_ARGS_MAX || !place(&s, 0, 0))
		return false;
	for (uint32_t i = 0; i < n_args; i++)
		told |= at[i] != BW_LAUNCH_NOWHERE && tells(&args[i]);
	for (uint32_t i = 0; told && i < n_args; i++)
		out_at[i] = args[i].is_known ? at[i] : BW_LAUNCH_NOWHERE;
	return told;
}
