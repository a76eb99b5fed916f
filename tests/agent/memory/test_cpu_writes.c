/* SPDX-License-Identifier: MIT */
/* Pages that the program has written, as the kernel notes them: by each way in which a mapping is
 * written, after its end, and where it is not known. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../suite.h"
#include "agent/agent.h"
#include "agent/memory/cpu_writes.h"
#include "base/memfd.h"

enum { PAGE_B = 4096, PAGES = 300 };

/* What the rest of the agent does with its own descriptors. */
int bw_agent_fd_keep(int fd)
{
	return fd;
}

void bw_agent_fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

enum { NAME = 7 };
static int memory = -1;
static uint8_t *map(uint64_t first, uint64_t n)
{
	uint8_t *p = mmap(NULL, n * PAGE_B, PROT_READ | PROT_WRITE, MAP_SHARED, memory,
			  (off_t)(first * PAGE_B));
	assert_ptr_not_equal(p, MAP_FAILED);
	return p;
}

static void map_at(uint8_t *at, uint64_t page)
{
	assert_ptr_equal(mmap(at, PAGE_B, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory,
			      (off_t)(page * PAGE_B)),
			 at);
}

static uint8_t *watched(uint64_t first, uint64_t n)
{
	uint8_t *p = map(first, n);
	bw_cpu_writes_mapped(NAME, p, n * PAGE_B, first * PAGE_B);
	return p;
}

/* Whether it is known; all: what was written. */
static bool take(struct bw_cpu_writes *all)
{
	all->serial = NAME;
	bw_cpu_writes_take(&all, 1);
	return all->is_known;
}

/* The pages. */
static void check_written(const char *expected)
{
	struct bw_cpu_writes all = {0};
	unsigned times[PAGES] = {0};
	char text[2000] = "";
	assert_true(take(&all));
	bw_vec_each(&all.ranges, r)
		for (uint64_t i = r->first; i < r->first + r->n; i++)
			times[i]++;
	for (unsigned i = 0; i < PAGES; i++)
		if (times[i])
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u ", i);
	bw_vec_free(&all.ranges);
	assert_string_equal(text, expected);
}

static void forget_first(void)
{
	struct bw_cpu_writes all = {0};
	assert_true(take(&all));
	bw_vec_free(&all.ranges);
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
	bw_cpu_writes_forget(NAME);
	return close(memory);
}

/* Linux 6.7 and later are. */
static bool is_able(void)
{
	struct bw_cpu_writes all = {0};
	uint8_t *p = watched(0, 1);
	bool ok = take(&all);
	munmap(p, PAGE_B);
	bw_cpu_writes_forget(NAME);
	bw_vec_free(&all.ranges);
	return ok;
}

static void knows_what_is_written(void **state)
{
	(void)state;
	if (!is_able())
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
	struct bw_cpu_writes all = {0};
	assert_true(take(&all));
	assert_int_equal(all.ranges.len, PAGES / 2);
	bw_vec_free(&all.ranges);
	/* by the agent */
	bw_cpu_writes_by_agent(NAME, 41 * PAGE_B - 1, 2);
	check_written("40 41 ");
	bw_cpu_writes_unmapped(p, (size_t)PAGES * PAGE_B);
	munmap(p, (size_t)PAGES * PAGE_B);
	munmap(other, (size_t)PAGES * PAGE_B);
}

static void knows_it_after_the_end_of_a_mapping(void **state)
{
	(void)state;
	if (!is_able())
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
	struct bw_cpu_writes all = {0};
	/* a buffer that it was never told of */
	assert_false(take(&all));
	if (!is_able())
		skip();
	uint8_t *p = watched(0, 4);
	assert_true(take(&all));
	bw_cpu_writes_moved(p, 4 * PAGE_B);
	assert_false(take(&all));
	bw_cpu_writes_forget(NAME);
	bw_cpu_writes_mapped(NAME, p, 4 * PAGE_B, 0);
	assert_true(take(&all));
	/* mapped once more, in a way that nobody watches */
	bw_cpu_writes_unknown(NAME);
	assert_false(take(&all));
	bw_cpu_writes_forget(NAME);
	/* no page boundary */
	bw_cpu_writes_mapped(NAME, p, 4 * PAGE_B, 1);
	assert_false(take(&all));
	bw_cpu_writes_forget(NAME);
	/* written again and again, and nobody asks */
	bw_cpu_writes_mapped(NAME, p, 4 * PAGE_B, 0);
	for (unsigned i = 0; i < 5000; i++)
		bw_cpu_writes_by_agent(NAME, i % 4 * PAGE_B, 1);
	assert_false(take(&all));
	bw_cpu_writes_unmapped(p, 4 * PAGE_B);
	munmap(p, 4 * PAGE_B);
	bw_vec_free(&all.ranges);
}

/* ---- Many buffers ---- */

enum { MANY = PAGES, FIRST_SERIAL = 1000, NEW_SERIAL = 2000 };

