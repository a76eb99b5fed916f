/* SPDX-License-Identifier: MIT */
/* Adds the stores of a shader to its record. */
#include "sym/spirv_record_priv.h"

/* A vector of two of this float. Its declaration is put after those of the shader, which has the
 * float's. */
static uint32_t pair_type(struct bw_spv_record_job *j, uint32_t type)
{
	bool is_new = false;
	for (size_t i = 0; i < j->pairs.len; i += 2)
		if (j->pairs.data[i] == type)
			return j->pairs.data[i + 1];
	uint32_t id = TYPE(j, &is_new, OP_TYPE_VECTOR, type, 2);
	if (is_new && !j->err)
		j->err = bw_vec_push(&j->pairs, type);
	if (is_new && !j->err)
		j->err = bw_vec_push(&j->pairs, id);
	return id;
}

/* Word 0 of the record, a zero. It is read again for each store: to the compiler each may be at any
 * place of the array, and so none is moved over another. */
uint32_t bw_spv_record_zero(struct bw_spv_record_job *j)
{
	uint32_t p = EMIT_NEW(j, OP_ACCESS_CHAIN, j->pointer_type, j->record, j->opaque);
	return EMIT_NEW(j, OP_LOAD, j->uint_type, p, ACCESS_VOLATILE);
}

void bw_spv_record_store(struct bw_spv_record_job *j, uint32_t base, uint32_t word, uint32_t value)
{
	uint32_t index = EMIT_NEW(j, OP_I_ADD, j->uint_type, base, bw_spv_constant_id(j, word));
	uint32_t p = EMIT_NEW(j, OP_ACCESS_CHAIN, j->pointer_type, j->record, index);
	EMIT(j, OP_STORE, p, value, ACCESS_VOLATILE);
}

/* The bits of a scalar of 32 bits or less, as a word. */
static uint32_t word_of(struct bw_spv_record_job *j, uint32_t type, uint32_t value)
{
	const uint32_t op = bw_spv_record_op(j, type);
	uint64_t size_b = bw_spv_record_ctype(j, type)->size_b;
	if (op == OP_TYPE_BOOL) {
		uint32_t one = bw_spv_constant_id(j, 1), none = bw_spv_constant_id(j, 0);
		return EMIT_NEW(j, OP_SELECT, j->uint_type, value, one, none);
	}
	if (op == OP_TYPE_INT && size_b < 4)
		return EMIT_NEW(j, OP_U_CONVERT, j->uint_type, value);
	if (op == OP_TYPE_FLOAT && size_b < 4) { /* shaders may have no integers of 16 bits */
		uint32_t two =
			EMIT_NEW(j, OP_COMPOSITE_CONSTRUCT, pair_type(j, type), value, value);
		return EMIT_NEW(j, OP_BITCAST, j->uint_type, two);
	}
	return type == j->uint_type ? value : EMIT_NEW(j, OP_BITCAST, j->uint_type, value);
}

static void store_scalar(struct bw_spv_record_job *j, uint32_t base, uint32_t type, uint32_t word,
			 uint32_t value)
{
	if (bw_spv_record_ctype(j, type)->size_b != 8) {
		bw_spv_record_store(j, base, word, word_of(j, type, value));
		return;
	}
	uint32_t both = EMIT_NEW(j, OP_BITCAST, j->uvec2_type, value);
	for (uint32_t i = 0; i < 2; i++)
		bw_spv_record_store(j, base, word + i,
				    EMIT_NEW(j, OP_COMPOSITE_EXTRACT, j->uint_type, both, i));
}

static void store_value(struct bw_spv_record_job *j, uint32_t base, uint32_t type, uint32_t word,
			uint32_t value)
{
	uint32_t op = bw_spv_record_op(j, type);
	if (op == OP_TYPE_BOOL || op == OP_TYPE_INT || op == OP_TYPE_FLOAT ||
	    op == OP_TYPE_POINTER) {
		store_scalar(j, base, type, word, value);
		return;
	}
	uint64_t n = bw_spv_record_count(j, type);
	for (uint32_t i = 0; i < n && !j->err; i++) {
		uint32_t at = word, e = bw_spv_record_element(j, type, i, &at);
		if (e)
			store_value(j, base, e, at, EMIT_NEW(j, OP_COMPOSITE_EXTRACT, e, value, i));
	}
}

/* Adds the offset of a pointer's indices, each limited to its array. */
static uint32_t add_dynamic(struct bw_spv_record_job *j, uint32_t base, const struct pointer *p)
{
	for (unsigned i = 0; i < p->n_dynamic; i++) {
		const struct dynamic *d = &p->dynamic[i];
		uint32_t last = bw_spv_constant_id(j, d->count - 1),
			 n = bw_spv_constant_id(j, d->count);
		uint32_t index = d->index;
		if (j->result_type[index] != j->uint_type)
			index = EMIT_NEW(j, OP_BITCAST, j->uint_type, index);
		uint32_t is_inside = EMIT_NEW(j, OP_U_LESS_THAN, j->bool_type, index, n);
		index = EMIT_NEW(j, OP_SELECT, j->uint_type, is_inside, index, last);
		index = EMIT_NEW(j, OP_I_MUL, j->uint_type, index,
				 bw_spv_constant_id(j, d->stride));
		base = EMIT_NEW(j, OP_I_ADD, j->uint_type, base, index);
	}
	return base;
}

void bw_spv_record_value(struct bw_spv_record_job *j, const struct pointer *p, uint32_t value)
{
	const struct recorded *r = &j->variables.data[p->variable];
	uint32_t zero = bw_spv_record_zero(j);
	store_value(j, add_dynamic(j, zero, p), p->type, p->word, value);
	bw_spv_record_store(j, zero, r->flag, bw_spv_constant_id(j, 1));
}

/* Stores the value of a variable again that a call may have written. */
void bw_spv_record_again(struct bw_spv_record_job *j, uint32_t id)
{
	const struct pointer *p = bw_spv_record_pointer(j, id);
	if (p)
		bw_spv_record_value(j, p, EMIT_NEW(j, OP_LOAD, p->type, id));
}
