/* SPDX-License-Identifier: MIT */
#include "shader/texels.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/float_bits.h"
#include "base/str.h"
#include "base/util.h"
#include "image/png_file.h"
#include "launch/value.h"

#define FORMS "image:WIDTHxHEIGHT[:FORMAT][:zeros|iota|fill:V|random|file:PATH|FILE.png]"

enum { MOST_B = 1 << 30, MOST_SIDE = 16384, CUBE_SIDES = 6 };

void bw_shader_texels_fini(struct bw_shader_texels *t)
{
	free(t->data);
	*t = (struct bw_shader_texels){0};
}

static bool is_buffer(const struct bw_shader_image *image)
{
	return image->kind == BW_SHADER_STORAGE_TEXELS || image->kind == BW_SHADER_UNIFORM_TEXELS;
}

const char *bw_shader_image_shape(const struct bw_shader_image *image)
{
	static const char *const names[][2] = {
		[BW_SHADER_1D] = {"1D image", "array of 1D images"},
		[BW_SHADER_2D] = {"2D image", "array of 2D images"},
		[BW_SHADER_3D] = {"3D image", "3D image"},
		[BW_SHADER_CUBE] = {"cube", "array of cubes"},
	};
	return image->kind == BW_SHADER_SAMPLER ? "sampler"
	       : is_buffer(image)		? "texel buffer"
						: names[image->dim][image->is_array];
}

const char *bw_shader_image_example(const struct bw_shader_image *image)
{
	static const char *const sizes[][2] = {
		[BW_SHADER_1D] = {"image:WIDTH", "image:WIDTHxLAYERS"},
		[BW_SHADER_2D] = {"image:WIDTHxHEIGHT or image:FILE.png",
				  "image:WIDTHxHEIGHTxLAYERS"},
		[BW_SHADER_3D] = {"image:WIDTHxHEIGHTxDEPTH", "image:WIDTHxHEIGHTxDEPTH"},
		[BW_SHADER_CUBE] = {"image:WIDTHxWIDTH", "image:WIDTHxWIDTHxCUBES"},
	};
	return image->kind == BW_SHADER_SAMPLER ? "sampler:linear"
						: sizes[image->dim][image->is_array];
}

/* The kind of the image in messages: "it is a cube". */
static const char *article(const struct bw_shader_image *image)
{
	return *bw_shader_image_shape(image) == 'a' ? "an" : "a";
}

/* ---- Size and format ---- */

static bool is_size(const char *word)
{
	return *word && strspn(word, "0123456789x") == strlen(word);
}

static struct bw_error *parse_size(char *word, const struct bw_shader_image *image,
				   struct bw_shader_texels *t)
{
	uint64_t sides[3] = {1, 1, 1};
	unsigned n = 0, wanted = image->dim == BW_SHADER_1D   ? 1
				 : image->dim == BW_SHADER_3D ? 3
							      : 2;
	uint64_t most = is_buffer(image) ? MOST_B : MOST_SIDE;
	wanted += image->is_array && image->dim != BW_SHADER_3D;
	for (char *rest = word; rest; n++) {
		char *side = strsep(&rest, "x");
		if (n == 3 || !bw_parse_u64(side, &sides[n]) || !sides[n])
			return bw_errorf(BW_E_INVALID, "it has no such size: give %s",
					 bw_shader_image_example(image));
		if (sides[n] > most)
			return bw_errorf(BW_E_INVALID, "%s texels are more than %llu", side,
					 (unsigned long long)most);
	}
	if (n != wanted || (image->dim == BW_SHADER_CUBE && sides[0] != sides[1]))
		return bw_errorf(BW_E_INVALID, "it is %s %s: give %s", article(image),
				 bw_shader_image_shape(image), bw_shader_image_example(image));
	t->width = (uint32_t)sides[0];
	t->height = image->dim == BW_SHADER_1D ? 1 : (uint32_t)sides[1];
	t->depth = (uint32_t)(image->dim == BW_SHADER_1D ? sides[1] : sides[2]);
	if (image->dim == BW_SHADER_CUBE)
		t->depth *= CUBE_SIDES;
	return NULL;
}

