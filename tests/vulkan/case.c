/* SPDX-License-Identifier: MIT */
#include "case.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vulkan/vulkan.h>

/* Words after "needs"; gpu.c knows what of the device each of them stands for. */
const char *const case_feature_names[] = {
	"int8",
	"int16",
	"int64",
	"float16",
	"float64",
	"storage8",
	"storage16",
	"int64_atomics",
	"shared_int64_atomics",
	"float_atomics",
	"shared_float_atomics",
	"float_minmax_atomics",
	"image_float_atomics",
	"address",
	"subgroup_size",
	"robust2",
	"image_int64_atomics",
	"clock",
	"explicit_layout",
	"dot",
	"push16",
	"matrix",
};
const unsigned case_n_features = BW_ARRAY_SIZE(case_feature_names);

#define FORMAT(name, n, kind, component_b, texel_b)                                                \
	{#name, VK_FORMAT_##name, n, {kind, component_b}, texel_b}
static const struct case_format formats[] = {
	FORMAT(R8_UNORM, 1, 'u', 1, 1),
	FORMAT(R8_UINT, 1, 'u', 1, 1),
	FORMAT(R8_SINT, 1, 'i', 1, 1),
	FORMAT(R8G8_UNORM, 2, 'u', 1, 2),
	FORMAT(R8G8_SNORM, 2, 'i', 1, 2),
	FORMAT(R8G8B8A8_UNORM, 4, 'u', 1, 4),
	FORMAT(R8G8B8A8_SNORM, 4, 'i', 1, 4),
	FORMAT(R8G8B8A8_UINT, 4, 'u', 1, 4),
	FORMAT(R8G8B8A8_SINT, 4, 'i', 1, 4),
	FORMAT(R8G8B8A8_SRGB, 4, 'u', 1, 4),
	FORMAT(B8G8R8A8_UNORM, 4, 'u', 1, 4),
	FORMAT(A2B10G10R10_UNORM_PACK32, 1, 'u', 4, 4),
	FORMAT(A2B10G10R10_UINT_PACK32, 1, 'u', 4, 4),
	FORMAT(B10G11R11_UFLOAT_PACK32, 1, 'u', 4, 4),
	FORMAT(E5B9G9R9_UFLOAT_PACK32, 1, 'u', 4, 4),
	FORMAT(R5G6B5_UNORM_PACK16, 1, 'u', 2, 2),
	FORMAT(R16_UNORM, 1, 'u', 2, 2),
	FORMAT(R16_UINT, 1, 'u', 2, 2),
	FORMAT(R16_SFLOAT, 1, 'f', 2, 2),
	FORMAT(R16G16_SFLOAT, 2, 'f', 2, 4),
	FORMAT(R16G16B16A16_SFLOAT, 4, 'f', 2, 8),
	FORMAT(R16G16B16A16_UINT, 4, 'u', 2, 8),
	FORMAT(R16G16B16A16_SNORM, 4, 'i', 2, 8),
	FORMAT(R32_UINT, 1, 'u', 4, 4),
	FORMAT(R32_SINT, 1, 'i', 4, 4),
	FORMAT(R32_SFLOAT, 1, 'f', 4, 4),
	FORMAT(R32G32_UINT, 2, 'u', 4, 8),
	FORMAT(R32G32_SFLOAT, 2, 'f', 4, 8),
	FORMAT(R32G32B32_SFLOAT, 3, 'f', 4, 12),
	FORMAT(R32G32B32A32_UINT, 4, 'u', 4, 16),
	FORMAT(R32G32B32A32_SINT, 4, 'i', 4, 16),
	FORMAT(R32G32B32A32_SFLOAT, 4, 'f', 4, 16),
	FORMAT(R64_UINT, 1, 'u', 8, 8),
	FORMAT(D32_SFLOAT, 1, 'f', 4, 4),
};
#undef FORMAT

static const struct {
	const char *name;
	int view;
} views[] = {
	{"1d", VK_IMAGE_VIEW_TYPE_1D},
	{"2d", VK_IMAGE_VIEW_TYPE_2D},
	{"3d", VK_IMAGE_VIEW_TYPE_3D},
	{"1darray", VK_IMAGE_VIEW_TYPE_1D_ARRAY},
	{"2darray", VK_IMAGE_VIEW_TYPE_2D_ARRAY},
	{"cube", VK_IMAGE_VIEW_TYPE_CUBE},
	{"cubearray", VK_IMAGE_VIEW_TYPE_CUBE_ARRAY},
};

uint32_t case_level(uint32_t size, unsigned level)
{
	return BW_MAX(size >> level, 1u);
}

static uint64_t image_texels(const struct case_item *item)
{
	uint64_t n = 0;
	bool is_3d = item->view == VK_IMAGE_VIEW_TYPE_3D;
	for (unsigned level = 0; level < item->mips; level++)
		n += (uint64_t)case_level(item->width, level) * case_level(item->height, level) *
		     (is_3d ? case_level(item->depth, level) : item->depth);
	return n;
}

size_t case_item_bytes(const struct case_item *item)
{
	if (item->kind == CASE_STORAGE_IMAGE || item->kind == CASE_SAMPLED_IMAGE)
		return image_texels(item) * item->format->size_b;
	return (size_t)item->count * item->type.size_b;
}

/* splitmix64, by its published constants: the same numbers on every machine. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static void store(uint8_t *to, struct case_type type, double value, uint64_t bits)
{
	if (type.kind == 'f' && type.size_b == 4) {
		float f = (float)value;
		memcpy(to, &f, 4);
	} else if (type.kind == 'f' && type.size_b == 8) {
		memcpy(to, &value, 8);
	} else if (type.kind == 'f') {
		_Float16 h = (_Float16)value;
		memcpy(to, &h, 2);
	} else {
		memcpy(to, &bits, type.size_b);
	}
}

void case_item_fill(const struct case_item *item, void *data)
{
	struct case_type type = item->type;
	size_t n = case_item_bytes(item) / type.size_b;
	uint64_t state = item->seed;
	for (size_t i = 0; i < n; i++) {
		uint8_t *to = (uint8_t *)data + i * type.size_b;
		uint64_t r;
		double v;
		switch (item->init) {
		case CASE_ZEROS:
			memset(to, 0, type.size_b);
			break;
		case CASE_IOTA:
			store(to, type, (double)i, i);
			break;
		case CASE_FILL:
			store(to, type, item->low, (uint64_t)(int64_t)item->low);
			break;
		case CASE_RANDOM: /* bits, whatever the type */
			r = next_random(&state);
			memcpy(to, &r, type.size_b);
			break;
		case CASE_RANGE:
			r = next_random(&state) >> 11;
			v = item->low + (item->high - item->low) * ((double)r / 9007199254740992.0);
			store(to, type, v, (uint64_t)(int64_t)floor(v));
			break;
		}
	}
}

