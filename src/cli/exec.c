/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/crumbs_exec.h"
#include "cli/pass_on.h"
#include "cli/rocm.h"
#include "cli/subcommands.h"
#include "session/programs.h"
#include "inject/stomp_memory.h"
#include "inject/swap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/program.h"
#include "base/vec.h"
#include "wire/agent_folders.h"
#include "wire/agent_proto.h"

/* Subcommands that do little more than start another program: exec, vgpu. */

static int fail(struct bw_error *err)
{
	fprintf(stderr, "breakwater: %s.\n", err->message);
	bw_error_free(err);
	return BW_EXIT_USAGE;
}

struct exec_options {
	const char *gpu;
	bool json, help, ready, has_rocm;
	struct bw_shader_wishes shaders;
	struct bw_vgpu_options vgpu;
	struct bw_crumbs_options crumbs;
	struct bw_swap_options swaps;
	char **program; /* borrowed from argv, or with_rocm */
	struct bw_rocm_words with_rocm;
};

static const char exec_usage[] =
	"Usage: breakwater exec [OPTIONS] -- PROGRAM ARGUMENTS...\n"
	"\n"
	"Runs PROGRAM with this GPU as its AMD device (default: the virtual one where there is no other), not\n"
	"debugged. Its exit status is that of PROGRAM.\n";

static const struct bw_option exec_rows[] = {
	BW_ROW_GPU(struct exec_options, gpu),
	{"--shader-lines", NULL,
	 "Vulkan drivers keep the lines of shaders (RADV_DEBUG=nirdebuginfo), for a debugger that attaches; "
	 "they may make other code for that, and use no cache",
	 BW_FLAG(struct exec_options, shaders.lines)},
	{"-O0", NULL,
	 "shaders of Vulkan note their lines and local variables, for a debugger that attaches",
	 BW_FLAG(struct exec_options, shaders.notes)},
	{"--ready", NULL,
	 "the trap handler is in place from the first submission on: \"breakwater attach\" then stops even "
	 "what runs already, as a kernel that hangs",
	 BW_FLAG(struct exec_options, ready)},
	{0},
};
static const struct bw_option exec_end_rows[] = {
	BW_ROW_ROCM(struct exec_options, has_rocm),
	{"--json", NULL, "reports as lines of JSON", BW_FLAG(struct exec_options, json)},
	BW_ROW_HELP(struct exec_options, help),
	{0},
};

const struct bw_command_line bw_line_exec = {
	.name = "breakwater exec",
	.usage = exec_usage,
	.groups = {{"Options:", exec_rows},
		   {NULL, bw_vgpu_rows, offsetof(struct exec_options, vgpu)},
		   {NULL, bw_crumbs_rows, offsetof(struct exec_options, crumbs)},
		   {NULL, bw_swap_rows, offsetof(struct exec_options, swaps)},
		   {NULL, exec_end_rows}},
	.after = "Reports come at the end, on standard error.\n",
};

static struct bw_error *parse_exec(int argc, char **argv, struct exec_options *o)
{
	int rest;
	BW_TRY(bw_command_line_parse(&bw_line_exec, o, argc, argv, &rest));
	o->program = &argv[rest];
	BW_TRY(bw_cli_check_crumbs(&o->crumbs));
	if (o->crumbs.listen)
		return NULL;
	if (o->ready && o->crumbs.on)
		return bw_errorf(BW_E_INVALID, "--ready and --breadcrumbs exclude each other");
	if (!o->help && rest >= argc)
		return bw_errorf(
			BW_E_INVALID,
			"\"breakwater exec\" needs a program: breakwater exec [--gpu GPU] -- PROGRAM");
	return NULL;
}

void bw_cli_add_to_path(const char *part, bool is_first)
{
	char *folder = NULL, *path = NULL;
	const char *old = getenv("PATH");
	_cleanup_error_ struct bw_error *err = bw_kmd_find_part(part, &folder);
	if (err)
		return;
	*strrchr(folder, '/') = '\0';
	old = old && *old ? old : "/usr/local/bin:/usr/bin:/bin";
	if (asprintf(&path, "%s:%s", is_first ? folder : old, is_first ? old : folder) >= 0)
		setenv("PATH", path, 1);
	free(path);
	free(folder);
}

