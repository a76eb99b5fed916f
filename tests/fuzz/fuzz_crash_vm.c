/* SPDX-License-Identifier: MIT */
/* Address spaces as text from anywhere: they are walked, and their layouts computed. The first byte
 * chooses the generation. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "crash/vm_state.h"
#include "gpuvm/layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct bw_crash_vm vm = {.vmid = 8};
	struct bw_gpuvm_context c;
	struct bw_gpuvm_range r;
	struct bw_gpuvm_layout layout;
	if (!n)
		return 0;
	enum bw_gpuvm_gen gen = (enum bw_gpuvm_gen)(bytes[0] % (BW_GPUVM_GFX12_1 + 1));
	const char *text = (const char *)bytes + 1;
	for (size_t at = 0, left = n - 1; at < left;) {
		const char *end = memchr(text + at, '\n', left - at);
		size_t len = end ? (size_t)(end - text) - at : left - at;
		bw_crash_vm_line(&vm, text + at, len);
		at += len + 1;
	}
	bw_crash_vm_end(&vm, gen);
	bw_gpuvm_context_init(&c, gen, vm.is_user_queue ? 1 : vm.vmid, &vm.context.regs);
	for (size_t i = 0; i < 16 && i < vm.entries.len; i++) {
		struct bw_str flags = {0};
		uint64_t va = vm.entries.data[i].value;
		bw_gpuvm_walk(&c, bw_crash_vm_read, &vm, va, &r);
		assert(r.n_steps <= BW_GPUVM_MAX_STEPS);
		bw_gpuvm_entry_flags(gen, i & 1, va, &flags);
		bw_str_free(&flags);
	}
	struct bw_gpuvm_layout_spec spec = {.depth = c.depth,
					    .block = c.block,
					    .further = bytes[0] & 0x80,
					    .bfs = bytes[0] >> 3 & 15,
					    .size_b = vm.context.regs.end};
	struct bw_error *err = bw_gpuvm_layout(&spec, &layout);
	for (unsigned i = 0; !err && i < layout.n_levels; i++)
		bw_gpuvm_layout_index(&layout, i, vm.context.regs.start);
	bw_error_free(err);
	bw_crash_vm_free(&vm);
	return 0;
}
