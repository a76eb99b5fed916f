/* SPDX-License-Identifier: MIT */
#include "guest/guest_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "kmd/kmd.h"

enum {
	GPU_START_MS = 20000,
	GPU_END_MS = 5000,
	/* descriptors in QEMU and the GPU's process */
	FD_PORT = 3,
	FD_SERIAL,
	FD_INITRD,
	FD_READY = 3,
};

/* ---- the process that cleans up ---- */

/* QEMU and the GPU end with us by PR_SET_PDEATHSIG. After kill -9 our files would stay: this
 * process waits for our end, and removes them. */
static void guard(int pipe_end, const char *folder)
{
	char byte;
	sigset_t all;
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	/* A process that reads our output must not wait for the end of this one. */
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int i = 0; i < 3; i++)
		dup2(null, i);
	while (read(pipe_end, &byte, 1) < 0 && errno == EINTR)
		;
	bw_folder_remove_tree(folder);
	_exit(0);
}

static int block_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGWINCH};
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < BW_ARRAY_SIZE(numbers); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

struct bw_error *bw_machine_open(struct bw_machine *m)
{
	int ends[2];
	m->signals = block_signals();
	if (m->signals < 0)
		return bw_error_errno(errno, "no signalfd can be made");
	BW_TRY(bw_folder_make(BW_FOLDER_VGPU, &m->folder));
	if (pipe2(ends, O_CLOEXEC) < 0)
		return bw_error_errno(errno, "no pipe can be made");
	m->guard = fork();
	if (m->guard == 0) {
		close(ends[1]);
		guard(ends[0], m->folder.path);
	}
	close(ends[0]);
	m->guard_pipe = ends[1];
	if (m->guard < 0) {
		m->guard = 0;
		return bw_error_errno(errno, "no process can be started");
	}
	return NULL;
}

/* ---- starting ---- */

