/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/folder.h"

/* The program itself: build/breakwater-vgpu. */

struct server {
	pid_t pid;
	char folder[64], socket[96];
};

static const char *program(void)
{
	static char path[512];
	snprintf(path, sizeof(path), "%s/breakwater-vgpu", getenv("BREAKWATER_BUILD"));
	return path;
}

/* Runs it; what it writes to standard error goes into err. */
static int run(const char *const argv[], char *err, size_t err_b)
{
	int fds[2], status;
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (!pid) {
		dup2(fds[1], 2);
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		execv(program(), (char *const *)(uintptr_t)argv);
		_exit(126);
	}
	close(fds[1]);
	size_t n = 0;
	ssize_t got;
	while (n < err_b - 1 && (got = read(fds[0], err + n, err_b - 1 - n)) > 0)
		n += (size_t)got;
	err[n] = '\0';
	close(fds[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void bad_options(void **state)
{
	/* clang-format off */
	static const struct { const char *argv[4]; const char *says; } rows[] = {
		{{"vgpu", "--nonsense"}, "has no option --nonsense"},
		{{"vgpu", "--profile", "navi99"}, "there is no profile \"navi99\""},
		{{"vgpu", "--profile"}, "--profile needs a value"},
		{{"vgpu", "--threads", "many"}, "--threads wants a number from 0 to 1024, not \"many\""},
		{{"vgpu", "--lockup-timeout", "-1"}, "--lockup-timeout wants a number"},
		{{"vgpu", "word"}, "\"word\" is not an option"},
	};
	/* clang-format on */
	char err[2048];
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		assert_int_equal(run(rows[i].argv, err, sizeof(err)), 2);
		if (!strstr(err, rows[i].says))
			fail_msg("%s", err);
		assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1); /* one line */
	}
	assert_int_equal(run((const char *const[]){"vgpu", "--help", NULL}, err, sizeof(err)), 0);
	assert_non_null(strstr(err, "Usage: breakwater-vgpu"));
	assert_int_equal(run((const char *const[]){"vgpu", "--version", NULL}, err, sizeof(err)),
			 0);
	assert_memory_equal(err, "breakwater-vgpu ", 16);
	assert_int_equal(run((const char *const[]){"vgpu", "--socket", "/nonexistent/socket", NULL},
			     err, sizeof(err)),
			 1);
	assert_non_null(strstr(err, "/nonexistent/socket"));
}

static void start(struct server *s, bool exit_with_last)
{
	int ready[2];
	snprintf(s->folder, sizeof(s->folder), "/tmp/bw-test-vgpu-XXXXXX");
	assert_non_null(mkdtemp(s->folder));
	snprintf(s->socket, sizeof(s->socket), "%s/vgpu", s->folder);
	assert_int_equal(pipe(ready), 0);
	s->pid = fork();
	if (!s->pid) {
		char fd[16];
		snprintf(fd, sizeof(fd), "%d", ready[1]);
		close(ready[0]);
		execl(program(), "vgpu", "--socket", s->socket, "--ready-fd", fd, "--threads", "1",
		      exit_with_last ? "--exit-with-last-client" : NULL, NULL);
		_exit(126);
	}
	close(ready[1]);
	char text[128] = "", want[128];
	snprintf(want, sizeof(want), BW_VGPU_READY "%s\n", s->socket);
	assert_int_equal(read(ready[0], text, sizeof(text) - 1), strlen(want));
	assert_string_equal(text, want);
	close(ready[0]);
}

/* Its exit status, within 15 s. */
static int end(struct server *s)
{
	int status;
	for (int i = 0; i < 1500; i++) {
		if (waitpid(s->pid, &status, WNOHANG) == s->pid)
			return status;
		usleep(10000);
	}
	kill(s->pid, SIGKILL);
	waitpid(s->pid, &status, 0);
	fail_msg("the server did not end");
	return -1;
}

static int connect_to(struct server *s, struct bw_vgpu_hello_reply *out)
{
	int sock = -1;
	struct bw_vgpu_hello h = {
		.version = BW_VGPU_PROTO_VERSION, .pid = (uint32_t)getpid(), .comm = "test"};
	struct bw_msg m = BW_MSG_INIT;
	assert_null(bw_sock_connect(s->socket, BW_NO_USER, &sock));
	assert_null(
		bw_msg_send(sock, BW_VGPU_HELLO, 1, &(struct bw_msg_part){&h, sizeof(h)}, 1, -1));
	assert_null(bw_msg_recv(sock, 10000, &m));
	memcpy(out, m.body, sizeof(*out));
	bw_msg_fini(&m);
	assert_int_equal(out->result, 0);
	return sock;
}

static void it_ends_with_its_last_client(void **state)
{
	struct server s;
	struct bw_vgpu_hello_reply hello;
	struct stat st;
	start(&s, true);
	int a = connect_to(&s, &hello), b = connect_to(&s, &hello);
	assert_int_equal(stat(hello.root, &st), 0);
	close(a);
	usleep(100000);
	assert_int_equal(kill(s.pid, 0), 0);
	a = connect_to(&s, &hello);
	close(a);
	close(b);
	assert_int_equal(end(&s), 0);
	assert_int_equal(stat(hello.root, &st), -1);
	assert_int_equal(stat(s.socket, &st), -1);
	assert_int_equal(rmdir(s.folder), 0); /* the user's, empty or not */
}

static void signals_end_it_cleanly(void **state)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
	for (unsigned i = 0; i < 3; i++) {
		struct server s;
		struct bw_vgpu_hello_reply hello;
		struct stat st;
		start(&s, false);
		int a = connect_to(&s, &hello);
		close(a);
		usleep(50000);
		a = connect_to(&s, &hello); /* still there without clients */
		kill(s.pid, signals[i]);
		assert_int_equal(end(&s), 0);
		assert_int_equal(stat(hello.root, &st), -1);
		assert_int_equal(stat(s.socket, &st), -1);
		assert_int_equal(rmdir(s.folder), 0);
		close(a);
	}
}

