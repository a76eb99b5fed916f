/* SPDX-License-Identifier: MIT */
/* An address space of a GPU: the registers of a VMID, by the names of its generation, and table
 * memory through amdgpu_vram and amdgpu_iomem. */
#include "cli/vm.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"

/* "GCMC_VM_FB_OFFSET", "MMMC_VM_FB_OFFSET" or "MC_VM_FB_OFFSET". */
static bool find(const struct bw_look_block *b, bool is_mm, const char *name, struct bw_reg *out)
{
	const char *const prefixes[] = {is_mm ? "MM" : "GC", ""};
	for (size_t i = 0; i < BW_ARRAY_SIZE(prefixes); i++) {
		char full[96];
		snprintf(full, sizeof(full), "%s%s", prefixes[i], name);
		if (bw_regs_lookup(b->block, full, out))
			return true;
	}
	return false;
}

struct reader {
	struct bw_kmd *kmd;
	struct bw_look_block block;
	bool is_mm;
};

static struct bw_error *read_reg(struct reader *r, const char *name, uint64_t *out)
{
	struct bw_reg reg;
	uint32_t addr_dw, value;
	if (!find(&r->block, r->is_mm, name, &reg))
		return bw_errorf(BW_E_NOT_FOUND, "%s has no register %s here",
				 bw_regs_block_name(r->block.block), name);
	BW_TRY(bw_reg_address(&reg, r->block.ip.segment, r->block.ip.n_segments, &addr_dw));
	BW_TRY(bw_kmd_reg_read(r->kmd, NULL, addr_dw, &value));
	*out = value;
	return NULL;
}

static struct bw_error *read_pair(struct reader *r, unsigned vmid, const char *what, uint64_t *out)
{
	char name[96];
	uint64_t lo, hi;
	snprintf(name, sizeof(name), "VM_CONTEXT%u_PAGE_TABLE_%s_ADDR_LO32", vmid, what);
	BW_TRY(read_reg(r, name, &lo));
	snprintf(name, sizeof(name), "VM_CONTEXT%u_PAGE_TABLE_%s_ADDR_HI32", vmid, what);
	BW_TRY(read_reg(r, name, &hi));
	*out = hi << 32 | lo;
	return NULL;
}

static struct bw_error *read_context(struct reader *r, unsigned vmid, struct bw_gpuvm_regs *g)
{
	char name[64];
	uint64_t v;
	snprintf(name, sizeof(name), "VM_CONTEXT%u_CNTL", vmid);
	BW_TRY(read_reg(r, name, &v));
	g->cntl = (uint32_t)v;
	BW_TRY(read_pair(r, vmid, "BASE", &g->base));
	BW_TRY(read_pair(r, vmid, "START", &g->start));
	BW_TRY(read_pair(r, vmid, "END", &g->end));
	BW_TRY(read_reg(r, "MC_VM_FB_OFFSET", &g->fb_offset));
	BW_TRY(read_reg(r, "MC_VM_FB_LOCATION_BASE", &g->fb_base));
	BW_TRY(read_reg(r, "MC_VM_FB_LOCATION_TOP", &g->fb_top));
	BW_TRY(read_reg(r, "MC_VM_AGP_BASE", &g->agp_base));
	BW_TRY(read_reg(r, "MC_VM_AGP_BOT", &g->agp_bot));
	BW_TRY(read_reg(r, "MC_VM_AGP_TOP", &g->agp_top));
	BW_TRY(read_reg(r, "MC_VM_SYSTEM_APERTURE_LOW_ADDR", &g->sys_low));
	BW_TRY(read_reg(r, "MC_VM_SYSTEM_APERTURE_HIGH_ADDR", &g->sys_high));
	BW_TRY(read_reg(r, "MC_VM_MX_L1_TLB_CNTL", &v));
	g->mx_l1_tlb_cntl = (uint32_t)v;
	return NULL;
}

struct bw_error *bw_look_vm_open(struct bw_look *l, unsigned vmid, struct bw_look_vm *out)
{
	struct reader r = {.is_mm = l->hub == BW_GPUVM_MM};
	struct bw_gpuvm_regs regs = {0};
	BW_TRY(bw_kmd_open(l->gpu, &out->kmd));
	r.kmd = out->kmd;
	BW_TRY(bw_look_part_of(out->kmd, &out->part));
	BW_TRY(bw_look_block(out->kmd, r.is_mm ? "mmhub" : "gc", &r.block));
	BW_TRY(read_context(&r, vmid, &regs));
	bw_gpuvm_context_init(&out->context, out->part.gen, vmid, &regs);
	/* What cannot be opened shows as entries that cannot be read. */
	bw_error_free(bw_kmd_file_open(out->kmd, "amdgpu_vram", false, &out->vram));
	bw_error_free(bw_kmd_file_open(out->kmd, "amdgpu_iomem", false, &out->iomem));
	return NULL;
}

void bw_look_vm_close(struct bw_look_vm *vm)
{
	if (vm->vram)
		bw_kmd_file_close(vm->vram);
	if (vm->iomem)
		bw_kmd_file_close(vm->iomem);
	bw_kmd_close(vm->kmd);
	bw_crash_vm_free(&vm->text);
}

bool bw_look_vm_read(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	struct bw_look_vm *vm = cookie;
	uint64_t page = address & ~(uint64_t)0xfff;
	if (!vm->kmd)
		return bw_crash_vm_read(&vm->text, system, address, out_entry);
	if (address & 7)
		return false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(vm->cache); i++)
		if (vm->cache[i].is_valid && vm->cache[i].address == page &&
		    vm->cache[i].is_system == system) {
			memcpy(out_entry, vm->cache[i].bytes + (address & 0xfff), 8);
			return true;
		}
	struct bw_kmd_file *f = system ? vm->iomem : vm->vram;
	size_t done = 0, k = vm->next_cached;
	if (!f)
		return false;
	vm->cache[k].is_valid = false;
	bw_error_free(bw_kmd_file_read(f, page, vm->cache[k].bytes, 4096, &done));
	if (done == 4096) {
		vm->cache[k].is_valid = true;
		vm->cache[k].is_system = system;
		vm->cache[k].address = page;
		vm->next_cached = (vm->next_cached + 1) % BW_ARRAY_SIZE(vm->cache);
		memcpy(out_entry, vm->cache[k].bytes + (address & 0xfff), 8);
		return true;
	}
	/* A block at the end of memory, of which less than a page is there. */
	done = 0;
	bw_error_free(bw_kmd_file_read(f, address, out_entry, 8, &done));
	return done == 8;
}

size_t bw_look_vm_bytes(struct bw_look_vm *vm, uint64_t va, void *out, size_t size_b)
{
	size_t at = 0;
	while (at < size_b) {
		struct bw_gpuvm_range r;
		size_t done = 0;
		if (!vm->kmd || !bw_gpuvm_walk(&vm->context, bw_look_vm_read, vm, va + at, &r))
			break;
		uint64_t offset = va + at - r.va;
		size_t n = (size_t)BW_MIN((uint64_t)(size_b - at), r.size_b - offset);
		struct bw_kmd_file *f = r.system ? vm->iomem : vm->vram;
		if (!f)
			break;
		bw_error_free(bw_kmd_file_read(f, r.address + offset, (char *)out + at, n, &done));
		if (!done)
			break;
		at += done;
	}
	return at;
}
