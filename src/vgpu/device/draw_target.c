/* SPDX-License-Identifier: MIT */
/* Colour and depth surfaces: as the CB and DB registers describe them, they are images like those
 * of descriptors, and stored to in the same way. Field positions: gc_11_0_0_sh_mask.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/util.h"
#include "base/words.h"
#include "vgpu/device/draw_priv.h"
#include "vgpu/device/exec/memory/rmw.h"

/* SPI_SHADER_EX_FORMAT (soc21_enum.h) */
enum ex_format {
	EX_ZERO,
	EX_32_R,
	EX_32_GR,
	EX_32_AR,
	EX_FP16_ABGR,
	EX_UNORM16_ABGR,
	EX_SNORM16_ABGR,
	EX_UINT16_ABGR,
	EX_SINT16_ABGR,
	EX_32_ABGR,
};
enum { CB_MODE_DISABLE, CB_MODE_NORMAL, CB_MODE_ELIMINATE_FAST_CLEAR, CB_MODE_DCC_DECOMPRESS };
enum { ROP3_COPY = 0xcc, FUNC_ALWAYS = 7 };

#define CTX(dev, name) bw_reg_get(dev, BW_REG_##name)
#define CTX_FIELD(dev, name, field) BW_FIELD_GET(name, field, CTX(dev, name))

/* ---- formats ---- */

/* clang-format off */
static const char *const color_formats[] = {
	[1] = "8",	     [2] = "16",	  [3] = "8_8",		 [4] = "32",
	[5] = "16_16",	     [6] = "10_11_11",	  [7] = "11_11_10",	 [8] = "10_10_10_2",
	[9] = "2_10_10_10",  [10] = "8_8_8_8",	  [11] = "32_32",	 [12] = "16_16_16_16",
	[14] = "32_32_32_32", [16] = "5_6_5",	  [17] = "1_5_5_5",	 [18] = "5_5_5_1",
	[19] = "4_4_4_4",    [20] = "8_24",	  [21] = "24_8",	 [24] = "5_9_9_9",
};
/* clang-format on */
static const char *const numbers[] = {"UNORM", "SNORM", "USCALED", "SSCALED",
				      "UINT",  "SINT",	"SRGB",	   "FLOAT"};

/* The image format of that name; 0: there is none. */
static unsigned format_number(const char *layout, const char *number)
{
	char name[40];
	snprintf(name, sizeof(name), "%s_%s", layout, number);
	for (unsigned i = 1; i < 256; i++) {
		const struct bw_format *f = bw_format_image(i);
		if (f && !strcmp(f->name, name))
			return i;
	}
	return 0;
}

/* COMP_SWAP: which of RGBA each component in memory is (Mesa's ac_translate_colorswap,
 * reversed). */
static void swap_components(unsigned n, unsigned swap, uint8_t out[4])
{
	enum { R, G, B, A };
	static const uint8_t table[4][4][4] = {
		{{R}, {G}, {B}, {A}},
		{{R, G}, {R, A}, {G, R}, {A, R}},
		{{R, G, B}, {R, G, A}, {B, G, R}, {A, G, R}},
		{{R, G, B, A}, {B, G, R, A}, {A, B, G, R}, {A, R, G, B}},
	};
	memcpy(out, table[n - 1][swap], 4);
}

/* ---- surfaces as image descriptors (doc/hardware/encodings.md 6) ---- */

struct shape {
	uint64_t base_256b;
	unsigned format, sw_mode, width, height, first, last, level, n_levels, samples_log2;
	unsigned resource; /* 0: 1D, 1: 2D, 2: 3D */
};