static struct bw_error *take_format(const struct bw_shader_image *image,
				    const struct bw_shader_format *given,
				    struct bw_shader_texels *t)
{
	const struct bw_shader_format *declared = bw_shader_format_declared(image->format);
	if (image->format && !declared)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "its texels have a format that is not supported (number %u of "
				 "SPIR-V)",
				 image->format);
	if (declared && given && declared != given)
		return bw_errorf(BW_E_INVALID, "the shader declares the format %s, not %s",
				 declared->name, given->name);
	t->format = declared ? declared
		    : given  ? given
			     : bw_shader_format_called(image->type == BW_SCALAR_F32   ? "rgba8"
						       : image->type == BW_SCALAR_I32 ? "r32i"
										      : "r32ui");
	t->layout = bw_format_by_name(t->format->hardware);
	if (!t->layout)
		return bw_errorf(BW_E_UNSUPPORTED, "the format %s is not supported",
				 t->format->name);
	bool is_signed = t->layout->num == BW_NUM_SINT;
	if (t->layout->is_int != (image->type != BW_SCALAR_F32) ||
	    (t->layout->is_int && is_signed != (image->type == BW_SCALAR_I32)))
		return bw_errorf(BW_E_INVALID,
				 "its texels are %s for the shader, those of %s are %s",
				 bw_scalar_name(image->type), t->format->name,
				 !t->layout->is_int ? "f32"
				 : is_signed	    ? "i32"
						    : "u32");
	return NULL;
}

static struct bw_error *make_room(struct bw_shader_texels *t)
{
	uint64_t n = (uint64_t)t->width * t->height; /* each at most 2^30, 2^14 */
	if (n > MOST_B || n * t->depth > MOST_B || n * t->depth * t->layout->size_b > MOST_B)
		return bw_errorf(BW_E_INVALID, "it would have more than 1 GiB");
	t->size_b = n * t->depth * t->layout->size_b;
	t->data = calloc(1, t->size_b);
	return t->data ? NULL : bw_error_nomem();
}

/* ---- Content ---- */

static uint64_t texel_count(const struct bw_shader_texels *t)
{
	return (uint64_t)t->width * t->height * t->depth;
}

static uint8_t *texel(const struct bw_shader_texels *t, uint64_t i)
{
	return t->data + i * t->layout->size_b;
}

/* Components as bits of the texel. */
static void put_raw(const struct bw_format *f, const uint32_t raw[4], uint8_t *out)
{
	uint32_t word = 0;
	bool whole_bytes = true;
	for (unsigned c = 0; c < f->n; c++)
		whole_bytes &= f->bits[c] % 8 == 0;
	for (unsigned c = 0; c < f->n; c++) {
		if (whole_bytes)
			memcpy(out + f->shift[c] / 8, &raw[c], f->bits[c] / 8);
		else /* such formats have 32 bits at most */
			word |= (raw[c] & (uint32_t)((1ull << f->bits[c]) - 1)) << f->shift[c];
	}
	if (!whole_bytes)
		memcpy(out, &word, f->size_b);
}

static struct bw_error *make_zeros(char *rest, struct bw_shader_texels *t)
{
	return rest ? bw_errorf(BW_E_INVALID, "nothing can follow zeros, but '%s' does", rest)
		    : NULL;
}

static struct bw_error *make_iota(char *rest, struct bw_shader_texels *t)
{
	uint64_t at = 0;
	if (rest)
		return bw_errorf(BW_E_INVALID, "nothing can follow iota, but '%s' does", rest);
	for (uint64_t i = 0; i < texel_count(t); i++) {
		uint32_t v[4] = {0};
		for (unsigned c = 0; c < t->layout->n; c++, at++)
			v[c] = t->layout->num == BW_NUM_FLOAT ? f32_bits((float)at) : (uint32_t)at;
		if (t->layout->num == BW_NUM_FLOAT)
			bw_format_pack(t->layout, v, texel(t, i));
		else
			put_raw(t->layout, v, texel(t, i));
	}
	return NULL;
}

