/* SPDX-License-Identifier: MIT */
#include "dap/output.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/memfd.h"

struct bw_error *bw_dap_sink_open(struct bw_dap_sink *s, const char *name)
{
	s->fd = bw_memfd(name);
	if (s->fd < 0 || fcntl(s->fd, F_SETFL, O_APPEND))
		return bw_error_errno(errno, "cannot keep output");
	return NULL;
}

void bw_dap_sink_close(struct bw_dap_sink *s)
{
	if (s->fd >= 0)
		close(s->fd);
}

size_t bw_dap_sink_take(struct bw_dap_sink *s, char *out, size_t max)
{
	ssize_t got = pread(s->fd, out, max, s->read);
	if (got <= 0)
		return 0;
	/* frees the memory of what was read */
	fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, s->read, got);
	s->read += got;
	return (size_t)got;
}
