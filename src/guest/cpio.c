/* SPDX-License-Identifier: MIT */
#include "guest/guest_priv.h"

#include <stdio.h>
#include <string.h>

static void align(struct bw_str *archive)
{
	static const char zeros[4];
	bw_str_addn(archive, zeros, -archive->len & 3);
}

void bw_cpio_add(struct bw_str *archive, const char *name, unsigned mode, const void *data,
		 size_t size_b)
{
	/* ino mode uid gid nlink mtime filesize devmajor devminor rdevmajor rdevminor namesize
	 * check; an ino of its own is only needed for hard links */
	bw_str_addf(archive, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", 0u, mode,
		    0u, 0u, 1u, 0u, (unsigned)size_b, 0u, 0u, 0u, 0u, (unsigned)strlen(name) + 1,
		    0u);
	bw_str_addn(archive, name, strlen(name) + 1);
	align(archive);
	bw_str_addn(archive, data, size_b);
	align(archive);
}

void bw_cpio_end(struct bw_str *archive)
{
	bw_cpio_add(archive, "TRAILER!!!", 0, "", 0);
}
