/* SPDX-License-Identifier: MIT */
#include "agent/gpu/kfd_gone.h"

#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <stdatomic.h>
#include <string.h>

#include "agent/agent.h"
#include "base/newer_kfd.h"

static _Atomic uint32_t loss_event; /* of the type HW_EXCEPTION; 0: the program has none */
static _Atomic uint32_t gpu_id;

void bw_kfd_gone_fork_child(void)
{
	loss_event = gpu_id = 0;
}

/* The place in the program's list of the event that tells of the loss; 0: it does not wait for
 * that. */
static uint64_t find_event(const struct kfd_ioctl_wait_events_args *w,
			   struct bw_kfd_event_data *out)
{
	for (uint32_t i = 0; i < w->num_events; i++) {
		uint64_t at = w->events_ptr + i * sizeof(*out);
		if (!bw_agent_copy_in(out, at, sizeof(*out)))
			return 0;
		if (out->event_id == loss_event)
			return at;
	}
	return 0;
}

static int tell_of_loss(void *arg)
{
	struct kfd_ioctl_wait_events_args w;
	struct bw_kfd_event_data e;
	uint64_t at;
	if (!loss_event || !bw_agent_copy_in(&w, (uintptr_t)arg, sizeof(w)) ||
	    !(at = find_event(&w, &e)))
		return -ENODEV;
	e.hw_exception_data =
		(struct kfd_hsa_hw_exception_data){.reset_type = KFD_HW_EXCEPTION_WHOLE_GPU_RESET,
						   .reset_cause = KFD_HW_EXCEPTION_GPU_HANG,
						   .memory_lost = 1,
						   .gpu_id = gpu_id};
	w.wait_result = KFD_IOC_WAIT_RESULT_COMPLETE;
	if (!bw_agent_copy_out((void *)(uintptr_t)at, &e, sizeof(e)) ||
	    !bw_agent_copy_out(arg, &w, sizeof(w)))
		return -EFAULT;
	return 0;
}

int bw_kfd_gone_after(uint32_t cmd, void *arg, int result)
{
	struct kfd_ioctl_create_event_args created;
	struct kfd_ioctl_acquire_vm_args vm;
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(AMDKFD_IOC_ACQUIRE_VM):
		if (!result && bw_agent_copy_in(&vm, (uintptr_t)arg, sizeof(vm)))
			gpu_id = vm.gpu_id;
		return result;
	case _IOC_NR(AMDKFD_IOC_CREATE_EVENT):
		if (!result && bw_agent_copy_in(&created, (uintptr_t)arg, sizeof(created)) &&
		    created.event_type == KFD_IOC_EVENT_HW_EXCEPTION)
			loss_event = created.event_id;
		return result;
	case _IOC_NR(AMDKFD_IOC_WAIT_EVENTS):
		return result == -ENODEV ? tell_of_loss(arg) : result;
	default:
		return result;
	}
}
