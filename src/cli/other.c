/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Subcommands that are little more than starting something else: exec, vgpu. */

struct bw_error *bw_cli_part(const char *name, char **out_path)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		return bw_error_errno(errno, "cannot find this program's own folder");
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	static const char *const places[] = {"%s/%s", "%s/../libexec/breakwater/%s"};
	for (size_t i = 0; i < 2; i++) {
		char *path = NULL;
		if (asprintf(&path, i == 0 ? places[0] : places[1], self, name) < 0)
			return bw_error_nomem();
		if (access(path, X_OK) == 0) {
			*out_path = path;
			return NULL;
		}
		free(path);
	}
	return bw_errorf(BW_E_NOT_FOUND, "%s is neither in %s nor in %s/../libexec/breakwater; is the installation whole?",
			 name, self, self);
}

static int fail(struct bw_error *err)
{
	fprintf(stderr, "breakwater: %s.\n", err->message);
	bw_error_free(err);
	return BW_EXIT_USAGE;
}

int bw_main_exec(int argc, char **argv)
{
	const char *gpu = NULL;
	int i = 1;
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!strcmp(argv[i], "--gpu") && i + 1 < argc) {
			gpu = argv[++i];
		} else if (bw_starts_with(argv[i], "--gpu=")) {
			gpu = argv[i] + strlen("--gpu=");
		} else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			printf("Usage: breakwater exec [--gpu GPU] -- PROGRAM ARGUMENTS...\n\n"
			       "Runs PROGRAM with this GPU as its AMD device (default: the virtual one where there is no\n"
			       "other), not debugged. Its exit status is that of PROGRAM.\n");
			return 0;
		} else {
			return fail(bw_errorf(BW_E_INVALID, "\"breakwater exec\" has no option %s (see --help)", argv[i]));
		}
	}
	if (i >= argc)
		return fail(bw_errorf(BW_E_INVALID, "\"breakwater exec\" needs a program: breakwater exec [--gpu GPU] -- PROGRAM"));
	struct bw_kmd *kmd;
	struct bw_error *err = bw_kmd_open(gpu, &kmd);
	if (err)
		return fail(err);
	pid_t pid = fork();
	if (pid == 0) {
		const char *const *env = bw_kmd_program_env(kmd);
		for (; env && *env; env++)
			putenv((char *)*env);
		execvp(argv[i], &argv[i]);
		fprintf(stderr, "breakwater: cannot run %s: %s.\n", argv[i], strerror(errno));
		_exit(127);
	}
	int status = 0;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	bw_kmd_close(kmd);
	if (pid < 0)
		return fail(bw_error_errno(errno, "cannot start %s", argv[i]));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static const char vgpu_usage[] =
	"Usage: breakwater vgpu serve [OPTIONS]\n"
	"       breakwater vgpu isa [--json] [PATTERN]\n"
	"       breakwater vgpu profiles [--json]\n"
	"\n"
	"The virtual GPU by itself. serve runs it as a server of its own (\"breakwater vgpu serve --help\" lists its\n"
	"options); isa lists the opcodes and how exactly each is executed; profiles lists the GPUs it can be.\n";

int bw_main_vgpu(int argc, char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(vgpu_usage, stdout);
		return argc < 2 ? BW_EXIT_USAGE : 0;
	}
	bool serves = !strcmp(argv[1], "serve");
	if (!serves && strcmp(argv[1], "isa") && strcmp(argv[1], "profiles"))
		return fail(bw_errorf(BW_E_INVALID, "\"breakwater vgpu\" knows serve, isa and profiles, not \"%s\"", argv[1]));
	char *server;
	struct bw_error *err = bw_cli_part("breakwater-vgpu", &server);
	if (err)
		return fail(err);
	/* The word itself is for the server's program, but for serve, which is what that does anyway. */
	argv += serves;
	argv[0] = server;
	execv(server, argv);
	return fail(bw_error_errno(errno, "cannot run %s", server));
}
