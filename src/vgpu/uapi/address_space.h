/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_UAPI_ADDRESS_SPACE_H
#define BW_VGPU_UAPI_ADDRESS_SPACE_H

/* Address spaces: mappings (va.c), page tables (vm_pt.c), VMIDs (vmid.c). */

#include "vgpu/uapi/uapi_priv.h"

/* Address space of a VM (doc/hardware/kernel-interface.md 2.2): BW_VA_BITS, a reserved piece at
 * either end. */
#define BW_VA_HOLE_START 0x0000800000000000ull
#define BW_VA_HOLE_END 0xffff800000000000ull
#define BW_VA_RESERVED_BOTTOM (64ull << 10)
#define BW_VA_RESERVED_TOP                                                                         \
	((64ull << 10) + (2ull << 20) + (2ull << 20)) /* trap area, seq64, CSA \
									     */
#define BW_VM_MAX_PFN ((BW_VA_MASK + 1) / BW_DRM_PAGE_B)

/* ---- va.c ---- */

int bw_ioctl_gem_va(struct bw_drm_call *c, void *arg);
/* A mapping to be made: addresses and sizes are whole pages. */
struct bw_drm_map {
	uint64_t va, offset_b, size_b;
	uint32_t flags; /* AMDGPU_VM_PAGE_* and AMDGPU_VM_MTYPE_* */
};
/* Maps a part of a buffer, and takes away the mapping that begins at an address. The page tables
 * change with bw_drm_vm_flush_updates(). -EINVAL: not whole pages, not in the buffer, or something
 * else is mapped there; -ENOENT: this buffer is not. */
int bw_drm_vm_map(struct bw_drm_vm *vm, struct bw_drm_bo *bo, const struct bw_drm_map *a);
int bw_drm_vm_unmap(struct bw_drm_vm *vm, struct bw_drm_bo *bo, uint64_t va);
/* What is mapped at an address, as the driver's CPU sees it; NULL: nothing, or not all in one
 * buffer. */
uint8_t *bw_drm_vm_cpu(struct bw_drm_vm *vm, uint64_t va, uint64_t size_b);
/* Drops every mapping of a buffer (its last handle in the VM's file is closed). */
void bw_drm_vm_forget_bo(struct bw_drm_vm *vm, struct bw_drm_bo *bo);
/* Applies the page-table changes whose time has come; true if that was something. */
bool bw_drm_vm_apply_updates(struct bw_drm_vm *vm);
/* Applies delayed changes of mappings, as a CS does. */
void bw_drm_vm_flush_updates(struct bw_drm_vm *vm);

/* ---- vm_pt.c ---- */

int bw_drm_pt_init(struct bw_drm_vm *vm);
void bw_drm_pt_fini(struct bw_drm_vm *vm);
int bw_drm_pt_write(struct bw_drm_vm *vm, const struct bw_drm_mapping *m, bool clear);
uint64_t bw_drm_pt_root_entry(const struct bw_drm_vm *vm);

/* ---- vmid.c ---- */

int bw_drm_vm_create(struct bw_uapi *u, int pid, const char *comm, struct bw_drm_account *account,
		     struct bw_drm_vm **out);
struct bw_drm_vm *bw_drm_vm_ref(struct bw_drm_vm *vm);
void bw_drm_vm_unref(struct bw_drm_vm *vm);
uint64_t bw_drm_vm_held_ns(struct bw_drm_vm *vm, bool *out_held_now);
/* A VMID for the VM's next job, 0 when none is free now. */
unsigned bw_drm_vmid_grab(struct bw_drm_vm *vm);
void bw_drm_vmid_unreserve(struct bw_drm_vm *vm);
int bw_ioctl_vm(struct bw_drm_call *c, void *arg);

#endif
