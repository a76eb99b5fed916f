/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

void bw_file_remove_half(const char *path)
{
	const int why = errno;
	struct stat st;
	if (!stat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
	errno = why;
}

/* 0, or the errno of what failed. */
static int write_to(FILE *f, const void *data, size_t size_b)
{
	const int why = size_b && fwrite(data, 1, size_b, f) != size_b ? errno : 0;
	return fclose(f) && !why ? errno : why;
}

struct bw_error *bw_file_write(const char *path, const char *mode, const void *data, size_t size_b)
{
	const bool appends = mode[0] == 'a';
	struct stat st = {0};
	FILE *f = fopen(path, mode);
	if (!f)
		return bw_error_errno(errno, "cannot write %s", path);
	const bool is_file = !fstat(fileno(f), &st) && S_ISREG(st.st_mode);
	const int why = write_to(f, data, size_b);
	if (!why)
		return NULL;
	if (!appends)
		bw_file_remove_half(path);
	else if (is_file && truncate(path, st.st_size) < 0)
		return bw_error_errno(why, "%s could not be written whole", path);
	return bw_error_errno(why, "cannot write %s", path);
}

static void on_limit(int signal)
{
}

void bw_file_limit_is_error(void)
{
	/* a handler, not SIG_IGN: what is started has the default again */
	struct sigaction a = {.sa_handler = on_limit, .sa_flags = SA_RESTART};
	sigaction(SIGXFSZ, &a, NULL);
}
