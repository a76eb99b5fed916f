/* SPDX-License-Identifier: MIT */
/* Words of the module that is written, and the types and constants that it needs. */
#include "sym/spirv_record_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void bw_spv_put(struct bw_spv_record_job *j, const uint32_t *words, size_t n)
{
	if (!j->err && n)
		j->err = bw_vec_reserve(&j->out, j->out.len + n);
	if (j->err || !n)
		return;
	memcpy(j->out.data + j->out.len, words, n * sizeof(*words));
	j->out.len += n;
}

void bw_spv_put_op(struct bw_spv_record_job *j, uint32_t op, const uint32_t *operands, size_t n)
{
	const uint32_t first = op | (uint32_t)(n + 1) << 16;
	bw_spv_put(j, &first, 1);
	bw_spv_put(j, operands, n);
}
uint32_t bw_spv_new_id(struct bw_spv_record_job *j)
{
	if (j->next_id >= IDS_MAX && !j->err)
		j->err = bw_errorf(BW_E_UNSUPPORTED, "the shader has too many ids");
	return j->next_id++;
}

/* An instruction whose operands end in a text: `first` is the one before it. */
void bw_spv_put_text(struct bw_spv_record_job *j, uint32_t op, uint32_t first, const char *text)
{
	size_t n = strlen(text) / 4 + 1;
	_cleanup_free_ uint32_t *words = calloc(n + 1, sizeof(*words));
	if (!words) {
		if (!j->err)
			j->err = bw_error_nomem();
		return;
	}
	words[0] = first;
	memcpy(words + 1, text, strlen(text));
	bw_spv_put_op(j, op, words, n + 1);
}

uint32_t bw_spv_new_constant(struct bw_spv_record_job *j, uint32_t value)
{
	uint32_t id = bw_spv_new_id(j);
	if (!j->err)
		j->err = bw_vec_push(&j->constants, value);
	if (!j->err)
		j->err = bw_vec_push(&j->constants, id);
	return id;
}

uint32_t bw_spv_constant_id(struct bw_spv_record_job *j, uint32_t value)
{
	for (size_t i = 0; i < j->constants.len; i += 2)
		if (j->constants.data[i] == value)
			return j->constants.data[i + 1];
	return bw_spv_new_constant(j, value);
}

/* A type of these operands; a new id where there is none yet. */
uint32_t bw_spv_find_type(struct bw_spv_record_job *j, uint32_t op, const uint32_t *operands,
			  uint32_t n, bool *is_new)
{
	unsigned here, words;
	for (size_t at = SPV_HEADER; bw_spv_inst(j->s, at, &here, &words) && here != OP_FUNCTION;
	     at += words)
		if (here == op && words == n + 2 &&
		    !memcmp(&j->s->words[at + 2], operands, n * sizeof(*operands)))
			return j->s->words[at + 1];
	*is_new = true;
	return bw_spv_new_id(j);
}
