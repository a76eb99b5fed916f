/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_GPU_H
#define BW_VGPU_UAPI_GPU_H

/* The GPU as the driver sees it: registers and VRAM of its own (gpu.c), facts for programs
 * (info.c). */

#include "base/error.h"
#include "vgpu/uapi/uapi_priv.h"

/* ---- gpu.c ---- */

struct bw_error *bw_drm_gpu_init(struct bw_uapi *u) BW_MUST_CHECK;
/* A register's dword address in this GPU. Registers of an array have consecutive addresses. */
uint32_t bw_drm_reg(const struct bw_uapi *u, enum bw_register reg);
uint32_t bw_rreg(struct bw_uapi *u, enum bw_register reg);
void bw_wreg(struct bw_uapi *u, enum bw_register reg, uint32_t value);
uint32_t bw_rreg_bank(struct bw_uapi *u, const struct bw_bank *bank, enum bw_register reg);
void bw_wreg_bank(struct bw_uapi *u, const struct bw_bank *bank, enum bw_register reg,
		  uint32_t value);
/* GCVM_INVALIDATE_ENGn_REQ for everything of a VMID. */
uint32_t bw_drm_invalidate_req(unsigned vmid);
/* VRAM for the driver itself, zeroed. */
int bw_drm_vram_alloc(struct bw_uapi *u, uint64_t size_b, uint64_t align_b, uint64_t *out_offset);
void bw_drm_vram_free(struct bw_uapi *u, uint64_t offset, uint64_t size_b);
void *bw_drm_vram_cpu(struct bw_uapi *u, uint64_t offset);
#define bw_drm_mc(u, offset) ((u)->fb_base + (offset))

/* ---- info.c ---- */

enum { BW_DRM_N_IPS = 10 };
extern const uint32_t bw_drm_max_ibs[BW_DRM_N_IPS]; /* in one submission, by IP type */
int bw_ioctl_info(struct bw_drm_call *c, void *arg);
/* Ticks of the clock that the GPU's time stamps count in. */
uint64_t bw_drm_gpu_clock(struct bw_uapi *u);
void bw_drm_gca_config(struct bw_uapi *u, uint32_t out[36]);
void bw_drm_memory_sizes(struct bw_uapi *u, uint64_t *out_vram_usable, uint64_t *out_gtt_total,
			 uint64_t *out_gtt_usable);

#endif
