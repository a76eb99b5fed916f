/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "sym/lines_priv.h"

/* The text of source files. */

/* A larger file is not shown: it cannot be a source file. */
#define MAX_SOURCE_B (64 << 20)

/* The whole of a regular file, or NULL. The name comes from the object: it may be a device. */
static char *read_source(const char *path, size_t *out_len, time_t *out_written)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_SOURCE_B)
		return NULL;
	_cleanup_free_ char *text = malloc((size_t)st.st_size + 1);
	size_t len = 0;
	while (text && len < (size_t)st.st_size) {
		ssize_t n = read(fd, text + len, (size_t)st.st_size - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return NULL;
		if (!n)
			break;
		len += (size_t)n;
	}
	if (text)
		text[len] = 0;
	*out_len = len;
	*out_written = st.st_mtime;
	return bw_take(text);
}

static void split_lines(struct source *s, char *text, size_t len)
{
	size_t n = 0;
	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	n += len && text[len - 1] != '\n';
	s->lines = calloc(n ? n : 1, sizeof(*s->lines));
	if (!s->lines)
		return;
	for (char *p = text; s->n_lines < n; s->n_lines++) {
		char *end = memchr(p, '\n', (size_t)(text + len - p));
		s->lines[s->n_lines] = p;
		if (!end)
			end = text + len;
		if (end > p && end[-1] == '\r')
			end[-1] = 0;
		*end = 0;
		p = end + 1;
	}
}

static char *given_text(const struct bw_lines *l, const char *file)
{
	bw_vec_each(&l->given, g)
		if (!strcmp(g->file, file))
			return strdup(g->text);
	return NULL;
}

static void load_source(const struct bw_lines *l, struct source *s, const char *file)
{
	size_t len = 0;
	time_t written = 0;
	_cleanup_free_ char *path = l->paths ? bw_source_paths_find(l->paths, file) : strdup(file);
	_cleanup_free_ char *text = given_text(l, file);
	if (text)
		len = strlen(text);
	if (text && !path)
		path = strdup(file);
	s->is_left_out = !text && path && l->paths && l->paths->is_confined &&
			 !bw_source_paths_is_own(l->paths, path);
	if (s->is_left_out)
		return;
	if (!text && path)
		text = read_source(path, &len, &written);
	if (!text)
		return;
	s->is_newer = l->written && written > l->written;
	split_lines(s, text, len);
	s->text = bw_take(text);
	s->path = bw_take(path);
}

void bw_lines_forget_sources(struct bw_lines *l)
{
	bw_vec_each(&l->sources, s) {
		free(s->text);
		free(s->lines);
		free(s->path);
	}
	l->sources.len = 0;
}

void bw_lines_search_in(struct bw_lines *l, const struct bw_source_paths *paths)
{
	l->paths = paths;
	l->paths_version = paths->version;
}

/* The file, read when it is asked for the first time; NULL: the debug information does not name
 * it. */
static struct source *source_of(struct bw_lines *l, const char *file)
{
	size_t i = 0;
	if (l->paths && l->paths->version != l->paths_version) {
		bw_lines_forget_sources(l);
		l->paths_version = l->paths->version;
	}
	while (i < l->files.len && strcmp(l->files.data[i], file))
		i++;
	if (i == l->files.len)
		return NULL;
	while (l->sources.len < l->files.len) {
		struct bw_error *err = bw_vec_push(&l->sources, (struct source){0});
		if (err) {
			bw_error_free(err);
			return NULL;
		}
	}
	struct source *s = &l->sources.data[i];
	if (!s->tried) {
		s->tried = true;
		load_source(l, s, file);
	}
	return s;
}

const char *bw_lines_text(struct bw_lines *l, const char *file, unsigned line)
{
	const struct source *s = source_of(l, file);
	return s && line && line <= s->n_lines ? s->lines[line - 1] : NULL;
}

bool bw_lines_source(struct bw_lines *l, const char *file, struct bw_source_file *out)
{
	struct source *s = source_of(l, file);
	if (!s)
		return false;
	*out = (struct bw_source_file){.path = s->path,
				       .n_lines = s->n_lines,
				       .is_newer = s->is_newer,
				       .is_left_out = s->is_left_out,
				       .told = &s->told};
	return true;
}
