/* SPDX-License-Identifier: MIT */
/* Bringing the device up, as gfx_v11_0, gfxhub_v3_0 and ih_v6_0 do. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "regs/regs.h"
#include "vgpu/uapi/uapi_priv.h"

enum { IH_RING_B = 256 << 10 };

uint32_t bw_rreg(struct bw_uapi *u, uint32_t addr_dw)
{
	static const struct bw_bank none;
	return bw_device_reg_read(u->dev, &none, addr_dw);
}

void bw_wreg(struct bw_uapi *u, uint32_t addr_dw, uint32_t value)
{
	static const struct bw_bank none;
	bw_device_reg_write(u->dev, &none, addr_dw, value);
}

void *bw_drm_vram_cpu(struct bw_uapi *u, uint64_t offset)
{
	return bw_device_vram(u->dev) + offset;
}

int bw_drm_vram_alloc(struct bw_uapi *u, uint64_t size_b, uint64_t align_b, uint64_t *out_offset)
{
	if (!bw_ranges_alloc(&u->vram, size_b, align_b, out_offset))
		return -ENOMEM;
	u->vram_used_b += size_b;
	memset(bw_drm_vram_cpu(u, *out_offset), 0, size_b);
	return 0;
}

void bw_drm_vram_free(struct bw_uapi *u, uint64_t offset, uint64_t size_b)
{
	memset(bw_drm_vram_cpu(u, offset), 0, size_b);
	bw_ranges_add(&u->vram, offset, size_b);
	u->vram_used_b -= size_b;
}

static struct bw_error *resolve_registers(struct bw_uapi *u)
{
	const struct bw_profile *p = u->profile;
	const struct bw_regs_block *gc, *osssys;
	/* osssys 6.0 goes with every GC 11.0 (profile.osssys_segment says where it is). */
	BW_TRY(bw_regs_find("gc", p->gc_version, &gc));
	BW_TRY(bw_regs_find("osssys", BW_IP_VERSION(6, 0, 0), &osssys));
	const uint32_t *gc_segment = p->gc_segment, *osssys_segment = p->osssys_segment;
	struct bw_reg reg;
