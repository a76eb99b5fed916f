/* SPDX-License-Identifier: MIT */
#include "agent/memory/peek.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/util.h"

enum { PAGE_B = 4096 };

static size_t read_own(uint64_t at, void *out, size_t size_b)
{
	struct iovec l = {out, size_b}, r = {(void *)(uintptr_t)at, size_b};
	ssize_t n = process_vm_readv(getpid(), &l, 1, &r, 1, 0);
	return n < 0 ? 0 : (size_t)n;
}

size_t bw_agent_peek(uint64_t at, void *out, size_t size_b)
{
	return read_own(at, out, size_b) & ~(size_t)7;
}

long bw_agent_peek_text(uint64_t at, char *out, size_t room)
{
	for (size_t n = 0; n < room;) {
		size_t want = BW_MIN(room - n, (size_t)(PAGE_B - (at + n) % PAGE_B));
		size_t got = read_own(at + n, out + n, want);
		const char *end = memchr(out + n, 0, got);
		if (end)
			return end - out;
		if (got < want)
			return -1;
		n += got;
	}
	return -1;
}
