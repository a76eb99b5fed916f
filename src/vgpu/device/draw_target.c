/* SPDX-License-Identifier: MIT */
/* Colour and depth surfaces, and what is done with them. As the CB and DB registers describe them,
 * they are images like those of descriptors. Field positions: gc_11_0_0_sh_mask.h. */
#include <stdio.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/util.h"
#include "base/words.h"
#include "vgpu/device/draw_priv.h"

enum { CB_MODE_DISABLE, CB_MODE_NORMAL, CB_MODE_ELIMINATE_FAST_CLEAR, CB_MODE_DCC_DECOMPRESS };
enum { ROP3_COPY = 0xcc, FUNC_ALWAYS = 7, OP_REPLACE_TEST = 3 };

#define CTX(q, name) bw_reg_get((q)->dev, BW_REG_##name)
#define CTX_FIELD(q, name, field) BW_FIELD_GET(name, field, CTX(q, name))

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
	memcpy(out->words, words, sizeof(words));
	const char *why = bw_image_read(words, &out->im);
	if (why)
		return why;
	if (s->level >= out->im.n_levels)
		return "its target is a level that the image does not have";
	out->level = s->level;
	out->width = bw_image_mip(out->im.width, s->level);
	out->height = bw_image_mip(out->im.height, s->level);
	out->slices = bw_image_slices(&out->im, s->level);
	out->used = true;
	return NULL;
}

/* ---- colour ---- */

static void read_blend(struct bw_queue *q, unsigned i, uint32_t info, struct bw_draw_surface *out)
{
	uint32_t word = bw_reg_get(q->dev, BW_REG_CB_BLEND0_CONTROL + i);
	uint32_t attrib = bw_reg_get(q->dev, BW_REG_CB_COLOR0_ATTRIB + i);
	struct bw_blend *b = &out->blend;
	b->enabled = BW_FIELD_GET(CB_BLEND0_CONTROL, ENABLE, word) &&
		     !BW_FIELD_GET(CB_COLOR0_INFO, BLEND_BYPASS, info) && !out->im.format->is_int;
	b->color.src = (uint8_t)BW_FIELD_GET(CB_BLEND0_CONTROL, COLOR_SRCBLEND, word);
	b->color.dst = (uint8_t)BW_FIELD_GET(CB_BLEND0_CONTROL, COLOR_DESTBLEND, word);
	b->color.op = (uint8_t)BW_FIELD_GET(CB_BLEND0_CONTROL, COLOR_COMB_FCN, word);
	b->alpha = b->color;
	if (BW_FIELD_GET(CB_BLEND0_CONTROL, SEPARATE_ALPHA_BLEND, word)) {
		b->alpha.src = (uint8_t)BW_FIELD_GET(CB_BLEND0_CONTROL, ALPHA_SRCBLEND, word);
		b->alpha.dst = (uint8_t)BW_FIELD_GET(CB_BLEND0_CONTROL, ALPHA_DESTBLEND, word);
		b->alpha.op = (uint8_t)BW_FIELD_GET(CB_BLEND0_CONTROL, ALPHA_COMB_FCN, word);
	}
	b->clamps = BW_FIELD_GET(CB_COLOR0_INFO, BLEND_CLAMP, info);
	b->low = out->im.format->num == BW_NUM_SNORM ? -1 : 0;
	b->dst_alpha_is_1 = BW_FIELD_GET(CB_COLOR0_ATTRIB, FORCE_DST_ALPHA_1, attrib);
	for (unsigned c = 0; c < 4; c++)
		b->constant[c] = bits_f32(bw_reg_get(q->dev, BW_REG_CB_BLEND_RED + c));
}

/* What of a texel is written. Logic operations are not for floats (Vulkan 1.3, 29.2). */
static void set_write(struct bw_draw_surface *s, uint8_t mask, uint8_t rop3, bool no_rop)
{
	const struct bw_format *f = s->im.format;
	s->mask = mask;
	for (unsigned c = 0; c < f->n; c++)
		s->write_mask |= (uint8_t)((mask >> s->from[c] & 1) << c);
	s->is_rop = rop3 != ROP3_COPY && !no_rop && f->num != BW_NUM_FLOAT && f->num != BW_NUM_SRGB;
	s->overwrites = s->write_mask == (1u << f->n) - 1 && !s->blend.enabled && !s->is_rop;
}

