/* SPDX-License-Identifier: MIT */
/* breakwater-launch: runs one kernel on an amdgpu device. It is the program that `breakwater run
 * KERNEL` debugs, and can be used by hand. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/str.h"
#include "kmd/kmd.h"
#include "launch/gpu.h"
#include "launch/options.h"
#include "launch/plan.h"
#include "launch/printf.h"
#include "regs/regs.h"
#include "sym/bundle.h"

enum { EXIT_OTHER = 1, EXIT_BAD_INPUT = 2, EXIT_GPU = 3 };

struct command {
	struct bw_launch_command line;
	const char *gpu, *node;
};

static const char usage[] =
	"usage: breakwater-launch [options] KERNEL\n"
	"Runs one kernel: a code object (.co, .hsaco) or raw machine code (.bin).\n"
	"  --gpu SELECTOR          virtual, 0, 0000:03:00.0 (default: the first AMD GPU, else "
	"virtual)\n";

static struct bw_error *take_own(void *cookie, int argc, char *const *argv, int *index)
{
	struct command *c = cookie;
	const char *word = argv[*index];
	if (!strcmp(word, "--gpu")) {
		if (*index + 1 == argc)
			return bw_errorf(BW_E_INVALID, "--gpu needs a value");
		c->gpu = argv[*index + 1];
		*index += 2;
	} else if (bw_starts_with(word, "--gpu=")) {
		c->gpu = word + strlen("--gpu=");
		++*index;
	}
	return NULL;
}

static int report(struct bw_error *err, int status)
{
	fflush(stdout);
	fprintf(stderr, "breakwater-launch: %s\n", err->message);
	bw_error_free(err);
	return status;
}

static int report_gpu(struct bw_error *err)
{
	bool gpu = err->code == BW_E_FAULT || err->code == BW_E_GONE;
	bool hint = err->code == BW_E_FAULT && !getenv("BREAKWATER_OWNED");
	int status = report(err, gpu ? EXIT_GPU : EXIT_OTHER);
	if (hint)
		fprintf(stderr, "breakwater-launch: to stop where it happens: breakwater run "
				"KERNEL with the same options\n");
	return status;
}

static void print_buffers(const struct bw_launch_gpu *gpu, const struct bw_launch_plan *plan)
{
	bw_vec_each(&plan->prints, out) {
		const struct bw_plan_arg *a = &plan->args.data[out->arg];
		const uint8_t *bytes = bw_launch_gpu_buffer(gpu, out->arg);
		unsigned size_b = bw_scalar_size(a->value.type);
		struct bw_str line = {0};
		if (plan->prints.len > 1)
			bw_str_addf(&line, "%s: ", a->name);
		for (uint64_t i = 0; i < out->count; i++) {
			bw_str_add(&line, i ? " " : "");
			bw_arg_value_print(&line, a->value.type, bytes + i * size_b);
		}
		printf("%s\n", bw_str_text(&line));
		bw_str_free(&line);
	}
}

/* What the kernel has printed, also before it failed. */
static void show_printf(const struct bw_launch_gpu *gpu, const struct bw_launch_plan *plan)
{
	const uint8_t *buffer = bw_launch_gpu_printf_buffer(gpu);
	struct bw_str text = {0};
	size_t n;
	if (!buffer)
		return;
	const char *const *formats = bw_code_object_printf_formats(plan->co, &n);
	bw_printf_buffer_text(buffer, formats, n, &text);
	fwrite(bw_str_text(&text), 1, text.len, stdout);
	bw_str_free(&text);
}

static struct bw_error *run_and_show(struct bw_launch_gpu *gpu, const struct bw_launch_plan *plan)
{
	struct bw_error *err = bw_launch_gpu_run(gpu, plan);
	show_printf(gpu, plan);
	return err;
}

static struct bw_error *dump_buffers(const struct bw_launch_gpu *gpu,
				     const struct bw_launch_plan *plan)
{
	bw_vec_each(&plan->dumps, out) {
		const struct bw_plan_arg *a = &plan->args.data[out->arg];
		BW_TRY(bw_file_write(out->path, "wbe", bw_launch_gpu_buffer(gpu, out->arg),
				     a->value.size_b));
	}
	return NULL;
}

static int run_plan(const struct bw_launch_plan *plan, const char *node)
{
	struct bw_launch_gpu *gpu;
	struct bw_error *err = bw_launch_gpu_open(node, &gpu);
	if (err)
		return report(err, err->code == BW_E_GONE ? EXIT_GPU : EXIT_OTHER);
	int status = 0;
	const char *name = bw_launch_gpu_name(gpu);
	if (*name && (err = bw_launch_plan_check_gpu(plan, name)))
		status = report(err, EXIT_BAD_INPUT);
	else if ((err = run_and_show(gpu, plan)))
		status = report_gpu(err);
	if (!status) {
		print_buffers(gpu, plan);
		if ((err = dump_buffers(gpu, plan)))
			status = report(err, EXIT_OTHER);
	}
	bw_launch_gpu_close(gpu);
	if (fflush(stdout) && !status)
		status = report(bw_error_errno(errno, "cannot write the output"), EXIT_OTHER);
	return status;
}