/* Runs in the new process: `fds` become 3, 4, ...; never returns. */
static void become(char *const *argv, const int *fds, int n_fds, int words, int end_signal)
{
	sigset_t none;
	int high[4];
	pid_t parent = getppid();
	/* A group of its own: a terminal's Ctrl-C is for us to act on. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, end_signal);
	if (getppid() != parent)
		_exit(1);
	for (int i = 0; i < n_fds; i++)
		high[i] = fcntl(fds[i], F_DUPFD, 64);
	int null = open("/dev/null", O_RDWR), error = fcntl(words, F_DUPFD, 64);
	dup2(null, 0);
	dup2(error, 1);
	dup2(error, 2);
	for (int i = 0; i < n_fds; i++)
		dup2(high[i], 3 + i);
	close_range(3u + (unsigned)n_fds, ~0u, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int s = 1; s < 32; s++)
		signal(s, SIG_DFL);
	execv(argv[0], argv);
	dprintf(2, "cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static struct bw_error *start(struct bw_strings *argv, const int *fds, int n_fds, int words,
			      int end_signal, pid_t *out)
{
	BW_TRY(bw_vec_push(argv, NULL));
	pid_t pid = fork();
	if (pid == 0)
		become(argv->data, fds, n_fds, words, end_signal);
	if (pid < 0)
		return bw_error_errno(errno, "cannot start %s", argv->data[0]);
	*out = pid;
	return NULL;
}

/* Waits for the line "ready PATH" on the pipe; anything else is a reason why not. */
static struct bw_error *await_ready(int fd)
{
	char text[500] = "";
	size_t n = 0;
	while (n < sizeof(text) - 1) {
		struct pollfd p = {fd, POLLIN, 0};
		int k = poll(&p, 1, GPU_START_MS);
		if (k < 0 && errno == EINTR)
			return bw_errorf(BW_E_INTERRUPTED, "the guest was ended by a signal");
		if (k == 0)
			return bw_errorf(BW_E_TIMEOUT,
					 "the virtual GPU has not started within %d s",
					 GPU_START_MS / 1000);
		ssize_t got = read(fd, text + n, sizeof(text) - 1 - n);
		if (got <= 0)
			break;
		n += (size_t)got;
		text[n] = '\0';
		if (strchr(text, '\n'))
			break;
	}
	if (bw_starts_with(text, "ready "))
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return bw_errorf(BW_E_STATE, "the virtual GPU did not start%s%s", n ? ": " : "", text);
}

/* BREAKWATER_VGPU_ARGS counts for this virtual GPU, too. */
static struct bw_error *add_server_args(struct bw_strings *argv)
{
	const char *given = getenv(BW_KMD_SERVER_ARGS_ENV);
	_cleanup_free_ char *text = strdup(given ? given : "");
	char *save = NULL;
	if (!text)
		return bw_error_nomem();
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
		BW_TRY(bw_strings_addf(argv, "%s", w));
	return NULL;
}

static struct bw_error *start_gpu(struct bw_machine *m, const char *model, int words)
{
	_cleanup_free_ char *program = NULL;
	_cleanup_(bw_strings_free) struct bw_strings argv = {0};
	int ready[2];
	BW_TRY(bw_kmd_find_part("breakwater-vgpu", &program));
	BW_TRY(bw_strings_addf(&argv, "%s", program));
	if (model) {
		BW_TRY(bw_strings_addf(&argv, "--profile"));
		BW_TRY(bw_strings_addf(&argv, "%s", model));
	}
	BW_TRY(bw_strings_addf(&argv, "--ready-fd"));
	BW_TRY(bw_strings_addf(&argv, "%d", FD_READY));
	BW_TRY(bw_strings_addf(&argv, "--vfio-user"));
	BW_TRY(bw_strings_addf(&argv, "%s/gpu", m->folder.path));
	BW_TRY(add_server_args(&argv));
	if (pipe2(ready, O_CLOEXEC) < 0)
		return bw_error_errno(errno, "no pipe can be made");
	/* SIGTERM: it removes its files. */
	struct bw_error *err = start(&argv, &ready[1], 1, words, SIGTERM, &m->gpu);
	close(ready[1]);
	if (!err)
		err = await_ready(ready[0]);
	close(ready[0]);
	return err;
}

/* ---- QEMU ---- */

/* Options that make the guest start fast under emulation, and end at its first oops:
 * Documentation/admin-guide/kernel-parameters.txt of Linux 6.12 and, for the driver,
 * doc/hardware/pci.md. */
static const char kernel_args[] =
	"console=ttyS0,115200 8250.nr_uarts=1 panic=-1 oops=panic no_timer_check mitigations=off "
	"nowatchdog rcupdate.rcu_expedited=1 random.trust_cpu=on audit=0 apparmor=0 i8042.noaux "
	"i8042.nokbd";

static struct bw_error *add_devices(struct bw_strings *w, const struct bw_machine *m,
				    const struct bw_guest_options *o)
{
	BW_TRY(bw_strings_addf(w, "-chardev"));
	BW_TRY(bw_strings_addf(w, "socket,id=serial,fd=%d", FD_SERIAL));
	BW_TRY(bw_strings_addf(w, "-serial"));
	BW_TRY(bw_strings_addf(w, "chardev:serial"));
	BW_TRY(bw_strings_addf(w, "-chardev"));
	BW_TRY(bw_strings_addf(w, "socket,id=port,fd=%d", FD_PORT));
	BW_TRY(bw_strings_addf(w, "-device"));
	BW_TRY(bw_strings_addf(w, "virtio-serial-pci"));
	BW_TRY(bw_strings_addf(w, "-device"));
	BW_TRY(bw_strings_addf(w, "virtserialport,chardev=port,name=" BW_GUEST_PORT));
	BW_TRY(bw_strings_addf(w, "-virtfs"));
	BW_TRY(bw_strings_addf(w, "local,path=/,mount_tag=" BW_GUEST_ROOT_TAG
				  ",security_model=none,readonly=on,multidevs=remap"));
	for (size_t i = 0; o->shares && o->shares[i]; i++) {
		BW_TRY(bw_strings_addf(w, "-virtfs"));
		/* A comma in a path is doubled in QEMU's options; the plan has refused it. */
		BW_TRY(bw_strings_addf(
			w, "local,path=%s,mount_tag=share%zu,security_model=none,multidevs=remap",
			o->shares[i], i));
	}
	if (o->no_gpu)
		return NULL;
	/* Not below a root port: QEMU's completes no atomics, and Linux would ask it. */
	BW_TRY(bw_strings_addf(w, "-device"));
	return bw_strings_addf(
		w,
		"{\"driver\":\"vfio-user-pci\",\"bus\":\"pcie.0\",\"addr\":\"10\",\"socket\":{\"path\":\"%s/gpu\",\"type\":\"unix\"}}",
		m->folder.path);
}

static struct bw_error *qemu_words(const struct bw_machine *m, const struct bw_guest_options *o,
				   const struct bw_guest_parts *parts, struct bw_strings *w)
{
	const unsigned long long mib = o->memory_b >> 20;
	BW_TRY(bw_guest_tree_program(parts->qemu, "usr/bin/qemu-system-x86_64", w));
	static const char *const folders[] = {"qemu", "seabios"};
	for (size_t i = 0; i < 2; i++) {
		BW_TRY(bw_strings_addf(w, "-L"));
		BW_TRY(bw_strings_addf(w, "%s/usr/share/%s", parts->qemu, folders[i]));
	}
	static const char *const fixed[] = {"-machine",	   "q35,memory-backend=ram",
					    "-nodefaults", "-no-user-config",
					    "-display",	   "none",
					    "-no-reboot",  "-nic",
					    "none"};
	/* Code that takes over QEMU from inside the guest cannot start programs, and gets no
	 * rights. */
	static const char sandbox[] = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,"
				      "resourcecontrol=deny";
	for (size_t i = 0; i < BW_ARRAY_SIZE(fixed); i++)
		BW_TRY(bw_strings_addf(w, "%s", fixed[i]));
	BW_TRY(bw_strings_addf(w, "-sandbox"));
	BW_TRY(bw_strings_addf(w, "%s", sandbox));
	BW_TRY(bw_strings_addf(w, "-accel"));
	BW_TRY(bw_strings_addf(w, m->has_kvm ? "kvm" : "tcg,thread=multi"));
	/* With a processor of AMD's, QEMU reserves 12 GB below 1 TB in the guest's map of memory,
	 * but SeaBIOS puts BARs there nevertheless: Linux finds no room for them after "remove" and
	 * "rescan". */
	BW_TRY(bw_strings_addf(w, "-cpu"));
	BW_TRY(bw_strings_addf(w, m->has_kvm ? "host" : "qemu64,vendor=GenuineIntel"));
	BW_TRY(bw_strings_addf(w, "-smp"));
	BW_TRY(bw_strings_addf(w, "%u", o->cpus));
	BW_TRY(bw_strings_addf(w, "-m"));
	BW_TRY(bw_strings_addf(w, "%lluM", mib));
	/* share=on: the GPU's process maps the guest's memory. */
	BW_TRY(bw_strings_addf(w, "-object"));
	BW_TRY(bw_strings_addf(w, "memory-backend-memfd,id=ram,size=%lluM,share=on", mib));
	BW_TRY(add_devices(w, m, o));
	if (o->gdb) {
		BW_TRY(bw_strings_addf(w, "-chardev"));
		BW_TRY(bw_strings_addf(w, "socket,id=gdb,path=%s/gdb,server=on,wait=off",
				       m->folder.path));
		BW_TRY(bw_strings_addf(w, "-gdb"));
		BW_TRY(bw_strings_addf(w, "chardev:gdb"));
		BW_TRY(bw_strings_addf(w, "-S"));
	}
	BW_TRY(bw_strings_addf(w, "-kernel"));
	BW_TRY(bw_strings_addf(w, "%s", parts->kernel));
	BW_TRY(bw_strings_addf(w, "-initrd"));
	BW_TRY(bw_strings_addf(w, "/proc/self/fd/%d", FD_INITRD));
	BW_TRY(bw_strings_addf(w, "-append"));
	return bw_strings_addf(w, "%s loglevel=%d%s", kernel_args, o->verbose ? 8 : 5,
			       o->gdb ? " nokaslr" : "");
}

struct bw_error *bw_machine_start(struct bw_machine *m, const struct bw_guest_options *o,
				  const struct bw_guest_parts *parts, int initrd)
{
	_cleanup_(bw_strings_free) struct bw_strings argv = {0};
	int port[2] = {-1, -1}, serial[2] = {-1, -1}, words[2] = {-1, -1};
	struct bw_error *err = NULL;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, port) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, serial) ||
	    pipe2(words, O_CLOEXEC | O_NONBLOCK))
		err = bw_error_errno(errno, "no sockets can be made");
	m->port = port[0];
	m->serial = serial[0];
	m->words = words[0];
	if (!err && !o->no_gpu)
		err = start_gpu(m, o->gpu, words[1]);
	if (!err)
		err = qemu_words(m, o, parts, &argv);
	const int fds[] = {port[1], serial[1], initrd};
	if (!err)
		err = start(&argv, fds, 3, words[1], SIGKILL, &m->qemu);
	const int ends[] = {port[1], serial[1], words[1]};
	for (int i = 0; i < 3; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	return err;
}

/* ---- ending ---- */

static void wait_for(pid_t *pid)
{
	while (*pid > 0 && waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	*pid = 0;
}

/* Ends the GPU's process, which removes its files on SIGTERM; if it does not end, it is killed. */
static void end_gpu(struct bw_machine *m)
{
	if (m->gpu <= 0)
		return;
	kill(m->gpu, SIGTERM);
	for (int waited_ms = 0; waited_ms < GPU_END_MS; waited_ms += 10) {
		if (waitpid(m->gpu, NULL, WNOHANG) != 0) {
			m->gpu = 0;
			return;
		}
		poll(NULL, 0, 10);
	}
	kill(m->gpu, SIGKILL);
	wait_for(&m->gpu);
}

void bw_machine_close(struct bw_machine *m)
{
	if (m->qemu > 0)
		kill(m->qemu, SIGKILL);
	wait_for(&m->qemu);
	end_gpu(m);
	bw_folder_remove(&m->folder);
	int *fds[] = {&m->guard_pipe, &m->port, &m->serial, &m->words, &m->signals};
	for (size_t i = 0; i < BW_ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
	wait_for(&m->guard);
}
