/* SPDX-License-Identifier: MIT */
/* Prints the state of a GPU as debugfs shows it, a line each, for a test to compare:
 *
 *     gfxoff STATE                 whether the graphics block may power down
 *     reg VMID NAME VALUE          every register of the graphics block, banked by VMID or not
 *     map VMID VA SIZE FLAGS       what the page tables of the VMID map
 *     code VMID VA HASH            contents of pages that are executable and not writable
 *
 *
 *   device_state [GPU]
 *
 * The virtual GPU named by BREAKWATER_VGPU, or the GPU that a selector of bw_kmd_open() names.
 * Reading changes nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "gpuvm/gpuvm.h"
#include "kmd/kmd.h"
#include "regs/regs.h"

enum { N_VMIDS = 16, FIRST_USER = 1, LAST_USER = 7, PAGE_B = 4096 };

static struct bw_kmd *kmd;
static struct bw_kmd_file *vram, *iomem;
static const struct bw_regs_block *gc;
static struct bw_kmd_ip ip;

static void must(struct bw_error *err)
{
	if (!err)
		return;
	fprintf(stderr, "device_state: %s\n", err->message);
	exit(1);
}

static uint32_t read_reg(const struct bw_kmd_bank *bank, const char *name)
{
	uint32_t addr, v;
	must(bw_regs_address(gc, name, ip.segment, ip.n_segments, &addr));
	must(bw_kmd_reg_read(kmd, bank, addr, &v));
	return v;
}

/* What a debugger touches, for each VMID; what the kernel's driver wrote is compared with it. */
static void print_registers(void)
{
	static const char *const banked[] = {
		"SQ_SHADER_TBA_LO", "SQ_SHADER_TBA_HI",	      "SQ_SHADER_TMA_LO",
		"SQ_SHADER_TMA_HI", "SPI_GDBG_PER_VMID_CNTL", "SH_MEM_CONFIG",
		"SH_MEM_BASES"};
	static const char *const patterns[] = {"SPI_GDBG*", "TCP_WATCH*",	 "SQ_DEBUG*",
					       "SQ_WATCH*", "SQ_CONFIG",	 "SPI_CONFIG*",
					       "SH_MEM*",   "GCVM_CONTEXT*_CNTL"};
	for (unsigned vmid = 0; vmid < N_VMIDS; vmid++) {
		const struct bw_kmd_bank bank = {.use_srbm = true, .vmid = vmid};
		for (size_t i = 0; i < BW_ARRAY_SIZE(banked); i++)
			printf("reg %u %s %08x\n", vmid, banked[i], read_reg(&bank, banked[i]));
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(patterns); i++) {
		struct bw_reg r;
		size_t at = 0;
		while (bw_regs_match_next(gc, patterns[i], &at, &r))
			if (r.segment != BW_REG_INDEXED)
				printf("reg - %s %08x\n", r.name, read_reg(NULL, r.name));
	}
}

static bool read_entry(void *cookie, bool system, uint64_t address, uint64_t *out)
{
	size_t done = 0;
	struct bw_error *err = bw_kmd_file_read(system ? iomem : vram, address, out, 8, &done);
	bool ok = !err && done == 8;
	bw_error_free(err);
	return ok;
}

static uint64_t pair(const char *fmt, unsigned vmid)
{
	char name[64];
	uint64_t v;
	snprintf(name, sizeof(name), fmt, vmid, "LO32");
	v = read_reg(NULL, name);
	snprintf(name, sizeof(name), fmt, vmid, "HI32");
	return v | (uint64_t)read_reg(NULL, name) << 32;
}

static void print_code(unsigned vmid, const struct bw_gpuvm_range *r)
{
	uint8_t page[PAGE_B];
	size_t done = 0;
	uint64_t hash = 14695981039346656037ull;
	for (uint64_t at = 0; at < r->size_b; at += PAGE_B) {
		struct bw_error *err = bw_kmd_file_read(r->system ? iomem : vram, r->address + at,
							page, PAGE_B, &done);
		bw_error_free(err);
		if (err) /* its program has ended since the walk */
			return;
		for (size_t i = 0; i < done; i++)
			hash = (hash ^ page[i]) * 1099511628211ull;
	}
	printf("code %u %llx %016llx\n", vmid, (unsigned long long)r->va, (unsigned long long)hash);
}

