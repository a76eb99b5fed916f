/* SPDX-License-Identifier: MIT */
#include "vgpu/device/device_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/util.h"
#include "vgpu/device/cp.h"
#include "vgpu/device/exec/check/check.h"
#include "vgpu/device/exec/check/writers.h"
#include "vgpu/device/exec/strict/strict.h"
#include "vgpu/device/register_own.h"
#include "vgpu/device/scheduler.h"
#include "vgpu/device/spi.h"
#include "vgpu/device/sdma_engine.h"

uint64_t bw_host_ns(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t bw_device_now_ns(struct bw_device *dev)
{
	return dev->options.deterministic ? atomic_load(&dev->virtual_ns)
					  : bw_host_ns() - dev->t0_ns;
}

uint64_t bw_device_realtime(struct bw_device *dev)
{
	return bw_device_now_ns(dev) / 10;
}

void bw_device_log_stop(const struct bw_device *dev, const char *fmt, ...)
{
	char text[256];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (dev->options.says_stops)
		BW_LOG(ERROR, "vgpu", "%s", text);
	else
		BW_LOG(WARN, "vgpu", "%s", text);
}

/* Refuses a profile that exceeds the limits of the model. */
static struct bw_error *check_profile(const struct bw_profile *p)
{
	const struct {
		const char *what;
		uint64_t n, max;
	} counts[] = {
		{"shader engines", p->n_se, BW_MAX_SES},
		{"shader arrays in an engine", p->sa_per_se, BW_MAX_SAS},
		{"WGPs in a shader array", p->wgp_per_sa, BW_MAX_WGPS},
		{"SIMDs in a WGP", p->simd_per_wgp, BW_MAX_SIMDS},
		{"waves on a SIMD", p->waves_per_simd, BW_MAX_WAVES_PER_SIMD},
		{"workgroups in a WGP", p->max_groups_per_wgp, BW_MAX_GROUPS},
		{"VGPRs in a granule", p->vgpr_granule_w32, p->vgprs_per_simd},
		{"granules of VGPRs on a SIMD", p->vgprs_per_simd / BW_MAX(p->vgpr_granule_w32, 1u),
		 64},
		{"bytes of LDS in a granule", p->lds_granule_b, p->lds_per_wgp_b},
		{"granules of LDS in a WGP", p->lds_per_wgp_b / BW_MAX(p->lds_granule_b, 1u), 128},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(counts); i++)
		if (!counts[i].n || counts[i].n > counts[i].max)
			return bw_errorf(BW_E_INVALID,
					 "it has %llu %s, of which there can be 1 to %llu",
					 (unsigned long long)counts[i].n, counts[i].what,
					 (unsigned long long)counts[i].max);
	if (p->simd_per_wgp % 2)
		return bw_errorf(BW_E_INVALID,
				 "its %u SIMDs of a WGP cannot be halved: an even number is needed",
				 p->simd_per_wgp);
	return NULL;
}

static struct bw_error *start(struct bw_device *dev)
{
	const struct bw_device_options *o = &dev->options;
	if (o->strict && !bw_strict_knows(dev->profile->gen))
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"--strict is not supported for %s: its waits and hazards are not known here",
			dev->profile->gfx);
	if (o->strict || o->trace) {
		dev->strict = bw_strict_create(dev->profile->gen, o->strict, o->trace);
		if (!dev->strict)
			return bw_error_nomem();
	}
	if (o->check) {
		dev->check = bw_check_create(o->check, dev->profile->gen);
		if (!dev->check)
			return bw_error_nomem();
		if (o->check_stops)
			bw_check_stop_waves(dev->check);
	}
	BW_TRY(check_profile(dev->profile));
	BW_TRY(bw_memory_init(dev));
	BW_TRY(bw_sched_create(dev));
	BW_TRY(bw_registers_init(dev));
	BW_TRY(bw_spi_create(dev));
	BW_TRY(bw_sdma_create(dev));
	BW_TRY(bw_cp_create(dev));
	BW_TRY(bw_own_create(dev));
	BW_TRY(bw_sched_start(dev));
	return bw_cp_start(dev);
}

struct bw_error *bw_device_create(const struct bw_profile *profile,
				  const struct bw_device_options *options, bw_irq_fn *irq,
				  void *irq_cookie, struct bw_device **out)
{
	struct bw_device *dev = calloc(1, sizeof(*dev));
	if (!dev)
		return bw_error_nomem();
	dev->profile = profile;
	dev->options = *options;
	dev->irq = irq;
	dev->irq_cookie = irq_cookie;
	dev->t0_ns = bw_host_ns();
	pthread_mutex_init(&dev->gws_lock, NULL);
	bw_vm_init(dev);
	bw_ih_init(dev);
	struct bw_error *err = start(dev);
	if (err) {
		bw_device_destroy(dev);
		return bw_error_wrap(err, "creating the virtual %s", profile->name);
	}
	*out = dev;
	return NULL;
}

void bw_device_destroy(struct bw_device *dev)
{
	if (!dev)
		return;
	bw_cp_stop(dev);
	bw_sched_stop(dev);
	bw_spi_destroy(dev);
	bw_cp_destroy(dev);
	bw_sdma_destroy(dev);
	bw_sched_destroy(dev);
	bw_own_destroy(dev);
	bw_registers_fini(dev);
	bw_ih_fini(dev);
	bw_vm_fini(dev);
	bw_memory_fini(dev);
	bw_strict_destroy(dev->strict);
	bw_check_destroy(dev->check);
	free(dev);
}

