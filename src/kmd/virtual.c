/* SPDX-License-Identifier: MIT */
/* The virtual GPU: the same files, served by breakwater-vgpu. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "base/vec.h"
#include "base/wait.h"
#include "kmd/client.h"
#include "kmd/kmd_priv.h"

struct virtual_kmd {
	struct bw_kmd base;
	struct bw_vgpu_client *client;
	char *socket;
	pid_t server;
	pid_t child; /* the same, when it was started here */
	char *env_text[2];
	const char *env[3];
};

enum { READY_TIMEOUT_MS = 20000, END_WAIT_MS = 1000 };

struct virtual_file {
	struct bw_kmd_file base;
	uint32_t file;
};

static struct virtual_kmd *virtual_kmd(const struct bw_kmd *kmd)
{
	return BW_CONTAINER_OF((struct bw_kmd *)kmd, struct virtual_kmd, base);
}

static struct virtual_file *virtual_file(struct bw_kmd_file *f)
{
	return BW_CONTAINER_OF(f, struct virtual_file, base);
}

/* Without us a server that was started here has no clients, unless a program still runs: then the
 * server continues, and is inherited by init. Usually it ends at once, and is waited for, so that
 * neither a zombie nor its files stay. */
static int wait_for_child(pid_t child)
{
	int status = 0;
	for (unsigned ms = 0; child && ms < END_WAIT_MS; ms++) {
		if (waitpid(child, &status, WNOHANG))
			break;
		usleep(1000);
	}
	return status;
}

static void virtual_close(struct bw_kmd *kmd)
{
	struct virtual_kmd *k = virtual_kmd(kmd);
	bw_wait_remove(k->server);
	bw_vgpu_client_close(k->client);
	wait_for_child(k->child);
	free(k->socket);
	free(k->env_text[0]);
	free(k->env_text[1]);
	free(k);
}

static int virtual_file_open(struct bw_kmd *kmd, bool sysfs, const char *path, int flags,
			     struct bw_kmd_file **out)
{
	struct virtual_kmd *k = virtual_kmd(kmd);
	char full[PATH_MAX];
	int n = sysfs ? snprintf(full, sizeof(full), "sys/class/drm/card0/device/%s", path)
		      : snprintf(full, sizeof(full), "debug/dri/%s/%s", kmd->pci_address, path);
	if (n >= (int)sizeof(full))
		return -ENAMETOOLONG;
	struct virtual_file *f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	int r = bw_vgpu_file_open(k->client, full, flags, &f->file);
	if (r) {
		free(f);
		return r;
	}
	f->base.kmd = kmd;
	*out = &f->base;
	return 0;
}

static void virtual_file_close(struct bw_kmd_file *f)
{
	struct virtual_kmd *k = virtual_kmd(f->kmd);
	/* A server that is stopped closes it when we end: not worth a wait. */
	if (bw_process_state(k->server) != 'T')
		bw_vgpu_close(k->client, virtual_file(f)->file);
	free(virtual_file(f));
}

static int virtual_file_ioctl(struct bw_kmd_file *f, uint32_t cmd, void *arg)
{
	return bw_vgpu_ioctl(virtual_kmd(f->kmd)->client, virtual_file(f)->file, cmd, arg);
}

static int virtual_drm_ioctl(struct bw_kmd *kmd, uint32_t cmd, void *arg)
{
	enum { RENDER_MINOR = 128 };
	struct virtual_kmd *k = virtual_kmd(kmd);
	uint32_t file;
	int r = bw_vgpu_drm_open(k->client, RENDER_MINOR, O_RDWR, &file);
	if (r)
		return r;
	r = bw_vgpu_ioctl(k->client, file, cmd, arg);
	bw_vgpu_close(k->client, file);
	return r;
}

static ssize_t virtual_file_read(struct bw_kmd_file *f, uint64_t pos, void *out, size_t size_b)
{
	return bw_vgpu_pread(virtual_kmd(f->kmd)->client, virtual_file(f)->file, pos, out, size_b);
}

static ssize_t virtual_file_write(struct bw_kmd_file *f, uint64_t pos, const void *data,
				  size_t size_b)
{
	return bw_vgpu_pwrite(virtual_kmd(f->kmd)->client, virtual_file(f)->file, pos, data,
			      size_b);
}

