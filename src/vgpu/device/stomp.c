/* SPDX-License-Identifier: MIT */
/* Fills the LDS, scratch memory, VGPRs and SGPRs that nobody has set with a bad value when a wave
 * starts. A mode of a queue, which a packet switches on and off. */
#include <string.h>

#include "pm4/build.h"
#include "vgpu/device/cp.h"
#include "vgpu/device/spi.h"

/* The packet is a NOP with these words in front: for hardware it is nothing. */
static const uint32_t stomp_magic[2] = {0x6d6f7473, 0x31305f70};
enum { MAGIC_DW = 2, STOMP_DW = sizeof(struct bw_vgpu_stomp) / 4 };

void bw_device_put_stomp(struct bw_pm4_stream *s, const struct bw_vgpu_stomp *stomp)
{
	uint32_t words[STOMP_DW] = {0};
	if (stomp)
		memcpy(words, stomp, sizeof(words));
	bw_pm4_put_header(s, BW_PM4_NOP, MAGIC_DW + STOMP_DW);
	for (unsigned i = 0; i < MAGIC_DW; i++)
		bw_pm4_put(s, stomp_magic[i]);
	for (unsigned i = 0; i < STOMP_DW; i++)
		bw_pm4_put(s, words[i]);
}

void bw_stomp_take_packet(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	if (p->n_body != MAGIC_DW + STOMP_DW || memcmp(p->body, stomp_magic, sizeof(stomp_magic)))
		return;
	memcpy(&q->stomp, p->body + MAGIC_DW, sizeof(q->stomp));
	q->n_stomp_dispatches = 0;
}

void bw_stomp_next_dispatch(struct bw_queue *q, struct bw_vgpu_stomp *out)
{
	uint32_t n = q->n_stomp_dispatches++;
	*out = q->stomp;
	if (n >= q->stomp.first_dispatch && n <= q->stomp.last_dispatch)
		return;
	/* memory keeps what a wave before has found there */
	out->what &= BW_VGPU_STOMP_SCRATCH;
	out->word = 0;
}

static void fill(uint32_t *words, size_t n, uint32_t word)
{
	for (size_t i = 0; i < n; i++)
		words[i] = word;
}

void bw_stomp_lds(const struct bw_group *g)
{
	const struct bw_vgpu_stomp *s = &g->dispatch->stomp;
	if (s->what & BW_VGPU_STOMP_LDS)
		fill((uint32_t *)(void *)g->wg.lds, g->wg.lds_size_b / 4, s->word);
}

void bw_stomp_registers(const struct bw_vgpu_stomp *s, struct bw_wave *w, unsigned n_sgprs,
			unsigned n_vgprs)
{
	enum { TTMP0 = 108 }; /* TTMPs, M0 and EXEC are the launch's own */
	if (s->what & BW_VGPU_STOMP_SGPRS && n_sgprs < TTMP0)
		fill(w->s + n_sgprs, TTMP0 - n_sgprs, s->word);
	if (s->what & BW_VGPU_STOMP_VGPRS && n_vgprs < w->n_vgprs)
		fill(w->v + (size_t)n_vgprs * w->lanes, (size_t)(w->n_vgprs - n_vgprs) * w->lanes,
		     s->word);
}

void bw_stomp_scratch(const struct bw_vgpu_stomp *s, struct bw_wave *w)
{
	if (s->what & BW_VGPU_STOMP_SCRATCH)
		bw_vm_fill(w->tlb, bw_canonical(w->flat_scratch), w->scratch_size_b, s->word);
}
