/* SPDX-License-Identifier: MIT */
#include "gpuvm/gpuvm.h"

#include <string.h>

#include "base/ip_version.h"
#include "base/util.h"
#include "gpuvm/bits.h"

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
	[BW_GPUVM_GFX9]    = {47, 54, 54, 51, 3, 55,   56,   56,   NONE, NONE, NONE, 58, BW_PTE_GFX9_MTYPE_LO, 63, 59},
	[BW_GPUVM_GFX10]   = {47, 54, 54, 51, 3, 55,   56,   56,   NONE, 58,   NONE, 50, 48, 63, 59},
	[BW_GPUVM_GFX11]   = {BW_PTE_GFX11_ADDRESS_HI, BW_PTE_GFX11_P, BW_PTE_GFX11_P, BW_PTE_GFX11_PRT, 3,
			      BW_PTE_GFX11_LOG, 56, 56, 57, BW_PTE_GFX11_NOALLOC, NONE, BW_PTE_GFX11_MTYPE_HI,
			      BW_PTE_GFX11_MTYPE_LO, 63, 59},
	[BW_GPUVM_GFX12]   = {47, 63, 63, 56, 3, NONE, NONE, NONE, 56,   NONE, 58,   55, 54, 62, 58},
	[BW_GPUVM_GFX12_1] = {51, 63, 63, 56, 3, NONE, NONE, NONE, 56,   NONE, 58,   55, 54, 62, 58},
};
/* clang-format on */

static bool bit(uint64_t raw, unsigned n)
{
	return n != NONE && (raw >> n & 1);
}

/* The layout of each version; the first row of a layout stands for it. */
static const struct {
	uint32_t first_gc, last_gc;
	enum bw_gpuvm_gen gen;
} versions[] = {
	{BW_IP_VERSION(9, 0, 0), BW_IP_VERSION(9, 255, 255), BW_GPUVM_GFX9},
	{BW_IP_VERSION(10, 0, 0), BW_IP_VERSION(10, 255, 255), BW_GPUVM_GFX10},
	{BW_IP_VERSION(11, 0, 0), BW_IP_VERSION(11, 255, 255), BW_GPUVM_GFX11},
	{BW_IP_VERSION(12, 0, 0), BW_IP_VERSION(12, 0, 255), BW_GPUVM_GFX12},
	{BW_IP_VERSION(12, 1, 0), BW_IP_VERSION(12, 1, 255), BW_GPUVM_GFX12_1},
};

static const struct {
	const char *name;
	uint8_t va_bits;
} gens[] = {
	[BW_GPUVM_GFX9] = {"gfx9", 48},	      [BW_GPUVM_GFX10] = {"gfx10", 48},
	[BW_GPUVM_GFX11] = {"gfx11", 48},     [BW_GPUVM_GFX12] = {"gfx12", 48},
	[BW_GPUVM_GFX12_1] = {"gfx12.1", 57},
};

bool bw_gpuvm_gen_of(uint32_t gc_version, enum bw_gpuvm_gen *out_gen)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(versions); i++) {
		if (gc_version < versions[i].first_gc || gc_version > versions[i].last_gc)
			continue;
		*out_gen = versions[i].gen;
		return true;
	}
	return false;
}

uint32_t bw_gpuvm_gen_first_gc(enum bw_gpuvm_gen gen)
{
	size_t i = 0;
	while (versions[i].gen != gen)
		i++;
	return versions[i].first_gc;
}

const char *bw_gpuvm_gen_name(enum bw_gpuvm_gen gen)
{
	return gens[gen].name;
}

unsigned bw_gpuvm_va_bits(enum bw_gpuvm_gen gen)
{
	return gens[gen].va_bits;
}

