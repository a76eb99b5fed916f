/* SPDX-License-Identifier: MIT */
/* Address spaces and the VMIDs they run under. A VM gets one of the graphics hub's VMIDs 1-7 with
 * its first job and keeps it until another VM needs one and it is the longest unused. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "vgpu/device/exec/check/bounds.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/uapi_priv.h"

/* amdgpu_pasid_alloc(16): 16-bit numbers with the top bit set. Not used again soon, so that the
 * VMID-to-PASID table does not name a newcomer in place of a process that is gone. */
enum { FIRST_PASID = 0x8001, LAST_PASID = 0xffff };

static int pasid_alloc(struct bw_uapi *u, uint16_t *out)
{
	for (unsigned tries = 0; tries <= LAST_PASID - FIRST_PASID; tries++) {
		uint16_t pasid = (uint16_t)u->next_pasid++;
		if (u->next_pasid > LAST_PASID)
			u->next_pasid = FIRST_PASID;
		bool taken = false;
		bw_vec_each(&u->vms, vm)
			taken |= (*vm)->pasid == pasid;
		if (!taken) {
			*out = pasid;
			return 0;
		}
	}
	return -ENOSPC;
}

int bw_drm_vm_create(struct bw_uapi *u, int pid, const char *comm, struct bw_drm_account *account,
		     struct bw_drm_vm **out)
{
	_cleanup_free_ struct bw_drm_vm *vm = calloc(1, sizeof(*vm));
	if (!vm)
		return -ENOMEM;
	*vm = (struct bw_drm_vm){.refs = 1, .u = u, .pid = pid, .tlb_seq = 1, .account = account};
	snprintf(vm->comm, sizeof(vm->comm), "%.15s", comm);
	if (!u->next_pasid)
		u->next_pasid = FIRST_PASID;
	int r = pasid_alloc(u, &vm->pasid);
	struct bw_error *err = r ? NULL : bw_vec_reserve(&u->vms, u->vms.len + 1);
	if (err) {
		bw_error_free(err);
		r = -ENOMEM;
	}
	if (!r)
		r = bw_drm_pt_init(vm);
	if (r)
		return r;
	bw_drm_account_ref(account);
	u->vms.data[u->vms.len++] = vm;
	*out = bw_take(vm);
	return 0;
}

struct bw_drm_vm *bw_drm_vm_ref(struct bw_drm_vm *vm)
{
	vm->refs++;
	return vm;
}

/* The VMID's hardware state stays as it is, as in the kernel: registers name the last owner until
 * the next one's first job. */
static void vmid_release(struct bw_drm_vm *vm)
{
	if (!vm->vmid)
		return;
	bool held_now;
	vm->held_before_ns = bw_drm_vm_held_ns(vm, &held_now);
	vm->u->vmids[vm->vmid].vm = NULL;
	vm->vmid = 0;
}

void bw_drm_vm_unref(struct bw_drm_vm *vm)
{
	if (!vm || --vm->refs)
		return;
	struct bw_uapi *u = vm->u;
	vmid_release(vm);
	if (bw_device_check(u->dev))
		bw_bounds_forget(bw_device_check(u->dev), bw_drm_pt_root_entry(vm));
	bw_vec_each(&vm->maps, m)
		bw_drm_bo_unref(m->bo);
	bw_vec_each(&vm->updates, up)
		bw_drm_bo_unref(up->m.bo);
	bw_drm_uncharge(vm->account, BW_DRM_MAPPINGS, (uint32_t)vm->maps.len);
	bw_vec_free(&vm->maps);
	bw_vec_free(&vm->updates);
	bw_drm_fences_fini(&vm->busy);
	bw_drm_pt_fini(vm);
	bw_drm_account_unref(vm->account);
	for (size_t i = 0; i < u->vms.len; i++) {
		if (u->vms.data[i] == vm) {
			bw_vec_remove_fast(&u->vms, i);
			break;
		}
	}
	free(vm);
}

uint64_t bw_drm_vm_held_ns(struct bw_drm_vm *vm, bool *out_held_now)
{
	*out_held_now = false;
	if (!vm->vmid)
		return vm->held_before_ns;
	return vm->held_before_ns + bw_device_held_ns(vm->u->dev, vm->vmid, out_held_now) -
	       vm->held_base_ns;
}

static bool usable(const struct bw_drm_vm *vm, unsigned id)
{
	const struct bw_uapi *u = vm->u;
	if (vm->reserved)
		return id == u->reserved_vmid;
	return id != u->reserved_vmid;
}

unsigned bw_drm_vmid_grab(struct bw_drm_vm *vm)
{
	struct bw_uapi *u = vm->u;
	unsigned best = 0;
	if (vm->vmid && usable(vm, vm->vmid)) {
		best = vm->vmid;
	} else {
		/* One VMID at a time for each VM: what runs under the old one must end first. */
		if (vm->vmid && u->vmids[vm->vmid].busy)
			return 0;
		for (unsigned i = BW_DRM_FIRST_VMID; i <= BW_DRM_LAST_VMID; i++)
			if (usable(vm, i) && !u->vmids[i].busy &&
			    (!best || u->vmids[i].used < u->vmids[best].used))
				best = i;
		if (!best)
			return 0;
		vmid_release(vm);
		struct bw_drm_vmid *id = &u->vmids[best];
		if (id->vm)
			vmid_release(id->vm);
		bool held_now;
		id->vm = vm;
		id->flushed = 0;
		vm->vmid = best;
		vm->held_base_ns = bw_device_held_ns(u->dev, best, &held_now);
	}
	u->vmids[best].used = ++u->vmid_clock;
	return best;
}

void bw_drm_vmid_unreserve(struct bw_drm_vm *vm)
{
	if (!vm->reserved)
		return;
	vm->reserved = false;
	if (!--vm->u->n_reserved)
		vm->u->reserved_vmid = 0;
}

/* 6.12: counted, never refused for being taken; all that reserve share one VMID in turn. */
static void reserve(struct bw_drm_vm *vm)
{
	struct bw_uapi *u = vm->u;
	if (vm->reserved)
		return;
	if (!u->n_reserved++) {
		u->reserved_vmid = vm->vmid;
		for (unsigned i = BW_DRM_FIRST_VMID; !vm->vmid && i <= BW_DRM_LAST_VMID; i++)
			if (!u->reserved_vmid ||
			    (!u->vmids[i].busy &&
			     u->vmids[i].used < u->vmids[u->reserved_vmid].used))
				u->reserved_vmid = i;
	}
	vm->reserved = true;
}

int bw_ioctl_vm(struct bw_drm_call *c, void *arg)
{
	const union drm_amdgpu_vm *a = arg;
	if (a->in.flags)
		return -EINVAL;
	if (a->in.op != AMDGPU_VM_OP_RESERVE_VMID && a->in.op != AMDGPU_VM_OP_UNRESERVE_VMID)
		return -EINVAL;
	pthread_mutex_lock(&c->u->lock);
	if (a->in.op == AMDGPU_VM_OP_RESERVE_VMID)
		reserve(c->file->vm);
	else
		bw_drm_vmid_unreserve(c->file->vm);
	pthread_mutex_unlock(&c->u->lock);
	return 0;
}
