/* SPDX-License-Identifier: MIT */
/* An address space of a GPU, read for one command. */
#include "cli/vm.h"

struct bw_error *bw_look_vm_select(struct bw_look_vm *vm, enum bw_gpuvm_hub hub, unsigned vmid,
				   struct bw_gpuvm_regs *out_regs)
{
	return bw_gpu_space_open(vm->kmd, &vm->part, hub, vmid, &vm->space, out_regs);
}

struct bw_error *bw_look_vm_open(struct bw_look *l, unsigned vmid, struct bw_look_vm *out)
{
	BW_TRY(bw_look_gpu_open(l, &out->gpu));
	out->kmd = out->gpu.kmd;
	out->part = out->gpu.part;
	return bw_look_vm_select(out, l->hub, vmid, NULL);
}

void bw_look_vm_close(struct bw_look_vm *vm)
{
	bw_gpu_space_close(&vm->space);
	bw_gpu_close(&vm->gpu);
	bw_crash_vm_free(&vm->text);
}

bool bw_look_vm_read(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	struct bw_look_vm *vm = cookie;
	return vm->kmd ? bw_gpu_space_entry(&vm->space, system, address, out_entry)
		       : bw_crash_vm_read(&vm->text, system, address, out_entry);
}

size_t bw_look_vm_bytes(struct bw_look_vm *vm, uint64_t va, void *out, size_t size_b)
{
	return vm->kmd ? bw_gpu_space_read(&vm->space, va, out, size_b) : 0;
}
