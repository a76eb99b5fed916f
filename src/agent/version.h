/* SPDX-License-Identifier: MIT */
#ifndef BW_AGENT_VERSION_H
#define BW_AGENT_VERSION_H

/* The answer to DRM_IOCTL_VERSION when the virtual GPU has ended. The kernel would refuse it with
 * ENODEV (drm_ioctl, drivers/gpu/drm/drm_ioctl.c of Linux 6.12, for an unplugged device), and
 * libdrm reads the version through a null pointer then (amdgpu_device_initialize, libdrm 2.4.114),
 * so that a program which opens the GPU at that moment would die there and not report the next
 * call. */

#include <stdint.h>

/* The answer of the virtual GPU when the file was opened. */
struct bw_agent_version {
	int32_t major, minor, patchlevel;
	char name[16], date[16], desc[32]; /* ended by 0 */
};

/* file: a DRM file by its number at the virtual GPU. 0 or -errno. */
int bw_agent_version_ask(uint32_t file, struct bw_agent_version *out);

/* arg: the program's struct drm_version, which may be a bad pointer. 0 or -EFAULT. */
int bw_agent_version_answer(const struct bw_agent_version *v, void *arg);

#endif
