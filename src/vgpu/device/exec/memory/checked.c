/* SPDX-License-Identifier: MIT */
/* The places of a span, for the checker. */
#include "vgpu/device/exec/memory/checked.h"

#include "base/util.h"

static bool is_sink(const struct bw_span *s, const uint8_t *host)
{
	return host >= s->sink[0] && host < s->sink[0] + sizeof(s->sink);
}

struct touches {
	struct bw_touch t[64 * BW_MEM_MAX_PIECES];
	unsigned n;
};

static void add(struct touches *out, const struct bw_span *s, unsigned lane, uint8_t *host,
		const uint8_t *value, unsigned size_b)
{
	if (!is_sink(s, host))
		out->t[out->n++] = (struct bw_touch){host, value, (uint8_t)lane, (uint8_t)size_b};
}

static void add_scattered(struct touches *out, const struct bw_span *s, unsigned lane,
			  const uint8_t *value, unsigned size_b)
{
	if (!(s->split >> lane & 1)) {
		add(out, s, lane, s->lane[lane], value, size_b);
		return;
	}
	for (unsigned i = 0; i < s->n_pieces[lane]; i++) {
		const struct bw_span_piece *p = &s->piece[lane][i];
		add(out, s, lane, p->host, value ? value + p->offset_b : NULL, p->size_b);
	}
}

static void add_private_half(struct touches *out, const struct bw_span *s, unsigned h,
			     unsigned size_b)
{
	const struct bw_span_half *half = &s->half[h];
	unsigned i;
	if (half->kind == BW_SPAN_NONE)
		return;
	BW_EACH_LANE(half->exec, i) {
		unsigned lane = h * BW_LANES + i;
		if (half->kind == BW_SPAN_ROWS)
			for (unsigned k = 0; 4 * k < size_b; k++)
				add(out, s, lane, half->at[k] + 4 * i, NULL,
				    BW_MIN(size_b - 4 * k, 4u));
		else if (half->kind == BW_SPAN_SCATTER && s->private_lanes >> lane & 1)
			add_scattered(out, s, lane, NULL, size_b);
	}
}

static void add_half(struct touches *out, const struct bw_span *s, unsigned h,
		     const bw_span_values *values, unsigned size_b)
{
	const struct bw_span_half *half = &s->half[h];
	unsigned i;
	/* Rows are private memory. */
	if (half->kind == BW_SPAN_NONE || half->kind == BW_SPAN_ROWS)
		return;
	BW_EACH_LANE(half->exec, i) {
		unsigned lane = h * BW_LANES + i;
		const uint8_t *value = values ? (*values)[lane] : NULL;
		if (s->private_lanes >> lane & 1)
			continue;
		if (half->kind == BW_SPAN_SCATTER)
			add_scattered(out, s, lane, value, size_b);
		else if (half->kind == BW_SPAN_SAME)
			add(out, s, lane, half->at[0], value, size_b);
		else if (half->kind == BW_SPAN_INDEX)
			add(out, s, lane, half->at[0] + s->index[lane], value, size_b);
		else
			add(out, s, lane, half->at[0] + i * size_b, value, size_b);
	}
}

void bw_span_touch(const struct bw_span *s, struct bw_wave *w, enum bw_touch_kind kind,
		   const bw_span_values *values, unsigned size_b)
{
	struct touches out;
	if (!w->wg->is_touch_checked)
		return;
	out.n = 0;
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++)
		add_half(&out, s, h, values, size_b);
	bw_check_touch(w, kind, out.t, out.n);
	if (kind != BW_TOUCH_STORE)
		return;
	out.n = 0;
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++)
		add_private_half(&out, s, h, size_b);
	if (out.n)
		bw_check_touch_private(w, out.t, out.n);
}
