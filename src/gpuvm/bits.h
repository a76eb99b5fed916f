/* SPDX-License-Identifier: MIT */
#ifndef BW_GPUVM_BITS_H
#define BW_GPUVM_BITS_H

/* Bit numbers of page-table entries (doc/hardware/page-tables.md 2.1 and 2.2, from amdgpu_vm.h,
 * gmc_v9_0.c and gmc_v11_0.c): those that all generations share, and others of gfx9 and gfx11.
 * entry.c reads entries by them, the virtual GPU's driver writes entries by them. */

enum {
	BW_PTE_V = 0,
	BW_PTE_S = 1,
	BW_PTE_C = 2,
	BW_PTE_X = 4,
	BW_PTE_R = 5,
	BW_PTE_W = 6,
	BW_PTE_FRAG_LO = 7,
	BW_PTE_FRAG_HI = 11,
	BW_PTE_ADDRESS_LO = 12,

	BW_PTE_GFX11_ADDRESS_HI = 47,
	BW_PTE_GFX9_F = 56, /* of gfx10 and gfx11, too */
	BW_PTE_GFX9_MTYPE_LO = 57,
	BW_PTE_GFX9_BFS_LO = 59, /* the same */
	BW_PTE_GFX11_MTYPE_LO = 48,
	BW_PTE_GFX11_MTYPE_HI = 50,
	BW_PTE_GFX11_PRT = 51,
	BW_PTE_GFX11_P = 54, /* a directory entry that is a leaf */
	BW_PTE_GFX11_LOG = 55,
	BW_PTE_GFX11_NOALLOC = 58,
};

#endif
