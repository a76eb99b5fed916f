/* SPDX-License-Identifier: MIT */
#include "shader/group.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/spirv_numbers.h"

struct module {
	const uint32_t *words;
	size_t n_words;
};

/* The instruction after the one at `at`; false at the end. It has `*out_n` words. */
static bool next_instruction(const struct module *m, size_t *at, size_t *out_n)
{
	*at += *at ? *out_n : SPV_HEADER;
	*out_n = *at < m->n_words ? bw_spv_n_words(m->words[*at]) : 0;
	return *out_n && *out_n <= m->n_words - *at;
}

/* The opcode of the constant with that id, 0: none has it. The id is its second operand. */
static uint32_t maker_of(const struct module *m, uint32_t id, size_t *out_at, size_t *out_n)
{
	size_t at = 0, n = 0;
	while (next_instruction(m, &at, &n)) {
		uint32_t op = bw_spv_op(m->words[at]);
		if (op < OP_CONSTANT_TRUE || op > OP_SPEC_OP || n < 3 || m->words[at + 2] != id)
			continue;
		*out_at = at;
		*out_n = n;
		return op;
	}
	return 0;
}

static struct bw_error *check_number(const struct module *m, uint32_t id)
{
	size_t at, n;
	uint32_t op = maker_of(m, id, &at, &n);
	if (op == OP_SPEC_OP)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "the size of its workgroups is computed from specialization "
				 "constants (OpSpecConstantOp), which is not supported: make it a "
				 "specialization constant itself (local_size_x_id)");
	if (op != OP_CONSTANT && op != OP_SPEC)
		return bw_errorf(BW_E_INVALID,
				 "it is not valid SPIR-V: id %" PRIu32
				 ", the size of its workgroups, is not a number",
				 id);
	return NULL;
}

static struct bw_error *check_numbers(const struct module *m, const uint32_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		BW_TRY(check_number(m, ids[i]));
	return NULL;
}

/* BuiltIn WorkgroupSize decorates a vector of three constants. */
static struct bw_error *check_vector(const struct module *m, uint32_t id)
{
	size_t at, n;
	uint32_t op = maker_of(m, id, &at, &n);
	if (op == OP_CONSTANT_COMPOSITE || op == OP_SPEC_COMPOSITE)
		return n == 6 ? check_numbers(m, &m->words[at + 3], 3)
			      : bw_errorf(BW_E_INVALID, "it is not valid SPIR-V: the size of its "
							"workgroups has not three numbers");
	return check_number(m, id);
}

struct bw_error *bw_shader_check_group(const uint32_t *words, size_t n_words, uint32_t entry)
{
	const struct module m = {words, n_words};
	for (size_t at = 0, n = 0; next_instruction(&m, &at, &n);) {
		const uint32_t *w = &words[at];
		uint32_t op = bw_spv_op(w[0]);
		if (op == OP_EXECUTION_MODE_ID && n > 3 && w[1] == entry &&
		    w[2] == MODE_LOCAL_SIZE_ID)
			BW_TRY(check_numbers(&m, w + 3, n - 3));
		else if (op == OP_DECORATE && n > 3 && w[2] == DECO_BUILTIN &&
			 w[3] == BUILTIN_WORKGROUP_SIZE)
			BW_TRY(check_vector(&m, w[1]));
	}
	return NULL;
}

uint32_t bw_shader_entry_id(const uint32_t *words, size_t n_words, const char *name)
{
	const struct module m = {words, n_words};
	for (size_t at = 0, n = 0; next_instruction(&m, &at, &n);) {
		const uint32_t *w = &words[at];
		if (bw_spv_op(w[0]) == OP_ENTRY_POINT && n > 3 && w[1] == MODEL_COMPUTE &&
		    !strncmp((const char *)(w + 3), name, (n - 3) * sizeof(*w)))
			return w[2];
	}
	return 0;
}
