/* SPDX-License-Identifier: MIT */
/* Functions of HIP and HSA by which a program gets memory, without ROCm: hipMalloc allocates
 * through HSA, as HIP does, and also what it needs itself. The memory is that of the program's
 * functions, which make it known to the GPU. */
#include <stddef.h>
#include <stdint.h>

#include "fake_rocm.h"

static void *(*get)(size_t size_b);
static void (*put)(void *p);

void fake_rocm_memory(void *(*get_fn)(size_t size_b), void (*put_fn)(void *p))
{
	get = get_fn;
	put = put_fn;
}

int hsa_amd_memory_pool_allocate(uint64_t pool, size_t size_b, uint32_t flags, void **out)
{
	(void)pool, (void)flags;
	*out = get(size_b);
	return *out ? 0 : 0x1000;
}

int hsa_amd_memory_pool_free(void *p)
{
	put(p);
	return 0;
}

void *fake_rocm_own;

int hipMalloc(void **out, size_t size_b)
{
	if (!fake_rocm_own && hsa_amd_memory_pool_allocate(1, FAKE_ROCM_OWN_B, 0, &fake_rocm_own))
		return 2;
	return hsa_amd_memory_pool_allocate(1, size_b, 0, out) ? 2 : 0;
}

int hipFree(void *p)
{
	return hsa_amd_memory_pool_free(p) ? 1 : 0;
}
