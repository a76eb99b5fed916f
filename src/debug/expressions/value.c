// SPDX-License-Identifier: MIT
#include "debug/value.h"

#include "base/small_float.h"
#include "debug/expressions.h"
#include "debug/variables.h"
#include "base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bw_value_fini(struct bw_value *v)
{
	free(v->elem);
	bw_bytes_unref(v->bytes);
	if (v->vector)
		bw_value_fini(v->vector);
	free(v->vector);
	*v = (struct bw_value){0};
}

struct bw_bytes *bw_bytes_new(size_t size_b)
{
	struct bw_bytes *b = calloc(1, sizeof(*b));
	uint8_t *data = calloc(2, size_b ? size_b : 1);
	if (!b || !data) {
		free(b);
		free(data);
		return NULL;
	}
	b->n_refs = 1;
	b->size_b = size_b;
	b->data = data;
	b->known = data + size_b;
	return b;
}

struct bw_bytes *bw_bytes_ref(struct bw_bytes *b)
{
	if (b)
		b->n_refs++;
	return b;
}

void bw_bytes_unref(struct bw_bytes *b)
{
	if (!b || --b->n_refs)
		return;
	free(b->data);
	free(b);
}

struct bw_error *bw_value_copy(const struct bw_value *v, struct bw_value *out)
{
	struct bw_value copy = *v;
	if (v->n_elem) {
		copy.elem = malloc(v->n_elem * sizeof(*v->elem));
		if (!copy.elem)
			return bw_error_nomem();
		memcpy(copy.elem, v->elem, v->n_elem * sizeof(*v->elem));
	}
	if (v->vector) {
		copy.vector = calloc(1, sizeof(*copy.vector));
		struct bw_error *err =
			copy.vector ? bw_value_copy(v->vector, copy.vector) : bw_error_nomem();
		if (err) {
			free(copy.vector);
			free(copy.elem);
			return err;
		}
	}
	bw_bytes_ref(copy.bytes);
	*out = copy;
	return NULL;
}

/* Half precision by hand: gnu11 has no type for it on every host. */
float bw_float_of_half(uint16_t h)
{
	uint32_t bits = bw_f16_to_f32(h);
	float f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

uint16_t bw_half_of_float(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof(bits));
	return bw_f32_to_f16(bits, false);
}

static uint64_t bits_of(const struct bw_value *v, size_t i)
{
	return v->n_elem ? v->elem[i < v->n_elem ? i : v->n_elem - 1] : v->bits;
}

static double float_of(const struct bw_type *t, uint64_t bits)
{
	float f;
	double d;
	uint32_t w = t->is_bfloat ? (uint32_t)bits << 16 : (uint32_t)bits;

	switch (t->is_bfloat ? 4 : t->size_b) {
	case 2:
		return bw_float_of_half((uint16_t)bits);
	case 4:
		memcpy(&f, &w, sizeof(f));
		return f;
	default:
		memcpy(&d, &bits, sizeof(d));
		return d;
	}
}

double bw_value_f64(const struct bw_value *v, size_t i)
{
	uint64_t bits = bits_of(v, i);

	if (v->type.kind == BW_TYPE_FLOAT)
		return float_of(&v->type, bits);
	return v->type.kind == BW_TYPE_INT ? (double)(int64_t)bits : (double)bits;
}

int64_t bw_value_i64(const struct bw_value *v, size_t i)
{
	uint64_t bits = bits_of(v, i);

	if (v->type.kind != BW_TYPE_FLOAT)
		return (int64_t)bits;
	/* as in C, but with every case defined: out of range saturates, NaN is 0 */
	double d = float_of(&v->type, bits);
	if (d != d)
		return 0;
	if (d >= 0x1p63)
		return d < 0x1p64 ? (int64_t)(uint64_t)d : -1;
	return d < -0x1p63 ? INT64_MIN : (int64_t)d;
}

static const char *scalar_name(enum bw_type_kind kind, unsigned size_b)
{
	switch (kind) {
	case BW_TYPE_INT:
		return size_b == 1 ? "char" : size_b == 2 ? "short" : size_b == 4 ? "int" : "long";
	case BW_TYPE_UINT:
		return size_b == 1   ? "unsigned char"
		       : size_b == 2 ? "unsigned short"
		       : size_b == 4 ? "unsigned int"
				     : "unsigned long";
	case BW_TYPE_FLOAT:
		return size_b == 2 ? "half" : size_b == 4 ? "float" : "double";
	case BW_TYPE_TEXT:
		return "char []";
	case BW_TYPE_VOID:
	case BW_TYPE_POINTER:
	case BW_TYPE_AGGREGATE:
		break;
	}
	return "void";
}

const char *bw_type_name(const struct bw_type *t, char out[BW_TYPE_NAME_MAX])
{
	if (t->ctype) {
		bw_ctype_name(t->ctype, out, BW_TYPE_NAME_MAX);
		return out;
	}
	if (t->kind != BW_TYPE_POINTER)
		return scalar_name(t->kind, t->size_b);
	const char *space = t->space == BW_SPACE_LDS	   ? "__local "
			    : t->space == BW_SPACE_PRIVATE ? "__private "
							   : "";
	const char *elem = t->elem_size_b ? scalar_name(t->elem_kind, t->elem_size_b) : "void";
	snprintf(out, BW_TYPE_NAME_MAX, "%s%s %.*s", space, elem, t->depth < 8 ? t->depth : 8,
		 "********");
	return out;
}

