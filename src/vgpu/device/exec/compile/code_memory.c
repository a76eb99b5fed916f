/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/compile/code_memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"

/* older headers; Linux 6.3 */
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010u
#endif

bool bw_code_memory_init(struct bw_code_memory *m, size_t size_b)
{
	_cleanup_close_ int fd = memfd_create("breakwater-code", MFD_CLOEXEC | MFD_EXEC);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("breakwater-code", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)size_b) < 0)
		return false;
	void *write = mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	void *run = mmap(NULL, size_b, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	*m = (struct bw_code_memory){.write = write, .run = run, .size_b = size_b};
	if (write != MAP_FAILED && run != MAP_FAILED)
		return true;
	if (write != MAP_FAILED)
		munmap(write, size_b);
	if (run != MAP_FAILED)
		munmap(run, size_b);
	return false;
}

void bw_code_memory_fini(struct bw_code_memory *m)
{
	munmap(m->write, m->size_b);
	munmap((void *)m->run, m->size_b);
	*m = (struct bw_code_memory){0};
}