/* The agent must be in the process from its start: runs this program again with it, and keeps the
 * virtual GPU until it has ended. */
static int run_with_agent(struct bw_kmd *kmd, char **argv)
{
	const char *const *env = bw_kmd_program_env(kmd);
	for (; *env; env++) {
		char *pair = strdup(*env), *equals = pair ? strchr(pair, '=') : NULL;
		if (equals) {
			*equals = 0;
			setenv(pair, equals + 1, 1);
		}
		free(pair);
	}
	if (!getenv("LD_PRELOAD"))
		return report(bw_errorf(BW_E_NOT_FOUND,
					"libbreakwater-agent.so is not beside this program"),
			      EXIT_OTHER);
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[n < 0 ? 0 : n] = 0;
	pid_t pid = fork();
	if (pid == 0) {
		execv(exe, argv);
		_exit(127);
	}
	int status;
	if (pid < 0)
		return report(bw_error_errno(errno, "cannot start a process"), EXIT_OTHER);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return report(bw_error_errno(errno, "cannot wait for the launch"),
				      EXIT_OTHER);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* "gfx1100" from ip_discovery; empty when the kernel does not say. */
static void gpu_name(struct bw_kmd *kmd, char *out, size_t size_b)
{
	struct bw_kmd_ip gc;
	_cleanup_error_ struct bw_error *err = bw_kmd_ip(kmd, "GC", &gc);
	if (err)
		*out = 0;
	else
		bw_arch_gfx_name(BW_IP_VERSION(gc.major, gc.minor, gc.revision), out, size_b);
}

/* The GPU that the kernel is to run on, for a file with code for several; "": not known. Who runs
 * the kernel says why. */
static void gpu_of_bundle(const struct command *c, char *out, size_t size_b)
{
	char head[32] = "";
	_cleanup_fclose_ FILE *f = fopen(c->line.file, "rb");
	size_t n = f ? fread(head, 1, sizeof(head), f) : 0;
	struct bw_launch_gpu *g;
	struct bw_kmd *kmd;
	*out = 0;
	if (!bw_bundle_is(head, n))
		return;
	_cleanup_error_ struct bw_error *err = NULL;
	if (getenv("BREAKWATER_VGPU")) {
		if ((err = bw_launch_gpu_open("/dev/dri/renderD128", &g)))
			return;
		snprintf(out, size_b, "%s", bw_launch_gpu_name(g));
		bw_launch_gpu_close(g);
	} else if (!(err = bw_kmd_open(c->gpu, &kmd))) {
		gpu_name(kmd, out, size_b);
		bw_kmd_close(kmd);
	}
}

/* The GPU is the one of the environment (under the agent), or is chosen here. */
static int choose_and_run(const struct command *c, const struct bw_launch_plan *plan, char **argv)
{
	if (getenv("BREAKWATER_VGPU"))
		return run_plan(plan, "/dev/dri/renderD128");
	struct bw_kmd *kmd;
	struct bw_error *err = bw_kmd_open(c->gpu, &kmd);
	if (err)
		return report(err, err->code == BW_E_INVALID || err->code == BW_E_NOT_FOUND
					   ? EXIT_BAD_INPUT
					   : EXIT_OTHER);
	char name[16], node[64];
	gpu_name(kmd, name, sizeof(name));
	int status;
	if (*name && (err = bw_launch_plan_check_gpu(plan, name))) {
		status = report(err, EXIT_BAD_INPUT);
	} else if (bw_kmd_is_virtual(kmd)) {
		status = run_with_agent(kmd, argv);
	} else {
		snprintf(node, sizeof(node), "/dev/dri/by-path/pci-%s-render",
			 bw_kmd_pci_address(kmd));
		status = run_plan(plan, node);
	}
	bw_kmd_close(kmd);
	return status;
}

int main(int argc, char **argv)
{
	bw_file_limit_is_error();
	struct command c = {.line = {.what = "kernel", .take = take_own, .cookie = &c}};
	int status = 0;
	struct bw_launch_plan *plan = NULL;
	struct bw_error *err = bw_launch_command_parse(&c.line, argc, argv);
	if (!err && c.line.help)
		bw_launch_options_print_help(usage);
	else if (!err) {
		char gpu[16];
		gpu_of_bundle(&c, gpu, sizeof(gpu));
		err = bw_launch_plan_make(&c.line.options, c.line.file, *gpu ? gpu : NULL, &plan);
	}
	/* The kernel's name is what a user wants to see in a list of processes, and in a debugger.
	 */
	if (plan)
		prctl(PR_SET_NAME, plan->title);
	if (err)
		status = report(err, EXIT_BAD_INPUT);
	else if (plan)
		status = choose_and_run(&c, plan, argv);
	bw_launch_plan_free(plan);
	bw_launch_options_fini(&c.line.options);
	return status;
}
