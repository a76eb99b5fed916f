/* SPDX-License-Identifier: MIT */
/* The parameters of a dispatch, from the COMPUTE_* registers (doc/hardware/dispatch.md 3; registers
 * of gc_11_0_0_sh_mask.h). */
#include <stdlib.h>

#include "base/util.h"
#include "vgpu/device/aql.h"
#include "vgpu/device/cwsr.h"
#include "vgpu/device/draw.h"
#include "vgpu/device/exec/check/check.h"
#include "vgpu/device/spi.h"

/* gfx90a and later of gfx9, where gfx11 has fields of its own (AMDGPUUsage of LLVM). */
#define RSRC3_ACCUM_OFFSET 0, 6

#define SH(q, name) (*bw_queue_sh(q, BW_REG_COMPUTE_##name))
#define SH_FIELD(q, name, field) BW_FIELD_GET(COMPUTE_##name, field, SH(q, name))

/* First and last workgroup of each dimension, and the threads of the last one. */
static const char *decode_grid(struct bw_queue *q, struct bw_dispatch *d, const uint32_t dim[3])
{
	const uint32_t num_thread[3] = {SH(q, NUM_THREAD_X), SH(q, NUM_THREAD_Y),
					SH(q, NUM_THREAD_Z)};
	const uint32_t start[3] = {SH(q, START_X), SH(q, START_Y), SH(q, START_Z)};
	for (unsigned i = 0; i < 3; i++) {
		uint32_t full = BW_FIELD_GET(COMPUTE_NUM_THREAD_X, NUM_THREAD_FULL, num_thread[i]);
		uint32_t partial =
			BW_FIELD_GET(COMPUTE_NUM_THREAD_X, NUM_THREAD_PARTIAL, num_thread[i]);
		if (!full)
			return "a workgroup dimension of COMPUTE_NUM_THREAD is 0";
		d->threads[i] = d->last[i] = full;
		d->end[i] = dim[i];
		if (d->initiator & BW_PM4_INIT_USE_THREAD_DIMENSIONS) {
			d->end[i] = dim[i] / full + (dim[i] % full != 0);
			if (dim[i] % full)
				d->last[i] = dim[i] % full;
		} else if (d->initiator & BW_PM4_INIT_PARTIAL_TG_EN && partial) {
			if (partial > full)
				return "the partial workgroup size is larger than the full one";
			d->last[i] = partial;
		}
		d->begin[i] = d->initiator & BW_PM4_INIT_FORCE_START_AT_000 ? 0 : start[i];
		d->id[i] = d->begin[i];
	}
	if ((uint64_t)d->threads[0] * d->threads[1] * d->threads[2] > 1024 ||
	    d->threads[0] > 1024 || d->threads[1] > 1024 || d->threads[2] > 1024)
		return "a workgroup has more than 1024 threads";
	return NULL;
}

void bw_dispatch_group_threads(const struct bw_dispatch *d, uint32_t out[3])
{
	for (unsigned i = 0; i < 3; i++)
		out[i] = d->id[i] + 1 == d->end[i] ? d->last[i] : d->threads[i];
	if (d->draw)
		out[0] = bw_draw_group_threads(d->draw, d->id[0]);
}