/* The words of one statement. */
struct words {
	char *word[40];
	unsigned n, at;
};

static const char *take(struct words *w)
{
	return w->at < w->n ? w->word[w->at++] : "";
}

static struct bw_error *take_number(struct words *w, double *out_value)
{
	const char *text = take(w);
	int64_t i;
	uint64_t u;
	if (bw_parse_i64(text, &i))
		*out_value = (double)i;
	else if (bw_parse_u64(text, &u))
		*out_value = (double)u;
	else if (!bw_parse_f64(text, out_value))
		return bw_errorf(BW_E_INVALID, "\"%s\" is not a number", text);
	return NULL;
}

static struct bw_error *take_u32(struct words *w, uint32_t *out_value)
{
	const char *text = take(w);
	uint64_t v;
	if (!bw_parse_u64(text, &v) || v > UINT32_MAX)
		return bw_errorf(BW_E_INVALID, "\"%s\" is not a number of 32 bits", text);
	*out_value = (uint32_t)v;
	return NULL;
}

static struct bw_error *take_type(struct words *w, struct case_type *out_type)
{
	static const char *const names[] = {"u8",  "u16", "u32", "u64", "i8", "i16",
					    "i32", "i64", "f16", "f32", "f64"};
	const char *text = take(w);
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++) {
		if (!strcmp(text, names[i])) {
			*out_type = (struct case_type){text[0], (unsigned)atoi(text + 1) / 8};
			return NULL;
		}
	}
	return bw_errorf(BW_E_INVALID, "\"%s\" is not a type", text);
}

