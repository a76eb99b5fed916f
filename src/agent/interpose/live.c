/* SPDX-License-Identifier: MIT */
/* Files of debugfs and sysfs that the virtual GPU answers. In its tree each is an empty file with a
 * mark (BW_AGENT_MODE_LIVE), so that listings and stat() need no change; open() returns a memfd,
 * whose position is the file's, also for duplicates and after fork. Reads and writes of the program
 * go to the server. Text is put into the memfd as well, where a program finds it that has inherited
 * the descriptor through exec. Output of libc's streams, like a shell's echo, stays in the memfd
 * until the descriptor is closed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/memfd.h"
#include "base/util.h"

struct bw_agent_live {
	struct stat st;
	bool positioned, writable;
	char path[]; /* for readlink() */
};

/* The size of one read of a stream: a page, which is the most that some files give at once. */
enum { STREAM_READ_B = 4096, FILL_MAX_B = 64 << 20 };

void bw_agent_live_free(struct bw_agent_live *live)
{
	free(live);
}

const struct stat *bw_agent_live_stat(const struct bw_agent_file *f)
{
	return &f->live->st;
}

ssize_t bw_agent_live_io(struct bw_agent_file *f, uint64_t *pos, void *out, const void *in,
			 size_t size_b)
{
	size_t done = 0;
	/* one call of the program may be several messages; a file that gives less has no more */
	for (;;) {
		uint64_t at = *pos;
		ssize_t n = bw_vgpu_file_io(bw_agent_client(), f->server_file, &at,
					    out ? (char *)out + done : NULL,
					    in ? (const char *)in + done : NULL, size_b - done);
		if (n < 0)
			return done ? (ssize_t)done : n;
		bool moved = at != *pos;
		*pos = at;
		done += (size_t)n;
		if (!n || !moved || done >= size_b)
			return (ssize_t)done;
	}
}

int bw_agent_live_fill(struct bw_agent_file *f, int fd)
{
	uint8_t buf[STREAM_READ_B];
	uint64_t pos = 0, at = 0;
	for (;;) {
		ssize_t n = bw_agent_live_io(f, &pos, buf, NULL, sizeof(buf));
		if (n <= 0)
			return (int)n;
		if (at + (uint64_t)n > FILL_MAX_B)
			return -EFBIG;
		if (REAL(pwrite)(fd, buf, (size_t)n, (off_t)at) != n)
			return -EIO;
		at += (uint64_t)n;
	}
}

void bw_agent_live_flush(int fd)
{
	struct bw_agent_file *f = bw_agent_live_of(fd);
	struct stat st;
	uint8_t buf[STREAM_READ_B];
	if (f && f->live->positioned && f->live->writable && !REAL(fstat)(fd, &st) && st.st_size) {
		ssize_t n = REAL(pread)(fd, buf, sizeof(buf), 0);
		uint64_t pos = 0;
		if (n > 0)
			(void)bw_agent_live_io(f, &pos, NULL, buf, (size_t)n);
		(void)ftruncate(fd, 0);
	}
	bw_agent_file_unref(f);
}

/* The path as the server knows it: without links, from the tree's root on. */
static int server_path(const char *tree_path, char out[PATH_MAX])
{
	if (!REAL(realpath)(tree_path, out))
		return -errno;
	bw_agent_strip_root(out);
	return 0;
}

const char *bw_agent_live_path(const struct bw_agent_file *f)
{
	return f->live->path;
}

static struct bw_agent_file *new_live(const struct stat *st, const char *path)
{
	struct bw_agent_file *f = calloc(1, sizeof(*f));
	struct bw_agent_live *live = calloc(1, sizeof(*live) + strlen(path) + 1);
	if (!f || !live) {
		free(f);
		free(live);
		return NULL;
	}
	strcpy(live->path, path);
	live->st = *st;
	live->st.st_mode = S_IFREG | (st->st_mode & 0777);
	live->st.st_uid = 0;
	live->st.st_gid = 0;
	live->positioned = st->st_mode & BW_AGENT_MODE_POSITIONED;
	atomic_init(&f->refs, 1);
	f->own_fd = -1;
	f->live = live;
	return f;
}

