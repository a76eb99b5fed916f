/* SPDX-License-Identifier: MIT */
/* Values as a shader's record has them (spirv_record.h): each scalar has words of its own, so that
 * a shader can store one of 8 or 16 bits without those beside it. */
#include "sym/spirv_record.h"

#include <string.h>

#include "base/util.h"

enum { TOO_MANY = BW_SPIRV_RECORD_MAX_B / 4 + 1 };

uint32_t bw_spirv_record_words(const struct bw_ctype *t)
{
	uint64_t sum = 0;
	if (!t->size_b) /* nothing in it can be stored */
		return 0;
	switch ((int)t->kind) {
	case BW_CTYPE_BOOL:
	case BW_CTYPE_INT:
	case BW_CTYPE_FLOAT:
	case BW_CTYPE_POINTER:
		return t->size_b <= 4 ? 1 : t->size_b == 8 ? 2 : 0;
	case BW_CTYPE_VECTOR:
	case BW_CTYPE_ARRAY:
		sum = BW_MIN(t->count, (uint64_t)TOO_MANY) * bw_spirv_record_words(t->elem);
		return (uint32_t)BW_MIN(sum, (uint64_t)TOO_MANY);
	case BW_CTYPE_STRUCT:
		for (size_t i = 0; i < t->n_members && sum < TOO_MANY; i++) {
			uint32_t words = bw_spirv_record_words(t->members[i].type);
			if (!words)
				return 0;
			sum += words;
		}
		return (uint32_t)BW_MIN(sum, (uint64_t)TOO_MANY);
	default:
		return 0;
	}
}

static void copy(const struct bw_ctype *t, const uint32_t **words, uint8_t *out, uint64_t room_b)
{
	uint64_t at = 0, stride_b;
	if (t->size_b > room_b) /* its elements overlap: a damaged type */
		return;
	switch ((int)t->kind) {
	case BW_CTYPE_VECTOR:
	case BW_CTYPE_ARRAY:
		stride_b = t->stride_b ? t->stride_b : t->elem->size_b;
		for (uint64_t i = 0; i < t->count && at <= room_b; i++, at += stride_b)
			copy(t->elem, words, out + at, room_b - at);
		break;
	case BW_CTYPE_STRUCT:
		for (size_t i = 0; i < t->n_members; i++) {
			at = t->members[i].offset_b;
			if (at <= room_b)
				copy(t->members[i].type, words, out + at, room_b - at);
		}
		break;
	default:
		memcpy(out, *words, t->size_b);
		*words += bw_spirv_record_words(t);
		break;
	}
}

void bw_spirv_record_value(const struct bw_ctype *t, const uint32_t *words, uint8_t *out)
{
	memset(out, 0, t->size_b);
	copy(t, &words, out, t->size_b);
}
