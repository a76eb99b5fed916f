// SPDX-License-Identifier: MIT
#include "live/live_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"

enum {
	POLL_MIN_NS = 50 * 1000,
	POLL_MAX_NS = 4 * 1000 * 1000,
};

void bw_live_note(struct bw_live *l, bool warning, const char *fmt, ...)
{
	struct bw_target_event ev = {.kind = BW_EVENT_NOTE, .is_warning = warning};
	va_list args;
	va_start(args, fmt);
	vsnprintf(ev.text, sizeof(ev.text), fmt, args);
	va_end(args);
	struct bw_error *err = bw_vec_push(&l->notes, ev);
	bw_error_free(err);
}

pid_t bw_live_pid(const struct bw_target *t)
{
	return bw_live_of(t)->child;
}

/* ---- The program ---- */

static int move_fd(int fd, int to)
{
	if (fd < 0 || fd == to)
		return 0;
	return dup2(fd, to) < 0 ? -1 : 0;
}

/* In the child. Its own process group: Ctrl-C at the terminal is for the debugger. */
static _Noreturn void exec_program(const struct bw_live_options *o, char **env, int status_fd)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_TIMERSLACK, 50000ul); /* the kernel's default: ours is shorter */
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

static struct bw_error *set(struct settings *s, const char *setting)
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

/* Ours, what the GPU asks for, what the caller wants, and where the agent finds us. */
static struct bw_error *make_env(struct bw_live *l, const struct bw_live_options *o,
				 const char *socket_setting, struct settings *out)
{
	for (char **e = environ; *e; e++)
		BW_TRY(bw_vec_push(out, *e));
	for (const char *const *e = bw_kmd_program_env(l->kmd); e && *e; e++)
		BW_TRY(set(out, *e));
	for (const char *const *e = o->env; e && *e; e++)
		BW_TRY(set(out, *e));
	BW_TRY(set(out, socket_setting));
	/* processes beside the one debugged here, and that one later */
	BW_TRY(set(out, BW_AGENT_ATTACH_ENV "=1"));
	return bw_vec_push(out, NULL);
}

static struct bw_error *spawn(struct bw_live *l, const struct bw_live_options *o)
{
	int status[2], e = 0;
	struct settings env = {0};
	_cleanup_free_ char *setting = NULL;

	if (asprintf(&setting, "%s=%s", BW_AGENT_SOCKET_ENV, l->socket_path) < 0)
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
		return bw_error_errno(e, "cannot run %s", o->argv[0]);
	l->pidfd = (int)syscall(SYS_pidfd_open, l->child, 0);
	if (l->pidfd < 0)
		return bw_error_errno(errno, "cannot watch the program");
	fcntl(l->pidfd, F_SETFD, FD_CLOEXEC);
	return NULL;
}

/* ---- A program that runs already ---- */

static struct bw_error *no_agent(pid_t pid, int e)
{
	if (e == ECONNREFUSED || e == ENOENT)
		return bw_errorf(BW_E_NOT_FOUND,
				 "process %d cannot be attached to: it was not started by "
				 "\"breakwater exec\", or has not opened the GPU yet",
				 (int)pid);
	if (e == EBUSY)
		return bw_errorf(BW_E_STATE, "process %d has a debugger already", (int)pid);
	if (e == EPERM)
		return bw_errorf(BW_E_SYSTEM, "process %d belongs to another user", (int)pid);
	return bw_error_errno(e, "cannot attach to process %d", (int)pid);
}

/* Tells the agent in the program where we listen (agent_proto.h). */
static struct bw_error *call_agent(struct bw_live *l, pid_t pid)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	const struct timeval patience = {.tv_sec = 10};
	int n = snprintf(a.sun_path + 1, sizeof(a.sun_path) - 1, BW_AGENT_ATTACH_NAME, (int)pid);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int32_t r = 0;
	if (fd < 0)
		return bw_error_errno(errno, "socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&a, size))
		return no_agent(pid, errno);
	size_t path_b = strlen(l->socket_path) + 1;
	if (send(fd, l->socket_path, path_b, MSG_NOSIGNAL) != (ssize_t)path_b ||
	    recv(fd, &r, sizeof(r), 0) != (ssize_t)sizeof(r))
		return bw_errorf(BW_E_TIMEOUT, "process %d does not answer", (int)pid);
	return r ? no_agent(pid, -r) : NULL;
}

