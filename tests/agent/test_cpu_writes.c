/* SPDX-License-Identifier: MIT */
/* Pages that the program has written, as the kernel notes them: by each way in which a mapping is
 * written, after its end, and where it is not known. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/agent.h"
#include "agent/cpu_writes.h"
#include "base/memfd.h"

enum { PAGE_B = 4096, PAGES = 300 };

/* What the rest of the agent does with its own descriptors. */
int bw_agent_fd_move_high(int fd)
{
	return fd;
}

void bw_agent_fd_own(int fd, bool is_own)
{
	(void)fd;
	(void)is_own;
}

static const struct bw_cpu_writes_of name = {.file = 3, .serial = 7};
static int memory = -1;
static bool is_able; /* the kernel does it */

static uint8_t *map(uint64_t first, uint64_t n)
{
	uint8_t *p = mmap(NULL, n * PAGE_B, PROT_READ | PROT_WRITE, MAP_SHARED, memory,
			  (off_t)(first * PAGE_B));
	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static uint8_t *watched(uint64_t first, uint64_t n)
{
	uint8_t *p = map(first, n);
	bw_cpu_writes_mapped(name, p, n * PAGE_B, first * PAGE_B);
	return p;
}

/* The pages, each as often as it was told. */
static void check_written(const char *expected)
{
	struct bw_cpu_writes_ranges all = {0};
	unsigned times[PAGES] = {0};
	char text[2000] = "";
	assert_true(bw_cpu_writes_take(name, &all));
	bw_vec_each(&all, r)
		for (uint64_t i = r->first; i < r->first + r->n; i++)
			times[i]++;
	for (unsigned i = 0; i < PAGES; i++)
		if (times[i])
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u ", i);
	bw_vec_free(&all);
	assert_string_equal(text, expected);
}

static void forget_first(void)
{
	struct bw_cpu_writes_ranges all = {0};
	assert_true(bw_cpu_writes_take(name, &all));
	bw_vec_free(&all);
}

static int set_up(void **state)
{
	(void)state;
	memory = bw_memfd("cpu-writes");
	return memory < 0 || ftruncate(memory, (off_t)PAGES * PAGE_B);
}

static int tear_down(void **state)
{
	(void)state;
	bw_cpu_writes_forget(name);
	return close(memory);
}

static void knows_what_is_written(void **state)
{
	(void)state;
	if (!is_able)
		skip();
	uint8_t *p = watched(0, PAGES), *other = map(0, PAGES);
	forget_first();
	check_written("");
	p[5 * PAGE_B] = 1;
	p[6 * PAGE_B + 4095] = 1;
	p[299 * PAGE_B] = 1;
	check_written("5 6 299 ");
	check_written("");
	/* read, and written by another mapping, as the GPU does */
	assert_int_equal(p[7 * PAGE_B], 0);
	other[8 * PAGE_B] = 1;
	check_written("");
	/* by the kernel, for the program */
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(zero, p + 20 * PAGE_B, 2 * PAGE_B), 2 * PAGE_B);
	close(zero);
	check_written("20 21 ");
	/* pages that leave the page tables after they were written */
	p[30 * PAGE_B] = 1;
	assert_int_equal(madvise(p, (size_t)PAGES * PAGE_B, MADV_DONTNEED), 0);
	check_written("30 ");
	/* more ranges than one call of the kernel tells */
	for (unsigned i = 0; i < PAGES; i += 2)
		p[i * PAGE_B] = 2;
	struct bw_cpu_writes_ranges all = {0};
	assert_true(bw_cpu_writes_take(name, &all));
	assert_int_equal(all.len, PAGES / 2);
	bw_vec_free(&all);
	/* by the agent */
	bw_cpu_writes_by_agent(name, 41 * PAGE_B - 1, 2);
	check_written("40 41 ");
	bw_cpu_writes_unmapped(p, (size_t)PAGES * PAGE_B);
	munmap(p, (size_t)PAGES * PAGE_B);
	munmap(other, (size_t)PAGES * PAGE_B);
}

