/* SPDX-License-Identifier: MIT */
/* breakwater-vgpu: the virtual GPU, a process of its own. It makes a run folder with its socket and
 * the files that programs look for below /dev and /sys, serves every connection in a thread, and
 * takes the folder away again at the end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/folder.h"
#include "base/log.h"
#include "base/str.h"
#include "base/util.h"
#include "vgpu/describe.h"
#include "vgpu/device/exec/core/plant.h"
#include "vgpu/pci/pci.h"
#include "vgpu/uapi/uapi.h"
#include "wire/checks.h"
#include "wire/message.h"
#include "wire/vgpu_proto.h"

static const char usage[] =
	"Usage: breakwater-vgpu [OPTION]...\n"
	"       breakwater-vgpu isa [--gfx gfx1100|gfx942|gfx902] [--json] [PATTERN]\n"
	"       breakwater-vgpu profiles [--json]\n"
	"The virtual GPU of Breakwater: serves programs and debuggers on a socket. isa lists what it\n"
	"executes and how exactly, profiles the GPUs that it can be.\n";

struct settings {
	const struct bw_profile *profile;
	struct bw_uapi_options uapi;
	const char *socket;
	const char *vfio_user; /* socket of the PCI function, in place of the kernel interface */
	uint32_t vram_mib;     /* of that; 0: not given */
	bool exit_with_last, has_ready_fd, help, version;
	uint32_t ready_fd;
};

enum { FIRST_CLIENT_MS = 10000 };

/* ---- options ---- */

static struct bw_error *no_profile(const char *name)
{
	_cleanup_(bw_str_free) struct bw_str names = {0};
	size_t n;
	const struct bw_profile *const *all = bw_profile_all(&n);
	for (size_t i = 0; i < n; i++)
		bw_str_add_next(&names, all[i]->name);
	return bw_errorf(BW_E_INVALID, "there is no profile \"%s\"; there is %s", name,
			 bw_str_text(&names));
}

/* Options of one front end are none of the other. */
static struct bw_error *check_front_end(const struct settings *s)
{
	if (!s->vfio_user && s->vram_mib)
		return bw_errorf(BW_E_INVALID, "--vram is an option of --vfio-user");
	if (!s->vfio_user)
		return NULL;
	const struct {
		const char *option;
		bool given;
	} others[] = {
		{"--socket", s->socket != NULL},
		{"--exit-with-last-client", s->exit_with_last},
		{"--lockup-timeout", s->uapi.lockup_timeout_ms != 0},
		{"--quiet", s->uapi.quiet},
		{"--no-defects", s->uapi.no_defects},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(others); i++)
		if (others[i].given)
			return bw_errorf(BW_E_INVALID, "%s has no meaning with --vfio-user",
					 others[i].option);
	return NULL;
}

static struct bw_error *take_profile(void *settings, const char *option, const char *value)
{
	struct settings *s = settings;
	s->profile = bw_profile_find(value);
	return s->profile ? NULL : no_profile(value);
}

static struct bw_error *take_strict(void *settings, const char *option, const char *value)
{
	struct settings *s = settings;
	if (value && strcmp(value, "quiet"))
		return bw_errorf(BW_E_INVALID, "--strict is alone or =quiet, not \"%s\"", value);
	s->uapi.device.strict = true;
	s->uapi.strict_at_end |= value != NULL;
	return NULL;
}

static struct bw_error *take_check(void *settings, const char *option, const char *value)
{
	struct settings *s = settings;
	unsigned what;
	BW_TRY(bw_checks_parse(option, value, &what));
	s->uapi.device.check |= what;
	return NULL;
}

static struct bw_error *take_plant(void *settings, const char *option, const char *value)
{
	static const struct {
		const char *name;
		enum bw_plant plant;
	} plants[] = {
#define ROW(id, name, about) {name, BW_PLANT_##id},
		BW_PLANTS(ROW)
#undef ROW
	};
	struct settings *s = settings;
	for (size_t i = 0; i < BW_ARRAY_SIZE(plants); i++) {
		if (strcmp(value, plants[i].name))
			continue;
		s->uapi.device.plant |= plants[i].plant;
		return NULL;
	}
#define NAME(id, name, about) " " name
	return bw_errorf(BW_E_INVALID,
			 "%s: there is no fault \"%s\"; there are these:" BW_PLANTS(NAME), option,
			 value);
#undef NAME
}

