/* SPDX-License-Identifier: MIT */
/* Checks that a module is complete: each instruction is in its place, and has the right length.
 * Checks of their meaning are for drivers and spirv-val. */
#include "sym/spirv_priv.h"

#include "base/util.h"

enum { MAGIC_SWAPPED = 0x03022307 };

/* The fewest words of the instructions that are looked into. */
static const struct {
	uint16_t op, n_words;
	uint8_t id_at; /* of the result; 0: it has none */
	const char *name;
} shapes[] = {
	{OP_STRING, 3, 1, "OpString"},
	{OP_LINE, 4, 0, "OpLine"},
	{OP_NAME, 3, 0, "OpName"},
	{OP_EXT_INST_IMPORT, 3, 1, "OpExtInstImport"},
	{OP_EXT_INST, 5, 2, "OpExtInst"},
	{OP_ENTRY_POINT, 4, 0, "OpEntryPoint"},
	{OP_TYPE_INT, 4, 1, "OpTypeInt"},
	{OP_TYPE_FLOAT, 3, 1, "OpTypeFloat"},
	{OP_TYPE_VECTOR, 4, 1, "OpTypeVector"},
	{OP_TYPE_ARRAY, 4, 1, "OpTypeArray"},
	{OP_TYPE_POINTER, 4, 1, "OpTypePointer"},
	{OP_CONSTANT, 4, 2, "OpConstant"},
	{OP_FUNCTION, 5, 2, "OpFunction"},
	{OP_FUNCTION_PARAMETER, 3, 2, "OpFunctionParameter"},
	{OP_FUNCTION_CALL, 4, 2, "OpFunctionCall"},
	{OP_VARIABLE, 4, 2, "OpVariable"},
	{OP_LOAD, 4, 2, "OpLoad"},
	{OP_STORE, 3, 0, "OpStore"},
	{OP_COPY_MEMORY, 3, 0, "OpCopyMemory"},
	{OP_ACCESS_CHAIN, 4, 2, "OpAccessChain"},
	{OP_IN_BOUNDS_ACCESS_CHAIN, 4, 2, "OpInBoundsAccessChain"},
	{OP_DECORATE, 3, 0, "OpDecorate"},
	{OP_LABEL, 2, 1, "OpLabel"},
};

static struct bw_error *check_shape(const uint32_t *words, size_t at)
{
	const uint32_t op = bw_spv_op(words[at]), n = bw_spv_n_words(words[at]);
	for (size_t i = 0; i < BW_ARRAY_SIZE(shapes); i++) {
		if (shapes[i].op != op)
			continue;
		if (n < shapes[i].n_words)
			return bw_errorf(BW_E_INVALID,
					 "the SPIR-V is damaged at word %zu: %s has %u words, it "
					 "takes %u",
					 at, shapes[i].name, n, shapes[i].n_words);
		uint32_t id = shapes[i].id_at ? words[at + shapes[i].id_at] : 1;
		if (!id || id >= words[3])
			return bw_errorf(BW_E_INVALID,
					 "the SPIR-V is damaged at word %zu: %s defines the id %u, "
					 "and its ids end before %u",
					 at, shapes[i].name, id, words[3]);
	}
	return NULL;
}

static struct bw_error *check_length(const uint32_t *words, size_t n, size_t at)
{
	const uint32_t op = bw_spv_op(words[at]), own = bw_spv_n_words(words[at]);
	if (!own)
		return bw_errorf(BW_E_INVALID,
				 "the SPIR-V is damaged at word %zu: an instruction (opcode %u) "
				 "without a length",
				 at, op);
	if (own > n - at)
		return bw_errorf(BW_E_INVALID,
				 "the SPIR-V ends within the instruction at word %zu (opcode %u): "
				 "it has %u words, and %zu are there",
				 at, op, own, n - at);
	return NULL;
}

/* Functions follow each other, each with its end. */
static struct bw_error *check_nesting(uint32_t op, size_t at, bool *inside)
{
	const bool is_begin = op == OP_FUNCTION;
	if (!is_begin && op != OP_FUNCTION_END)
		return NULL;
	if (is_begin == *inside)
		return bw_errorf(
			BW_E_INVALID, "the SPIR-V is damaged at word %zu: a function %s", at,
			is_begin ? "begins within another one" : "ends that has not begun");
	*inside = is_begin;
	return NULL;
}

struct bw_error *bw_spirv_check(const uint32_t *words, size_t n)
{
	bool inside = false, has_function = false;
	if (n && words[0] == MAGIC_SWAPPED)
		return bw_errorf(BW_E_INVALID, "the SPIR-V has its bytes in the other order");
	if (n < SPV_HEADER || words[0] != SPV_MAGIC)
		return bw_errorf(BW_E_INVALID, "this is not SPIR-V");
	if (words[3] > IDS_MAX)
		return bw_errorf(BW_E_INVALID, "the SPIR-V has more than %d ids", IDS_MAX);
	for (size_t at = SPV_HEADER; at < n; at += bw_spv_n_words(words[at])) {
		BW_TRY(check_length(words, n, at));
		BW_TRY(check_shape(words, at));
		BW_TRY(check_nesting(bw_spv_op(words[at]), at, &inside));
		has_function |= inside;
	}
	if (inside || !has_function)
		return bw_errorf(BW_E_INVALID, "the SPIR-V ends at word %zu, %s", n,
				 inside ? "within a function" : "before its first function");
	return NULL;
}
