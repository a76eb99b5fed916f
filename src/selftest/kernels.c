/* SPDX-License-Identifier: MIT */
/* The kernels of the self-test: machine code made at build time (kernels/kernel.inc). */
#include "selftest/selftest_priv.h"

#include <assert.h>
#include <string.h>

#include "base/util.h"

#define KERNELS(X) X(count) X(empty) X(linger) X(save) X(store) X(trap)
#define KERNEL(name)                                                                               \
	extern const unsigned char bw_selftest_##name[];                                           \
	extern const unsigned long bw_selftest_##name##_size;
KERNELS(KERNEL)
#undef KERNEL

struct bw_selftest_kernel bw_selftest_kernel(const char *name)
{
	static const struct {
		const char *name;
		const unsigned char *code;
		const unsigned long *size_b;
	} kernels[] = {
#define KERNEL(name) {#name, bw_selftest_##name, &bw_selftest_##name##_size},
		KERNELS(KERNEL)
#undef KERNEL
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(kernels); i++) {
		if (strcmp(kernels[i].name, name))
			continue;
		struct bw_selftest_kernel k = {
			.name = name, .code = kernels[i].code, .size_b = *kernels[i].size_b - 4};
		memcpy(&k.mark_b, k.code + k.size_b, 4);
		assert(k.mark_b < k.size_b);
		return k;
	}
	assert(!"no such kernel");
	return (struct bw_selftest_kernel){0};
}
