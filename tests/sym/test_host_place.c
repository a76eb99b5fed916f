/* SPDX-License-Identifier: MIT */
#include "sym/host_place.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../suite.h"

/* Where this program itself is, as its file has addresses. */
static uint64_t in_file(const void *at)
{
	Dl_info info;
	struct link_map *map;
	assert_int_not_equal(dladdr1(at, &info, (void **)&map, RTLD_DL_LINKMAP), 0);
	return (uintptr_t)at - map->l_addr;
}

__attribute__((noinline)) static unsigned here(void)
{
	struct bw_host_place p;
	uint64_t addr = in_file(__builtin_return_address(0)) - 1;
	assert_true(bw_host_place("/proc/self/exe", addr, &p));
	assert_string_equal(p.function, "finds_itself");
	assert_string_equal(p.file, "test_host_place.c");
	return p.line;
}

static void finds_itself(void **state)
{
	assert_int_equal(here(), __LINE__);
}

__attribute__((noinline)) static const void *caller(void)
{
	return __builtin_return_address(0);
}

static inline __attribute__((always_inline)) unsigned inlined(void)
{
	struct bw_host_place p[4];
	uint64_t addr = in_file(caller()) - 1;
	assert_int_equal(bw_host_places("/proc/self/exe", addr, p, 4), 2);
	assert_string_equal(p[0].function, "inlined");
	assert_string_equal(p[1].function, "finds_callers_of_inlined_functions");
	assert_string_equal(p[1].file, "test_host_place.c");
	assert_int_equal(bw_host_places("/proc/self/exe", addr, p, 1), 1);
	assert_string_equal(p[0].function, "inlined");
	assert_int_equal(bw_host_places("/proc/self/exe", addr, p, 0), 0);
	return p[1].line;
}

static void finds_callers_of_inlined_functions(void **state)
{
	assert_int_equal(inlined(), __LINE__);
}

static void other_files(void **state)
{
	struct bw_host_place p;
	assert_false(bw_host_place("/proc/self/maps", 0, &p));
	assert_false(bw_host_place("/nowhere", 0x1000, &p));
	assert_false(bw_host_place("/proc/self/exe", 0, &p));
	assert_string_equal(p.function, "");
	assert_int_equal(p.line, 0);
}

/* Debug information that ends early: no crash, and no line or a line. */
static void damaged(void **state)
{
	char path[] = "/tmp/bw-test-host-XXXXXX";
	int fd = mkstemp(path);
	FILE *self = fopen("/proc/self/exe", "r");
	assert_true(fd >= 0 && self);
	static char bytes[1 << 20];
	size_t n = fread(bytes, 1, sizeof(bytes), self);
	assert_true(n > 4096 && write(fd, bytes, n) == (ssize_t)n);
	for (size_t end = n; end > 16; end /= 2) {
		struct bw_host_place p;
		assert_int_equal(ftruncate(fd, (off_t)end), 0);
		bw_host_place(path, in_file(__builtin_return_address(0)), &p);
	}
	fclose(self);
	close(fd);
	unlink(path);
}

TESTS(finds_itself, finds_callers_of_inlined_functions, other_files, damaged);