static int virtual_file_many(struct bw_kmd_file *f, struct bw_kmd_access *list, size_t n)
{
	static const uint16_t types[] = {[BW_KMD_IOCTL] = BW_VGPU_IOCTL,
					 [BW_KMD_READ] = BW_VGPU_FILE_READ,
					 [BW_KMD_WRITE] = BW_VGPU_FILE_WRITE};
	struct bw_vgpu_access made[BW_KMD_MANY];
	_Static_assert((int)BW_KMD_MANY <= (int)BW_VGPU_ACCESSES_MAX, "one exchange");
	for (size_t i = 0; i < n; i++)
		made[i] = (struct bw_vgpu_access){.type = types[list[i].kind],
						  .cmd = list[i].cmd,
						  .size_b = list[i].size_b,
						  .pos = list[i].pos,
						  .data = list[i].data};
	int r = bw_vgpu_access_many(virtual_kmd(f->kmd)->client, virtual_file(f)->file, made, n);
	for (size_t i = 0; i < n; i++)
		list[i].result = r ? r : made[i].result;
	return r;
}

static const char *const *virtual_program_env(struct bw_kmd *kmd)
{
	struct virtual_kmd *k = virtual_kmd(kmd);
	if (k->env[0])
		return k->env;
	if (asprintf(&k->env_text[0], BW_VGPU_SOCKET_ENV "=%s", k->socket) < 0)
		k->env_text[0] = NULL;
	k->env_text[1] = bw_kmd_preload_env();
	k->env[0] = k->env_text[0];
	k->env[1] = k->env_text[1];
	return k->env;
}

static int virtual_liveness_fd(const struct bw_kmd *kmd)
{
	return bw_vgpu_client_liveness_fd(virtual_kmd(kmd)->client);
}

static pid_t virtual_server_pid(const struct bw_kmd *kmd)
{
	return virtual_kmd(kmd)->server;
}

static uint64_t virtual_n_clients_ever(struct bw_kmd *kmd)
{
	struct bw_vgpu_server_info info;
	return bw_vgpu_server_info(virtual_kmd(kmd)->client, &info) ? 0 : info.clients_ever;
}

static const char *virtual_remedy(const struct bw_kmd *kmd, bool sysfs, int errnum)
{
	return errnum == ENOENT ? "the virtual GPU has no such file"
	       : errnum == EOPNOTSUPP
		       ? "with this project's driver, this model of the virtual GPU has the packets of another one"
		       : NULL;
}

static const char *virtual_place(const struct bw_kmd *kmd, bool sysfs)
{
	return sysfs ? "sysfs of the virtual GPU" : "debugfs of the virtual GPU";
}

static struct bw_error *virtual_fidelity(struct bw_kmd *kmd, struct bw_kmd_fidelity_row **out_rows,
					 size_t *out_n)
{
	struct virtual_kmd *k = virtual_kmd(kmd);
	_cleanup_free_ struct bw_vgpu_fidelity_row *got = NULL;
	size_t n;
	int r = bw_vgpu_fidelity(k->client, &got, &n);
	if (r == -ENODATA)
		return bw_errorf(
			BW_E_STATE,
			"the virtual GPU at %s does not count what it executes; start it with --fidelity",
			k->socket);
	if (r)
		return bw_error_errno(-r, "the virtual GPU at %s does not report what it executed",
				      k->socket);
	struct bw_kmd_fidelity_row *rows = calloc(n + 1, sizeof(*rows));
	if (!rows)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++) {
		rows[i].count = got[i].count;
		rows[i].kind = got[i].kind <= BW_KMD_UNUSUAL ? (enum bw_kmd_fidelity)got[i].kind
							     : BW_KMD_UNUSUAL;
		rows[i].is_second = got[i].is_second;
		memcpy(rows[i].name, got[i].name, sizeof(rows[i].name) - 1);
		memcpy(rows[i].why, got[i].why, sizeof(rows[i].why) - 1);
	}
	*out_rows = rows;
	*out_n = n;
	return NULL;
}

static const struct bw_kmd_ops virtual_ops = {
	.is_virtual = true,
	.close = virtual_close,
	.file_open = virtual_file_open,
	.file_close = virtual_file_close,
	.file_ioctl = virtual_file_ioctl,
	.file_read = virtual_file_read,
	.file_write = virtual_file_write,
	.file_many = virtual_file_many,
	.drm_ioctl = virtual_drm_ioctl,
	.program_env = virtual_program_env,
	.liveness_fd = virtual_liveness_fd,
	.server_pid = virtual_server_pid,
	.n_clients_ever = virtual_n_clients_ever,
	.fidelity = virtual_fidelity,
	.remedy = virtual_remedy,
	.place = virtual_place,
};

/* Starting a server */

struct words BW_VEC(const char *);

/* Runs in the second child, between fork and exec: system calls only. The server must not hold what
 * the caller has open (a pipe to a pager would never end), nor die of the caller's Ctrl-C. */
