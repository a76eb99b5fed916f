/* SPDX-License-Identifier: MIT */
/* What the VMID of a process gets that is debugged by KFD's calls. Where Linux has the scheduler do
 * it (SET_SHADER_DEBUGGER), this driver writes the registers. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/kfd_queues.h"

extern const unsigned char bw_kfd_handler[];
extern const unsigned long bw_kfd_handler_size;

/* As KFD has them: in the reserved top of the address space, and the handler's memory behind it. */
#define HANDLER_VA 0xffffffbf0000ull
enum { HANDLER_B = 0x2000, TMA_AT = 0x1800 };

bool bw_kfd_debug_can(const struct bw_uapi *u)
{
	return u->profile->gen == BW_ISA_GFX11;
}

static struct bw_bank bank_of(const struct bw_kfd *p)
{
	return (struct bw_bank){.use_srbm = true, .vmid = p->vmid};
}

static uint64_t current_handler(const struct bw_kfd *p)
{
	const struct bw_bank bank = bank_of(p);
	return bw_join_256b(BW_FIELD_GET(SQ_SHADER_TBA_HI, ADDR_HI,
					 bw_rreg_bank(p->u, &bank, BW_REG_SQ_SHADER_TBA_HI)),
			    bw_rreg_bank(p->u, &bank, BW_REG_SQ_SHADER_TBA_LO)) &
	       BW_VA_MASK;
}

bool bw_kfd_debug_saves(const struct bw_kfd *p)
{
	return p->vmid && p->debug.handler && current_handler(p) == HANDLER_VA;
}

/* ---- the handler's memory ---- */

static void fill_memory(struct bw_kfd *p)
{
	uint8_t *memory = bw_drm_bo_cpu(p->debug.handler, 0, HANDLER_B);
	const struct {
		uint64_t tba, tma;
		uint32_t is_debugged;
	} words = {p->tba, p->tma, p->debug.is_active};
	memcpy(memory + TMA_AT, &words, sizeof(words));
}

static int make_handler(struct bw_kfd *p)
{
	const struct bw_drm_bo_request request = {
		.size_b = HANDLER_B, .domains = AMDGPU_GEM_DOMAIN_GTT, .memory = -1};
	const struct bw_drm_map m = {HANDLER_VA, 0, HANDLER_B,
				     AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_EXECUTABLE};
	struct bw_drm_bo *bo;
	if (p->debug.handler)
		return 0;
	int r = bw_drm_bo_create(p->u, p->account, &request, &bo);
	if (r)
		return r;
	memset(bw_drm_bo_cpu(bo, 0, HANDLER_B), 0, HANDLER_B);
	memcpy(bw_drm_bo_cpu(bo, 0, HANDLER_B), bw_kfd_handler,
	       BW_MIN(bw_kfd_handler_size, (unsigned long)TMA_AT));
	r = bw_drm_vm_map(p->vm, bo, &m);
	if (r) {
		bw_drm_bo_unref(bo);
		return r;
	}
	bw_drm_vm_flush_updates(p->vm);
	bw_kfd_flush_tlb(p);
	p->debug.handler = bo;
	return 0;
}

void bw_kfd_debug_free_handler(struct bw_kfd *p)
{
	if (!p->debug.handler)
		return;
	bw_drm_vm_unmap(p->vm, p->debug.handler, HANDLER_VA);
	bw_drm_bo_unref(p->debug.handler);
	p->debug.handler = NULL;
}

void bw_kfd_debug_apply_second(struct bw_kfd *p)
{
	if (p->debug.handler)
		fill_memory(p);
}

/* ---- registers ---- */

static void apply_watches(const struct bw_kfd *p)
{
	for (unsigned i = 0; i < BW_KFD_N_WATCHES; i++) {
		if (!(p->debug.watches >> i & 1))
			continue;
		bw_wreg(p->u, BW_REG_TCP_WATCH0_ADDR_H + i,
			BW_FIELD(TCP_WATCH0_ADDR_H, ADDR, bw_hi32(p->debug.watch[i].va)));
		bw_wreg(p->u, BW_REG_TCP_WATCH0_ADDR_L + i, bw_lo32(p->debug.watch[i].va));
		bw_wreg(p->u, BW_REG_TCP_WATCH0_CNTL + i,
			p->debug.watch[i].cntl | BW_FIELD(TCP_WATCH0_CNTL, VMID, p->vmid));
	}
}

static void write_handler(struct bw_kfd *p, bool is_there)
{
	const struct bw_bank bank = bank_of(p);
	const uint64_t tba = is_there ? HANDLER_VA : 0, tma = is_there ? HANDLER_VA + TMA_AT : 0;
	bw_wreg_bank(p->u, &bank, BW_REG_SQ_SHADER_TMA_LO, bw_lo_256b(tma));
	bw_wreg_bank(p->u, &bank, BW_REG_SQ_SHADER_TMA_HI, bw_hi_256b(tma));
	bw_wreg_bank(p->u, &bank, BW_REG_SQ_SHADER_TBA_LO, bw_lo_256b(tba));
	bw_wreg_bank(p->u, &bank, BW_REG_SQ_SHADER_TBA_HI,
		     BW_FIELD(SQ_SHADER_TBA_HI, ADDR_HI, bw_hi_256b(tba)) |
			     BW_FIELD(SQ_SHADER_TBA_HI, TRAP_EN, is_there && p->debug.is_active));
}

int bw_kfd_debug_apply(struct bw_kfd *p)
{
	const struct bw_kfd_debug *d = &p->debug;
	if (!p->vmid || (!d->is_active && !d->handler))
		return 0; /* later, when it has a VMID */
	const struct bw_bank bank = bank_of(p);
	uint64_t now = current_handler(p);
	if (now && now != HANDLER_VA)
		return -EBUSY;
	int r = make_handler(p);
	if (r) {
		BW_LOG(WARN, "uapi", "KFD: no trap handler for pid %d: %d", p->pid, r);
		return r;
	}
	fill_memory(p);
	bw_wreg_bank(p->u, &bank, BW_REG_SPI_GDBG_PER_VMID_CNTL,
		     d->launch_override | d->launch_mode);
	write_handler(p, true);
	apply_watches(p);
	return 0;
}

void bw_kfd_debug_withdraw(struct bw_kfd *p)
{
	const struct bw_bank bank = bank_of(p);
	if (!p->vmid || !p->debug.handler || current_handler(p) != HANDLER_VA)
		return;
	write_handler(p, false);
	bw_wreg_bank(p->u, &bank, BW_REG_SPI_GDBG_PER_VMID_CNTL, 0);
	for (unsigned i = 0; i < BW_KFD_N_WATCHES; i++)
		if (p->debug.watches >> i & 1)
			bw_wreg(p->u, BW_REG_TCP_WATCH0_CNTL + i, 0);
}

int bw_kfd_debug_take_watch(struct bw_kfd *p)
{
	for (int i = 0; i < BW_KFD_N_WATCHES; i++) {
		if (p->u->kfd.watches >> i & 1)
			continue;
		p->u->kfd.watches |= (uint8_t)(1 << i);
		p->debug.watches |= (uint8_t)(1 << i);
		return i;
	}
	return -ENOMEM;
}

void bw_kfd_debug_release_watch(struct bw_kfd *p, unsigned id)
{
	p->u->kfd.watches &= (uint8_t)~(1u << id);
	p->debug.watches &= (uint8_t)~(1u << id);
	bw_wreg(p->u, BW_REG_TCP_WATCH0_CNTL + id, 0);
}
