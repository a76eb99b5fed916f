// SPDX-License-Identifier: MIT
/* Starting a program, and attaching to one that runs already. */
#include "live/live_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/program.h"
#include "base/str.h"
#include "base/util.h"
#include "base/wait.h"
#include "wire/agent_find.h"
#include "wire/agent_folders.h"

/* ---- The program ---- */

static int move_fd(int fd, int to)
{
	if (fd < 0 || fd == to)
		return 0;
	return dup2(fd, to) < 0 ? -1 : 0;
}

/* Runs in the child, which gets a process group of its own: Ctrl-C at the terminal is for the
 * debugger. */
static _Noreturn void exec_program(const struct bw_target_source *o, char **env, int status_fd)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_TIMERSLACK, 50000ul); /* the kernel's default: ours is shorter */
	if (!o->same_group)
		setpgid(0, 0);
	if (!move_fd(o->in_fd, 0) && !move_fd(o->out_fd, 1) && !move_fd(o->err_fd, 2)) {
		environ = env;
		execvp(o->argv[0], o->argv);
	}
	int e = errno;
	ssize_t n = write(status_fd, &e, sizeof(e));
	_exit(n == (ssize_t)sizeof(e) ? 127 : 126);
}

/* Name of a NAME=VALUE setting. */
static size_t name_length(const char *setting)
{
	return strcspn(setting, "=");
}

static bool same_name(const char *a, const char *b)
{
	size_t n = name_length(a);
	return name_length(b) == n && strncmp(a, b, n) == 0;
}

struct settings BW_VEC(char *);

static struct bw_error *set_variable(struct settings *s, const char *setting)
{
	char *copy = (char *)(uintptr_t)setting; /* execve takes them non-const */
	bw_vec_each(s, it) {
		if (same_name(*it, setting)) {
			*it = copy;
			return NULL;
		}
	}
	return bw_vec_push(s, copy);
}

/* Launchers and replay, which run for their debugger alone. */
static bool is_ours(const char *program)
{
	static const char *const names[] = {"breakwater-launch", "breakwater-launch-shader",
					    "breakwater-replay"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(names); i++)
		if (!strcmp(bw_base_name(program), names[i]))
			return true;
	return false;
}

/* The environment: ours, the GPU's settings, the caller's, and the folder with the socket that the
 * agent connects to. */
static struct bw_error *make_env(struct bw_live *l, const struct bw_target_source *o,
				 const char *folder_setting, struct settings *out)
{
	for (char **e = environ; *e; e++)
		BW_TRY(bw_vec_push(out, *e));
	for (const char *const *e = bw_kmd_program_env(l->kmd); e && *e; e++)
		BW_TRY(set_variable(out, *e));
	for (const char *const *e = o->env; e && *e; e++)
		BW_TRY(set_variable(out, *e));
	BW_TRY(set_variable(out, folder_setting));
	if (is_ours(o->argv[0]) && !getenv(BW_AGENT_OWNED_ENV))
		BW_TRY(set_variable(out, BW_AGENT_OWNED_ENV "=1"));
	/* other processes, and later this one */
	BW_TRY(set_variable(out, BW_AGENT_ATTACH_ENV "=1"));
	return bw_vec_push(out, NULL);
}

struct bw_error *bw_live_spawn(struct bw_live *l, const struct bw_target_source *o)
{
	int status[2], e = 0;
	struct settings env = {0};
	_cleanup_free_ char *setting = bw_agent_folders_setting(l->folder.path);

	if (!setting)
		return bw_error_nomem();
	struct bw_error *err = make_env(l, o, setting, &env);
	if (!err && pipe2(status, O_CLOEXEC))
		err = bw_error_errno(errno, "pipe");
	if (err) {
		bw_vec_free(&env);
		return err;
	}
	l->child = fork();
	if (l->child == 0)
		exec_program(o, env.data, status[1]);
	e = l->child < 0 ? errno : 0;
	bw_vec_free(&env);
	close(status[1]);
	if (l->child > 0 && read(status[0], &e, sizeof(e)) == (ssize_t)sizeof(e)) {
		waitpid(l->child, NULL, 0);
		l->child = -1;
	}
	close(status[0]);
	if (e)
		return bw_program_not_run(o->argv[0], e);
	l->pidfd = (int)syscall(SYS_pidfd_open, l->child, 0);
	if (l->pidfd < 0)
		return bw_error_errno(errno, "cannot watch the program");
	fcntl(l->pidfd, F_SETFD, FD_CLOEXEC);
	bw_wait_add(l->child, "the program");
	return NULL;
}

/* ---- Attaching to a program that runs already ---- */

static struct bw_error *find_agent(pid_t pid, int *out_fd)
{
	const struct bw_agent_call call = {BW_MSG_MAGIC, BW_AGENT_PROTO_VERSION};
	return bw_agent_find(pid, &call, "attached to", "has a debugger already", out_fd);
}

static struct bw_error *call_agent(pid_t pid, int *out_fd)
{
	enum { TRIES = 50, TRIES_LEAVING = 1500, PAUSE_MS = 20 };
	struct bw_error *err = find_agent(pid, out_fd);
	/* One that has just left: the program may not have noticed it yet. One that is leaving
	 * waits for waves, registers and the kernel. */
	for (unsigned i = 0; err && ((err->errnum == EBUSY && i < TRIES) ||
				     (err->errnum == EALREADY && i < TRIES_LEAVING));
	     i++) {
		bw_error_free(err);
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000l}, NULL);
		err = find_agent(pid, out_fd);
	}
	if (!err || err->code != BW_E_NOT_FOUND)
		return err;
	_cleanup_error_ struct bw_error *none = err;
	return bw_errorf(BW_E_NOT_FOUND, "%s; \"breakwater attach --waves %d\" shows its waves",
			 none->message, (int)pid);
}

struct bw_error *bw_live_attach_to(struct bw_target *t, pid_t pid)
{
	struct bw_live *l = bw_live_of(t);
	struct bw_live_proc *p;
	if (bw_live_proc_of(l, pid))
		return bw_errorf(BW_E_STATE, "process %d is debugged here already", (int)pid);
	_cleanup_close_ int fd = -1, pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0 && errno == ESRCH)
		return bw_errorf(BW_E_NOT_FOUND, "there is no process %d", (int)pid);
	if (pidfd < 0)
		return bw_error_errno(errno, "cannot watch process %d", (int)pid);
	BW_TRY(call_agent(pid, &fd));
	BW_TRY(bw_live_add_proc(
		l,
		(struct bw_live_proc){
			.peer = pid, .pid = pid, .fd = fd, .pidfd = pidfd, .is_guest = true},
		&p));
	bw_take_fd(pidfd);
	bw_take_fd(fd);
	return NULL;
}