static void become_server(char *const *argv, int ready, int fail)
{
	int null = open("/dev/null", O_RDWR);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
	}
	dup2(ready, 3);
	dup2(fail, 4);
	fcntl(4, F_SETFD, FD_CLOEXEC);
	close_range(5, ~0u, 0);
	execv(argv[0], argv);
	int e = errno;
	if (write(4, &e, sizeof(e)) != sizeof(e)) {
		/* The parent then sees that the server ended before it was ready. */
	}
	_exit(127);
}

/* Starts the server in a session of its own, so that the terminal's Ctrl-C does not reach it. */
static struct bw_error *spawn(char *const *argv, int *out_ready, pid_t *out_child)
{
	int ready[2], fail[2];
	if (pipe2(ready, O_CLOEXEC))
		return bw_error_errno(errno, "cannot make a pipe");
	if (pipe2(fail, O_CLOEXEC)) {
		struct bw_error *err = bw_error_errno(errno, "cannot make a pipe");
		close(ready[0]);
		close(ready[1]);
		return err;
	}
	/* Out of the way of 3 and 4, where the child wants them. */
	int ready_w = fcntl(ready[1], F_DUPFD_CLOEXEC, 10),
	    fail_w = fcntl(fail[1], F_DUPFD_CLOEXEC, 10);
	close(ready[1]);
	close(fail[1]);
	pid_t pid = fork();
	if (!pid) {
		setsid();
		become_server(argv, ready_w, fail_w);
	}
	struct bw_error *err = pid < 0 ? bw_error_errno(errno, "cannot start %s", argv[0]) : NULL;
	close(ready_w);
	close(fail_w);
	int e = 0;
	if (!err && read(fail[0], &e, sizeof(e)) == sizeof(e)) {
		err = bw_error_errno(e, "cannot start %s", argv[0]);
		wait_for_child(pid);
	}
	close(fail[0]);
	if (err) {
		close(ready[0]);
		return err;
	}
	*out_ready = ready[0];
	*out_child = pid;
	return NULL;
}

/* out_socket: where it listens; owned. */
static struct bw_error *await_ready(int fd, const char *program, char **out_socket)
{
	char text[512] = "";
	size_t len = 0;
	struct timespec start, now;
	clock_gettime(CLOCK_MONOTONIC, &start);
	while (len < sizeof(text) - 1) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		int64_t spent = (now.tv_sec - start.tv_sec) * 1000 +
				(now.tv_nsec - start.tv_nsec) / 1000000;
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int r = spent > READY_TIMEOUT_MS ? 0
						 : poll(&p, 1, (int)(READY_TIMEOUT_MS - spent) + 1);
		if (r == 0)
			return bw_errorf(BW_E_TIMEOUT, "%s was not ready within %d s", program,
					 READY_TIMEOUT_MS / 1000);
		if (r < 0)
			continue;
		ssize_t n = read(fd, text + len, sizeof(text) - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
		text[len] = 0;
		if (bw_starts_with(text, BW_VGPU_READY) && text[len - 1] == '\n') {
			*out_socket = strndup(text + strlen(BW_VGPU_READY),
					      len - strlen(BW_VGPU_READY) - 1);
			return *out_socket ? NULL : bw_error_nomem();
		}
	}
	text[strcspn(text, "\n")] = 0;
	if (*text)
		return bw_errorf(BW_E_STATE, "the virtual GPU cannot start: %s", text);
	return bw_errorf(BW_E_GONE, "%s ended before it was ready", program);
}

/* The limits of this process, which the server inherits, that are small or there at all: each is a
 * reason for it to fail. */
static void add_limits(struct bw_str *out)
{
	static const struct {
		int which;
		rlim_t enough, unit;
		const char *what;
	} limits[] = {
		{RLIMIT_NOFILE, 256, 1, "open files are limited to %llu (ulimit -n)"},
		{RLIMIT_FSIZE, RLIM_INFINITY, 1024, "files are limited to %llu KiB (ulimit -f)"},
		{RLIMIT_AS, RLIM_INFINITY, 1024, "memory is limited to %llu KiB (ulimit -v)"},
		{RLIMIT_DATA, RLIM_INFINITY, 1024, "memory is limited to %llu KiB (ulimit -d)"},
		{RLIMIT_NPROC, 64, 1, "processes are limited to %llu (ulimit -u)"}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(limits); i++) {
		struct rlimit r;
		/* the server raises its soft limit of files to the hard one */
		if (getrlimit((__rlimit_resource_t)limits[i].which, &r))
			continue;
		rlim_t n = limits[i].which == RLIMIT_NOFILE ? r.rlim_max : r.rlim_cur;
		if (n >= limits[i].enough)
			continue;
		bw_str_add(out, "; ");
		bw_str_addf(out, limits[i].what, (unsigned long long)(n / limits[i].unit));
	}
}

