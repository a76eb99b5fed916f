/* SPDX-License-Identifier: MIT */
#include "base/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008u
#endif

int bw_memfd(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	/* before Linux 6.3 */
	return fd < 0 && errno == EINVAL ? memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING) : fd;
}

int bw_memfd_sealed(const char *name, uint64_t size_b)
{
	_cleanup_close_ int fd = bw_memfd(name);
	if (fd < 0 || ftruncate(fd, (off_t)size_b) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return -1;
	return bw_take_fd(fd);
}
