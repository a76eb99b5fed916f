/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_CHECK_OUTPUT_H
#define BW_VGPU_UAPI_CHECK_OUTPUT_H

#include "base/str.h"

struct bw_uapi;
struct bw_drm_vm;

/* The file breakwater_check: see check_output.c. */
void bw_check_text(struct bw_uapi *u, struct bw_str *s);
/* Prints findings on standard error; to be called when the device exists. */
void bw_check_output_start(struct bw_uapi *u);

/* BW_VGPU_IOCTL_EXTENT: arg as the client sent it. */
int bw_drm_extent(struct bw_uapi *u, const struct bw_drm_vm *vm, const void *arg);

#endif
