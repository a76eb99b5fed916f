/* SPDX-License-Identifier: MIT */
#include "base/eventfd.h"

#include <errno.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memfd.h"

int bw_eventfd_raiser_init(struct bw_eventfd_raiser *r)
{
	if (r->aio)
		return 0;
	int file = bw_memfd("breakwater-nothing");
	aio_context_t aio = 0;
	if (file < 0)
		return errno;
	if (syscall(SYS_io_setup, 1, &aio) < 0) {
		int e = errno;
		close(file);
		return e;
	}
	*r = (struct bw_eventfd_raiser){aio, file};
	return 0;
}

void bw_eventfd_raiser_fini(struct bw_eventfd_raiser *r)
{
	if (r->aio) {
		syscall(SYS_io_destroy, r->aio);
		close(r->file);
	}
	*r = (struct bw_eventfd_raiser){0};
}

int bw_eventfd_raise(const struct bw_eventfd_raiser *r, int fd)
{
	char nothing;
	struct iocb read_it = {.aio_lio_opcode = IOCB_CMD_PREAD,
			       .aio_fildes = (uint32_t)r->file,
			       .aio_buf = (uintptr_t)&nothing,
			       .aio_nbytes = sizeof(nothing),
			       .aio_flags = IOCB_FLAG_RESFD,
			       .aio_resfd = (uint32_t)fd};
	struct iocb *list = &read_it;
	struct io_event done;
	if (syscall(SYS_io_submit, r->aio, 1, &list) != 1)
		return errno;
	/* A read of memory has ended when io_submit returns; its place in the queue is freed. */
	syscall(SYS_io_getevents, r->aio, 0, 1, &done, NULL);
	return 0;
}

bool bw_is_eventfd(int fd)
{
	char path[32], name[32] = "";
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return fd >= 0 && readlink(path, name, sizeof(name) - 1) > 0 &&
	       !strcmp(name, "anon_inode:[eventfd]");
}
