/* SPDX-License-Identifier: MIT */
/* Bringing the device up, as gfx_v11_0, gfxhub_v3_0 and ih_v6_0 do. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "gpuvm/gpuvm.h"
#include "vgpu/device/discovery.h"
#include "vgpu/device/exec/check/writers.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/uapi_priv.h"

enum { IH_RING_B = 256 << 10, FIRMWARE_B = 1 << 20 };
enum { MTYPE_UC = 3, SPACE_GPU_VA = 4 };

uint32_t bw_drm_reg(const struct bw_uapi *u, enum bw_register reg)
{
	return u->registers->addr_dw[reg];
}

uint32_t bw_rreg_bank(struct bw_uapi *u, const struct bw_bank *bank, enum bw_register reg)
{
	return bw_device_reg_read(u->dev, bank, bw_drm_reg(u, reg));
}

void bw_wreg_bank(struct bw_uapi *u, const struct bw_bank *bank, enum bw_register reg,
		  uint32_t value)
{
	bw_device_reg_write(u->dev, bank, bw_drm_reg(u, reg), value);
}

uint32_t bw_rreg(struct bw_uapi *u, enum bw_register reg)
{
	static const struct bw_bank none;
	return bw_rreg_bank(u, &none, reg);
}

void bw_wreg(struct bw_uapi *u, enum bw_register reg, uint32_t value)
{
	static const struct bw_bank none;
	bw_wreg_bank(u, &none, reg, value);
}

void *bw_drm_vram_cpu(struct bw_uapi *u, uint64_t offset)
{
	return bw_device_vram(u->dev) + offset;
}

/* The host has its pages back, and the next one who looks there finds zeros: what lies in VRAM
 * itself, and is not a program's buffer, is private memory (device/mem.c). */
static void clear_vram(struct bw_uapi *u, uint64_t offset, uint64_t size_b)
{
	if (madvise(bw_drm_vram_cpu(u, offset), size_b, MADV_DONTNEED) < 0)
		memset(bw_drm_vram_cpu(u, offset), 0, size_b);
}

int bw_drm_vram_alloc(struct bw_uapi *u, uint64_t size_b, uint64_t align_b, uint64_t *out_offset)
{
	if (!bw_ranges_alloc(&u->vram, size_b, align_b, out_offset))
		return -ENOMEM;
	u->vram_used_b += size_b;
	clear_vram(u, *out_offset, size_b); /* the GPU may have written there since */
	bw_writers_forget(bw_device_check(u->dev), bw_drm_vram_cpu(u, *out_offset), size_b);
	return 0;
}

void bw_drm_vram_free(struct bw_uapi *u, uint64_t offset, uint64_t size_b)
{
	clear_vram(u, offset, size_b);
	bw_ranges_add(&u->vram, offset, size_b);
	u->vram_used_b -= size_b;
}

/* Finds the address of VRAM for VMID 0: the firmware's choice, read as the driver reads it. */
static void find_vram(struct bw_uapi *u)
{
	uint64_t base = BW_FIELD_GET(GCMC_VM_FB_LOCATION_BASE, FB_BASE,
				     bw_rreg(u, BW_REG_GCMC_VM_FB_LOCATION_BASE));
	uint64_t top = BW_FIELD_GET(GCMC_VM_FB_LOCATION_TOP, FB_TOP,
				    bw_rreg(u, BW_REG_GCMC_VM_FB_LOCATION_TOP));
	if (top <= base) { /* no firmware has run */
		base = 0x8000;
		top = base + u->profile->vram_size_b / BW_GPUVM_FB_UNIT_B - 1;
		bw_wreg(u, BW_REG_GCMC_VM_FB_LOCATION_BASE, (uint32_t)base);
		bw_wreg(u, BW_REG_GCMC_VM_FB_LOCATION_TOP, (uint32_t)top);
	}
	u->fb_base = base * BW_GPUVM_FB_UNIT_B;
	u->fb_offset = (uint64_t)bw_rreg(u, BW_REG_GCMC_VM_FB_OFFSET) * BW_GPUVM_FB_UNIT_B;
	/* No AGP aperture: BOT above TOP. The system aperture is the framebuffer. */
	bw_wreg(u, BW_REG_MMMC_VM_AGP_BASE, 0);
	bw_wreg(u, BW_REG_MMMC_VM_AGP_BOT, 0xffffff);
	bw_wreg(u, BW_REG_MMMC_VM_AGP_TOP, 0);
	bw_wreg(u, BW_REG_GCMC_VM_AGP_BASE, 0);
	bw_wreg(u, BW_REG_GCMC_VM_AGP_BOT, 0xffffff);
	bw_wreg(u, BW_REG_GCMC_VM_AGP_TOP, 0);
	const uint32_t low = (uint32_t)(u->fb_base / BW_GPUVM_APERTURE_UNIT_B),
		       high = (uint32_t)(((top + 1) * BW_GPUVM_FB_UNIT_B - 1) /
					 BW_GPUVM_APERTURE_UNIT_B);
	bw_wreg(u, BW_REG_GCMC_VM_SYSTEM_APERTURE_LOW_ADDR, low);
	bw_wreg(u, BW_REG_GCMC_VM_SYSTEM_APERTURE_HIGH_ADDR, high);
	bw_wreg(u, BW_REG_MMMC_VM_SYSTEM_APERTURE_LOW_ADDR, low);
	bw_wreg(u, BW_REG_MMMC_VM_SYSTEM_APERTURE_HIGH_ADDR, high);
	const uint32_t tlb = BW_FIELD(GCMC_VM_MX_L1_TLB_CNTL, ENABLE_L1_TLB, 1) |
			     BW_FIELD(GCMC_VM_MX_L1_TLB_CNTL, SYSTEM_ACCESS_MODE, 3) |
			     BW_FIELD(GCMC_VM_MX_L1_TLB_CNTL, ENABLE_ADVANCED_DRIVER_MODEL, 1) |
			     BW_FIELD(GCMC_VM_MX_L1_TLB_CNTL, MTYPE, MTYPE_UC);
	bw_wreg(u, BW_REG_GCMC_VM_MX_L1_TLB_CNTL, tlb);
	bw_wreg(u, BW_REG_MMMC_VM_MX_L1_TLB_CNTL, tlb);
}

