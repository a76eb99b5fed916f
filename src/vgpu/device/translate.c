/* SPDX-License-Identifier: MIT */
/* Translation when the TLBs (vm/vm.h) miss: the page-table walk, invalidations, faults. */
#include "vgpu/device/device_priv.h"

#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "gpuvm/gpuvm.h"
#include "vgpu/device/scheduler.h"
#include "vgpu/device/sdma_engine.h"

void bw_vm_init(struct bw_device *dev)
{
	pthread_mutex_init(&dev->vm.lock, NULL);
	if (!bw_gpuvm_gen_of(dev->profile->gc.version, &dev->vm.gen))
		dev->vm.gen = BW_GPUVM_GFX11;
}

void bw_vm_fini(struct bw_device *dev)
{
	pthread_mutex_destroy(&dev->vm.lock);
}

static void flush(struct bw_tlb *tlb, uint64_t generation)
{
	memset(tlb->watch, 0, sizeof(tlb->watch));
	if (tlb->client == BW_CLIENT_TCP)
		bw_watches_of(tlb->dev, tlb->vmid, tlb->watch);
	for (unsigned i = 0; i < BW_TLB_ENTRIES; i++)
		tlb->entry[i] = (struct bw_tlb_entry){.tag = ~0ull};
	memset(tlb->range, 0, sizeof(tlb->range));
	tlb->generation = generation;
}

void bw_tlb_init(struct bw_tlb *tlb, struct bw_device *dev, unsigned vmid, unsigned client)
{
	tlb->dev = dev;
	tlb->vmid = vmid;
	tlb->client = (uint8_t)client;
	tlb->generation = atomic_load(&dev->vm.generation[vmid]) - 1;
}

void bw_tlb_sync(struct bw_tlb *tlb)
{
	uint64_t now = atomic_load(&tlb->dev->vm.generation[tlb->vmid]);
	if (tlb->generation != now)
		flush(tlb, now);
}

void bw_vm_invalidate(struct bw_device *dev, uint32_t vmid_mask)
{
	for (unsigned v = 0; v < BW_N_VMIDS; v++)
		if (vmid_mask >> v & 1)
			atomic_fetch_add(&dev->vm.generation[v], 1);
	if (dev->sched)
		bw_sched_vm_invalidated(dev, vmid_mask);
}

uint32_t bw_vm_invalidate_done(struct bw_device *dev)
{
	return dev->sched ? bw_sched_vm_settled(dev) : 0xffff;
}

/* SDMA belongs to the memory hub below gfx10, whose registers a driver of its own programs for each
 * VMID by itself. One with XCCs gets here by the graphics hub's, which are the same. */
static bool is_of_memory_hub(const struct bw_tlb *tlb)
{
	const struct bw_device *dev = tlb->dev;
	return dev->own && dev->profile->gc.version < BW_IP_VERSION(9, 4, 1) &&
	       tlb->client >= BW_CLIENT_SDMA0;
}

