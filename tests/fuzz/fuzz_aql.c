/* SPDX-License-Identifier: MIT */
/* Any words as AQL packets, the object of a queue and a kernel descriptor. */
#include <stdint.h>
#include <string.h>

#include "base/util.h"
#include "pm4/aql.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
static volatile uint64_t sum;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	uint32_t dw[BW_AQL_QUEUE_DW] = {0};
	struct bw_aql_packet p;
	struct bw_aql_queue_object q;
	struct bw_aql_descriptor d;
	memcpy(dw, bytes, BW_MIN(n, sizeof(dw)));
	for (unsigned i = 0; i < BW_AQL_QUEUE_DW; i += BW_AQL_PACKET_DW) {
		bw_aql_read(dw + i, &p);
		sum += (uint8_t)bw_aql_name(p.type)[0] +
		       bw_aql_holds(p.value.condition, p.value.value, 0);
	}
	bw_aql_read_queue(dw, &q);
	bw_aql_read_descriptor(dw, &d);
	sum += q.scratch + d.rsrc1;
	return 0;
}
