/* SPDX-License-Identifier: MIT */
#include "base/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"

/* older headers */
#ifndef DMA_BUF_MAGIC
#define DMA_BUF_MAGIC 0x444d4142
#endif
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

struct bw_error *bw_memfd_check(int fd, uint64_t size_b, const char *what)
{
	struct statfs fs;
	if (fstatfs(fd, &fs))
		return bw_error_errno(errno, "%s", what);
	bool is_dma_buf = fs.f_type == DMA_BUF_MAGIC;
	int seals = fcntl(fd, F_GET_SEALS);
	if (!is_dma_buf && (fs.f_type != TMPFS_MAGIC || seals < 0 || !(seals & F_SEAL_SHRINK)))
		return bw_errorf(BW_E_INVALID, "%s is refused: it is not sealed against shrinking",
				 what);
	/* a dma-buf says its size in no other way */
	off_t end = lseek(fd, 0, SEEK_END);
	if (end < 0 || (uint64_t)end < size_b)
		return bw_errorf(BW_E_INVALID, "%s is refused: it has %lld bytes, %llu are needed",
				 what, (long long)end, (unsigned long long)size_b);
	return NULL;
}

struct bw_error *bw_memfd_map(int fd, uint64_t size_b, const char *what, void **out)
{
	BW_TRY(bw_memfd_check(fd, size_b, what));
	void *p = mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return bw_error_errno(errno, "cannot map %s", what);
	*out = p;
	return NULL;
}