static const struct bw_option rows[] = {
	{"--profile", "NAME", "the GPU to be (\"breakwater vgpu profiles\" lists them)",
	 BW_CALL(take_profile)},
	{"--threads", "N", "threads that run waves; 0 (default): one a core",
	 BW_U32(struct settings, uapi.device.threads, 0, 1024)},
	{"--deterministic", NULL,
	 "one thread, fixed scheduling order, time counted in instructions",
	 BW_FLAG(struct settings, uapi.device.deterministic)},
	{"--strict", "[=quiet]",
	 "poisoned registers, late results, stale caches: say what only hardware would show; quiet: only to "
	 "clients that ask",
	 BW_CALL(take_strict)},
	{"--check", "[=LIST]",
	 "look for errors of programs and say where: all checks, or those of LIST: races, bounds, "
	 "init, sync, writers, leaks; leaks only by name",
	 BW_CALL(take_check)},
	{"--check-quiet", NULL,
	 "--check says only the first findings at once, the rest to clients that ask",
	 BW_FLAG(struct settings, uapi.check_at_end)},
	{"--check-silent", NULL, "--check says all findings only to clients that ask",
	 BW_FLAG(struct settings, uapi.check_silent)},
	{"--stop-on-finding", NULL,
	 "a wave stops when --check finds something that it does, if a debugger has set a trap handler",
	 BW_FLAG(struct settings, uapi.device.check_stops)},
	{"--trace-hash", NULL,
	 "hash all instructions and memory accesses; makes it --deterministic",
	 BW_FLAG(struct settings, uapi.device.trace),
	 BW_HAS(struct settings, uapi.device.deterministic)},
	{"--fidelity", NULL, "count what is executed, for those who ask how exact it was",
	 BW_FLAG(struct settings, uapi.device.counts)},
	{"--no-compile", NULL, "interpret all instructions of waves",
	 BW_FLAG(struct settings, uapi.device.interpret)},
	{"--lockup-timeout", "MS", "end jobs that run longer; 0 (default): never",
	 BW_U32(struct settings, uapi.lockup_timeout_ms, 0, 1u << 31)},
	{"--quiet", NULL,
	 "keep what the kernel would log to the file \"log\" alone, not on standard error",
	 BW_FLAG(struct settings, uapi.quiet)},
	{"--no-defects", NULL, "leave out the kernel's interface defects",
	 BW_FLAG(struct settings, uapi.no_defects)},
	{"--vfio-user", "PATH",
	 "be a PCI function for QEMU's vfio-user-pci, which connects here; end with it",
	 BW_TEXT(struct settings, vfio_user)},
	{"--vram", "MIB", "how much VRAM it has then: 256 to 16384 (default 1024)",
	 BW_U32(struct settings, vram_mib, 0, BW_PCI_VRAM_MAX_B >> 20)},
	{"--socket", "PATH", "listen here; default: SOCKET in the run folder, printed on start",
	 BW_TEXT(struct settings, socket)},
	{"--exit-with-last-client", NULL,
	 "end when the last client has gone, or none comes within 10 s",
	 BW_FLAG(struct settings, exit_with_last)},
	{"--ready-fd", "N", "write \"ready PATH\" to this descriptor once the socket listens",
	 BW_U32(struct settings, ready_fd, 0, 1u << 20), BW_HAS(struct settings, has_ready_fd)},
	{"--plant", "NAME", NULL, BW_CALL(take_plant), .is_hidden = true}, /* exec/core/plant.h */
	BW_ROW_HELP(struct settings, help),
	{"--version", NULL, NULL, BW_FLAG(struct settings, version)},
	{0},
};

static const struct bw_command_line line = {
	.name = "breakwater vgpu serve",
	.usage = usage,
	.groups = {{"Options:", rows}},
	.after = "Clients find a server by its socket in the environment: BREAKWATER_VGPU=PATH.\n",
	.next = &bw_line_vgpu_isa,
};

