/* SPDX-License-Identifier: MIT */
/* GEM_VA: the mappings of a program's address space. The mappings change at once; the page tables
 * follow in the order of the calls, and what takes a mapping away waits for the jobs that were
 * submitted before it, as the kernel's updates wait for the VM's fences (amdgpu_vm_clear_freed). */
#include <amdgpu_drm.h>
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/newer_drm.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/klog.h"
#include "vgpu/uapi/uapi_priv.h"

static uint64_t pfn_of(uint64_t va)
{
	return va / BW_DRM_PAGE_B;
}

/* Index of the first mapping that ends at or after a page. */
static size_t first_from(const struct bw_drm_mappings *maps, uint64_t pfn)
{
	size_t lo = 0, hi = maps->len;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (maps->data[mid].last < pfn)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Room for n more mappings and n more updates: after this nothing of a call can fail half-way. */
static int make_room(struct bw_drm_vm *vm, size_t n)
{
	if (vm->updates.len + n > BW_DRM_MAX_UPDATES)
		return -ENOMEM;
	struct bw_error *err = bw_vec_reserve(&vm->maps, vm->maps.len + n);
	if (!err)
		err = bw_vec_reserve(&vm->updates, vm->updates.len + n);
	bool failed = err != NULL;
	bw_error_free(err);
	return failed ? -ENOMEM : 0;
}

/* The account follows the number of mappings. */
static bool recount(struct bw_drm_vm *vm, size_t before, size_t now)
{
	if (now <= before)
		bw_drm_uncharge(vm->account, BW_DRM_MAPPINGS, (uint32_t)(before - now));
	else
		return bw_drm_charge(vm->u, vm->account, BW_DRM_MAPPINGS, (uint32_t)(now - before),
				     vm->comm, vm->pid);
	return true;
}

/* Whether `before` of the mappings may become `now`. */
static int may_become(struct bw_drm_vm *vm, size_t before, size_t now)
{
	if (now <= before)
		return 0;
	if (!recount(vm, before, now))
		return -ENOMEM;
	recount(vm, now, before);
	return 0;
}

/* Mappings [at, at + n) become these, in one step however many there are. References are the
 * caller's. */
static void exchange(struct bw_drm_vm *vm, size_t at, size_t n, const struct bw_drm_mapping *with,
		     size_t n_with)
{
	struct bw_drm_mapping *place = &vm->maps.data[at];
	memmove(place + n_with, place + n, (vm->maps.len - at - n) * sizeof(*place));
	for (size_t i = 0; i < n_with; i++)
		place[i] = with[i];
	vm->maps.len = vm->maps.len - n + n_with;
	bool counted = recount(vm, n, n_with);
	assert(counted); /* may_become() has said so */
	(void)counted;
}

static void insert(struct bw_drm_vm *vm, struct bw_drm_mapping m)
{
	exchange(vm, first_from(&vm->maps, m.start), 0, &m, 1);
	bw_drm_bo_ref(m.bo);
}

static void queue_update(struct bw_drm_vm *vm, const struct bw_drm_mapping *m, bool clear)
{
	vm->updates.data[vm->updates.len++] =
		(struct bw_drm_update){.m = *m,
				       .clear = clear,
				       .delayed = true,
				       .after_job = clear && vm->jobs ? vm->n_jobs : 0};
	bw_drm_bo_ref(m->bo);
	vm->updates_made++;
}

/* amdgpu_vm_verify_parameters */
static int verify(const struct bw_drm_bo *bo, uint64_t va, uint64_t offset, uint64_t size)
{
	if ((va | offset | size) & (BW_DRM_PAGE_B - 1))
		return -EINVAL;
	if (va + size <= va || offset + size <= offset)
		return -EINVAL;
	if ((bo && offset + size > bo->size_b) || pfn_of(va + size - 1) >= BW_VM_MAX_PFN)
		return -EINVAL;
	return 0;
}

int bw_drm_vm_map(struct bw_drm_vm *vm, struct bw_drm_bo *bo, const struct bw_drm_map *a)
{
	int r = verify(bo, a->va, a->offset_b, a->size_b);
	if (r)
		return r;
	struct bw_drm_mapping m = {pfn_of(a->va), pfn_of(a->va + a->size_b - 1), bo,
				   bo ? a->offset_b : 0, a->flags};
	size_t at = first_from(&vm->maps, m.start);
	if (at < vm->maps.len && vm->maps.data[at].start <= m.last)
		return -EINVAL;
	r = may_become(vm, 0, 1);
	if (!r)
		r = make_room(vm, 1);
	if (r)
		return r;
	insert(vm, m);
	queue_update(vm, &m, false);
	return 0;
}

int bw_drm_vm_unmap(struct bw_drm_vm *vm, struct bw_drm_bo *bo, uint64_t va)
{
	size_t at = first_from(&vm->maps, pfn_of(va));
	if (at == vm->maps.len || vm->maps.data[at].start != pfn_of(va) ||
	    vm->maps.data[at].bo != bo)
		return -ENOENT;
	int r = make_room(vm, 1);
	if (r)
		return r;
	queue_update(vm, &vm->maps.data[at], true);
	exchange(vm, at, 1, NULL, 0);
	bw_drm_bo_unref(bo);
	return 0;
}

uint8_t *bw_drm_vm_cpu(struct bw_drm_vm *vm, uint64_t va, uint64_t size_b)
{
	size_t at = first_from(&vm->maps, pfn_of(va));
	const struct bw_drm_mapping *m = at < vm->maps.len ? &vm->maps.data[at] : NULL;
	if (!m || !m->bo || m->start > pfn_of(va) || m->last < pfn_of(va + size_b - 1))
		return NULL;
	return bw_drm_bo_cpu(m->bo, m->offset_b + va - m->start * BW_DRM_PAGE_B, size_b);
}

/* Takes away whatever is mapped in [start, last]; what sticks out at either end stays. The pieces
 * that stay are written again, since the entries at the cut say that more is contiguous. n_more:
 * mappings that the call makes afterwards. */
static int clear(struct bw_drm_vm *vm, uint64_t start, uint64_t last, size_t n_more)
{
	size_t at = first_from(&vm->maps, start), n = 0, n_stay = 0;
	struct bw_drm_mapping stay[2];
	while (at + n < vm->maps.len && vm->maps.data[at + n].start <= last)
		n++;
	if (n)
		n_more +=
			(vm->maps.data[at].start < start) + (vm->maps.data[at + n - 1].last > last);
	int r = may_become(vm, n, n_more);
	if (!r)
		r = make_room(vm, n + 3);
	if (r || !n)
		return r;
	for (size_t i = at; i < at + n; i++) {
		struct bw_drm_mapping m = vm->maps.data[i], before = m, after = m, cut = m;
		cut.start = BW_MAX(m.start, start);
		cut.last = BW_MIN(m.last, last);
		before.last = cut.start - 1;
		after.start = cut.last + 1;
		if (after.bo)
			after.offset_b += (after.start - m.start) * BW_DRM_PAGE_B;
		queue_update(vm, &cut, true);
		if (m.start < start) {
			queue_update(vm, &before, false);
			stay[n_stay++] = before;
			bw_drm_bo_ref(m.bo);
		}
		if (m.last > last) {
			queue_update(vm, &after, false);
			stay[n_stay++] = after;
			bw_drm_bo_ref(m.bo);
		}
		bw_drm_bo_unref(m.bo);
	}
	exchange(vm, at, n, stay, n_stay);
	return 0;
}

static int replace(struct bw_drm_vm *vm, struct bw_drm_bo *bo, const struct bw_drm_map *a)
{
	int r = verify(bo, a->va, a->offset_b, a->size_b);
	if (!r)
		r = clear(vm, pfn_of(a->va), pfn_of(a->va + a->size_b - 1), 1);
	return r ? r : bw_drm_vm_map(vm, bo, a);
}

int bw_ioctl_gem_va(struct bw_drm_call *c, void *arg)
{
	struct drm_amdgpu_gem_va *a = arg;
	const uint32_t page_flags = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_READABLE |
				    AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE |
				    AMDGPU_VM_MTYPE_MASK | BW_VM_PAGE_NOALLOC;
	const uint32_t prt_flags = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_PRT;
	/* The order of checks: doc/hardware/kernel-interface.md 2.2. */
	if (a->va_address < BW_VA_RESERVED_BOTTOM)
		return -EINVAL;
	if (a->va_address >= BW_VA_HOLE_START && a->va_address < BW_VA_HOLE_END)
		return -EINVAL;
	a->va_address &= BW_VA_MASK;
	if (a->va_address + a->map_size > BW_VM_MAX_PFN * BW_DRM_PAGE_B - BW_VA_RESERVED_TOP)
		return -EINVAL;
	if (a->flags & ~page_flags && a->flags & ~prt_flags)
		return -EINVAL;
	if (a->operation < AMDGPU_VA_OP_MAP || a->operation > AMDGPU_VA_OP_REPLACE)
		return -EINVAL;

	struct bw_drm_vm *vm = c->file->vm;
	struct bw_drm_bo *bo = NULL;
	const struct bw_drm_map m = {a->va_address, a->offset_in_bo, a->map_size, a->flags};
	pthread_mutex_lock(&c->u->lock);
	int r = 0;
	if (a->operation != AMDGPU_VA_OP_CLEAR && !(a->flags & AMDGPU_VM_PAGE_PRT)) {
		bo = bw_drm_bo_get(c->file, a->handle);
		r = bo ? 0 : -ENOENT;
	}
	if (r) {
	} else if (a->operation == AMDGPU_VA_OP_MAP) {
		r = bw_drm_vm_map(vm, bo, &m);
	} else if (a->operation == AMDGPU_VA_OP_UNMAP) {
		r = bw_drm_vm_unmap(vm, bo, a->va_address);
	} else if (a->operation == AMDGPU_VA_OP_CLEAR) {
		r = verify(NULL, a->va_address, 0, a->map_size);
		if (!r)
			r = clear(vm, pfn_of(a->va_address),
				  pfn_of(a->va_address + a->map_size - 1), 0);
	} else {
		r = replace(vm, bo, &m);
	}
	if (!r && !(a->flags & AMDGPU_VM_DELAY_UPDATE))
		bw_drm_vm_flush_updates(vm);
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

void bw_drm_vm_forget_bo(struct bw_drm_vm *vm, struct bw_drm_bo *bo)
{
	size_t n = 0, kept = 0;
	bw_vec_each(&vm->maps, m)
		n += m->bo == bo;
	/* Without memory for the updates it stays mapped, and is kept for that. */
	struct bw_error *err = n ? bw_vec_reserve(&vm->updates, vm->updates.len + n) : NULL;
	bool failed = err != NULL;
	bw_error_free(err);
	if (!n || failed)
		return;
	bw_vec_each(&vm->maps, m) {
		if (m->bo == bo) {
			queue_update(vm, m, true);
			bw_drm_bo_unref(bo);
		} else {
			vm->maps.data[kept++] = *m;
		}
	}
	bw_drm_uncharge(vm->account, BW_DRM_MAPPINGS, (uint32_t)(vm->maps.len - kept));
	vm->maps.len = kept;
	bw_drm_vm_flush_updates(vm);
}

bool bw_drm_vm_apply_updates(struct bw_drm_vm *vm)
{
	size_t n = 0;
	for (; n < vm->updates.len; n++) {
		struct bw_drm_update *up = &vm->updates.data[n];
		if (up->delayed ||
		    (up->after_job && vm->jobs && vm->jobs->vm_number <= up->after_job))
			break;
		int r = bw_drm_pt_write(vm, &up->m, up->clear);
		if (r)
			bw_klog(vm->u, "Couldn't update BO_VA (%d)", r);
		bw_drm_bo_unref(up->m.bo);
		vm->updates_applied++;
	}
	if (!n)
		return false;
	bw_vec_remove_n(&vm->updates, 0, n);
	vm->tlb_seq++;
	return true;
}

void bw_drm_vm_flush_updates(struct bw_drm_vm *vm)
{
	/* The delayed ones are the last. */
	for (size_t i = vm->updates.len; i && vm->updates.data[i - 1].delayed; i--)
		vm->updates.data[i - 1].delayed = false;
	bw_drm_vm_apply_updates(vm);
}
