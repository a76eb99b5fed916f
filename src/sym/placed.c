/* SPDX-License-Identifier: MIT */
#include "sym/placed.h"

#include <string.h>

#include "base/util.h"

enum { PAGE_B = 4096, MOST_PAGES = 16384 };

void bw_placed_look(uint64_t pc, bw_placed_read_fn *read, void *cookie,
		    struct bw_placed_window *out)
{
	uint8_t *at = out->bytes + BW_PLACED_AROUND_B;
	/* where the page before it is not there, what is in its own */
	const unsigned sizes[] = {BW_PLACED_AROUND_B, (unsigned)(pc % PAGE_B)};
	*out = (struct bw_placed_window){.pc = pc};
	out->after_b = (unsigned)read(cookie, pc, at, BW_PLACED_AROUND_B);
	for (size_t i = 0; i < BW_ARRAY_SIZE(sizes) && !out->before_b; i++) {
		unsigned n = BW_MIN(sizes[i], (unsigned)BW_PLACED_AROUND_B);
		if (n && n <= pc && read(cookie, pc - n, at - n, n) == n)
			out->before_b = n;
	}
}

/* Equal dwords in percent, of the function that is at an offset of the image. */
static unsigned likeness(const struct bw_code_object *co, const struct bw_symbol *s, uint64_t at,
			 const struct bw_placed_window *w)
{
	size_t image_b, n_same = 0, n = 0;
	const uint8_t *image = bw_code_object_image(co, &image_b);
	uint64_t first = at - BW_MIN((uint64_t)w->before_b, at - s->addr);
	uint64_t end = BW_MIN(at + w->after_b, s->addr + s->size_b);
	end = BW_MIN(end, (uint64_t)image_b);
	for (uint64_t i = first; i + 4 <= end; i += 4, n++)
		n_same += !memcmp(image + i, w->bytes + BW_PLACED_AROUND_B + (int64_t)(i - at), 4);
	return n ? (unsigned)(n_same * 100 / n) : 0;
}

unsigned bw_placed_find(const struct bw_code_object *co, const struct bw_placed_window *w,
			uint64_t *out_base)
{
	size_t image_b;
	unsigned best = 0;
	bw_code_object_image(co, &image_b);
	for (uint64_t at = w->pc % PAGE_B; at < image_b && at / PAGE_B < MOST_PAGES; at += PAGE_B) {
		const struct bw_symbol *s = bw_code_object_symbol_at(co, at);
		if (!s || !s->is_function || at > w->pc || at >= s->addr + s->size_b)
			continue;
		unsigned like = likeness(co, s, at, w);
		if (like <= best)
			continue;
		best = like;
		*out_base = w->pc - at;
	}
	return best;
}
