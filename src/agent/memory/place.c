/* SPDX-License-Identifier: MIT */
#include "agent/memory/place.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <unistd.h>

#include "agent/memory/track.h"
#include "base/util.h"

enum {
	PAGE_B = 4096,
	VA_STEP_B = 2 << 20,
	N_TOPS = 1024, /* of different programs */
	VA_TRIES = 4096,
};

static uint64_t va_top(struct bw_agent_file *f)
{
	struct drm_amdgpu_info_device dev = {0};
	struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)&dev,
				       .return_size = sizeof(dev),
				       .query = AMDGPU_INFO_DEV_INFO};
	if (bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_INFO, &info) || !dev.virtual_address_max ||
	    dev.virtual_address_max > 1ull << 47)
		return BW_PLACE_TOP_DEFAULT;
	return dev.virtual_address_max;
}

/* Other programs get other addresses, so that a debugger that has ended knows from the trap base of
 * a VMID whether the VMID is another program's by now (live/leave.c). */
uint64_t bw_place_top(struct bw_agent_file *f)
{
	return va_top(f) - (uint64_t)(getpid() % N_TOPS) * VA_STEP_B;
}

/* Tries addresses downwards from *top until the kernel accepts one: the program's own allocator
 * goes upwards, so the two do not meet. Addresses that are known to be in use are not tried: Linux
 * logs each refusal as an error. */
static int map_low(struct bw_agent_file *f, uint32_t handle, uint64_t size_b, uint32_t flags,
		   uint64_t *top, uint64_t *out_va)
{
	uint64_t va = bw_align_down(*top - size_b, VA_STEP_B), taken;
	for (unsigned i = 0; i < VA_TRIES; i++, va -= VA_STEP_B) {
		while (bw_track_is_taken(f, va, size_b, &taken) && taken > size_b + VA_STEP_B)
			va = bw_align_down(taken - size_b, VA_STEP_B);
		struct drm_amdgpu_gem_va a = {.handle = handle,
					      .operation = AMDGPU_VA_OP_MAP,
					      .flags = flags,
					      .va_address = va,
					      .map_size = size_b};
		int r = bw_track_ioctl(f, DRM_IOCTL_AMDGPU_GEM_VA, &a);
		if (!r) {
			*top = *out_va = va;
			return 0;
		}
		if (r != -EINVAL)
			return r;
	}
	return -EINVAL;
}

int bw_place(struct bw_agent_file *f, uint64_t size_b, uint64_t gem_flags, uint32_t va_flags,
	     uint64_t *top, struct bw_placed *out)
{
	struct bw_placed p = {.size_b = bw_align_up(size_b, PAGE_B)};
	union drm_amdgpu_gem_create create = {
		.in = {.bo_size = p.size_b,
		       .alignment = PAGE_B,
		       .domains = AMDGPU_GEM_DOMAIN_GTT,
		       .domain_flags = AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED | gem_flags}};
	int r = bw_track_ioctl(f, DRM_IOCTL_AMDGPU_GEM_CREATE, &create);
	if (r)
		return r;
	p.handle = create.out.handle;
	r = bw_track_map_cpu(f, p.handle, p.size_b, &p.cpu);
	if (!r)
		r = map_low(f, p.handle, p.size_b, va_flags, top, &p.va);
	*out = p;
	return r;
}

void bw_unplace(struct bw_agent_file *f, struct bw_placed *p)
{
	if (p->va) {
		struct drm_amdgpu_gem_va a = {.handle = p->handle,
					      .operation = AMDGPU_VA_OP_UNMAP,
					      .va_address = p->va,
					      .map_size = p->size_b};
		bw_track_ioctl(f, DRM_IOCTL_AMDGPU_GEM_VA, &a);
	}
	bw_track_unmap_cpu(p->cpu, p->size_b);
	if (p->handle) {
		struct drm_gem_close c = {.handle = p->handle};
		bw_track_ioctl(f, DRM_IOCTL_GEM_CLOSE, &c);
	}
	*p = (struct bw_placed){0};
}
