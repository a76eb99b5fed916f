/* SPDX-License-Identifier: MIT */
#include "guest/guest_priv.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"

static const struct {
	const char *suffix, *program; /* NULL: not compressed */
} kinds[] = {{".ko", NULL}, {".ko.xz", "usr/bin/xz"}, {".ko.zst", "usr/bin/zstd"}};

static bool ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);
	return a > b && !strcmp(text + a - b, end);
}

/* The name that lsmod would show for a file; NULL if it is not a module. Owned. */
static char *module_name(const char *file)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(kinds); i++) {
		if (!ends_with(file, kinds[i].suffix))
			continue;
		char *name = strndup(file, strlen(file) - strlen(kinds[i].suffix));
		for (char *c = name; c && *c; c++)
			*c = *c == '-' ? '_' : *c;
		return name;
	}
	return NULL;
}

static struct bw_guest_module *find_module(struct bw_guest_modules *m, const char *name)
{
	bw_vec_each(&m->files, f)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

struct bw_error *bw_guest_modules_scan(struct bw_guest_modules *m, const char *folder,
				       const char *unpacked)
{
	char *roots[] = {(char *)(uintptr_t)folder, NULL};
	size_t n_before = m->files.len;
	struct bw_error *err = NULL;
	/* Links to folders ("build", "source") are not followed. */
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	if (!fts)
		return bw_error_errno(errno, "the folder %s cannot be read", folder);
	for (FTSENT *e; !err && (e = fts_read(fts));) {
		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS) {
			err = bw_error_errno(e->fts_errno, "%s", e->fts_path);
			break;
		}
		char *name = e->fts_info == FTS_F || e->fts_info == FTS_SL
				     ? module_name(e->fts_name)
				     : NULL;
		if (!name)
			continue;
		/* Only names of earlier folders come first; a folder has each name once. */
		struct bw_guest_module *known = n_before ? find_module(m, name) : NULL;
		if (known && (size_t)(known - m->files.data) < n_before) {
			free(name);
			continue;
		}
		struct bw_guest_module file = {
			.name = name, .path = strdup(e->fts_path), .unpacked = unpacked};
		err = file.path ? bw_vec_push(&m->files, file) : bw_error_nomem();
		if (err) {
			free(file.name);
			free(file.path);
		}
	}
	fts_close(fts);
	return err;
}

/* ---- compressed modules ---- */

static struct bw_error *unpack(const struct bw_guest_modules *m, const char *program,
			       const char *from, const char *to)
{
	_cleanup_(bw_strings_free) struct bw_strings argv = {0};
	_cleanup_free_ char *beside = NULL;
	int status;
	BW_TRY(bw_guest_tree_program(m->tree, program, &argv));
	BW_TRY(bw_strings_addf(&argv, "-dc"));
	BW_TRY(bw_strings_addf(&argv, "%s", from));
	BW_TRY(bw_vec_push(&argv, NULL));
	/* Two processes may do this at once; each renames a whole file. */
	if (asprintf(&beside, "%s.%d", to, (int)getpid()) < 0)
		return bw_error_nomem();
	_cleanup_close_ int out = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (out < 0)
		return bw_error_errno(errno, "%s cannot be written", beside);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(out, STDOUT_FILENO);
		execv(argv.data[0], argv.data);
		_exit(127);
	}
	if (pid < 0)
		return bw_error_errno(errno, "%s cannot be unpacked", from);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status || rename(beside, to)) {
		unlink(beside);
		return bw_errorf(BW_E_INVALID, "the module %s cannot be unpacked by %s", from,
				 program);
	}
	return NULL;
}

/* Makes the file's path one of a module that is not compressed. */
static struct bw_error *make_ready(const struct bw_guest_modules *m, struct bw_guest_module *f)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(kinds) && !f->is_ready; i++) {
		if (!ends_with(f->path, kinds[i].suffix))
			continue;
		char *to = NULL;
		struct stat st;
		f->is_ready = true;
		if (!kinds[i].program)
			break;
		if (asprintf(&to, "%s/%s.ko", f->unpacked, f->name) < 0)
			return bw_error_nomem();
		mkdir(f->unpacked, 0755);
		struct bw_error *err =
			stat(to, &st) ? unpack(m, kinds[i].program, f->path, to) : NULL;
		if (err) {
			free(to);
			return err;
		}
		free(f->path);
		f->path = to;
	}
	return NULL;
}

/* ---- what a module needs ---- */

