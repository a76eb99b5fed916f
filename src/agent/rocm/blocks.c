/* SPDX-License-Identifier: MIT */
#include "agent/rocm/blocks.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "agent/memory/freed.h"
#include "agent/memory/zones.h"
#include "agent/program.h"
#include "base/util.h"
#include "wire/vgpu_proto.h"

/* How much freed memory is kept. */
enum { GONE_MAX = 4096 };
static const uint64_t gone_max_b = 512ull << 20;

static struct {
	pthread_mutex_t lock;
	struct bw_agent_file *vm; /* with a reference, until the process ends */
	atomic_bool is_checked;
	bw_rocm_free_fn *free_fn;
	struct bw_zones zones;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool bw_rocm_is_checked(void)
{
	return atomic_load_explicit(&g.is_checked, memory_order_acquire);
}

void bw_rocm_vm(struct bw_agent_file *f)
{
	/* the answer to one that takes nothing away: whether bounds are checked */
	struct bw_vgpu_extent nothing = {0};
	if (!bw_agent_is_node(f) || bw_rocm_is_checked() ||
	    bw_agent_own_ioctl(f, BW_VGPU_IOCTL_EXTENT, &nothing))
		return;
	pthread_mutex_lock(&g.lock);
	if (!g.vm) {
		bw_agent_file_ref(f);
		g.vm = f;
		atomic_store_explicit(&g.is_checked, true, memory_order_release);
	}
	pthread_mutex_unlock(&g.lock);
}

void bw_rocm_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
	g.vm = NULL; /* the reference is its parent's */
	atomic_store(&g.is_checked, false);
	bw_zones_fini(&g.zones);
}

/* Without the lock: calls to the GPU are made outside of it. size_b 0: it is given back. */
static void tell(const struct bw_zone *z, bool is_there)
{
	struct bw_vgpu_extent e = {.va = z->va};
	if (is_there) {
		e.size_b = z->size_b;
		e.before_b = z->va - z->real;
		e.after_b = z->real + z->real_b - z->va - z->size_b;
		static_assert(sizeof(e.made) == sizeof(z->made), "calls fit");
		memcpy(e.made, z->made, sizeof(e.made));
		memcpy(e.freed, z->freed, sizeof(e.freed));
		e.is_freed = z->gone != 0;
		bw_agent_program(e.program);
	}
	bw_agent_own_ioctl(g.vm, BW_VGPU_IOCTL_EXTENT, &e);
}

bool bw_rocm_add(uint64_t real, uint64_t size_b, bw_rocm_free_fn *free_fn)
{
	const struct bw_zone z = {.va = real + BW_ROCM_FREE_B,
				  .size_b = size_b,
				  .real = real,
				  .real_b = size_b + 2 * (uint64_t)BW_ROCM_FREE_B};
	pthread_mutex_lock(&g.lock);
	g.free_fn = free_fn;
	bool ok = bw_zones_add(&g.zones, &z);
	pthread_mutex_unlock(&g.lock);
	return ok;
}

void bw_rocm_declare(uint64_t va, uint64_t size_b)
{
	if (!bw_rocm_is_checked() || !size_b)
		return;
	uint64_t by[BW_ZONE_CALLERS] = {0};
	bw_freed_callers(by, BW_ZONE_CALLERS);
	struct bw_zone told = {0};
	pthread_mutex_lock(&g.lock);
	struct bw_zone *z = bw_zones_at(&g.zones, va);
	if (z) {
		/* a pool of HIP may use it again for something smaller */
		z->size_b = BW_MIN(size_b, z->real_b - 2 * (uint64_t)BW_ROCM_FREE_B);
		memcpy(z->made, by, sizeof(by));
		memset(z->freed, 0, sizeof(z->freed));
		z->is_told = true;
		told = *z;
	}
	pthread_mutex_unlock(&g.lock);
	if (told.is_told)
		tell(&told, true);
}

void bw_rocm_frees(uint64_t va)
{
	if (!bw_rocm_is_checked())
		return;
	uint64_t by[BW_ZONE_CALLERS] = {0};
	bw_freed_callers(by, BW_ZONE_CALLERS);
	pthread_mutex_lock(&g.lock);
	struct bw_zone *z = bw_zones_at(&g.zones, va);
	if (z)
		memcpy(z->freed, by, sizeof(by));
	pthread_mutex_unlock(&g.lock);
}

/* Gives freed memory back as long as there is more of it than that. */
static void give_back(size_t max, uint64_t max_b)
{
	for (;;) {
		pthread_mutex_lock(&g.lock);
		struct bw_zone *oldest = bw_zones_oldest(&g.zones, max, max_b);
		const struct bw_zone gone = oldest ? *oldest : (struct bw_zone){0};
		bw_rocm_free_fn *free_fn = g.free_fn;
		if (oldest)
			bw_zones_remove(&g.zones, oldest);
		pthread_mutex_unlock(&g.lock);
		if (!gone.real_b)
			return;
		tell(&gone, false);
		free_fn((void *)(uintptr_t)gone.real);
	}
}

void bw_rocm_flush(void)
{
	give_back(0, 0);
}

bool bw_rocm_free(uint64_t va, int *out_status)
{
	uint64_t by[BW_ZONE_CALLERS] = {0};
	bw_freed_callers(by, BW_ZONE_CALLERS);
	struct bw_zone gone = {0};
	pthread_mutex_lock(&g.lock);
	struct bw_zone *z = bw_zones_at(&g.zones, va);
	bw_rocm_free_fn *free_fn = g.free_fn;
	if (z) {
		if (!z->freed[0])
			memcpy(z->freed, by, sizeof(by));
		if (z->is_told)
			bw_zones_keep(&g.zones, z);
		gone = *z;
		if (!z->is_told)
			bw_zones_remove(&g.zones, z);
	}
	pthread_mutex_unlock(&g.lock);
	if (!gone.real_b)
		return false;
	*out_status = 0;
	if (gone.is_told) {
		tell(&gone, true);
		give_back(GONE_MAX, gone_max_b);
	} else {
		*out_status = free_fn((void *)(uintptr_t)gone.real);
	}
	return true;
}

bool bw_rocm_is_freed(uint64_t va)
{
	if (!bw_rocm_is_checked())
		return false;
	pthread_mutex_lock(&g.lock);
	bool is_kept = bw_zones_is_kept(&g.zones, va);
	pthread_mutex_unlock(&g.lock);
	return is_kept;
}

bool bw_rocm_around(uint64_t va, uint64_t *out_va, uint64_t *out_size_b, uint64_t *out_real)
{
	if (!bw_rocm_is_checked())
		return false;
	pthread_mutex_lock(&g.lock);
	const struct bw_zone *z = bw_zones_around(&g.zones, va);
	if (z) {
		*out_va = z->va;
		*out_size_b = z->size_b;
		*out_real = z->real;
	}
	pthread_mutex_unlock(&g.lock);
	return z;
}