static struct bw_error *parse(int argc, char **argv, struct settings *s)
{
	int rest;
	BW_TRY(bw_command_line_parse(&line, s, argc, argv, &rest));
	if (s->help)
		bw_command_line_print_help(&line);
	else if (s->version)
		puts("breakwater-vgpu " BW_VERSION);
	if (s->help || s->version)
		exit(0);
	if (rest < argc)
		return bw_errorf(BW_E_INVALID, "\"%s\" is not an option; see --help", argv[rest]);
	return check_front_end(s);
}

/* ---- files ---- */

/* The run folder, with the tree of devices in it. */
static struct bw_error *make_run_folder(const struct bw_profile *profile,
					struct bw_folder *out_folder, char out_root[108])
{
	BW_TRY(bw_folder_make(BW_FOLDER_VGPU, out_folder));
	if (snprintf(out_root, 108, "%s/root", out_folder->path) >= 108)
		return bw_errorf(BW_E_INVALID, "the path %s is too long for a run folder",
				 out_folder->path);
	return bw_tree_make(profile, out_root);
}

/* The path of our socket, which is removed at the end if it still is our socket. */
struct socket_file {
	const char *path;
	dev_t dev;
	ino_t ino;
};

static struct bw_error *listen_on(const char *path, struct socket_file *out_file, int *out_fd)
{
	struct stat st;
	BW_TRY(bw_sock_listen(path, out_fd));
	if (!lstat(path, &st))
		*out_file = (struct socket_file){path, st.st_dev, st.st_ino};
	return NULL;
}

static void remove_socket(const struct socket_file *f)
{
	struct stat st;
	if (f->path && !lstat(f->path, &st) && S_ISSOCK(st.st_mode) && st.st_dev == f->dev &&
	    st.st_ino == f->ino)
		unlink(f->path);
}

/* ---- serving ---- */

/* spare: an open descriptor that is closed when there is no other, so that a new connection can be
 * accepted and refused; otherwise it would stay pending, and the server would spin. */
static void accept_one(struct bw_uapi *u, int listening, int *spare)
{
	int sock = -1;
	_cleanup_error_ struct bw_error *err = bw_sock_accept(listening, &sock, NULL);
	if (err && (err->errnum == EMFILE || err->errnum == ENFILE)) {
		close(*spare);
		sock = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
		if (sock >= 0)
			close(sock);
		*spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
		BW_LOG(WARN, "vgpu", "a connection is refused: too many files are open");
		return;
	}
	if (err) {
		BW_LOG(WARN, "vgpu", "%s", err->message);
		return;
	}
	err = bw_uapi_serve_on_thread(u, sock);
	if (err)
		BW_LOG(WARN, "vgpu", "%s", err->message);
}

static void on_clients(void *cookie)
{
	uint64_t one = 1;
	ssize_t ignored = write(*(int *)cookie, &one, sizeof(one));
	(void)ignored;
}

/* Until a signal, or the last client, ends it. */
static void serve_all(struct bw_uapi *u, const struct settings *s, int listening, int signals,
		      int events)
{
	struct pollfd fds[] = {{listening, POLLIN, 0}, {signals, POLLIN, 0}, {events, POLLIN, 0}};
	_cleanup_close_ int spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	for (;;) {
		unsigned now;
		uint64_t ever, count;
		bw_uapi_clients(u, &now, &ever);
		if (s->exit_with_last && ever && !now)
			return;
		int n = poll(fds, BW_ARRAY_SIZE(fds),
			     s->exit_with_last && !ever ? FIRST_CLIENT_MS : -1);
		if (n == 0 && s->exit_with_last && !ever)
			return;
		if (n < 0)
			continue;
		if (fds[1].revents)
			return;
		if (fds[2].revents && read(events, &count, sizeof(count)) < 0)
			continue;
		if (fds[0].revents)
			accept_one(u, listening, &spare);
	}
}

