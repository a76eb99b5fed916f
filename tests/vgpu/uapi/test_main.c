/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

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
		{{"vgpu", "--nonsense"}, "unknown option --nonsense"},
		{{"vgpu", "--profile", "navi99"}, "there is no profile \"navi99\""},
		{{"vgpu", "--profile"}, "option --profile wants a value"},
		{{"vgpu", "--threads", "many"}, "--threads wants a number up to 1024, not \"many\""},
		{{"vgpu", "--lockup-timeout", "-1"}, "--lockup-timeout wants a number"},
		{{"vgpu", "word"}, "\"word\" is no option"},
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
	char text[16] = "";
	assert_int_equal(read(ready[0], text, sizeof(text) - 1), strlen(BW_VGPU_READY));
	assert_string_equal(text, BW_VGPU_READY);
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
	assert_null(bw_sock_connect(s->socket, &sock));
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
	assert_int_equal(stat(s.folder, &st), -1); /* the folder of the socket was empty */
}

static void signals_end_it_cleanly(void **state)
{
	static const int signals[] = {SIGTERM, SIGINT};
	for (unsigned i = 0; i < 2; i++) {
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
	bw_tree_remove(s.folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_options),
		cmocka_unit_test(it_ends_with_its_last_client),
		cmocka_unit_test(signals_end_it_cleanly),
		cmocka_unit_test(dead_servers_are_swept_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
