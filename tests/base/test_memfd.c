/* SPDX-License-Identifier: MIT */
#include "base/memfd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(can_be_sealed),
		cmocka_unit_test(sealed_keeps_its_size),
		cmocka_unit_test(every_memfd_noexec),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
