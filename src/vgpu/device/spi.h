/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_SPI_H
#define BW_VGPU_DEVICE_SPI_H

/* Between the files of the dispatcher: dispatch.c decodes, spi.c places, launch.c starts. */

#include "vgpu/device/cp.h"

/* COMPUTE_STATIC_THREAD_MGMT_SEn: CUs of array 0 in 15:0, of array 1 in 31:16, two to a WGP.
 * Those that are enabled of a WGP. */
static inline unsigned bw_enabled_cus(const struct bw_dispatch *d, const struct bw_wgp *wgp)
{
	unsigned n = d->dev->profile->cus_per_wgp;
	return d->cu_mask[wgp->se] >> (wgp->sa * 16 + wgp->id * n) & ((1u << n) - 1);
}

/* The part of a dispatch's scratch memory that the waves of a WGP share. */
static inline unsigned bw_scratch_pool(const struct bw_device *dev, const struct bw_wgp *wgp)
{
	return dev->profile->waves.scratch_is_of_gpu ? 0 : wgp->se;
}

/* The scratch slots there that are in use. */
static inline uint64_t *bw_scratch_used(const struct bw_dispatch *d, const struct bw_wgp *wgp)
{
	return d->queue->scratch_used[bw_scratch_pool(d->dev, wgp)];
}

/* dispatch.c; NULL: nothing happens. */
void bw_dispatch_free(struct bw_dispatch *d);
/* Threads of the next group to place. */
void bw_dispatch_group_threads(const struct bw_dispatch *d, uint32_t out[3]);
/* Registers and LDS of the waves of a group, which has so many, from rsrc1 and rsrc2. NULL, or the
 * reason why it can never run. */
const char *bw_dispatch_resources(struct bw_dispatch *d, unsigned waves);
/* Takes ownership. */
void bw_spi_submit(struct bw_dispatch *d);
/* stomp.c. A NOP on a ring, which may say what to fill. */
void bw_stomp_take_packet(struct bw_queue *q, const struct bw_pm4_packet *p);
/* The registers and memory to fill for the waves of the queue's next dispatch. */
void bw_stomp_next_dispatch(struct bw_queue *q, struct bw_vgpu_stomp *out);
/* Before the waves of a group start. */
void bw_stomp_lds(const struct bw_group *g);
/* Fills all registers but the first SGPRs and VGPRs, which the launch has set. */
void bw_stomp_registers(const struct bw_vgpu_stomp *s, struct bw_wave *w, unsigned n_sgprs,
			unsigned n_vgprs);
/* Before the first instruction of a wave, with w->tlb set. */
void bw_stomp_scratch(const struct bw_vgpu_stomp *s, struct bw_wave *w);
/* bw_device_starved_ns(), bw_device_waves(). */
uint64_t bw_spi_starved_ns(struct bw_device *dev, unsigned me, unsigned pipe, unsigned queue,
			   uint64_t *out_now_ns);
void bw_spi_waves(struct bw_device *dev, uint32_t out[BW_N_VMIDS]);
void bw_spi_counts(struct bw_device *dev, uint64_t *out_dispatches, uint64_t *out_waves);

/* The AQL packet that a dispatch comes from. */
struct bw_dispatch_origin {
	uint32_t slot;			     /* in the ring */
	uint64_t index;			     /* of the packet */
	uint32_t lds_b;			     /* of a workgroup, by the byte */
	struct bw_aql_running *running;	     /* done: set when the dispatch is complete */
	const struct bw_cwsr_resume *resume; /* it has begun before; or NULL */
};
/* Takes a dispatch of the queue with the registers in q->sh; origin NULL: of a PM4 packet. False:
 * it can never run, out_why says so. */
bool bw_spi_dispatch(struct bw_queue *q, unsigned vmid, const uint32_t dim[3], uint32_t initiator,
		     const struct bw_dispatch_origin *origin, const char **out_why);
/* The same for some of the groups, counted with the first dimension first. The first part counts
 * as the dispatch. */
struct bw_dispatch_part {
	uint64_t first, n;
};
bool bw_spi_dispatch_part(struct bw_queue *q, unsigned vmid, const uint32_t dim[3],
			  uint32_t initiator, const struct bw_dispatch_part *part,
			  const char **out_why);

#endif
