/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_AUTH_H
#define BW_VGPU_UAPI_AUTH_H

/* Permissions of ioctls: for the card's master, files that it has authenticated, and administrators
 * (drm_auth.c and drm_ioctl_permit of Linux 6.12). */

#include <stdbool.h>

#include "vgpu/uapi/uapi_priv.h"

/* The right that an ioctl requires of its caller: DRM_RENDER_ALLOW and the others of
 * drm_ioctl.h. */
enum bw_drm_right {
	BW_DRM_AUTH = 1,	 /* an authenticated file, or one of the render node */
	BW_DRM_MASTER = 2,	 /* the card's master */
	BW_DRM_ROOT_ONLY = 4,	 /* CAP_SYS_ADMIN */
	BW_DRM_RENDER_ALLOW = 8, /* without it: not on a render node */
};
bool bw_drm_permit(struct bw_drm_call *c, unsigned rights);

/* A file of either node begins and ends. Lock held. */
void bw_drm_auth_open(struct bw_drm_file *f);
void bw_drm_auth_close(struct bw_drm_file *f);

/* The device's name for the master that the file belongs to: SET_VERSION makes it known. */
bool bw_drm_auth_has_bus_id(struct bw_drm_call *c);
void bw_drm_auth_set_bus_id(struct bw_drm_call *c);

int bw_ioctl_get_magic(struct bw_drm_call *c, void *arg);
int bw_ioctl_auth_magic(struct bw_drm_call *c, void *arg);
int bw_ioctl_get_client(struct bw_drm_call *c, void *arg);
int bw_ioctl_set_master(struct bw_drm_call *c, void *arg);
int bw_ioctl_drop_master(struct bw_drm_call *c, void *arg);

#endif
