/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_HWS_H
#define BW_VGPU_DEVICE_HWS_H

/* The hardware scheduler of gfx9, firmware as the MES of gfx11: by packets in the queue of ME 2
 * pipe 0 (HIQ), KFD says which processes and queues are to run, and it gives them VMIDs and
 * hardware queues (kfd_packet_manager_v9.c of Linux 6.12). Nothing is ever taken off the GPU to
 * make room: what finds no VMID or no queue is refused by name.
 *
 * Used by the command processor's thread alone. */

#include "vgpu/device/cp.h"

struct bw_hws;
struct bw_hws *bw_hws_create(void);
void bw_hws_destroy(struct bw_hws *h);
/* The HIQ has ended, and its processes with it. */
void bw_hws_forget(struct bw_hws *h);

/* Packets of the HIQ. Like bw_cp_packet, they may be called again for the same one. */
enum bw_cp_result bw_hws_set_resources(struct bw_queue *q, const struct bw_pm4_packet *p);
enum bw_cp_result bw_hws_run_list(struct bw_queue *q, const struct bw_pm4_packet *p);
enum bw_cp_result bw_hws_map_process(struct bw_queue *q, const struct bw_pm4_packet *p);
enum bw_cp_result bw_hws_map_queues(struct bw_queue *q, const struct bw_pm4_packet *p);
enum bw_cp_result bw_hws_unmap_queues(struct bw_queue *q, const struct bw_pm4_packet *p);

#endif