struct bw_strict *bw_device_strict(struct bw_device *dev)
{
	return dev->strict;
}

struct bw_check *bw_device_check(struct bw_device *dev)
{
	return dev->check;
}

static const uint8_t *host_of(struct bw_tlb *tlb, uint64_t va)
{
	struct bw_vm_fault no_matter = {0};
	bw_tlb_sync(tlb);
	return bw_tlb_lookup_unwatched(tlb, bw_canonical(va),
				       (enum bw_access)(BW_ACCESS_READ | BW_ACCESS_PROBE),
				       &no_matter);
}

bool bw_device_writers(struct bw_device *dev, unsigned vmid, uint64_t va,
		       struct bw_writers_answer *out, uint32_t *out_now)
{
	struct bw_tlb tlb;
	if (!dev->check || vmid >= BW_N_VMIDS)
		return false;
	bw_tlb_init(&tlb, dev, vmid, BW_CLIENT_TCP);
	const uint8_t *host = host_of(&tlb, va & ~3ull);
	if (!host || !bw_writers_look(dev->check, host, out))
		return false;
	*out_now = __atomic_load_n((const uint32_t *)(const void *)host, __ATOMIC_RELAXED);
	return true;
}

/* The dword of a wave's memory on the host; NULL: there is none. Consecutive dwords of private
 * memory lie as far apart as the lanes need. */
static const uint8_t *dword_of(struct bw_device *dev, const struct bw_wave *w,
			       const struct bw_wave_memory *m)
{
	struct bw_tlb tlb;
	uint32_t offset_b = m->offset_b & ~3u;
	if (m->is_lds)
		return w->wg->lds && offset_b < w->wg->lds_size_b ? w->wg->lds + offset_b : NULL;
	if (m->lane >= w->lanes || offset_b >= w->scratch_size_b / w->lanes)
		return NULL;
	bw_tlb_init(&tlb, dev, w->vmid, BW_CLIENT_TCP);
	return host_of(&tlb, w->flat_scratch + (uint64_t)offset_b * w->lanes + m->lane * 4ull);
}

bool bw_device_writers_of(struct bw_device *dev, const struct bw_wave_memory *m,
			  struct bw_writers_answer *out, uint32_t *out_now)
{
	const struct bw_profile *p = dev->profile;
	bool is_known = false;
	if (!dev->check || m->se >= p->n_se || m->sa >= p->sa_per_se || m->wgp >= p->wgp_per_sa ||
	    m->simd >= p->simd_per_wgp || m->wave >= BW_MAX_WAVES_PER_SIMD)
		return false;
	struct bw_wgp *wgp =
		bw_sched_wgp(dev, (m->se * p->sa_per_se + m->sa) * p->wgp_per_sa + m->wgp);
	bw_wgp_acquire(wgp);
	const struct bw_slot *s = &wgp->slot[m->simd][m->wave];
	const uint8_t *host = s->state != BW_SLOT_FREE && s->w.wg ? dword_of(dev, &s->w, m) : NULL;
	if (host)
		is_known = bw_writers_look_of(dev->check, &s->w, m->is_lds, host, out);
	if (is_known)
		*out_now = __atomic_load_n((const uint32_t *)(const void *)host, __ATOMIC_RELAXED);
	bw_wgp_release(wgp);
	return is_known;
}

const struct bw_profile *bw_device_profile(const struct bw_device *dev)
{
	return dev->profile;
}

const struct bw_register_map *bw_device_registers(const struct bw_device *dev)
{
	return &dev->regs.map;
}

uint32_t bw_device_driver_read(struct bw_device *dev, uint32_t addr_dw)
{
	return dev->own ? bw_own_read(dev, addr_dw) : bw_device_reg_read(dev, NULL, addr_dw);
}

void bw_device_driver_write(struct bw_device *dev, uint32_t addr_dw, uint32_t value)
{
	if (dev->own)
		bw_own_write(dev, addr_dw, value);
	else
		bw_device_reg_write(dev, NULL, addr_dw, value);
}

void bw_device_doorbell(struct bw_device *dev, uint32_t index_dw, uint64_t value)
{
	if (bw_ih_doorbell(dev, index_dw, value) || bw_cp_doorbell(dev, index_dw, value) ||
	    bw_sdma_doorbell(dev, index_dw, value))
		return;
	BW_LOG(WARN, "vgpu", "doorbell 0x%x belongs to no queue", index_dw);
}

uint64_t bw_device_held_ns(struct bw_device *dev, unsigned vmid, bool *out_held_now)
{
	return bw_sched_held_ns(dev, vmid % BW_N_VMIDS, out_held_now);
}

uint64_t bw_device_starved_ns(struct bw_device *dev, unsigned me, unsigned pipe, unsigned queue,
			      uint64_t *out_now_ns)
{
	return bw_spi_starved_ns(dev, me, pipe, queue, out_now_ns);
}

void bw_device_waves(struct bw_device *dev, uint32_t out[BW_DEVICE_VMIDS])
{
	bw_spi_waves(dev, out);
}

void bw_device_stats(struct bw_device *dev, struct bw_device_stats *out)
{
	bw_sched_stats(dev, out);
}
