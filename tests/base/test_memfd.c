/* SPDX-License-Identifier: MIT */
#include "base/memfd.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../suite.h"
#include "base/cleanup.h"

/* 0: a file that can be written and sealed */
static int try_one(void)
{
	int fd = bw_memfd("test");
	int r = fd < 0								    ? 1
		: fcntl(fd, F_GETFD) != FD_CLOEXEC				    ? 2
		: ftruncate(fd, 4096)						    ? 3
		: pwrite(fd, "x", 1, 0) != 1					    ? 4
		: fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) ? 5
		: (fcntl(fd, F_GET_SEALS) & ~F_SEAL_EXEC) !=
				(F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
			? 6
			: 0;
	if (fd >= 0)
		close(fd);
	return r;
}

static void can_be_sealed(void **state)
{
	assert_int_equal(try_one(), 0);
}

static void sealed_keeps_its_size(void **state)
{
	int fd = bw_memfd_sealed("test", 8192);
	char byte = 1;
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(lseek(fd, 0, SEEK_END), 8192);
	assert_int_equal(pread(fd, &byte, 1, 8191), 1);
	assert_int_equal(byte, 0);
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	assert_int_equal(ftruncate(fd, 4096), -1);
	assert_int_equal(ftruncate(fd, 16384), -1);
	close(fd);
}

/* Sealed or not, of this size, in memory of that kind. */
static int from_another(unsigned flags, off_t size_b, int seals)
{
	int fd = memfd_create("area", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);
	if (fd < 0)
		return fd;
	assert_int_equal(ftruncate(fd, size_b), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

/* Takes fd. why NULL: it is mapped, and its end can be read whatever its owner does. */
static void expect_map(int fd, const char *why)
{
	void *p = NULL;
	assert_true(fd >= 0);
	_cleanup_error_ struct bw_error *err = bw_memfd_map(fd, 8192, "the area", &p);
	if (why) {
		assert_non_null(err);
		assert_non_null(strstr(err->message, "the area"));
		assert_non_null(strstr(err->message, why));
	} else {
		assert_null(err);
		assert_int_equal(ftruncate(fd, 0), -1);
		assert_int_equal(((volatile uint8_t *)p)[8191], 0);
		munmap(p, 8192);
	}
	close(fd);
}

static void only_what_cannot_shrink_is_mapped(void **state)
{
	expect_map(from_another(0, 8192, F_SEAL_SHRINK), NULL);
	expect_map(from_another(0, 12288, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), NULL);
	expect_map(bw_memfd_sealed("test", 8192), NULL);
	expect_map(from_another(0, 8192, 0), "not sealed");
	expect_map(from_another(0, 8192, F_SEAL_GROW | F_SEAL_SEAL), "not sealed");
	expect_map(from_another(0, 8191, F_SEAL_SHRINK), "8191 bytes, 8192 are needed");
	expect_map(from_another(0, 0, F_SEAL_SHRINK), "0 bytes");
	expect_map(from_another(0, 8192, F_SEAL_SHRINK | F_SEAL_WRITE), "cannot map");
	expect_map(open("/proc/self/exe", O_RDONLY | O_CLOEXEC), "not sealed");
	expect_map(open("/dev/zero", O_RDWR | O_CLOEXEC), "not sealed");
	int pipes[2];
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	close(pipes[1]);
	expect_map(pipes[0], "not sealed");
	/* its pages may be gone when they are touched */
	int huge = from_another(MFD_HUGETLB, 2 << 20, F_SEAL_SHRINK);
	if (huge >= 0)
		expect_map(huge, "not sealed");
}

static int write_setting(char value)
{
	int fd = open("/proc/sys/vm/memfd_noexec", O_WRONLY | O_CLOEXEC);
	int r = fd < 0 || write(fd, &value, 1) != 1;
	if (fd >= 0)
		close(fd);
	return r;
}

/* The setting is one of the PID namespace: a new one may be stricter. */
static void every_memfd_noexec(void **state)
{
	enum { CANNOT = 100 };
	for (char value = '1'; value <= '2'; value++) {
		int status;
		pid_t pid = fork();
		if (!pid) {
			if (unshare(CLONE_NEWPID))
				_exit(CANNOT);
			pid_t inner = fork();
			if (!inner) {
				if (write_setting(value))
					_exit(CANNOT);
				/* is it in force? refused, or changed (since Linux 6.6) */
				int plain = memfd_create("plain", MFD_CLOEXEC);
				if (plain >= 0 && !(fcntl(plain, F_GET_SEALS) & F_SEAL_EXEC))
					_exit(50);
				_exit(try_one());
			}
			waitpid(inner, &status, 0);
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
		}
		waitpid(pid, &status, 0);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == CANNOT)
			print_message(
				"skipped: no PID namespace with vm.memfd_noexec=%c can be made here\n",
				value);
		else
			assert_int_equal(WEXITSTATUS(status), 0);
	}
}

TESTS(can_be_sealed, sealed_keeps_its_size, only_what_cannot_shrink_is_mapped, every_memfd_noexec);
