/* SPDX-License-Identifier: MIT */
#include "swap/bindings.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/spirv_numbers.h"
#include "base/util.h"

enum {
	IDS_MAX = 1 << 20,
	NESTED_MAX = 8,
};

/* VkDescriptorType (vulkan_core.h) */
enum { SAMPLER, COMBINED, SAMPLED_IMAGE, STORAGE_IMAGE, UNIFORM_TEXELS, STORAGE_TEXELS };
enum { UNIFORM_BUFFER = 6, BUFFER, DYNAMIC_UNIFORM, DYNAMIC_BUFFER, ATTACHMENT };
enum { VK_INLINE_UNIFORM_BLOCK = 1000138000 };

/* The definition of an id. */
struct thing {
	uint32_t op;
	uint32_t of; /* the type of a variable, of what is pointed to, of an element, of an image */
	uint32_t storage, dim, sampled;
	uint32_t set, binding; /* set 0: of Vulkan's environment where none is said */
	bool has_binding, is_buffer_block, is_used;
};

struct module {
	const uint32_t *code;
	size_t n;
	struct thing *things; /* by id; owned */
	uint32_t n_things;
};

static struct thing *thing_of(const struct module *m, uint32_t id)
{
	return id < m->n_things ? &m->things[id] : NULL;
}

static void use(const struct module *m, uint32_t id)
{
	struct thing *t = thing_of(m, id);
	if (t)
		t->is_used = true;
}

static void take_decoration(const struct module *m, const uint32_t *w, uint32_t words)
{
	struct thing *t = words >= 3 ? thing_of(m, w[1]) : NULL;
	if (!t)
		return;
	t->is_buffer_block |= w[2] == DECO_BUFFER_BLOCK;
	if (words >= 4 && w[2] == DECO_SET)
		t->set = w[3];
	if (words >= 4 && w[2] == DECO_BINDING) {
		t->binding = w[3];
		t->has_binding = true;
	}
}

static void take_type(const struct module *m, const uint32_t *w, uint32_t words)
{
	struct thing *t = words >= 2 ? thing_of(m, w[1]) : NULL;
	if (!t)
		return;
	t->op = bw_spv_op(w[0]);
	if (t->op == OP_TYPE_POINTER && words >= 4)
		t->of = w[3];
	else if (t->op != OP_TYPE_STRUCT && words >= 3)
		t->of = w[2];
	if (t->op == OP_TYPE_IMAGE && words >= 8) {
		t->dim = w[3];
		t->sampled = w[7];
	}
}

static void take_uses(const struct module *m, const uint32_t *w, uint32_t words)
{
	switch (bw_spv_op(w[0])) {
	case OP_STORE:
	case OP_COPY_MEMORY:
		for (uint32_t i = 1; i < 3 && i < words; i++)
			use(m, w[i]);
		break;
	case OP_FUNCTION_CALL:
		for (uint32_t i = 4; i < words; i++)
			use(m, w[i]);
		break;
	default:
		if (words > 3)
			use(m, w[3]);
	}
}

static void take_instruction(const struct module *m, const uint32_t *w, uint32_t words)
{
	struct thing *t;
	switch (bw_spv_op(w[0])) {
	case OP_DECORATE:
		take_decoration(m, w, words);
		break;
	case OP_TYPE_IMAGE:
	case OP_TYPE_SAMPLER:
	case OP_TYPE_SAMPLED_IMAGE:
	case OP_TYPE_ARRAY:
	case OP_TYPE_RUNTIME_ARRAY:
	case OP_TYPE_STRUCT:
	case OP_TYPE_POINTER:
		take_type(m, w, words);
		break;
	case OP_VARIABLE:
		t = words >= 4 ? thing_of(m, w[2]) : NULL;
		if (t) {
			t->op = OP_VARIABLE;
			t->of = w[1];
			t->storage = w[3];
		}
		break;
	case OP_FUNCTION_CALL:
	case OP_IMAGE_TEXEL_POINTER:
	case OP_LOAD:
	case OP_STORE:
	case OP_COPY_MEMORY:
	case OP_ACCESS_CHAIN:
	case OP_IN_BOUNDS_ACCESS_CHAIN:
	case OP_PTR_ACCESS_CHAIN:
	case OP_IN_BOUNDS_PTR_ACCESS_CHAIN:
	case OP_ARRAY_LENGTH:
	case OP_COPY_OBJECT:
		take_uses(m, w, words);
		break;
	default:
		break;
	}
}

