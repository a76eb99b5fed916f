/* SPDX-License-Identifier: MIT */
/* The sum of the counts of the workers' executors. In a file of its own, as tests of the device
 * have an executor without counts. */
#include "vgpu/device/exec/core/exec.h"
#include "vgpu/device/scheduler_priv.h"
#include "vgpu/device/device_priv.h"

void bw_device_tally(struct bw_device *dev, bw_tally_fn *fn, void *cookie)
{
	for (unsigned i = 0; i < dev->sched->n_workers; i++)
		bw_exec_tally(dev->sched->worker[i].exec, fn, cookie);
}
