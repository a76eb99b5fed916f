/* SPDX-License-Identifier: MIT */
#include "replay/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "pm4/clock.h"
#include "replay/limit.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B, PACKET_MAX_DW = 16 };

/* ---- Before the submission ---- */

static int by_place(const void *a, const void *b)
{
	const struct bw_replay_clock *x = a, *y = b;
	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	if (x->offset_b != y->offset_b)
		return x->offset_b < y->offset_b ? -1 : 1;
	return (x->size_b > y->size_b) - (x->size_b < y->size_b);
}

/* Several packets may write one place. */
static void sort(struct bw_replay_clocks *clocks)
{
	size_t n = 0;
	if (!clocks->len)
		return;
	qsort(clocks->data, clocks->len, sizeof(*clocks->data), by_place);
	for (size_t i = 0; i < clocks->len; i++)
		if (!n || by_place(&clocks->data[n - 1], &clocks->data[i]) != 0)
			clocks->data[n++] = clocks->data[i];
	clocks->len = n;
}

static struct bw_error *note_write(struct bw_replay_gpu *g, const struct bw_capture_space *s,
				   const struct bw_pm4_clock_write *w, struct bw_replay_clocks *out)
{
	bw_vec_each(&s->maps, m) {
		if (!m->buffer || w->va < m->va || w->va - m->va >= m->size_b ||
		    m->size_b - (w->va - m->va) < w->size_b)
			continue;
		struct bw_replay_clock c = {
			m->buffer, m->offset_b + (w->va - m->va), w->size_b, {0}};
		const struct bw_capture_state_buffer *b = bw_capture_space_buffer(s, c.buffer);
		const uint8_t *memory = bw_replay_gpu_memory(g, s->number, c.buffer);
		if (!b || !memory || c.offset_b > b->info.size_b ||
		    b->info.size_b - c.offset_b < c.size_b)
			return NULL;
		memcpy(c.before, memory + c.offset_b, c.size_b);
		return bw_vec_push(out, c);
	}
	return NULL;
}

static struct bw_error *note_steps(struct bw_replay_gpu *g, const struct bw_capture_space *s,
				   const struct bw_pm4_steps *steps, struct bw_replay_clocks *out)
{
	uint32_t words[PACKET_MAX_DW];
	struct bw_pm4_clock_write w;
	bw_vec_each(steps, step)
		if (step->size_dw <= PACKET_MAX_DW &&
		    bw_replay_gpu_read(g, s->number, step->va, words, step->size_dw * 4) &&
		    bw_pm4_clock_write(step, words, &w))
			BW_TRY(note_write(g, s, &w, out));
	return NULL;
}

struct bw_error *bw_replay_clocks_note(struct bw_replay_gpu *g, const struct bw_capture_space *s,
				       const struct bw_capture_submission *sub,
				       struct bw_replay_clocks *out)
{
	struct bw_pm4_steps steps = {0};
	struct bw_error *err = bw_replay_steps(g, sub, &steps);
	if (err && err->code == BW_E_UNSUPPORTED) {
		bw_error_free(err);
		err = NULL;
	}
	if (!err)
		err = note_steps(g, s, &steps, out);
	bw_vec_free(&steps);
	if (!err)
		sort(out);
	return err;
}

/* ---- After it ---- */

/* The bytes of a place as the capture has them; a place may begin in one page and end in the next.
 * out_known: false where the capture, damaged, has lost the page. */
static struct bw_error *captured_value(struct bw_capture_reader *r,
				       const struct bw_capture_state_buffer *b,
				       const struct bw_replay_clock *c, uint8_t *out,
				       bool *out_known)
{
	uint8_t page[PAGE_B];
	*out_known = false;
	for (uint32_t i = 0; i < c->size_b;) {
		uint64_t at = c->offset_b + i;
		uint32_t n = BW_MIN(c->size_b - i, (uint32_t)(PAGE_B - at % PAGE_B));
		if (at / PAGE_B >= b->n_pages)
			return NULL;
		struct bw_error *err = bw_capture_reader_page(r, b->page[at / PAGE_B], page);
		if (err && (err->code == BW_E_NOT_FOUND || err->code == BW_E_INVALID)) {
			bw_error_free(err);
			return NULL;
		}
		BW_TRY(err);
		memcpy(out + i, page + at % PAGE_B, n);
		i += n;
	}
	*out_known = true;
	return NULL;
}

