/* SPDX-License-Identifier: MIT */
#ifndef BW_TEST_FAKE_ROCM_H
#define BW_TEST_FAKE_ROCM_H

#include <stddef.h>
#include <stdint.h>

/* Where memory comes from, which is called first. */
void fake_rocm_memory(void *(*get_fn)(size_t size_b), void (*put_fn)(void *p));
/* What hipMalloc has allocated for its own use. */
enum { FAKE_ROCM_OWN_B = 100 };
extern void *fake_rocm_own;

int hsa_amd_memory_pool_allocate(uint64_t pool, size_t size_b, uint32_t flags, void **out);
int hsa_amd_memory_pool_free(void *p);
int hipMalloc(void **out, size_t size_b);
int hipFree(void *p);

#endif