static void knows_it_after_the_end_of_a_mapping(void **state)
{
	(void)state;
	if (!is_able)
		skip();
	uint8_t *p = watched(100, 10), *q = watched(0, 4);
	forget_first();
	p[0] = p[4 * PAGE_B] = p[9 * PAGE_B] = 1;
	q[PAGE_B] = 1;
	/* from the middle of one: it is two then */
	bw_cpu_writes_unmapped(p + 3 * PAGE_B, 3 * PAGE_B);
	munmap(p + 3 * PAGE_B, 3 * PAGE_B);
	check_written("1 100 104 109 ");
	p[2 * PAGE_B] = p[6 * PAGE_B] = 1;
	check_written("102 106 ");
	bw_cpu_writes_unmapped(p, 10 * PAGE_B);
	munmap(p, 3 * PAGE_B);
	munmap(p + 6 * PAGE_B, 4 * PAGE_B);
	q[3 * PAGE_B] = 1;
	bw_cpu_writes_unmapped(q, 1); /* whole pages */
	check_written("3 ");
	bw_cpu_writes_unmapped(q, 4 * PAGE_B);
	munmap(q, 4 * PAGE_B);
	/* nothing is mapped any more, and that is known */
	check_written("");
}

static void says_what_it_does_not_know(void **state)
{
	(void)state;
	struct bw_cpu_writes_ranges all = {0};
	/* a buffer that it was never told of */
	assert_false(bw_cpu_writes_take(name, &all));
	if (!is_able)
		skip();
	uint8_t *p = watched(0, 4);
	assert_true(bw_cpu_writes_take(name, &all));
	bw_cpu_writes_moved(p, 4 * PAGE_B);
	assert_false(bw_cpu_writes_take(name, &all));
	bw_cpu_writes_forget(name);
	bw_cpu_writes_mapped(name, p, 4 * PAGE_B, 0);
	assert_true(bw_cpu_writes_take(name, &all));
	/* mapped once more, in a way that nobody watches */
	bw_cpu_writes_unknown(name);
	assert_false(bw_cpu_writes_take(name, &all));
	bw_cpu_writes_forget(name);
	/* no page boundary */
	bw_cpu_writes_mapped(name, p, 4 * PAGE_B, 1);
	assert_false(bw_cpu_writes_take(name, &all));
	bw_cpu_writes_forget(name);
	/* written again and again, and nobody asks */
	bw_cpu_writes_mapped(name, p, 4 * PAGE_B, 0);
	for (unsigned i = 0; i < 5000; i++)
		bw_cpu_writes_by_agent(name, i % 4 * PAGE_B, 1);
	assert_false(bw_cpu_writes_take(name, &all));
	bw_cpu_writes_unmapped(p, 4 * PAGE_B);
	munmap(p, 4 * PAGE_B);
	bw_vec_free(&all);
}

/* The last one: nothing is known from there on. */
static void ends(void **state)
{
	(void)state;
	struct bw_cpu_writes_ranges all = {0};
	uint8_t *p = watched(0, 4);
	bw_cpu_writes_end();
	assert_false(bw_cpu_writes_take(name, &all));
	bw_cpu_writes_mapped(name, p, 4 * PAGE_B, 0);
	assert_false(bw_cpu_writes_take(name, &all));
	p[0] = 1;
	bw_cpu_writes_unmapped(p, 4 * PAGE_B);
	munmap(p, 4 * PAGE_B);
	bw_cpu_writes_fork_child();
	bw_vec_free(&all);
}

/* Linux 6.7 and later do. */
static bool find_out(void)
{
	struct bw_cpu_writes_ranges all = {0};
	set_up(NULL);
	uint8_t *p = watched(0, 1);
	bool ok = bw_cpu_writes_take(name, &all);
	bw_cpu_writes_unmapped(p, PAGE_B);
	munmap(p, PAGE_B);
	tear_down(NULL);
	bw_vec_free(&all);
	return ok;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(knows_what_is_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(knows_it_after_the_end_of_a_mapping, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(says_what_it_does_not_know, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ends, set_up, tear_down),
	};
	is_able = find_out();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
