/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_VM_VM_H
#define BW_VGPU_DEVICE_VM_VM_H

/* Address translation for everything in the device that makes an access: waves, the command
 * processor, SDMA. Each thread has a TLB for each VMID; a miss walks the page tables in VRAM by way
 * of the VM_CONTEXTn registers (src/gpuvm). Entries go stale until the VM_INVALIDATE registers are
 * written, as on hardware. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bw_device;

enum bw_access {
	BW_ACCESS_READ = 1,
	BW_ACCESS_WRITE = 2,
	BW_ACCESS_EXECUTE = 4,
	BW_ACCESS_ATOMIC = 8,
	/* Combined with another: only asks whether it would be permitted. No fault is reported,
	 * nothing is cached. */
	BW_ACCESS_PROBE = 16,
};

/* Why an access failed; small and by value because the memory path returns it. */
struct bw_vm_fault {
	uint64_t va;	      /* canonical address of the first failing byte */
	uint8_t access;	      /* enum bw_access */
	uint8_t walker_error; /* VM_L2_PROTECTION_FAULT_STATUS fields: page-tables.md 6 */
	uint8_t permission;
	bool mapping_error;
	bool prt; /* not a fault: reads give 0, writes are dropped */
	/* Not a fault either: the page has an address watch, and code whose accesses are watched
	 * calls bw_tlb_watched for each of them. host is where va is. */
	bool watched;
	uint8_t *host;
};

/* One of TCP_WATCH0 to 3, where it is valid for the VMID. */
struct bw_watch {
	uint64_t va, compared; /* the address bits that count; 0: none, the watch is off */
	uint8_t mode;	       /* enum bw_watch_mode */
};
enum bw_watch_mode { BW_WATCH_READ, BW_WATCH_NONREAD, BW_WATCH_ATOMIC, BW_WATCH_ALL };

enum { BW_TLB_ENTRIES = 256, BW_TLB_RANGES = 32, BW_PAGE_B = 4096, BW_N_WATCHES = 4 };

struct bw_tlb_entry {
	uint64_t tag;	 /* bw_tlb_tag, or ~0 */
	uint8_t *host;	 /* of the page's first byte */
	uint8_t access;	 /* permitted, enum bw_access */
	uint8_t watched; /* permitted as well, but only bw_tlb_miss knows: the page has a watch */
};

/* Pages that follow each other on the host as they do in the address space, with the same rights,
 * and no watch anywhere: where the addresses of many lanes are looked up at once. */
struct bw_tlb_range {
	uint64_t va, size_b; /* 0: none */
	uint8_t *host;
	uint8_t access;
};

struct bw_tlb {
	struct bw_tlb_entry entry[BW_TLB_ENTRIES]; /* bw_tlb_slot */
	/* quickly found at bw_tlb_range_slot, slowly anywhere */
	struct bw_tlb_range range[BW_TLB_RANGES];
	unsigned next_range; /* to be replaced next */
	struct bw_device *dev;
	unsigned vmid;
	uint8_t client; /* who makes the accesses, for the fault status; fetches of a TCP client
			   count as SQC (inst) */
	uint64_t generation; /* of the VMID's translations when the entries were made */
	struct bw_watch watch[BW_N_WATCHES]; /* as of the same moment; of a TCP client only */
};

/* The page of an address: all of its bits, since an address that is not canonical has no page. */
static inline uint64_t bw_tlb_tag(uint64_t va)
{
	return va / BW_PAGE_B;
}

static inline unsigned bw_tlb_slot(uint64_t va)
{
	return bw_tlb_tag(va) % BW_TLB_ENTRIES;
}

/* The watches (a bit each) that this access of at most 16 bytes hits. */
static inline unsigned bw_tlb_watched(const struct bw_tlb *tlb, uint64_t va, unsigned size_b,
				      enum bw_access access)
{
	bool read = access == BW_ACCESS_READ, atomic = access & BW_ACCESS_ATOMIC;
	unsigned hits = 0;
	for (unsigned i = 0; i < BW_N_WATCHES; i++) {
		const struct bw_watch *w = &tlb->watch[i];
		bool mode = w->mode == BW_WATCH_ALL || (w->mode == BW_WATCH_READ && read) ||
			    (w->mode == BW_WATCH_NONREAD && !read) ||
			    (w->mode == BW_WATCH_ATOMIC && atomic);
		/* the granule is 128 bytes: both ends are enough */
		bool there = !((va ^ w->va) & w->compared) ||
			     !(((va + size_b - 1) ^ w->va) & w->compared);
		hits |= (unsigned)(w->compared && mode && there) << i;
	}
	return hits;
}

/* The slow path: walks, fills the entry, reports the fault into the device's fault registers when
 * there is one. Returns the host address of va, valid to the end of its 4 KiB page, or NULL. */
uint8_t *bw_tlb_miss(struct bw_tlb *tlb, uint64_t va, enum bw_access access,
		     struct bw_vm_fault *out_fault);

/* Host address of va for this access, valid to the end of its 4 KiB page; NULL and out_fault filled
 * when the access is not permitted, or (out_fault->watched) when the page has an address watch. */
