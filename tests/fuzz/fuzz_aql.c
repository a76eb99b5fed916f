/* SPDX-License-Identifier: MIT */
/* Any words as AQL packets, the object of a queue and a kernel descriptor; and as the memory in
 * which two queues stand. */
#include <stdint.h>
#include <string.h>

#include "base/util.h"
#include "pm4/aql_look.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
static volatile uint64_t sum;

struct input {
	const uint8_t *bytes;
	size_t n;
};

static bool read_input(void *cookie, uint64_t va, void *out, size_t size_b)
{
	const struct input *in = cookie;
	if (va > in->n || size_b > in->n - va)
		return false;
	memcpy(out, in->bytes + va, size_b);
	return true;
}

static void explain(const uint8_t *bytes, size_t n)
{
	struct input in = {bytes, n};
	const struct bw_aql_memory m = {read_input, &in};
	struct bw_aql_one queues[2] = {{.name = "queue 1"}, {.name = "queue 2"}};
	const struct bw_aql_ring rings[2] = {{256, 0, 8, 4}, {512, 16, 24, 4}};
	struct bw_str text = {0};
	for (size_t i = 0; i < 2; i++)
		bw_aql_look(&rings[i], &m, &queues[i].state);
	for (size_t i = 0; i < 2; i++)
		bw_aql_explain(
			&(struct bw_aql_stand){
				.queues = queues, .n = 2, .which = i, .memory = m, .program = "x"},
			&text);
	sum += text.len;
	bw_str_free(&text);
}

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
	explain(bytes, n);
	return 0;
}