struct bw_gpuvm_entry bw_gpuvm_pde(enum bw_gpuvm_gen gen, uint64_t raw)
{
	const struct layout *l = &layouts[gen];
	return (struct bw_gpuvm_entry){
		.raw = raw,
		.base = raw & bw_bits(~0ull, l->page_hi, 0) & ~0x3full,
		.valid = bw_bits(raw, BW_PTE_V, BW_PTE_V),
		.system = bit(raw, BW_PTE_S),
		.coherent = bit(raw, BW_PTE_C),
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
		.valid = bw_bits(raw, BW_PTE_V, BW_PTE_V),
		.system = bit(raw, BW_PTE_S),
		.coherent = bit(raw, BW_PTE_C),
		.tmz = bit(raw, l->tmz),
		.execute = bit(raw, BW_PTE_X),
		.read = bit(raw, BW_PTE_R),
		.write = bit(raw, BW_PTE_W),
		.frag = (uint8_t)bw_bits(raw, BW_PTE_FRAG_HI, BW_PTE_FRAG_LO),
		.leaf = bit(raw, l->leaf_pte),
		.prt = bit(raw, l->prt),
		/* On gfx12 a valid entry of the PTB level that is not a leaf is a directory
		 * (doc/hardware/page-tables.md 2.2). */
		.further = l->further_pte ? bit(raw, l->further_pte) : !bit(raw, l->leaf_pte),
		.log = bit(raw, l->log),
		.noalloc = bit(raw, l->noalloc),
		.dcc = bit(raw, l->dcc),
		.mtype = (uint8_t)bw_bits(raw, l->mtype_hi, l->mtype_lo),
		.bfs = (uint8_t)bw_bits(raw, l->bfs_hi, l->bfs_lo),
	};
}

static void add_field(struct bw_gpuvm_entry_field *out, size_t *n, const char *name, unsigned hi,
		      unsigned lo, uint64_t raw)
{
	if (hi == NONE && lo == NONE && *n)
		return; /* the generation has no such field */
	size_t at = (*n)++;
	while (at && out[at - 1].lo > lo) {
		out[at] = out[at - 1];
		at--;
	}
	out[at] =
		(struct bw_gpuvm_entry_field){name, (uint8_t)hi, (uint8_t)lo, bw_bits(raw, hi, lo)};
}

size_t bw_gpuvm_entry_fields(enum bw_gpuvm_gen gen, bool is_directory, uint64_t raw,
			     struct bw_gpuvm_entry_field out[BW_GPUVM_MAX_ENTRY_FIELDS])
{
	const struct layout *l = &layouts[gen];
	size_t n = 0;
#define FIELD(name, hi, lo) add_field(out, &n, name, hi, lo, raw)
	FIELD("V", BW_PTE_V, BW_PTE_V);
	FIELD("S", BW_PTE_S, BW_PTE_S);
	FIELD("C", BW_PTE_C, BW_PTE_C);
	if (is_directory) {
		FIELD("ADDRESS", l->page_hi, 6);
		FIELD("BFS", l->bfs_hi, l->bfs_lo);
		FIELD("TFS", l->tfs, l->tfs);
		FIELD("F", l->further_pde, l->further_pde);
		FIELD("P", l->leaf_pde, l->leaf_pde);
		FIELD("NOALLOC", l->noalloc, l->noalloc);
		return n;
	}
	FIELD("TMZ", l->tmz, l->tmz);
	FIELD("X", BW_PTE_X, BW_PTE_X);
	FIELD("R", BW_PTE_R, BW_PTE_R);
	FIELD("W", BW_PTE_W, BW_PTE_W);
	FIELD("FRAG", BW_PTE_FRAG_HI, BW_PTE_FRAG_LO);
	FIELD("ADDRESS", l->page_hi, BW_PTE_ADDRESS_LO);
	FIELD("MTYPE", l->mtype_hi, l->mtype_lo);
	FIELD("PRT", l->prt, l->prt);
	FIELD("LOG", l->log, l->log);
	FIELD("F", l->further_pte, l->further_pte);
	FIELD(gen >= BW_GPUVM_GFX12 ? "IS_PTE" : "P", l->leaf_pte, l->leaf_pte);
	FIELD("NOALLOC", l->noalloc, l->noalloc);
	FIELD("DCC", l->dcc, l->dcc);
#undef FIELD
	return n;
}

void bw_gpuvm_entry_flags(enum bw_gpuvm_gen gen, bool is_directory, uint64_t raw,
			  struct bw_str *out)
{
	struct bw_gpuvm_entry_field f[BW_GPUVM_MAX_ENTRY_FIELDS];
	size_t n = bw_gpuvm_entry_fields(gen, is_directory, raw, f);
	const char *space = "";
	for (size_t i = 0; i < n; i++) {
		bool is_mtype = !strcmp(f[i].name, "MTYPE");
		if (!strcmp(f[i].name, "ADDRESS") || (!f[i].value && !is_mtype))
			continue;
		bw_str_addf(out, "%s%s", space, f[i].name);
		space = " ";
		if (is_mtype)
			bw_str_addf(out, " %s", bw_gpuvm_mtype_name(gen, (unsigned)f[i].value));
		else if (f[i].hi != f[i].lo)
			bw_str_addf(out, " %llu", (unsigned long long)f[i].value);
	}
	if (!*space)
		bw_str_add(out, "nothing set");
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