static const char *make_surface(const struct shape *s, struct bw_draw_surface *out)
{
	static const uint8_t types[] = {BW_IMAGE_1D_ARRAY, BW_IMAGE_2D_ARRAY, BW_IMAGE_3D};
	unsigned type = s->samples_log2 ? BW_IMAGE_2D_MSAA_ARRAY : types[BW_MIN(s->resource, 2u)];
	uint32_t words[BW_IMAGE_DESC_DW] = {0};
	bw_words_put(words, BW_IMAGE_BASE_256B, s->base_256b);
	bw_words_put(words, BW_IMAGE_MAX_MIP, s->n_levels - 1);
	bw_words_put(words, BW_IMAGE_FORMAT, s->format);
	bw_words_put(words, BW_IMAGE_WIDTH, s->width - 1);
	bw_words_put(words, BW_IMAGE_HEIGHT, s->height - 1);
	bw_words_put(words, BW_IMAGE_DST_SEL, BW_SEL_XYZW);
	bw_words_put(words, BW_IMAGE_LAST_LEVEL,
		     s->samples_log2 ? s->samples_log2 : s->n_levels - 1);
	bw_words_put(words, BW_IMAGE_SW_MODE, s->sw_mode);
	bw_words_put(words, BW_IMAGE_TYPE, type);
	bw_words_put(words, BW_IMAGE_DEPTH, s->last);
	bw_words_put(words, BW_IMAGE_BASE_ARRAY, s->first);
	bw_words_put(words, BW_IMAGE_UAV3D,
		     type == BW_IMAGE_3D); /* slices of the level, not of level 0 */
	if (!s->format)
		return "its target has a format that is not supported";
	const char *why = bw_image_read(words, &out->im);
	if (why)
		return why;
	if (s->level >= out->im.n_levels)
		return "its target is a level that the image does not have";
	out->level = s->level;
	out->used = true;
	return NULL;
}

/* ---- colour ---- */

static const char *read_color(struct bw_device *dev, unsigned i, uint8_t mask,
			      unsigned export_format, unsigned samples_log2,
			      struct bw_draw_surface *out)
{
	uint32_t info = bw_reg_get(dev, BW_REG_CB_COLOR0_INFO + i);
	uint32_t view = bw_reg_get(dev, BW_REG_CB_COLOR0_VIEW + i);
	uint32_t attrib2 = bw_reg_get(dev, BW_REG_CB_COLOR0_ATTRIB2 + i);
	uint32_t attrib3 = bw_reg_get(dev, BW_REG_CB_COLOR0_ATTRIB3 + i);
	uint32_t base_ext = bw_reg_get(dev, BW_REG_CB_COLOR0_BASE_EXT + i);
	unsigned format = BW_FIELD_GET(CB_COLOR0_INFO, FORMAT, info);
	unsigned number = BW_FIELD_GET(CB_COLOR0_INFO, NUMBER_TYPE, info);
	if (!format || !mask || export_format == EX_ZERO)
		return NULL;
	if (BW_FIELD_GET(CB_BLEND0_CONTROL, ENABLE, bw_reg_get(dev, BW_REG_CB_BLEND0_CONTROL + i)))
		return "it blends";
	const char *layout = format < BW_ARRAY_SIZE(color_formats) ? color_formats[format] : NULL;
	struct shape s = {
		.base_256b = bw_join32(base_ext, bw_reg_get(dev, BW_REG_CB_COLOR0_BASE + i)),
		.format = layout ? format_number(layout, numbers[number]) : 0,
		.sw_mode = BW_FIELD_GET(CB_COLOR0_ATTRIB3, COLOR_SW_MODE, attrib3),
		.width = BW_FIELD_GET(CB_COLOR0_ATTRIB2, MIP0_WIDTH, attrib2) + 1,
		.height = BW_FIELD_GET(CB_COLOR0_ATTRIB2, MIP0_HEIGHT, attrib2) + 1,
		.first = BW_FIELD_GET(CB_COLOR0_VIEW, SLICE_START, view),
		.last = BW_FIELD_GET(CB_COLOR0_VIEW, SLICE_MAX, view),
		.level = BW_FIELD_GET(CB_COLOR0_VIEW, MIP_LEVEL, view),
		.n_levels = BW_FIELD_GET(CB_COLOR0_ATTRIB2, MAX_MIP, attrib2) + 1,
		.resource = BW_FIELD_GET(CB_COLOR0_ATTRIB3, RESOURCE_TYPE, attrib3),
		.samples_log2 = samples_log2,
	};
	const char *why = make_surface(&s, out);
	if (why)
		return why;
	out->mask = mask;
	out->export_format = export_format;
	swap_components(out->im.format->n, BW_FIELD_GET(CB_COLOR0_INFO, COMP_SWAP, info),
			out->from);
	return NULL;
}

/* ---- depth and stencil ---- */