struct bw_error *bw_value_need_number(const struct bw_value *v)
{
	if (v->is_missing)
		return v->bytes && v->bytes->why[0]
			       ? bw_errorf(BW_E_NOT_FOUND, "%s", v->bytes->why)
			       : bw_errorf(BW_E_NOT_FOUND, "value has been optimized out");
	if (v->type.kind == BW_TYPE_AGGREGATE)
		return bw_errorf(BW_E_INVALID,
				 "Argument to arithmetic operation not a number or boolean.");
	return NULL;
}

struct bw_error *bw_debug_address_of(const struct bw_value *v, const char *text,
				     enum bw_space *out_space, uint64_t *out_addr)
{
	enum bw_space space = BW_SPACE_GLOBAL;
	bool is_place = v->elem || v->type.kind == BW_TYPE_AGGREGATE;
	bool is_int = v->type.kind == BW_TYPE_INT || v->type.kind == BW_TYPE_UINT;
	uint64_t addr = v->bits;
	if (is_place && v->place == BW_PLACE_MEMORY) {
		space = v->space;
		addr = v->va;
	} else if (v->is_missing) {
		return bw_value_need_number(v);
	} else if (v->type.kind == BW_TYPE_POINTER) {
		space = v->type.space;
		bw_debug_flat_space(&space, &addr);
	} else if (!is_int || v->elem) {
		return bw_errorf(BW_E_INVALID, "\"%s\" is not an address", text);
	}
	*out_space = space;
	*out_addr = addr;
	return NULL;
}

struct bw_error *bw_value_truth(const struct bw_value *v, unsigned lane, bool *out)
{
	BW_TRY(bw_value_need_number(v));
	*out = v->type.kind == BW_TYPE_FLOAT ? bw_value_f64(v, lane) != 0
					     : bw_value_i64(v, lane) != 0;
	return NULL;
}

/* ---- Types of the program ---- */

struct bw_type bw_type_of(const struct bw_ctype *c)
{
	const struct bw_ctype *s = bw_ctype_strip(c);
	struct bw_type t = {.ctype = c};
	unsigned size_b = s->size_b == 1 || s->size_b == 2 || s->size_b == 4 || s->size_b == 8
				  ? (unsigned)s->size_b
				  : 0;
	switch (s->kind) {
	case BW_CTYPE_BOOL:
		t.kind = BW_TYPE_UINT;
		break;
	case BW_CTYPE_INT:
		t.kind = s->is_signed ? BW_TYPE_INT : BW_TYPE_UINT;
		break;
	case BW_CTYPE_ENUM:
		t.kind = s->elem ? bw_type_of(s->elem).kind : BW_TYPE_UINT;
		if (t.kind != BW_TYPE_INT)
			t.kind = BW_TYPE_UINT;
		break;
	case BW_CTYPE_FLOAT:
		t.kind = BW_TYPE_FLOAT;
		t.is_bfloat = s->is_bfloat;
		size_b = size_b == 1 ? 0 : size_b;
		break;
	case BW_CTYPE_POINTER:
		t.kind = BW_TYPE_POINTER;
		t.depth = 1;
		t.elem_kind = BW_TYPE_VOID;
		t.space = s->address_class == BW_ADDRESS_LOCAL	   ? BW_SPACE_LDS
			  : s->address_class == BW_ADDRESS_PRIVATE ? BW_SPACE_PRIVATE
								   : BW_SPACE_GLOBAL;
		size_b = t.space == BW_SPACE_GLOBAL ? 8 : 4;
		break;
	case BW_CTYPE_ARRAY:
	case BW_CTYPE_VECTOR:
	case BW_CTYPE_STRUCT:
	case BW_CTYPE_UNION:
		t.kind = BW_TYPE_AGGREGATE;
		return t;
	case BW_CTYPE_VOID:
	case BW_CTYPE_FUNCTION:
	case BW_CTYPE_TYPEDEF:
	case BW_CTYPE_QUALIFIED:
	case BW_CTYPE_UNKNOWN:
		return t; /* void */
	}
	t.size_b = (uint8_t)size_b;
	if (!size_b) /* __int128, or damaged: its bytes cannot be read as a number */
		t.kind = BW_TYPE_VOID;
	return t;
}

uint64_t bw_type_size(const struct bw_type *t)
{
	return t->kind == BW_TYPE_AGGREGATE ? bw_ctype_strip(t->ctype)->size_b : t->size_b;
}

const struct bw_ctype *bw_type_aggregate(const struct bw_type *t)
{
	return t->kind == BW_TYPE_AGGREGATE ? bw_ctype_strip(t->ctype) : NULL;
}

uint64_t bw_type_decode(const struct bw_type *t, const uint8_t *bytes, unsigned bit_offset,
			unsigned bit_size)
{
	uint64_t bits = 0;
	if (!bit_size) {
		memcpy(&bits, bytes, t->size_b);
		return bw_type_extend(t, bits);
	}
	for (unsigned i = 0; i < bit_size; i++)
		bits |= (uint64_t)(bytes[(bit_offset + i) / 8] >> (bit_offset + i) % 8 & 1) << i;
	if (t->kind == BW_TYPE_INT && bit_size < 64)
		bits = (uint64_t)bw_sign_extend(bits, bit_size);
	return bits;
}
