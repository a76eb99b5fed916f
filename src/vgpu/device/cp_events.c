/* SPDX-License-Identifier: MIT */
/* Events, and the counters that queries read. Counters of units that this GPU does not have are
 * zeros that are marked as valid (layouts: radv_query.c of Mesa 25; numbers of events:
 * soc21_enum.h). */
#include <string.h>

#include "base/util.h"
#include "vgpu/device/cp_packets.h"

enum {
	EVENT_SAMPLE_STREAMOUTSTATS1 = 0x01,
	EVENT_SAMPLE_STREAMOUTSTATS3 = 0x03,
	EVENT_ZPASS_DONE = 0x15,
	EVENT_SAMPLE_PIPELINESTAT = 0x1e,
	EVENT_SAMPLE_STREAMOUTSTATS = 0x20,
	EVENT_PIXEL_PIPE_STAT_DUMP = 0x39,
};
enum { N_PIPELINESTAT = 11, PIPELINESTAT_CS_INVOCATIONS = 10, N_RENDER_BACKENDS = 24 };
#define VALID (1ull << 63) /* of each counter that a query has written */

/* Samples that passed the depth test: a pair of begin and end for each render backend. */
static enum bw_cp_result write_zpass(struct bw_queue *q, uint64_t va)
{
	const uint64_t none = VALID;
	for (unsigned rb = 0; rb < N_RENDER_BACKENDS; rb++)
		if (!bw_cp_mem_write(q, va + rb * 16ull, &none, sizeof(none)))
			return BW_CP_STOP;
	return BW_CP_DONE;
}

enum bw_cp_result bw_cp_event_write_zpass(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	if (p->n_body < 2)
		return bw_cp_malformed(q, p);
	return write_zpass(q, bw_join32(p->body[1], p->body[0]) & ~7ull);
}

enum bw_cp_result bw_cp_event_write(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_event e;
	if (!bw_pm4_event_write(p, &e))
		return bw_cp_malformed(q, p);
	switch (e.type) {
	case BW_PM4_EVENT_CS_PARTIAL_FLUSH:
		return atomic_load(&q->n_inflight) ? BW_CP_WAIT : BW_CP_DONE;
	case EVENT_SAMPLE_PIPELINESTAT: {
		uint64_t counters[N_PIPELINESTAT] = {0};
		counters[PIPELINESTAT_CS_INVOCATIONS] = q->n_invocations;
		if (!e.has_address)
			return bw_cp_malformed(q, p);
		return bw_cp_mem_write(q, e.address, counters, sizeof(counters)) ? BW_CP_DONE
										 : BW_CP_STOP;
	}
	case EVENT_ZPASS_DONE:
	case EVENT_PIXEL_PIPE_STAT_DUMP:
		return e.has_address ? write_zpass(q, e.address) : bw_cp_malformed(q, p);
	case EVENT_SAMPLE_STREAMOUTSTATS:
	case EVENT_SAMPLE_STREAMOUTSTATS1 ... EVENT_SAMPLE_STREAMOUTSTATS3: {
		const uint64_t none[2] = {VALID, VALID}; /* primitives written, and asked for */
		if (!e.has_address)
			return bw_cp_malformed(q, p);
		return bw_cp_mem_write(q, e.address, none, sizeof(none)) ? BW_CP_DONE : BW_CP_STOP;
	}
	default: /* caches are coherent here, and there is nothing else to flush */
		return BW_CP_DONE;
	}
}