static inline uint8_t *bw_tlb_lookup(struct bw_tlb *tlb, uint64_t va, enum bw_access access,
				     struct bw_vm_fault *out_fault)
{
	const struct bw_tlb_entry *e = &tlb->entry[bw_tlb_slot(va)];
	if (__builtin_expect(e->tag == bw_tlb_tag(va) && (e->access & access) == access, 1))
		return e->host + (va & (BW_PAGE_B - 1));
	return bw_tlb_miss(tlb, va, access, out_fault);
}

/* The same if it is in the cache, for all of several kinds of access; NULL: look it up. */
static inline uint8_t *bw_tlb_hit(const struct bw_tlb *tlb, uint64_t va, unsigned access)
{
	const struct bw_tlb_entry *e = &tlb->entry[bw_tlb_slot(va)];
	return e->tag == bw_tlb_tag(va) && (e->access & access) == access
		       ? e->host + (va & (BW_PAGE_B - 1))
		       : NULL;
}

enum { BW_TLB_LEAF_B = 2 << 20 }; /* the size that a directory entry maps */

static inline unsigned bw_tlb_range_slot(uint64_t va)
{
	return va / BW_TLB_LEAF_B % BW_TLB_RANGES;
}

/* Host address of size_b bytes at va when they lie in one piece according to the cache; NULL: look
 * up the pages one by one, which fills the cache. */
static inline uint8_t *bw_tlb_lookup_range(const struct bw_tlb *tlb, uint64_t va, uint64_t size_b,
					   enum bw_access access)
{
	const struct bw_tlb_range *r = &tlb->range[bw_tlb_range_slot(va)];
	uint64_t at = va - r->va;
	if (at < r->size_b && size_b <= r->size_b - at && (r->access & access) == access)
		return r->host + at;
	return NULL;
}

/* Any range that has va, put where bw_tlb_lookup_range looks for it. One of several directory
 * entries stays in the places of the others, which lanes far apart use in turn; what it displaces
 * goes elsewhere, once. */
static inline const struct bw_tlb_range *bw_tlb_find_range(struct bw_tlb *tlb, uint64_t va)
{
	struct bw_tlb_range *slot = &tlb->range[bw_tlb_range_slot(va)], displaced = *slot;
	unsigned at = 0;
	if (va - slot->va < slot->size_b)
		return slot;
	while (at < BW_TLB_RANGES && va - tlb->range[at].va >= tlb->range[at].size_b)
		at++;
	if (at == BW_TLB_RANGES)
		return NULL;
	struct bw_tlb_range *found = &tlb->range[at];
	uint64_t n_leafs = (found->va % BW_TLB_LEAF_B + found->size_b - 1) / BW_TLB_LEAF_B + 1;
	bool is_in_place = (at - bw_tlb_range_slot(found->va)) % BW_TLB_RANGES < n_leafs;
	*slot = *found;
	if (!is_in_place) {
		*found = displaced;
		return slot;
	}
	for (unsigned i = 0; i < BW_TLB_RANGES; i++)
		if (tlb->range[i].size_b && tlb->range[i].va == displaced.va)
			return slot;
	struct bw_tlb_range *last = &tlb->range[tlb->next_range++ % BW_TLB_RANGES];
	if (displaced.size_b && last != slot)
		*last = displaced;
	return slot;
}

/* The same as bw_tlb_lookup_range, of a range in any place. */
static inline uint8_t *bw_tlb_search_range(struct bw_tlb *tlb, uint64_t va, uint64_t size_b,
					   enum bw_access access)
{
	uint8_t *host = bw_tlb_lookup_range(tlb, va, size_b, access);
	return host || !bw_tlb_find_range(tlb, va) ? host
						   : bw_tlb_lookup_range(tlb, va, size_b, access);
}

/* Like bw_tlb_lookup, for accesses that no watch sees: scalar loads, instruction fetch
 * (doc/hardware/traps.md 8). */
static inline uint8_t *bw_tlb_lookup_unwatched(struct bw_tlb *tlb, uint64_t va,
					       enum bw_access access, struct bw_vm_fault *out_fault)
{
	uint8_t *host = bw_tlb_lookup(tlb, va, access, out_fault);
	if (__builtin_expect(!host, 0) && out_fault->watched)
		return out_fault->host;
	return host;
}

/* Copies that may cross pages. False: out_fault says where; the bytes before it are done. */
bool bw_vm_read(struct bw_tlb *tlb, uint64_t va, void *out, size_t size_b,
		struct bw_vm_fault *out_fault);
bool bw_vm_write(struct bw_tlb *tlb, uint64_t va, const void *data, size_t size_b,
		 struct bw_vm_fault *out_fault);

/* Fills memory with a word (va and size_b: multiples of 4) as if it had always been there: no
 * fault, no watch. Ends at the first page that may not be written. */
static inline void bw_vm_fill(struct bw_tlb *tlb, uint64_t va, uint64_t size_b, uint32_t word)
{
	uint8_t *host = NULL;
	for (uint64_t end = va + size_b; va != end; va += 4, host += 4) {
		struct bw_vm_fault no_matter = {0};
		if (!host || va % BW_PAGE_B == 0)
			host = bw_tlb_lookup_unwatched(
				tlb, va, (enum bw_access)(BW_ACCESS_WRITE | BW_ACCESS_PROBE),
				&no_matter);
		if (!host)
			return;
		__builtin_memcpy(host, &word, sizeof(word));
	}
}

#endif
