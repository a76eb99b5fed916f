/* SPDX-License-Identifier: MIT */
#include "vgpu/device/raster/blend.h"

#include <math.h>
#include <string.h>

#include "base/util.h"

/* BlendOp of gfx11 (soc21_enum.h) */
enum factor {
	ZERO,
	ONE,
	SRC_COLOR,
	INV_SRC_COLOR,
	SRC_ALPHA,
	INV_SRC_ALPHA,
	DST_ALPHA,
	INV_DST_ALPHA,
	DST_COLOR,
	INV_DST_COLOR,
	SRC_ALPHA_SATURATE,
	CONSTANT_COLOR,
	INV_CONSTANT_COLOR,
	SRC1_COLOR,
	INV_SRC1_COLOR,
	SRC1_ALPHA,
	INV_SRC1_ALPHA,
	CONSTANT_ALPHA,
	INV_CONSTANT_ALPHA,
};
/* CombFunc */
enum combine { DST_PLUS_SRC, SRC_MINUS_DST, MIN_DST_SRC, MAX_DST_SRC, DST_MINUS_SRC };

enum { A = 3 };

struct inputs {
	float src[4], src1[4], dst[4], constant[4];
};

static float factor(const struct inputs *in, unsigned f, unsigned c)
{
	switch (f) {
	case ONE:
		return 1;
	case SRC_COLOR:
		return in->src[c];
	case INV_SRC_COLOR:
		return 1 - in->src[c];
	case SRC_ALPHA:
		return in->src[A];
	case INV_SRC_ALPHA:
		return 1 - in->src[A];
	case DST_ALPHA:
		return in->dst[A];
	case INV_DST_ALPHA:
		return 1 - in->dst[A];
	case DST_COLOR:
		return in->dst[c];
	case INV_DST_COLOR:
		return 1 - in->dst[c];
	case SRC_ALPHA_SATURATE:
		return c == A ? 1 : fminf(in->src[A], 1 - in->dst[A]);
	case CONSTANT_COLOR:
		return in->constant[c];
	case INV_CONSTANT_COLOR:
		return 1 - in->constant[c];
	case SRC1_COLOR:
		return in->src1[c];
	case INV_SRC1_COLOR:
		return 1 - in->src1[c];
	case SRC1_ALPHA:
		return in->src1[A];
	case INV_SRC1_ALPHA:
		return 1 - in->src1[A];
	case CONSTANT_ALPHA:
		return in->constant[A];
	case INV_CONSTANT_ALPHA:
		return 1 - in->constant[A];
	default:
		return 0;
	}
}

/* A factor of zero removes the term, even of an infinity. [I] */
static float term(float value, float f)
{
	return f == 0 ? 0 : value * f;
}

bool bw_blend_is_dual(const struct bw_blend *b)
{
	const uint8_t all[] = {b->color.src, b->color.dst, b->alpha.src, b->alpha.dst};
	bool dual = false;
	for (unsigned i = 0; i < BW_ARRAY_SIZE(all); i++)
		dual |= all[i] >= SRC1_COLOR && all[i] <= INV_SRC1_ALPHA;
	return b->enabled && dual;
}

void bw_blend(const struct bw_blend *b, const float src[4], const float src1[4], const float dst[4],
	      float out[4])
{
	struct inputs in;
	for (unsigned c = 0; c < 4; c++) {
		float low = b->clamps ? b->low : -INFINITY, high = b->clamps ? 1 : INFINITY;
		in.src[c] = fminf(fmaxf(src[c], low), high);
		in.src1[c] = fminf(fmaxf(src1[c], low), high);
		in.constant[c] = fminf(fmaxf(b->constant[c], low), high);
		in.dst[c] = dst[c];
		if (!b->clamps && isnan(src[c]))
			in.src[c] = src[c];
	}
	if (b->dst_alpha_is_1)
		in.dst[A] = 1;
	for (unsigned c = 0; c < 4; c++) {
		unsigned fs = c == A ? b->alpha.src : b->color.src;
		unsigned fd = c == A ? b->alpha.dst : b->color.dst;
		float s = term(in.src[c], factor(&in, fs, c));
		float d = term(in.dst[c], factor(&in, fd, c));
		switch (c == A ? b->alpha.op : b->color.op) {
		case SRC_MINUS_DST:
			out[c] = s - d;
			break;
		case MIN_DST_SRC: /* without factors */
			out[c] = fminf(in.src[c], in.dst[c]);
			break;
		case MAX_DST_SRC:
			out[c] = fmaxf(in.src[c], in.dst[c]);
			break;
		case DST_MINUS_SRC:
			out[c] = d - s;
			break;
		default:
			out[c] = s + d;
			break;
		}
	}
}

uint8_t bw_blend_rop(uint8_t rop3, uint8_t src, uint8_t dst)
{
	uint8_t out = 0;
	for (unsigned i = 0; i < 8; i++) {
		unsigned at = (src >> i & 1u) << 1 | (dst >> i & 1u);
		out |= (uint8_t)((rop3 >> at & 1) << i);
	}
	return out;
}

static bool compare(unsigned function, bool less, bool equal, bool greater)
{
	return (function & 1 && less) || (function & 2 && equal) || (function & 4 && greater);
}

bool bw_compare_depth(unsigned function, float value, float stored)
{
	if (function == 7)
		return true;
	return compare(function, value < stored, value == stored, value > stored);
}

bool bw_compare_stencil(unsigned function, uint8_t reference, uint8_t stored)
{
	return compare(function, reference < stored, reference == stored, reference > stored);
}

uint8_t bw_stencil_op(unsigned op, uint8_t stored, uint8_t test_value, uint8_t op_value)
{
	unsigned sum = (unsigned)stored + op_value;
	switch (op) { /* soc21_enum.h */
	case 1:	      /* ZERO */
		return 0;
	case 2: /* ONES */
		return 0xff;
	case 3: /* REPLACE_TEST */
		return test_value;
	case 4: /* REPLACE_OP */
		return op_value;
	case 5: /* ADD_CLAMP */
		return (uint8_t)BW_MIN(sum, 255u);
	case 6: /* SUB_CLAMP */
		return stored > op_value ? (uint8_t)(stored - op_value) : 0;
	case 7: /* INVERT */
		return (uint8_t)~stored;
	case 8: /* ADD_WRAP */
		return (uint8_t)sum;
	case 9: /* SUB_WRAP */
		return (uint8_t)(stored - op_value);
	case 10: /* AND */
		return stored & op_value;
	case 11: /* OR */
		return stored | op_value;
	case 12: /* XOR */
		return stored ^ op_value;
	case 13: /* NAND */
		return (uint8_t)~(stored & op_value);
	case 14: /* NOR */
		return (uint8_t)~(stored | op_value);
	case 15: /* XNOR */
		return (uint8_t)~(stored ^ op_value);
	default: /* KEEP */
		return stored;
	}
}
