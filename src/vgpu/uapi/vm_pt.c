/* SPDX-License-Identifier: MIT */
/* Page tables in VRAM, as amdgpu writes them (doc/hardware/page-tables.md 2 and 3): an entry of a
 * directory is a leaf where a naturally aligned span of its size is contiguous. Four levels, or as
 * the profile says: with translate-further PDB0 is the hardware's level of pages, so that an entry
 * there is a leaf unless it has F, and entries above have a block fragment size. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <stdlib.h>

#include "base/newer_drm.h"
#include "gpuvm/bits.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/uapi_priv.h"

#define BIT(n) (1ull << (n))
#define PTE_V BIT(BW_PTE_V)
#define PTE_S BIT(BW_PTE_S)
#define PTE_C BIT(BW_PTE_C)
#define PTE_X BIT(BW_PTE_X)
#define PTE_R BIT(BW_PTE_R)
#define PTE_W BIT(BW_PTE_W)
#define PTE_FRAG(n) ((uint64_t)(n) << BW_PTE_FRAG_LO)
#define PTE_PRT BIT(BW_PTE_GFX11_PRT)
#define PTE_P BIT(BW_PTE_GFX11_P)
#define PTE_LOG BIT(BW_PTE_GFX11_LOG)
#define PTE_NOALLOC BIT(BW_PTE_GFX11_NOALLOC)
#define PTE_F BIT(BW_PTE_GFX9_F)
#define PDE_BFS(n) ((uint64_t)(n) << BW_PTE_GFX9_BFS_LO)

enum { PTB, PDB0, ENTRIES = 512, MAX_FRAG = 31 };

/* The driver's own record of a table. Debuggers and the GPU can write VRAM, so the tables there are
 * never read back. */
struct bw_drm_table {
	uint64_t offset; /* in VRAM */
	struct slot {
		uint64_t entry; /* as written; where there is a child, it leads there */
		struct bw_drm_table *child;
	} slot[]; /* the entries of a directory, none of a PTB */
};

static unsigned level_shift(unsigned level)
{
	return 9 * level; /* in pages */
}

static bool is_further(const struct bw_drm_vm *vm)
{
	return vm->u->profile->tables.bfs;
}

static unsigned root_level(const struct bw_drm_vm *vm)
{
	return vm->u->profile->tables.depth + is_further(vm);
}

/* The root has as many as the address space needs. */
static unsigned n_entries(const struct bw_drm_vm *vm, unsigned level)
{
	return level == root_level(vm) ? (unsigned)(BW_VM_MAX_PFN >> level_shift(level)) : ENTRIES;
}

static uint64_t table_b(const struct bw_drm_vm *vm, unsigned level)
{
	return n_entries(vm, level) * sizeof(uint64_t);
}

/* What marks an entry of a level as a page. */
static uint64_t leaf_bit(const struct bw_drm_vm *vm, unsigned level)
{
	return level == PTB || (level == PDB0 && is_further(vm)) ? 0 : PTE_P;
}

/* The entry that leads to a table of the level below. */
static uint64_t table_entry(const struct bw_drm_vm *vm, unsigned level,
			    const struct bw_drm_table *t)
{
	uint64_t e = (t->offset + vm->u->fb_offset) | PTE_V;
	if (is_further(vm))
		e |= level == PDB0 ? PTE_F : PDE_BFS(vm->u->profile->tables.bfs);
	return e;
}

static void write_vram(struct bw_drm_vm *vm, const struct bw_drm_table *t, unsigned i,
		       uint64_t entry)
{
	_Atomic uint64_t *entries = bw_drm_vram_cpu(vm->u, t->offset);
	entries[i] = entry;
}

/* The value of an entry that maps nothing (doc/hardware/page-tables.md 2.2: never just 0). */
static uint64_t empty_entry(const struct bw_drm_vm *vm, unsigned level)
{
	/* gmc_v9_0_get_vm_pde */
	const uint64_t not_0 = BIT(BW_PTE_ADDRESS_LO);
	return level == PTB ? PTE_X : leaf_bit(vm, level) ? PTE_P : not_0;
}

