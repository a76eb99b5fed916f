/* SPDX-License-Identifier: MIT */
/* A mapped file of another process, in which the symbol of ROCm's runtime is looked for. */
#include <assert.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scan/loaded.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
static volatile uint64_t sum;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	uint64_t place = 0;
	int fd = memfd_create("loaded", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	if (bw_scan_find_list(fd, &place))
		sum += place;
	close(fd);
	return 0;
}
