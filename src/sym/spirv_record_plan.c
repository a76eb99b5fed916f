/* SPDX-License-Identifier: MIT */
/* Chooses the variables of a shader to record, their places, and the pointers that lead to them. */
#include "sym/spirv_record_priv.h"

#include "base/util.h"

uint32_t bw_spv_record_op(const struct bw_spv_record_job *j, uint32_t id)
{
	const uint32_t *w = bw_spv_def(j->s, id, 2);
	return w ? bw_spv_op(*w) : 0;
}

const struct bw_ctype *bw_spv_record_ctype(struct bw_spv_record_job *j, uint32_t type)
{
	static const struct bw_ctype none = {.kind = BW_CTYPE_UNKNOWN};
	if (type >= j->s->bound)
		return &none;
	if (!j->ctypes[type])
		j->ctypes[type] = bw_spv_type(j->s, type);
	return j->ctypes[type];
}

uint32_t bw_spv_record_element(struct bw_spv_record_job *j, uint32_t type, uint32_t i,
			       uint32_t *word)
{
	const uint32_t *w = bw_spv_def(j->s, type, 3);
	uint32_t op = w ? bw_spv_op(*w) : 0;
	const struct bw_ctype *t = bw_spv_record_ctype(j, type);
	if (op == OP_TYPE_STRUCT) {
		if (t->kind != BW_CTYPE_STRUCT || i >= t->n_members)
			return 0;
		for (uint32_t k = 0; k < i; k++)
			*word += bw_spirv_record_words(t->members[k].type);
		return w[2 + i];
	}
	if ((op != OP_TYPE_ARRAY && op != OP_TYPE_VECTOR && op != OP_TYPE_MATRIX) || !t->elem ||
	    i >= t->count)
		return 0;
	*word += i * bw_spirv_record_words(t->elem);
	return w[2];
}

uint64_t bw_spv_record_count(struct bw_spv_record_job *j, uint32_t type)
{
	const struct bw_ctype *t = bw_spv_record_ctype(j, type);
	return t->kind == BW_CTYPE_STRUCT ? t->n_members : t->count;
}

/* The number of scalars in a type; 0: it is not recorded. */
static uint64_t count_leaves(struct bw_spv_record_job *j, uint32_t type, unsigned height)
{
	const struct bw_ctype *t = bw_spv_record_ctype(j, type);
	uint64_t sum = 0;
	uint32_t unused = 0;
	if (height > HEIGHT_MAX)
		return 0;
	switch (bw_spv_record_op(j, type)) {
	case OP_TYPE_BOOL:
	case OP_TYPE_INT:
	case OP_TYPE_FLOAT:
	case OP_TYPE_POINTER:
		return bw_spirv_record_words(t) != 0;
	case OP_TYPE_VECTOR:
	case OP_TYPE_MATRIX:
	case OP_TYPE_ARRAY: {
		uint32_t e = bw_spv_record_element(j, type, 0, &unused);
		uint64_t n = e ? bw_spv_record_count(j, type) : 0;
		const uint32_t *w = bw_spv_def(j->s, type, 4);
		/* lengths that the program sets are known to the driver alone */
		if (!w ||
		    (bw_spv_op(*w) == OP_TYPE_ARRAY && bw_spv_record_op(j, w[3]) != OP_CONSTANT))
			return 0;
		n = n <= LEAVES_MAX && e ? n * count_leaves(j, e, height + 1) : 0;
		return BW_MIN(n, LEAVES_MAX + 1ul);
	}
	case OP_TYPE_STRUCT:
		for (uint32_t i = 0; i < t->n_members && sum <= LEAVES_MAX; i++) {
			uint32_t e = bw_spv_record_element(j, type, i, &unused);
			uint64_t n = e ? count_leaves(j, e, height + 1) : 0;
			if (!n)
				return 0;
			sum += n;
		}
		return sum;
	default:
		return 0;
	}
}

uint32_t bw_spv_record_pointee(const struct bw_spv_record_job *j, uint32_t type, uint32_t storage)
{
	const uint32_t *w = bw_spv_def(j->s, type, 4);
	return w && bw_spv_op(*w) == OP_TYPE_POINTER && w[2] == storage ? w[3] : 0;
}