/* The section's header, where it and its content lie in the file. */
static const Elf64_Shdr *section(const Elf64_Ehdr *h, size_t size_b, unsigned i)
{
	const Elf64_Shdr *s =
		(const Elf64_Shdr *)((const char *)h + h->e_shoff + (size_t)i * sizeof(*s));
	if (s->sh_offset > size_b || s->sh_size > size_b - s->sh_offset)
		return NULL;
	return s;
}

static bool is_module(const Elf64_Ehdr *h, size_t size_b)
{
	return size_b >= sizeof(*h) && !memcmp(h->e_ident, ELFMAG, SELFMAG) &&
	       h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_ident[EI_DATA] == ELFDATA2LSB &&
	       h->e_shentsize == sizeof(Elf64_Shdr) && !(h->e_shoff & 7) && h->e_shoff <= size_b &&
	       h->e_shnum <= (size_b - h->e_shoff) / sizeof(Elf64_Shdr) &&
	       h->e_shstrndx < h->e_shnum;
}

struct bw_error *bw_guest_module_depends(const void *elf, size_t size_b, char **out_names)
{
	static const char key[] = "depends=";
	const Elf64_Ehdr *h = elf;
	const Elf64_Shdr *names = is_module(h, size_b) ? section(h, size_b, h->e_shstrndx) : NULL;
	if (!names)
		return bw_errorf(BW_E_INVALID, "it is not an ELF file of x86-64 with sections");
	for (unsigned i = 0; i < h->e_shnum; i++) {
		const Elf64_Shdr *s = section(h, size_b, i);
		if (!s || s->sh_name >= names->sh_size)
			continue;
		const char *name = (const char *)elf + names->sh_offset + s->sh_name;
		size_t left = names->sh_size - s->sh_name;
		if (left < sizeof(".modinfo") || memcmp(name, ".modinfo", sizeof(".modinfo")))
			continue;
		const char *at = (const char *)elf + s->sh_offset, *end = at + s->sh_size;
		while (at < end) {
			size_t len = strnlen(at, (size_t)(end - at));
			if (len >= sizeof(key) - 1 && !memcmp(at, key, sizeof(key) - 1)) {
				char *value =
					strndup(at + sizeof(key) - 1, len - (sizeof(key) - 1));
				if (!value)
					return bw_error_nomem();
				*out_names = value;
				return NULL;
			}
			at += len + 1;
		}
	}
	return bw_errorf(BW_E_INVALID, "it has no line \"depends=\" in a section .modinfo");
}

static struct bw_error *depends_of(const char *path, char **out_names)
{
	struct stat st;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return bw_error_errno(errno, "%s cannot be read", path);
	void *elf = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
			       : MAP_FAILED;
	if (elf == MAP_FAILED)
		return bw_errorf(BW_E_INVALID, "%s is not a kernel module: it cannot be mapped",
				 path);
	struct bw_error *err = bw_guest_module_depends(elf, (size_t)st.st_size, out_names);
	munmap(elf, (size_t)st.st_size);
	return bw_error_wrap(err, "%s is not a kernel module", path);
}

static struct bw_error *want_all(struct bw_guest_modules *m, char *names, const char *by)
{
	char *save;
	for (char *n = strtok_r(names, ",", &save); n; n = strtok_r(NULL, ",", &save)) {
		bool found;
		for (char *c = n; *c; c++)
			*c = *c == '-' ? '_' : *c;
		BW_TRY(bw_guest_modules_want(m, n, &found));
		if (!found)
			return bw_errorf(
				BW_E_NOT_FOUND,
				"the module %s needs the module %s, for which there is no file", by,
				n);
	}
	return NULL;
}

struct bw_error *bw_guest_modules_want(struct bw_guest_modules *m, const char *name,
				       bool *out_found)
{
	struct bw_guest_module *f = find_module(m, name);
	*out_found = f != NULL;
	if (!f || f->is_visited)
		return NULL;
	f->is_visited = true; /* modules that need each other cannot be loaded in any case */
	_cleanup_free_ char *names = NULL;
	BW_TRY(make_ready(m, f));
	BW_TRY(depends_of(f->path, &names));
	BW_TRY(want_all(m, names, f->name));
	return bw_vec_push(&m->order, (size_t)(f - m->files.data));
}

void bw_guest_modules_free(struct bw_guest_modules *m)
{
	bw_vec_each(&m->files, f) {
		free(f->name);
		free(f->path);
	}
	bw_vec_free(&m->files);
	bw_vec_free(&m->order);
}
