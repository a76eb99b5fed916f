/* SPDX-License-Identifier: MIT */
/* An address space of a GPU, read for one command: entries are kept by the page. */
#include "cli/vm.h"

#include <string.h>

#include "base/util.h"

struct bw_error *bw_look_vm_select(struct bw_look_vm *vm, enum bw_gpuvm_hub hub, unsigned vmid,
				   struct bw_gpuvm_regs *out_regs)
{
	struct bw_gpu_block block;
	BW_TRY(bw_gpu_block_open(vm->kmd, hub == BW_GPUVM_MM ? "mmhub" : "gc", &block));
	BW_TRY(bw_gpu_vm_regs(vm->kmd, &block, hub, vmid, out_regs));
	bw_gpuvm_context_init(&vm->context, vm->part.gen, vmid, out_regs);
	return NULL;
}

struct bw_error *bw_look_vm_open(struct bw_look *l, unsigned vmid, struct bw_look_vm *out)
{
	struct bw_gpuvm_regs regs;
	BW_TRY(bw_look_gpu_open(l, &out->gpu));
	out->kmd = out->memory.kmd = out->gpu.kmd;
	out->part = out->gpu.part;
	return bw_look_vm_select(out, l->hub, vmid, &regs);
}

void bw_look_vm_close(struct bw_look_vm *vm)
{
	bw_gpu_memory_close(&vm->memory);
	bw_look_gpu_close(&vm->gpu);
	bw_crash_vm_free(&vm->text);
}

bool bw_look_vm_read(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	struct bw_look_vm *vm = cookie;
	uint64_t page = address & ~(uint64_t)0xfff;
	if (!vm->kmd)
		return bw_crash_vm_read(&vm->text, system, address, out_entry);
	if (address & 7)
		return false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(vm->cache); i++)
		if (vm->cache[i].is_valid && vm->cache[i].address == page &&
		    vm->cache[i].is_system == system) {
			memcpy(out_entry, vm->cache[i].bytes + (address & 0xfff), 8);
			return true;
		}
	size_t k = vm->next_cached;
	vm->cache[k].is_valid = false;
	if (bw_gpu_memory_read(&vm->memory, system, page, vm->cache[k].bytes, 4096) == 4096) {
		vm->cache[k].is_valid = true;
		vm->cache[k].is_system = system;
		vm->cache[k].address = page;
		vm->next_cached = (vm->next_cached + 1) % BW_ARRAY_SIZE(vm->cache);
		memcpy(out_entry, vm->cache[k].bytes + (address & 0xfff), 8);
		return true;
	}
	/* A block at the end of memory, of which less than a page is there. */
	return bw_gpu_memory_entry(&vm->memory, system, address, out_entry);
}

size_t bw_look_vm_bytes(struct bw_look_vm *vm, uint64_t va, void *out, size_t size_b)
{
	size_t at = 0;
	while (at < size_b) {
		struct bw_gpuvm_range r;
		if (!vm->kmd || !bw_gpuvm_walk(&vm->context, bw_look_vm_read, vm, va + at, &r))
			break;
		uint64_t offset = va + at - r.va;
		size_t n = (size_t)BW_MIN((uint64_t)(size_b - at), r.size_b - offset);
		size_t done = bw_gpu_memory_read(&vm->memory, r.system, r.address + offset,
						 (char *)out + at, n);
		if (!done)
			break;
		at += done;
	}
	return at;
}