static const char *read_depth(struct bw_device *dev, struct bw_draw_targets *t)
{
	uint32_t control = CTX(dev, DB_DEPTH_CONTROL), view = CTX(dev, DB_DEPTH_VIEW);
	static const char *const z_formats[4] = {NULL, "16", NULL, "32"};
	unsigned z = CTX_FIELD(dev, DB_Z_INFO, FORMAT);
	struct shape s = {
		.width = CTX_FIELD(dev, DB_DEPTH_SIZE_XY, X_MAX) + 1,
		.height = CTX_FIELD(dev, DB_DEPTH_SIZE_XY, Y_MAX) + 1,
		.first = BW_FIELD_GET(DB_DEPTH_VIEW, SLICE_START, view) |
			 BW_FIELD_GET(DB_DEPTH_VIEW, SLICE_START_HI, view)
				 << BW_FIELD_WIDTH(DB_DEPTH_VIEW, SLICE_START),
		.last = BW_FIELD_GET(DB_DEPTH_VIEW, SLICE_MAX, view) |
			BW_FIELD_GET(DB_DEPTH_VIEW, SLICE_MAX_HI, view)
				<< BW_FIELD_WIDTH(DB_DEPTH_VIEW, SLICE_MAX),
		.level = BW_FIELD_GET(DB_DEPTH_VIEW, MIPID, view),
		.n_levels = CTX_FIELD(dev, DB_Z_INFO, MAXMIP) + 1,
		.samples_log2 = CTX_FIELD(dev, DB_Z_INFO, NUM_SAMPLES),
		.resource = 1,
	};
	const char *why = NULL;
	t->clear_depth = CTX_FIELD(dev, DB_RENDER_CONTROL, DEPTH_CLEAR_ENABLE);
	t->clear_stencil = CTX_FIELD(dev, DB_RENDER_CONTROL, STENCIL_CLEAR_ENABLE);
	t->export_depth = CTX_FIELD(dev, DB_SHADER_CONTROL, Z_EXPORT_ENABLE);
	t->export_stencil = CTX_FIELD(dev, DB_SHADER_CONTROL, STENCIL_TEST_VAL_EXPORT_ENABLE);
	t->z_export_format = CTX_FIELD(dev, SPI_SHADER_Z_FORMAT, Z_EXPORT_FORMAT);
	uint32_t clear = CTX(dev, DB_DEPTH_CLEAR);
	memcpy(&t->depth_clear, &clear, 4);

	bool writes_z = BW_FIELD_GET(DB_DEPTH_CONTROL, Z_ENABLE, control) &&
			BW_FIELD_GET(DB_DEPTH_CONTROL, Z_WRITE_ENABLE, control) && z &&
			!BW_FIELD_GET(DB_DEPTH_VIEW, Z_READ_ONLY, view);
	if (writes_z) {
		if (BW_FIELD_GET(DB_DEPTH_CONTROL, ZFUNC, control) != FUNC_ALWAYS &&
		    !t->clear_depth)
			return "it tests depth";
		s.base_256b = bw_join32(CTX(dev, DB_Z_WRITE_BASE_HI), CTX(dev, DB_Z_WRITE_BASE));
		s.sw_mode = CTX_FIELD(dev, DB_Z_INFO, SW_MODE);
		s.format =
			z_formats[z] ? format_number(z_formats[z], z == 1 ? "UNORM" : "FLOAT") : 0;
		why = make_surface(&s, &t->depth);
	}
	if (why || !BW_FIELD_GET(DB_DEPTH_CONTROL, STENCIL_ENABLE, control) ||
	    !CTX_FIELD(dev, DB_STENCIL_INFO, FORMAT) ||
	    BW_FIELD_GET(DB_DEPTH_VIEW, STENCIL_READ_ONLY, view))
		return why;
	unsigned op = CTX_FIELD(dev, DB_STENCIL_CONTROL, STENCILZPASS);
	if (BW_FIELD_GET(DB_DEPTH_CONTROL, STENCILFUNC, control) != FUNC_ALWAYS &&
	    !t->clear_stencil)
		return "it tests stencil";
	switch (t->clear_stencil ? 3 : op) { /* StencilOp */
	case 0:				     /* KEEP */
		return NULL;
	case 1: /* ZERO */
	case 2: /* ONES */
		t->stencil_value = op == 1 ? 0 : 0xff;
		t->export_stencil = false;
		break;
	case 3: /* REPLACE_TEST */
		t->stencil_value =
			(uint8_t)(t->clear_stencil
					  ? CTX_FIELD(dev, DB_STENCIL_CLEAR, CLEAR)
					  : CTX_FIELD(dev, DB_STENCILREFMASK, STENCILTESTVAL));
		t->export_stencil &= !t->clear_stencil;
		break;
	default:
		return "it computes with stencil values";
	}
	t->stencil_mask = (uint8_t)CTX_FIELD(dev, DB_STENCILREFMASK, STENCILWRITEMASK);
	s.base_256b =
		bw_join32(CTX(dev, DB_STENCIL_WRITE_BASE_HI), CTX(dev, DB_STENCIL_WRITE_BASE));
	s.sw_mode = CTX_FIELD(dev, DB_STENCIL_INFO, SW_MODE);
	s.format = format_number("8", "UINT");
	return make_surface(&s, &t->stencil);
}