/* Whether its invocations see the values of a whole patch, or of a whole group, there: reading all
 * of them would read what other invocations have not written. */
static bool is_of_many(const struct bw_spv_record_job *j, uint32_t storage, uint32_t type)
{
	switch (j->s->model) {
	case MODEL_CONTROL:
		return storage == STORAGE_OUTPUT || bw_spv_record_op(j, type) == OP_TYPE_ARRAY;
	case MODEL_EVALUATION:
		return storage == STORAGE_INPUT && bw_spv_record_op(j, type) == OP_TYPE_ARRAY;
	case MODEL_MESH:
		return storage == STORAGE_OUTPUT;
	default:
		return false;
	}
}

/* Whether it is an input of a shader of a draw, built in or not, or an output that is not built in.
 * Inputs have their values from the beginning. */
static bool is_interface(const struct bw_spv_record_job *j, const uint32_t *w, uint32_t storage,
			 uint32_t *type)
{
	uint32_t builtin, pointee = bw_spv_record_pointee(j, w[1], storage), block = pointee;
	const uint32_t *t = pointee ? bw_spv_def(j->s, pointee, 3) : NULL;
	if (t && bw_spv_op(*t) == OP_TYPE_ARRAY) /* of a primitive's vertices */
		block = t[2];
	if (!pointee || j->s->model == MODEL_COMPUTE || is_of_many(j, storage, pointee) ||
	    bw_spv_decoration(j->s, block, 0, DECO_BUILTIN, &builtin) ||
	    (storage == STORAGE_OUTPUT &&
	     bw_spv_decoration(j->s, w[2], NO_MEMBER, DECO_BUILTIN, &builtin)))
		return false;
	*type = pointee;
	return true;
}

static void plan_variable(struct bw_spv_record_job *j, const uint32_t *w, uint32_t function)
{
	const bool is_param = bw_spv_op(*w) == OP_FUNCTION_PARAMETER;
	uint32_t type =
		bw_spv_record_pointee(j, w[1], function ? STORAGE_FUNCTION : STORAGE_PRIVATE);
	/* A mesh shader's payload is complete when it begins. */
	const bool is_payload = !type && !function && j->s->model == MODEL_MESH &&
				(type = bw_spv_record_pointee(j, w[1], STORAGE_TASK_PAYLOAD));
	const bool is_input =
		is_payload || (!type && !function && is_interface(j, w, STORAGE_INPUT, &type));
	if (!type && !function)
		is_interface(j, w, STORAGE_OUTPUT, &type);
	const char *name = bw_spv_name(j->s, w[2], NO_MEMBER);
	if (!type || !*name || bw_spv_is_of_compiler(j->s, name) || j->err)
		return;
	uint64_t leaves = count_leaves(j, type, 0);
	uint32_t at = j->n_words + 1, words = bw_spirv_record_words(bw_spv_record_ctype(j, type));
	if (!leaves || leaves > LEAVES_MAX || !words || at + words > WORDS_MAX)
		return;
	const struct recorded r = {.id = w[2],
				   .type = type,
				   .at = at,
				   .flag = j->n_words,
				   .function = function,
				   .is_param = is_param,
				   .has_initializer =
					   is_input || (!is_param && bw_spv_n_words(*w) > 4)};
	j->n_words = at + words;
	j->err = bw_vec_push(&j->variables, r);
}

struct pointer *bw_spv_record_pointer(struct bw_spv_record_job *j, uint32_t id)
{
	uint32_t at = id < j->s->bound ? j->pointer_at[id] : 0;
	struct pointer *p = at && at <= j->pointers.len ? &j->pointers.data[at - 1] : NULL;
	return p && p->id == id ? p : NULL;
}

static void add_pointer(struct bw_spv_record_job *j, const struct pointer *p)
{
	if (p->id >= j->s->bound || j->err)
		return;
	j->err = bw_vec_push(&j->pointers, *p);
	j->pointer_at[p->id] = (uint32_t)j->pointers.len;
}

static void drop(struct bw_spv_record_job *j, uint32_t id)
{
	const struct pointer *p = bw_spv_record_pointer(j, id);
	if (p)
		j->variables.data[p->variable].is_dropped = true;
}

