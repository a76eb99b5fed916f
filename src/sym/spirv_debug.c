/* SPDX-License-Identifier: MIT */
/* Lines and sources as instructions without code (NonSemantic.Shader.DebugInfo.100): what
 * "glslang -gVS" writes in the place of OpLine and OpSource. */
#include "sym/spirv_priv.h"

enum { DEBUG_SOURCE = 35, DEBUG_SOURCE_CONTINUED = 102, DEBUG_LINE = 103, DEBUG_NO_LINE = 104 };

bool bw_spv_is_debug(const struct bw_spirv *s, const uint32_t *w)
{
	if (bw_spv_op(*w) != OP_EXT_INST || bw_spv_n_words(*w) < 5)
		return false;
	bw_vec_each(&s->debug_sets, d)
		if (*d == w[3])
			return true;
	return false;
}

/* The operand of a DebugSource, words from its start. */
static uint32_t source_operand(const struct bw_spirv *s, const uint32_t *w, uint32_t i)
{
	return bw_spv_is_debug(s, w) && w[4] == DEBUG_SOURCE && bw_spv_n_words(*w) > i ? w[i] : 0;
}

uint32_t bw_spv_debug_file(const struct bw_spirv *s, const uint32_t *w)
{
	return source_operand(s, w, 5);
}

uint32_t bw_spv_debug_text(const struct bw_spirv *s, const uint32_t *w)
{
	const bool goes_on = bw_spv_is_debug(s, w) && w[4] == DEBUG_SOURCE_CONTINUED;
	return goes_on && bw_spv_n_words(*w) > 5 ? w[5] : source_operand(s, w, 6);
}

bool bw_spv_debug_goes_on(const struct bw_spirv *s, const uint32_t *w)
{
	return bw_spv_is_debug(s, w) && w[4] == DEBUG_SOURCE_CONTINUED;
}

bool bw_spv_debug_line(const struct bw_spirv *s, const uint32_t *w, uint32_t *out_file,
		       uint32_t *out_line)
{
	uint64_t line = 0;
	if (!bw_spv_is_debug(s, w) || (w[4] != DEBUG_LINE && w[4] != DEBUG_NO_LINE))
		return false;
	*out_file = *out_line = 0;
	if (w[4] == DEBUG_NO_LINE || bw_spv_n_words(*w) < 7)
		return true;
	const uint32_t *source = bw_spv_def(s, w[5], 6);
	if (!source || !bw_spv_constant(s, w[6], &line) || line > UINT32_MAX)
		return true;
	*out_file = bw_spv_debug_file(s, source);
	*out_line = *out_file ? (uint32_t)line : 0;
	return true;
}

bool bw_spirv_prints(const struct bw_spirv *s)
{
	unsigned op, n;
	for (size_t at = SPV_HEADER; s->printf_set && bw_spv_inst(s, at, &op, &n); at += n)
		if (op == OP_EXT_INST && n >= 5 && s->words[at + 3] == s->printf_set)
			return true;
	return false;
}
