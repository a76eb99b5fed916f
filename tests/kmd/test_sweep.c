// SPDX-License-Identifier: MIT
/* Folders of killed sessions are removed, and nothing that lives is touched or even disturbed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "kmd/kmd_priv.h"

struct place {
	char base[64], folder[128], path[160];
	int fd;
};

/* A folder as sessions make it, with a bound socket in it whose file is an hour old. */
static void make(struct place *p, bool listening, bool old)
{
	strcpy(p->base, "/tmp/bw-sweep-XXXXXX");
	assert_non_null(mkdtemp(p->base));
	snprintf(p->folder, sizeof(p->folder), "%s/breakwater-abcdef", p->base);
	assert_int_equal(mkdir(p->folder, 0700), 0);
	snprintf(p->path, sizeof(p->path), "%s/agent", p->folder);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	assert_true(strlen(p->path) < sizeof(address.sun_path));
	strcpy(address.sun_path, p->path);
	p->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(p->fd >= 0);
	assert_int_equal(bind(p->fd, (struct sockaddr *)&address, sizeof(address)), 0);
	if (listening)
		assert_int_equal(listen(p->fd, 4), 0);
	if (old) {
		const struct timespec times[2] = {{.tv_sec = time(NULL) - 3600}, {.tv_sec = time(NULL) - 3600}};
		assert_int_equal(utimensat(AT_FDCWD, p->path, times, 0), 0);
	}
}

static void drop(struct place *p)
{
	if (p->fd >= 0)
		close(p->fd);
	unlink(p->path);
	rmdir(p->folder);
	assert_int_equal(rmdir(p->base), 0);
}

static void test_dead_is_removed(void **state)
{
	struct place p;
	make(&p, true, true);
	close(p.fd);
	p.fd = -1;
	bw_kmd_sweep(p.base);
	assert_int_equal(access(p.folder, F_OK), -1);
	drop(&p);
}

static void test_living_sees_no_connection(void **state)
{
	struct place p;
	make(&p, true, true);
	bw_kmd_sweep(p.base);
	assert_int_equal(access(p.path, F_OK), 0);
	assert_int_equal(accept(p.fd, NULL, NULL), -1);
	assert_int_equal(errno, EAGAIN);
	drop(&p);
}

/* Bound, and about to listen. */
static void test_not_listening_yet(void **state)
{
	struct place p;
	make(&p, false, true);
	bw_kmd_sweep(p.base);
	assert_int_equal(access(p.path, F_OK), 0);
	drop(&p);
}

static void test_young_is_left_alone(void **state)
{
	struct place p;
	make(&p, true, false);
	close(p.fd);
	p.fd = -1;
	bw_kmd_sweep(p.base);
	assert_int_equal(access(p.path, F_OK), 0);
	drop(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dead_is_removed),
		cmocka_unit_test(test_living_sees_no_connection),
		cmocka_unit_test(test_not_listening_yet),
		cmocka_unit_test(test_young_is_left_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