/* err with how the server ended, and which limits it ran under. */
static struct bw_error *explain(struct bw_error *err, int status)
{
	struct bw_str s = {0};
	bw_str_add(&s, err->message);
	if (err->code == BW_E_GONE && WIFSIGNALED(status))
		bw_str_addf(&s, ": signal %d (%s)%s", WTERMSIG(status), strsignal(WTERMSIG(status)),
			    WTERMSIG(status) == SIGKILL
				    ? ": the kernel does that where memory has run out"
				    : "");
	else if (err->code == BW_E_GONE && WIFEXITED(status))
		bw_str_addf(&s, ": exit status %d%s", WEXITSTATUS(status),
			    WEXITSTATUS(status) == 127 ? ", so that a library of it could not be "
							 "loaded"
						       : "");
	add_limits(&s);
	struct bw_error *out = s.failed ? NULL : bw_errorf(err->code, "%s", bw_str_text(&s));
	bw_str_free(&s);
	if (!out)
		return err;
	bw_error_free(err);
	return out;
}

static struct bw_error *start_server(const char *profile, char **out_socket, pid_t *out_child)
{
	_cleanup_free_ char *program = NULL;
	BW_TRY(bw_kmd_find_part("breakwater-vgpu", &program));
	const char *extra = getenv(BW_VGPU_ARGS_ENV);
	_cleanup_free_ char *more = strdup(extra ? extra : "");
	if (!more)
		return bw_error_nomem();

	struct words argv = {0};
	const char *fixed[] = {program, "--ready-fd", "3", "--exit-with-last-client"};
	struct bw_error *err = NULL;
	for (size_t i = 0; !err && i < BW_ARRAY_SIZE(fixed); i++)
		err = bw_vec_push(&argv, fixed[i]);
	if (!err && profile)
		err = bw_vec_push(&argv, "--profile");
	if (!err && profile)
		err = bw_vec_push(&argv, profile);
	char *save = NULL;
	for (char *w = strtok_r(more, " ", &save); !err && w; w = strtok_r(NULL, " ", &save))
		err = bw_vec_push(&argv, w);
	if (!err)
		err = bw_vec_push(&argv, NULL);

	_cleanup_close_ int ready = -1;
	if (!err)
		err = spawn((char *const *)(uintptr_t)argv.data, &ready, out_child);
	bw_vec_free(&argv);
	if (!err)
		err = await_ready(ready, program, out_socket);
	if (err) {
		int status = wait_for_child(*out_child);
		if (err->code == BW_E_STATE && WIFEXITED(status) && WEXITSTATUS(status) == 2)
			err->code = BW_E_INVALID; /* it rejected its options, which come from the
						   * user */
		else
			err = explain(err, status);
	}
	return err;
}

/* One for the process: the user whose program it is told to attach to. */
static uid_t user_to_attach_to;

void bw_kmd_use_server_of(uid_t user)
{
	user_to_attach_to = user;
}

/* Requests carry memory of this process, which it copies by system calls (kmd/client.c). */
static struct bw_error *check_copying(void)
{
	char from = 0, to = 0;
	struct iovec l = {&to, 1}, r = {&from, 1};
	if (process_vm_readv(getpid(), &l, 1, &r, 1, 0) == 1 || (errno != EPERM && errno != ENOSYS))
		return NULL;
	return bw_error_errno(
		errno,
		"the virtual GPU needs the system call process_vm_readv, which a container or a sandbox "
		"forbids (seccomp): allow it, for instance by docker run --security-opt seccomp=unconfined");
}

struct bw_error *bw_kmd_virtual_open(const char *profile, struct bw_kmd **out)
{
	BW_TRY(check_copying());
	struct virtual_kmd *k = calloc(1, sizeof(*k));
	if (!k)
		return bw_error_nomem();
	k->base.ops = &virtual_ops;
	pthread_mutex_init(&k->base.regs_lock, NULL);
	const char *socket = getenv(BW_VGPU_SOCKET_ENV);
	const struct bw_vgpu_client_hooks hooks = {.server_user = user_to_attach_to};
	struct bw_error *err = NULL;
	if (socket && *socket) {
		k->socket = strdup(socket);
		if (!k->socket)
			err = bw_error_nomem();
	} else {
		err = start_server(profile, &k->socket, &k->child);
	}
	if (!err)
		err = bw_vgpu_client_open(k->socket, &hooks, &k->client);
	if (err) {
		bw_kmd_close(&k->base);
		return err;
	}
	k->server = bw_vgpu_client_server_pid(k->client);
	bw_wait_add(k->server, "the virtual GPU");
	memcpy(k->base.pci_address, bw_vgpu_client_hello(k->client)->pci_address,
	       sizeof(k->base.pci_address));
	*out = &k->base;
	return NULL;
}