const char *bw_dispatch_resources(struct bw_dispatch *d, unsigned waves)
{
	const struct bw_profile *p = d->dev->profile;

	/* Registers are given in blocks, twice as many in one of a wave32, and allocated in
	 * granules. A wave owns all of its granules, but can name no more than 256 (gfx942: 512).
	 */
	unsigned per_32 = d->lanes / 32, most = p->waves.max_vgprs;
	unsigned blocks = BW_FIELD_GET(COMPUTE_PGM_RSRC1, VGPRS, d->rsrc1) + 1;
	unsigned want = BW_MIN(blocks * p->waves.vgprs_unit * 2 / per_32, most);
	d->granules = (want * per_32 + p->vgpr_granule_w32 - 1) / p->vgpr_granule_w32;
	d->n_vgprs = BW_MIN(d->granules * p->vgpr_granule_w32 / per_32, most);
	if (p->waves.has_accum)
		d->accum_offset = (uint16_t)bw_words_get(&d->rsrc3, RSRC3_ACCUM_OFFSET) * 4 + 4;

	d->lds_b = BW_FIELD_GET(COMPUTE_PGM_RSRC2, LDS_SIZE, d->rsrc2) * 512;
	d->lds_granules = (d->lds_b + p->lds_granule_b - 1) / p->lds_granule_b;
	if (d->lds_b > p->lds_max_group_b)
		return "COMPUTE_PGM_RSRC2.LDS_SIZE is more than a workgroup may have";

	d->wgp_mode = p->cus_per_wgp == 1 || BW_FIELD_GET(COMPUTE_PGM_RSRC1, WGP_MODE, d->rsrc1);
	unsigned simds = p->simd_per_wgp / (d->wgp_mode ? 1 : 2);
	unsigned per_simd = BW_MIN((unsigned)p->waves_per_simd,
				   p->vgprs_per_simd / p->vgpr_granule_w32 / d->granules);
	if (waves > per_simd * simds)
		return "a workgroup needs more registers than a WGP has";
	if (d->scratch_wave_b && waves > d->scratch_waves)
		return "TMPRING_SIZE.WAVES is smaller than one workgroup";
	return NULL;
}

static const char *decode_resources(struct bw_queue *q, struct bw_dispatch *d)
{
	unsigned waves = (d->threads[0] * d->threads[1] * d->threads[2] + d->lanes - 1) / d->lanes;
	if (BW_FIELD_GET(COMPUTE_PGM_RSRC2, SCRATCH_EN, d->rsrc2)) {
		d->scratch_wave_b =
			SH_FIELD(q, TMPRING_SIZE, WAVESIZE) * q->dev->profile->waves.wave_size_b;
		d->scratch_waves = SH_FIELD(q, TMPRING_SIZE, WAVES);
		if (bw_cwsr_has_area(q))
			d->scratch_waves = BW_MIN(d->scratch_waves, (uint32_t)BW_CWSR_MAX_SLOTS);
		d->scratch_base = bw_canonical(bw_join_256b(SH(q, DISPATCH_SCRATCH_BASE_HI),
							    SH(q, DISPATCH_SCRATCH_BASE_LO)));
	}
	return bw_dispatch_resources(d, waves);
}

void bw_queue_new_stretch(struct bw_queue *q)
{
	static _Atomic uint64_t numbers;
	q->stretch = atomic_fetch_add(&numbers, 1) + 1;
}

/* Threads of the whole grid, for pipeline statistics. */
static uint64_t invocations(const struct bw_dispatch *d)
{
	uint64_t n = 1;
	for (unsigned i = 0; i < 3; i++)
		n *= (uint64_t)(d->end[i] - d->begin[i] - 1) * d->threads[i] + d->last[i];
	return n;
}

void bw_dispatch_free(struct bw_dispatch *d)
{
	if (d)
		bw_check_dispatch_end(d->check);
	if (d)
		bw_draw_unref(d->draw);
	free(d);
}

struct asked {
	unsigned vmid;
	const uint32_t *dim;
	uint32_t initiator;
	const struct bw_dispatch_origin *origin; /* or NULL */
	const struct bw_dispatch_part *part;	 /* or NULL: all */
};

/* The first group of a part. */
static void begin_part(struct bw_dispatch *d, const struct bw_dispatch_part *part)
{
	uint64_t at = part->first;
	for (unsigned i = 0; i < 3; i++) {
		uint32_t n = d->end[i] - d->begin[i];
		d->id[i] = d->begin[i] + (uint32_t)(at % n);
		at /= n;
	}
	d->n_left = part->n;
}