static struct bw_error *take_format(struct words *w, const struct case_format **out_format)
{
	const char *text = take(w);
	for (size_t i = 0; i < BW_ARRAY_SIZE(formats); i++) {
		if (!strcmp(text, formats[i].name)) {
			*out_format = &formats[i];
			return NULL;
		}
	}
	return bw_errorf(BW_E_INVALID, "the corpus has no format \"%s\"", text);
}

/* "3", "1.3", "1.3.2" */
static struct bw_error *take_place(struct words *w, struct case_item *item)
{
	const char *text = take(w);
	unsigned a, b, c;
	char end;
	if (sscanf(text, "%u.%u.%u%c", &a, &b, &c, &end) == 3)
		item->set = a, item->binding = b, item->element = c;
	else if (sscanf(text, "%u.%u%c", &a, &b, &end) == 2)
		item->set = a, item->binding = b;
	else if (sscanf(text, "%u%c", &a, &end) == 1)
		item->binding = a;
	else
		return bw_errorf(BW_E_INVALID, "\"%s\" is not [SET.]BINDING[.ELEMENT]", text);
	return item->set < 4
		       ? NULL
		       : bw_errorf(BW_E_INVALID, "set %u: the corpus has sets 0 to 3", item->set);
}

static struct bw_error *take_init(struct words *w, struct case_item *item)
{
	const char *text = take(w);
	double seed;
	if (!strcmp(text, "zeros")) {
		item->init = CASE_ZEROS;
	} else if (!strcmp(text, "iota")) {
		item->init = CASE_IOTA;
	} else if (!strcmp(text, "fill")) {
		item->init = CASE_FILL;
		BW_TRY(take_number(w, &item->low));
	} else if (!strcmp(text, "random") || !strcmp(text, "range")) {
		item->init = text[2] == 'n' && text[3] == 'd' ? CASE_RANDOM : CASE_RANGE;
		if (item->init == CASE_RANGE) {
			BW_TRY(take_number(w, &item->low));
			BW_TRY(take_number(w, &item->high));
		}
		BW_TRY(take_number(w, &seed));
		item->seed = (uint64_t)seed;
	} else {
		return bw_errorf(BW_E_INVALID, "\"%s\" is not an initial content", text);
	}
	return NULL;
}

/* Words that buffers and images share; false when it is none of them. */
static bool take_common(struct words *w, const char *word, struct case_item *item,
			struct bw_error **out_err)
{
	uint32_t n = 0;
	if (!strcmp(word, "input")) {
		item->input = true;
	} else if (!strcmp(word, "ulp")) {
		*out_err = take_u32(w, &n);
		item->ulp = n;
	} else if (!strcmp(word, "abs")) {
		*out_err = take_number(w, &item->abs);
	} else if (!strcmp(word, "sorted")) {
		item->sorted = true;
	} else {
		return false;
	}
	return true;
}

static struct bw_error *read_buffer(struct words *w, struct case_item *item)
{
	item->kind = CASE_STORAGE_BUFFER;
	BW_TRY(take_place(w, item));
	BW_TRY(take_type(w, &item->type));
	BW_TRY(take_u32(w, &item->count));
	BW_TRY(take_init(w, item));
	while (w->at < w->n) {
		const char *word = take(w);
		struct bw_error *err = NULL;
		if (!strcmp(word, "uniform")) {
			item->kind = CASE_UNIFORM_BUFFER;
			item->input = true;
		} else if (!strcmp(word, "texel") || !strcmp(word, "sampledtexel")) {
			item->kind = word[0] == 't' ? CASE_STORAGE_TEXEL : CASE_UNIFORM_TEXEL;
			err = take_format(w, &item->format);
		} else if (!strcmp(word, "bytes")) {
			err = take_u32(w, &item->bound_b);
		} else if (!take_common(w, word, item, &err)) {
			err = bw_errorf(BW_E_INVALID, "\"%s\" says nothing about a buffer", word);
		}
		BW_TRY(err);
	}
	return NULL;
}