/* The registers of each hub. Those of one kind have consecutive numbers. */
static const struct hub {
	enum bw_register cntl, base_lo, base_hi, start_lo, start_hi, end_lo, end_hi;
} hubs[] = {
#define HUB(prefix)                                                                                \
	{BW_REG_##prefix##VM_CONTEXT0_CNTL,                                                        \
	 BW_REG_##prefix##VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32,                                   \
	 BW_REG_##prefix##VM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32,                                   \
	 BW_REG_##prefix##VM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32,                                  \
	 BW_REG_##prefix##VM_CONTEXT0_PAGE_TABLE_START_ADDR_HI32,                                  \
	 BW_REG_##prefix##VM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32,                                    \
	 BW_REG_##prefix##VM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32}
	HUB(GC), HUB(MM)
#undef HUB
};

static void set_range(struct bw_uapi *u, const struct hub *hub, unsigned vmid, uint64_t first_page,
		      uint64_t last_page)
{
	bw_wreg(u, hub->start_lo + vmid, bw_lo32(first_page));
	bw_wreg(u, hub->start_hi + vmid, bw_hi32(first_page));
	bw_wreg(u, hub->end_lo + vmid, bw_lo32(last_page));
	bw_wreg(u, hub->end_hi + vmid, bw_hi32(last_page));
}

static void enable(struct bw_uapi *u, const struct hub *hub, unsigned vmid, unsigned depth,
		   unsigned block)
{
	bw_wreg(u, hub->cntl + vmid,
		bw_rreg(u, hub->cntl + vmid) | BW_FIELD_MASK(GCVM_CONTEXT0_CNTL, ENABLE_CONTEXT) |
			BW_FIELD(GCVM_CONTEXT0_CNTL, PAGE_TABLE_DEPTH, depth) |
			BW_FIELD(GCVM_CONTEXT0_CNTL, PAGE_TABLE_BLOCK_SIZE, block));
}

/* VMID 0: the kernel's GART of 512 MiB, a table without levels, at the last whole 4 GiB of the
 * lower half (amdgpu_gmc_gart_location, gfxhub_v3_0_gart_enable, mmhub_v3_0_gart_enable). Nothing
 * is mapped in it: this driver reaches its own memory by the framebuffer's aperture. */
static int setup_gart(struct bw_uapi *u)
{
	const uint64_t first = 0x7fff00000000ull / BW_DRM_PAGE_B,
		       n = (512ull << 20) / BW_DRM_PAGE_B;
	uint64_t table;
	int r = bw_drm_vram_alloc(u, n * 8, BW_DRM_PAGE_B, &table);
	if (r)
		return r;
	uint64_t base = (u->fb_offset + table) | 1; /* valid */
	for (size_t i = 0; i < BW_ARRAY_SIZE(hubs); i++) {
		bw_wreg(u, hubs[i].base_lo, bw_lo32(base));
		bw_wreg(u, hubs[i].base_hi, bw_hi32(base));
		set_range(u, &hubs[i], 0, first, first + n - 1);
		enable(u, &hubs[i], 0, 0, 0);
	}
	return 0;
}

static int setup_vmids(struct bw_uapi *u)
{
	/* 64-bit addresses */
	const uint32_t sh_mem_config =
		BW_FIELD(SH_MEM_CONFIG, ALIGNMENT_MODE, BW_ALIGNMENT_UNALIGNED) |
		BW_FIELD(SH_MEM_CONFIG, INITIAL_INST_PREFETCH, 3);
	const struct bw_profile_tables *t = &u->profile->tables;
	for (unsigned i = 0; i < BW_DRM_N_VMIDS; i++) {
		struct bw_bank bank = {.use_srbm = true, .vmid = i};
		bw_wreg_bank(u, &bank, BW_REG_SH_MEM_CONFIG, sh_mem_config);
		if (!i)
			continue;
		for (size_t h = 0; h < BW_ARRAY_SIZE(hubs); h++) {
			enable(u, &hubs[h], i, t->depth, t->block);
			set_range(u, &hubs[h], i, 0, BW_VM_MAX_PFN - 1);
		}
		bw_wreg_bank(u, &bank, BW_REG_SH_MEM_BASES, BW_SH_MEM_BASES);
	}
	return setup_gart(u);
}

static int setup_interrupts(struct bw_uapi *u)
{
	int r = bw_drm_vram_alloc(u, IH_RING_B, BW_DRM_PAGE_B, &u->ih_offset);
	if (r)
		return r;
	uint64_t mc = bw_drm_mc(u, u->ih_offset);
	bw_wreg(u, BW_REG_IH_RB_CNTL, 0);
	bw_wreg(u, BW_REG_IH_RB_BASE, bw_lo_256b(mc));
	bw_wreg(u, BW_REG_IH_RB_BASE_HI, BW_FIELD(IH_RB_BASE_HI, ADDR, bw_hi_256b(mc)));
	bw_wreg(u, BW_REG_IH_RB_WPTR, 0);
	bw_wreg(u, BW_REG_IH_RB_RPTR, 0);
	bw_wreg(u, BW_REG_IH_RB_CNTL,
		BW_FIELD_MASK(IH_RB_CNTL, RB_ENABLE) |
			BW_FIELD(IH_RB_CNTL, RB_SIZE, __builtin_ctz(IH_RING_B / 4)) |
			BW_FIELD_MASK(IH_RB_CNTL, WPTR_OVERFLOW_ENABLE) |
			BW_FIELD_MASK(IH_RB_CNTL, ENABLE_INTR) |
			BW_FIELD(IH_RB_CNTL, MC_SPACE, SPACE_GPU_VA));
	const uint32_t interrupts = BW_FIELD_MASK(CP_INT_CNTL_RING0, TIME_STAMP_INT_ENABLE) |
				    BW_FIELD_MASK(CP_INT_CNTL_RING0, OPCODE_ERROR_INT_ENABLE) |
				    BW_FIELD_MASK(CP_INT_CNTL_RING0, PRIV_REG_INT_ENABLE) |
				    BW_FIELD_MASK(CP_INT_CNTL_RING0, PRIV_INSTR_INT_ENABLE);
	bw_wreg(u, BW_REG_CP_INT_CNTL_RING0, interrupts);
	for (unsigned pipe = 0; pipe < BW_DRM_N_COMPUTE; pipe++)
		bw_wreg(u, BW_REG_CP_ME1_PIPE0_INT_CNTL + pipe, interrupts);
	return 0;
}

struct bw_error *bw_drm_gpu_init(struct bw_uapi *u)
{
	const struct bw_profile *p = u->profile;
	u->registers = bw_device_registers(u->dev);
	find_vram(u);
	bw_device_put_tables(u->dev);
	/* The first MiB is the firmware's, and so is the end, where its discovery binary lies;
	 * what else is at the start stays out of use, so that a stray 0 is one. */
	int r = bw_ranges_add(&u->vram, FIRMWARE_B,
			      p->vram_size_b - FIRMWARE_B - BW_DISCOVERY_FROM_END_B);
	if (!r)
		r = bw_ranges_add(&u->gtt, 1 << 20, p->sysmem_size_b - (1 << 20));
	/* Offsets that no real file position comes near (drm_vma_manager starts at 4 GiB). */
	if (!r)
		r = bw_ranges_add(&u->fake, 1ull << 32, BW_DRM_MAX_OFFSETS_B);
	if (!r)
		r = setup_vmids(u);
	if (!r)
		r = setup_interrupts(u);
	for (unsigned i = 0; i < BW_DRM_N_RINGS && !r; i++)
		r = bw_drm_ring_init(u, i);
	return r ? bw_error_errno(-r, "bringing up the virtual GPU") : NULL;
}