#define CONTEXT_PAIR(dev, hub, name, vmid)                                                         \
	bw_join32(bw_reg_get(dev, BW_REG_##hub##VM_CONTEXT0_##name##_HI32 + (vmid)),               \
		  bw_reg_get(dev, BW_REG_##hub##VM_CONTEXT0_##name##_LO32 + (vmid)))
#define CONTEXT(dev, hub, vmid)                                                                    \
	(struct bw_gpuvm_regs)                                                                     \
	{                                                                                          \
		.cntl = bw_reg_get(dev, BW_REG_##hub##VM_CONTEXT0_CNTL + (vmid)),                  \
		.base = CONTEXT_PAIR(dev, hub, PAGE_TABLE_BASE_ADDR, vmid),                        \
		.start = CONTEXT_PAIR(dev, hub, PAGE_TABLE_START_ADDR, vmid),                      \
		.end = CONTEXT_PAIR(dev, hub, PAGE_TABLE_END_ADDR, vmid),                          \
		.fb_offset = bw_reg_get(dev, BW_REG_##hub##MC_VM_FB_OFFSET),                       \
		.fb_base = bw_reg_get(dev, BW_REG_##hub##MC_VM_FB_LOCATION_BASE),                  \
		.fb_top = bw_reg_get(dev, BW_REG_##hub##MC_VM_FB_LOCATION_TOP),                    \
		.agp_base = bw_reg_get(dev, BW_REG_##hub##MC_VM_AGP_BASE),                         \
		.agp_bot = bw_reg_get(dev, BW_REG_##hub##MC_VM_AGP_BOT),                           \
		.agp_top = bw_reg_get(dev, BW_REG_##hub##MC_VM_AGP_TOP),                           \
		.sys_low = bw_reg_get(dev, BW_REG_##hub##MC_VM_SYSTEM_APERTURE_LOW_ADDR),          \
		.sys_high = bw_reg_get(dev, BW_REG_##hub##MC_VM_SYSTEM_APERTURE_HIGH_ADDR),        \
		.mx_l1_tlb_cntl = bw_reg_get(dev, BW_REG_##hub##MC_VM_MX_L1_TLB_CNTL),             \
	}

static void context_of(const struct bw_tlb *tlb, struct bw_gpuvm_context *out)
{
	struct bw_device *dev = tlb->dev;
	struct bw_gpuvm_regs r =
		is_of_memory_hub(tlb) ? CONTEXT(dev, MM, tlb->vmid) : CONTEXT(dev, GC, tlb->vmid);
	bw_gpuvm_context_init(out, dev->vm.gen, tlb->vmid, &r);
}

static bool read_entry(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	const uint8_t *p = bw_memory_host(cookie, system, address, 8);
	if (!p)
		return false;
	/* The driver may be writing it at this moment: one access. */
	if ((uintptr_t)p % 8 == 0)
		*out_entry = __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);
	else
		memcpy(out_entry, p, 8);
	return true;
}

/* Latches the fault, unless one is latched already, and raises the vector
 * (doc/hardware/page-tables.md 6). */
static void report(struct bw_tlb *tlb, const struct bw_vm_fault *f)
{
	struct bw_device *dev = tlb->dev;
	unsigned client = f->access & BW_ACCESS_EXECUTE && tlb->client == BW_CLIENT_TCP
				  ? BW_CLIENT_SQC_INST
				  : tlb->client;
	bool write = f->access & BW_ACCESS_WRITE;
	bool atomic = f->access & BW_ACCESS_ATOMIC;
	uint32_t status =
		BW_FIELD(GCVM_L2_PROTECTION_FAULT_STATUS, WALKER_ERROR, f->walker_error) |
		BW_FIELD(GCVM_L2_PROTECTION_FAULT_STATUS, PERMISSION_FAULTS, f->permission) |
		BW_FIELD(GCVM_L2_PROTECTION_FAULT_STATUS, MAPPING_ERROR, f->mapping_error) |
		BW_FIELD(GCVM_L2_PROTECTION_FAULT_STATUS, CID, client) |
		BW_FIELD(GCVM_L2_PROTECTION_FAULT_STATUS, RW, write) |
		BW_FIELD(GCVM_L2_PROTECTION_FAULT_STATUS, ATOMIC, atomic) |
		BW_FIELD(GCVM_L2_PROTECTION_FAULT_STATUS, VMID, tlb->vmid);
	uint64_t page = (f->va & BW_VA_MASK) / BW_PAGE_B;

	pthread_mutex_lock(&dev->vm.lock);
	uint32_t cntl = bw_reg_get(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_CNTL);
	uint32_t latched = bw_reg_get(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_STATUS);
	bool follow = BW_FIELD_GET(GCVM_L2_PROTECTION_FAULT_CNTL,
				   ALLOW_SUBSEQUENT_PROTECTION_FAULT_STATUS_ADDR_UPDATES, cntl);
	if (!latched || follow) {
		bw_reg_set(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_STATUS, status);
		bw_reg_set(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_ADDR_LO32, (uint32_t)page);
		bw_reg_set(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_ADDR_HI32, bw_hi32(page));
	} else if (!dev->options.deterministic) {
		/* If it is: whether there were more before the driver looked depends on the host's
		 * speed. */
		bw_reg_set(dev, BW_REG_GCVM_L2_PROTECTION_FAULT_STATUS,
			   latched | BW_FIELD_MASK(GCVM_L2_PROTECTION_FAULT_STATUS, MORE_FAULTS));
	}
	pthread_mutex_unlock(&dev->vm.lock);
	atomic_fetch_add(&dev->vm.n_faults, 1);

	BW_LOG(INFO, "vgpu", "VM fault vmid %u va 0x%" PRIx64 " client %u status 0x%08x", tlb->vmid,
	       f->va, client, status);
	struct bw_ih_vector v = {
		.client = BW_IH_CLIENT_GFX,
		.source = BW_IH_SRC_UTCL2_FAULT,
		.vmid = (uint8_t)tlb->vmid,
	};
	bw_words_put(v.data, BW_IH_FAULT_PAGE, page);
	bw_words_put(v.data, BW_IH_FAULT_READ, !write);
	bw_words_put(v.data, BW_IH_FAULT_WRITE, write);
	bw_words_put(v.data, BW_IH_FAULT_EXE, f->access & BW_ACCESS_EXECUTE ? 1 : 0);
	bw_ih_raise(dev, &v);
}

static enum bw_gpuvm_access walk_access(unsigned access)
{
	return (access & BW_ACCESS_READ ? BW_GPUVM_READ : 0u) |
	       (access & (BW_ACCESS_WRITE | BW_ACCESS_ATOMIC) ? BW_GPUVM_WRITE : 0u) |
	       (access & BW_ACCESS_EXECUTE ? BW_GPUVM_EXECUTE : 0u);
}

/* --- ranges --- */

static unsigned rights_of(const struct bw_gpuvm_range *r)
{
	return (r->entry.read ? BW_ACCESS_READ : 0u) |
	       (r->entry.write ? BW_ACCESS_WRITE | BW_ACCESS_ATOMIC : 0u) |
	       (r->entry.execute ? BW_ACCESS_EXECUTE : 0u);
}

/* Makes a range of the walk's result. False: not mapped, or not contiguous. */
static bool leaf_range(struct bw_tlb *tlb, const struct bw_gpuvm_range *r, struct bw_tlb_range *out)
{
	if (r->verdict != BW_GPUVM_MAPPED)
		return false;
	*out = (struct bw_tlb_range){
		.va = bw_canonical(r->va), .size_b = r->size_b, .access = (uint8_t)rights_of(r)};
	out->host = bw_memory_host(tlb->dev, r->system, r->address, r->size_b);
	return out->host && r->size_b;
}

/* b lies right after a, here and on the host. */
static bool follows(const struct bw_tlb_range *a, const struct bw_tlb_range *b)
{
	return a->va + a->size_b == b->va && a->host + a->size_b == b->host &&
	       a->access == b->access;
}

/* Adds known ranges and pages of the tables on both sides of *r. */
static void grow(struct bw_tlb *tlb, const struct bw_gpuvm_context *c, struct bw_tlb_range *r)
{
	/* Few at first, for what is small or touched once; more where ranges turn out to be
	 * longer. */
	enum { FIRST = 8, MORE = 64 };
	unsigned steps = FIRST;
	for (unsigned i = 0; i < BW_TLB_RANGES; i++) {
		struct bw_tlb_range *known = &tlb->range[i];
		if (!known->size_b || !(follows(known, r) || follows(r, known)))
			continue;
		if (follows(known, r)) {
			r->va = known->va;
			r->host = known->host;
		}
		r->size_b += known->size_b;
		steps = MORE;
	}
	for (unsigned forward = 0; forward < 2; forward++) {
		for (unsigned n = 0; n < steps; n++) {
			struct bw_gpuvm_range walked;
			struct bw_tlb_range next;
			uint64_t va = forward ? r->va + r->size_b : r->va - 1;
			/* Stop at the end of the address space, and at the hole in its middle. */
			if ((forward ? va : r->va) == 0 || bw_canonical(va) != va)
				break;
			bw_gpuvm_walk(c, read_entry, tlb->dev, va, &walked);
			if (!leaf_range(tlb, &walked, &next) ||
			    !(forward ? follows(r, &next) : follows(&next, r)))
				break;
			r->va = BW_MIN(r->va, next.va);
			r->host = BW_MIN(r->host, next.host);
			r->size_b += next.size_b;
		}
	}
}

/* Watched pages must be looked up one by one, so no ranges are used then. */
static void remember_range(struct bw_tlb *tlb, const struct bw_gpuvm_context *c, uint64_t va,
			   const struct bw_gpuvm_range *walked)
{
	struct bw_tlb_range r;
	for (unsigned i = 0; i < BW_N_WATCHES; i++)
		if (tlb->watch[i].compared)
			return;
	if (!leaf_range(tlb, walked, &r))
		return;
	grow(tlb, c, &r);
	/* The new range replaces those that it contains; otherwise the range in its slot moves on,
	 * and replaces the oldest. */
	for (unsigned i = 0; i < BW_TLB_RANGES; i++)
		if (tlb->range[i].size_b && tlb->range[i].va - r.va < r.size_b)
			tlb->range[i].size_b = 0;
	struct bw_tlb_range *slot = &tlb->range[bw_tlb_range_slot(va)];
	if (slot->size_b)
		tlb->range[tlb->next_range++ % BW_TLB_RANGES] = *slot;
	*slot = r;
}

/* The entry of a page that a range knows. */
static uint8_t *from_range(struct bw_tlb *tlb, uint64_t va, enum bw_access access)
{
	const struct bw_tlb_range *r = bw_tlb_find_range(tlb, va);
	if (!r || (r->access & access) != access)
		return NULL;
	uint8_t *host = r->host + (va - r->va);
	tlb->entry[bw_tlb_slot(va)] = (struct bw_tlb_entry){
		.tag = bw_tlb_tag(va), .host = host - va % BW_PAGE_B, .access = r->access};
	return host;
}

uint8_t *bw_tlb_miss(struct bw_tlb *tlb, uint64_t va, enum bw_access access,
		     struct bw_vm_fault *out_fault)
{
	struct bw_device *dev = tlb->dev;
	struct bw_gpuvm_context c;
	struct bw_gpuvm_range r;

	bw_tlb_sync(tlb);
	*out_fault = (struct bw_vm_fault){.va = va, .access = (uint8_t)access};
	if (bw_canonical(va) != va) {
		/* An aperture violation: the wave hears of it, the fault registers do not (8.4). */
		out_fault->mapping_error = true;
		return NULL;
	}
	struct bw_tlb_entry *e = &tlb->entry[bw_tlb_slot(va)];
	if (e->tag == bw_tlb_tag(va) && access && (e->watched & access) == access) {
		out_fault->watched = true;
		out_fault->host = e->host + (va & (BW_PAGE_B - 1));
		return NULL;
	}
	uint8_t *known = access & BW_ACCESS_PROBE ? NULL : from_range(tlb, va, access);
	if (known)
		return known;
	context_of(tlb, &c);
	bw_gpuvm_walk(&c, read_entry, dev, va, &r);
	unsigned need = walk_access(access);
	if (!bw_gpuvm_allows(&r, need)) {
		struct bw_gpuvm_fault f = bw_gpuvm_fault_of(&r, need);
		out_fault->walker_error = f.walker_error;
		out_fault->permission = f.permission;
		out_fault->mapping_error = f.mapping_error;
		out_fault->prt = r.verdict == BW_GPUVM_PRT;
		if (!out_fault->prt && !(access & BW_ACCESS_PROBE))
			report(tlb, out_fault);
		return NULL;
	}
	uint64_t page_va = va & ~(uint64_t)(BW_PAGE_B - 1);
	uint64_t pa = r.address + (page_va - (r.va & ~(uint64_t)(BW_PAGE_B - 1)));
	uint8_t *host = bw_memory_host(dev, r.system, pa, BW_PAGE_B);
	if (!host) {
		out_fault->mapping_error = true;
		out_fault->permission = 1;
		if (!(access & BW_ACCESS_PROBE))
			report(tlb, out_fault);
		return NULL;
	}
	if (access & BW_ACCESS_PROBE)
		return host + (va - page_va);
	bool all = r.verdict == BW_GPUVM_UNTRANSLATED;
	unsigned may = all ? BW_ACCESS_READ | BW_ACCESS_WRITE | BW_ACCESS_ATOMIC | BW_ACCESS_EXECUTE
			   : rights_of(&r);
	/* A page with a watch has an entry that permits nothing but fetches: every access comes
	 * here. */
	unsigned watched = bw_watches_page(tlb->watch, page_va) ? may & ~BW_ACCESS_EXECUTE : 0;
	*e = (struct bw_tlb_entry){.tag = bw_tlb_tag(va),
				   .host = host,
				   .access = (uint8_t)(may & ~watched),
				   .watched = (uint8_t)watched};
	if (!(access & BW_ACCESS_EXECUTE))
		remember_range(tlb, &c, va, &r);
	if (!(access & watched))
		return host + (va - page_va);
	out_fault->watched = true;
	out_fault->host = host + (va - page_va);
	return NULL;
}