static bool sampler_word(const char *word, struct case_item *item)
{
	static const struct {
		const char *word;
		int mode;
	} modes[] = {
		{"repeat", VK_SAMPLER_ADDRESS_MODE_REPEAT},
		{"mirror", VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT},
		{"clamp", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE},
		{"border", VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(modes); i++) {
		if (!strcmp(word, modes[i].word)) {
			item->address_mode = modes[i].mode;
			return true;
		}
	}
	if (!strcmp(word, "linear"))
		item->filter_linear = true;
	else if (!strcmp(word, "miplinear"))
		item->mip_linear = true;
	else if (!strcmp(word, "compare"))
		item->compare = true;
	else if (!strcmp(word, "unnormalized"))
		item->unnormalized = true;
	else if (!strcmp(word, "aniso"))
		item->aniso = true;
	else
		return !strcmp(word, "nearest") || !strcmp(word, "mipnearest");
	return true;
}

static struct bw_error *read_image(struct words *w, struct case_item *item)
{
	item->kind = CASE_STORAGE_IMAGE;
	item->mips = 1;
	item->address_mode = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
	BW_TRY(take_place(w, item));
	const char *view = take(w);
	item->view = -1;
	for (size_t i = 0; i < BW_ARRAY_SIZE(views); i++)
		if (!strcmp(view, views[i].name))
			item->view = views[i].view;
	if (item->view < 0)
		return bw_errorf(BW_E_INVALID, "\"%s\" is not a view", view);
	BW_TRY(take_format(w, &item->format));
	item->type = item->format->type;
	BW_TRY(take_u32(w, &item->width));
	BW_TRY(take_u32(w, &item->height));
	BW_TRY(take_u32(w, &item->depth));
	if (!item->width || !item->height || !item->depth)
		return bw_errorf(BW_E_INVALID, "an image without texels");
	BW_TRY(take_init(w, item));
	while (w->at < w->n) {
		const char *word = take(w);
		struct bw_error *err = NULL;
		if (!strcmp(word, "sampled")) {
			item->kind = CASE_SAMPLED_IMAGE;
			item->input = true;
		} else if (!strcmp(word, "mips")) {
			err = take_u32(w, &item->mips);
		} else if (!sampler_word(word, item) && !take_common(w, word, item, &err)) {
			err = bw_errorf(BW_E_INVALID, "\"%s\" says nothing about an image", word);
		}
		BW_TRY(err);
	}
	return NULL;
}

static struct bw_error *push_bytes(struct test_case *c, const void *data, unsigned n)
{
	unsigned at = (c->n_push_b + n - 1) & ~(n - 1);
	if (at + n > CASE_PUSH_BYTES)
		return bw_errorf(BW_E_INVALID, "more than %d bytes of push constants",
				 CASE_PUSH_BYTES);
	memcpy(c->push + at, data, n);
	c->n_push_b = at + n;
	return NULL;
}

static struct bw_error *take_value(struct words *w, struct case_type type, uint64_t *out_bits)
{
	const char *text = take(w);
	uint64_t u = 0;
	int64_t i;
	double d = 0;
	if (type.kind != 'f' && bw_parse_u64(text, &u))
		;
	else if (type.kind != 'f' && bw_parse_i64(text, &i))
		u = (uint64_t)i;
	else if (type.kind != 'f' || !bw_parse_f64(text, &d))
		return bw_errorf(BW_E_INVALID, "\"%s\" is not such a number", text);
	*out_bits = 0;
	store((uint8_t *)out_bits, type, d, u);
	return NULL;
}

static struct bw_error *read_push(struct words *w, struct test_case *c)
{
	struct case_type type;
	BW_TRY(take_type(w, &type));
	while (w->at < w->n) {
		uint64_t bits;
		BW_TRY(take_value(w, type, &bits));
		BW_TRY(push_bytes(c, &bits, type.size_b));
	}
	return NULL;
}

static struct bw_error *read_address(struct words *w, struct test_case *c)
{
	uint64_t zero = 0;
	uint32_t binding;
	BW_TRY(take_u32(w, &binding));
	if (c->n_addresses == BW_ARRAY_SIZE(c->addresses))
		return bw_errorf(BW_E_INVALID, "too many addresses");
	BW_TRY(push_bytes(c, &zero, 8));
	c->addresses[c->n_addresses].binding = binding;
	c->addresses[c->n_addresses++].offset_b = c->n_push_b - 8;
	return NULL;
}

static struct bw_error *read_spec(struct words *w, struct test_case *c)
{
	struct case_type type;
	if (c->n_specs == CASE_MAX_SPECS)
		return bw_errorf(BW_E_INVALID, "too many specialization constants");
	struct case_spec *s = &c->specs[c->n_specs++];
	BW_TRY(take_u32(w, &s->id));
	BW_TRY(take_type(w, &type));
	s->size_b = type.size_b;
	return take_value(w, type, &s->value);
}

static struct bw_error *read_dispatch(struct words *w, struct test_case *c, bool indirect)
{
	if (c->n_dispatches == CASE_MAX_DISPATCHES)
		return bw_errorf(BW_E_INVALID, "too many dispatches");
	struct case_dispatch *d = &c->dispatches[c->n_dispatches++];
	d->indirect = indirect;
	for (int i = 0; i < 3; i++)
		BW_TRY(take_u32(w, &d->size[i]));
	return NULL;
}

static struct bw_error *read_needs(struct words *w, uint64_t *features)
{
	while (w->at < w->n) {
		const char *word = take(w);
		unsigned i = 0;
		while (i < case_n_features && strcmp(word, case_feature_names[i]))
			i++;
		if (i == case_n_features)
			return bw_errorf(BW_E_INVALID,
					 "\"%s\" is not a feature that the corpus knows", word);
		*features |= 1ull << i;
	}
	return NULL;
}

static struct bw_error *read_statement(struct words *w, struct test_case *c)
{
	const char *what = take(w);
	if (!strcmp(what, "buffer") || !strcmp(what, "image")) {
		if (c->n_items == CASE_MAX_ITEMS)
			return bw_errorf(BW_E_INVALID, "too many buffers and images");
		struct case_item *item = &c->items[c->n_items++];
		return what[0] == 'b' ? read_buffer(w, item) : read_image(w, item);
	}
	if (!strcmp(what, "push"))
		return read_push(w, c);
	if (!strcmp(what, "address"))
		return read_address(w, c);
	if (!strcmp(what, "spec"))
		return read_spec(w, c);
	if (!strcmp(what, "dispatch") || !strcmp(what, "indirect"))
		return read_dispatch(w, c, what[0] == 'i');
	if (!strcmp(what, "needs"))
		return read_needs(w, &c->needs);
	if (!strcmp(what, "wants"))
		return read_needs(w, &c->wants);
	bool *flag = !strcmp(what, "robust")	 ? &c->robust
		     : !strcmp(what, "subgroup") ? &c->subgroup
						 : NULL;
	if (flag) {
		*flag = true;
		return NULL;
	}
	return bw_errorf(BW_E_INVALID, "no statement \"%s\"", what);
}

static void case_name(const char *path, char *out_name, size_t size)
{
	const char *base = strrchr(path, '/');
	snprintf(out_name, size, "%s", base ? base + 1 : path);
	char *dot = strrchr(out_name, '.');
	if (dot)
		*dot = '\0';
}

struct bw_error *case_read(const char *path, struct test_case *out_case)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	if (!f)
		return bw_error_errno(errno, "cannot open %s", path);
	struct test_case c = {0};
	case_name(path, c.name, sizeof(c.name));
	char line[512];
	for (unsigned number = 1; fgets(line, sizeof(line), f); number++) {
		if (strncmp(line, "//!", 3))
			continue;
		struct words w = {0};
		char *save = NULL;
		for (char *t = strtok_r(line + 3, " \t\n", &save); t && w.n < BW_ARRAY_SIZE(w.word);
		     t = strtok_r(NULL, " \t\n", &save))
			w.word[w.n++] = t;
		if (w.n)
			BW_TRY(bw_error_wrap(read_statement(&w, &c), "%s:%u", path, number));
	}
	if (!c.n_dispatches || !c.n_items)
		return bw_errorf(BW_E_INVALID, "%s: no dispatch, or nothing to look at afterwards",
				 path);
	*out_case = c;
	return NULL;
}
