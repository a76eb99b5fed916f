/* SPDX-License-Identifier: MIT */
#include "gpuvm/gpuvm.h"

#include "base/util.h"

/* Bit positions by generation: doc/hardware/page-tables.md 2.1 and 2.2, from amdgpu_vm.h and
 * gmc_v*_0.c. NONE: the generation has no such bit. */
enum { NONE = 0 };

struct layout {
	uint8_t page_hi;	    /* highest address bit of a leaf */
	uint8_t leaf_pte, leaf_pde; /* P; gfx12: IS_PTE */
	uint8_t prt, tmz, log, further_pte, further_pde, tfs, noalloc, dcc;
	uint8_t mtype_hi, mtype_lo, bfs_hi, bfs_lo;
};

/* clang-format off */
static const struct layout layouts[] = {
	[BW_GPUVM_GFX9]    = {47, 54, 54, 51, 3, 55,   56,   56,   NONE, NONE, NONE, 58, 57, 63, 59},
	[BW_GPUVM_GFX10]   = {47, 54, 54, 51, 3, 55,   56,   56,   NONE, 58,   NONE, 50, 48, 63, 59},
	[BW_GPUVM_GFX11]   = {47, 54, 54, 51, 3, 55,   56,   56,   57,   58,   NONE, 50, 48, 63, 59},
	[BW_GPUVM_GFX12]   = {47, 63, 63, 56, 3, NONE, NONE, NONE, 56,   NONE, 58,   55, 54, 62, 58},
	[BW_GPUVM_GFX12_1] = {51, 63, 63, 56, 3, NONE, NONE, NONE, 56,   NONE, 58,   55, 54, 62, 58},
};
/* clang-format on */

static bool bit(uint64_t raw, unsigned n)
{
	return n != NONE && (raw >> n & 1);
}

bool bw_gpuvm_gen_of(uint32_t gc_version, enum bw_gpuvm_gen *out_gen)
{
	unsigned major = gc_version >> 16, minor = gc_version >> 8 & 0xff;
	if (major < 9 || major > 12 || (major == 12 && minor > 1))
		return false;
	*out_gen = major == 9	 ? BW_GPUVM_GFX9
		   : major == 10 ? BW_GPUVM_GFX10
		   : major == 11 ? BW_GPUVM_GFX11
		   : minor == 0	 ? BW_GPUVM_GFX12
				 : BW_GPUVM_GFX12_1;
	return true;
}

struct bw_gpuvm_entry bw_gpuvm_pde(enum bw_gpuvm_gen gen, uint64_t raw)
{
	const struct layout *l = &layouts[gen];
	return (struct bw_gpuvm_entry){
		.raw = raw,
		.base = raw & bw_bits(~0ull, l->page_hi, 0) & ~0x3full,
		.valid = raw & 1,
		.system = bit(raw, 1),
		.coherent = bit(raw, 2),
		.leaf = bit(raw, l->leaf_pde),
		.further = bit(raw, l->further_pde),
		.tfs = bit(raw, l->tfs),
		.noalloc = bit(raw, l->noalloc),
		.bfs = (uint8_t)bw_bits(raw, l->bfs_hi, l->bfs_lo),
	};
}

struct bw_gpuvm_entry bw_gpuvm_pte(enum bw_gpuvm_gen gen, uint64_t raw)
{
	const struct layout *l = &layouts[gen];
	return (struct bw_gpuvm_entry){
		.raw = raw,
		.base = raw & bw_bits(~0ull, l->page_hi, 0) & ~0xfffull,
		.valid = raw & 1,
		.system = bit(raw, 1),
		.coherent = bit(raw, 2),
		.tmz = bit(raw, l->tmz),
		.execute = bit(raw, 4),
		.read = bit(raw, 5),
		.write = bit(raw, 6),
		.frag = (uint8_t)bw_bits(raw, 11, 7),
		.leaf = bit(raw, l->leaf_pte),
		.prt = bit(raw, l->prt),
		/* On gfx12 a valid entry of the PTB level that is no leaf is a directory
		 * (doc/hardware/page-tables.md 2.2). */
		.further = l->further_pte ? bit(raw, l->further_pte) : !bit(raw, l->leaf_pte),
		.log = bit(raw, l->log),
		.noalloc = bit(raw, l->noalloc),
		.dcc = bit(raw, l->dcc),
		.mtype = (uint8_t)bw_bits(raw, l->mtype_hi, l->mtype_lo),
		.bfs = (uint8_t)bw_bits(raw, l->bfs_hi, l->bfs_lo),
	};
}

const char *bw_gpuvm_mtype_name(enum bw_gpuvm_gen gen, unsigned mtype)
{
	/* vega10_enum.h, navi10_enum.h, soc21_enum.h, soc24_enum.h, soc_v1_0_enum.h */
	static const char *const names[][4] = {
		[BW_GPUVM_GFX9] = {"NC", "RW", "CC", "UC"},
		[BW_GPUVM_GFX10] = {"NC", "WC", "CC", "UC"},
		[BW_GPUVM_GFX11] = {"NC", "WC", "CC", "UC"},
		[BW_GPUVM_GFX12] = {"NC", "WC", "CC", "UC"},
		[BW_GPUVM_GFX12_1] = {"NC", NULL, "RW", "UC"},
	};
	const char *name = mtype < 4 ? names[gen][mtype] : NULL;
	return name ? name : "reserved";
}
