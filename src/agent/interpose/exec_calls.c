/* SPDX-License-Identifier: MIT */
/* Programs that are started with an environment made for them, by "env -i" or by a test runner: on
 * Linux they would find the GPU, so they get what the loader needs to find us. That is done only
 * where nothing of it is left: who takes LD_PRELOAD alone away means it. Not seen are popen() and
 * system() after clearenv(), whose calls stay inside libc.
 *
 * The calls may run in a child of vfork(), and in one of fork() of a program with threads: they
 * allocate nothing, and libc's functions are looked up beforehand. */
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/str.h"
#include "base/util.h"

#define EXPORT __attribute__((visibility("default")))

enum { MAX_KEPT = 48, MAX_VARIABLES = 8192 };

/* The variables' values when the program began; never freed. */
static char *kept[MAX_KEPT];
static size_t n_kept;

static struct {
	__typeof__(&execve) execve;
	__typeof__(&execvpe) execvpe;
	__typeof__(&fexecve) fexecve;
	__typeof__(&posix_spawn) posix_spawn;
	__typeof__(&posix_spawnp) posix_spawnp;
} libc_calls;

static bool is_marker(const char *variable)
{
	return bw_starts_with(variable, "LD_PRELOAD=") || bw_starts_with(variable, "BREAKWATER_");
}

/* Whether `breakwater exec` or `run` have set the variable (cli/cmd_attach.c, kmd/preload.c).
 * RADV_DEBUG is the program's own unless lines of shaders are wanted. */
static bool is_ours(const char *variable)
{
	return is_marker(variable) || bw_starts_with(variable, "OPENCL_LAYERS=") ||
	       bw_starts_with(variable, "VK_ADD_LAYER_PATH=") ||
	       bw_starts_with(variable, "VK_INSTANCE_LAYERS=") ||
	       (bw_starts_with(variable, "RADV_DEBUG=") && getenv("BREAKWATER_SHADER_LINES"));
}

static __attribute__((constructor)) void keep_environment(void)
{
	libc_calls.execve = REAL(execve);
	libc_calls.execvpe = REAL(execvpe);
	libc_calls.fexecve = REAL(fexecve);
	libc_calls.posix_spawn = REAL(posix_spawn);
	libc_calls.posix_spawnp = REAL(posix_spawnp);
	for (char **e = environ; e && *e && n_kept < MAX_KEPT; e++)
		if (is_ours(*e) && (kept[n_kept] = strdup(*e)))
			n_kept++;
}

/* Whether a program with this environment would be without us; out_n: its variables. */
static bool lacks_ours(char *const *envp, size_t *out_n)
{
	size_t n = 0;
	for (; envp && envp[n]; n++)
		if (n == MAX_VARIABLES || is_marker(envp[n]))
			return false;
	*out_n = n;
	return n_kept;
}

/* Into out, of n + n_kept + 1 entries: what is there already is left as it is. */
static char *const *add_ours(char *const *envp, size_t n, char **out)
{
	size_t at = 0;
	for (size_t i = 0; i < n; i++)
		out[at++] = envp[i];
	for (size_t k = 0; k < n_kept; k++) {
		size_t name_b = strcspn(kept[k], "=") + 1;
		bool is_there = false;
		for (size_t i = 0; i < n; i++)
			is_there |= !strncmp(envp[i], kept[k], name_b);
		if (!is_there)
			out[at++] = kept[k];
	}
	out[at] = NULL;
	return out;
}

/* The environment to pass on, on the caller's stack where it is another one. */
#define WITH_OURS(envp)                                                                            \
	({                                                                                         \
		size_t n_ = 0;                                                                     \
		lacks_ours(envp, &n_)                                                              \
			? add_ours(envp, n_, __builtin_alloca((n_ + n_kept + 1) * sizeof(char *))) \
			: (envp);                                                                  \
	})

/* A call before our constructor has run looks libc's up by itself. */
#define LIBC(fn) (libc_calls.fn ? libc_calls.fn : REAL(fn))

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	char *const *with_ours = WITH_OURS(envp);
	return LIBC(execve)(path, argv, with_ours);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	char *const *with_ours = WITH_OURS(envp);
	return LIBC(execvpe)(file, argv, with_ours);
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	char *const *with_ours = WITH_OURS(envp);
	return LIBC(fexecve)(fd, argv, with_ours);
}

EXPORT int execv(const char *path, char *const argv[])
{
	char *const *with_ours = WITH_OURS(environ);
	return LIBC(execve)(path, argv, with_ours);
}

EXPORT int execvp(const char *file, char *const argv[])
{
	char *const *with_ours = WITH_OURS(environ);
	return LIBC(execvpe)(file, argv, with_ours);
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	char *const *with_ours = WITH_OURS(envp);
	return LIBC(posix_spawn)(pid, path, actions, attributes, argv, with_ours);
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	char *const *with_ours = WITH_OURS(envp);
	return LIBC(posix_spawnp)(pid, file, actions, attributes, argv, with_ours);
}

/* The arguments of execl and its like as an array on the stack, "first" and the NULL included; args
 * stands after the NULL then. */
static size_t count_arguments(va_list args)
{
	va_list copy;
	size_t n = 2;
	va_copy(copy, args);
	while (va_arg(copy, char *))
		n++;
	va_end(copy);
	return n;
}

#define ARGUMENTS(first, args)                                                                     \
	({                                                                                         \
		size_t n_args_ = count_arguments(args);                                            \
		char **argv_ = __builtin_alloca(n_args_ * sizeof(char *));                         \
		argv_[0] = (char *)(first);                                                        \
		for (size_t i_ = 1; i_ < n_args_; i_++)                                            \
			argv_[i_] = va_arg(args, char *);                                          \
		argv_;                                                                             \
	})

EXPORT int execl(const char *path, const char *first, ...)
{
	va_list args;
	va_start(args, first);
	char **argv = ARGUMENTS(first, args);
	va_end(args);
	char *const *with_ours = WITH_OURS(environ);
	return LIBC(execve)(path, argv, with_ours);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
	va_list args;
	va_start(args, first);
	char **argv = ARGUMENTS(first, args);
	va_end(args);
	char *const *with_ours = WITH_OURS(environ);
	return LIBC(execvpe)(file, argv, with_ours);
}

EXPORT int execle(const char *path, const char *first, ...)
{
	va_list args;
	va_start(args, first);
	char **argv = ARGUMENTS(first, args);
	char *const *envp = va_arg(args, char *const *);
	va_end(args);
	char *const *with_ours = WITH_OURS(envp);
	return LIBC(execve)(path, argv, with_ours);
}
