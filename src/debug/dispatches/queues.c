// SPDX-License-Identifier: MIT
/* Where the programs' AQL queues stand: read from the rings, as the command processor does it. */
#include "debug/queues.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/dispatches/dispatches_priv.h"

static bool read_memory(struct bw_debug *d, uint64_t va, void *out, size_t size_b)
{
	struct bw_error *err = bw_target_read(d->target, va, out, size_b);
	bw_error_free(err);
	return !err;
}

/* The dispatch of a packet that is not complete: the newest, as the ring uses slots again. */
static uint32_t dispatch_of(struct bw_debug *d, uint32_t space, uint64_t packet_va)
{
	uint32_t found = 0;
	bw_vec_each(&d->dispatches->all, x)
		if (x->info.space == space && x->info.desc.packet_va == packet_va &&
		    x->info.state < BW_DISPATCH_DONE)
			found = x->info.number;
	return found;
}

static void read_signals(struct bw_debug *d, struct bw_queue_info *out)
{
	const struct bw_aql_packet *p = &out->first;
	const bool is_barrier = p->type == BW_AQL_BARRIER_AND || p->type == BW_AQL_BARRIER_OR;
	const bool is_value = p->type == BW_AQL_VENDOR && p->vendor == BW_AQL_VENDOR_BARRIER_VALUE;
	uint64_t vas[BW_AQL_N_BARRIER_SIGNALS] = {0};
	if (is_barrier)
		memcpy(vas, p->barriers.signal, sizeof(vas));
	else if (is_value)
		vas[0] = p->value.signal;
	for (size_t i = 0; i < BW_ARRAY_SIZE(vas); i++) {
		struct bw_queue_signal *s = &out->signals[out->n_signals];
		if (!vas[i])
			continue;
		out->n_signals++;
		s->va = vas[i];
		s->is_known =
			read_memory(d, vas[i] + BW_AQL_SIGNAL_VALUE, &s->value, sizeof(s->value));
	}
}

static void read_queue(struct bw_debug *d, struct bw_queue_info *out)
{
	const struct bw_target_queue *q = &out->queue;
	uint32_t dw[BW_AQL_PACKET_DW];
	BW_IN_SPACE(d, q->space);
	out->is_known = q->n_slots && read_memory(d, q->read_va, &out->read, sizeof(out->read)) &&
			read_memory(d, q->write_va, &out->write, sizeof(out->write));
	if (!out->is_known || out->read >= out->write)
		return;
	uint64_t va = q->ring_va + out->read % q->n_slots * BW_AQL_PACKET_B;
	if (!read_memory(d, va, dw, sizeof(dw)))
		return;
	bw_aql_read(dw, &out->first);
	out->has_first = true;
	if (out->first.type == BW_AQL_DISPATCH)
		out->dispatch = dispatch_of(d, q->space, va);
	read_signals(d, out);
}

static int by_number(const void *pa, const void *pb)
{
	const struct bw_queue_info *a = pa, *b = pb;
	return a->queue.number < b->queue.number ? -1 : a->queue.number > b->queue.number;
}

struct bw_error *bw_debug_queues(struct bw_debug *d, struct bw_queue_info **out, size_t *out_n)
{
	_cleanup_free_ struct bw_target_queue *all = NULL;
	size_t n;
	BW_TRY(bw_debug_need_target(d));
	BW_TRY(bw_target_queues(d->target, &all, &n));
	struct bw_queue_info *list = calloc(n ? n : 1, sizeof(*list));
	if (!list)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++) {
		list[i].queue = all[i];
		read_queue(d, &list[i]);
	}
	qsort(list, n, sizeof(*list), by_number);
	*out = list;
	*out_n = n;
	return NULL;
}
