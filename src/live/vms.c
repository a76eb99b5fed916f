// SPDX-License-Identifier: MIT
/* Address spaces: each DRM file of each process has its own debug area and trap handler, at the
 * same addresses in all of them where there is room, so that a VMID may go from one to another with
 * its trap registers as they are. */
#include "live/live_priv.h"
#include "live/gpu_regs.h"
#include "live/guard.h"
#include "live/operations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/memfd.h"

enum {
	DISPLACED_B = 128 * 1024, /* 2000 breakpoints, and the code of their conditions */
};

/* ---- Which ---- */

struct bw_error *bw_live_vm_of(struct bw_live *l, struct bw_live_proc *p, uint32_t file,
			       struct bw_live_vm **out)
{
	bw_vec_each(&l->vms, it) {
		if ((*it)->proc == p && (*it)->file == file) {
			*out = *it;
			return NULL;
		}
	}
	struct bw_live_vm *vm = calloc(1, sizeof(*vm));
	if (!vm)
		return bw_error_nomem();
	struct bw_error *err = bw_vec_push(&l->vms, vm);
	if (err) {
		free(vm);
		return err;
	}
	*vm = (struct bw_live_vm){.proc = p, .number = ++l->next_vm, .file = file};
	*out = vm;
	return NULL;
}

struct bw_live_vm *bw_live_vm(struct bw_live *l)
{
	struct bw_live_vm *first = NULL;
	bw_vec_each(&l->vms, it) {
		if ((*it)->number == l->t.space)
			return *it;
		if (!first || (!first->attached && (*it)->attached))
			first = *it;
	}
	return l->t.space ? NULL : first;
}

struct bw_error *bw_live_need_vm(struct bw_live *l, struct bw_live_vm **out)
{
	*out = bw_live_vm(l);
	if (!*out)
		return bw_errorf(BW_E_GONE, "the program no longer uses the GPU");
	return NULL;
}

static struct bw_live_vm *by_number(struct bw_live *l, uint32_t number)
{
	bw_vec_each(&l->vms, it)
		if ((*it)->number == number)
			return *it;
	return NULL;
}

/* A wave that was killed never leaves its slot of the area, so the slot's state is reset. */
static void forget_stop(struct bw_live_vm *vm, uint32_t slot)
{
	vm->slots[slot].resumed = true;
	vm->slots[slot].resumed_seq = bw_live_slot(vm, slot)->seq;
}

struct bw_live_vm *bw_live_owner(struct bw_live *l, uint32_t slot)
{
	if (slot >= l->t.facts.n_slots || !l->last_vm)
		return NULL;
	/* nearly always the same as the last time */
	struct bw_live_vm *found = by_number(l, l->last_vm[slot]);
	if (!found || !bw_live_stopped_in(found, slot))
		found = NULL;
	if (found && l->vms.len == 1)
		return found;
	bw_vec_each(&l->vms, it) {
		if (*it == found || !bw_live_stopped_in(*it, slot))
			continue;
		if (found)
			forget_stop(found, slot);
		found = *it;
	}
	if (found)
		l->last_vm[slot] = found->number;
	return found;
}

struct bw_live_vm *bw_live_last_owner(struct bw_live *l, uint32_t slot)
{
	if (slot >= l->t.facts.n_slots || !l->last_vm)
		return NULL;
	struct bw_live_vm *vm = by_number(l, l->last_vm[slot]);
	return vm && vm->attached ? vm : NULL;
}

bool bw_live_any_attached(const struct bw_live *l)
{
	bw_vec_each(&l->vms, it)
		if ((*it)->attached)
			return true;
	return false;
}

uint32_t bw_live_vmids(const struct bw_live *l)
{
	uint32_t mask = 0;
	bw_vec_each(&l->vms, it)
		mask |= (*it)->vmids;
	return mask;
}

uint32_t bw_live_stops(const struct bw_live *l)
{
	uint32_t n = 0;
	bw_vec_each(&l->vms, it)
		if ((*it)->attached)
			n += __atomic_load_n(&(*it)->control->stops, __ATOMIC_ACQUIRE);
	return n;
}