void bw_spv_record_enter(struct bw_spv_record_job *j, uint32_t function)
{
	j->pointers.len = 0;
	for (uint32_t i = 0; i < j->variables.len && !j->err; i++) {
		const struct recorded *r = &j->variables.data[i];
		const struct pointer p = {
			.id = r->id, .variable = i, .type = r->type, .word = r->at};
		if (!r->is_dropped && (!r->function || r->function == function))
			add_pointer(j, &p);
	}
}

/* One index of an access chain. False: this cannot be followed. */
static bool step_into(struct bw_spv_record_job *j, struct pointer *p, uint32_t index)
{
	uint64_t value = 0, n = bw_spv_record_count(j, p->type);
	uint32_t next = 0;
	if (bw_spv_record_op(j, index) == OP_CONSTANT) {
		const uint32_t *w = bw_spv_def(j->s, index, 4);
		value = w ? w[3] : UINT32_MAX;
		p->type = value < n ? bw_spv_record_element(j, p->type, (uint32_t)value, &p->word)
				    : 0;
		return p->type;
	}
	uint32_t type = bw_spv_record_element(j, p->type, 0, &next);
	next = 0;
	const uint32_t index_type = index < j->s->bound ? j->result_type[index] : 0;
	if (bw_spv_record_op(j, index_type) != OP_TYPE_INT ||
	    bw_spv_record_ctype(j, index_type)->size_b != 4)
		return false;
	if (!type || n < 1 || bw_spv_record_op(j, p->type) == OP_TYPE_STRUCT ||
	    p->n_dynamic == DYNAMIC_MAX)
		return false;
	if (n > 1)
		bw_spv_record_element(j, p->type, 1, &next);
	p->dynamic[p->n_dynamic++] = (struct dynamic){index, next, (uint32_t)n};
	p->type = type;
	return true;
}

static void follow_chain(struct bw_spv_record_job *j, const uint32_t *w, uint32_t n)
{
	const struct pointer *base = n > 3 ? bw_spv_record_pointer(j, w[3]) : NULL;
	if (!base)
		return;
	struct pointer p = *base;
	p.id = w[2];
	for (uint32_t i = 4; i < n; i++) {
		if (!step_into(j, &p, w[i])) {
			j->variables.data[p.variable].is_dropped = true;
			return;
		}
	}
	add_pointer(j, &p);
}

/* Pointers are followed through access chains and calls. Other pointers are not recorded. */
void bw_spv_record_follow(struct bw_spv_record_job *j, const uint32_t *w, uint32_t n)
{
	switch (bw_spv_op(*w)) {
	case OP_ACCESS_CHAIN:
	case OP_IN_BOUNDS_ACCESS_CHAIN:
		follow_chain(j, w, n);
		break;
	case OP_COPY_OBJECT:
	case OP_PHI:
	case OP_SELECT:
	case OP_PTR_ACCESS_CHAIN:
	case OP_IN_BOUNDS_PTR_ACCESS_CHAIN:
	case OP_RETURN_VALUE:
		for (uint32_t i = 1; i < n; i++)
			drop(j, w[i]);
		break;
	default:
		break;
	}
}

static bool is_type(uint32_t op)
{
	return op >= OP_TYPE_VOID && op <= OP_TYPE_POINTER;
}

void bw_spv_record_plan(struct bw_spv_record_job *j, size_t functions_at)
{
	unsigned op, n;
	uint32_t function = 0;
	j->n_words = HEADER_WORDS;
	for (size_t at = SPV_HEADER; bw_spv_inst(j->s, at, &op, &n) && !j->err; at += n) {
		const uint32_t *w = &j->s->words[at];
		function += op == OP_FUNCTION;
		/* a type is the first operand of what has a result alone */
		if (n > 2 && w[2] < j->s->bound && is_type(bw_spv_record_op(j, w[1])))
			j->result_type[w[2]] = w[1];
		if ((op == OP_VARIABLE && n > 3) || (op == OP_FUNCTION_PARAMETER && n > 2))
			plan_variable(j, w, function);
	}
	function = 0;
	for (size_t at = functions_at; bw_spv_inst(j->s, at, &op, &n) && !j->err; at += n) {
		if (op == OP_FUNCTION)
			bw_spv_record_enter(j, ++function);
		bw_spv_record_follow(j, &j->s->words[at], n);
	}
}