static struct bw_error *attach_to(struct bw_live *l, pid_t pid)
{
	l->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (l->pidfd < 0 && errno == ESRCH)
		return bw_errorf(BW_E_NOT_FOUND, "there is no process %d", (int)pid);
	if (l->pidfd < 0)
		return bw_error_errno(errno, "cannot watch process %d", (int)pid);
	fcntl(l->pidfd, F_SETFD, FD_CLOEXEC);
	l->child = -1;
	l->attached_pid = pid;
	return call_agent(l, pid);
}

/* ---- Start and end ---- */

static struct bw_error *make_socket(struct bw_live *l)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	if (!runtime || !*runtime || strlen(runtime) > 60)
		runtime = "/tmp";
	if (asprintf(&l->socket_folder, "%s/breakwater-XXXXXX", runtime) < 0) {
		l->socket_folder = NULL;
		return bw_error_nomem();
	}
	if (!mkdtemp(l->socket_folder)) {
		struct bw_error *err = bw_error_errno(errno, "cannot make a folder in %s", runtime);
		free(l->socket_folder);
		l->socket_folder = NULL;
		return err;
	}
	if (asprintf(&l->socket_path, "%s/agent", l->socket_folder) < 0) {
		l->socket_path = NULL;
		return bw_error_nomem();
	}
	return bw_sock_listen(l->socket_path, &l->listen_fd);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void free_live(struct bw_live *l)
{
	bw_live_unmap(l);
	bw_live_gfxoff_release(l);
	bw_live_guard_end(l);
	bw_vec_each(&l->others, fd)
		close(*fd);
	bw_vec_free(&l->others);
	bw_vec_free(&l->poll_set);
	close_fd(&l->agent_fd);
	close_fd(&l->listen_fd);
	close_fd(&l->wake_fd);
	close_fd(&l->pidfd);
	if (l->socket_path)
		unlink(l->socket_path);
	if (l->socket_folder)
		rmdir(l->socket_folder);
	free(l->socket_path);
	free(l->socket_folder);
	bw_vec_each(&l->queue, m)
		bw_msg_fini(m);
	bw_vec_free(&l->queue);
	bw_vec_free(&l->notes);
	bw_vec_free(&l->queues);
	bw_vec_free(&l->saved);
	bw_msg_fini(&l->reply);
	if (l->vram)
		bw_kmd_file_close(l->vram);
	if (l->iomem)
		bw_kmd_file_close(l->iomem);
	free(l->dispatches);
	free(l->blob);
	free(l);
}

static void reap(struct bw_live *l, int options)
{
	int status;
	if (!l->child_gone && l->attached_pid) {
		/* not ours to wait for: its end is all there is to know */
		l->child_gone = true;
		return;
	}
	if (l->child_gone || l->child <= 0)
		return;
	pid_t r;
	do
		r = waitpid(l->child, &status, options);
	while (r < 0 && errno == EINTR);
	if (r == l->child) {
		l->child_gone = true;
		l->child_status = status;
	}
}

static void live_close(struct bw_target *t)
{
	struct bw_live *l = bw_live_of(t);
	if (l->agent_fd >= 0 && !l->kill_asked) {
		/* code back in its place, waves on their way: then nobody needs the handler's
		 * address */
		struct bw_error *err = bw_live_request(l, BW_AGENT_DETACH, NULL, 0,
						       sizeof(struct bw_agent_result), NULL);
		if (!err)
			err = bw_live_result(l, "detaching");
		if (err)
			BW_LOG(WARN, "live", "%s", err->message);
		bw_error_free(err);
	}
	bw_live_guard_finish(l);
	if (l->kill_asked && !l->attached_pid)
		reap(l, 0);
	free_live(l);
}