static bool take(struct bw_queue *q, const struct asked *asked, const char **out_why)
{
	const struct bw_dispatch_origin *origin = asked->origin;
	const struct bw_dispatch_part *part = asked->part;
	const uint32_t initiator = asked->initiator;
	struct bw_dispatch *d = calloc(1, sizeof(*d));
	if (!d) {
		*out_why = "out of memory";
		return false;
	}
	d->dev = q->dev;
	d->queue = q;
	d->vmid = (uint8_t)asked->vmid;
	d->initiator = initiator;
	d->lanes = q->dev->profile->waves.has_wave32 && initiator & BW_PM4_INIT_CS_W32_EN ? 32 : 64;
	d->pc = bw_canonical(bw_join_256b(SH_FIELD(q, PGM_HI, DATA), SH(q, PGM_LO)));
	d->rsrc1 = SH(q, PGM_RSRC1);
	d->rsrc2 = SH(q, PGM_RSRC2);
	d->rsrc3 = SH(q, PGM_RSRC3);
	for (unsigned i = 0; i < BW_ARRAY_SIZE(d->user_data); i++)
		d->user_data[i] = *bw_queue_sh(q, BW_REG_COMPUTE_USER_DATA_0 + i);
	bool any_cu = false;
	for (unsigned i = 0; i < q->dev->profile->n_se; i++) {
		d->cu_mask[i] = *bw_queue_sh(q, BW_REG_COMPUTE_STATIC_THREAD_MGMT_SE0 + i);
		any_cu |= d->cu_mask[i] != 0;
	}
	bw_stomp_next_dispatch(q, &d->stomp);
	*out_why = decode_grid(q, d, asked->dim);
	if (!*out_why)
		*out_why = decode_resources(q, d);
	if (!*out_why && !any_cu)
		*out_why = "COMPUTE_STATIC_THREAD_MGMT leaves no compute unit";
	bool empty =
		d->begin[0] >= d->end[0] || d->begin[1] >= d->end[1] || d->begin[2] >= d->end[2];
	if (*out_why || empty) {
		if (origin && empty)
			atomic_store(&origin->running->done, true);
		free(d);
		return !*out_why;
	}
	const bool goes_on = part && part->first;
	if (part)
		begin_part(d, part);
	d->packet_id = origin ? origin->slot : q->n_dispatches - goes_on;
	if (!q->stretch)
		bw_queue_new_stretch(q);
	d->stretch = q->stretch;
	if (origin && !bw_cwsr_resume(d, origin->resume, out_why)) {
		free(d);
		return false;
	}
	q->n_dispatches += !goes_on;
	if (origin) {
		d->lds_exact_b = origin->lds_b;
		d->done = &origin->running->done;
		d->packet = origin->index;
		d->job = origin->running->job;
		origin->running->dispatch = d;
	}
	/* DOORBELL_OFFSET, in dwords: handlers take its low 10 bits for the queue's id
	 * (doc/hardware/traps.md 6). KFD's handlers want its number of the doorbell. */
	d->doorbell = bw_is_aql(q) ? bw_aql_doorbell_id(q)
				   : BW_HQD_FIELD(q, HQD_PQ_DOORBELL_CONTROL, DOORBELL_OFFSET);
	if (!part) /* a task shader's are not counted */
		q->n_invocations += invocations(d);
	bw_spi_submit(d);
	return true;
}

bool bw_spi_dispatch(struct bw_queue *q, unsigned vmid, const uint32_t dim[3], uint32_t initiator,
		     const struct bw_dispatch_origin *origin, const char **out_why)
{
	return take(q, &(struct asked){vmid, dim, initiator, origin, NULL}, out_why);
}

bool bw_spi_dispatch_part(struct bw_queue *q, unsigned vmid, const uint32_t dim[3],
			  uint32_t initiator, const struct bw_dispatch_part *part,
			  const char **out_why)
{
	return take(q, &(struct asked){vmid, dim, initiator, NULL, part}, out_why);
}
