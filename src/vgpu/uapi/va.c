/* SPDX-License-Identifier: MIT */
/* GEM_VA: what a program maps where. The mappings change at once; the page tables follow in the
 * order of the calls, and what takes a mapping away waits for the jobs that were submitted before
 * it, as the kernel's updates wait for the VM's fences (amdgpu_vm_clear_freed). */
#include <amdgpu_drm.h>
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "vgpu/uapi/uapi_priv.h"

/* AMDGPU_VM_PAGE_NOALLOC, of DRM 3.44 */
enum { PAGE_NOALLOC = 1 << 9 };

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
	struct bw_error *err = bw_vec_reserve(&vm->maps, vm->maps.len + n);
	if (!err)
		err = bw_vec_reserve(&vm->updates, vm->updates.len + n);
	bool failed = err != NULL;
	bw_error_free(err);
	return failed ? -ENOMEM : 0;
}

static void insert(struct bw_drm_vm *vm, struct bw_drm_mapping m)
{
	size_t at = first_from(&vm->maps, m.start);
	memmove(&vm->maps.data[at + 1], &vm->maps.data[at], (vm->maps.len - at) * sizeof(m));
	vm->maps.data[at] = m;
	vm->maps.len++;
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

static void take_out(struct bw_drm_vm *vm, size_t i)
{
	struct bw_drm_bo *bo = vm->maps.data[i].bo;
	queue_update(vm, &vm->maps.data[i], true);
	bw_vec_remove(&vm->maps, i);
	bw_drm_bo_unref(bo);
}

/* amdgpu_vm_verify_parameters */
static int verify(const struct bw_drm_bo *bo, uint64_t va, uint64_t offset, uint64_t size)
{
	if ((va | offset | size) & (BW_DRM_PAGE_B - 1))
		return -EINVAL;
	if (va + size <= va || offset + size <= offset)
		return -EINVAL;
	if ((bo && offset + size > bo->size_b) || (va + size - 1) >> 12 >= BW_VM_MAX_PFN)
		return -EINVAL;
	return 0;
}

static int map(struct bw_drm_vm *vm, struct bw_drm_bo *bo, const struct drm_amdgpu_gem_va *a)
{
	int r = verify(bo, a->va_address, a->offset_in_bo, a->map_size);
	if (r)
		return r;
	struct bw_drm_mapping m = {a->va_address >> 12, (a->va_address + a->map_size - 1) >> 12, bo,
				   bo ? a->offset_in_bo : 0, a->flags};
	size_t at = first_from(&vm->maps, m.start);
	if (at < vm->maps.len && vm->maps.data[at].start <= m.last)
		return -EINVAL;
	r = make_room(vm, 1);
	if (r)
		return r;
	insert(vm, m);
	queue_update(vm, &m, false);
	return 0;
}

static int unmap(struct bw_drm_vm *vm, struct bw_drm_bo *bo, uint64_t va)
{
	size_t at = first_from(&vm->maps, va >> 12);
	if (at == vm->maps.len || vm->maps.data[at].start != va >> 12 || vm->maps.data[at].bo != bo)
		return -ENOENT;
	int r = make_room(vm, 1);
	if (!r)
		take_out(vm, at);
	return r;
}

/* Takes away whatever is mapped in [start, last]; what sticks out at either end stays. The pieces
 * that stay are written again, since the entries at the cut say that more is contiguous. */
static int clear(struct bw_drm_vm *vm, uint64_t start, uint64_t last)
{
	size_t at = first_from(&vm->maps, start), n = 0;
	while (at + n < vm->maps.len && vm->maps.data[at + n].start <= last)
		n++;
	int r = make_room(vm, n + 3);
	for (; !r && n; n--) {
		struct bw_drm_mapping m = vm->maps.data[at], before = m, after = m, cut = m;
		cut.start = BW_MAX(m.start, start);
		cut.last = BW_MIN(m.last, last);
		before.last = cut.start - 1;
		after.start = cut.last + 1;
		if (after.bo)
			after.offset_b += (after.start - m.start) << 12;
		queue_update(vm, &cut, true);
		bw_vec_remove(&vm->maps, at);
		if (m.start < start) {
			insert(vm, before);
			queue_update(vm, &before, false);
			at++;
		}
		if (m.last > last) {
			insert(vm, after);
			queue_update(vm, &after, false);
		}
		bw_drm_bo_unref(m.bo);
	}
	return r;
}

static int replace(struct bw_drm_vm *vm, struct bw_drm_bo *bo, const struct drm_amdgpu_gem_va *a)
{
	int r = verify(bo, a->va_address, a->offset_in_bo, a->map_size);
	if (!r)
		r = clear(vm, a->va_address >> 12, (a->va_address + a->map_size - 1) >> 12);
	return r ? r : map(vm, bo, a);
}

int bw_ioctl_gem_va(struct bw_drm_call *c, void *arg)
{
	struct drm_amdgpu_gem_va *a = arg;
	const uint32_t page_flags = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_READABLE |
				    AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE |
				    AMDGPU_VM_MTYPE_MASK | PAGE_NOALLOC;
	const uint32_t prt_flags = AMDGPU_VM_DELAY_UPDATE | AMDGPU_VM_PAGE_PRT;
	/* In this order: reference kernel-interface 2.3. */
	if (a->va_address < BW_VA_RESERVED_BOTTOM)
		return -EINVAL;
	if (a->va_address >= BW_VA_HOLE_START && a->va_address < BW_VA_HOLE_END)
		return -EINVAL;
	a->va_address &= BW_VA_MASK;
	if (a->va_address + a->map_size > (BW_VM_MAX_PFN << 12) - BW_VA_RESERVED_TOP)
		return -EINVAL;
	if (a->flags & ~page_flags && a->flags & ~prt_flags)
		return -EINVAL;
	if (a->operation < AMDGPU_VA_OP_MAP || a->operation > AMDGPU_VA_OP_REPLACE)
		return -EINVAL;

	struct bw_drm_vm *vm = c->file->vm;
	struct bw_drm_bo *bo = NULL;
	pthread_mutex_lock(&c->u->lock);
	int r = 0;
	if (a->operation != AMDGPU_VA_OP_CLEAR && !(a->flags & AMDGPU_VM_PAGE_PRT)) {
		bo = bw_drm_bo_get(c->file, a->handle);
		r = bo ? 0 : -ENOENT;
	}
	if (r) {
	} else if (a->operation == AMDGPU_VA_OP_MAP) {
		r = map(vm, bo, a);
	} else if (a->operation == AMDGPU_VA_OP_UNMAP) {
		r = unmap(vm, bo, a->va_address);
	} else if (a->operation == AMDGPU_VA_OP_CLEAR) {
		r = verify(NULL, a->va_address, 0, a->map_size);
		if (!r)
			r = clear(vm, a->va_address >> 12, (a->va_address + a->map_size - 1) >> 12);
	} else {
		r = replace(vm, bo, a);
	}
	if (!r && !(a->flags & AMDGPU_VM_DELAY_UPDATE))
		bw_drm_vm_flush_updates(vm);
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

void bw_drm_vm_forget_bo(struct bw_drm_vm *vm, struct bw_drm_bo *bo)
{
	bool any = false;
	for (size_t i = 0; i < vm->maps.len;) {
		if (vm->maps.data[i].bo != bo || make_room(vm, 1)) {
			i++;
			continue;
		}
		take_out(vm, i);
		any = true;
	}
	if (any)
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
	vm->updates.len -= n;
	memmove(vm->updates.data, vm->updates.data + n,
		vm->updates.len * sizeof(vm->updates.data[0]));
	vm->tlb_seq++;
	return true;
}

void bw_drm_vm_flush_updates(struct bw_drm_vm *vm)
{
	bw_vec_each(&vm->updates, up)
		up->delayed = false;
	bw_drm_vm_apply_updates(vm);
}
