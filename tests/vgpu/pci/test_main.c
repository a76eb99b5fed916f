/* SPDX-License-Identifier: MIT */
/* The program itself as a PCI function: build/breakwater-vgpu --vfio-user. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/util.h"

static char folder[64], path[96];
static pid_t server;

static int output; /* of the server, both kinds */

static void run(const char *const options[])
{
	const char *argv[16] = {"vgpu", "--threads", "1"};
	char program[512];
	int fds[2];
	unsigned n = 3;
	for (unsigned i = 0; options[i]; i++)
		argv[n++] = options[i];
	snprintf(program, sizeof(program), "%s/breakwater-vgpu", getenv("BREAKWATER_BUILD"));
	assert_int_equal(pipe(fds), 0);
	server = fork();
	if (!server) {
		dup2(fds[1], 1);
		dup2(fds[1], 2);
		close(fds[0]);
		close(fds[1]);
		execv(program, (char *const *)(uintptr_t)argv);
		_exit(126);
	}
	close(fds[1]);
	output = fds[0];
}

/* One line of its output; empty: it has ended. */
static void read_line(char *out, size_t size)
{
	size_t n = 0;
	while (n < size - 1 && read(output, out + n, 1) == 1 && out[n] != '\n')
		n++;
	out[n] = '\0';
}

static int status_of_end(void)
{
	int status;
	assert_int_equal(waitpid(server, &status, 0), server);
	close(output);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int set_up(void **state)
{
	snprintf(folder, sizeof(folder), "/tmp/bw-test-pci-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/gpu", folder);
	return 0;
}

static int tear_down(void **state)
{
	return rmdir(folder); /* it is empty: the socket has been removed */
}

static void start(void)
{
	char line[200], want[200];
	run((const char *const[]){"--vfio-user", path, "--vram", "256", NULL});
	snprintf(want, sizeof(want), "VFIO_USER=%s", path);
	read_line(line, sizeof(line));
	assert_string_equal(line, want);
}

static int connect_to(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	assert_int_equal(connect(sock, (struct sockaddr *)&a, sizeof(a)), 0);
	return sock;
}

static void it_ends_with_its_client(void **state)
{
	/* VERSION 0.0 with an empty text */
	const uint8_t hello[] = {1, 0, 1, 0, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	uint8_t answer[16];
	start();
	int sock = connect_to();
	assert_int_equal(send(sock, hello, sizeof(hello), MSG_NOSIGNAL), sizeof(hello));
	assert_int_equal(recv(sock, answer, sizeof(answer), MSG_WAITALL), sizeof(answer));
	assert_int_equal(answer[2], 1);
	assert_int_equal(answer[8], 1); /* a reply without an error */
	close(sock);
	assert_int_equal(status_of_end(), 0);
}

static void a_signal_ends_it(void **state)
{
	start();
	assert_int_equal(kill(server, SIGTERM), 0);
	assert_int_equal(status_of_end(), 0);
	start();
	int sock = connect_to();
	assert_int_equal(kill(server, SIGTERM), 0);
	assert_int_equal(status_of_end(), 0);
	close(sock);
}

static void bad_options(void **state)
{
	/* clang-format off */
	static const struct { const char *options[6]; int status; const char *says; } rows[] = {
		{{"--vram", "256"}, 2, "--vram is an option of --vfio-user"},
		{{"--vfio-user", "/nonexistent/gpu", "--socket", "/x"}, 2, "--socket has no meaning with --vfio-user"},
		{{"--vfio-user", "/nonexistent/gpu", "--quiet"}, 2, "--quiet has no meaning with --vfio-user"},
		{{"--vfio-user", "/nonexistent/gpu", "--vram", "300"}, 1, "a power of two from 256 to 16384 MiB, not 300"},
		{{"--vfio-user", "/nonexistent/gpu"}, 1, "/nonexistent/gpu"},
	};
	/* clang-format on */
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		char line[400];
		run(rows[i].options);
		read_line(line, sizeof(line));
		if (!strstr(line, rows[i].says))
			fail_msg("%s", line);
		assert_int_equal(status_of_end(), rows[i].status);
	}
}

TESTS_EACH(set_up, tear_down, it_ends_with_its_client, a_signal_ends_it, bad_options);