int bw_agent_live_open(const char *tree_path, int flags)
{
	char path[PATH_MAX];
	struct stat st;
	if ((flags & O_PATH) || REAL(stat)(tree_path, &st) || !S_ISREG(st.st_mode) ||
	    !(st.st_mode & BW_AGENT_MODE_LIVE))
		return BW_AGENT_NOT_LIVE;
	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	int r = server_path(tree_path, path);
	struct bw_agent_file *f = r ? NULL : new_live(&st, path);
	if (!f)
		return r ? r : -ENOMEM;
	r = bw_vgpu_file_open(bw_agent_client(), path + 1, flags & O_ACCMODE, &f->server_file);
	if (r) {
		bw_agent_file_unref(f); /* owner is 0: nothing to close at the server */
		return r;
	}
	f->owner = getpid();
	f->live->writable = (flags & O_ACCMODE) != O_RDONLY;
	int fd = bw_memfd("gpu-file");
	r = fd < 0 ? -errno : 0;
	if (!r && !(flags & O_CLOEXEC))
		REAL(fcntl)(fd, F_SETFD, 0);
	if (!r && !f->live->positioned && (flags & O_ACCMODE) != O_WRONLY)
		(void)bw_agent_live_fill(f, fd); /* the program's own read says what is wrong */
	if (!r && !bw_agent_fd_set(fd, f))
		r = -EMFILE;
	bw_agent_file_unref(f);
	if (r && fd >= 0)
		REAL(close)(fd);
	return r ? r : fd;
}

/* ---- streams ---- */

struct stream {
	struct stream *next;
	FILE *file;
	int fd;
	char word[4]; /* its buffer while it is to have none: registers come by words */
};

static struct stream *streams;
static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t stream_read(void *cookie, char *out, size_t size_b)
{
	return read(((struct stream *)cookie)->fd, out, BW_MIN(size_b, (size_t)STREAM_READ_B));
}

static ssize_t stream_write(void *cookie, const char *in, size_t size_b)
{
	ssize_t n = write(((struct stream *)cookie)->fd, in, size_b);
	return n < 0 ? 0 : n; /* fopencookie(3): never negative */
}

static int stream_seek(void *cookie, off64_t *offset, int whence)
{
	off64_t r = lseek64(((struct stream *)cookie)->fd, *offset, whence);
	if (r < 0)
		return -1;
	*offset = r;
	return 0;
}

static int stream_close(void *cookie)
{
	struct stream *s = cookie;
	pthread_mutex_lock(&streams_lock);
	for (struct stream **at = &streams; *at; at = &(*at)->next) {
		if (*at == s) {
			*at = s->next;
			break;
		}
	}
	pthread_mutex_unlock(&streams_lock);
	int r = close(s->fd);
	free(s);
	return r;
}

FILE *bw_agent_live_stream(int fd, const char *mode)
{
	struct stream *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->fd = fd;
	s->file = fopencookie(
		s, mode,
		(cookie_io_functions_t){stream_read, stream_write, stream_seek, stream_close});
	if (!s->file) {
		free(s);
		return NULL;
	}
	pthread_mutex_lock(&streams_lock);
	s->next = streams;
	streams = s;
	pthread_mutex_unlock(&streams_lock);
	return s->file;
}

static struct stream *find_stream(FILE *file)
{
	pthread_mutex_lock(&streams_lock);
	struct stream *s = streams;
	while (s && s->file != file)
		s = s->next;
	pthread_mutex_unlock(&streams_lock);
	return s;
}

bool bw_agent_live_unbuffer(FILE *file)
{
	struct stream *s = find_stream(file);
	return s && !REAL(setvbuf)(file, s->word, _IOFBF, sizeof(s->word));
}

int bw_agent_live_fileno(FILE *stream)
{
	const struct stream *s = find_stream(stream);
	return s ? s->fd : -1;
}
