/* SPDX-License-Identifier: MIT */
#include "agent/gpu/wait_limits.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>

#include "agent/clocks/clock.h"
#include "agent/debugger/debugger.h"
#include "base/util.h"

/* While the program's time stands still, a wait whose limit is nearly reached checks this often. */
static const int64_t PAUSE_NS = 20000000;

/* Waits and where their limit stands, an absolute time of CLOCK_MONOTONIC in ns. They end with
 * ETIME, or with 0 and a word that says whether it has ended (drm_syncobj.c, amdgpu_cs.c of Linux
 * 6.12). */
static const struct wait {
	unsigned nr;
	size_t size_b, limit_at;
	bool has_status;
	size_t status_at; /* u32; `busy` when the time was over */
	uint32_t busy;
} waits[] = {
	{_IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT), offsetof(struct drm_syncobj_wait, timeout_nsec) + 8,
	 offsetof(struct drm_syncobj_wait, timeout_nsec), false, 0, 0},
	{_IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT),
	 offsetof(struct drm_syncobj_timeline_wait, timeout_nsec) + 8,
	 offsetof(struct drm_syncobj_timeline_wait, timeout_nsec), false, 0, 0},
	{DRM_COMMAND_BASE + DRM_AMDGPU_WAIT_CS, sizeof(union drm_amdgpu_wait_cs),
	 offsetof(struct drm_amdgpu_wait_cs_in, timeout), true,
	 offsetof(struct drm_amdgpu_wait_cs_out, status), 1},
	{DRM_COMMAND_BASE + DRM_AMDGPU_WAIT_FENCES, sizeof(union drm_amdgpu_wait_fences),
	 offsetof(struct drm_amdgpu_wait_fences_in, timeout_ns), true,
	 offsetof(struct drm_amdgpu_wait_fences_out, status), 0},
	{DRM_COMMAND_BASE + DRM_AMDGPU_GEM_WAIT_IDLE, sizeof(union drm_amdgpu_gem_wait_idle),
	 offsetof(struct drm_amdgpu_gem_wait_idle_in, timeout), true,
	 offsetof(struct drm_amdgpu_gem_wait_idle_out, status), 1},
};

static const struct wait *wait_of(uint32_t cmd)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(waits); i++)
		if (waits[i].nr == _IOC_NR(cmd))
			return &waits[i];
	return NULL;
}

bool bw_wait_is_one(uint32_t cmd)
{
	return wait_of(cmd);
}

static bool is_over(const struct wait *w, int result, const uint8_t *out)
{
	uint32_t status;
	if (!w->has_status)
		return result != -ETIME;
	memcpy(&status, out + w->status_at, sizeof(status));
	return result || status != w->busy;
}

/* The time by which the program's limits are put off: its clock is late, and a held submission has
 * not begun. If both grow, they grow during the same time. */
static int64_t lost_since(int64_t held, int64_t behind)
{
	return BW_MAX(bw_debugger_held_ns() - held, bw_clock_behind_ns() - behind);
}

bool bw_wait_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg, int *out_result)
{
	uint8_t in[128], out[128];
	const struct wait *w = wait_of(cmd);
	size_t size_b = _IOC_SIZE(cmd);
	int64_t asked, limit;

	int64_t held = bw_debugger_held_ns(), behind = bw_clock_behind_ns();
	if (!w || (!bw_debugger_is_connected() && !behind) || size_b < w->size_b ||
	    size_b > sizeof(in) || !bw_agent_copy_in(in, (uintptr_t)arg, size_b))
		return false;
	memcpy(&asked, in + w->limit_at, sizeof(asked));
	/* a limit of 0 only asks, and one of for ever needs no change */
	if (asked <= 0 || __builtin_add_overflow(asked, behind, &limit))
		return false;
	for (int64_t lost = 0;;) {
		int64_t until;
		if (__builtin_add_overflow(limit, lost, &until))
			until = INT64_MAX;
		if (bw_clock_is_stopped()) /* however little is left */
			until = BW_MAX(until, bw_clock_real_ns() + PAUSE_NS);
		memcpy(out, in, size_b);
		memcpy(out + w->limit_at, &until, sizeof(until));
		*out_result = bw_agent_ioctl(f, cmd, out);
		int64_t now_lost = lost_since(held, behind);
		if (is_over(w, *out_result, out) || now_lost == lost)
			break;
		lost = now_lost;
	}
	/* the result, and the limit as the program gave it */
	if (!w->has_status)
		memcpy(out + w->limit_at, in + w->limit_at, sizeof(asked));
	if (!*out_result || !w->has_status)
		memcpy(arg, out, size_b);
	return true;
}