void bw_live_stops_are_seen(struct bw_live *l)
{
	bw_vec_each(&l->vms, it)
		if ((*it)->attached)
			(*it)->stops_seen =
				__atomic_load_n(&(*it)->control->stops, __ATOMIC_ACQUIRE);
}

/* ---- Attaching ---- */

static struct bw_error *map_area(struct bw_live_vm *vm, int fd, uint64_t size_b)
{
	void *p;
	BW_TRY(bw_memfd_map(fd, size_b, "the agent's debug area", &p));
	vm->area = p;
	vm->area_b = size_b;
	vm->control = p;
	return NULL;
}

static struct bw_error *ask_attach(struct bw_live *l, struct bw_live_vm *vm, uint64_t area_b,
				   struct bw_agent_attach_reply *out, int *out_fd)
{
	const struct bw_target_facts *f = &l->t.facts;
	struct bw_trap_control control;
	size_t handler_b = 0;
	const void *handler = bw_trap_handler(f->arch, &handler_b);

	if (!handler)
		return bw_errorf(BW_E_UNSUPPORTED, "there is no trap handler for %s yet", f->gfx);
	bw_trap_control_init(&control, f->arch, f->n_se, f->sa_per_se, f->wgp_per_sa,
			     f->waves_per_simd);
	struct bw_agent_attach a = {.area_size_b = area_b,
				    .control_size_b = sizeof(control),
				    .handler_size_b = (uint32_t)handler_b,
				    .displaced_size_b = DISPLACED_B,
				    .code_end = f->arch->s_code_end,
				    .file = vm->file};
	bw_vec_each(&l->vms, it) {
		if (!(*it)->attached)
			continue;
		a.area_va = (*it)->area_va;
		a.handler_va = (*it)->handler_va;
		a.displaced_va = (*it)->displaced_va;
		/* There is one VMID to reserve: those that share it run in turns (amdgpu_ids.c of
		 * Linux 6.12). Others keep theirs as long as it is not the one used longest ago. */
		if ((*it)->vmid_reserved)
			a.flags = BW_AGENT_ATTACH_NO_RESERVE;
	}
	if (!bw_live_take_reservation(l))
		a.flags = BW_AGENT_ATTACH_NO_RESERVE;
	const struct bw_msg_part parts[] = {
		{&a, sizeof(a)}, {&control, sizeof(control)}, {handler, handler_b}};
	BW_TRY(bw_live_request(l, vm->proc, BW_AGENT_ATTACH, parts, BW_ARRAY_SIZE(parts), out_fd));
	BW_TRY(bw_live_result(l, "attaching to the program"));
	BW_TRY(bw_live_reply(l, "ATTACH", out, sizeof(*out)));
	if (*out_fd < 0)
		return bw_errorf(BW_E_INVALID, "the program's agent sent no debug area");
	if (out->handler_va & 0xff || out->area_va & 0xfff || !out->handler_va || !out->area_va)
		return bw_errorf(
			BW_E_INVALID,
			"the program's agent put the handler at 0x%llx and the area at 0x%llx",
			(unsigned long long)out->handler_va, (unsigned long long)out->area_va);
	return NULL;
}

/* Makes the tables that all address spaces share, with the first one. */
static struct bw_error *make_tables(struct bw_live *l)
{
	const struct bw_target_facts *f = &l->t.facts;
	uint32_t n_wgps = f->n_se * f->sa_per_se * f->wgp_per_sa;
	if (l->last_vm)
		return NULL;
	l->code_generation = 1;
	l->last_vm = calloc(f->n_slots, sizeof(*l->last_vm));
	l->icache_generation = calloc(n_wgps, sizeof(*l->icache_generation));
	return l->last_vm && l->icache_generation ? NULL : bw_error_nomem();
}

static struct bw_error *attach(struct bw_live *l, struct bw_live_vm *vm)
{
	uint64_t area_b = bw_trap_area_size(l->t.facts.arch, l->t.facts.n_slots);
	struct bw_agent_attach_reply r = {0};
	_cleanup_close_ int fd = -1;
	uint64_t start = bw_live_now_ns();