static const char *read_color(struct bw_queue *q, unsigned i, uint8_t mask, unsigned export_format,
			      unsigned samples_log2, struct bw_draw_surface *out)
{
	struct bw_device *dev = q->dev;
	uint32_t info = bw_reg_get(dev, BW_REG_CB_COLOR0_INFO + i);
	uint32_t view = bw_reg_get(dev, BW_REG_CB_COLOR0_VIEW + i);
	uint32_t attrib2 = bw_reg_get(dev, BW_REG_CB_COLOR0_ATTRIB2 + i);
	uint32_t attrib3 = bw_reg_get(dev, BW_REG_CB_COLOR0_ATTRIB3 + i);
	uint32_t base_ext = bw_reg_get(dev, BW_REG_CB_COLOR0_BASE_EXT + i);
	uint32_t compression = bw_reg_get(dev, BW_REG_CB_COLOR0_FDCC_CONTROL + i);
	unsigned format = BW_FIELD_GET(CB_COLOR0_INFO, FORMAT, info);
	unsigned number = BW_FIELD_GET(CB_COLOR0_INFO, NUMBER_TYPE, info);
	if (!format || !mask || export_format == BW_EX_ZERO)
		return NULL;
	if (BW_FIELD_GET(CB_COLOR0_FDCC_CONTROL, FDCC_ENABLE, compression))
		return "its target is compressed (DCC), which is not supported";
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
	swap_components(out->im.format->n, BW_FIELD_GET(CB_COLOR0_INFO, COMP_SWAP, info),
			out->from);
	read_blend(q, i, info, out);
	set_write(out, mask, (uint8_t)CTX_FIELD(q, CB_COLOR_CONTROL, ROP3),
		  BW_FIELD_GET(CB_BLEND0_CONTROL, DISABLE_ROP3,
			       bw_reg_get(dev, BW_REG_CB_BLEND0_CONTROL + i)));
	return NULL;
}

/* ---- depth and stencil ---- */