struct bw_error *bw_cli_spawn(struct bw_kmd *kmd, char **program, struct bw_shader_wishes shaders,
			      bool attachable, pid_t *out_pid)
{
	char *settings[BW_LAYER_SETTINGS];
	int status[2];
	BW_TRY(bw_layer_settings(shaders, settings));
	if (pipe2(status, O_CLOEXEC)) {
		bw_layer_settings_fini(settings);
		return bw_error_errno(errno, "pipe");
	}
	pid_t pid = fork();
	if (pid == 0) {
		/* so that "breakwater attach" finds a program that it can look into */
		if (attachable)
			putenv((char *)BW_AGENT_ATTACH_ENV "=1");
		/* Hang reports of Mesa are made with the tool umr, which knows real GPUs only: the
		 * program finds our own first. Without it the reports lack two pages, which is no
		 * reason to fail. */
		if (bw_kmd_is_virtual(kmd))
			bw_cli_add_to_path("stand-in/umr", true);
		const char *const *env = bw_kmd_program_env(kmd);
		for (; env && *env; env++)
			putenv((char *)*env);
		for (size_t i = 0; settings[i]; i++)
			putenv(settings[i]);
		execvp(program[0], program);
		int why = errno;
		ssize_t n = write(status[1], &why, sizeof(why));
		_exit(n == (ssize_t)sizeof(why) ? BW_EXIT_NOT_FOUND : BW_EXIT_CANNOT_RUN);
	}
	int e = pid < 0 ? errno : 0;
	bw_layer_settings_fini(settings);
	close(status[1]);
	/* nothing comes when it runs: execvp has closed the other end */
	if (pid > 0 && read(status[0], &e, sizeof(e)) == (ssize_t)sizeof(e))
		waitpid(pid, NULL, 0);
	close(status[0]);
	if (e)
		return bw_program_not_run(program[0], e);
	*out_pid = pid;
	return NULL;
}

int bw_cli_not_run_status(const struct bw_error *err)
{
	switch (err->code == BW_E_SYSTEM ? err->errnum : 0) {
	case ENOENT:
		return BW_EXIT_NOT_FOUND;
	case EACCES:
	case ENOEXEC:
		return BW_EXIT_CANNOT_RUN;
	default:
		return BW_EXIT_USAGE;
	}
}

/* Runs the program to its end; the status is that of wait(). */
static struct bw_error *run_program(struct bw_kmd *kmd, char **program,
				    struct bw_shader_wishes shaders, int *out_status)
{
	pid_t pid;
	bw_pass_on_begin();
	BW_TRY(bw_cli_spawn(kmd, program, shaders, true, &pid));
	bw_pass_on_to(pid);
	return bw_pass_on_wait(pid, kmd, out_status);
}

/* Handles one event of a program that is kept ready for `attach`. */
static struct bw_error *keep_ready(struct bw_target *t, const struct bw_target_event *ev,
				   bool *out_over, int *out_status)
{
	switch ((int)ev->kind) {
	case BW_EVENT_SUBMIT: {
		/* the handler is in place now; this submission and all later ones are released */
		struct bw_error *err = bw_target_make_ready(t, ev->pid);
		bw_error_catch(&err, BW_E_GONE); /* another event says so */
		return err;
	}
	case BW_EVENT_QUEUE_ERROR: /* the kernel's log says it; nobody is here to look */
		return bw_target_release(t, 0);
	case BW_EVENT_NOTE:
		fprintf(stderr, "breakwater: %s.\n", ev->text);
		return NULL;
	case BW_EVENT_EXIT:
	case BW_EVENT_GPU_GONE:
		*out_over = true;
		*out_status = ev->exit_known ? ev->exit_status : 0;
		return NULL;
	default:
		return NULL;
	}
}

/* Runs the program with the trap handler in place. The registers stay changed until the program has
 * ended. */