#define X(block, reg_name)                                                                         \
	BW_TRY(bw_regs_by_name(block, "reg" #reg_name, &reg));                                     \
	u->reg.reg_name = block##_segment[reg.segment] + reg.offset_dw;
	BW_DRM_REGS(X)
#undef X
	return NULL;
}

/* Where VRAM is for VMID 0: the firmware's choice, read as the driver reads it. */
static void find_vram(struct bw_uapi *u)
{
	uint64_t base = bw_rreg(u, u->reg.GCMC_VM_FB_LOCATION_BASE) & 0xffffff;
	uint64_t top = bw_rreg(u, u->reg.GCMC_VM_FB_LOCATION_TOP) & 0xffffff;
	if (top <= base) { /* no firmware has run */
		base = 0x8000;
		top = base + (u->profile->vram_size_b >> 24) - 1;
		bw_wreg(u, u->reg.GCMC_VM_FB_LOCATION_BASE, (uint32_t)base);
		bw_wreg(u, u->reg.GCMC_VM_FB_LOCATION_TOP, (uint32_t)top);
	}
	u->fb_base = base << 24;
	u->fb_offset = (uint64_t)bw_rreg(u, u->reg.GCMC_VM_FB_OFFSET) << 24;
	/* No AGP aperture: BOT above TOP. The system aperture is the framebuffer. */
	bw_wreg(u, u->reg.GCMC_VM_AGP_BASE, 0);
	bw_wreg(u, u->reg.GCMC_VM_AGP_BOT, 0xffffff);
	bw_wreg(u, u->reg.GCMC_VM_AGP_TOP, 0);
	bw_wreg(u, u->reg.GCMC_VM_SYSTEM_APERTURE_LOW_ADDR, (uint32_t)(u->fb_base >> 18));
	bw_wreg(u, u->reg.GCMC_VM_SYSTEM_APERTURE_HIGH_ADDR,
		(uint32_t)((((top + 1) << 24) - 1) >> 18));
	/* ENABLE_L1_TLB, SYSTEM_ACCESS_MODE 3, ENABLE_ADVANCED_DRIVER_MODEL, MTYPE UC */
	bw_wreg(u, u->reg.GCMC_VM_MX_L1_TLB_CNTL, 1 | 3 << 3 | 1 << 6 | 3 << 11);
}

static void setup_vmids(struct bw_uapi *u)
{
	/* ENABLE_CONTEXT, PAGE_TABLE_DEPTH 3, BLOCK_SIZE 0; the default page for faults of each
	 * kind: RANGE 10, DUMMY_PAGE 12, PDE0 14, VALID 16, READ 18, WRITE 20, EXECUTE 22. */
	uint32_t cntl = 1 | 3 << 1;
	for (unsigned bit = 10; bit <= 22; bit += 2)
		cntl |= 1u << bit;
	/* SH_MEM_CONFIG: 64-bit addresses, unaligned access allowed, INITIAL_INST_PREFETCH 3 */
	const uint32_t sh_mem_config = 3 << 2 | 3 << 14;
	uint64_t end = BW_VM_MAX_PFN - 1;
	for (unsigned i = 1; i < BW_DRM_N_VMIDS; i++) {
		bw_wreg(u, u->reg.GCVM_CONTEXT0_CNTL + i, cntl);
		bw_wreg(u, u->reg.GCVM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32 + 2 * i, 0);
		bw_wreg(u, u->reg.GCVM_CONTEXT0_PAGE_TABLE_START_ADDR_LO32 + 2 * i + 1, 0);
		bw_wreg(u, u->reg.GCVM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32 + 2 * i, (uint32_t)end);
		bw_wreg(u, u->reg.GCVM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32 + 2 * i + 1,
			(uint32_t)(end >> 32));
		struct bw_bank bank = {.use_srbm = true, .vmid = i};
		bw_device_reg_write(u->dev, &bank, u->reg.SH_MEM_CONFIG, sh_mem_config);
		/* Private aperture at 0x1000 << 48, shared at 0x2000 << 48
		 * (gmc_v11_0_vram_gtt_location). */
		bw_device_reg_write(u->dev, &bank, u->reg.SH_MEM_BASES, 0x1000 | 0x2000u << 16);
	}
}

static int setup_interrupts(struct bw_uapi *u)
{
	int r = bw_drm_vram_alloc(u, IH_RING_B, BW_DRM_PAGE_B, &u->ih_offset);
	if (r)
		return r;
	uint64_t mc = bw_drm_mc(u, u->ih_offset);
	bw_wreg(u, u->reg.IH_RB_CNTL, 0);
	bw_wreg(u, u->reg.IH_RB_BASE, (uint32_t)(mc >> 8));
	bw_wreg(u, u->reg.IH_RB_BASE_HI, (uint32_t)(mc >> 40) & 0xff);
	bw_wreg(u, u->reg.IH_RB_WPTR, 0);
	bw_wreg(u, u->reg.IH_RB_RPTR, 0);
	/* RB_ENABLE, RB_SIZE log2 of dwords, ENABLE_INTR, WPTR_OVERFLOW_ENABLE, MC_SPACE 4 */
	uint32_t size = (uint32_t)__builtin_ctz(IH_RING_B / 4);
	bw_wreg(u, u->reg.IH_RB_CNTL, 1 | size << 1 | 1 << 16 | 1 << 17 | 4 << 28);
	/* TIME_STAMP_INT_ENABLE (26), PRIV_REG (23), PRIV_INSTR (22), OPCODE_ERROR (24) */
	const uint32_t interrupts = 1 << 26 | 1 << 24 | 1 << 23 | 1 << 22;
	bw_wreg(u, u->reg.CP_INT_CNTL_RING0, interrupts);
	for (unsigned pipe = 0; pipe < BW_DRM_N_COMPUTE; pipe++)
		bw_wreg(u, u->reg.CP_ME1_PIPE0_INT_CNTL + pipe, interrupts);
	return 0;
}

struct bw_error *bw_drm_gpu_init(struct bw_uapi *u)
{
	const struct bw_profile *p = u->profile;
	BW_TRY(resolve_registers(u));
	find_vram(u);
	/* The first MiB is the firmware's on hardware; page 0 stays out of use, so that a stray 0
	 * is one. */
	int r = bw_ranges_add(&u->vram, 1 << 20, p->vram_size_b - (1 << 20));
	if (!r)
		r = bw_ranges_add(&u->gtt, 1 << 20, p->sysmem_size_b - (1 << 20));
	/* Offsets that no real file position comes near (drm_vma_manager starts at 4 GiB). */
	if (!r)
		r = bw_ranges_add(&u->fake, 1ull << 32, 1ull << 45);
	setup_vmids(u);
	if (!r)
		r = setup_interrupts(u);
	for (unsigned i = 0; i < BW_DRM_N_RINGS && !r; i++)
		r = bw_drm_ring_init(u, i);
	return r ? bw_error_errno(-r, "bringing up the virtual GPU") : NULL;
}