static struct bw_error *make_fill(char *rest, struct bw_shader_texels *t)
{
	_cleanup_(bw_arg_value_fini) struct bw_arg_value v = {0};
	enum bw_scalar type = !t->layout->is_int	      ? BW_SCALAR_F32
			      : t->layout->num == BW_NUM_SINT ? BW_SCALAR_I32
							      : BW_SCALAR_U32;
	uint32_t rgba[4] = {0};
	if (!rest)
		return bw_errorf(BW_E_INVALID, "fill needs a value: fill:V, or fill:V,V,V,V");
	BW_TRY(bw_arg_value_parse(rest, &type, &v));
	if (v.is_buffer || v.type != type || (v.count != 1 && v.count != t->layout->n))
		return bw_errorf(BW_E_INVALID, "a texel of %s has %u %s: fill takes one, or %u",
				 t->format->name, t->layout->n, bw_scalar_name(type), t->layout->n);
	for (unsigned c = 0; c < t->layout->n; c++)
		memcpy(&rgba[c], v.data + (v.count == 1 ? 0 : 4 * c), 4);
	for (uint64_t i = 0; i < texel_count(t); i++)
		bw_format_pack(t->layout, rgba, texel(t, i));
	return NULL;
}

/* Makes the same numbers as random:N does for buffers. */
static struct bw_error *make_random(char *rest, struct bw_shader_texels *t)
{
	_cleanup_(bw_arg_value_fini) struct bw_arg_value v = {0};
	enum bw_scalar type = t->layout->num == BW_NUM_FLOAT ? BW_SCALAR_F32 : BW_SCALAR_U32;
	_cleanup_free_ char *text = NULL;
	uint32_t raw[4] = {0};
	if (asprintf(&text, "random:%llu:%s", (unsigned long long)(texel_count(t) * t->layout->n),
		     rest ? rest : "1") < 0)
		return bw_error_nomem();
	BW_TRY(bw_arg_value_parse(text, &type, &v));
	if (v.type != type)
		return bw_errorf(BW_E_INVALID, "'%s' is not a seed", rest);
	for (uint64_t i = 0; i < texel_count(t); i++) {
		memcpy(raw, v.data + i * t->layout->n * 4, (size_t)t->layout->n * 4);
		if (type == BW_SCALAR_F32)
			bw_format_pack(t->layout, raw, texel(t, i));
		else
			put_raw(t->layout, raw, texel(t, i));
	}
	return NULL;
}

static struct bw_error *make_file(char *rest, struct bw_shader_texels *t)
{
	_cleanup_(bw_arg_value_fini) struct bw_arg_value v = {0};
	_cleanup_free_ char *text = NULL;
	if (!rest)
		return bw_errorf(BW_E_INVALID, "file needs a path: file:PATH");
	if (asprintf(&text, "file:%s:u8", rest) < 0)
		return bw_error_nomem();
	BW_TRY(bw_arg_value_parse(text, NULL, &v));
	if (v.size_b != t->size_b)
		return bw_errorf(BW_E_INVALID, "its texels take %zu bytes, %s has %zu", t->size_b,
				 rest, v.size_b);
	memcpy(t->data, v.data, t->size_b);
	return NULL;
}

static const struct content {
	const char *word;
	/* rest: after "word:", NULL if there is nothing */
	struct bw_error *(*make)(char *rest, struct bw_shader_texels *t);
} contents[] = {{"zeros", make_zeros},
		{"iota", make_iota},
		{"fill", make_fill},
		{"random", make_random},
		{"file", make_file}};

