/* SPDX-License-Identifier: MIT */
/* Preloaded into a program, it stands for an agent that lies: the memory that is handed to the
 * debugger, of UNSEALED_B bytes or more, is replaced by a copy without seals, which is cut to
 * nothing a moment later. With UNSEALED_KEEP it is handed over as it is, and then cut. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static int area = -1;

static void *cut(void *cookie)
{
	usleep(300000);
	fprintf(stderr, "unsealed: cut, %d\n", ftruncate(area, 0));
	return NULL;
}

static int copy_of(int fd, off_t size_b)
{
	int copy = memfd_create("area", 0);
	if (copy < 0 || ftruncate(copy, size_b))
		return -1;
	void *from = mmap(NULL, (size_t)size_b, PROT_READ, MAP_SHARED, fd, 0);
	void *to = mmap(NULL, (size_t)size_b, PROT_READ | PROT_WRITE, MAP_SHARED, copy, 0);
	if (from == MAP_FAILED || to == MAP_FAILED)
		return -1;
	memcpy(to, from, (size_t)size_b);
	return copy;
}

ssize_t sendmsg(int sock, const struct msghdr *m, int flags)
{
	ssize_t (*real)(int, const struct msghdr *, int) = dlsym(RTLD_NEXT, "sendmsg");
	const char *least = getenv("UNSEALED_B");
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	pthread_t thread;
	int fd;
	if (least && area < 0 && c && c->cmsg_type == SCM_RIGHTS &&
	    (!strcmp(program_invocation_short_name, "breakwater-launch") ||
	     !strcmp(program_invocation_short_name, "again"))) {
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
		off_t size_b = lseek(fd, 0, SEEK_END);
		const int kept = getenv("UNSEALED_KEEP") ? dup(fd) : -1;
		if (size_b >= atoll(least) &&
		    (area = kept >= 0 ? kept : copy_of(fd, size_b)) >= 0) {
			memcpy(CMSG_DATA(c), &area, sizeof(area));
			pthread_create(&thread, NULL, cut, NULL);
		}
	}
	return real(sock, m, flags);
}
