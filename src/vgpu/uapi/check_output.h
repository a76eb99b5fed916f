/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_CHECK_OUTPUT_H
#define BW_VGPU_UAPI_CHECK_OUTPUT_H

#include "base/str.h"

struct bw_uapi;
struct bw_drm_vm;
struct bw_file_ops;

/* The file breakwater_check: see check_output.c. */
void bw_check_text(struct bw_uapi *u, struct bw_str *s);
/* The file breakwater_leaks, to be read when programs have ended: lines like those of findings, of
 * kind leak, then bytes, name, program, and the calls in it that made the blocks. */
void bw_leaks_text(struct bw_uapi *u, struct bw_str *s);
/* The file breakwater_writers: who has written a dword. What is written there is the question,
 * "VMID ADDRESS"; what is read, the answer. Empty: it is not mapped. Else a line with the value
 * that the last write has left and the value now, and a line for each writer, the last one first:
 * what (wave, copy, fill, write), whether more is known, number of the dispatch, VMID, bytes of the
 * dword, how many lanes, where a copy comes from, and a side as in breakwater_check. */
extern const struct bw_file_ops bw_writers_ops;
/* Prints findings on standard error; to be called when the device exists. */
void bw_check_output_start(struct bw_uapi *u);

/* BW_VGPU_IOCTL_EXTENT: arg as the client sent it. */
int bw_drm_extent(struct bw_uapi *u, const struct bw_drm_vm *vm, const void *arg);
/* BW_VGPU_IOCTL_KERNEL, BW_VGPU_IOCTL_API: the same. */
int bw_drm_kernel(struct bw_uapi *u, const struct bw_drm_vm *vm, const void *arg);
int bw_drm_api(struct bw_uapi *u, const struct bw_drm_vm *vm, const void *arg);

#endif
