/* SPDX-License-Identifier: MIT */
#include "dap/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static struct bw_error *make_text(char out[BW_DAP_TOKEN_MAX + 1])
{
	uint8_t bytes[BW_DAP_TOKEN_MIN / 2];
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return bw_error_errno(errno, "there are no random numbers for a token");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
	return NULL;
}

/* Writes a new file. O_EXCL: it is neither an existing file nor a link. */
static struct bw_error *write_new(const char *path, const char *text)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || dprintf(fd, "%s\n", text) != (int)strlen(text) + 1)
		return bw_error_errno(errno, "cannot write the token to %s", path);
	return NULL;
}

/* Reads the token of the file that is open: others can neither have written it nor read it. */
static struct bw_error *read_open(int fd, const char *path, char out[BW_DAP_TOKEN_MAX + 1])
{
	struct stat st;
	char text[BW_DAP_TOKEN_MAX + 2];
	if (fstat(fd, &st))
		return bw_error_errno(errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return bw_errorf(BW_E_INVALID, "%s is not a regular file", path);
	if (st.st_uid != geteuid())
		return bw_errorf(BW_E_INVALID, "%s belongs to another user (uid %u)", path,
				 (unsigned)st.st_uid);
	if (st.st_mode & 077)
		return bw_errorf(BW_E_INVALID,
				 "other users can read or write %s: \"chmod 600\" makes it yours "
				 "alone",
				 path);
	ssize_t n = read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return bw_error_errno(errno, "%s", path);
	text[n] = '\0';
	size_t length = strcspn(text, "\r\n");
	bool has_one = length >= BW_DAP_TOKEN_MIN && length <= BW_DAP_TOKEN_MAX &&
		       length + strspn(text + length, "\r\n") == (size_t)n;
	for (size_t i = 0; has_one && i < length; i++)
		has_one = text[i] > ' ' && text[i] <= '~';
	if (!has_one)
		return bw_errorf(
			BW_E_INVALID,
			"%s does not have a token: one line of %d to %d characters without blanks is needed. A file that does not exist is made",
			path, BW_DAP_TOKEN_MIN, BW_DAP_TOKEN_MAX);
	memcpy(out, text, length);
	out[length] = '\0';
	return NULL;
}

/* Checks that the folder is the user's: in another user's folder, that user could replace the
 * token's file by another file of ours. */
static struct bw_error *check_place(const char *path)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *real = NULL;
	_cleanup_free_ char *folder =
		slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	_cleanup_free_ char *absolute = folder ? realpath(folder, NULL) : NULL;
	if (!absolute)
		return bw_error_errno(errno, "the folder of %s", path);
	return bw_folder_check(absolute, &real);
}

static struct bw_error *use_file(const char *path, char out[BW_DAP_TOKEN_MAX + 1])
{
	BW_TRY(check_place(path));
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		return read_open(fd, path, out);
	if (errno != ENOENT)
		return bw_error_errno(errno, "%s", path);
	BW_TRY(make_text(out));
	return write_new(path, out);
}

struct bw_error *bw_dap_token_make(const char *file, struct bw_dap_token *out)
{
	if (file) {
		out->path = strdup(file);
		if (!out->path)
			return bw_error_nomem();
		return bw_error_wrap(use_file(file, out->text), "--token-file");
	}
	BW_TRY(make_text(out->text));
	BW_TRY(bw_folder_make(BW_FOLDER_DEBUG, &out->folder));
	if (asprintf(&out->path, "%s/token", out->folder.path) < 0) {
		out->path = NULL;
		return bw_error_nomem();
	}
	return write_new(out->path, out->text);
}

void bw_dap_token_fini(struct bw_dap_token *t)
{
	explicit_bzero(t->text, sizeof(t->text));
	free(t->path);
	t->path = NULL;
	bw_folder_remove(&t->folder);
}
