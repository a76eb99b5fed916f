/* SPDX-License-Identifier: MIT */
#include "agent/waits.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>

#include "agent/debugger.h"
#include "base/util.h"

/* Waits and where their limit stands, an absolute time of CLOCK_MONOTONIC in ns. They end with ETIME,
 * or with 0 and a word that says whether it is over (drm_syncobj.c, amdgpu_cs.c of Linux 6.12). */
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
};

static bool is_over(const struct wait *w, int result, const uint8_t *out)
{
	uint32_t status;
	if (!w->has_status)
		return result != -ETIME;
	memcpy(&status, out + w->status_at, sizeof(status));
	return result || status != w->busy;
}

bool bw_wait_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg, int *out_result)
{
	uint8_t in[128], out[128];
	const struct wait *w = NULL;
	size_t size_b = _IOC_SIZE(cmd);
	int64_t limit;

	for (size_t i = 0; i < BW_ARRAY_SIZE(waits); i++)
		if (waits[i].nr == _IOC_NR(cmd))
			w = &waits[i];
	if (!w || !bw_debugger_listens() || size_b < w->size_b || size_b > sizeof(in) ||
	    !bw_agent_copy_in(in, (uintptr_t)arg, size_b))
		return false;
	memcpy(&limit, in + w->limit_at, sizeof(limit));
	/* 0 asks; for ever needs no help */
	if (limit <= 0 || limit == INT64_MAX)
		return false;
	int64_t held = bw_debugger_held_ns();
	for (;;) {
		memcpy(out, in, size_b);
		memcpy(out + w->limit_at, &limit, sizeof(limit));
		*out_result = bw_agent_ioctl(f, cmd, out);
		int64_t now_held = bw_debugger_held_ns();
		if (is_over(w, *out_result, out) || now_held == held ||
		    __builtin_add_overflow(limit, now_held - held, &limit))
			break;
		held = now_held;
	}
	/* what it says, and the limit as the program gave it */
	if (!w->has_status)
		memcpy(out + w->limit_at, in + w->limit_at, sizeof(limit));
	if (!*out_result || !w->has_status)
		memcpy(arg, out, size_b);
	return true;
}
