/* SPDX-License-Identifier: MIT */
#include "shader/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"

#define BUFFER_FORMS "zeros:N, iota:N, fill:N:V, random:N or file:PATH"

enum { BLOCK_MAX_B = 1 << 30, PUSH_MAX_B = 256 };

/* ---- Where numbers lie in a block ---- */

static uint64_t numbers_of_element(const struct bw_shader_member *m)
{
	return (uint64_t)m->rows * m->columns;
}

static uint64_t member_offset(const struct bw_shader_member *m, uint64_t i)
{
	uint64_t per = numbers_of_element(m), k = i % per, column = k / m->rows, row = k % m->rows;
	unsigned size_b = bw_scalar_size(m->type);
	uint64_t in_element = m->columns == 1 ? row * size_b
			      : m->row_major  ? row * m->matrix_stride_b + column * size_b
					      : column * m->matrix_stride_b + row * size_b;
	return m->offset_b + i / per * m->array_stride_b + in_element;
}

/* The number of elements; of a runtime array, as many as fit. */
static uint64_t member_count(const struct bw_shader_member *m, size_t size_b)
{
	uint64_t elements = m->count;
	if (m->is_runtime)
		elements = m->array_stride_b && size_b > m->offset_b
				   ? (size_b - m->offset_b) / m->array_stride_b
				   : 0;
	return elements * numbers_of_element(m);
}

uint64_t bw_shader_view_count(const struct bw_shader_view *v, size_t size_b)
{
	return v->member ? member_count(v->member, size_b) : size_b / bw_scalar_size(v->type);
}

uint64_t bw_shader_view_offset(const struct bw_shader_view *v, uint64_t i)
{
	return v->member ? member_offset(v->member, i) : i * bw_scalar_size(v->type);
}

/* ---- Names ---- */

enum target_kind { TARGET_NONE, TARGET_BLOCK, TARGET_MEMBER, TARGET_CONSTANT, TARGET_IMAGE };
struct target {
	enum target_kind kind;
	size_t block, member, constant, image;
};

static bool names_block(const struct bw_shader_block *b, const char *name, size_t n)
{
	return (strlen(b->name) == n && !strncmp(b->name, name, n)) ||
	       (n && strlen(b->type_name) == n && !strncmp(b->type_name, name, n));
}

/* Adds a member's name as the source has it. */
static void add_name(struct bw_str *out, const struct bw_shader_block *b,
		     const struct bw_shader_member *m)
{
	bool single = b->members.len == 1;
	if (!b->is_anonymous)
		bw_str_addf(out, "%s%s", b->name, single ? "" : ".");
	if (b->is_anonymous || !single)
		bw_str_add(out, m->name);
}

static struct bw_error *no_such_name(const struct bw_shader *s, const char *name)
{
	struct bw_str have = {0};
	bw_vec_each(&s->blocks, b) {
		bw_vec_each(&b->members, m) {
			bw_str_add(&have, " ");
			add_name(&have, b, m);
		}
	}
	bw_vec_each(&s->images, image)
		bw_str_addf(&have, " %s", image->name);
	bw_vec_each(&s->constants, c)
		if (*c->name)
			bw_str_addf(&have, " %s", c->name);
	struct bw_error *err =
		bw_errorf(BW_E_NOT_FOUND, "the shader has nothing called %s; it has%s", name,
			  have.len ? bw_str_text(&have) : " no arguments");
	bw_str_free(&have);
	return err;
}

/* A member's name alone. */
static struct bw_error *find_member(const struct bw_shader *s, const char *name, struct target *out)
{
	for (size_t i = 0; i < s->blocks.len; i++) {
		const struct bw_shader_block *b = &s->blocks.data[i];
		for (size_t k = 0; k < b->members.len; k++) {
			if (strcmp(b->members.data[k].name, name))
				continue;
			if (out->kind)
				return bw_errorf(
					BW_E_INVALID,
					"several blocks have a member %s: name one, as %s.%s", name,
					b->name, name);
			*out = (struct target){.kind = TARGET_MEMBER, .block = i, .member = k};
		}
	}
	return NULL;
}