/* ---- Pictures ---- */

static bool ends_in_png(const char *path)
{
	size_t n = strlen(path);
	return n > 4 && !strcasecmp(path + n - 4, ".png");
}

static void put_pixel(struct bw_shader_texels *t, const struct bw_picture *p, uint64_t i)
{
	uint32_t rgba[4];
	for (unsigned c = 0; c < 4; c++) {
		const uint8_t *at = p->samples + (i * 4 + c) * (p->bits / 8);
		unsigned v = p->bits == 16 ? at[0] << 8 | at[1] : at[0];
		unsigned most = p->bits == 16 ? 0xffff : 0xff;
		float f = t->layout->num == BW_NUM_SRGB && c < 3
				  ? bw_srgb_to_linear((uint8_t)(v >> (p->bits - 8)))
				  : (float)v / (float)most;
		rgba[c] = t->layout->is_int ? v : f32_bits(f);
	}
	bw_format_pack(t->layout, rgba, texel(t, i));
}

/* Takes the texels of a file whose size the image has, or gets. */
static struct bw_error *make_picture(const char *path, const struct bw_shader_image *image,
				     const struct bw_shader_format *format,
				     struct bw_shader_texels *t)
{
	struct bw_picture p = {0};
	if (image->dim != BW_SHADER_2D || image->is_array)
		return bw_errorf(BW_E_INVALID, "a PNG file is a 2D image, this is %s %s",
				 article(image), bw_shader_image_shape(image));
	BW_TRY(bw_png_read(path, &p));
	struct bw_error *err = NULL;
	if (t->width && (t->width != p.width || t->height != p.height))
		err = bw_errorf(BW_E_INVALID, "%s has %ux%u pixels, not %ux%u", path, p.width,
				p.height, t->width, t->height);
	t->width = p.width;
	t->height = p.height;
	t->depth = 1;
	if (!err)
		err = take_format(image, format, t);
	if (!err)
		err = make_room(t);
	for (uint64_t i = 0; !err && i < texel_count(t); i++)
		put_pixel(t, &p, i);
	bw_picture_fini(&p);
	return err;
}

struct bw_error *bw_shader_texels_write_png(const struct bw_shader_texels *t, const char *path,
					    uint64_t *out_clamped)
{
	struct bw_picture p;
	uint32_t height = t->height * t->depth, rgba[4];
	if (!bw_picture_init(&p, t->layout, t->width, height))
		return bw_errorf(BW_E_SYSTEM, "cannot write %s: out of memory", path);
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < t->width; x++) {
			bw_format_unpack(t->layout, texel(t, (uint64_t)y * t->width + x), rgba);
			bw_picture_put(&p, t->layout, x, y, rgba);
		}
	}
	struct bw_error *err = bw_png_write(path, &p);
	*out_clamped = p.n_clamped;
	bw_picture_fini(&p);
	return err;
}

/* ---- The words ---- */

static bool take_sampler_word(const char *word, const struct bw_shader_image *image,
			      struct bw_shader_texels *t)
{
	static const char *const wraps[] = {[BW_SHADER_CLAMP] = "clamp",
					    [BW_SHADER_REPEAT] = "repeat",
					    [BW_SHADER_MIRROR] = "mirror"};
	if (image->kind != BW_SHADER_SAMPLER && image->kind != BW_SHADER_SAMPLED_IMAGE)
		return false;
	if (!strcmp(word, "linear") || !strcmp(word, "nearest")) {
		t->is_linear = *word == 'l';
		return true;
	}
	for (unsigned i = 0; i < BW_ARRAY_SIZE(wraps); i++) {
		if (!strcmp(word, wraps[i])) {
			t->wrap = i;
			return true;
		}
	}
	return false;
}

