/* SPDX-License-Identifier: MIT */
#include "vgpu/uapi/mode.h"

#include <drm.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/uapi/auth.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"

/* Newer than some headers */
enum { CAP_SYNCOBJ_TIMELINE = 0x14, CAP_ATOMIC_ASYNC_PAGE_FLIP = 0x15 };
#define MODE_GETFB2 DRM_IOWR(0xce, uint8_t[104])
#define MODE_CLOSEFB DRM_IOWR(0xd0, uint8_t[8])

/* ---- capabilities ---- */

int bw_ioctl_get_cap(struct bw_drm_call *c, void *arg)
{
	/* clang-format off */
	static const struct { uint8_t cap; uint8_t value; } caps[] = {
		{DRM_CAP_DUMB_BUFFER, 1}, {DRM_CAP_VBLANK_HIGH_CRTC, 1}, {DRM_CAP_DUMB_PREFERRED_DEPTH, 0},
		{DRM_CAP_DUMB_PREFER_SHADOW, 0}, {DRM_CAP_PRIME, 3}, {DRM_CAP_TIMESTAMP_MONOTONIC, 1},
		{DRM_CAP_ASYNC_PAGE_FLIP, 0}, {DRM_CAP_CURSOR_WIDTH, 64}, {DRM_CAP_CURSOR_HEIGHT, 64},
		{DRM_CAP_ADDFB2_MODIFIERS, 1}, {DRM_CAP_PAGE_FLIP_TARGET, 1}, {DRM_CAP_CRTC_IN_VBLANK_EVENT, 1},
		{DRM_CAP_SYNCOBJ, 1}, {CAP_SYNCOBJ_TIMELINE, 1}, {CAP_ATOMIC_ASYNC_PAGE_FLIP, 0},
	};
	/* clang-format on */
	struct drm_get_cap *a = arg;
	a->value = 0;
	for (size_t i = 0; i < BW_ARRAY_SIZE(caps); i++) {
		if (caps[i].cap == a->capability) {
			a->value = caps[i].value;
			return 0;
		}
	}
	return -EINVAL;
}

/* drm_setclientcap: the capabilities have no effect without a display. */
int bw_ioctl_set_client_cap(struct bw_drm_call *c, void *arg)
{
	const struct drm_set_client_cap *a = arg;
	bool is_atomic;
	switch (a->capability) {
	case DRM_CLIENT_CAP_STEREO_3D:
	case DRM_CLIENT_CAP_UNIVERSAL_PLANES:
	case DRM_CLIENT_CAP_ASPECT_RATIO:
		return a->value > 1 ? -EINVAL : 0;
	case DRM_CLIENT_CAP_ATOMIC:
		if (a->value > 2)
			return -EINVAL;
		pthread_mutex_lock(&c->u->lock);
		c->file->is_atomic = a->value;
		pthread_mutex_unlock(&c->u->lock);
		return 0;
	case DRM_CLIENT_CAP_WRITEBACK_CONNECTORS:
		pthread_mutex_lock(&c->u->lock);
		is_atomic = c->file->is_atomic;
		pthread_mutex_unlock(&c->u->lock);
		return !is_atomic || a->value > 1 ? -EINVAL : 0;
	case 6: /* CURSOR_PLANE_HOTSPOT: of GPUs in virtual machines */
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

/* ---- what finds no object ---- */

/* An object is named, and there is none. */
static int no_object(struct bw_drm_call *c, void *arg)
{
	return -ENOENT;
}

/* Nothing that can be asked for fits, as no framebuffer, cursor or blob is possible. */
static int invalid(struct bw_drm_call *c, void *arg)
{
	return -EINVAL;
}

static int noop(struct bw_drm_call *c, void *arg)
{
	return 0;
}

static int no_vblank(struct bw_drm_call *c, void *arg)
{
	return -EOPNOTSUPP;
}

/* The pointers stay as they are. Vulkan drivers take an error for "out of host memory"
 * (wsi_common_display.c of Mesa 26.2). */
static int get_resources(struct bw_drm_call *c, void *arg)
{
	struct drm_mode_card_res *a = arg;
	a->count_fbs = a->count_crtcs = a->count_connectors = a->count_encoders = 0;
	a->min_width = a->max_width = a->min_height = a->max_height = 0;
	return 0;
}

static int get_plane_resources(struct bw_drm_call *c, void *arg)
{
	struct drm_mode_get_plane_res *a = arg;
	a->count_planes = 0;
	return 0;
}

enum { MASTER = BW_DRM_MASTER };
#define MODE(name, rights, fn) {"MODE_" #name, DRM_IOCTL_MODE_##name, rights, fn}

static const struct bw_drm_mode_row rows[] = {
	MODE(GETRESOURCES, 0, get_resources),
	MODE(GETPLANERESOURCES, 0, get_plane_resources),
	MODE(GETCRTC, 0, no_object),
	MODE(SETCRTC, MASTER, no_object),
	MODE(GETPLANE, 0, no_object),
	MODE(SETPLANE, MASTER, no_object),
	MODE(CURSOR, MASTER, invalid),
	MODE(CURSOR2, MASTER, invalid),
	MODE(GETGAMMA, 0, no_object),
	MODE(SETGAMMA, MASTER, no_object),
	MODE(GETENCODER, 0, no_object),
	MODE(GETCONNECTOR, 0, no_object),
	MODE(ATTACHMODE, MASTER, noop),
	MODE(DETACHMODE, MASTER, noop),
	MODE(GETPROPERTY, 0, no_object),
	MODE(SETPROPERTY, MASTER, no_object),
	MODE(GETPROPBLOB, 0, no_object),
	MODE(CREATEPROPBLOB, 0, invalid),
	MODE(DESTROYPROPBLOB, 0, no_object),
	MODE(GETFB, 0, no_object),
	{"MODE_GETFB2", MODE_GETFB2, 0, no_object},
	MODE(ADDFB, 0, invalid),
	MODE(ADDFB2, 0, invalid),
	MODE(RMFB, 0, no_object),
	{"MODE_CLOSEFB", MODE_CLOSEFB, 0, no_object},
	MODE(PAGE_FLIP, MASTER, no_object),
	MODE(DIRTYFB, MASTER, no_object),
	MODE(CREATE_DUMB, 0, bw_ioctl_create_dumb),
	MODE(MAP_DUMB, 0, bw_ioctl_map_dumb),
	MODE(DESTROY_DUMB, 0, bw_ioctl_destroy_dumb),
	MODE(OBJ_GETPROPERTIES, 0, no_object),
	MODE(OBJ_SETPROPERTY, MASTER, no_object),
	MODE(ATOMIC, MASTER, invalid),
	{"CRTC_GET_SEQUENCE", DRM_IOCTL_CRTC_GET_SEQUENCE, 0, no_vblank},
	{"CRTC_QUEUE_SEQUENCE", DRM_IOCTL_CRTC_QUEUE_SEQUENCE, 0, no_vblank},
	MODE(CREATE_LEASE, MASTER, no_object),
	MODE(LIST_LESSEES, MASTER, noop),
	MODE(GET_LEASE, MASTER, noop),
	MODE(REVOKE_LEASE, MASTER, no_object),
};

const struct bw_drm_mode_row *bw_drm_mode_row(unsigned nr)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (_IOC_NR(rows[i].cmd) == nr)
			return &rows[i];
	return NULL;
}