static struct bw_error *settle_places(struct bw_capture_reader *r, struct bw_replay_gpu *g,
				      const struct bw_capture_space *s,
				      struct bw_replay_clocks *clocks,
				      struct bw_replay_clocks_said *said)
{
	bw_vec_each(clocks, c) {
		const struct bw_capture_state_buffer *b = bw_capture_space_buffer(s, c->buffer);
		uint8_t *memory = bw_replay_gpu_memory(g, s->number, c->buffer);
		bool is_known = false;
		if (b && memory)
			BW_TRY(captured_value(r, b, c, c->captured, &is_known));
		if (!is_known || !memcmp(c->captured, c->before, c->size_b) ||
		    !memcmp(memory + c->offset_b, c->before, c->size_b))
			continue;
		memcpy(c->replayed, memory + c->offset_b, c->size_b);
		memcpy(memory + c->offset_b, c->captured, c->size_b);
		c->is_settled = true;
		said->n_values++;
		said->n_b += c->size_b;
	}
	return NULL;
}

/* How many bytes are a copy of a clock's value in both runs: all of it, or its low dword. */
static uint32_t copied(const struct bw_replay_clocks *clocks, const uint8_t *captured,
		       const uint8_t *replayed, size_t left_b)
{
	for (uint32_t size_b = 8; size_b >= 4; size_b -= 4)
		bw_vec_each(clocks, c)
			if (c->is_settled && c->size_b >= size_b && left_b >= size_b &&
			    !memcmp(c->captured, captured, size_b) &&
			    !memcmp(c->replayed, replayed, size_b))
				return size_b;
	return 0;
}

static struct bw_error *settle_page(struct bw_capture_reader *r, uint64_t page, uint8_t *memory,
				    const struct bw_replay_clocks *clocks,
				    struct bw_replay_clocks_said *said)
{
	uint8_t captured[PAGE_B];
	struct bw_error *err = bw_capture_reader_page(r, page, captured);
	if (bw_error_catch(&err, BW_E_NOT_FOUND) || bw_error_catch(&err, BW_E_INVALID))
		return NULL;
	BW_TRY(err);
	for (uint32_t i = 0, n = 4; i + 4 <= PAGE_B; i += n, n = 4) {
		if (!memcmp(captured + i, memory + i, 4))
			continue;
		uint32_t copy_b = copied(clocks, captured + i, memory + i, PAGE_B - i);
		if (!copy_b)
			continue;
		memcpy(memory + i, captured + i, copy_b);
		said->n_copies++;
		said->n_copied_b += n = copy_b;
	}
	return NULL;
}

struct bw_error *bw_replay_clocks_settle(struct bw_capture_reader *r, struct bw_replay_gpu *g,
					 const struct bw_capture_space *s,
					 const struct bw_capture_runs *after,
					 struct bw_replay_clocks *clocks,
					 struct bw_replay_clocks_said *said)
{
	uint64_t n_before = said->n_values;
	BW_TRY(settle_places(r, g, s, clocks, said));
	if (said->n_values == n_before)
		return NULL;
	bw_vec_each(after, run) {
		uint8_t *memory = bw_replay_gpu_memory(g, s->number, run->buffer);
		for (uint64_t i = 0; memory && i < run->count; i++)
			BW_TRY(settle_page(r, run->page ? run->page + i : 0,
					   memory + (run->index + i) * PAGE_B, clocks, said));
	}
	return NULL;
}
