// SPDX-License-Identifier: MIT
/* Pictures of images and buffers: texels read where they lie, in tiles or in rows. */
#include "debug/bound.h"
#include "debug/debug_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "image/format_bc.h"
#include "image/image.h"

enum { LINE_B = 4096, LINES = 4096, TEXEL_MAX_B = 16 };

/* A cache of memory: one line for each group of addresses. */
struct lines {
	struct bw_debug *d;
	uint64_t *va; /* address of each line; UINT64_MAX: empty */
	uint8_t *bytes;
};

static struct bw_error *read_bytes(struct lines *l, uint64_t va, uint8_t *out, size_t n)
{
	while (n) {
		uint64_t line_va = bw_align_down(va, LINE_B);
		size_t i = line_va / LINE_B % LINES, in = va - line_va;
		size_t part = BW_MIN(n, LINE_B - in);
		if (l->va[i] != line_va) {
			l->va[i] = UINT64_MAX;
			BW_TRY(bw_debug_read(l->d, BW_SPACE_GLOBAL, line_va, l->bytes + i * LINE_B,
					     LINE_B));
			l->va[i] = line_va;
		}
		memcpy(out, l->bytes + i * LINE_B + in, part);
		va += part;
		out += part;
		n -= part;
	}
	return NULL;
}

static struct bw_error *put_image(struct lines *l, const struct bw_image *im, unsigned level,
				  struct bw_picture *p)
{
	uint8_t bytes[TEXEL_MAX_B];
	uint32_t texel[16][4], rgba[4], step = im->is_block ? 4 : 1;
	for (uint32_t y = 0; y < p->height; y += step) {
		for (uint32_t x = 0; x < p->width; x += step) {
			BW_TRY(read_bytes(l, bw_image_va(im, level, x, y, 0, 0), bytes,
					  im->format->size_b));
			if (im->is_block)
				bw_bc_decode(im->format, bytes, texel);
			else
				bw_format_unpack(im->format, bytes, texel[0]);
			for (unsigned i = 0; i < step * step; i++) {
				if (x + i % step >= p->width || y + i / step >= p->height)
					continue;
				bw_format_select(im->format, im->dst_sel, texel[i], rgba);
				bw_picture_put(p, im->format, x + i % step, y + i / step, rgba);
			}
		}
	}
	return NULL;
}

static struct bw_error *put_rows(struct lines *l, const struct bw_picture_of *of,
				 struct bw_picture *p)
{
	const struct bw_format *f = of->format;
	uint8_t bytes[TEXEL_MAX_B];
	uint32_t rgba[4];
	uint64_t va = of->va;
	for (uint32_t y = 0; y < p->height; y++) {
		for (uint32_t x = 0; x < p->width; x++, va += f->size_b) {
			BW_TRY(read_bytes(l, va, bytes, f->size_b));
			bw_format_unpack(f, bytes, rgba);
			bw_picture_put(p, f, x, y, rgba);
		}
	}
	return NULL;
}

static struct bw_error *read_picture(struct bw_debug *d, const struct bw_picture_of *of,
				     const struct bw_image *im, struct bw_picture *p)
{
	_cleanup_free_ uint64_t *va = malloc(LINES * sizeof(*va));
	_cleanup_free_ uint8_t *bytes = malloc((size_t)LINES * LINE_B);
	struct lines l = {d, va, bytes};
	if (!va || !bytes)
		return bw_error_nomem();
	memset(va, 0xff, LINES * sizeof(*va));
	return im ? put_image(&l, im, im->base_level, p) : put_rows(&l, of, p);
}

struct bw_error *bw_debug_picture(struct bw_debug *d, const struct bw_picture_of *of,
				  struct bw_picture *out)
{
	struct bw_image im = {0};
	struct bw_picture p = {0};
	const struct bw_format *f = of->format;
	uint32_t width = of->width, height = of->height;
	if (of->image) {
		const char *why = bw_image_read(of->image->words, &im);
		if (why)
			return bw_errorf(BW_E_UNSUPPORTED, "the image cannot be read: %s", why);
		if (!im.format)
			return bw_errorf(BW_E_INVALID, "the descriptor has no format");
		if (im.samples_log2 && !of->any_samples)
			return bw_errorf(BW_E_UNSUPPORTED,
					 "pictures of multisampled images are not supported");
		f = im.format;
		im.base_level += (uint8_t)of->level;
		if (im.base_level >= im.n_levels)
			return bw_errorf(BW_E_INVALID, "the image has no level %u", of->level);
		width = bw_image_mip(im.width, im.base_level);
		height = bw_image_mip(im.height, im.base_level);
	}
	if (!bw_picture_init(&p, f, width, height))
		return bw_errorf(BW_E_INVALID, "a picture of %ux%u texels is too large", width,
				 height);
	struct bw_error *err = read_picture(d, of, of->image ? &im : NULL, &p);
	if (err) {
		bw_picture_fini(&p);
		return err;
	}
	*out = p;
	return NULL;
}
