/* SPDX-License-Identifier: MIT */
/* HSA's functions that allocate memory and free it, and those that are given the start of it. Under
 * --check=bounds memory of the program has free bytes before and after it (blocks.h), of which
 * neither the program nor HIP know. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "agent/names/names_priv.h"
#include "agent/program.h"
#include "agent/rocm/blocks.h"
#include "agent/rocm/rocm.h"

#define LIBRARY "libhsa-runtime64.so"

enum { SUCCESS = 0, ERROR = 0x1000, NOT_INITIALIZED = 0x100b };
enum { TYPE_HSA = 1 };
/* An address where HSA has nothing. */
#define NOWHERE ((const void *)16)

/* The beginning of hsa_amd_pointer_info_t. */
struct info {
	uint32_t size_b, type;
	uint64_t gpu_va, cpu_va, bytes;
};

/* By HIP for the program, or by the program without HIP. */
static bool is_for_program(const void *caller)
{
	return bw_rocm_is_checked() && (bw_rocm_is_in_hip() || bw_agent_is_program(caller));
}

static bool has_room(size_t size_b)
{
	return size_b && size_b <= SIZE_MAX / 2;
}

static uint64_t real_start(const void *p)
{
	uint64_t va, size_b, real;
	return bw_rocm_around((uintptr_t)p, &va, &size_b, &real) && va == (uintptr_t)p
		       ? real
		       : (uintptr_t)p;
}

/* What an allocation with free bytes has come to: false, and it has to be made without them. */
static bool take(int status, void *real, size_t size_b, bw_rocm_free_fn *free_fn, void **out)
{
	if (status)
		return false;
	if (!bw_rocm_add((uintptr_t)real, size_b, free_fn)) {
		free_fn(real);
		return false;
	}
	*out = (uint8_t *)real + BW_ROCM_FREE_B;
	/* what HIP gets, hip_calls.c declares */
	if (!bw_rocm_is_in_hip())
		bw_rocm_declare((uintptr_t)*out, size_b);
	return true;
}

EXPORT int hsa_amd_memory_pool_free(void *p);
EXPORT int hsa_memory_free(void *p);
/* hsa_amd_memory_pool_t and hsa_region_t are structs of one number. */
EXPORT int hsa_amd_memory_pool_allocate(uint64_t pool, size_t size_b, uint32_t flags, void **out);
EXPORT int hsa_memory_allocate(uint64_t region, size_t size_b, void **out);
EXPORT int hsa_amd_agents_allow_access(uint32_t n, const void *agents, const uint32_t *flags,
				       const void *p);
EXPORT int hsa_amd_pointer_info(const void *p, void *info, void *alloc, uint32_t *n,
				void **accessible);
EXPORT int hsa_amd_ipc_memory_create(void *p, size_t size_b, void *handle);

int hsa_amd_memory_pool_allocate(uint64_t pool, size_t size_b, uint32_t flags, void **out)
{
	const void *caller = __builtin_return_address(0);
	__typeof__(&hsa_amd_memory_pool_allocate) real =
		BW_ROCM_REAL(LIBRARY, hsa_amd_memory_pool_allocate);
	bw_rocm_free_fn *free_fn = BW_ROCM_REAL(LIBRARY, hsa_amd_memory_pool_free);
	if (!real || !free_fn)
		return NOT_INITIALIZED;
	if (out && has_room(size_b) && is_for_program(caller)) {
		void *p = NULL;
		int r = real(pool, size_b + 2 * (size_t)BW_ROCM_FREE_B, flags, &p);
		if (r) {
			bw_rocm_flush();
			r = real(pool, size_b + 2 * (size_t)BW_ROCM_FREE_B, flags, &p);
		}
		if (take(r, p, size_b, free_fn, out))
			return SUCCESS;
	}
	return real(pool, size_b, flags, out);
}

int hsa_memory_allocate(uint64_t region, size_t size_b, void **out)
{
	const void *caller = __builtin_return_address(0);
	__typeof__(&hsa_memory_allocate) real = BW_ROCM_REAL(LIBRARY, hsa_memory_allocate);
	bw_rocm_free_fn *free_fn = BW_ROCM_REAL(LIBRARY, hsa_memory_free);
	if (!real || !free_fn)
		return NOT_INITIALIZED;
	if (out && has_room(size_b) && is_for_program(caller)) {
		void *p = NULL;
		int r = real(region, size_b + 2 * (size_t)BW_ROCM_FREE_B, &p);
		if (take(r, p, size_b, free_fn, out))
			return SUCCESS;
	}
	return real(region, size_b, out);
}

int hsa_amd_memory_pool_free(void *p)
{
	bw_rocm_free_fn *real = BW_ROCM_REAL(LIBRARY, hsa_amd_memory_pool_free);
	int status;
	if (!real)
		return NOT_INITIALIZED;
	bw_names_remove(BW_AGENT_OBJECT_BUFFER, (uintptr_t)p); /* what hip_calls.c has noted */
	return bw_rocm_is_checked() && bw_rocm_free((uintptr_t)p, &status) ? status : real(p);
}

int hsa_memory_free(void *p)
{
	bw_rocm_free_fn *real = BW_ROCM_REAL(LIBRARY, hsa_memory_free);
	int status;
	if (!real)
		return NOT_INITIALIZED;
	return bw_rocm_is_checked() && bw_rocm_free((uintptr_t)p, &status) ? status : real(p);
}

int hsa_amd_agents_allow_access(uint32_t n, const void *agents, const uint32_t *flags,
				const void *p)
{
	__typeof__(&hsa_amd_agents_allow_access) real =
		BW_ROCM_REAL(LIBRARY, hsa_amd_agents_allow_access);
	return real ? real(n, agents, flags, (const void *)(uintptr_t)real_start(p))
		    : NOT_INITIALIZED;
}

int hsa_amd_pointer_info(const void *p, void *info, void *alloc, uint32_t *n, void **accessible)
{
	__typeof__(&hsa_amd_pointer_info) real = BW_ROCM_REAL(LIBRARY, hsa_amd_pointer_info);
	if (!real)
		return NOT_INITIALIZED;
	/* HIP takes whatever HSA knows for memory of another process */
	if (bw_rocm_is_freed((uintptr_t)p))
		p = NOWHERE;
	int r = real(p, info, alloc, n, accessible);
	uint64_t va, size_b, start;
	struct info i;
	if (r || !info || !bw_rocm_around((uintptr_t)p, &va, &size_b, &start))
		return r;
	memcpy(&i, info, sizeof(i));
	if (i.size_b < sizeof(i) || i.type != TYPE_HSA)
		return r;
	i.gpu_va += i.gpu_va ? va - start : 0;
	i.cpu_va += i.cpu_va ? va - start : 0;
	i.bytes = size_b;
	memcpy(info, &i, sizeof(i));
	return r;
}

/* Another process would map memory from its real start. */
int hsa_amd_ipc_memory_create(void *p, size_t size_b, void *handle)
{
	__typeof__(&hsa_amd_ipc_memory_create) real =
		BW_ROCM_REAL(LIBRARY, hsa_amd_ipc_memory_create);
	if (!real)
		return NOT_INITIALIZED;
	return real_start(p) == (uintptr_t)p ? real(p, size_b, handle) : ERROR;
}
