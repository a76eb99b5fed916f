/* SPDX-License-Identifier: MIT */
/* Programs that make something of a source: clang, glslang, the SPIR-V tools, our launchers. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "compile/tool_priv.h"

extern char **environ;

/* Runs argv, and collects its output. */
static struct bw_error *run_and_collect(char *const *argv, struct bw_str *said, int *out_status)
{
	int pipe_fd[2];
	if (pipe2(pipe_fd, O_CLOEXEC))
		return bw_error_errno(errno, "cannot make a pipe");
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], STDERR_FILENO);
	/* the tool's own temporary files go to a folder where no other user can replace them */
	const char *old = getenv("TMPDIR");
	_cleanup_free_ char *before = old ? strdup(old) : NULL;
	if (bw_temporary_folder())
		setenv("TMPDIR", bw_temporary_folder(), 1);
	pid_t pid;
	int rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	if (before)
		setenv("TMPDIR", before, 1);
	else
		unsetenv("TMPDIR");
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_fd[1]);
	if (rc) {
		close(pipe_fd[0]);
		return bw_error_errno(rc, "cannot run %s", argv[0]);
	}
	bw_temporary_tool_runs(pid);
	char buffer[4096];
	ssize_t n;
	while ((n = read(pipe_fd[0], buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR))
		bw_str_addn(said, buffer, n > 0 ? (size_t)n : 0);
	close(pipe_fd[0]);
	while (waitpid(pid, out_status, 0) < 0 && errno == EINTR)
		;
	bw_temporary_tool_runs(0);
	bw_temporary_end_if_told();
	return NULL;
}

/* The user's file instead of what was made of it in the temporary folder, which goes away. */
static void name_source(struct bw_str *said, const char *source)
{
	struct bw_str text = {0};
	const char *folder = bw_temporary_folder();
	size_t n = folder ? strlen(folder) : 0;
	const char *p = bw_str_text(said), *found;
	while (n && (found = strstr(p, folder))) {
		size_t name_b = n + strcspn(found + n, " \t\n:'\"()");
		bool is_object = memrchr(found + n, '.', name_b - n) &&
				 strncmp(found + name_b - 2, ".h", 2) != 0;
		bw_str_addn(&text, p, (size_t)(found - p));
		if (is_object)
			bw_str_add(&text, source);
		else
			bw_str_addn(&text, found, name_b);
		p = found + name_b;
	}
	bw_str_add(&text, p);
	bw_str_free(said);
	*said = text;
}

struct bw_error *bw_tool_run(const char *const *argv, const struct bw_tool *tool)
{
	struct bw_str said = {0};
	int status = 0;
	/* posix_spawn takes them non-const */
	struct bw_error *err = run_and_collect((char *const *)(uintptr_t)argv, &said, &status);
	name_source(&said, tool->source);
	if (err && tool->variable)
		err = bw_error_wrap(err,
				    "%s names %s, which does not run (unset it, or let it name %s)",
				    tool->variable, argv[0], tool->package);
	else if (err && tool->package)
		err = bw_error_wrap(err, "%s (Debian package %s)", tool->source, tool->package);
	if (!err && (!WIFEXITED(status) || WEXITSTATUS(status))) {
		while (said.len && said.data[said.len - 1] == '\n')
			said.data[--said.len] = '\0';
		const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
		if (WIFSIGNALED(status))
			bw_str_addf(&said,
				    "%s%s ended with %s, as it does where its input is damaged",
				    said.len ? "\n" : "", name, strsignal(WTERMSIG(status)));
		err = tool->package
			      ? bw_errorf(BW_E_INVALID, "%s %s, says %s:\n%s", tool->source,
					  tool->what, name, bw_str_text(&said))
			      : bw_errorf(BW_E_INVALID, "%s: %s", tool->source, bw_str_text(&said));
	} else if (!err && tool->said) {
		bw_str_add(tool->said, bw_str_text(&said));
	}
	bw_str_free(&said);
	return err;
}
