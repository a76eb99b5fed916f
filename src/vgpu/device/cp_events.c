/* SPDX-License-Identifier: MIT */
/* Events, and the counters that queries read. Counters that are not kept are zeros that are marked
 * as valid (layouts: radv_query.c of Mesa 25; numbers of events:
 * soc21_enum.h). */
#include <string.h>

#include "base/util.h"
#include "vgpu/device/cp_packets.h"

enum { N_RENDER_BACKENDS = 24 };
#define VALID (1ull << 63) /* of each counter that a query has written */

/* Samples that passed the depth test: a pair of begin and end for each render backend, of which the
 * first one counts for all. */
static enum bw_cp_result write_zpass(struct bw_queue *q, uint64_t va)
{
	for (unsigned rb = 0; rb < N_RENDER_BACKENDS; rb++) {
		const uint64_t value = VALID | (rb ? 0 : q->n_samples_passed);
		if (!bw_cp_mem_write(q, va + rb * 16ull, &value, sizeof(value)))
			return BW_CP_STOP;
	}
	return BW_CP_DONE;
}

bool bw_cp_zpass_any(struct bw_queue *q, uint64_t va, bool *out)
{
	uint64_t pairs[N_RENDER_BACKENDS][2];
	if (!bw_cp_mem_read(q, va, pairs, sizeof(pairs)))
		return false;
	*out = false;
	for (unsigned rb = 0; rb < N_RENDER_BACKENDS; rb++)
		*out |= pairs[rb][0] & pairs[rb][1] & VALID && pairs[rb][0] != pairs[rb][1];
	return true;
}

bool bw_cp_primitives_missing(struct bw_queue *q, uint64_t va, bool *out)
{
	/* begin and end: of primitives that were stored, and that were to be */
	uint64_t count[2][2];
	if (!bw_cp_mem_read(q, va, count, sizeof(count)))
		return false;
	*out = count[0][0] & count[0][1] & count[1][0] & count[1][1] & VALID &&
	       count[1][0] - count[0][0] != count[1][1] - count[0][1];
	return true;
}

enum bw_cp_result bw_cp_event_write_zpass(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_event_write_zpass z;
	return bw_pm4_event_write_zpass(p, &z) ? write_zpass(q, z.address) : bw_cp_malformed(q, p);
}

enum bw_cp_result bw_cp_event_write(struct bw_queue *q, const struct bw_pm4_packet *p)
{
	struct bw_pm4_event_write e;
	struct bw_pm4_event_write_at at;
	if (!bw_pm4_event_write(p, &e))
		return bw_cp_malformed(q, p);
	bool has_address = bw_pm4_event_write_at(p, &at);
	switch (e.type) {
	case BW_PM4_EVENT_CS_PARTIAL_FLUSH:
		if (atomic_load(&q->n_inflight))
			return BW_CP_WAIT;
		bw_queue_new_stretch(q);
		return BW_CP_DONE;
	case BW_PM4_EVENT_PIPELINESTAT_START:
	case BW_PM4_EVENT_PIPELINESTAT_STOP:
		q->counts_on = e.type == BW_PM4_EVENT_PIPELINESTAT_START;
		return BW_CP_DONE;
	case BW_PM4_EVENT_SAMPLE_PIPELINESTAT: {
		uint64_t counters[BW_N_COUNTS];
		memcpy(counters, q->counts, sizeof(counters));
		counters[BW_COUNT_CS_INVOCATIONS] = q->n_invocations;
		if (!has_address)
			return bw_cp_malformed(q, p);
		return bw_cp_mem_write(q, at.address, counters, sizeof(counters)) ? BW_CP_DONE
										  : BW_CP_STOP;
	}
	case BW_PM4_EVENT_ZPASS_DONE:
	case BW_PM4_EVENT_PIXEL_PIPE_STAT_DUMP:
		return has_address ? write_zpass(q, at.address) : bw_cp_malformed(q, p);
	case BW_PM4_EVENT_SAMPLE_STREAMOUTSTATS:
	case BW_PM4_EVENT_SAMPLE_STREAMOUTSTATS1 ... BW_PM4_EVENT_SAMPLE_STREAMOUTSTATS3: {
		const uint64_t none[2] = {VALID, VALID}; /* primitives written, and asked for */
		if (!has_address)
			return bw_cp_malformed(q, p);
		return bw_cp_mem_write(q, at.address, none, sizeof(none)) ? BW_CP_DONE : BW_CP_STOP;
	}
	default: /* caches are coherent here, and there is nothing else to flush */
		return BW_CP_DONE;
	}
}
