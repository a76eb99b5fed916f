/* SPDX-License-Identifier: MIT */
#include "vgpu/device/aql_check.h"

#include "base/util.h"
#include "vgpu/device/aql.h"
#include "vgpu/device/cp_priv.h"
#include "vgpu/device/sdma_engine.h"

enum { HOLD_NS = 5000000, HOLDS_MAX = 200 };

void bw_aql_hold_begin(const struct bw_device *dev, struct bw_aql_hold *h)
{
	if (h->n >= HOLDS_MAX || dev->options.deterministic)
		return;
	h->until_ns = bw_host_ns() + HOLD_NS;
	h->n++;
}

bool bw_aql_hold_is_on(const struct bw_aql_hold *h)
{
	return h->until_ns && bw_host_ns() < h->until_ns;
}

/* Memory that may not be there: then the queue will stop by itself. */
static const void *look(const struct bw_queue *q, uint64_t va)
{
	struct bw_vm_fault no_matter = {0};
	return bw_tlb_lookup_unwatched(bw_cp_tlb(q->dev, BW_HQD_FIELD(q, HQD_VMID, VMID)), va,
				       (enum bw_access)(BW_ACCESS_READ | BW_ACCESS_PROBE),
				       &no_matter);
}

void bw_aql_check_start(struct bw_queue *q)
{
	struct bw_aql_check *c = &q->check;
	const uint64_t at = q->aql.next;
	*c = (struct bw_aql_check){.line = bw_check_line_start(q->dev->check, c->line, at),
				   .submitted = at,
				   .hold.n = c->hold.n};
}

/* Up to the first packet whose header is still to come. */
static void note_submitted(struct bw_queue *q)
{
	const struct bw_aql *a = &q->aql;
	struct bw_aql_check *c = &q->check;
	const uint64_t *written = look(q, bw_aql_write_index_va(q) & ~7ull), before = c->submitted;
	if (!written)
		return;
	const uint64_t end =
		BW_MIN(__atomic_load_n(written, __ATOMIC_ACQUIRE), a->next + BW_AQL_WINDOW);
	c->submitted = BW_MAX(c->submitted, a->next);
	for (; c->submitted < end; c->submitted++) {
		const uint32_t *slot = look(q, bw_aql_slot_va(q, c->submitted));
		if (!slot || (__atomic_load_n(slot, __ATOMIC_ACQUIRE) & 0xff) == BW_AQL_INVALID)
			break;
	}
	bw_check_line_submitted(q->dev->check, c->line, c->submitted);
	const bool is_after_pause = a->first == a->next && before <= a->next;
	if (c->submitted > before && is_after_pause)
		bw_aql_hold_begin(q->dev, &c->hold);
}

/* A barrier packet looks at its signals only now and then. */
static void note_waits(struct bw_queue *q)
{
	struct bw_aql_check *c = &q->check;
	for (unsigned i = 0; i < BW_ARRAY_SIZE(c->waits_for); i++) {
		const int64_t *value =
			c->waits_for[i] ? look(q, c->waits_for[i] + BW_AQL_SIGNAL_VALUE) : NULL;
		if (value && !__atomic_load_n(value, __ATOMIC_ACQUIRE))
			bw_check_wait_holds(q->dev->check, &c->wait[i]);
	}
}

void bw_aql_check_submitted(struct bw_device *dev)
{
	for (unsigned i = 0; dev->check && i < BW_N_QUEUES; i++) {
		struct bw_queue *q = &dev->cp->queue[i];
		if (q->check.line == BW_CHECK_NO_LINE || !q->active || !q->aql.is_loaded)
			continue;
		note_submitted(q);
		note_waits(q);
	}
	if (dev->check)
		bw_sdma_submitted(dev);
}

void bw_aql_check_begin(struct bw_queue *q)
{
	q->check.job = bw_check_packet_begin(q->dev->check, q->check.line, q->aql.next);
}

void bw_aql_check_waits(struct bw_queue *q, unsigned number, uint64_t signal, bool holds)
{
	const void *value =
		q->check.line != BW_CHECK_NO_LINE ? look(q, signal + BW_AQL_SIGNAL_VALUE) : NULL;
	if (!value)
		return;
	bw_check_waits(q->dev->check, q->check.line, &q->check.wait[number], value, holds);
	q->check.waits_for[number] = (q->packet[0] & 0xff) != BW_AQL_VENDOR && !holds ? signal : 0;
}