static struct bw_drm_table *table_new(struct bw_drm_vm *vm, unsigned level)
{
	const uint64_t size_b = table_b(vm, level), empty = empty_entry(vm, level);
	size_t n_slots = level == PTB ? 0 : n_entries(vm, level);
	struct bw_drm_table *t = calloc(1, sizeof(*t) + n_slots * sizeof(t->slot[0]));
	if (!t || !bw_drm_may_place(vm->u, vm->account, true, size_b) ||
	    bw_drm_vram_alloc(vm->u, size_b, BW_DRM_PAGE_B, &t->offset)) {
		free(t);
		return NULL;
	}
	vm->account->vram_b += size_b;
	for (unsigned i = 0; i < n_slots; i++)
		t->slot[i].entry = empty;
	for (unsigned i = 0; i < n_entries(vm, level); i++)
		write_vram(vm, t, i, empty);
	return t;
}

static void table_free(struct bw_drm_vm *vm, struct bw_drm_table *t, unsigned level)
{
	for (unsigned i = 0; level > PTB && i < n_entries(vm, level); i++)
		if (t->slot[i].child)
			table_free(vm, t->slot[i].child, level - 1);
	bw_drm_vram_free(vm->u, t->offset, table_b(vm, level));
	vm->account->vram_b -= table_b(vm, level);
	free(t);
}

int bw_drm_pt_init(struct bw_drm_vm *vm)
{
	vm->root = table_new(vm, root_level(vm));
	return vm->root ? 0 : -ENOMEM;
}

void bw_drm_pt_fini(struct bw_drm_vm *vm)
{
	table_free(vm, vm->root, root_level(vm));
}

uint64_t bw_drm_pt_root_entry(const struct bw_drm_vm *vm)
{
	return (vm->root->offset + vm->u->fb_offset) | PTE_V;
}

/* A range that is being written: everything about it but the place. */
struct span {
	uint64_t pa;	     /* of page `start`; 0 where nothing is mapped */
	uint64_t start, end; /* pages, end not included */
	uint64_t flags;
	bool clear, prt;
};

/* Largest n for which 2^n pages from here are inside the span and aligned in the address space
 * (amdgpu_vm_pte_fragment). */
static unsigned fragment(const struct span *s, uint64_t pfn)
{
	unsigned align = pfn ? (unsigned)__builtin_ctzll(pfn) : MAX_FRAG;
	unsigned size = 63 - (unsigned)__builtin_clzll(s->end - pfn);
	unsigned n = BW_MIN(align, size);
	return BW_MIN(n, (unsigned)MAX_FRAG);
}

static uint64_t leaf_entry(const struct bw_drm_vm *vm, const struct span *s, uint64_t pfn,
			   unsigned level)
{
	uint64_t p = leaf_bit(vm, level);
	if (s->clear)
		return empty_entry(vm, level);
	if (s->prt)
		return s->flags | p | PTE_FRAG(fragment(s, pfn));
	return s->flags | p | PTE_FRAG(fragment(s, pfn)) |
	       (s->pa + ((pfn - s->start) * BW_DRM_PAGE_B));
}

/* Slot i of a directory, which has no child afterwards. */
static void write_leaf(struct bw_drm_vm *vm, struct bw_drm_table *t, unsigned level, unsigned i,
		       uint64_t entry)
{
	struct bw_drm_table *old = t->slot[i].child;
	t->slot[i] = (struct slot){.entry = entry};
	write_vram(vm, t, i, entry);
	if (old)
		table_free(vm, old, level - 1);
}

/* Replaces a leaf (or an empty entry) by a table with the same meaning. */
static int split(struct bw_drm_vm *vm, struct bw_drm_table *parent, unsigned level, unsigned at)
{
	uint64_t old = parent->slot[at].entry;
	struct bw_drm_table *t = table_new(vm, level - 1);
	if (!t)
		return -ENOMEM;
	bool mapped = old & (PTE_V | PTE_PRT);
	for (unsigned i = 0; mapped && i < ENTRIES; i++) {
		uint64_t e = old & ~(PTE_P | PTE_FRAG(31));
		if (old & PTE_V)
			e += (uint64_t)i << (level_shift(level - 1) + 12);
		e |= PTE_FRAG(level_shift(level - 1)) | leaf_bit(vm, level - 1);
		if (level - 1 > PTB)
			t->slot[i].entry = e;
		write_vram(vm, t, i, e);
	}
	parent->slot[at] = (struct slot){table_entry(vm, level, t), t};
	write_vram(vm, parent, at, parent->slot[at].entry);
	return 0;
}