/* Tells the process that started us "ready" and the socket's path, or the reason why not. */
static void tell_starter(struct settings *s, const char *what, const char *rest)
{
	if (!s->has_ready_fd)
		return;
	dprintf((int)s->ready_fd, "%s%s", what, rest);
	close((int)s->ready_fd);
	s->has_ready_fd = false;
}

static int signal_fd(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* the call fails with EFBIG, which is told */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* One descriptor for each buffer object: as many as we may have. */
static void raise_limits(void)
{
	struct rlimit r;
	if (!getrlimit(RLIMIT_NOFILE, &r) && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

static void say_ready(struct settings *s, const char *name, const char *path)
{
	char rest[300];
	if (!s->has_ready_fd) {
		printf("%s=%s\n", name, path);
		fflush(stdout);
	}
	snprintf(rest, sizeof(rest), "%s\n", path);
	tell_starter(s, BW_VGPU_READY, rest);
}

/* One client, as QEMU is one: the GPU of a machine ends with the machine. */
static struct bw_error *run_pci(struct settings *s)
{
	struct bw_pci_options options = {s->uapi.device, s->vram_mib ? (uint64_t)s->vram_mib << 20
								     : BW_PCI_VRAM_DEFAULT_B};
	struct socket_file file = {0};
	struct bw_pci *p = NULL;
	_cleanup_close_ int listening = -1, signals = signal_fd(), sock = -1;
	options.device.says_stops = true; /* the guest's driver only knows that nothing comes */
	struct bw_error *err = bw_pci_create(s->profile, &options, &p);
	if (!err)
		err = listen_on(s->vfio_user, &file, &listening);
	if (!err) {
		struct pollfd fds[] = {{listening, POLLIN, 0}, {signals, POLLIN, 0}};
		say_ready(s, "VFIO_USER", s->vfio_user);
		while (poll(fds, BW_ARRAY_SIZE(fds), -1) < 0)
			;
		if (!fds[1].revents)
			err = bw_sock_accept(listening, &sock, NULL);
		if (!err && sock >= 0)
			err = bw_pci_serve(p, sock, signals);
	}
	remove_socket(&file);
	bw_pci_destroy(p);
	return err;
}

static struct bw_error *run_server(struct settings *s)
{
	char root[108], own_socket[300];
	struct bw_folder folder = BW_FOLDER_INIT;
	struct socket_file file = {0};
	_cleanup_close_ int listening = -1, signals = signal_fd(),
			    events = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct bw_uapi *u = NULL;
	raise_limits();
	struct bw_error *err = make_run_folder(s->profile, &folder, root);
	if (!err) {
		s->uapi.root = root;
		err = bw_uapi_create(s->profile, &s->uapi, &u);
	}
	if (!err && !s->socket) {
		snprintf(own_socket, sizeof(own_socket), "%s/socket", folder.path);
		s->socket = own_socket;
	}
	if (!err)
		err = listen_on(s->socket, &file, &listening);
	if (!err) {
		bw_uapi_on_clients(u, on_clients, &events);
		say_ready(s, BW_VGPU_SOCKET_ENV, s->socket);
		serve_all(u, s, listening, signals, events);
		remove_socket(&file);
	}
	bw_uapi_destroy(u);
	bw_folder_remove(&folder);
	return err;
}

int main(int argc, char **argv)
{
	size_t n_profiles;
	struct settings s = {.profile = *bw_profile_all(&n_profiles)};
	if (argc == 2 && !strcmp(argv[1], "--rows")) { /* for the build, as of "breakwater help" */
		bw_command_line_rows(&line);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "isa"))
		return bw_vgpu_main_isa(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "profiles"))
		return bw_vgpu_main_profiles(argc - 1, argv + 1);
	struct bw_error *err = parse(argc, argv, &s);
	int status = err ? 2 : 0;
	if (!err) {
		err = s.vfio_user ? run_pci(&s) : run_server(&s);
		status = err ? 1 : 0;
	}
	if (err) {
		if (!s.has_ready_fd) /* else the starter says it */
			fprintf(stderr, "breakwater-vgpu: %s\n", err->message);
		tell_starter(&s, err->message, "");
		bw_error_free(err);
	}
	return status;
}
