/* SPDX-License-Identifier: MIT */
#include "vgpu/device/cwsr_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

/* The words. What a debugger knows of them is what ROCdbgapi reads (control_stack_iterate of its
 * gfx10 and gfx11): two words that it skips; words with bit 30, events, which it skips; two words
 * of state, the first of which has bit 31; words of waves. The second word of state and the events
 * are this device's own [I]. */
#define IS_STATE (1u << 31)
#define IS_EVENT (1u << 30)
enum {
	N_HEADER = 2,
	/* a wave */
	SLOT_BITS = 0x3ff,
	HAS_SCRATCH = 1 << 11,
	IS_FIRST = 1 << 12,
	SE_LO = 24,
	SE_BITS = 7,
	IS_LAST = 1 << 29,
	/* state */
	VGPRS_BITS = 0x3f,
	LDS_LO = 10,
	LDS_BITS = 0xff,
	LDS_UNIT_B = 512,
	IS_WAVE32 = 1 << 24,
	/* events: what it is, and 16 bits of it */
	EVENT_LO = 16,
	EVENT_BITS = 0x3fff,
	EVENT_QUEUE = 1,
	EVENT_PACKET = 2,
	EVENT_PART = 3,
	QUEUE_HAS_ASKED = 1,
	PACKET_DONE = 1,
	PACKET_ALL_PLACED = 2,
	N_PARTS = 10, /* of a packet: 16 bits each of next and start */
};

static unsigned vgpr_unit(unsigned lanes)
{
	return lanes == 32 ? 8 : 4;
}

uint32_t bw_cwsr_wave_b(const struct bw_cwsr_group *g, bool is_first)
{
	return (uint32_t)g->n_vgprs * g->lanes * 4 + BW_CWSR_SGPRS_B + BW_CWSR_HWREGS_B +
	       (is_first ? g->lds_b : 0);
}

/* --- writing --- */

struct writer {
	uint32_t *dw;
	size_t n, max;
};

static void put(struct writer *w, uint32_t value)
{
	if (w->n < w->max)
		w->dw[w->n] = value;
	w->n++;
}

static void put_event(struct writer *w, unsigned event, uint32_t value)
{
	put(w, IS_EVENT | event << EVENT_LO | (value & 0xffff));
}

static void put_packet(struct writer *w, const struct bw_cwsr_packet *p)
{
	const uint32_t words[] = {p->next[0], p->next[1], p->next[2], bw_lo32(p->start),
				  bw_hi32(p->start)};
	put_event(w, EVENT_PACKET,
		  (p->done ? PACKET_DONE : 0) | (p->all_placed ? PACKET_ALL_PLACED : 0));
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++) {
		put_event(w, EVENT_PART, words[i]);
		put_event(w, EVENT_PART, words[i] >> 16);
	}
}

static void put_state(struct writer *w, const struct bw_cwsr_group *g)
{
	put(w, IS_STATE | (g->n_vgprs / vgpr_unit(g->lanes) - 1u) |
		       g->lds_b / LDS_UNIT_B << LDS_LO | (g->lanes == 32 ? IS_WAVE32 : 0u));
	put(w, g->packet);
}

static bool have_same_state(const struct bw_cwsr_group *a, const struct bw_cwsr_group *b)
{
	return a->packet == b->packet && a->lanes == b->lanes && a->n_vgprs == b->n_vgprs &&
	       a->lds_b == b->lds_b;
}

static void put_waves(struct writer *w, const struct bw_cwsr_group *g)
{
	for (unsigned i = 0; i < g->n_waves; i++) {
		int slot = g->wave[i].scratch_slot;
		put(w, (slot >= 0 ? HAS_SCRATCH | (uint32_t)slot : 0u) |
			       (i ? 0u : (uint32_t)IS_FIRST) | (uint32_t)g->se << SE_LO |
			       (i + 1u == g->n_waves ? (uint32_t)IS_LAST : 0u));
	}
}

bool bw_cwsr_stack_write(const struct bw_cwsr_stack *s, uint32_t *dw, size_t max_dw, size_t *out_n)
{
	struct writer w = {.dw = dw, .max = max_dw};
	for (unsigned i = 0; i < N_HEADER; i++)
		put(&w, 0);
	put_event(&w, EVENT_QUEUE, s->has_asked ? QUEUE_HAS_ASKED : 0);
	for (unsigned i = 0; i < s->n_packets; i++)
		put_packet(&w, &s->packet[i]);
	for (unsigned i = 0; i < s->n_groups; i++) {
		if (!i || !have_same_state(&s->group[i], &s->group[i - 1]))
			put_state(&w, &s->group[i]);
		put_waves(&w, &s->group[i]);
	}
	*out_n = w.n;
	return w.n <= max_dw;
}

