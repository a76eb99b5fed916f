/* SPDX-License-Identifier: MIT */
/* Copies of windows between linear and tiled surfaces, row by row. A tiled one is an image like
 * that of a descriptor, of elements without a meaning. Compression is never there in this device,
 * so its metadata stays as it is (draw.h). */
#include <string.h>

#include "base/util.h"
#include "image/image.h"
#include "vgpu/device/sdma_engine.h"

/* Elements copied in one turn. */
enum { TURN_ELEMENTS = 1 << 16 };

/* Either side of a copy, with its elements at coordinates of the window. */
struct side {
	bool is_tiled;
	struct bw_sdma_linear linear;
	struct bw_image im;
	unsigned level;
	uint32_t x, y, z, width, height, slices; /* the window's corner, and the level's size */
	unsigned elem_b;
};

static uint32_t level_size(uint32_t size, unsigned level)
{
	return (uint32_t)(((uint64_t)size + (1ull << level) - 1) >> level);
}

static const char *tiled_side(const struct bw_sdma_tiled *t, struct side *out)
{
	/* 8_UINT, 16_UINT, 32_UINT, 32_32_UINT, 32_32_32_32_UINT (image/format.def) */
	static const char *const names[] = {"8_UINT", "16_UINT", "32_UINT", "32_32_UINT",
					    "32_32_32_32_UINT"};
	static const uint8_t types[4] = {BW_IMAGE_1D_ARRAY, BW_IMAGE_2D_ARRAY, BW_IMAGE_3D, 0};
	unsigned format = 0, type = types[t->dimension];
	for (unsigned i = 1; t->element_log2 < BW_ARRAY_SIZE(names) && i < 64 && !format; i++) {
		const struct bw_format *f = bw_format_image(i);
		if (f && !strcmp(f->name, names[t->element_log2]))
			format = i;
	}
	if (!format || !type)
		return "its surface has a layout that does not exist";
	uint32_t words[BW_IMAGE_DESC_DW] = {0};
	bw_words_put(words, BW_IMAGE_BASE_256B, t->address / 256);
	bw_words_put(words, BW_IMAGE_MAX_MIP, t->last_level);
	bw_words_put(words, BW_IMAGE_FORMAT, format);
	bw_words_put(words, BW_IMAGE_WIDTH, t->width_less_1);
	bw_words_put(words, BW_IMAGE_HEIGHT, t->height_less_1);
	bw_words_put(words, BW_IMAGE_DST_SEL, BW_SEL_XYZW);
	bw_words_put(words, BW_IMAGE_LAST_LEVEL, t->last_level);
	bw_words_put(words, BW_IMAGE_SW_MODE, t->swizzle_mode);
	bw_words_put(words, BW_IMAGE_TYPE, type);
	bw_words_put(words, BW_IMAGE_DEPTH, t->depth_less_1);
	bw_words_put(words, BW_IMAGE_UAV3D, type == BW_IMAGE_3D); /* slices of the level */
	const char *why = bw_image_read(words, &out->im);
	if (why)
		return why;
	if (t->level >= out->im.n_levels)
		return "its level does not exist";
	out->is_tiled = true;
	out->level = t->level;
	out->x = t->x;
	out->y = t->y;
	out->z = t->z;
	/* Memory has the size of a level rounded up: compressed formats end with a part of a
	 * block. */
	out->width = level_size(t->width_less_1 + 1u, t->level);
	out->height = level_size(t->height_less_1 + 1u, t->level);
	out->slices = bw_image_slices(&out->im, t->level);
	return NULL;
}

/* False: there is nothing at these coordinates of the window. */
static bool element_va(const struct side *s, uint32_t x, uint32_t y, uint32_t z, uint64_t *out_va)
{
	if (!s->is_tiled) {
		const struct bw_sdma_linear *l = &s->linear;
		*out_va = l->address + ((uint64_t)(l->z + z) * (l->slice_pitch_less_1 + 1u) +
					(uint64_t)(l->y + y) * (l->pitch_less_1 + 1u) + l->x + x) *
					       s->elem_b;
		return true;
	}
	x += s->x, y += s->y, z += s->z;
	if (x >= s->width || y >= s->height || z >= s->slices)
		return false;
	*out_va = bw_image_va(&s->im, s->level, x, y, z, 0);
	return true;
}

static bool copy_row(struct bw_sdma_engine *e, const struct side *src, const struct side *dst,
		     uint32_t width, uint32_t y, uint32_t z)
{
	uint64_t from, to;
	uint8_t row[4096];
	if (!src->is_tiled && !dst->is_tiled) {
		element_va(src, 0, y, z, &from);
		element_va(dst, 0, y, z, &to);
		for (uint64_t left = (uint64_t)width * src->elem_b; left;) {
			size_t n = (size_t)BW_MIN(left, (uint64_t)sizeof(row));
			if (!bw_sdma_read(e, from, row, n) || !bw_sdma_write_mem(e, to, row, n))
				return false;
			from += n, to += n, left -= n;
		}
		return true;
	}
	for (uint32_t x = 0; x < width; x++) {
		if (!element_va(src, x, y, z, &from) || !element_va(dst, x, y, z, &to))
			continue;
		if (!bw_sdma_read(e, from, row, src->elem_b) ||
		    !bw_sdma_write_mem(e, to, row, src->elem_b))
			return false;
	}
	return true;
}

enum bw_sdma_result bw_sdma_copy_window(struct bw_sdma_engine *e, const struct bw_sdma_packet *p)
{
	struct bw_sdma_window w;
	struct side src = {0}, dst = {0};
	const char *why = NULL;
	char buf[32];
	bw_sdma_window(p, &w);
	src.linear = w.src_linear;
	dst.linear = w.dst_linear;
	if (w.src_is_tiled)
		why = tiled_side(&w.src_tiled, &src);
	if (!why && w.dst_is_tiled)
		why = tiled_side(&w.dst_tiled, &dst);
	if (!why && w.elem_log2 > 4)
		why = "its elements are larger than 16 bytes";
	if (!why && w.src_is_tiled && w.dst_is_tiled &&
	    w.src_tiled.element_log2 != w.dst_tiled.element_log2)
		why = "its elements differ in size";
	if (why) {
		bw_sdma_fail(e, "SDMA packet %s: %s", bw_sdma_name(p->header, buf), why);
		return BW_SDMA_STOP;
	}
	src.elem_b = dst.elem_b = 1u << w.elem_log2;
	uint64_t rows = (uint64_t)w.height * w.depth;
	for (uint64_t n = 0; e->progress < rows && n < TURN_ELEMENTS; n += w.width, e->progress++)
		if (!copy_row(e, &src, &dst, w.width, (uint32_t)(e->progress % w.height),
			      (uint32_t)(e->progress / w.height)))
			return BW_SDMA_STOP;
	return e->progress < rows ? BW_SDMA_AGAIN : BW_SDMA_DONE;
}