static struct bw_error *find_target(const struct bw_shader *s, const char *name, struct target *out)
{
	const char *dot = strchr(name, '.');
	*out = (struct target){0};
	for (size_t i = 0; i < s->blocks.len; i++) {
		const struct bw_shader_block *b = &s->blocks.data[i];
		if (names_block(b, name, strlen(name))) {
			bool single = b->members.len == 1 && b->members.data[0].is_plain;
			*out = (struct target){.kind = single ? TARGET_MEMBER : TARGET_BLOCK,
					       .block = i};
			return NULL;
		}
		if (!dot || !names_block(b, name, (size_t)(dot - name)))
			continue;
		for (size_t k = 0; k < b->members.len; k++) {
			if (!strcmp(b->members.data[k].name, dot + 1)) {
				*out = (struct target){
					.kind = TARGET_MEMBER, .block = i, .member = k};
				return NULL;
			}
		}
	}
	for (size_t i = 0; i < s->images.len; i++) {
		if (!strcmp(s->images.data[i].name, name)) {
			*out = (struct target){.kind = TARGET_IMAGE, .image = i};
			return NULL;
		}
	}
	for (size_t i = 0; i < s->constants.len; i++) {
		if (!strcmp(s->constants.data[i].name, name)) {
			*out = (struct target){.kind = TARGET_CONSTANT, .constant = i};
			return NULL;
		}
	}
	BW_TRY(find_member(s, name, out));
	return out->kind ? NULL : no_such_name(s, name);
}

/* ---- Values ---- */

static struct bw_error *grow(struct bw_shader_bytes *b, uint64_t size_b)
{
	if (size_b <= b->size_b)
		return NULL;
	if (size_b > BLOCK_MAX_B)
		return bw_errorf(BW_E_INVALID, "it would have %llu bytes, more than 1 GiB",
				 (unsigned long long)size_b);
	uint8_t *data = realloc(b->data, size_b);
	if (!data)
		return bw_error_nomem();
	memset(data + b->size_b, 0, size_b - b->size_b);
	b->data = data;
	b->size_b = size_b;
	return NULL;
}

static struct bw_error *check_count(const struct bw_shader_member *m, const struct bw_arg_value *v,
				    uint64_t *out_elements)
{
	uint64_t per = numbers_of_element(m);
	*out_elements = m->is_runtime ? v->count / per : m->count;
	if (v->size_b % bw_scalar_size(m->type) || v->count % per)
		return bw_errorf(BW_E_INVALID, "its elements have %llu numbers each, this has %llu",
				 (unsigned long long)per, (unsigned long long)v->count);
	if (!v->is_buffer && m->is_runtime)
		return bw_errorf(BW_E_INVALID, "it is an array: give " BUFFER_FORMS);
	if (v->count != *out_elements * per)
		return bw_errorf(BW_E_INVALID, "it has %llu %s number%s, this has %llu%s",
				 (unsigned long long)(*out_elements * per), bw_scalar_name(m->type),
				 *out_elements * per == 1 ? "" : "s", (unsigned long long)v->count,
				 v->is_buffer ? "" : ": give " BUFFER_FORMS);
	return NULL;
}

static bool says_type(const char *text)
{
	enum bw_scalar type;
	const char *colon = strrchr(text, ':');
	return colon && bw_scalar_parse(colon + 1, &type);
}

/* The largest size in bytes of a member that is not at the end of its block. */
static uint64_t room_of(const struct bw_shader_block *block, const struct bw_shader_member *m)
{
	uint64_t end_b = block->fixed_b;
	bw_vec_each(&block->members, other)
		if (other->offset_b > m->offset_b)
			end_b = BW_MIN(end_b, (uint64_t)other->offset_b);
	return end_b > m->offset_b ? end_b - m->offset_b : 0;
}

/* Sets the bytes of a struct, or of an array of structs or arrays, as they lie in the block.
 * "zeros:N" has N elements. */
static struct bw_error *set_bytes(struct bw_shader_bytes *b, const struct bw_shader_block *block,
				  const struct bw_shader_member *m, const char *text)
{
	_cleanup_(bw_arg_value_fini) struct bw_arg_value v = {0};
	const enum bw_scalar byte = BW_SCALAR_U8;
	uint64_t room_b = room_of(block, m);
	uint64_t element_b = m->array_stride_b ? m->array_stride_b : BW_MAX(room_b, 1u);
	bool elements = bw_starts_with(text, "zeros:") && !says_type(text);
	BW_TRY(bw_arg_value_parse(text, &byte, &v));
	if (!v.is_buffer || !(elements || bw_starts_with(text, "file:") || says_type(text)))
		return bw_errorf(BW_E_INVALID,
				 "it is a struct or an array of such: give its bytes as file:PATH, "
				 "numbers of one TYPE as iota:N:TYPE, or zeros:N");
	uint64_t size_b = elements ? v.count * element_b : v.size_b;
	if (!m->is_runtime && size_b > room_b)
		return bw_errorf(BW_E_INVALID, "it has %llu bytes, this has %llu",
				 (unsigned long long)room_b, (unsigned long long)size_b);
	if (size_b % element_b)
		return bw_errorf(BW_E_INVALID, "its elements have %llu bytes each, this has %llu",
				 (unsigned long long)element_b, (unsigned long long)size_b);
	BW_TRY(grow(b, m->offset_b + size_b));
	if (!elements)
		memcpy(b->data + m->offset_b, v.data, size_b);
	return NULL;
}