const char *bw_draw_targets_read(struct bw_device *dev, struct bw_draw_targets *t)
{
	/* Four bits of each target: its components, the format of its export */
	uint32_t mask = CTX(dev, CB_TARGET_MASK) & CTX(dev, CB_SHADER_MASK);
	uint32_t formats = CTX(dev, SPI_SHADER_COL_FORMAT);
	unsigned mode = CTX_FIELD(dev, CB_COLOR_CONTROL, MODE);
	unsigned samples_log2 = CTX_FIELD(dev, PA_SC_AA_CONFIG, MSAA_NUM_SAMPLES);
	*t = (struct bw_draw_targets){.n_samples = 1u << samples_log2};
	t->sample_mask = CTX_FIELD(dev, PA_SC_AA_MASK_X0Y0_X1Y0, AA_MASK_X0Y0);
	if (samples_log2 > 3)
		return "it has more than 8 samples";
	if (mode > CB_MODE_DCC_DECOMPRESS)
		return "it resolves";
	if (mode == CB_MODE_NORMAL && mask && CTX_FIELD(dev, CB_COLOR_CONTROL, ROP3) != ROP3_COPY)
		return "it combines colours by a logic operation";
	const char *why = NULL;
	for (unsigned i = 0; i < BW_DRAW_COLORS && !why && mode == CB_MODE_NORMAL; i++)
		why = read_color(dev, i, bw_words_get(&mask, 4 * i, 4),
				 bw_words_get(&formats, 4 * i, 4), samples_log2, &t->color[i]);
	for (unsigned i = 0; i < BW_DRAW_COLORS; i++)
		if (t->color[i].used)
			t->n_colors = i + 1;
	return why ? why : read_depth(dev, t);
}

/* ---- stores ---- */

static uint32_t half(const struct bw_draw_export *e, unsigned c, unsigned lane)
{
	return bw_half16(e->v[c / 2][lane], c % 2);
}

/* A lane's export as RGBA of 32 bits. */
static void unpack(const struct bw_draw_export *e, unsigned format, unsigned lane, uint32_t rgba[4])
{
	for (unsigned c = 0; c < 4; c++) {
		switch (format) {
		case EX_32_R:
		case EX_32_GR:
			rgba[c] = c < format ? e->v[c][lane] : 0;
			break;
		case EX_32_AR: /* alpha comes second on gfx10 and later */
			rgba[c] = c == 0 ? e->v[0][lane] : c == 3 ? e->v[1][lane] : 0;
			break;
		case EX_FP16_ABGR:
			rgba[c] = bw_f16_to_f32((uint16_t)half(e, c, lane));
			break;
		case EX_UNORM16_ABGR:
			rgba[c] = f32_bits((float)half(e, c, lane) / 65535.0f);
			break;
		case EX_SNORM16_ABGR:
			rgba[c] = f32_bits(
				BW_MAX((float)(int16_t)half(e, c, lane) / 32767.0f, -1.0f));
			break;
		case EX_UINT16_ABGR:
			rgba[c] = half(e, c, lane);
			break;
		case EX_SINT16_ABGR:
			rgba[c] = (uint32_t)(int32_t)(int16_t)half(e, c, lane);
			break;
		default:
			rgba[c] = e->v[c][lane];
			break;
		}
	}
}

/* One texel; outside of the surface nothing is written. */
static bool put_texel(struct bw_draw_unit *u, const struct bw_draw_surface *s,
		      const struct bw_draw_pixel *p, uint32_t sample, const uint32_t components[4],
		      uint8_t write_mask)
{
	const struct bw_image *im = &s->im;
	const struct bw_format *f = im->format;
	uint8_t texel[16];
	uint32_t old[4], v[4];
	struct bw_vm_fault fault;
	struct bw_tlb *tlb = &u->tlb[u->w.vmid];
	if (p->x >= bw_image_mip(im->width, s->level) ||
	    p->y >= bw_image_mip(im->height, s->level) || p->layer >= bw_image_slices(im, s->level))
		return true;
	uint64_t va = bw_image_va(im, s->level, p->x, p->y, p->layer, sample);
	memcpy(v, components, sizeof(v));
	uint8_t all = (uint8_t)((1u << f->n) - 1);
	if ((write_mask & all) != all) {
		if (!bw_vm_read(tlb, va, texel, f->size_b, &fault))
			goto fault;
		bw_format_unpack(f, texel, old);
		for (unsigned c = 0; c < 4; c++)
			if (!(write_mask >> c & 1))
				v[c] = old[c];
	}
	bw_format_pack(f, v, texel);
	if (bw_vm_write(tlb, va, texel, f->size_b, &fault))
		return true;
fault:
	snprintf(u->why, sizeof(u->why), "its target at 0x%" PRIx64 " is not mapped", fault.va);
	return false;
}