/* The fields of one face; those of the back are behind them, with other names. */
#define STENCIL_FACE(q, control, suffix)                                                           \
	((struct bw_draw_stencil){                                                                 \
		.function = (uint8_t)BW_FIELD_GET(DB_DEPTH_CONTROL, STENCILFUNC##suffix, control), \
		.reference =                                                                       \
			(uint8_t)BW_FIELD_GET(DB_STENCILREFMASK##suffix, STENCILTESTVAL##suffix,   \
					      CTX(q, DB_STENCILREFMASK##suffix)),                  \
		.mask = (uint8_t)BW_FIELD_GET(DB_STENCILREFMASK##suffix, STENCILMASK##suffix,      \
					      CTX(q, DB_STENCILREFMASK##suffix)),                  \
		.write_mask =                                                                      \
			(uint8_t)BW_FIELD_GET(DB_STENCILREFMASK##suffix, STENCILWRITEMASK##suffix, \
					      CTX(q, DB_STENCILREFMASK##suffix)),                  \
		.op_value = (uint8_t)BW_FIELD_GET(DB_STENCILREFMASK##suffix, STENCILOPVAL##suffix, \
						  CTX(q, DB_STENCILREFMASK##suffix)),              \
		.fail = (uint8_t)CTX_FIELD(q, DB_STENCIL_CONTROL, STENCILFAIL##suffix),            \
		.pass = (uint8_t)CTX_FIELD(q, DB_STENCIL_CONTROL, STENCILZPASS##suffix),           \
		.depth_fail = (uint8_t)CTX_FIELD(q, DB_STENCIL_CONTROL, STENCILZFAIL##suffix),     \
	})

static void read_stencil_faces(struct bw_queue *q, struct bw_draw_targets *t)
{
	uint32_t control = CTX(q, DB_DEPTH_CONTROL);
	t->face[0] = STENCIL_FACE(q, control, );
	t->face[1] = t->face[0];
	if (BW_FIELD_GET(DB_DEPTH_CONTROL, BACKFACE_ENABLE, control))
		t->face[1] = STENCIL_FACE(q, control, _BF);
	for (unsigned i = 0; i < 2 && t->clear_stencil; i++)
		t->face[i] = (struct bw_draw_stencil){.function = FUNC_ALWAYS,
						      .reference = t->stencil_clear,
						      .mask = 0xff,
						      .write_mask = t->face[i].write_mask,
						      .pass = OP_REPLACE_TEST,
						      .depth_fail = OP_REPLACE_TEST};
}

static const char *read_depth(struct bw_queue *q, struct bw_draw_targets *t)
{
	uint32_t control = CTX(q, DB_DEPTH_CONTROL), view = CTX(q, DB_DEPTH_VIEW);
	static const char *const z_formats[4][2] = {
		[1] = {"16", "UNORM"}, [2] = {"8_24", "UNORM"}, [3] = {"32", "FLOAT"}};
	unsigned z = CTX_FIELD(q, DB_Z_INFO, FORMAT);
	bool has_depth = BW_FIELD_GET(DB_DEPTH_CONTROL, Z_ENABLE, control) && z;
	bool has_stencil = BW_FIELD_GET(DB_DEPTH_CONTROL, STENCIL_ENABLE, control) &&
			   CTX_FIELD(q, DB_STENCIL_INFO, FORMAT);
	struct shape s = {
		.width = CTX_FIELD(q, DB_DEPTH_SIZE_XY, X_MAX) + 1,
		.height = CTX_FIELD(q, DB_DEPTH_SIZE_XY, Y_MAX) + 1,
		.first = BW_FIELD_GET(DB_DEPTH_VIEW, SLICE_START, view) |
			 BW_FIELD_GET(DB_DEPTH_VIEW, SLICE_START_HI, view)
				 << BW_FIELD_WIDTH(DB_DEPTH_VIEW, SLICE_START),
		.last = BW_FIELD_GET(DB_DEPTH_VIEW, SLICE_MAX, view) |
			BW_FIELD_GET(DB_DEPTH_VIEW, SLICE_MAX_HI, view)
				<< BW_FIELD_WIDTH(DB_DEPTH_VIEW, SLICE_MAX),
		.level = BW_FIELD_GET(DB_DEPTH_VIEW, MIPID, view),
		.n_levels = CTX_FIELD(q, DB_Z_INFO, MAXMIP) + 1,
		.samples_log2 = CTX_FIELD(q, DB_Z_INFO, NUM_SAMPLES),
		.resource = 1,
	};
	const char *why = NULL;
	/* Its own test, also without the depth test (Vulkan 1.3, 28.9). */
	t->has_bounds = z && !t->clear_depth &&
			BW_FIELD_GET(DB_DEPTH_CONTROL, DEPTH_BOUNDS_ENABLE, control);
	if (!has_depth && !has_stencil && !t->has_bounds)
		return NULL;
	if (CTX_FIELD(q, DB_Z_INFO, TILE_SURFACE_ENABLE))
		return "its depth buffer is compressed (HTILE), which is not supported";
	t->bounds[0] = bits_f32(CTX(q, DB_DEPTH_BOUNDS_MIN));
	t->bounds[1] = bits_f32(CTX(q, DB_DEPTH_BOUNDS_MAX));
	t->writes_depth = has_depth && BW_FIELD_GET(DB_DEPTH_CONTROL, Z_WRITE_ENABLE, control) &&
			  !BW_FIELD_GET(DB_DEPTH_VIEW, Z_READ_ONLY, view);
	t->z_function = t->clear_depth || !has_depth
				? FUNC_ALWAYS
				: BW_FIELD_GET(DB_DEPTH_CONTROL, ZFUNC, control);
	if (t->writes_depth || t->z_function != FUNC_ALWAYS || t->has_bounds) {
		s.base_256b = bw_join32(CTX(q, DB_Z_WRITE_BASE_HI), CTX(q, DB_Z_WRITE_BASE));
		s.sw_mode = CTX_FIELD(q, DB_Z_INFO, SW_MODE);
		s.format = format_number(z_formats[z][0], z_formats[z][1]);
		why = make_surface(&s, &t->depth);
	}
	if (why || !has_stencil)
		return why;
	t->writes_stencil = !BW_FIELD_GET(DB_DEPTH_VIEW, STENCIL_READ_ONLY, view);
	read_stencil_faces(q, t);
	s.base_256b = bw_join32(CTX(q, DB_STENCIL_WRITE_BASE_HI), CTX(q, DB_STENCIL_WRITE_BASE));
	s.sw_mode = CTX_FIELD(q, DB_STENCIL_INFO, SW_MODE);
	s.format = format_number("8", "UINT");
	return make_surface(&s, &t->stencil);
}

/* Samples are tested before the shader when nothing that it does can change the result, or when it
 * asks for that. */
static void read_order(struct bw_queue *q, struct bw_draw_targets *t)
{
	uint32_t control = CTX(q, DB_SHADER_CONTROL);
	t->clear_depth = CTX_FIELD(q, DB_RENDER_CONTROL, DEPTH_CLEAR_ENABLE);
	t->clear_stencil = CTX_FIELD(q, DB_RENDER_CONTROL, STENCIL_CLEAR_ENABLE);
	t->depth_clear = bits_f32(CTX(q, DB_DEPTH_CLEAR));
	t->stencil_clear = (uint8_t)CTX_FIELD(q, DB_STENCIL_CLEAR, CLEAR);
	t->export_depth =
		BW_FIELD_GET(DB_SHADER_CONTROL, Z_EXPORT_ENABLE, control) && !t->clear_depth;
	t->export_stencil =
		BW_FIELD_GET(DB_SHADER_CONTROL, STENCIL_TEST_VAL_EXPORT_ENABLE, control) &&
		!t->clear_stencil;
	t->export_mask = BW_FIELD_GET(DB_SHADER_CONTROL, MASK_EXPORT_ENABLE, control);
	t->z_export_format = CTX_FIELD(q, SPI_SHADER_Z_FORMAT, Z_EXPORT_FORMAT);
	t->alpha_to_mask = CTX_FIELD(q, DB_ALPHA_TO_MASK, ALPHA_TO_MASK_ENABLE) &&
			   !BW_FIELD_GET(DB_SHADER_CONTROL, ALPHA_TO_MASK_DISABLE, control);
	uint32_t alpha = CTX(q, DB_ALPHA_TO_MASK);
	t->alpha_samples_log2 = BW_MIN(CTX_FIELD(q, DB_EQAA, ALPHA_TO_MASK_NUM_SAMPLES), 3u);
	t->alpha_offset[0] = (uint8_t)BW_FIELD_GET(DB_ALPHA_TO_MASK, ALPHA_TO_MASK_OFFSET0, alpha);
	t->alpha_offset[1] = (uint8_t)BW_FIELD_GET(DB_ALPHA_TO_MASK, ALPHA_TO_MASK_OFFSET1, alpha);
	t->alpha_offset[2] = (uint8_t)BW_FIELD_GET(DB_ALPHA_TO_MASK, ALPHA_TO_MASK_OFFSET2, alpha);
	t->alpha_offset[3] = (uint8_t)BW_FIELD_GET(DB_ALPHA_TO_MASK, ALPHA_TO_MASK_OFFSET3, alpha);
	bool changes = BW_FIELD_GET(DB_SHADER_CONTROL, KILL_ENABLE, control) || t->export_depth ||
		       t->export_stencil || t->export_mask || t->alpha_to_mask;
	t->is_early = !changes || BW_FIELD_GET(DB_SHADER_CONTROL, DEPTH_BEFORE_SHADER, control);
	t->counts = CTX_FIELD(q, DB_COUNT_CONTROL, ZPASS_ENABLE);
}

const char *bw_draw_targets_read(struct bw_queue *q, const struct bw_draw_state *s,
				 struct bw_draw_targets *t)
{
	/* Four bits of each target: its components; and of each export, its format. A shader that
	 * writes the targets 1 and 3 has the exports 0 and 1 [I]. */
	uint32_t outputs = CTX(q, CB_SHADER_MASK), mask = CTX(q, CB_TARGET_MASK) & outputs;
	uint32_t formats = CTX(q, SPI_SHADER_COL_FORMAT);
	unsigned n_exports = 0;
	unsigned mode = CTX_FIELD(q, CB_COLOR_CONTROL, MODE);
	unsigned samples_log2 = (unsigned)__builtin_ctz(s->n_samples);
	memset(t, 0, sizeof(*t));
	t->rop3 = (uint8_t)CTX_FIELD(q, CB_COLOR_CONTROL, ROP3);
	if (mode > CB_MODE_DCC_DECOMPRESS)
		return "it resolves";
	read_order(q, t);
	const char *why = NULL;
	for (unsigned i = 0; i < BW_DRAW_COLORS && !why && mode == CB_MODE_NORMAL; i++) {
		unsigned export = n_exports;
		if (!(outputs >> 4 * i & 15))
			continue;
		n_exports++;
		t->export_format[export] = formats >> 4 * export & 15;
		why = read_color(q, i, (uint8_t)(mask >> 4 * i & 15), t->export_format[export],
				 samples_log2, &t->color[i]);
		t->color[i].export = export;
		if (t->color[i].used)
			t->n_colors = i + 1;
	}
	t->n_exports = n_exports;
	t->dual_source = n_exports > 1 && t->color[0].used && bw_blend_is_dual(&t->color[0].blend);
	return why ? why : read_depth(q, t);
}