static void print_half(unsigned vmid, const struct bw_gpuvm_context *c, uint64_t va, uint64_t end)
{
	while (va < end) {
		struct bw_gpuvm_range r;
		if (bw_gpuvm_walk(c, read_entry, NULL, va, &r)) {
			printf("map %u %llx %llx %s%s%s\n", vmid, (unsigned long long)r.va,
			       (unsigned long long)r.size_b,
			       bw_gpuvm_allows(&r, BW_GPUVM_READ) ? "r" : "",
			       bw_gpuvm_allows(&r, BW_GPUVM_WRITE) ? "w" : "",
			       bw_gpuvm_allows(&r, BW_GPUVM_EXECUTE) ? "x" : "");
			if (bw_gpuvm_allows(&r, BW_GPUVM_EXECUTE) &&
			    !bw_gpuvm_allows(&r, BW_GPUVM_WRITE))
				print_code(vmid, &r);
		} else if (r.verdict == BW_GPUVM_CONTEXT_DISABLED ||
			   r.verdict == BW_GPUVM_OUT_OF_RANGE || !r.size_b) {
			return;
		}
		uint64_t next = r.va + r.size_b;
		if (next <= va)
			return;
		va = next;
	}
}

static void print_maps(unsigned vmid)
{
	struct bw_gpuvm_regs g = {0};
	struct bw_gpuvm_context c;
	enum bw_gpuvm_gen gen;
	char name[64];
	snprintf(name, sizeof(name), "GCVM_CONTEXT%u_CNTL", vmid);
	g.cntl = read_reg(NULL, name);
	g.base = pair("GCVM_CONTEXT%u_PAGE_TABLE_BASE_ADDR_%s", vmid);
	g.start = pair("GCVM_CONTEXT%u_PAGE_TABLE_START_ADDR_%s", vmid);
	g.end = pair("GCVM_CONTEXT%u_PAGE_TABLE_END_ADDR_%s", vmid);
	g.fb_offset = read_reg(NULL, "GCMC_VM_FB_OFFSET");
	g.fb_base = read_reg(NULL, "GCMC_VM_FB_LOCATION_BASE");
	g.fb_top = read_reg(NULL, "GCMC_VM_FB_LOCATION_TOP");
	g.agp_base = read_reg(NULL, "GCMC_VM_AGP_BASE");
	g.agp_bot = read_reg(NULL, "GCMC_VM_AGP_BOT");
	g.agp_top = read_reg(NULL, "GCMC_VM_AGP_TOP");
	g.sys_low = read_reg(NULL, "GCMC_VM_SYSTEM_APERTURE_LOW_ADDR");
	g.sys_high = read_reg(NULL, "GCMC_VM_SYSTEM_APERTURE_HIGH_ADDR");
	if (!g.base || !bw_gpuvm_gen_of(BW_IP_VERSION(ip.major, ip.minor, ip.revision), &gen))
		return;
	bw_gpuvm_context_init(&c, gen, vmid, &g);
	print_half(vmid, &c, 0, 1ull << 47);
	print_half(vmid, &c, 0xffff800000000000ull, UINT64_MAX - PAGE_B);
}

int main(int argc, char **argv)
{
	must(bw_kmd_open(argc > 1 ? argv[1] : "virtual", &kmd));
	must(bw_kmd_ip(kmd, "GC", &ip));
	must(bw_regs_find("gc", BW_IP_VERSION(ip.major, ip.minor, ip.revision), &gc));
	must(bw_kmd_file_open(kmd, "amdgpu_vram", false, &vram));
	must(bw_kmd_file_open(kmd, "amdgpu_iomem", false, &iomem));
	uint32_t state;
	size_t done;
	struct bw_kmd_file *gfxoff;
	must(bw_kmd_file_open(kmd, "amdgpu_gfxoff", false, &gfxoff));
	must(bw_kmd_file_read(gfxoff, 0, &state, sizeof(state), &done));
	printf("gfxoff %u\n", state);
	bw_kmd_file_close(gfxoff);
	print_registers();
	for (unsigned vmid = FIRST_USER; vmid <= LAST_USER; vmid++)
		print_maps(vmid);
	bw_kmd_file_close(vram);
	bw_kmd_file_close(iomem);
	bw_kmd_close(kmd);
	return 0;
}
