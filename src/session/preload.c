/* SPDX-License-Identifier: MIT */
/* Programs that the agent cannot be loaded into. The agent is a library that the dynamic loader
 * puts before the C library (LD_PRELOAD). Without the loader, or if it distrusts its environment,
 * there is no agent, and system calls that a program makes without libc bypass it. */
#include "session/programs.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"

enum { MAX_HEADERS = 256 };

/* The path that execvp finds; owned, NULL when there is none. */
static char *find_program(const char *name)
{
	if (strchr(name, '/'))
		return strdup(name);
	const char *env = getenv("PATH");
	_cleanup_free_ char *copy = strdup(env ? env : "/bin:/usr/bin");
	char *rest = copy;
	for (char *folder; copy && (folder = strsep(&rest, ":"));) {
		char *path = NULL;
		if (asprintf(&path, "%s/%s", *folder ? folder : ".", name) < 0)
			return NULL;
		if (!access(path, X_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* Whether the file is an executable for this machine that does not name a loader. That includes
 * shared objects without one, such as static-pie. */
static bool is_static(int fd)
{
	Elf64_Ehdr e;
	Elf64_Phdr p;
	if (pread(fd, &e, sizeof(e), 0) != sizeof(e) || memcmp(e.e_ident, ELFMAG, SELFMAG) ||
	    e.e_ident[EI_CLASS] != ELFCLASS64 || (e.e_type != ET_EXEC && e.e_type != ET_DYN) ||
	    e.e_phentsize != sizeof(p) || e.e_phnum > MAX_HEADERS)
		return false;
	for (unsigned i = 0; i < e.e_phnum; i++) {
		if (pread(fd, &p, sizeof(p), (off_t)(e.e_phoff + i * sizeof(p))) != sizeof(p))
			return false;
		if (p.p_type == PT_INTERP)
			return false;
	}
	return true;
}

/* The reason why the loader distrusts the environment (AT_SECURE, ld.so(8)); NULL: it does not. */
static const char *privilege(int fd)
{
	struct stat st;
	if (fstat(fd, &st))
		return NULL;
	if (st.st_mode & S_ISUID && st.st_uid != getuid())
		return "setuid";
	if (st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getgid())
		return "setgid";
	return getuid() && fgetxattr(fd, "security.capability", NULL, 0) > 0
		       ? "given file capabilities"
		       : NULL;
}

struct bw_error *bw_check_preload(const char *program)
{
	_cleanup_free_ char *path = find_program(program);
	_cleanup_close_ int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0)
		return NULL;
	const char *given = privilege(fd);
	if (given)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"%s is %s, so that the agent cannot be preloaded into it: it does not see the virtual "
			"GPU, and cannot be debugged",
			path, given);
	if (is_static(fd))
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"%s is statically linked, so that the agent cannot be preloaded into it: it does not see "
			"the virtual GPU, and cannot be debugged",
			path);
	return NULL;
}

struct bw_error *bw_check_seen(struct bw_kmd *kmd, uint64_t before, const char *program)
{
	if (!before || bw_kmd_n_clients_ever(kmd) != before)
		return NULL;
	return bw_errorf(
		BW_E_NOT_FOUND,
		"neither %s nor a program that it started opened the virtual GPU through the C library, in front "
		"of which the agent stands: what makes system calls by itself does not see it, and cannot be "
		"debugged",
		program);
}
