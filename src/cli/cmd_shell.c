/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is outside: shell, cd, pwd. */

static void run_shell(const char *command)
{
	const char *shell = getenv("SHELL");
	if (!shell || !shell[0])
		shell = "/bin/sh";
	signal(SIGINT, SIG_DFL);
	if (command[0])
		execl(shell, shell, "-c", command, (char *)NULL);
	else
		execl(shell, shell, (char *)NULL);
	_exit(127);
}

struct bw_error *bw_cmd_shell(struct bw_cli *c, const char *args)
{
	int status;
	bw_out_flush(c->out);
	pid_t pid = fork();
	if (pid < 0)
		return bw_error_errno(errno, "cannot start a shell");
	if (pid == 0)
		run_shell(args);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return bw_error_errno(errno, "cannot wait for the shell");
	const struct bw_value v = {.type = {.kind = BW_TYPE_INT, .size_b = 4},
				   .bits = WIFEXITED(status) ? (uint64_t)WEXITSTATUS(status) : 128};
	return bw_debug_set_var(c->debug, "_shell_exitcode", &v);
}

struct bw_error *bw_cmd_pwd(struct bw_cli *c, const char *args)
{
	char path[PATH_MAX];
	if (!getcwd(path, sizeof(path)))
		return bw_error_errno(errno, "cannot tell the working directory");
	bw_out_line(c->out, "Working directory %s.", path);
	bw_out_str(c->out, "directory", path);
	return NULL;
}

struct bw_error *bw_cmd_cd(struct bw_cli *c, const char *args)
{
	const char *path = args[0] ? args : getenv("HOME");
	if (!path || chdir(path))
		return bw_error_errno(errno, "cannot change to %s", path ? path : "the home directory");
	return bw_cmd_pwd(c, "");
}