	BW_TRY(make_tables(l));
	BW_TRY(ask_attach(l, vm, area_b, &r, &fd));
	vm->slots = calloc(l->t.facts.n_slots, sizeof(*vm->slots));
	if (!vm->slots)
		return bw_error_nomem();
	BW_TRY(map_area(vm, fd, area_b));
	vm->area_va = r.area_va;
	vm->handler_va = r.handler_va;
	vm->displaced_va = r.displaced_va;
	vm->displaced_b = DISPLACED_B;
	vm->pasid = r.pasid;
	vm->vmid_reserved = r.vmid_reserved;
	vm->is_second_level = r.is_second_level;
	vm->stops_seen = 0;
	bw_live_note_enables(l, vm);
	BW_TRY(bw_live_guard_area(l, vm, fd));
	BW_TRY(bw_live_enable_traps(l, vm));
	vm->attached = true;
	BW_LOG(INFO, "live", "address space %u of process %d attached in %llu us", vm->number,
	       (int)vm->proc->pid, (unsigned long long)(bw_live_now_ns() - start) / 1000);
	return NULL;
}

static uint32_t vmids_of_others(const struct bw_live *l, const struct bw_live_vm *vm)
{
	uint32_t mask = 0;
	bw_vec_each(&l->vms, it)
		if (*it != vm)
			mask |= (*it)->vmids;
	return mask;
}

struct bw_error *bw_live_attach(struct bw_live *l, struct bw_live_vm *vm)
{
	struct bw_live_proc *p = vm->proc;
	struct bw_error *err = attach(l, vm);
	if (!err || p->is_lost) /* it has been dropped with its process */
		return err;
	bw_live_guard_finish(
		l, &(struct bw_guard_finish){.vm = vm->number,
					     .vmids = vm->vmids & ~vmids_of_others(l, vm)});
	vm->vmids = 0;
	bw_live_unmap(l, vm);
	return err;
}

/* ---- The end ---- */

void bw_live_unmap(struct bw_live *l, struct bw_live_vm *vm)
{
	if (vm->area)
		munmap(vm->area, vm->area_b);
	vm->area = NULL;
	vm->control = NULL;
	vm->attached = false;
	bw_live_release_reservation(l);
	free(vm->slots);
	vm->slots = NULL;
}

static void forget(struct bw_live *l, struct bw_live_vm *vm)
{
	for (unsigned i = 0; i < BW_TARGET_WATCHES; i++)
		if (l->watch[i].size_b && l->watch[i].space == vm->number)
			bw_error_free(bw_live_set_watch(&l->t, i, NULL));
	bw_live_unmap(l, vm);
	for (size_t i = l->submissions.len; i-- > 0;)
		if (l->submissions.data[i].vm == vm)
			l->submissions.data[i].vm = NULL;
	for (size_t i = 0; i < l->vms.len; i++) {
		if (l->vms.data[i] == vm) {
			bw_vec_remove(&l->vms, i);
			break;
		}
	}
	free(vm);
}

void bw_live_drop_vm(struct bw_live *l, struct bw_live_vm *vm)
{
	bw_live_guard_finish(
		l, &(struct bw_guard_finish){.vm = vm->number,
					     .vmids = vm->vmids & ~vmids_of_others(l, vm)});
	forget(l, vm);
}

void bw_live_drop_vms(struct bw_live *l, const struct bw_live_proc *p)
{
	uint32_t mine = 0, others = 0;
	bw_vec_each(&l->vms, vm) {
		if ((*vm)->proc == p)
			mine |= (*vm)->vmids;
		else
			others |= (*vm)->vmids;
	}
	bw_live_guard_finish(l,
			     &(struct bw_guard_finish){.proc = p->number, .vmids = mine & ~others});
	for (size_t i = l->vms.len; i-- > 0;)
		if (l->vms.data[i]->proc == p)
			forget(l, l->vms.data[i]);
}