static struct bw_error *no_such_word(const char *word, const struct bw_shader_image *image)
{
	bool sampled = image->kind == BW_SHADER_SAMPLED_IMAGE || image->kind == BW_SHADER_SAMPLER;
	return bw_errorf(
		BW_E_INVALID, "'%s' is not %s%s", word,
		image->kind == BW_SHADER_SAMPLER
			? "known"
			: "a format (rgba8, r32f and the like, as GLSL calls them), nor one of "
			  "zeros, iota, fill:V, random, file:PATH and FILE.png",
		!sampled ? ""
		: image->kind == BW_SHADER_SAMPLER
			? ": a sampler is linear or nearest, and clamp, repeat or mirror"
			: ", nor one of linear, nearest, clamp, repeat and mirror");
}

/* The content begins at `word`, with `rest` after it. */
static struct bw_error *take_content(char *word, char *rest, const struct bw_shader_image *image,
				     const struct bw_shader_format *format,
				     struct bw_shader_texels *t)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(contents); i++) {
		if (strcmp(word, contents[i].word) != 0)
			continue;
		BW_TRY(take_format(image, format, t));
		BW_TRY(make_room(t));
		return contents[i].make(rest, t);
	}
	if (rest)
		rest[-1] = ':'; /* a path may have one */
	return ends_in_png(word) ? make_picture(word, image, format, t) : no_such_word(word, image);
}

static struct bw_error *parse_words(char *rest, const struct bw_shader_image *image,
				    struct bw_shader_texels *t)
{
	const struct bw_shader_format *format = NULL;
	while (rest) {
		char *word = strsep(&rest, ":");
		if (take_sampler_word(word, image, t))
			continue;
		if (image->kind == BW_SHADER_SAMPLER)
			return no_such_word(word, image);
		if (!t->width && is_size(word)) {
			BW_TRY(parse_size(word, image, t));
			continue;
		}
		if (!format && (format = bw_shader_format_called(word)))
			continue;
		if (!t->width && !ends_in_png(rest ? rest : word))
			return bw_errorf(BW_E_INVALID, "'%s' is not a size: give %s", word,
					 bw_shader_image_example(image));
		return take_content(word, rest, image, format, t);
	}
	if (image->kind == BW_SHADER_SAMPLER)
		return NULL;
	if (!t->width)
		return bw_errorf(BW_E_INVALID, "it has no size: give %s",
				 bw_shader_image_example(image));
	BW_TRY(take_format(image, format, t));
	return make_room(t);
}

struct bw_error *bw_shader_texels_parse(const char *text, const struct bw_shader_image *image,
					struct bw_shader_texels *out)
{
	bool is_sampler = image->kind == BW_SHADER_SAMPLER;
	const char *prefix = is_sampler ? "sampler" : "image";
	size_t n = strlen(prefix);
	_cleanup_free_ char *copy = strdup(text);
	if (!copy)
		return bw_error_nomem();
	if (strncmp(copy, prefix, n) != 0 || (copy[n] && copy[n] != ':') ||
	    (!copy[n] && !is_sampler))
		return is_sampler ? bw_errorf(BW_E_INVALID,
					      "it is a sampler: give sampler[:linear|nearest]"
					      "[:clamp|repeat|mirror]")
				  : bw_errorf(BW_E_INVALID, "it is %s %s: give " FORMS,
					      article(image), bw_shader_image_shape(image));
	struct bw_shader_texels t = {0};
	struct bw_error *err = parse_words(copy[n] ? copy + n + 1 : NULL, image, &t);
	if (err) {
		bw_shader_texels_fini(&t);
		return err;
	}
	*out = t;
	return NULL;
}

/* ---- Numbers ---- */

uint64_t bw_shader_texels_count(const struct bw_shader_texels *t)
{
	return texel_count(t) * t->layout->n;
}

uint32_t bw_shader_texels_number(const struct bw_shader_texels *t, uint64_t i)
{
	uint32_t rgba[4];
	bw_format_unpack(t->layout, texel(t, i / t->layout->n), rgba);
	return rgba[i % t->layout->n];
}
