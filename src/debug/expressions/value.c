// SPDX-License-Identifier: MIT
#include "debug/value.h"

#include "base/small_float.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bw_value_fini(struct bw_value *v)
{
	free(v->elem);
	*v = (struct bw_value){0};
}

struct bw_error *bw_value_copy(const struct bw_value *v, struct bw_value *out)
{
	*out = *v;
	if (!v->n_elem)
		return NULL;
	out->elem = malloc(v->n_elem * sizeof(*v->elem));
	if (!out->elem)
		return bw_error_nomem();
	memcpy(out->elem, v->elem, v->n_elem * sizeof(*v->elem));
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

static double float_of(unsigned size_b, uint64_t bits)
{
	float f;
	double d;
	uint32_t w = (uint32_t)bits;

	switch (size_b) {
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
		return float_of(v->type.size_b, bits);
	return v->type.kind == BW_TYPE_INT ? (double)(int64_t)bits : (double)bits;
}

int64_t bw_value_i64(const struct bw_value *v, size_t i)
{
	uint64_t bits = bits_of(v, i);

	if (v->type.kind != BW_TYPE_FLOAT)
		return (int64_t)bits;
	/* as C, but defined everywhere: out of range saturates, NaN is 0 */
	double d = float_of(v->type.size_b, bits);
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
		break;
	}
	return "void";
}

const char *bw_type_name(const struct bw_type *t, char out[48])
{
	if (t->kind != BW_TYPE_POINTER)
		return scalar_name(t->kind, t->size_b);
	const char *space = t->space == BW_SPACE_LDS	   ? "__local "
			    : t->space == BW_SPACE_PRIVATE ? "__private "
							   : "";
	const char *elem = t->elem_size_b ? scalar_name(t->elem_kind, t->elem_size_b) : "void";
	snprintf(out, 48, "%s%s %.*s", space, elem, t->depth < 8 ? t->depth : 8, "********");
	return out;
}
