/* SPDX-License-Identifier: MIT */
/* Keeps accesses to buffers and the LDS between the marks of their line. A compiler knows that they
 * do not meet the record, and moves them over a mark. So what is accessed after a mark gets an
 * address, or a value, to which a zero is added that was loaded from the record after the mark;
 * and a memory barrier stands in front of each mark, which stores are not moved over. It is one of
 * the subgroup: it makes nothing visible that was not. */
#include "sym/spirv_record_priv.h"

#include <string.h>

void bw_spv_record_fence(struct bw_spv_record_job *j)
{
	j->tie = 0;
	const uint32_t model = j->s->model;
	const bool has_lds = model == MODEL_COMPUTE || model == MODEL_MESH || model == MODEL_TASK;
	EMIT(j, OP_MEMORY_BARRIER, bw_spv_constant_id(j, SCOPE_SUBGROUP),
	     bw_spv_constant_id(j, has_lds ? SEMANTICS_ALL : SEMANTICS_NO_LDS));
}

static uint32_t tie(struct bw_spv_record_job *j)
{
	if (!j->tie)
		j->tie = bw_spv_record_zero(j);
	return j->tie;
}

static uint32_t type_of(const struct bw_spv_record_job *j, uint32_t id)
{
	return id < j->s->bound ? j->result_type[id] : 0;
}

/* The storage of what an id points to, if others than the lane see it; 0: they do not. */
static uint32_t shared_storage(const struct bw_spv_record_job *j, uint32_t pointer)
{
	const uint32_t *w = bw_spv_def(j->s, type_of(j, pointer), 4);
	uint32_t flag, storage = w && bw_spv_op(*w) == OP_TYPE_POINTER ? w[2] : 0;
	switch (storage) {
	case STORAGE_WORKGROUP:
	case STORAGE_BUFFER:
	case STORAGE_PHYSICAL:
		return storage;
	case STORAGE_UNIFORM: /* of older SPIR-V, where a buffer's block says so */
		for (w = bw_spv_def(j->s, w[3], 3); w && (bw_spv_op(*w) == OP_TYPE_ARRAY ||
							  bw_spv_op(*w) == OP_TYPE_RUNTIME_ARRAY);)
			w = bw_spv_def(j->s, w[2], 3);
		return w && bw_spv_decoration(j->s, w[1], NO_MEMBER, DECO_BUFFER_BLOCK, &flag)
			       ? storage
			       : 0;
	default:
		return 0;
	}
}

/* The last index of an access chain that is one of an array in memory, and not of an array of
 * descriptors, which must be uniform; 0: there is none. */
static uint32_t array_index(const struct bw_spv_record_job *j, const uint32_t *w, uint32_t n,
			    uint32_t storage)
{
	const uint32_t *base = bw_spv_def(j->s, type_of(j, w[3]), 4);
	const uint32_t *t = base ? bw_spv_def(j->s, base[3], 3) : NULL;
	bool is_inside = storage == STORAGE_WORKGROUP;
	uint32_t last = 0;
	uint64_t member;
	for (uint32_t i = 4; i < n && t; i++) {
		const uint32_t op = bw_spv_op(*t);
		uint32_t next = t[2];
		if (op == OP_TYPE_STRUCT) {
			is_inside = true;
			if (!bw_spv_constant(j->s, w[i], &member) ||
			    member + 2 >= bw_spv_n_words(*t))
				return last;
			next = t[2 + member];
		} else if (op != OP_TYPE_ARRAY && op != OP_TYPE_RUNTIME_ARRAY) {
			return last; /* a part of a vector or of a matrix */
		} else if (is_inside) {
			last = i;
		}
		t = bw_spv_def(j->s, next, 3);
	}
	return last;
}

static const uint32_t *tie_chain(struct bw_spv_record_job *j, const uint32_t *w, uint32_t n,
				 uint32_t *copy)
{
	uint32_t storage = n > 4 ? shared_storage(j, w[3]) : 0;
	uint32_t at = storage ? array_index(j, w, n, storage) : 0;
	const uint32_t type = at ? type_of(j, w[at]) : 0;
	if (bw_spv_record_op(j, type) != OP_TYPE_INT || bw_spv_record_ctype(j, type)->size_b != 4)
		return w;
	memcpy(copy, w, n * sizeof(*w));
	uint32_t zero = tie(j);
	copy[at] = EMIT_NEW(j, OP_I_ADD, type, w[at], zero);
	return copy;
}

/* For an address without an index: the stored value is tied, if it is a number of 32 bits. */
static const uint32_t *tie_value(struct bw_spv_record_job *j, const uint32_t *w, uint32_t n,
				 uint32_t *copy, uint32_t pointer_at, uint32_t value_at)
{
	if (value_at >= n || !shared_storage(j, w[pointer_at]))
		return w;
	const uint32_t type = type_of(j, w[value_at]), op = bw_spv_record_op(j, type);
	if ((op != OP_TYPE_INT && op != OP_TYPE_FLOAT) || bw_spv_record_ctype(j, type)->size_b != 4)
		return w;
	memcpy(copy, w, n * sizeof(*w));
	uint32_t zero = tie(j), value = w[value_at];
	if (op == OP_TYPE_FLOAT)
		value = EMIT_NEW(j, OP_BITCAST, j->uint_type, value);
	value = EMIT_NEW(j, OP_I_ADD, op == OP_TYPE_FLOAT ? j->uint_type : type, value, zero);
	copy[value_at] = op == OP_TYPE_FLOAT ? EMIT_NEW(j, OP_BITCAST, type, value) : value;
	return copy;
}

const uint32_t *bw_spv_record_tie(struct bw_spv_record_job *j, const uint32_t *w, uint32_t n,
				  uint32_t *copy)
{
	const uint32_t op = bw_spv_op(*w);
	if (op == OP_ACCESS_CHAIN || op == OP_IN_BOUNDS_ACCESS_CHAIN)
		return tie_chain(j, w, n, copy);
	if (op == OP_STORE)
		return tie_value(j, w, n, copy, 1, 2);
	if (op == OP_ATOMIC_STORE)
		return tie_value(j, w, n, copy, 1, 4);
	if (op == OP_ATOMIC_EXCHANGE || (op >= OP_ATOMIC_I_ADD && op <= OP_ATOMIC_XOR))
		return tie_value(j, w, n, copy, 3, 6);
	return w;
}
