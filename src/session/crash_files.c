/* SPDX-License-Identifier: MIT */
#include "session/crash_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/program.h"
#include "base/util.h"

static void take_line(void *cookie, const char *text, size_t n, unsigned number)
{
	bw_crash_line(cookie, text, n, number);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

enum { MAX_FILES = 256 };

/* Reads a SPIR-V module of a shader, which is not text. */
static struct bw_error *read_module(struct bw_crash *c, const char *path, const char *name)
{
	_cleanup_free_ char *bytes = malloc(BW_CRASH_MAX_MODULE_B);
	FILE *f = bytes ? fopen(path, "re") : NULL;
	if (!f)
		return bytes ? bw_error_errno(errno, "cannot open %s", path) : bw_error_nomem();
	size_t n = fread(bytes, 1, BW_CRASH_MAX_MODULE_B, f);
	fclose(f);
	bw_crash_report_file(&c->report, name, bytes, n);
	return NULL;
}

static bool is_module(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot && !strcmp(dot, ".spv");
}

/* Reads a folder that may come from anyone: only regular files directly in it are read, with any
 * name. */
static struct bw_error *read_folder(struct bw_crash *c, const char *path)
{
	char *names[MAX_FILES];
	size_t n = 0;
	struct bw_error *err = NULL;
	DIR *d = opendir(path);
	if (!d)
		return bw_error_errno(errno, "cannot open %s", path);
	for (struct dirent *e; n < MAX_FILES && (e = readdir(d));)
		if (e->d_name[0] != '.' && (names[n] = strdup(e->d_name)))
			n++;
	qsort(names, n, sizeof(names[0]), by_name);
	for (size_t i = 0; i < n; i++) {
		struct stat st;
		_cleanup_free_ char *file = NULL;
		bool is_plain = !fstatat(dirfd(d), names[i], &st, AT_SYMLINK_NOFOLLOW) &&
				S_ISREG(st.st_mode);
		if (!err && is_plain && asprintf(&file, "%s/%s", path, names[i]) >= 0)
			err = is_module(names[i]) ? read_module(c, file, names[i])
						  : bw_read_lines(file, take_line, c);
		bw_crash_next_file(c);
		free(names[i]);
	}
	closedir(d);
	return err;
}

/* Files that people give in place of a GPU's dump. */
static struct bw_error *check_kind(const char *path)
{
	struct bw_program_file f;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || !bw_program_read(fd, &f) || !f.is_elf)
		return NULL;
	return bw_errorf(BW_E_INVALID,
			 "%s is %s, not a dump of a GPU: amdgpu's dumps are text, in "
			 "/sys/class/drm/card*/device/devcoredump/data for 5 minutes after a reset",
			 path,
			 f.is_core ? "a core dump of a program" : "a program or a code object");
}

struct bw_error *bw_read_crash(const char *const *paths, size_t n, struct bw_crash *out)
{
	for (size_t i = 0; i < n; i++) {
		struct stat st;
		if (strcmp(paths[i], "-") != 0 && !stat(paths[i], &st) && S_ISDIR(st.st_mode))
			BW_TRY(read_folder(out, paths[i]));
		else
			BW_TRY(bw_read_lines(paths[i], take_line, out));
		bw_crash_next_file(out);
	}
	bw_crash_end(out);
	if (out->failed)
		return bw_error_nomem();
	for (size_t i = 0; bw_crash_is_empty(out) && i < n; i++)
		BW_TRY(check_kind(paths[i]));
	if (bw_crash_is_empty(out))
		return bw_errorf(
			BW_E_NOT_FOUND,
			"in %u lines there is no page fault, no timeout, no reset and no dump of "
			"amdgpu. If the GPU hung, take the whole kernel log: journalctl -k -b -1",
			out->n_lines);
	return NULL;
}

bool bw_is_crash(const char *path)
{
	enum { BEGIN_B = 4096 };
	char begin[BEGIN_B];
	struct stat st;
	size_t len = strlen(path);
	if (stat(path, &st))
		return false;
	if (S_ISDIR(st.st_mode))
		return true;
	if (!S_ISREG(st.st_mode))
		return false;
	if (len > 4 && !strcmp(path + len - 4, ".log"))
		return true;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, begin, sizeof(begin));
	return n > 0 && bw_crash_is_banner(begin, (size_t)n);
}