/* --- reading --- */

struct reader {
	struct bw_cwsr_stack *s;
	struct bw_cwsr_group *open; /* whose last wave has not come yet */
	struct bw_cwsr_group state; /* of the waves to come */
	unsigned n_parts;	    /* of the last packet */
	uint32_t begin_b, at_b;
};

static const char *read_event(struct reader *r, uint32_t word)
{
	struct bw_cwsr_stack *s = r->s;
	struct bw_cwsr_packet *p = s->n_packets ? &s->packet[s->n_packets - 1] : NULL;
	uint32_t value = word & 0xffff;
	bool is_whole = !p || r->n_parts == N_PARTS;
	switch (word >> EVENT_LO & EVENT_BITS) {
	case EVENT_QUEUE:
		s->has_asked = value & QUEUE_HAS_ASKED;
		return NULL;
	case EVENT_PACKET:
		if (!is_whole || s->n_packets == BW_CWSR_PACKETS)
			return "its packets are damaged";
		s->packet[s->n_packets++] = (struct bw_cwsr_packet){
			.done = value & PACKET_DONE, .all_placed = value & PACKET_ALL_PLACED};
		r->n_parts = 0;
		return NULL;
	case EVENT_PART: {
		if (is_whole)
			return "its packets are damaged";
		unsigned shift = r->n_parts % 2 * 16, i = r->n_parts / 2;
		if (i < BW_ARRAY_SIZE(p->next))
			p->next[i] |= value << shift;
		else
			p->start |= (uint64_t)value << (shift + (i - BW_ARRAY_SIZE(p->next)) * 32);
		r->n_parts++;
		return NULL;
	}
	default:
		return "it has an event that this device does not write";
	}
}

static void read_state(struct reader *r, uint32_t state, uint32_t packet)
{
	unsigned lanes = state & IS_WAVE32 ? 32 : 64;
	r->state = (struct bw_cwsr_group){
		.packet = (uint8_t)BW_MIN(packet, 255u),
		.lanes = (uint8_t)lanes,
		.n_vgprs = (uint16_t)(((state & VGPRS_BITS) + 1) * vgpr_unit(lanes)),
		.lds_b = (state >> LDS_LO & LDS_BITS) * LDS_UNIT_B,
	};
}

static const char *read_wave(struct reader *r, uint32_t word)
{
	struct bw_cwsr_stack *s = r->s;
	bool is_first = word & IS_FIRST;
	if (!r->state.lanes || r->state.packet >= s->n_packets)
		return "it has a wave of no packet";
	if (is_first == (r->open != NULL))
		return "its workgroups are damaged";
	if (is_first) {
		r->open = &s->group[s->n_groups++];
		*r->open = r->state;
		r->open->se = word >> SE_LO & SE_BITS;
	}
	uint32_t size_b = bw_cwsr_wave_b(r->open, is_first);
	if (r->open->n_waves == BW_CWSR_GROUP_WAVES || size_b > r->at_b - r->begin_b)
		return "its waves are more than the area has";
	r->at_b -= size_b;
	unsigned i = r->open->n_waves++;
	r->open->wave[i].at_b = r->at_b;
	r->open->wave[i].scratch_slot =
		(int16_t)(word & HAS_SCRATCH ? (int)(word & SLOT_BITS) : -1);
	if (word & IS_LAST)
		r->open = NULL;
	return NULL;
}

const char *bw_cwsr_stack_read(const uint32_t *dw, size_t n_dw, uint32_t begin_b, uint32_t end_b,
			       struct bw_cwsr_stack *s)
{
	memset(s, 0, sizeof(*s));
	if (n_dw < N_HEADER || end_b < begin_b)
		return "it is too short";
	/* A group has one word at least. */
	size_t n_waves = 0;
	for (size_t i = N_HEADER; i < n_dw; i++)
		n_waves += !(dw[i] & (IS_EVENT | IS_STATE)) && dw[i] & IS_FIRST;
	s->group = calloc(n_waves + 1, sizeof(*s->group));
	if (!s->group)
		return "out of memory";
	struct reader r = {.s = s, .begin_b = begin_b, .at_b = end_b};
	for (size_t i = N_HEADER; i < n_dw; i++) {
		const char *why = NULL;
		if (dw[i] & IS_EVENT) {
			why = read_event(&r, dw[i]);
		} else if (dw[i] & IS_STATE) {
			if (r.open || ++i == n_dw)
				return "its workgroups are damaged";
			read_state(&r, dw[i - 1], dw[i]);
		} else {
			why = read_wave(&r, dw[i]);
		}
		if (why)
			return why;
	}
	if (r.open || (s->n_packets && r.n_parts != N_PARTS) || r.at_b != begin_b)
		return "it does not end with the waves of the area";
	return NULL;
}
