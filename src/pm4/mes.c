/* SPDX-License-Identifier: MIT */
#include "pm4/mes.h"

#include <inttypes.h>
#include <string.h>

struct field {
	const char *name;
	unsigned lo, n_bits;
};

static const struct frame {
	const char *name;
	int opcode, operation; /* -1: all operations of the opcode */
	unsigned fence_dw;
	size_t n_fields;
	const struct field *fields;
} frames[] = {
#include "mes_frames.inc"
};

static const struct frame *find_frame(uint32_t header, int64_t operation)
{
	bool is_of_scheduler = bw_words_get(&header, BW_MES_HEADER_TYPE) == BW_MES_SCHEDULER;
	int opcode = (int)bw_words_get(&header, BW_MES_HEADER_OPCODE);
	for (size_t i = 0; is_of_scheduler && i < BW_ARRAY_SIZE(frames); i++)
		if (frames[i].opcode == opcode && frames[i].operation == operation)
			return &frames[i];
	return NULL;
}

bool bw_mes_info(uint32_t header, struct bw_mes_info *out)
{
	const struct frame *f = find_frame(header, -1);
	if (f)
		*out = (struct bw_mes_info){f->name, f->fence_dw};
	return f;
}

const char *bw_mes_name(uint32_t header)
{
	const struct frame *f = find_frame(header, -1);
	return f ? f->name : "unknown frame";
}

static void add_fields(const struct frame *f, const uint32_t *w, size_t n, struct bw_str *out)
{
	for (const struct field *x = f->fields; x < f->fields + f->n_fields; x++) {
		if (x->lo + x->n_bits > 32 * n)
			continue;
		uint64_t value = x->n_bits == 64 ? bw_join32(w[x->lo / 32 + 1], w[x->lo / 32])
						 : bw_words_get(w, x->lo, x->n_bits);
		if (x->n_bits > 1)
			bw_str_addf(out, "%s 0x%" PRIx64 "\n", x->name, value);
		else if (value)
			bw_str_addf(out, "%s\n", x->name);
	}
}

void bw_mes_describe(const uint32_t *frame, size_t n, struct bw_str *out)
{
	const struct frame *f = n ? find_frame(frame[0], -1) : NULL;
	const struct frame *operation = n > 1 ? find_frame(frame[0], frame[1]) : NULL;
	if (operation) {
		bw_str_addf(out, "%s\n", operation->name + strlen(f->name) + 1); /* MISC_ */
		add_fields(operation, frame, n, out);
	} else if (f) {
		add_fields(f, frame, n, out);
	}
}
