/* SPDX-License-Identifier: MIT */
#ifndef BW_TEST_DIFF_GPU_H
#define BW_TEST_DIFF_GPU_H

/* The smallest machine that runs a compiled kernel on the executor: one flat piece of memory, a
 * loader for code objects, a launch of workgroups one after the other. What it knows of the formats
 * is written from doc/hardware/code-objects.md 1 to 3 and shares no code with the device. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/inst.h"
#include "vgpu/device/exec/core/exec.h"
#include "vgpu/device/exec/strict/strict.h"

enum { GPU_MEM_B = 32 << 20 };
#define GPU_VA UINT64_C(0x7f0000000000)

struct gpu {
	uint8_t *mem; /* GPU_MEM_B bytes at GPU_VA */
	uint64_t used_b;
	uint64_t code_end_b; /* what lies below is the loaded object */
	struct bw_tlb tlb;
	struct bw_exec *x;
	enum bw_isa_gen gen;
	uint64_t n_instructions;
	char error[512]; /* of the last call that returned false */
	uint8_t *elf;
	size_t elf_b;
	/* BW_STRICT=1 in the environment: strict mode, in which a finding makes a run fail;
	 * not of gfx902 */
	struct bw_strict *strict;
	struct bw_strict_caches *caches;
	size_t n_findings;	/* reported already */
	void *strict_waves[32]; /* bw_wave.exec_private, from group to group */
};

/* gen: gfx11, gfx942 or gfx902. */
bool gpu_init(struct gpu *g, enum bw_isa_gen gen);
void gpu_fini(struct gpu *g);
/* Memory from gpu_alloc is gone after the next load. */
bool gpu_load(struct gpu *g, const char *path);
uint64_t gpu_alloc(struct gpu *g, size_t size_b);
void *gpu_host(struct gpu *g, uint64_t va);
void gpu_release(struct gpu *g); /* all that gpu_alloc gave since the load */

struct gpu_launch {
	const char *kernel;
	unsigned n_groups, group_size;
	const void *args;
	/* explicit arguments; hidden ones follow where the kernel has room for them */
	size_t args_b;
};
bool gpu_run(struct gpu *g, const struct gpu_launch *l);

/* The n-th kernel of the loaded object. False: there is none. */
bool gpu_kernel(struct gpu *g, unsigned n, char out_name[128]);
/* Where a kernel begins. */
uint64_t gpu_code(struct gpu *g, const char *kernel);

#endif