static bool put_color(struct bw_draw_unit *u, const struct bw_draw_surface *s, unsigned i,
		      unsigned lane, const struct bw_draw_pixel *p, uint32_t sample)
{
	const struct bw_draw_export *e = &u->exports[BW_EXP_MRT0 + i];
	uint32_t rgba[4], v[4] = {0};
	uint8_t write_mask = 0;
	if (!(e->lanes >> lane & 1))
		return true;
	unpack(e, s->export_format, lane, rgba);
	for (unsigned c = 0; c < s->im.format->n; c++) {
		v[c] = rgba[s->from[c]];
		write_mask |= (uint8_t)((s->mask >> s->from[c] & 1) << c);
	}
	return put_texel(u, s, p, sample, v, write_mask);
}

static bool put_depth(struct bw_draw_unit *u, const struct bw_draw_targets *t, unsigned lane,
		      const struct bw_draw_pixel *p, uint32_t sample)
{
	const struct bw_draw_export *e = &u->exports[BW_EXP_MRTZ];
	uint32_t z = t->clear_depth    ? f32_bits(t->depth_clear)
		     : t->export_depth ? e->v[0][lane]
				       : f32_bits(p->z);
	if (t->export_depth && !t->clear_depth && !(e->lanes >> lane & 1))
		return true;
	return put_texel(u, &t->depth, p, sample, (uint32_t[4]){z}, 1);
}

static bool put_stencil(struct bw_draw_unit *u, const struct bw_draw_targets *t, unsigned lane,
			const struct bw_draw_pixel *p, uint32_t sample)
{
	const struct bw_draw_export *e = &u->exports[BW_EXP_MRTZ];
	uint32_t value = t->stencil_value;
	if (t->export_stencil) {
		if (!(e->lanes >> lane & 1))
			return true;
		/* Alone it comes as 16 bits: X[23:16] (ac_get_spi_shader_z_format of Mesa) */
		value = t->z_export_format == EX_UINT16_ABGR ? bw_half16(e->v[0][lane], 1) & 0xff
							     : e->v[1][lane] & 0xff;
	}
	const struct bw_image *im = &t->stencil.im;
	if (t->stencil_mask != 0xff && p->x < im->width && p->y < im->height &&
	    p->layer < bw_image_slices(im, t->stencil.level)) {
		uint8_t old;
		struct bw_vm_fault fault;
		uint64_t va = bw_image_va(im, t->stencil.level, p->x, p->y, p->layer, sample);
		if (bw_vm_read(&u->tlb[u->w.vmid], va, &old, 1, &fault))
			value = (value & t->stencil_mask) | (old & ~(uint32_t)t->stencil_mask);
	}
	return put_texel(u, &t->stencil, p, sample, (uint32_t[4]){value & 0xff}, 1);
}

static bool store_lane(struct bw_draw_unit *u, const struct bw_draw_targets *t, unsigned lane,
		       const struct bw_draw_pixel *p, uint32_t sample)
{
	for (unsigned i = 0; i < t->n_colors; i++)
		if (t->color[i].used && !put_color(u, &t->color[i], i, lane, p, sample))
			return false;
	return (!t->depth.used || put_depth(u, t, lane, p, sample)) &&
	       (!t->stencil.used || put_stencil(u, t, lane, p, sample));
}

bool bw_draw_store(struct bw_draw_unit *u, const struct bw_draw_targets *t, uint64_t lanes,
		   const struct bw_draw_pixel *pixels, int only_sample)
{
	bool ok = true;
	uint32_t fp = bw_fp_plain_begin();
	for (; lanes && ok; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(lanes);
		for (uint32_t s = 0; s < t->n_samples && ok; s++)
			if (t->sample_mask >> s & 1 &&
			    (only_sample < 0 || (uint32_t)only_sample == s))
				ok = store_lane(u, t, lane, &pixels[lane], s);
	}
	bw_fp_plain_end(fp);
	return ok;
}
