/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_AQL_STREAM_H
#define BW_PM4_AQL_STREAM_H

/* Dispatches of AQL queues as PM4: what a command processor does with such a packet, in packets
 * that any compute ring takes. Pure. */

#include "pm4/aql.h"
#include "pm4/build.h"

/* Workgroups in each dimension; the last ones may have fewer work-items. */
void bw_aql_groups(const struct bw_aql_packet *p, uint32_t out[3]);
/* COMPUTE_DISPATCH_INITIATOR of a dispatch with that many workgroups. */
uint32_t bw_aql_initiator(const struct bw_aql_launch *l);
/* Appends the packets: caches are invalidated, the kernel gets the registers, the user SGPRs and
 * the scratch that it would get from its queue, and its waves end before the packet after it. The
 * queue's indices and the completion signal stay as they are. Returns the place of the packet that
 * starts the waves, in dwords. */
size_t bw_aql_stream(const struct bw_aql_launch *l, struct bw_pm4_stream *out);

#endif