static void dead_servers_are_swept_away(void **state)
{
	struct server s, t;
	struct bw_vgpu_hello_reply hello, other;
	struct stat st;
	char folder[128];
	start(&s, false);
	int a = connect_to(&s, &hello);
	kill(s.pid, SIGKILL);
	waitpid(s.pid, NULL, 0);
	close(a);
	assert_int_equal(stat(hello.root, &st), 0);
	/* Something of that name that is no folder of ours stays. */
	snprintf(folder, sizeof(folder), "%.*s/breakwater-notes",
		 (int)(strstr(hello.root, "/breakwater-") - hello.root), hello.root);
	mkdir(folder, 0700);
	start(&t, true);
	assert_int_equal(stat(hello.root, &st), -1);
	assert_int_equal(stat(folder, &st), 0);
	rmdir(folder);
	a = connect_to(&t, &other);
	close(a);
	assert_int_equal(end(&t), 0);
	bw_folder_remove_tree(s.folder);
}

/* Another process has put something in the place of the socket: that is not ours to remove. */
static void what_took_the_sockets_place_stays(void **state)
{
	struct server s;
	struct stat st;
	start(&s, false);
	assert_int_equal(unlink(s.socket), 0);
	close(open(s.socket, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	kill(s.pid, SIGTERM);
	assert_int_equal(end(&s), 0);
	assert_int_equal(stat(s.socket, &st), 0);
	bw_folder_remove_tree(s.folder);
}

static void a_left_over_socket_is_explained(void **state)
{
	struct server s;
	char err[1024];
	start(&s, false);
	assert_int_equal(
		run((const char *const[]){"vgpu", "--socket", s.socket, NULL}, err, sizeof(err)),
		1);
	assert_non_null(strstr(err, "is in use: choose another path"));
	kill(s.pid, SIGKILL);
	waitpid(s.pid, NULL, 0);
	assert_int_equal(
		run((const char *const[]){"vgpu", "--socket", s.socket, NULL}, err, sizeof(err)),
		1);
	assert_non_null(strstr(err, "left over from a process that has ended: remove it (rm "));
	bw_folder_remove_tree(s.folder);
}

static void many(const char *fmt, int from, int to, const char *target)
{
	char name[64], path[128];
	for (int i = from; i < to; i++) {
		snprintf(name, sizeof(name), fmt, i);
		snprintf(path, sizeof(path), "%s/%s", getenv("XDG_RUNTIME_DIR"), name);
		assert_int_equal(target ? symlink(target, path) : mkdir(path, 0777), 0);
	}
}

/* Names that somebody else has taken, folders of his and links to ours, stop no start; and nothing
 * of his or behind his links is touched. */
static void squatted_names(void **state)
{
	char base[] = "/tmp/bw-test-squat-XXXXXX", precious[64], file[96];
	const char *old = getenv("XDG_RUNTIME_DIR");
	char *kept = old ? strdup(old) : NULL;
	struct server s;
	struct stat st;
	int pid = getpid();
	assert_non_null(mkdtemp(base));
	snprintf(precious, sizeof(precious), "%s/precious", base);
	snprintf(file, sizeof(file), "%s/root", precious);
	assert_int_equal(mkdir(precious, 0700), 0);
	assert_int_equal(mkdir(file, 0700), 0);
	setenv("XDG_RUNTIME_DIR", base, 1);
	many("breakwater-%d", pid, pid + 100, precious);
	many("breakwater-%d", pid + 100, pid + 200, NULL);
	many("breakwater-vgpu-%06d", 0, 20, precious);
	start(&s, false);
	kill(s.pid, SIGTERM);
	assert_int_equal(end(&s), 0);
	assert_int_equal(stat(file, &st), 0);
	snprintf(file, sizeof(file), "%s/breakwater-%d", base, pid + 150);
	assert_int_equal(stat(file, &st), 0);
	bw_folder_remove_tree(base);
	bw_folder_remove_tree(s.folder);
	if (kept)
		setenv("XDG_RUNTIME_DIR", kept, 1);
	else
		unsetenv("XDG_RUNTIME_DIR");
	free(kept);
}

/* Another user's connection: closed, and no message of it is answered. */
static void another_user_is_not_served(void **state)
{
	struct server s;
	int status;
	if (geteuid()) {
		print_message("skipped: only root can play the other user\n");
		return;
	}
	start(&s, false);
	assert_int_equal(chmod(s.folder, 0755), 0);
	assert_int_equal(chmod(s.socket, 0666), 0);
	pid_t pid = fork();
	if (!pid) {
		const uid_t nobody = 65534;
		int sock = -1;
		char byte;
		/* root's server is none that a user must not talk to */
		if (setresuid(nobody, nobody, nobody) ||
		    bw_sock_connect(s.socket, BW_NO_USER, &sock))
			_exit(1);
		_exit(recv(sock, &byte, 1, 0) > 0);
	}
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	struct bw_vgpu_hello_reply hello;
	close(connect_to(&s, &hello)); /* its own user is */
	kill(s.pid, SIGTERM);
	assert_int_equal(end(&s), 0);
	bw_folder_remove_tree(s.folder);
}

TESTS(bad_options, it_ends_with_its_last_client, signals_end_it_cleanly,
      dead_servers_are_swept_away, what_took_the_sockets_place_stays,
      a_left_over_socket_is_explained, squatted_names, another_user_is_not_served);
