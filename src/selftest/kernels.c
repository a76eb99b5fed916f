/* SPDX-License-Identifier: MIT */
/* The kernels of the self-test: machine code made at build time (kernels/kernel.inc), and those of
 * the inferences, which are one array (kernels/inferred.S). */
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
extern const unsigned char bw_selftest_inferred[];
extern const unsigned long bw_selftest_inferred_size;

/* The array ends with three dwords a kernel: begin, end and mark. */
static bool find_inferred(const char *name, struct bw_selftest_kernel *out)
{
	size_t n;
	const struct bw_selftest_inference *all = bw_selftest_inferences(&n);
	for (size_t i = 0; i < n; i++) {
		uint32_t at[3];
		if (strcmp(all[i].name, name))
			continue;
		memcpy(at, bw_selftest_inferred + bw_selftest_inferred_size - (n - i) * sizeof(at),
		       sizeof(at));
		assert(at[0] <= at[2] && at[2] < at[1] && at[1] < bw_selftest_inferred_size);
		*out = (struct bw_selftest_kernel){.name = name,
						   .code = bw_selftest_inferred + at[0],
						   .size_b = at[1] - at[0],
						   .mark_b = at[2] - at[0]};
		return true;
	}
	return false;
}

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
	struct bw_selftest_kernel inferred = {0};
	bool found = find_inferred(name, &inferred);
	assert(found && "no such kernel");
	(void)found;
	return inferred;
}

/* The launcher's process has the name of the kernel's file. */
static bool is_of_kernel(const char *kernel, const char *name, size_t n)
{
	enum { COMM = 15 };
	char program[64];
	snprintf(program, sizeof(program), "%s.bin", kernel);
	return n == BW_MIN(strlen(program), (size_t)COMM) && !strncmp(program, name, n);
}

bool bw_selftest_is_program(const char *name, size_t n)
{
	static const char *const kernels[] = {
#define KERNEL(name) #name,
		KERNELS(KERNEL)
#undef KERNEL
	};
	size_t n_inferred;
	const struct bw_selftest_inference *all = bw_selftest_inferences(&n_inferred);
	bool found = false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(kernels); i++)
		found |= is_of_kernel(kernels[i], name, n);
	for (size_t i = 0; i < n_inferred; i++)
		found |= is_of_kernel(all[i].name, name, n);
	return found;
}
