/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_MODE_H
#define BW_VGPU_UAPI_MODE_H

/* Displays: this GPU has none, so their ioctls find no object, but for buffers, which need no
 * display (gem.c). The answers follow drm_mode_object.c and its neighbours of Linux 6.12. */

#include <stdint.h>

struct bw_drm_call;

typedef int bw_drm_ioctl_fn(struct bw_drm_call *c, void *arg);
struct bw_drm_mode_row {
	const char *name;
	uint32_t cmd;
	uint8_t rights; /* enum bw_drm_right */
	bw_drm_ioctl_fn *fn;
};

/* NULL: that number is none about displays. */
const struct bw_drm_mode_row *bw_drm_mode_row(unsigned nr);

int bw_ioctl_get_cap(struct bw_drm_call *c, void *arg);
int bw_ioctl_set_client_cap(struct bw_drm_call *c, void *arg);

#endif
