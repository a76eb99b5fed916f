/* SPDX-License-Identifier: MIT */
#include "gpu/gpu.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

/* ---- blocks ---- */

struct bw_error *bw_gpu_block_open(struct bw_kmd *kmd, const char *name, struct bw_gpu_block *out)
{
	struct bw_gpu_block b;
	char upper[16];
	snprintf(upper, sizeof(upper), "%s", name);
	for (char *c = upper; *c; c++)
		*c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
	BW_TRY(bw_kmd_ip(kmd, upper, &b.ip));
	BW_TRY(bw_regs_find(name, bw_gpu_block_version(&b), &b.block));
	*out = b;
	return NULL;
}

uint32_t bw_gpu_block_version(const struct bw_gpu_block *b)
{
	return BW_IP_VERSION(b->ip.major, b->ip.minor, b->ip.revision);
}

struct bw_error *bw_gpu_block_address(const struct bw_gpu_block *b, const char *name,
				      uint32_t *out_addr_dw)
{
	return bw_regs_address(b->block, name, b->ip.segment, b->ip.n_segments, out_addr_dw);
}

/* ---- the registers of an address space ---- */

struct reader {
	struct bw_kmd *kmd;
	const struct bw_gpu_block *b;
	enum bw_gpuvm_hub hub;
};

/* "GCMC_VM_FB_OFFSET", "MMMC_VM_FB_OFFSET", or "MC_VM_FB_OFFSET" as gfx9 has it. */
static struct bw_error *read_reg(const struct reader *r, const char *name, uint32_t *out)
{
	const char *const prefixes[] = {r->hub == BW_GPUVM_MM ? "MM" : "GC", ""};
	for (size_t i = 0; i < BW_ARRAY_SIZE(prefixes); i++) {
		char full[96];
		struct bw_reg reg;
		uint32_t addr_dw;
		snprintf(full, sizeof(full), "%s%s", prefixes[i], name);
		if (!bw_regs_lookup(r->b->block, full, &reg))
			continue;
		BW_TRY(bw_reg_address(&reg, r->b->ip.segment, r->b->ip.n_segments, &addr_dw));
		return bw_kmd_reg_read(r->kmd, NULL, addr_dw, out);
	}
	return bw_errorf(BW_E_NOT_FOUND, "%s has no register %s here",
			 bw_regs_block_name(r->b->block), name);
}

static struct bw_error *read_pair(const struct reader *r, unsigned vmid, const char *what,
				  uint64_t *out)
{
	char name[64];
	uint32_t lo, hi;
	snprintf(name, sizeof(name), "VM_CONTEXT%u_PAGE_TABLE_%s_ADDR_LO32", vmid, what);
	BW_TRY(read_reg(r, name, &lo));
	snprintf(name, sizeof(name), "VM_CONTEXT%u_PAGE_TABLE_%s_ADDR_HI32", vmid, what);
	BW_TRY(read_reg(r, name, &hi));
	*out = bw_join32(hi, lo);
	return NULL;
}

struct bw_error *bw_gpu_vm_regs(struct bw_kmd *kmd, const struct bw_gpu_block *b,
				enum bw_gpuvm_hub hub, unsigned vmid, struct bw_gpuvm_regs *out)
{
	static const struct {
		const char *name;
		size_t at;
	} common[] = {
		{"MC_VM_FB_OFFSET", offsetof(struct bw_gpuvm_regs, fb_offset)},
		{"MC_VM_FB_LOCATION_BASE", offsetof(struct bw_gpuvm_regs, fb_base)},
		{"MC_VM_FB_LOCATION_TOP", offsetof(struct bw_gpuvm_regs, fb_top)},
		{"MC_VM_AGP_BASE", offsetof(struct bw_gpuvm_regs, agp_base)},
		{"MC_VM_AGP_BOT", offsetof(struct bw_gpuvm_regs, agp_bot)},
		{"MC_VM_AGP_TOP", offsetof(struct bw_gpuvm_regs, agp_top)},
		{"MC_VM_SYSTEM_APERTURE_LOW_ADDR", offsetof(struct bw_gpuvm_regs, sys_low)},
		{"MC_VM_SYSTEM_APERTURE_HIGH_ADDR", offsetof(struct bw_gpuvm_regs, sys_high)},
	};
	const struct reader r = {.kmd = kmd, .b = b, .hub = hub};
	struct bw_gpuvm_regs g = {0};
	char name[64];
	snprintf(name, sizeof(name), "VM_CONTEXT%u_CNTL", vmid);
	BW_TRY(read_reg(&r, name, &g.cntl));
	BW_TRY(read_pair(&r, vmid, "BASE", &g.base));
	BW_TRY(read_pair(&r, vmid, "START", &g.start));
	BW_TRY(read_pair(&r, vmid, "END", &g.end));
	for (size_t i = 0; i < BW_ARRAY_SIZE(common); i++) {
		uint32_t value;
		BW_TRY(read_reg(&r, common[i].name, &value));
		*(uint64_t *)((char *)&g + common[i].at) = value;
	}
	if (vmid == 0)
		BW_TRY(read_reg(&r, "MC_VM_MX_L1_TLB_CNTL", &g.mx_l1_tlb_cntl));
	*out = g;
	return NULL;
}

/* ---- memory ---- */

struct bw_kmd_file *bw_gpu_memory_file(struct bw_gpu_memory *m, bool system)
{
	__auto_type f = system ? &m->iomem : &m->vram;
	if (!f->is_tried) {
		/* What cannot be opened shows as entries that cannot be read. */
		bw_error_free(bw_kmd_file_open(m->kmd, system ? "amdgpu_iomem" : "amdgpu_vram",
					       false, &f->file));
		f->is_tried = true;
	}
	return f->file;
}

size_t bw_gpu_memory_read(struct bw_gpu_memory *m, bool system, uint64_t address, void *out,
			  size_t size_b)
{
	struct bw_kmd_file *f = bw_gpu_memory_file(m, system);
	size_t done = 0;
	if (f)
		bw_error_free(bw_kmd_file_read(f, address, out, size_b, &done));
	return done;
}

size_t bw_gpu_memory_bytes(struct bw_gpu_memory *m, bool system, uint64_t address, void *out,
			   size_t size_b)
{
	enum { PAGE_B = 4096, CHUNK_B = 64 * 1024 };
	uint8_t bytes[CHUNK_B + 8];
	/* Page by page: a page that may not be read makes the whole call fail (iomem). */
	size_t n = BW_MIN(size_b, system ? (size_t)(PAGE_B - address % PAGE_B) : (size_t)CHUNK_B);
	if (address > UINT64_MAX - sizeof(bytes))
		return 0;
	uint64_t first = address & ~3ull, end = (address + n + 3) & ~3ull;
	size_t before = (size_t)(address - first);
	size_t done = bw_gpu_memory_read(m, system, first, bytes, (size_t)(end - first));
	if (done <= before)
		return 0;
	n = BW_MIN(n, done - before);
	memcpy(out, bytes + before, n);
	return n;
}

bool bw_gpu_memory_entry(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	return bw_gpu_memory_read(cookie, system, address, out_entry, sizeof(*out_entry)) ==
	       sizeof(*out_entry);
}

void bw_gpu_memory_close(struct bw_gpu_memory *m)
{
	if (m->vram.file)
		bw_kmd_file_close(m->vram.file);
	if (m->iomem.file)
		bw_kmd_file_close(m->iomem.file);
	*m = (struct bw_gpu_memory){.kmd = m->kmd};
}