static struct bw_error *run_ready(struct bw_kmd *kmd, char **program,
				  struct bw_shader_wishes shaders, int *out_status)
{
	char *settings[BW_LAYER_SETTINGS];
	struct bw_target *t;
	bool over = false, gpu_gone = false;
	BW_TRY(bw_layer_settings(shaders, settings));
	const struct bw_target_source source = {.kind = BW_SOURCE_PROGRAM,
						.kmd = kmd,
						.argv = program,
						.env = (const char *const *)settings,
						.same_group = true,
						.in_fd = -1,
						.out_fd = -1,
						.err_fd = -1};
	struct bw_error *err = bw_open_target(&source, &t);
	bw_layer_settings_fini(settings);
	BW_TRY(err);
	while (!err && !over) {
		struct bw_target_event ev;
		err = bw_target_wait(t, -1, &ev);
		if (!err)
			err = keep_ready(t, &ev, &over, out_status);
		gpu_gone = !err && ev.kind == BW_EVENT_GPU_GONE;
	}
	pid_t pid = t->program;
	bool reaped = over && !gpu_gone;
	bw_target_close(t);
	while (!err && !reaped && waitpid(pid, out_status, 0) < 0 && errno == EINTR)
		;
	return err;
}

static struct bw_error *run_with_crumbs(struct bw_kmd *kmd, const struct exec_options *o,
					const struct bw_folder *folder, int *out_status)
{
	struct bw_crumbs_run r = {.options = &o->crumbs,
				  .program = o->program,
				  .shaders = o->shaders,
				  .folder = folder};
	BW_TRY(bw_out_create(stderr, o->json, &r.out));
	struct bw_error *err = bw_cli_run_with_crumbs(kmd, &r, out_status);
	bw_out_destroy(r.out);
	return err;
}

static struct bw_error *show_reports(struct bw_kmd *kmd, const struct exec_options *o,
				     const struct bw_swaps *swaps, const struct bw_folder *folder,
				     bool *out_fails)
{
	struct bw_out *out;
	BW_TRY(bw_out_create(stderr, o->json, &out));
	struct bw_error *err = bw_show_strict_of(kmd, &o->vgpu, o->program, out);
	if (!err)
		err = bw_show_check_of(kmd, &o->vgpu, o->program, out, out_fails);
	if (!err && swaps)
		err = bw_swaps_report(swaps, out);
	if (!err && o->crumbs.stomps_memory)
		err = bw_stomp_memory_report(folder, bw_kmd_is_virtual(kmd), out);
	if (!err && o->vgpu.fidelity)
		err = bw_show_fidelity(kmd, out);
	bw_out_destroy(out);
	return err;
}

static struct bw_error *begin_stomps(const struct bw_crumbs_options *o, const struct bw_kmd *kmd,
				     struct bw_folder *folder)
{
	struct bw_stomp_choice c = {0};
	struct bw_error *err = bw_cli_choose_stomps(o, &c);
	if (!err)
		err = bw_stomp_memory_begin(&c, bw_kmd_is_virtual(kmd), folder);
	bw_stomp_choice_fini(&c);
	return err;
}

