/* SPDX-License-Identifier: MIT */
/* HIP's functions that give memory to the program. They are passed on; what they have returned is
 * declared (blocks.h), with the size that the program asked for, and is a buffer for debuggers. The
 * memory itself is HSA's (hsa_calls.c), where HIP also gets what it needs itself. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/names/names_priv.h"
#include "agent/rocm/blocks.h"
#include "agent/rocm/rocm.h"

enum { NOT_INITIALIZED = 3 };

/* hipPitchedPtr and hipExtent */
struct pitched {
	void *p;
	size_t pitch_b, x_b, y;
};
struct extent {
	size_t width_b, height, depth;
};

static __thread unsigned depth;

bool bw_rocm_is_in_hip(void)
{
	return depth;
}

static void is_given(const void *p, size_t size_b)
{
	const struct bw_agent_object o = {.kind = BW_AGENT_OBJECT_BUFFER,
					  .handle = (uintptr_t)p,
					  .va = (uintptr_t)p,
					  .size_b = size_b};
	if (bw_agent_config()->is_tracked && p && size_b)
		bw_names_add(&o);
	bw_rocm_declare((uintptr_t)p, size_b);
}

/* Some of these functions call others. Sizes are computed after the call. */
#define GIVES_MEMORY(name, params, args, p, size_b)                                                \
	EXPORT int name params;                                                                    \
	int name params                                                                            \
	{                                                                                          \
		__typeof__(&name) real = BW_ROCM_REAL("libamdhip64.so", name);                     \
		if (!real)                                                                         \
			return NOT_INITIALIZED;                                                    \
		depth++;                                                                           \
		int r = real args;                                                                 \
		depth--;                                                                           \
		if (!r && !depth)                                                                  \
			is_given(p, size_b);                                                       \
		return r;                                                                          \
	}

GIVES_MEMORY(hipMalloc, (void **out, size_t size_b), (out, size_b), *out, size_b)
GIVES_MEMORY(hipExtMallocWithFlags, (void **out, size_t size_b, unsigned flags),
	     (out, size_b, flags), *out, size_b)
GIVES_MEMORY(hipMallocManaged, (void **out, size_t size_b, unsigned flags), (out, size_b, flags),
	     *out, size_b)
GIVES_MEMORY(hipHostMalloc, (void **out, size_t size_b, unsigned flags), (out, size_b, flags), *out,
	     size_b)
GIVES_MEMORY(hipHostAlloc, (void **out, size_t size_b, unsigned flags), (out, size_b, flags), *out,
	     size_b)
GIVES_MEMORY(hipMallocHost, (void **out, size_t size_b), (out, size_b), *out, size_b)
GIVES_MEMORY(hipMemAllocHost, (void **out, size_t size_b), (out, size_b), *out, size_b)
GIVES_MEMORY(hipMallocAsync, (void **out, size_t size_b, void *stream), (out, size_b, stream), *out,
	     size_b)
GIVES_MEMORY(hipMallocFromPoolAsync, (void **out, size_t size_b, void *pool, void *stream),
	     (out, size_b, pool, stream), *out, size_b)
GIVES_MEMORY(hipMallocPitch, (void **out, size_t *pitch_b, size_t width_b, size_t height),
	     (out, pitch_b, width_b, height), *out, *pitch_b *height)
GIVES_MEMORY(hipMemAllocPitch,
	     (void **out, size_t *pitch_b, size_t width_b, size_t height, unsigned element_b),
	     (out, pitch_b, width_b, height, element_b), *out, *pitch_b *height)
GIVES_MEMORY(hipMalloc3D, (struct pitched * out, struct extent e), (out, e), out->p,
	     out->pitch_b *e.height *e.depth)

/* The memory stays in a pool of HIP, which gives it to HSA later. */
EXPORT int hipFreeAsync(void *p, void *stream);
int hipFreeAsync(void *p, void *stream)
{
	__typeof__(&hipFreeAsync) real = BW_ROCM_REAL("libamdhip64.so", hipFreeAsync);
	if (!real)
		return NOT_INITIALIZED;
	bw_rocm_frees((uintptr_t)p);
	bw_names_remove(BW_AGENT_OBJECT_BUFFER, (uintptr_t)p);
	return real(p, stream);
}
