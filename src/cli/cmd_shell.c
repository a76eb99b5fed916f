/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/subcommands.h"
#include "cli/tui.h"
#include "debug/expressions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"

/* Commands about the system: shell, cd, pwd. */

/* The environment by which Breakwater's commands find the GPU of this session, without the agent
 * that a debugged program gets. */
static void show_gpu(const struct bw_cli *c)
{
	const char *const *env = c->session->kmd ? bw_kmd_program_env(c->session->kmd) : NULL;
	for (; env && *env; env++)
		if (bw_starts_with(*env, BW_KMD_SERVER_ENV "="))
			setenv(BW_KMD_SERVER_ENV, *env + strlen(BW_KMD_SERVER_ENV "="), 1);
}

/* out_fd, in_fd: its standard output and input, -1 for ours. */
static void run_shell(const struct bw_cli *c, const char *command, int out_fd, int in_fd)
{
	if ((out_fd >= 0 && dup2(out_fd, STDOUT_FILENO) < 0) ||
	    (in_fd >= 0 && dup2(in_fd, STDIN_FILENO) < 0))
		_exit(127);
	show_gpu(c);
	bw_cli_add_to_path("breakwater",
			   false); /* so that "shell breakwater umr" finds it, installed or not */
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

/* Its first part, where it is long. */
static void show_shell_output(struct bw_cli *c, int fd)
{
	enum { MOST_B = 1 << 20 };
	_cleanup_free_ char *text = malloc(MOST_B + 1);
	ssize_t n = text ? pread(fd, text, MOST_B, 0) : -1;
	if (n < 0)
		return;
	text[n] = '\0';
	bw_out_str(c->out, "text", text);
	bw_out_bool(c->out, "complete", lseek(fd, 0, SEEK_END) <= n);
}

struct bw_error *bw_cmd_shell(struct bw_cli *c, const char *args)
{
	int status;
	_cleanup_close_ int out_fd = -1, in_fd = -1;
	/* With --json, the command's output must not mix with our lines, and it must not read our
	 * requests. */
	if (bw_out_is_json(c->out)) {
		out_fd = memfd_create("shell", MFD_CLOEXEC);
		in_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (out_fd < 0 || in_fd < 0)
			return bw_error_errno(errno, "cannot keep the shell's output");
	}
	bw_out_flush(c->out);
	pid_t pid = fork();
	if (pid < 0)
		return bw_error_errno(errno, "cannot start a shell");
	if (pid == 0)
		run_shell(c, args, out_fd, in_fd);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return bw_error_errno(errno, "cannot wait for the shell");
	bw_cli_tui_repair(c);
	if (out_fd >= 0)
		show_shell_output(c, out_fd);
	bw_out_int(c->out, "status",
		   WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
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
		return bw_error_errno(errno, "cannot change to %s",
				      path ? path : "the home directory");
	return bw_cmd_pwd(c, "");
}
