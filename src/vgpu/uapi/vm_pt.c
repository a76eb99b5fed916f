/* SPDX-License-Identifier: MIT */
/* Page tables in VRAM, as amdgpu writes them for gfx11 (reference page-tables 2 and 3): four
 * levels, a directory entry as leaf where a naturally aligned span of its size is contiguous. The
 * tables themselves are the only record of their shape. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <string.h>

#include "vgpu/uapi/uapi_priv.h"

#define PTE_V	     (1ull << 0)
#define PTE_S	     (1ull << 1)
#define PTE_C	     (1ull << 2)
#define PTE_X	     (1ull << 4)
#define PTE_R	     (1ull << 5)
#define PTE_W	     (1ull << 6)
#define PTE_FRAG(n)  ((uint64_t)(n) << 7)
#define PTE_MTYPE(n) ((uint64_t)(n) << 48)
#define PTE_PRT	     (1ull << 51)
#define PTE_P	     (1ull << 54)
#define PTE_LOG	     (1ull << 55)
#define PTE_NOALLOC  (1ull << 58)
#define PTE_ADDRESS  0x0000fffffffff000ull
#define PDE_ADDRESS  0x0000ffffffffffc0ull

enum { PTB, PDB0, PDB1, PDB2, ENTRIES = 512, TABLE_B = 4096, MAX_FRAG = 31 };

static unsigned level_shift(unsigned level)
{
	return 9 * level; /* in pages */
}

static _Atomic uint64_t *table_at(struct bw_drm_vm *vm, uint64_t offset)
{
	return bw_drm_vram_cpu(vm->u, offset);
}

/* What an entry holds that maps nothing (reference page-tables 2.2: never just 0). */
static uint64_t empty_entry(unsigned level)
{
	return level == PTB ? PTE_X : PTE_P;
}

static int table_new(struct bw_drm_vm *vm, unsigned level, uint64_t *out_offset)
{
	int r = bw_drm_vram_alloc(vm->u, TABLE_B, TABLE_B, out_offset);
	if (r)
		return r;
	_Atomic uint64_t *t = table_at(vm, *out_offset);
	for (unsigned i = 0; i < ENTRIES; i++)
		t[i] = empty_entry(level);
	return 0;
}

static bool is_table(uint64_t entry)
{
	return entry & PTE_V && !(entry & PTE_P);
}

static uint64_t table_of(struct bw_drm_vm *vm, uint64_t entry)
{
	return (entry & PDE_ADDRESS) - vm->u->fb_offset;
}

static void table_free(struct bw_drm_vm *vm, uint64_t offset, unsigned level)
{
	_Atomic uint64_t *t = table_at(vm, offset);
	for (unsigned i = 0; level > PTB && i < ENTRIES; i++)
		if (is_table(t[i]))
			table_free(vm, table_of(vm, t[i]), level - 1);
	bw_drm_vram_free(vm->u, offset, TABLE_B);
}

int bw_drm_pt_init(struct bw_drm_vm *vm)
{
	return table_new(vm, PDB2, &vm->root);
}

void bw_drm_pt_fini(struct bw_drm_vm *vm)
{
	table_free(vm, vm->root, PDB2);
}

uint64_t bw_drm_pt_root_entry(const struct bw_drm_vm *vm)
{
	return (vm->root + vm->u->fb_offset) | PTE_V;
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

static uint64_t leaf_entry(const struct span *s, uint64_t pfn, unsigned level)
{
	uint64_t p = level == PTB ? 0 : PTE_P;
	if (s->clear)
		return empty_entry(level);
	if (s->prt)
		return s->flags | p | PTE_FRAG(fragment(s, pfn));
	return s->flags | p | PTE_FRAG(fragment(s, pfn)) | (s->pa + ((pfn - s->start) << 12));
}

/* A table in place of a leaf (or of nothing), saying the same. */
static int split(struct bw_drm_vm *vm, _Atomic uint64_t *entry, unsigned level)
{
	uint64_t old = *entry, offset;
	int r = table_new(vm, level - 1, &offset);
	if (r)
		return r;
	bool mapped = old & (PTE_V | PTE_PRT);
	_Atomic uint64_t *t = table_at(vm, offset);
	for (unsigned i = 0; mapped && i < ENTRIES; i++) {
		uint64_t e = old & ~(PTE_P | PTE_FRAG(31));
		if (old & PTE_V)
			e += (uint64_t)i << (level_shift(level - 1) + 12);
		t[i] = e | PTE_FRAG(level_shift(level - 1)) | (level - 1 == PTB ? 0 : PTE_P);
	}
	*entry = (offset + vm->u->fb_offset) | PTE_V;
	return 0;
}

static int write_level(struct bw_drm_vm *vm, uint64_t table, unsigned level, const struct span *s,
		       uint64_t first, uint64_t end)
{
	_Atomic uint64_t *t = table_at(vm, table);
	uint64_t step = 1ull << level_shift(level);
	for (uint64_t pfn = first; pfn < end;) {
		_Atomic uint64_t *entry = &t[(pfn >> level_shift(level)) % ENTRIES];
		uint64_t next = BW_MIN((pfn & ~(step - 1)) + step, end);
		/* The root never holds a leaf. */
		if (level == PTB || (level < PDB2 && next - pfn == step)) {
			uint64_t old = *entry;
			*entry = leaf_entry(s, pfn, level);
			if (level > PTB && is_table(old))
				table_free(vm, table_of(vm, old), level - 1);
		} else if (!s->clear || *entry & (PTE_V | PTE_PRT)) {
			int r = is_table(*entry) ? 0 : split(vm, entry, level);
			if (!r)
				r = write_level(vm, table_of(vm, *entry), level - 1, s, pfn, next);
			if (r)
				return r;
		}
		pfn = next;
	}
	return 0;
}

/* AMDGPU_VM_MTYPE_* to the hardware's, gfx10 and later: RW, which only gfx9 has, is the default. */
static uint64_t mtype(uint32_t page_flags)
{
	switch (page_flags & AMDGPU_VM_MTYPE_MASK) {
	case AMDGPU_VM_MTYPE_WC:
		return 1;
	case AMDGPU_VM_MTYPE_CC:
		return 2;
	case AMDGPU_VM_MTYPE_UC:
		return 3;
	default:
		return 0;
	}
}

int bw_drm_pt_write(struct bw_drm_vm *vm, const struct bw_drm_mapping *m, bool clear)
{
	enum { PAGE_NOALLOC = 1 << 9 };
	struct span s = {.start = m->start, .end = m->last + 1, .clear = clear, .prt = !m->bo};
	if (!clear) {
		if (m->flags & AMDGPU_VM_PAGE_EXECUTABLE)
			s.flags |= PTE_X;
		s.flags |= PTE_MTYPE(mtype(m->flags));
		if (m->flags & PAGE_NOALLOC)
			s.flags |= PTE_NOALLOC;
	}
	if (!clear && s.prt) {
		s.flags |= PTE_PRT | PTE_C | PTE_LOG | PTE_S;
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
	return write_level(vm, vm->root, PDB2, &s, s.start, s.end);
}