static struct bw_error *set_member(struct bw_shader_bytes *b, const struct bw_shader_block *block,
				   const struct bw_shader_member *m, const char *text)
{
	_cleanup_(bw_arg_value_fini) struct bw_arg_value v = {0};
	uint64_t elements;
	unsigned size_b = bw_scalar_size(m->type);
	if (!m->is_plain)
		return set_bytes(b, block, m, text);
	BW_TRY(bw_arg_value_parse(text, &m->type, &v));
	if (bw_scalar_size(v.type) != size_b)
		return bw_errorf(BW_E_INVALID, "its numbers are %s, not %s",
				 bw_scalar_name(m->type), bw_scalar_name(v.type));
	BW_TRY(check_count(m, &v, &elements));
	if (m->is_runtime)
		BW_TRY(grow(b, m->offset_b + elements * m->array_stride_b));
	for (uint64_t i = 0; i < v.count; i++) {
		uint64_t at = member_offset(m, i);
		if (at + size_b > b->size_b)
			return bw_errorf(BW_E_INVALID, "it lies beyond the end of its block");
		memcpy(b->data + at, v.data + i * size_b, size_b);
	}
	return NULL;
}

static struct bw_error *set_block(struct bw_shader_bytes *b, const char *text)
{
	_cleanup_(bw_arg_value_fini) struct bw_arg_value v = {0};
	BW_TRY(bw_arg_value_parse(text, NULL, &v));
	if (v.size_b < b->size_b)
		return bw_errorf(BW_E_INVALID, "it has at least %zu bytes, this has %zu", b->size_b,
				 v.size_b);
	BW_TRY(grow(b, v.size_b));
	memcpy(b->data, v.data, v.size_b);
	return NULL;
}

static struct bw_error *set_constant(const struct bw_shader_constant *c, const char *text,
				     struct bw_arg_value *out)
{
	BW_TRY(bw_arg_value_parse(text, &c->type, out));
	if (out->is_buffer || out->size_b != bw_scalar_size(c->type))
		return bw_errorf(BW_E_INVALID, "it is one %s", bw_scalar_name(c->type));
	return NULL;
}

static struct bw_error *set_target(struct bw_shader_plan *p, const struct target *t,
				   const char *text)
{
	const struct bw_shader *s = p->shader;
	switch (t->kind) {
	case TARGET_BLOCK:
		return set_block(&p->bytes[t->block], text);
	case TARGET_MEMBER:
		return set_member(&p->bytes[t->block], &s->blocks.data[t->block],
				  &s->blocks.data[t->block].members.data[t->member], text);
	case TARGET_CONSTANT:
		return set_constant(&s->constants.data[t->constant], text,
				    &p->constants[t->constant]);
	case TARGET_IMAGE:
		p->image_given[t->image] = true;
		return bw_shader_texels_parse(text, &s->images.data[t->image],
					      &p->texels[t->image]);
	case TARGET_NONE:
		break;
	}
	return NULL;
}

/* The index of a member's flag "was given", in one list of all blocks. */
static size_t flag_of(const struct bw_shader *s, size_t block, size_t member)
{
	size_t at = member;
	for (size_t i = 0; i < block; i++)
		at += s->blocks.data[i].members.len;
	return at;
}

static struct bw_error *take_args(struct bw_shader_plan *p, const struct bw_launch_options *o,
				  bool *given)
{
	const struct bw_shader *s = p->shader;
	bw_vec_each(&o->args, a) {
		struct target t;
		BW_TRY(find_target(s, a->name, &t));
		bool again = t.kind == TARGET_CONSTANT && p->constants[t.constant].data;
		if (t.kind == TARGET_IMAGE)
			again = p->image_given[t.image];
		if (t.kind == TARGET_MEMBER) {
			size_t at = flag_of(s, t.block, t.member);
			again = given[at];
			given[at] = true;
		} else if (t.kind == TARGET_BLOCK) {
			for (size_t k = 0; k < s->blocks.data[t.block].members.len; k++) {
				again |= given[flag_of(s, t.block, k)];
				given[flag_of(s, t.block, k)] = true;
			}
		}
		if (again)
			return bw_errorf(BW_E_INVALID, "argument %s is given twice", a->name);
		BW_TRY(bw_error_wrap(set_target(p, &t, a->value), "--arg %s=%s", a->name,
				     a->value));
	}
	return NULL;
}