static int write_level(struct bw_drm_vm *vm, struct bw_drm_table *t, unsigned level,
		       const struct span *s, uint64_t first, uint64_t end)
{
	uint64_t step = 1ull << level_shift(level);
	for (uint64_t pfn = first; pfn < end;) {
		unsigned i = (pfn >> level_shift(level)) % n_entries(vm, level);
		uint64_t next = BW_MIN((pfn & ~(step - 1)) + step, end);
		/* The root never holds a leaf. */
		if (level == PTB) {
			write_vram(vm, t, i, leaf_entry(vm, s, pfn, level));
		} else if (level < root_level(vm) && next - pfn == step) {
			write_leaf(vm, t, level, i, leaf_entry(vm, s, pfn, level));
		} else if (!s->clear || t->slot[i].entry & (PTE_V | PTE_PRT)) {
			int r = t->slot[i].child ? 0 : split(vm, t, level, i);
			if (!r)
				r = write_level(vm, t->slot[i].child, level - 1, s, pfn, next);
			if (r)
				return r;
		}
		pfn = next;
	}
	return 0;
}

/* The bits of an MI300X's entries that the device does not look at are those of gfx9; all others
 * are in the same place. */
static bool is_gfx9(const struct bw_profile *p)
{
	return bw_ip_major(p->gc.version) == 9;
}

/* AMDGPU_VM_MTYPE_* to the hardware's, in the PTE; RW, which only gfx9 has, is the default. */
static uint64_t mtype(const struct bw_profile *p, uint32_t page_flags)
{
	const unsigned lo = is_gfx9(p) ? BW_PTE_GFX9_MTYPE_LO : BW_PTE_GFX11_MTYPE_LO;
	switch (page_flags & AMDGPU_VM_MTYPE_MASK) {
	case AMDGPU_VM_MTYPE_WC:
		return 1ull << lo;
	case AMDGPU_VM_MTYPE_CC:
		return 2ull << lo;
	case AMDGPU_VM_MTYPE_UC:
		return 3ull << lo;
	default:
		return 0;
	}
}

int bw_drm_pt_write(struct bw_drm_vm *vm, const struct bw_drm_mapping *m, bool clear)
{
	/* GDS and the like have no memory. */
	clear |= m->bo && m->bo->asked_domains & BW_DRM_DOMAINS_ON_CHIP;
	struct span s = {.start = m->start, .end = m->last + 1, .clear = clear, .prt = !m->bo};
	if (!clear) {
		if (m->flags & AMDGPU_VM_PAGE_EXECUTABLE)
			s.flags |= PTE_X;
		s.flags |= mtype(vm->u->profile, m->flags);
		if (m->flags & BW_VM_PAGE_NOALLOC && !is_gfx9(vm->u->profile))
			s.flags |= PTE_NOALLOC;
	}
	if (!clear && s.prt) {
		s.flags |= PTE_PRT;
		if (!is_gfx9(vm->u->profile))
			s.flags |= PTE_C | PTE_LOG | PTE_S;
	} else if (!clear) {
		s.flags |= PTE_V;
		if (m->flags & AMDGPU_VM_PAGE_READABLE)
			s.flags |= PTE_R;
		if (m->flags & AMDGPU_VM_PAGE_WRITEABLE && !m->bo->user_read_only)
			s.flags |= PTE_W;
		s.pa = m->bo->address + m->offset_b;
		if (m->bo->in_vram)
			s.pa += vm->u->fb_offset;
		else
			s.flags |=
				PTE_S | (m->bo->flags & AMDGPU_GEM_CREATE_CPU_GTT_USWC ? 0 : PTE_C);
	}
	return write_level(vm, vm->root, root_level(vm), &s, s.start, s.end);
}