static bool is_written(const struct bw_cpu_writes *w)
{
	return w->is_known && w->ranges.len == 1 && w->ranges.data[0].first == 0 &&
	       w->ranges.data[0].n == 1;
}

/* Asks for all of them, and counts those of which it says another thing than `expected` has: '-'
 * not known, '1' its page is written, '0' it is not. */
static unsigned count_wrong(struct bw_cpu_writes *all, const char *expected)
{
	struct bw_cpu_writes *asked[MANY];
	unsigned n_wrong = 0;
	for (unsigned i = 0; i < MANY; i++)
		asked[i] = &all[i];
	bw_cpu_writes_take(asked, MANY);
	for (unsigned i = 0; i < MANY; i++) {
		const struct bw_cpu_writes *w = &all[i];
		char said = !w->is_known ? '-' : w->ranges.len ? '1' : '0';
		n_wrong += said != expected[i] || (said == '1' && !is_written(w));
	}
	return n_wrong;
}

/* One page for each of many buffers, in mappings that touch each other: the kernel tells of
 * several of them at once. */
static void tells_many_buffers_apart(void **state)
{
	(void)state;
	if (!is_able())
		skip();
	struct bw_cpu_writes all[MANY] = {0};
	char expected[MANY + 1] = "";
	uint8_t *p =
		mmap(NULL, (size_t)MANY * PAGE_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p, MAP_FAILED);
	/* in no order of addresses: 7 and MANY have no divisor in common */
	for (unsigned k = 0; k < MANY; k++) {
		unsigned i = k * 7 % MANY;
		uint8_t *at = p + (size_t)i * PAGE_B;
		map_at(at, i);
		all[i].serial = FIRST_SERIAL + i;
		bw_cpu_writes_mapped(all[i].serial, at, PAGE_B, 0);
	}
	memset(expected, '0', MANY);
	count_wrong(all, expected); /* the first time: all that may have been */
	assert_int_equal(count_wrong(all, expected), 0);
	/* single ones, and some that touch each other */
	for (unsigned i = 0; i < MANY; i++)
		if (i % 10 == 3 || (i >= 100 && i < 140)) {
			p[(size_t)i * PAGE_B + 17] = 1;
			expected[i] = '1';
		}
	assert_int_equal(count_wrong(all, expected), 0);
	memset(expected, '0', MANY);
	assert_int_equal(count_wrong(all, expected), 0);
	/* one of them is forgotten, its place is another buffer's; one is unmapped after a write;
	 * of one nothing is known any more; and one is another mapping, unseen */
	bw_cpu_writes_unmapped(p + 50 * PAGE_B, PAGE_B);
	bw_cpu_writes_forget(all[50].serial);
	all[50].serial = NEW_SERIAL;
	map_at(p + 50 * PAGE_B, 50);
	bw_cpu_writes_mapped(NEW_SERIAL, p + 50 * PAGE_B, PAGE_B, 0);
	p[60 * PAGE_B] = p[61 * PAGE_B] = 1;
	bw_cpu_writes_unmapped(p + 60 * PAGE_B, PAGE_B);
	munmap(p + 60 * PAGE_B, PAGE_B);
	bw_cpu_writes_unknown(all[70].serial);
	p[70 * PAGE_B] = p[71 * PAGE_B] = 1;
	expected[50] = expected[60] = expected[61] = expected[71] = '1';
	expected[70] = '-';
	assert_int_equal(count_wrong(all, expected), 0);
	memset(expected, '0', MANY);
	expected[70] = '-';
	assert_int_equal(count_wrong(all, expected), 0);
	/* a mapping that nobody told of lies in the middle: those beside it are not known, but the
	 * others are */
	assert_ptr_not_equal(mmap(p + 80 * PAGE_B, PAGE_B, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
			     MAP_FAILED);
	p[40 * PAGE_B] = 1;
	memset(expected + 71, '-', MANY - 71);
	expected[40] = '1';
	assert_int_equal(count_wrong(all, expected), 0);
	for (unsigned i = 0; i < MANY; i++) {
		bw_cpu_writes_forget(all[i].serial);
		bw_vec_free(&all[i].ranges);
	}
	munmap(p, (size_t)MANY * PAGE_B);
}

/* The last one: nothing is known from there on. */
static void ends(void **state)
{
	(void)state;
	struct bw_cpu_writes all = {0};
	uint8_t *p = watched(0, 4);
	bw_cpu_writes_end();
	assert_false(take(&all));
	bw_cpu_writes_mapped(NAME, p, 4 * PAGE_B, 0);
	assert_false(take(&all));
	p[0] = 1;
	bw_cpu_writes_unmapped(p, 4 * PAGE_B);
	munmap(p, 4 * PAGE_B);
	bw_cpu_writes_fork_child();
	bw_vec_free(&all.ranges);
}

TESTS_EACH(set_up, tear_down, knows_what_is_written, knows_it_after_the_end_of_a_mapping,
	   says_what_it_does_not_know, tells_many_buffers_apart, ends);
