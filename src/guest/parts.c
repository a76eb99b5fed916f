/* SPDX-License-Identifier: MIT */
#include "guest/guest_priv.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "guest/rocm.h"
#include "kmd/kmd.h"

/* The folders that tools/guest-parts.sh makes in the cache. */
#define QEMU_FOLDER "qemu-2"
#define KERNEL_FOLDER "linux-6.12-2"
#define LIBRARIES "usr/lib/x86_64-linux-gnu"

struct bw_error *bw_guest_tree_program(const char *tree, const char *program,
				       struct bw_strings *out)
{
	BW_TRY(bw_strings_addf(out, "%s/usr/lib64/ld-linux-x86-64.so.2", tree));
	BW_TRY(bw_strings_addf(out, "--library-path"));
	BW_TRY(bw_strings_addf(out, "%s/" LIBRARIES, tree));
	return bw_strings_addf(out, "%s/%s", tree, program);
}

/* Programs from the cache run with our rights. So nobody else may be able to write there: as far as
 * the folder is there, it and all above it must be ours or root's (base/folder.h). out: its path
 * without links, which somebody else could change later. */
static struct bw_error *check_cache(const char *path, char **out)
{
	_cleanup_free_ char *there = strdup(path), *real = NULL;
	if (!there)
		return bw_error_nomem();
	for (char *slash; access(there, F_OK) && (slash = strrchr(there, '/'));)
		slash[slash == there] = '\0'; /* "/" stays */
	struct bw_error *err = bw_folder_check(there, &real);
	if (err)
		return bw_error_wrap(err,
				     "nothing that is fetched is kept in %s, which HOME, "
				     "XDG_CACHE_HOME or --cache names",
				     path);
	return asprintf(out, "%s%s", real, path + strlen(there)) < 0 ? bw_error_nomem() : NULL;
}

/* XDG_CACHE_HOME/breakwater/linux, or what stands for it; absolute. */
static struct bw_error *cache_folder(const char *given, char **out)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	_cleanup_free_ char *path = NULL;
	int n;
	if (given)
		n = asprintf(&path, "%s", given);
	else if (cache && cache[0] == '/')
		n = asprintf(&path, "%s/breakwater/linux", cache);
	else if (home && home[0] == '/')
		n = asprintf(&path, "%s/.cache/breakwater/linux", home);
	else
		return bw_errorf(
			BW_E_INVALID,
			"neither XDG_CACHE_HOME nor HOME says where what is fetched is kept: use --cache FOLDER");
	if (n < 0)
		return bw_error_nomem();
	if (path[0] != '/') {
		_cleanup_free_ char *here = getcwd(NULL, 0);
		if (!here || asprintf(out, "%s/%s", here, path) < 0)
			return bw_error_nomem();
		return NULL;
	}
	*out = bw_take(path);
	return NULL;
}

struct bw_error *bw_guest_cache_find(const char *given, char **out)
{
	_cleanup_free_ char *named = NULL;
	BW_TRY(cache_folder(given, &named));
	return check_cache(named, out);
}

struct bw_error *bw_guest_cache_make(const char *cache, const char *option, const char *what)
{
	_cleanup_free_ char *script = NULL;
	int status = 0;
	BW_TRY(bw_kmd_find_part("breakwater-guest-parts", &script));
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl(script, script, cache, option, NULL);
		fprintf(stderr, "breakwater: cannot run %s: %s.\n", script, strerror(errno));
		_exit(127);
	}
	if (pid < 0)
		return bw_error_errno(errno, "cannot start %s", script);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) >= 128))
		return bw_errorf(BW_E_INTERRUPTED, "fetching %s was ended", what);
	if (status)
		return bw_errorf(BW_E_NOT_FOUND,
				 "%s could not be fetched into %s; the reason is above", what,
				 cache);
	return NULL;
}

static struct bw_error *check_readable(const char *path)
{
	return access(path, R_OK) ? bw_error_errno(errno, "%s cannot be read", path) : NULL;
}

struct bw_error *bw_guest_parts_find(const struct bw_guest_options *o, struct bw_guest_parts *out)
{
	_cleanup_free_ char *cache = NULL, *real = NULL;
	_cleanup_(bw_guest_parts_free) struct bw_guest_parts p = {0};
	if (o->kernel)
		BW_TRY(check_readable(o->kernel));
	BW_TRY(bw_guest_cache_find(o->cache, &cache));
	BW_TRY(bw_kmd_find_part("breakwater-guest-init", &p.init));
	BW_TRY(bw_guest_cache_make(cache, o->kernel ? "--no-kernel" : NULL, "QEMU and the kernel"));
	if (o->has_rocm)
		BW_TRY(bw_rocm_find(o->cache, &p.rocm, &p.rocm_tools));
	int n = asprintf(&p.qemu, "%s/" QEMU_FOLDER, cache);
	if (n >= 0 && o->kernel)
		n = asprintf(&p.kernel, "%s", o->kernel);
	else if (n >= 0)
		n = asprintf(&p.kernel, "%s/" KERNEL_FOLDER "/vmlinuz", cache);
	if (n >= 0 && !o->kernel)
		n = asprintf(&p.modules, "%s/" KERNEL_FOLDER "/modules", cache);
	if (n >= 0 && !o->kernel)
		n = asprintf(&p.unpacked, "%s/" KERNEL_FOLDER "/unpacked", cache);
	if (n < 0)
		return bw_error_nomem();
	BW_TRY(bw_folder_check(p.qemu, &real));
	*out = p;
	p = (struct bw_guest_parts){0};
	return NULL;
}

void bw_guest_parts_free(struct bw_guest_parts *p)
{
	free(p->qemu);
	free(p->kernel);
	free(p->modules);
	free(p->unpacked);
	free(p->init);
	free(p->rocm);
	free(p->rocm_tools);
	*p = (struct bw_guest_parts){0};
}
