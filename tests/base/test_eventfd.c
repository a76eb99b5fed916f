/* SPDX-License-Identifier: MIT */
#include "base/eventfd.h"

#include <stdint.h>

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../suite.h"

static struct bw_eventfd_raiser raiser;

static int set_up(void **state)
{
	return bw_eventfd_raiser_init(&raiser);
}

static int tear_down(void **state)
{
	bw_eventfd_raiser_fini(&raiser);
	return 0;
}

static void each_adds_one(void **state)
{
	uint64_t count = 0;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(bw_eventfd_raise(&raiser, fd), 0);
	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 1000);
	close(fd);
}

/* eventfd(2): write() to one that blocks and is full waits until somebody reads it. */
static void a_full_one_that_blocks_is_not_waited_for(void **state)
{
	const uint64_t full = UINT64_MAX - 1;
	int fd = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(write(fd, &full, sizeof(full)), sizeof(full));
	struct pollfd room = {fd, POLLOUT, 0};
	assert_int_equal(poll(&room, 1, 0), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(bw_eventfd_raise(&raiser, fd), 0);
	close(fd);
}

static void what_is_no_eventfd_is_refused(void **state)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(bw_eventfd_raise(&raiser, ends[1]), EINVAL);
	assert_false(bw_is_eventfd(ends[1]));
	assert_false(bw_is_eventfd(-1));
	int fd = eventfd(0, EFD_CLOEXEC);
	assert_true(bw_is_eventfd(fd));
	close(fd);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(bw_eventfd_raise(&raiser, fd), EBADF);
}

TESTS_EACH(set_up, tear_down, each_adds_one, a_full_one_that_blocks_is_not_waited_for,
	   what_is_no_eventfd_is_refused);