static struct bw_error *live_kill(struct bw_target *t)
{
	struct bw_live *l = bw_live_of(t);
	l->kill_asked = true;
	if (l->agent_pid > 0 && l->agent_fd >= 0 && l->agent_pid != l->child)
		kill(l->agent_pid, SIGKILL);
	if (!l->child_gone && l->child > 0 && kill(l->child, SIGKILL) && errno != ESRCH)
		return bw_error_errno(errno, "cannot kill process %d", (int)l->child);
	return NULL;
}

static void live_interrupt(struct bw_target *t)
{
	struct bw_live *l = bw_live_of(t);
	int saved = errno;
	atomic_store(&l->interrupted, true);
	/* full: it is readable already */
	ssize_t n = write(l->wake_fd, &(uint64_t){1}, sizeof(uint64_t));
	(void)n;
	errno = saved;
}

/* ---- Waiting ---- */

/* A connection. The first one that is not taken is the program; others are sent away at once, and
 * can be attached to by a debugger of their own. */
static struct bw_error *accept_agent(struct bw_live *l)
{
	int fd = accept4(l->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (l->agent_fd < 0) {
		l->agent_fd = fd;
		return NULL;
	}
	struct bw_error *err = bw_msg_send(fd, BW_AGENT_DETACH, 1, NULL, 0, -1);
	if (!err)
		err = bw_vec_push(&l->others, fd);
	if (err)
		close(fd);
	/* it may have gone already */
	bw_error_catch(&err, BW_E_GONE);
	return err;
}

/* Said once for each: pids of those that are gone do not come again soon. */
static void note_other(struct bw_live *l, const struct bw_agent_hello *h)
{
	if ((pid_t)h->pid == l->agent_pid)
		return;
	bw_live_note(l, true,
		     "process %u (%.15s) uses the GPU, too, and is not debugged here: "
		     "\"breakwater attach %u\" debugs it",
		     h->pid, h->comm, h->pid);
}

/* Something from a process that is not debugged. What it submitted before it read that it is sent away
 * goes through. False: its connection is over. */
static bool serve_other(struct bw_live *l, int fd)
{
	struct bw_msg m = BW_MSG_INIT;
	struct bw_error *err = bw_msg_recv(fd, 1000, &m);
	if (!err && m.type == BW_AGENT_EV_SUBMIT && m.body_b >= sizeof(struct bw_agent_submit)) {
		struct bw_agent_submit s;
		memcpy(&s, m.body, sizeof(s));
		struct bw_agent_go go = {.submission = s.submission};
		const struct bw_msg_part part = {&go, sizeof(go)};
		err = bw_msg_send(fd, BW_AGENT_GO, 1, &part, 1, -1);
	}
	if (!err && m.type == BW_AGENT_EV_HELLO && m.body_b >= sizeof(struct bw_agent_hello)) {
		struct bw_agent_hello h;
		memcpy(&h, m.body, sizeof(h));
		note_other(l, &h);
	}
	bool ok = !err && m.type != (BW_AGENT_DETACH | BW_AGENT_REPLY);
	bw_error_free(err);
	bw_msg_fini(&m);
	return ok;
}

/* One message of the agent's. */
static struct bw_error *read_agent(struct bw_live *l, struct bw_target_event *out, bool *out_given)
{
	struct bw_msg m = BW_MSG_INIT;
	struct bw_error *err = bw_msg_recv(l->agent_fd, 1000, &m);
	*out_given = false;
	if (err) {
		bool gone = bw_error_catch(&err, BW_E_GONE);
		bw_live_agent_lost(l);
		return gone ? NULL
			    : bw_error_wrap(err, "the connection to the program is given up");
	}
	if (m.seq == 0)
		err = bw_live_event(l, &m, out, out_given);
	bw_msg_fini(&m);
	return err;
}

/* What needs no waiting. */
static struct bw_error *next_ready(struct bw_live *l, struct bw_target_event *out, bool *out_given)
{
	*out_given = true;
	if (l->notes.len) {
		*out = l->notes.data[0];
		bw_vec_remove(&l->notes, 0);
		return NULL;
	}
	if (atomic_exchange(&l->interrupted, false)) {
		uint64_t n;
		ssize_t r = read(l->wake_fd, &n, sizeof(n));
		(void)r;
		out->kind = BW_EVENT_INTERRUPT;
		return NULL;
	}
	if (l->queue.len) {
		struct bw_msg m = l->queue.data[0];
		bw_vec_remove(&l->queue, 0);
		struct bw_error *err = bw_live_event(l, &m, out, out_given);
		bw_msg_fini(&m);
		return err;
	}
	if (l->attached) {
		uint32_t stops = __atomic_load_n(&l->control->stops, __ATOMIC_ACQUIRE);
		if (stops != l->stops_seen) {
			l->stops_seen = stops;
			out->kind = BW_EVENT_STOP;
			return NULL;
		}
	}
	if (l->child_gone && l->agent_fd < 0 && !l->exit_told) {
		l->exit_told = true;
		out->kind = BW_EVENT_EXIT;
		out->exit_known = !l->attached_pid;
		out->exit_status = l->child_status;
		return NULL;
	}
	*out_given = false;
	return NULL;
}

static struct bw_error *add_poll(struct bw_live *l, int fd)
{
	return bw_vec_push(&l->poll_set, ((struct pollfd){.fd = fd, .events = POLLIN}));
}

/* How long to sleep before the stop count is looked at again: often just after waves were let run.
 */
static uint64_t poll_ns(const struct bw_live *l)
{
	uint64_t since = bw_live_now_ns() - l->last_run_ns;
	if (!l->attached)
		return UINT64_MAX;
	return BW_MIN(BW_MAX(since / 8, (uint64_t)POLL_MIN_NS), (uint64_t)POLL_MAX_NS);
}

enum { AT_WAKE, AT_LISTEN, AT_AGENT, AT_CHILD, AT_GPU, AT_OTHERS };

static struct bw_error *sleep_once(struct bw_live *l, uint64_t max_ns)
{
	l->poll_set.len = 0;
	BW_TRY(add_poll(l, l->wake_fd));
	BW_TRY(add_poll(l, l->listen_fd));
	BW_TRY(add_poll(l, l->agent_fd));
	BW_TRY(add_poll(l, l->child_gone ? -1 : l->pidfd));
	BW_TRY(add_poll(l, bw_kmd_liveness_fd(l->kmd)));
	bw_vec_each(&l->others, fd)
		BW_TRY(add_poll(l, *fd));
	uint64_t ns = BW_MIN(max_ns, poll_ns(l));
	struct timespec ts = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	if (ppoll(l->poll_set.data, l->poll_set.len, ns == UINT64_MAX ? NULL : &ts, NULL) < 0) {
		if (errno != EINTR)
			return bw_error_errno(errno, "poll");
		bw_vec_each(&l->poll_set, p)
			p->revents = 0;
	}
	return NULL;
}

static bool ready(const struct bw_live *l, unsigned i)
{
	return l->poll_set.data[i].revents != 0;
}

/* Serves what poll has found. */
static struct bw_error *serve(struct bw_live *l, struct bw_target_event *out, bool *out_given)
{
	*out_given = false;
	for (size_t i = l->others.len; i-- > 0;) {
		if (AT_OTHERS + i < l->poll_set.len && ready(l, (unsigned)(AT_OTHERS + i)) &&
		    !serve_other(l, l->others.data[i])) {
			close(l->others.data[i]);
			bw_vec_remove(&l->others, i);
		}
	}
	if (l->agent_fd >= 0 && ready(l, AT_AGENT)) {
		BW_TRY(read_agent(l, out, out_given));
		if (*out_given)
			return NULL;
	}
	if (ready(l, AT_LISTEN))
		BW_TRY(accept_agent(l));
	if (ready(l, AT_CHILD))
		reap(l, WNOHANG);
	if (ready(l, AT_GPU)) {
		out->kind = BW_EVENT_GPU_GONE;
		*out_given = true;
	}
	return NULL;
}

static struct bw_error *live_wait(struct bw_target *t, int timeout_ms, struct bw_target_event *out)
{
	struct bw_live *l = bw_live_of(t);
	uint64_t start = bw_live_now_ns();
	uint64_t limit = timeout_ms < 0 ? UINT64_MAX : (uint64_t)timeout_ms * 1000000;
	bool given, looked = false;