static uint32_t types_of_image(const struct thing *image, bool has_sampler)
{
	if (image->dim == DIM_SUBPASS)
		return 1u << ATTACHMENT;
	if (image->dim == DIM_BUFFER)
		return 1u << (image->sampled == 2 ? STORAGE_TEXELS : UNIFORM_TEXELS);
	if (image->sampled == 2)
		return 1u << STORAGE_IMAGE;
	return has_sampler ? 1u << COMBINED : 1u << SAMPLED_IMAGE | 1u << COMBINED;
}

/* Vulkan 1.4, 15.5.3: shader resource and descriptor type correspondence. */
static uint32_t types_of(const struct module *m, const struct thing *variable)
{
	const struct thing *pointer = thing_of(m, variable->of);
	if (variable->op != OP_VARIABLE || !variable->is_used || !pointer ||
	    pointer->op != OP_TYPE_POINTER)
		return 0;
	const struct thing *t = thing_of(m, pointer->of);
	for (unsigned i = 0; t && i < NESTED_MAX; i++)
		if (t->op == OP_TYPE_ARRAY || t->op == OP_TYPE_RUNTIME_ARRAY)
			t = thing_of(m, t->of);
	if (!t)
		return 0;
	switch (t->op) {
	case OP_TYPE_SAMPLER:
		return 1u << SAMPLER | 1u << COMBINED;
	case OP_TYPE_SAMPLED_IMAGE:
		t = thing_of(m, t->of);
		return t && t->op == OP_TYPE_IMAGE ? types_of_image(t, true) : 0;
	case OP_TYPE_IMAGE:
		return types_of_image(t, false);
	case OP_TYPE_STRUCT:
		if (variable->storage == STORAGE_BUFFER || t->is_buffer_block)
			return 1u << BUFFER | 1u << DYNAMIC_BUFFER;
		return variable->storage == STORAGE_UNIFORM
			       ? 1u << UNIFORM_BUFFER | 1u << DYNAMIC_UNIFORM | BW_SWAP_INLINE_BLOCK
			       : 0;
	default:
		return 0;
	}
}

static struct bw_error *add_binding(struct bw_swap_bindings *out, struct bw_swap_binding one)
{
	bw_vec_each(out, b)
		if (b->set == one.set && b->binding == one.binding && b->types == one.types)
			return NULL;
	return bw_vec_push(out, one);
}

struct bw_error *bw_swap_bindings(const uint32_t *code, size_t size_b, struct bw_swap_bindings *out)
{
	struct module m = {.code = code, .n = size_b / 4};
	if (m.n <= SPV_HEADER)
		return NULL;
	m.n_things = BW_MIN(code[SPV_BOUND_AT], (uint32_t)IDS_MAX);
	_cleanup_free_ struct thing *things = calloc(m.n_things + 1ul, sizeof(*things));
	if (!things)
		return bw_error_nomem();
	m.things = things;
	for (size_t at = SPV_HEADER; at < m.n;) {
		uint32_t words = bw_spv_n_words(code[at]);
		if (!words || words > m.n - at)
			break;
		take_instruction(&m, &code[at], words);
		at += words;
	}
	for (uint32_t id = 0; id < m.n_things; id++) {
		const struct thing *t = &things[id];
		if (t->has_binding)
			BW_TRY(add_binding(out, (struct bw_swap_binding){t->set, t->binding,
									 types_of(&m, t)}));
	}
	return NULL;
}

uint32_t bw_swap_type_bit(uint32_t vk_type)
{
	return vk_type <= ATTACHMENT		    ? 1u << vk_type
	       : vk_type == VK_INLINE_UNIFORM_BLOCK ? BW_SWAP_INLINE_BLOCK
						    : 0;
}

const char *bw_swap_types_name(uint32_t types)
{
	static const char *const names[] = {"a sampler",
					    "an image with a sampler",
					    "a sampled image",
					    "a storage image",
					    "a uniform texel buffer",
					    "a storage texel buffer",
					    "a uniform buffer",
					    "a storage buffer",
					    "a dynamic uniform buffer",
					    "a dynamic storage buffer",
					    "an input attachment"};
	for (uint32_t i = 0; i < BW_ARRAY_SIZE(names); i++)
		if (types >> i & 1)
			return names[i];
	return types & BW_SWAP_INLINE_BLOCK ? "an inline uniform block" : "nothing that is known";
}
