// SPDX-License-Identifier: MIT
/* Computes the accesses of an image instruction: the texel of each lane, and its address. The
 * address is computed for images of one level: exactly for linear layouts, otherwise only the block
 * of the layout (the order of texels inside of a block is not modelled here). Facts:
 * doc/hardware/encodings.md 6 and 8; blocks are as wide as high, or twice as wide (AMD's address
 * library). */
#include "debug/waves/waves_priv.h"

#include <string.h>

#include "isa/descriptor.h"
#include "isa/ops.h"

/* DIM of the instruction: 1D 2D 3D cube 1D-array 2D-array 2D-MSAA 2D-MSAA-array */
static const uint8_t n_coords[8] = {1, 2, 3, 3, 2, 3, 3, 4};

/* Bytes of a texel by FORMAT; blocks of 4 x 4 texels (109 and up) are not supported. */
static unsigned texel_b(unsigned format)
{
	static const struct {
		uint8_t first, last, size_b;
	} rows[] = {
		{1, 6, 1},    {7, 19, 2},  {20, 47, 4}, {48, 57, 8}, {58, 60, 12},
		{61, 63, 16}, {64, 64, 1}, {65, 65, 2}, {66, 66, 4}, {68, 71, 2},
		{72, 72, 1},  {75, 79, 4}, {80, 81, 8},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (format >= rows[i].first && format <= rows[i].last)
			return rows[i].size_b;
	return 0;
}

/* log2 of a block's bytes by SW_MODE; 0: linear, or a mode that is not known here. */
static unsigned block_log2(unsigned sw_mode)
{
	static const uint8_t log2[32] = {
		[2] = 8,   [5] = 12,  [6] = 12,	 [9] = 16,  [10] = 16, [17] = 16,
		[18] = 16, [21] = 12, [22] = 12, [24] = 16, [25] = 16, [26] = 16,
		[27] = 16, [28] = 18, [29] = 18, [30] = 18, [31] = 18};
	return log2[sw_mode & 31];
}

static struct bw_error *read_descriptor(struct bw_debug *d, struct bw_wave_record *w,
					const struct bw_inst *i, uint32_t out[8])
{
	unsigned n = i->r128 ? 4 : 8;
	memset(out, 0, 8 * sizeof(*out));
	if (i->srsrc + n > 108)
		return NULL;
	return bw_target_read_sgprs(d->target, w->info.slot, i->srsrc, n, out);
}

static uint32_t field(const uint32_t *words, unsigned lo, unsigned n_bits)
{
	return (uint32_t)bw_words_get(words, lo, n_bits);
}

static void describe(const uint32_t *t, struct bw_access_image *out)
{
	out->base = bw_desc_256b(t, BW_IMAGE_BASE_256B);
	out->type = field(t, BW_IMAGE_TYPE);
	out->dim[0] = field(t, BW_IMAGE_WIDTH) + 1;
	out->dim[1] = out->type == BW_IMAGE_1D || out->type == BW_IMAGE_1D_ARRAY
			      ? 1
			      : field(t, BW_IMAGE_HEIGHT) + 1;
	bool has_depth = out->type == BW_IMAGE_3D ||
			 (out->type >= BW_IMAGE_CUBE && out->type != BW_IMAGE_2D_MSAA);
	out->dim[2] = has_depth ? field(t, BW_IMAGE_DEPTH) + 1 : 1;
}

/* The i-th address dword: consecutive registers or, with NSA, four named one by one, and
 * consecutive registers from the fifth on. */
static unsigned address_register(const struct bw_inst *i, unsigned n)
{
	if (!n || !i->n_nsa)
		return i->vaddr + n;
	return n < 4 ? i->nsa[n - 1] : i->nsa[3] + (n - 4);
}

/* The texel of each lane: x, y and slice. */
static struct bw_error *read_texels(struct bw_debug *d, struct bw_wave_record *w,
				    const struct bw_inst *i, struct bw_access_image *out)
{
	unsigned n = BW_MIN(n_coords[i->dim & 7], 3);
	for (unsigned c = 0; c < n; c++) {
		uint32_t v[64] = {0};
		unsigned reg = address_register(i, i->a16 ? c / 2 : c);
		/* the second coordinate of a 1D array is its slice */
		unsigned to = (i->dim & 7) == 4 && c == 1 ? 2 : c;
		if (reg < w->info.n_vgprs)
			BW_TRY(bw_target_read_vgpr(d->target, w->info.slot, reg, v));
		for (unsigned lane = 0; lane < 64; lane++)
			out->texel[lane][to] = i->a16 ? bw_half16(v[lane], c % 2) : v[lane];
	}
	out->has_texels = true;
	return NULL;
}

/* The layout of an image in memory. */
struct layout {
	unsigned texel_b;
	unsigned block_log2, w_log2, h_log2; /* block_log2 0: linear */
	uint64_t row_b; /* linear: bytes from row to row; otherwise: bytes of one row of blocks */
	uint64_t slice_b;
	uint32_t first_slice;
};

/* Finds the layout of an image. False: it is not known here. */
static bool layout_of(const uint32_t *t, const struct bw_access_image *im, struct layout *out)
{
	unsigned mode = field(t, BW_IMAGE_SW_MODE), max_mip = field(t, BW_IMAGE_MAX_MIP);
	*out = (struct layout){.texel_b = texel_b(field(t, BW_IMAGE_FORMAT)),
			       .block_log2 = block_log2(mode),
			       .first_slice = field(t, BW_IMAGE_BASE_ARRAY)};
	bool thick = im->type == BW_IMAGE_3D && mode, msaa = im->type >= BW_IMAGE_2D_MSAA;
	if (!out->texel_b || max_mip || thick || msaa || im->type < BW_IMAGE_1D ||
	    (mode && !out->block_log2) || field(t, BW_IMAGE_BASE_LEVEL))
		return false;
	if (!mode) {
		/* for 1D and 2D, DEPTH is the pitch if it is more than the width */
		uint32_t pitch = field(t, BW_IMAGE_PITCH) + 1;
		bool has_pitch =
			(im->type == BW_IMAGE_1D || im->type == BW_IMAGE_2D) && pitch > im->dim[0];
		out->row_b =
			bw_align_up((uint64_t)(has_pitch ? pitch : im->dim[0]) * out->texel_b, 256);
		out->slice_b = out->row_b * im->dim[1];
		return true;
	}
	if (out->texel_b & (out->texel_b - 1))
		return false;
	unsigned log2 = out->block_log2 - (unsigned)__builtin_ctz(out->texel_b);
	out->w_log2 = (log2 + 1) / 2;
	out->h_log2 = log2 / 2;
	out->row_b = bw_align_up(im->dim[0], 1ull << out->w_log2) >> out->w_log2 << out->block_log2;
	out->slice_b = out->row_b * (bw_align_up(im->dim[1], 1ull << out->h_log2) >> out->h_log2);
	return true;
}

static uint64_t texel_address(const struct layout *l, const struct bw_access_image *im,
			      const uint32_t *texel)
{
	uint64_t at = im->base + (texel[2] + (uint64_t)l->first_slice) * l->slice_b;
	if (!l->block_log2)
		return bw_canonical(at + texel[1] * l->row_b + (uint64_t)texel[0] * l->texel_b);
	return bw_canonical(at + (texel[1] >> l->h_log2) * l->row_b +
			    ((uint64_t)(texel[0] >> l->w_log2) << l->block_log2));
}

/* Whether the instruction is a load, store or atomic of one texel for each lane. */
static bool names_texels(const struct bw_op_info *info)
{
	bool moves = info->flags & (BW_OPF_LOAD | BW_OPF_STORE | BW_OPF_ATOMIC);
	bool samples = info->n_src > 2 && info->src[2].type == BW_OPERAND_SAMPLER;
	return moves && !samples && info != bw_isa_op_info(BW_OP_IMAGE_MSAA_LOAD);
}

struct bw_error *bw_image_access(struct bw_debug *d, struct bw_wave_record *w,
				 const struct bw_op_info *info, struct bw_wave_access *out)
{
	const struct bw_inst *i = &out->inst;
	struct bw_access_image *im = &out->image;
	uint32_t t[8];
	struct layout l;

	if (info->src[1].type == BW_OPERAND_BVH)
		return NULL;
	BW_TRY(read_descriptor(d, w, i, t));
	out->is_image = true;
	describe(t, im);
	/* with a sampler, the texels depend on filters and derivatives */
	if (!names_texels(info))
		return NULL;
	BW_TRY(read_texels(d, w, i, im));
	if (!layout_of(t, im, &l))
		return NULL;
	out->has_addresses = true;
	out->size_b = l.texel_b;
	out->span_b = l.block_log2 ? 1u << l.block_log2 : l.texel_b;
	for (unsigned lane = 0; lane < w->info.lanes; lane++) {
		const uint32_t *x = im->texel[lane];
		if (x[0] >= im->dim[0] || x[1] >= im->dim[1] || x[2] >= im->dim[2])
			out->lanes &= ~(1ull << lane); /* outside of the image nothing is
						        * accessed */
		else
			out->addr[lane] = texel_address(&l, im, x);
	}
	return NULL;
}