int bw_main_exec(int argc, char **argv)
{
	struct exec_options o = {0};
	struct bw_kmd *kmd = NULL;
	struct bw_swaps *swaps = NULL;
	struct bw_folder folder = BW_FOLDER_INIT; /* for the program's agents */
	int status = 0, failed = BW_EXIT_USAGE;
	bool fails = false;
	struct bw_error *err = parse_exec(argc, argv, &o);
	if (!err && o.help) {
		bw_command_line_print_help(&bw_line_exec);
		return 0;
	}
	if (!err && o.crumbs.listen)
		return fail(bw_cli_listen_for_crumbs(o.crumbs.listen, o.json));
	if (!err && o.has_rocm)
		err = bw_cli_add_rocm(&o.with_rocm, &o.program);
	if (!err)
		err = bw_swaps_begin(&o.swaps, NULL, &folder, &swaps);
	if (!err && o.vgpu.fidelity)
		err = bw_add_server_args("--fidelity");
	if (!err)
		err = bw_set_up_strict(&o.vgpu);
	if (!err)
		err = bw_kmd_open(o.gpu, &kmd);
	if (!err && bw_kmd_choice(kmd))
		fprintf(stderr, "breakwater: warning: %s.\n", bw_kmd_choice(kmd));
	if (!err && o.crumbs.stomps_memory)
		err = begin_stomps(&o.crumbs, kmd, &folder);
	if (!err && o.crumbs.on)
		err = bw_folder_need(BW_FOLDER_DEBUG, &folder);
	if (!err && folder.path)
		err = bw_agent_folders_add(folder.path);
	if (!err && o.vgpu.fidelity)
		err = bw_check_fidelity(kmd);
	if (!err)
		err = bw_check_strict(kmd, &o.vgpu);
	if (!err) {
		/* the user's, and not the script that --rocm has put before it */
		const char *program = o.program[o.has_rocm ? 1 : 0];
		_cleanup_error_ struct bw_error *none = bw_check_preload(program);
		_cleanup_error_ struct bw_error *other =
			none ? NULL : bw_check_gpu_code(kmd, program);
		if (none || other)
			fprintf(stderr, "breakwater: warning: %s.\n",
				(none ? none : other)->message);
		uint64_t before = bw_kmd_n_clients_ever(kmd);
		err = o.ready	    ? run_ready(kmd, o.program, o.shaders, &status)
		      : o.crumbs.on ? run_with_crumbs(kmd, &o, &folder, &status)
				    : run_program(kmd, o.program, o.shaders, &status);
		if (err)
			failed = bw_cli_not_run_status(err);
		_cleanup_error_ struct bw_error *unseen =
			!err && !none && status ? bw_check_seen(kmd, before, program) : NULL;
		if (unseen)
			fprintf(stderr, "breakwater: warning: %s.\n", unseen->message);
	}
	if (!err)
		err = show_reports(kmd, &o, swaps, &folder, &fails);
	bw_kmd_close(kmd);
	bw_swaps_end(swaps);
	bw_folder_remove(&folder);
	bw_swap_options_fini(&o.swaps);
	bw_vec_free(&o.with_rocm);
	if (err) {
		fail(err);
		return failed;
	}
	if (fails && !status)
		return BW_EXIT_FINDINGS;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static const char vgpu_usage[] =
	"Usage: breakwater vgpu serve [OPTIONS]\n"
	"       breakwater vgpu linux [OPTIONS] [-- COMMAND]\n"
	"       breakwater vgpu isa [--gfx gfx1100|gfx942|gfx902] [--json] [PATTERN]\n"
	"       breakwater vgpu profiles [--json]\n"
	"\n"
	"The virtual GPU by itself. serve runs it as a server of its own (\"breakwater vgpu serve --help\" lists its\n"
	"options); linux boots a guest with Linux's own driver (so has it); isa lists the opcodes and how exactly each\n"
	"is executed; profiles lists the GPUs it can be.\n";

const struct bw_command_line bw_line_vgpu = {
	.name = "breakwater vgpu", .usage = vgpu_usage, .next = &bw_line_vgpu_linux};

int bw_main_vgpu(int argc, char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(vgpu_usage, stdout);
		return argc < 2 ? BW_EXIT_USAGE : 0;
	}
	if (!strcmp(argv[1], "linux"))
		return bw_main_vgpu_linux(argc - 1, argv + 1);
	bool serves = !strcmp(argv[1], "serve");
	if (!serves && strcmp(argv[1], "isa") && strcmp(argv[1], "profiles"))
		return fail(bw_errorf(
			BW_E_INVALID,
			"\"breakwater vgpu\" knows serve, linux, isa and profiles, not \"%s\"",
			argv[1]));
	char *server;
	struct bw_error *err = bw_kmd_find_part("breakwater-vgpu", &server);
	if (err)
		return fail(err);
	/* The word is passed on to the server's program, except for serve, which is its default. */
	argv += serves;
	argv[0] = server;
	execv(server, argv);
	return fail(bw_error_errno(errno, "cannot run %s", server));
}
