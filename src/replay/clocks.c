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

/* ---- Behind it ---- */

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

struct bw_error *bw_replay_clocks_settle(struct bw_capture_reader *r, struct bw_replay_gpu *g,
					 const struct bw_capture_space *s,
					 const struct bw_replay_clocks *clocks,
					 struct bw_replay_clocks_said *said)
{
	uint8_t captured[sizeof(((struct bw_replay_clock *)NULL)->before)];
	bw_vec_each(clocks, c) {
		const struct bw_capture_state_buffer *b = bw_capture_space_buffer(s, c->buffer);
		uint8_t *memory = bw_replay_gpu_memory(g, s->number, c->buffer);
		bool is_known = false;
		if (b && memory)
			BW_TRY(captured_value(r, b, c, captured, &is_known));
		if (!is_known || !memcmp(captured, c->before, c->size_b) ||
		    !memcmp(memory + c->offset_b, c->before, c->size_b))
			continue;
		memcpy(memory + c->offset_b, captured, c->size_b);
		said->n_values++;
		said->n_b += c->size_b;
	}
	return NULL;
}
