/* SPDX-License-Identifier: MIT */
#include "gpu/space.h"

#include <string.h>

#include "base/util.h"

struct bw_error *bw_gpu_space_open(struct bw_kmd *kmd, const struct bw_gpuvm_part *part,
				   enum bw_gpuvm_hub hub, unsigned vmid, struct bw_gpu_space *out,
				   struct bw_gpuvm_regs *out_regs)
{
	struct bw_gpu_block block;
	struct bw_gpuvm_regs regs;
	out->memory.kmd = kmd;
	BW_TRY(bw_gpu_block_open(kmd, hub == BW_GPUVM_MM ? "mmhub" : "gc", &block));
	BW_TRY(bw_gpu_vm_regs(kmd, &block, hub, vmid, &regs));
	bw_gpuvm_context_init(&out->context, part->gen, vmid, &regs);
	if (out_regs)
		*out_regs = regs;
	return NULL;
}

void bw_gpu_space_close(struct bw_gpu_space *s)
{
	bw_gpu_memory_close(&s->memory);
}

bool bw_gpu_space_entry(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	struct bw_gpu_space *s = cookie;
	uint64_t page = address & ~(uint64_t)(BW_GPU_PAGE_B - 1);
	size_t in_page = (size_t)(address - page);
	if (address & 7)
		return false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(s->cache); i++)
		if (s->cache[i].is_valid && s->cache[i].address == page &&
		    s->cache[i].is_system == system) {
			memcpy(out_entry, s->cache[i].bytes + in_page, 8);
			return true;
		}
	__auto_type c = &s->cache[s->next_cached];
	c->is_valid = false;
	if (bw_gpu_memory_read(&s->memory, system, page, c->bytes, BW_GPU_PAGE_B) ==
	    BW_GPU_PAGE_B) {
		c->is_valid = true;
		c->is_system = system;
		c->address = page;
		s->next_cached = (s->next_cached + 1) % BW_ARRAY_SIZE(s->cache);
		memcpy(out_entry, c->bytes + in_page, 8);
		return true;
	}
	/* A block at the end of memory, of which less than a page is there. */
	return bw_gpu_memory_entry(&s->memory, system, address, out_entry);
}

size_t bw_gpu_space_read(struct bw_gpu_space *s, uint64_t va, void *out, size_t size_b)
{
	size_t at = 0;
	while (at < size_b) {
		struct bw_gpuvm_range r;
		if (!bw_gpuvm_walk(&s->context, bw_gpu_space_entry, s, va + at, &r))
			break;
		uint64_t offset = va + at - r.va;
		size_t n = (size_t)BW_MIN((uint64_t)(size_b - at), r.size_b - offset);
		size_t done = bw_gpu_memory_bytes(&s->memory, r.system, r.address + offset,
						  (char *)out + at, n);
		if (!done)
			break;
		at += done;
	}
	return at;
}