	*out = (struct bw_target_event){.kind = BW_EVENT_NONE};
	for (;;) {
		BW_TRY(next_ready(l, out, &given));
		if (given)
			return NULL;
		uint64_t waited = bw_live_now_ns() - start;
		if (looked && waited >= limit)
			return NULL;
		BW_TRY(sleep_once(l, limit == UINT64_MAX ? limit : limit - BW_MIN(waited, limit)));
		BW_TRY(serve(l, out, &given));
		if (given)
			return NULL;
		looked = true;
	}
}

static void code_buffer(struct bw_target *t, uint64_t *out_va, uint32_t *out_size_b)
{
	struct bw_live *l = bw_live_of(t);
	*out_va = l->attached ? l->displaced_va : 0;
	*out_size_b = l->attached ? l->displaced_b : 0;
}

const struct bw_target_ops bw_live_ops = {
	.close = live_close,
	.wait = live_wait,
	.interrupt = live_interrupt,
	.stopped = bw_live_stopped,
	.is_stopped = bw_live_is_stopped,
	.read_wave = bw_live_read_wave,
	.write_reg = bw_live_write_reg,
	.read_sgprs = bw_live_read_sgprs,
	.write_sgpr = bw_live_write_sgpr,
	.read_vgpr = bw_live_read_vgpr,
	.write_vgpr = bw_live_write_vgpr,
	.resume = bw_live_resume,
	.step = bw_live_step,
	.wait_wave = bw_live_wait_wave,
	.stop_all = bw_live_stop_all,
	.read = bw_live_read,
	.write = bw_live_write,
	.read_lds = bw_live_read_lds,
	.write_lds = bw_live_write_lds,
	.read_scratch = bw_live_read_scratch,
	.write_scratch = bw_live_write_scratch,
	.patch = bw_live_patch,
	.unpatch = bw_live_unpatch,
	.code_buffer = code_buffer,
	.go = bw_live_go,
	.kill = live_kill,
	.hold_time = bw_live_hold_time,
	.set_filter = bw_live_set_filter,
	.set_watch = bw_live_set_watch,
	.set_exceptions = bw_live_set_exceptions,
	.set_precise = bw_live_set_precise,
	.fault = bw_live_fault,
	.walk = bw_live_walk,
	.maps = bw_live_maps,
	.objects = bw_live_objects,
};

struct bw_error *bw_live_start(const struct bw_live_options *options, struct bw_target **out)
{
	struct bw_live *l = calloc(1, sizeof(*l));
	if (!l)
		return bw_error_nomem();
	l->t.ops = &bw_live_ops;
	l->t.caps = BW_CAP_RUN | BW_CAP_WRITE_REGS | BW_CAP_WRITE_MEMORY | BW_CAP_PATCH |
		    BW_CAP_LDS | BW_CAP_SCRATCH | BW_CAP_WALK | BW_CAP_WATCH | BW_CAP_FILTER;
	l->kmd = options->kmd;
	l->listen_fd = l->agent_fd = l->pidfd = l->guard_fd = -1;
	l->reply.fd = -1;
	/* sleeps of some 10 us are meant as such (default: 50 us more) */
	prctl(PR_SET_TIMERSLACK, 1000ul);
	l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct bw_error *err = l->wake_fd < 0 ? bw_error_errno(errno, "eventfd") : NULL;
	if (!err)
		err = bw_live_find_regs(l);
	if (!err)
		err = bw_live_facts(l);
	if (!err)
		err = make_socket(l);
	if (!err)
		err = bw_live_guard_start(l);
	if (!err)
		err = bw_live_gfxoff_hold(l);
	if (!err)
		err = options->argv ? spawn(l, options) : attach_to(l, options->pid);
	if (err) {
		free_live(l);
		return err;
	}
	*out = &l->t;
	return NULL;
}
