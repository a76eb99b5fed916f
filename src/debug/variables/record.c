// SPDX-License-Identifier: MIT
/* Variables of a shader that keeps a record of them in its scratch memory (sym/spirv_record.h). */
#include "debug/dispatches.h"
#include "debug/variables.h"
#include "debug/variables/variables_priv.h"
#include "debug/waves/waves_priv.h"
#include "sym/spirv_record.h"

#include <stdlib.h>

#include "base/cleanup.h"

enum { HEAD_WORDS = 4, STATE_AT_B = 4, SEARCH_MAX_B = 64 << 10 };

static bool is_head(const uint32_t *words, bool of_second)
{
	const uint32_t magic = of_second ? BW_SPIRV_RECORD_MAGIC_SECOND : BW_SPIRV_RECORD_MAGIC;
	return !words[0] && words[3] == magic &&
	       (words[1] == BW_SPIRV_RECORD_LIVE || words[1] == BW_SPIRV_RECORD_ENDED);
}

static struct bw_error *read_private(const struct bw_value_of *x, uint64_t at, void *out, size_t n)
{
	const struct bw_wave_mem from = {x->wave, x->lane, BW_SPACE_PRIVATE, at};
	return bw_wave_mem_read(x->d, &from, out, n);
}

/* Finds where a record begins: the lane's own, or one that an earlier wave has left. The driver may
 * have put other arrays before it. */
static struct bw_error *find_head(const struct bw_value_of *x, bool of_second, uint64_t *out,
				  bool *out_found)
{
	const size_t n = BW_MIN(bw_debug_scratch_lane_b(x->d, x->wave), (uint32_t)SEARCH_MAX_B) / 4;
	uint32_t head[HEAD_WORDS];
	*out = 0;
	*out_found = false;
	if (n < HEAD_WORDS)
		return NULL;
	BW_TRY(read_private(x, 0, head, sizeof(head)));
	*out_found = is_head(head, of_second);
	if (*out_found)
		return NULL;
	_cleanup_free_ uint32_t *words = malloc(n * sizeof(*words));
	if (!words)
		return bw_error_nomem();
	BW_TRY(read_private(x, 0, words, n * sizeof(*words)));
	for (size_t i = 1; i + HEAD_WORDS <= n && !*out_found; i++) {
		*out = i * 4;
		*out_found = is_head(words + i, of_second);
	}
	return NULL;
}

/* Finds where the lane's record begins. *out_why: why it has none; NULL: it has one. */
static struct bw_error *find_record(const struct bw_value_of *x, const struct bw_variables_frame *f,
				    uint64_t *out, const char **out_why)
{
	uint32_t state = 0;
	bool found = false;
	if (x->wave && !bw_lines_before_record(f->lines, f->addr))
		BW_TRY(find_head(x, bw_lines_is_second(f->lines), out, &found));
	if (found)
		BW_TRY(read_private(x, *out + STATE_AT_B, &state, sizeof(state)));
	*out_why = !found ? "not known before the lane's first line"
		   : state == BW_SPIRV_RECORD_ENDED
			   ? "not known before the lane's first line, nor after it has returned"
			   : NULL;
	return NULL;
}

struct bw_error *bw_variables_recorded(const struct bw_value_of *x,
				       const struct bw_variables_frame *f,
				       const struct bw_location *l, const struct bw_ctype *type,
				       struct bw_value *out)
{
	uint64_t record, size_b = bw_ctype_strip(type)->size_b;
	const uint32_t n = bw_spirv_record_words(type);
	uint32_t is_assigned = 0;
	const char *why;
	if (x->skip) {
		*out = (struct bw_value){.type = bw_type_of(type), .lane = (int)x->lane};
		return NULL;
	}
	BW_TRY(find_record(x, f, &record, &why));
	if (why)
		return bw_variables_not_known(type, why, out);
	BW_TRY(read_private(x, record + l->value, &is_assigned, sizeof(is_assigned)));
	if (is_assigned != 1)
		return bw_variables_not_known(type, "not assigned yet", out);
	if (!n || n > BW_SPIRV_RECORD_MAX_B / 4 || size_b > BW_VALUE_MAX_B)
		return bw_variables_not_known(type, "its size is not known", out);
	_cleanup_free_ uint32_t *words = calloc(n, sizeof(*words));
	_cleanup_free_ uint8_t *bytes = malloc(size_b);
	if (!words || !bytes)
		return bw_error_nomem();
	BW_TRY(read_private(x, record + (uint64_t)l->offset, words, n * sizeof(*words)));
	bw_spirv_record_value(type, words, bytes);
	BW_TRY(bw_variables_copied(type, bytes, size_b, "", out));
	out->lane = (int)x->lane;
	out->place = BW_PLACE_PIECES;
	out->bytes->location = *l;
	return NULL;
}