static struct bw_error *check_missing(const struct bw_shader *s, const bool *given)
{
	for (size_t i = 0; i < s->blocks.len; i++) {
		const struct bw_shader_block *b = &s->blocks.data[i];
		for (size_t k = 0; k < b->members.len; k++) {
			const struct bw_shader_member *m = &b->members.data[k];
			/* HLSL's counters of append buffers have names of the compiler and
			 * start at 0. */
			if (given[flag_of(s, i, k)] || strchr(b->name, '@'))
				continue;
			struct bw_str n = {0};
			add_name(&n, b, m);
			struct bw_error *err = bw_errorf(
				BW_E_INVALID, "argument %s (%s) is missing: give --arg %s=%s",
				bw_str_text(&n), m->is_plain ? bw_scalar_name(m->type) : "struct",
				bw_str_text(&n),
				!m->is_plain			? "file:PATH or zeros:N"
				: m->is_runtime || m->count > 1 ? "zeros:N or the like"
								: "VALUE");
			bw_str_free(&n);
			return err;
		}
	}
	return NULL;
}

/* Samplers can be left out. */
static struct bw_error *check_missing_images(const struct bw_shader_plan *p)
{
	for (size_t i = 0; i < p->shader->images.len; i++) {
		const struct bw_shader_image *image = &p->shader->images.data[i];
		const struct bw_shader_format *format = bw_shader_format_declared(image->format);
		if (p->image_given[i] || image->kind == BW_SHADER_SAMPLER)
			continue;
		return bw_errorf(BW_E_INVALID, "argument %s (%s%s%s) is missing: give --arg %s=%s",
				 image->name, bw_shader_image_shape(image), format ? ", " : "",
				 format ? format->name : "", image->name,
				 bw_shader_image_example(image));
	}
	return NULL;
}

/* ---- Sizes ---- */

static struct bw_error *take_group(struct bw_shader_plan *p, const struct bw_launch_options *o)
{
	const struct bw_shader *s = p->shader;
	for (unsigned i = 0; i < 3; i++) {
		int c = s->group_constant[i];
		const struct bw_arg_value *v = c >= 0 ? &p->constants[c] : NULL;
		p->group[i] = s->group[i];
		if (v && v->data)
			memcpy(&p->group[i], v->data, sizeof(p->group[i]));
		if (!p->group[i])
			return bw_errorf(BW_E_INVALID, "the shader does not say how large its "
						       "workgroups are");
		if (o->has_group && o->group[i] != p->group[i])
			return bw_errorf(
				BW_E_INVALID,
				"--group: the shader's workgroups have %u,%u,%u work-items",
				s->group[0], s->group[1], s->group[2]);
	}
	return NULL;
}

static struct bw_error *take_grid(struct bw_shader_plan *p, const struct bw_launch_options *o)
{
	if (o->has_grid == o->has_groups)
		return bw_errorf(BW_E_INVALID, "give either --grid (work-items) or --groups");
	for (unsigned i = 0; i < 3; i++) {
		p->groups[i] = o->has_groups ? o->groups[i] : o->grid[i] / p->group[i];
		if (o->has_grid && o->grid[i] % p->group[i])
			return bw_errorf(
				BW_E_INVALID,
				"--grid: %u work-items are not a multiple of the %u of a workgroup, and "
				"Vulkan has no partial ones",
				o->grid[i], p->group[i]);
	}
	return NULL;
}

/* ---- What is shown afterwards ---- */

static struct bw_error *view_of_image(const struct bw_shader *s, size_t i,
				      const struct bw_launch_pair *pair, const char *option,
				      struct bw_shader_view *out)
{
	const struct bw_shader_image *image = &s->images.data[i];
	if (image->kind != BW_SHADER_STORAGE_IMAGE && image->kind != BW_SHADER_STORAGE_TEXELS)
		return bw_errorf(BW_E_INVALID,
				 "%s %s: only storage buffers and storage images are written by a "
				 "shader",
				 option, pair->name);
	*out = (struct bw_shader_view){.is_image = true,
				       .image = i,
				       .type = image->type,
				       .count = pair->count,
				       .name = pair->name};
	return NULL;
}

