/* SPDX-License-Identifier: MIT */
#include "base/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static struct bw_error *split_lines(FILE *f, const char *path, char *buf,
				    void (*fn)(void *, const char *, size_t, unsigned),
				    void *cookie)
{
	size_t have = 0, got;
	unsigned line = 1;
	while ((got = fread(buf + have, 1, BW_LINE_B - have, f)) > 0) {
		size_t at = 0;
		have += got;
		for (char *end; (end = memchr(buf + at, '\n', have - at));) {
			fn(cookie, buf + at, (size_t)(end - buf) - at, line++);
			at = (size_t)(end - buf) + 1;
		}
		if (at == 0 && have == BW_LINE_B) {
			fn(cookie, buf, have, line);
			at = have;
		}
		memmove(buf, buf + at, have - at);
		have -= at;
	}
	if (ferror(f))
		return bw_error_errno(errno, "reading %s", path);
	if (have)
		fn(cookie, buf, have, line);
	return NULL;
}

struct bw_error *
bw_read_lines(const char *path,
	      void (*fn)(void *cookie, const char *text, size_t n, unsigned number), void *cookie)
{
	_cleanup_free_ char *buf = malloc(BW_LINE_B);
	if (!buf)
		return bw_error_nomem();
	if (!strcmp(path, "-"))
		return split_lines(stdin, "standard input", buf, fn, cookie);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	if (!f)
		return bw_error_errno(errno, "cannot open %s", path);
	return split_lines(f, path, buf, fn, cookie);
}