static struct bw_error *view_of(const struct bw_shader *s, const struct bw_launch_pair *pair,
				const char *option, struct bw_shader_view *out)
{
	struct target t;
	BW_TRY(find_target(s, pair->name, &t));
	if (t.kind == TARGET_IMAGE)
		return view_of_image(s, t.image, pair, option, out);
	if (t.kind == TARGET_CONSTANT || s->blocks.data[t.block].kind != BW_SHADER_STORAGE)
		return bw_errorf(BW_E_INVALID,
				 "%s %s: only storage buffers and storage images are written by a "
				 "shader",
				 option, pair->name);
	const struct bw_shader_block *b = &s->blocks.data[t.block];
	*out = (struct bw_shader_view){
		.block = t.block, .type = BW_SCALAR_U32, .count = pair->count, .name = pair->name};
	if (t.kind == TARGET_MEMBER) {
		if (!b->members.data[t.member].is_plain)
			return bw_errorf(
				BW_E_UNSUPPORTED,
				"%s %s: it is a struct or an array of arrays; its block %s can "
				"be shown",
				option, pair->name, b->name);
		out->member = &b->members.data[t.member];
		out->type = out->member->type;
	}
	return NULL;
}

static struct bw_error *take_views(struct bw_shader_plan *p, const struct bw_launch_options *o)
{
	struct bw_shader_view v;
	bw_vec_each(&o->prints, pair) {
		BW_TRY(view_of(p->shader, pair, "--print", &v));
		BW_TRY(bw_vec_push(&p->prints, v));
	}
	bw_vec_each(&o->dumps, pair) {
		BW_TRY(view_of(p->shader, pair, "--dump", &v));
		v.path = pair->value;
		BW_TRY(bw_vec_push(&p->dumps, v));
	}
	return NULL;
}

/* ---- */

static struct bw_error *fill(struct bw_shader_plan *p, const struct bw_launch_options *o)
{
	const struct bw_shader *s = p->shader;
	_cleanup_free_ bool *given = calloc(flag_of(s, s->blocks.len, 0) + 1, sizeof(*given));
	p->bytes = calloc(s->blocks.len + 1, sizeof(*p->bytes));
	p->texels = calloc(s->images.len + 1, sizeof(*p->texels));
	p->image_given = calloc(s->images.len + 1, sizeof(*p->image_given));
	p->constants = calloc(s->constants.len + 1, sizeof(*p->constants));
	if (!given || !p->bytes || !p->texels || !p->image_given || !p->constants)
		return bw_error_nomem();
	for (size_t i = 0; i < s->blocks.len; i++) {
		const struct bw_shader_block *b = &s->blocks.data[i];
		if (b->kind == BW_SHADER_PUSH && b->fixed_b > PUSH_MAX_B)
			return bw_errorf(BW_E_INVALID,
					 "push constants %s have %u bytes, %d is the "
					 "most",
					 b->name, b->fixed_b, PUSH_MAX_B);
		BW_TRY(bw_error_wrap(grow(&p->bytes[i], BW_MAX(b->fixed_b, 4u)), "%s", b->name));
	}
	if (o->has_raw)
		return bw_errorf(BW_E_INVALID,
				 "registers and LDS are given to raw machine code only, "
				 "not to a shader");
	BW_TRY(take_args(p, o, given));
	BW_TRY(check_missing(s, given));
	BW_TRY(check_missing_images(p));
	BW_TRY(take_group(p, o));
	BW_TRY(take_grid(p, o));
	return take_views(p, o);
}

struct bw_error *bw_shader_plan_make(const struct bw_shader *shader,
				     const struct bw_launch_options *options,
				     struct bw_shader_plan **out)
{
	struct bw_shader_plan *p = calloc(1, sizeof(*p));
	if (!p)
		return bw_error_nomem();
	p->shader = shader;
	struct bw_error *err = fill(p, options);
	if (err) {
		bw_shader_plan_free(p);
		return err;
	}
	*out = p;
	return NULL;
}

void bw_shader_plan_free(struct bw_shader_plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; p->bytes && i < p->shader->blocks.len; i++)
		free(p->bytes[i].data);
	for (size_t i = 0; p->constants && i < p->shader->constants.len; i++)
		bw_arg_value_fini(&p->constants[i]);
	for (size_t i = 0; p->texels && i < p->shader->images.len; i++)
		bw_shader_texels_fini(&p->texels[i]);
	free(p->texels);
	free(p->image_given);
	free(p->bytes);
	free(p->constants);
	bw_vec_free(&p->prints);
	bw_vec_free(&p->dumps);
	free(p);
}
