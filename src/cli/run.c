/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/subcommands.h"
#include "cli/tui.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/util.h"
#include "base/wait.h"
#include "base/vec.h"
#include "cli/crash_files.h"
#include "cli/python.h"
#include "cli/run_options.h"
#include "cli/shader.h"
#include "compile/compile.h"
#include "debug/source.h"
#include "launch/options.h"
#include "launch/plan.h"

static const char usage[] =
	"Usage: breakwater run [OPTIONS] KERNEL [KERNEL OPTIONS]\n"
	"       breakwater run [OPTIONS] -- PROGRAM ARGUMENTS...\n"
	"       breakwater run [OPTIONS] CRASH-FILE\n"
	"\n"
	"Runs a kernel on the GPU under the debugger: KERNEL is OpenCL C (.cl), HIP or C++ (.hip, .cpp), C (.c),\n"
	"assembly (.s), LLVM IR (.ll, .bc), a code object (.co, .hsaco), raw machine code (.bin), or a compute\n"
	"shader for Vulkan: GLSL (.comp), HLSL (.hlsl), SPIR-V (.spv, .spvasm). It starts at once and stops where\n"
	"something stops it; with commands (-ex, -x, or a pipe on standard input) or with -i, the command \"run\"\n"
	"starts it. A devcoredump, or the folder of a hang report of RADV, is opened at the prompt: waves,\n"
	"registers, memory and dispatches are those that it holds.\n"
	"\n"
	"Options:\n"
	"  -i, --interactive   give the prompt before the kernel starts\n"
	"  --tui               the same, with the terminal screen (\"help tui\")\n"
	"  -ex COMMAND         run a debugger command, in the order given (also --eval-command)\n"
	"  -x FILE             run the commands in FILE, or the script FILE.py in Python; - is standard input\n"
	"                      (also --command)\n"
	"  --batch             no prompt: leave when the commands are done\n"
	"  --timeout SECONDS   end the session when it has taken so long, with exit status 124\n"
	"  --json              every answer as one line of JSON\n"
	"  --fidelity          at the end, which instructions the virtual GPU executed not exactly, and how often\n"
	"  --strict            the virtual GPU shows what only hardware would: at the end, missing waits,\n"
	"                      uninitialised registers, stale caches, hazards\n"
	"  --deterministic     the virtual GPU runs on one thread, in a fixed order\n"
	"  --trace-hash        the same, and at the end a hash of all instructions and memory accesses\n"
	"  --shader-lines      the Vulkan driver keeps the lines of shaders (RADV_DEBUG=nirdebuginfo); it may make\n"
	"                      other code for that, and use no cache. The default for a shader, not for a\n"
	"                      program; --no-shader-lines switches it off\n"
	"  -O0                 compute shaders of a Vulkan program note their lines and local variables\n"
	"  --shader WHICH=FILE, --save-shaders FOLDER  of a program: as in \"breakwater exec\"\n"
	"  --gfx VERSION       which GPU a crash file is of, where it does not say: gfx1100, 11.0, ...\n"
	"  --gpu GPU           virtual[:navi31], an index, or a PCI address (default: the first AMD GPU,\n"
	"                      the virtual one where there is none)\n"
	"  -h, --help\n"
	"\n";

static const char kernel_usage[] = "\n"
				   "Kernel options:\n";

static const char attach_usage[] =
	"Usage: breakwater attach [OPTIONS] PID\n"
	"\n"
	"Debugs a program that runs already; \"breakwater exec\" has started it. What it submits to the GPU from\n"
	"now on can be stopped; under \"exec --ready\", what runs already, too. Leaving, by quit or detach,\n"
	"leaves the program as it was.\n"
	"\n"
	"Options:\n"
	"  -ex COMMAND         run a debugger command, in the order given (also --eval-command)\n"
	"  -x FILE             run the commands in FILE, or the script FILE.py in Python; - is standard input\n"
	"                      (also --command)\n"
	"  --batch             no prompt: leave when the commands are done\n"
	"  --timeout SECONDS   leave when the session has taken so long, with exit status 124\n"
	"  --json              every answer as one line of JSON\n"
	"  -h, --help\n";

static struct bw_error *check_readable(const char *path)
{
	struct stat st;
	if (stat(path, &st))
		return bw_error_errno(errno, "cannot read the kernel %s", path);
	if (!S_ISREG(st.st_mode))
		return bw_errorf(BW_E_INVALID, "%s is not a file", path);
	return NULL;
}

/* argv of the launcher: its path, the kernel's options as given, the object. */
static struct bw_error *launcher_argv(struct bw_cli *c, struct bw_run_options *o,
				      const char *object)
{
	_cleanup_free_ char *launcher = NULL;
	BW_TRY(bw_kmd_find_part("breakwater-launch", &launcher));
	size_t n = o->launch.words.len;
	char **argv = calloc(n + 3, sizeof(*argv));
	if (!argv)
		return bw_error_nomem();
	argv[0] = bw_take(launcher);
	for (size_t i = 0; i < n; i++)
		argv[i + 1] = strdup(o->launch.words.data[i]);
	argv[n + 1] = strdup(object);
	c->program = (struct bw_program){argv, true};
	return NULL;
}

static struct bw_error *read_file(const char *path, void **out_data, size_t *out_size)
{
	_cleanup_fclose_ FILE *f = fopen(path, "rb");
	struct stat st;
	if (!f || fstat(fileno(f), &st))
		return bw_error_errno(errno, "cannot read %s", path);
	_cleanup_free_ void *data = malloc((size_t)st.st_size + 1);
	if (!data)
		return bw_error_nomem();
	*out_size = fread(data, 1, (size_t)st.st_size, f);
	*out_data = bw_take(data);
	return NULL;
}

/* What the compiler says about a source that it takes: as it is, beside the session's text. */
static void show_said(struct bw_cli *c, const char *text)
{
	if (!*text)
		return;
	bw_out_begin(c->out, "event", "notice");
	bw_out_str(c->out, "kind", "compiler");
	bw_out_str(c->out, "text", text);
	bw_out_end(c->out);
	if (!bw_out_is_json(c->out))
		bw_out_printable(stderr, text);
}

/* All errors of a kernel and its options are found here, before anything starts. */
static struct bw_error *prepare_kernel(struct bw_cli *c, struct bw_run_options *o)
{
	const char *gpu = bw_arch_default_gfx(); /* nothing has been started that could be asked */
	_cleanup_free_ char *built = NULL;
	struct bw_str said = {0};
	BW_TRY(check_readable(o->kernel));
	if (bw_cli_is_capture(o->kernel))
		return bw_cli_prepare_capture(c, o->kernel, &o->compile, &o->launch);
	BW_TRY(bw_source_paths_object(bw_debug_source_paths(c->debug), o->kernel));
	if (bw_is_shader(o->kernel))
		return bw_cli_prepare_shader(c, o->kernel, &o->compile, &o->launch);
	struct bw_error *err = bw_compile_kernel(o->kernel, gpu, &o->compile, &said, &built);
	show_said(c, bw_str_text(&said));
	bw_str_free(&said);
	BW_TRY(err);
	const char *object = built ? built : o->kernel;
	struct bw_launch_plan *plan;
	o->launch.shown = built ? o->kernel : NULL;
	BW_TRY(bw_launch_plan_make(&o->launch, object, gpu, &plan));
	if (plan->co) {
		struct bw_code_object *co = NULL;
		err = bw_code_object_load(object, &co);
		if (!err && built)
			err = bw_code_object_show_as(co, o->kernel);
		c->printf_object = !err && plan->printf_arg ? co : NULL;
		if (!err)
			err = bw_debug_add_code_object(c->debug, co);
		else if (co)
			bw_code_object_close(co);
	} else {
		void *code = NULL;
		size_t size = 0;
		err = read_file(object, &code, &size);
		if (!err)
			err = bw_debug_add_raw(c->debug, plan->name, code, size);
		free(code);
	}
	if (!err)
		bw_debug_set_default_kernel(c->debug, plan->name);
	if (!err && plan->printf_arg)
		c->printf_offset_b = plan->printf_arg->offset_b;
	bw_launch_plan_free(plan);
	BW_TRY(err);
	return launcher_argv(c, o, object);
}

static void on_notice(void *cookie, enum bw_notice_kind kind, const char *text)
{
	enum { MOST_WARNINGS_B = 4096 };
	struct bw_cli *c = cookie;
	static const char *const names[] = {[BW_NOTICE_INFO] = "info",
					    [BW_NOTICE_SAID] = "said",
					    [BW_NOTICE_WARNING] = "warning",
					    [BW_NOTICE_PROGRAM] = "program",
					    [BW_NOTICE_DISPATCH] = "dispatch",
					    [BW_NOTICE_DISPATCH_FAILED] = "dispatch-failed",
					    [BW_NOTICE_BREAKPOINT] = "breakpoint",
					    [BW_NOTICE_WAVE_EXIT] = "wave-exit"};
	bw_out_begin(c->out, "event", "notice");
	bw_out_str(c->out, "kind", names[kind]);
	bw_out_str(c->out, "text", text);
	if (kind == BW_NOTICE_WARNING && c->warnings.len < MOST_WARNINGS_B)
		bw_str_addf(&c->warnings, "Warning: %s.\n", text);
	if (kind == BW_NOTICE_WARNING)
		bw_out_line(c->out, "warning: %s.", text);
	else if (kind == BW_NOTICE_WAVE_EXIT || kind == BW_NOTICE_SAID) /* come in their brackets */
		bw_out_line(c->out, "%s", text);
	else if (kind == BW_NOTICE_DISPATCH_FAILED)
		bw_out_line(c->out, "[%s]", text);
	/* Other notices are frequent, and are for programs that read --json. */
	bw_out_end(c->out);
	if (kind == BW_NOTICE_SAID) /* it may be long until something else is */
		bw_out_flush(c->out);
}

static struct bw_error *prepare_program(struct bw_cli *c, struct bw_run_options *o)
{
	size_t n = 0;
	while (o->program[n])
		n++;
	char **argv = calloc(n + 1, sizeof(*argv));
	if (!argv)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++)
		argv[i] = strdup(o->program[i]);
	c->program = (struct bw_program){argv, false};
	if (argv[0] && strchr(argv[0], '/'))
		BW_TRY(bw_source_paths_object(bw_debug_source_paths(c->debug), argv[0]));
	_cleanup_error_ struct bw_error *err = bw_cli_check_preload(argv[0]);
	if (err)
		on_notice(c, BW_NOTICE_WARNING, err->message);
	return NULL;
}

struct bw_error *bw_cli_run_script(struct bw_cli *c, const struct bw_run_options *o)
{
	bw_vec_each(&o->script, item) {
		if (c->quit)
			break;
		BW_TRY(item->kind == BW_SCRIPT_FILE ? bw_cli_run_file(c, item->text)
						    : bw_cli_execute_scripted(c, item->text));
	}
	return NULL;
}

/* The session from its start to its end. */
static struct bw_error *run_session(struct bw_cli *c, const struct bw_run_options *o)
{
	bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !o->batch;
	bool piped = !o->script.len && !o->batch && !o->interactive && bw_cli_commands_on_stdin();
	BW_TRY(bw_cli_run_script(c, o));
	if (c->quit)
		return NULL;
	if (piped)
		return bw_cli_run_file(c, "-");
	/* Commands of standard input come after those given as options, as in gdb. */
	if (o->script.len && !o->batch && !o->interactive && !isatty(STDIN_FILENO))
		return bw_cli_run_file(c, "-");
	if (o->script.len && !terminal)
		return NULL;
	if (!o->script.len && !o->interactive && !o->attach && !c->crash) {
		c->plain = true;
		BW_TRY(bw_cmd_run(c, ""));
		c->plain = false;
		/* The program or the session has ended: nothing is left to ask. */
		if (c->quit || bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM)
			return NULL;
		if (bw_cli_interrupts() && !terminal && !o->interactive)
			c->exit_status = BW_EXIT_SIGNAL + SIGINT;
	}
	if (terminal || o->interactive)
		bw_cli_interact(c);
	return NULL;
}

void bw_cli_fini(struct bw_cli *c)
{
	bw_cli_ignore_interrupts(c);
	bw_cli_tui_free(c);
	bw_debug_destroy(c->debug);
	bw_swaps_end(c->swaps);
	bw_cli_free_crash(c);
	bw_kmd_close(c->kmd);
	if (c->out)
		bw_terminal_end(c);
	bw_out_destroy(c->out);
	for (size_t i = 0; c->program.argv && c->program.argv[i]; i++)
		free(c->program.argv[i]);
	free(c->program.argv);
	bw_wait_set(NULL, NULL);
	bw_cli_free_displays(c);
	bw_cli_free_blocks(c);
	free(c->list_file);
	free(c->last_command);
	bw_str_free(&c->warnings);
	if (c->output_fd >= 0)
		close(c->output_fd);
}

/* The debugger itself reports what the kernel logs about a fault, and in more detail. */
static struct bw_error *set_up_server(const struct bw_run_options *o)
{
	BW_TRY(bw_cli_add_server_args("--quiet"));
	BW_TRY(bw_cli_set_up_strict(&o->vgpu));
	return o->fidelity ? bw_cli_add_server_args("--fidelity") : NULL;
}

struct bw_error *bw_cli_what_ended(const struct bw_cli *c)
{
	return c->ended_by == SIGALRM
		       ? bw_errorf(BW_E_TIMEOUT,
				   "The session has taken %g s, the limit of --timeout", c->limit_s)
		       : NULL;
}

/* Exit status of a session that was told to end. */
static void say_what_ended_it(struct bw_cli *c)
{
	if (!c->ended_by)
		return;
	c->exit_status = c->ended_by == SIGALRM ? BW_EXIT_TIMEOUT : BW_EXIT_SIGNAL + c->ended_by;
	struct bw_error *err = bw_cli_what_ended(c);
	if (err)
		bw_out_error(c->out, err);
	bw_error_free(err);
}

static void end_session(struct bw_cli *c, struct bw_error *err)
{
	if (err) { /* a script that fails ends at once */
		if (!c->error_reported)
			bw_out_error(c->out, err);
		bw_error_free(err);
		c->quit = true;
	}
	bw_cli_leave(c);
	if (err)
		c->exit_status = BW_EXIT_USAGE;
	else
		say_what_ended_it(c);
}

/* What a GPU has left behind: nothing runs. */
static struct bw_error *open_crash(struct bw_cli *c, struct bw_run_options *o)
{
	const char *other = o->launch.words.len ? o->launch.words.data[0]
			    : o->compile.first	? o->compile.first
			    : o->gpu		? "--gpu"
			    : o->fidelity	? "--fidelity"
			    : o->vgpu.strict || o->vgpu.deterministic || o->vgpu.trace_hash
				    ? "--strict, --deterministic or --trace-hash"
				    : NULL;
	if (other)
		return bw_errorf(BW_E_INVALID, "%s is for kernels; %s is a crash file", other,
				 o->kernel);
	bw_cli_catch_interrupts(c);
	return bw_cli_open_crash(c, o->kernel, o->gc);
}

struct bw_error *bw_cli_open_parsed(struct bw_cli *c, struct bw_run_options *o)
{
	bool is_virtual = false;
	BW_TRY(bw_debug_create(&c->debug));
	bw_debug_on_notice(c->debug, on_notice, c);
	c->shaders = (struct bw_shader_wishes){
		.lines = o->kernel && !o->attach ? o->shader_lines != BW_LINES_UNWANTED
						 : o->shader_lines == BW_LINES_WANTED,
		.notes = o->program && o->compile.words.len};
	c->limit_s = o->limit_s;
	if (o->kernel && !o->attach && bw_cli_is_crash(o->kernel))
		return open_crash(c, o);
	if (o->gc)
		return bw_errorf(BW_E_INVALID, "--gfx is for crash files%s%s%s",
				 o->kernel ? "; " : "", o->kernel ? o->kernel : "",
				 o->kernel ? " is none" : "");
	if (o->attach)
		BW_TRY(bw_cli_use_gpu_of(o->pid, &is_virtual));
	else
		BW_TRY(o->kernel ? prepare_kernel(c, o) : prepare_program(c, o));
	BW_TRY(bw_swaps_begin(&o->swaps, NULL, &c->swaps));
	if (c->swaps)
		BW_TRY(bw_swaps_set_environment(c->swaps));
	BW_TRY(set_up_server(o));
	BW_TRY(bw_kmd_open(is_virtual ? "virtual" : o->gpu, &c->kmd));
	if (o->fidelity)
		BW_TRY(bw_cli_check_fidelity(c->kmd));
	BW_TRY(bw_cli_check_strict(c->kmd, &o->vgpu));
	bw_cli_catch_interrupts(c);
	return o->attach ? bw_cli_attach(c, o->pid) : NULL;
}

void bw_cli_init(struct bw_cli *c)
{
	*c = (struct bw_cli){.output_fd = -1, .x_format = {.count = 0, .letter = 'x', .unit = 'w'}};
}

/* What a session's caller does itself where it is no terminal. */
struct bw_error *bw_cli_open(struct bw_cli *c, int argc, char **argv, bool attach)
{
	struct bw_run_options o = {.attach = attach};
	struct bw_error *err = bw_run_options_parse(&o, argc, argv);
	if (!err && (o.script.len || o.interactive || o.batch || o.json || o.help ||
		     o.limit_s > 0 || o.fidelity || o.vgpu.strict || o.vgpu.trace_hash))
		err = bw_errorf(
			BW_E_UNSUPPORTED,
			"-ex, -x, -i, --batch, --json, --help, --timeout, --fidelity, --strict and --trace-hash are for the command line, not for %s session",
			c->is_library ? "a library's" : "a report's");
	if (!err)
		err = bw_cli_open_parsed(c, &o);
	bw_run_options_fini(&o);
	return err;
}

struct bw_error *bw_cli_show_reports(struct bw_cli *c, const struct bw_run_options *o)
{
	BW_TRY(bw_cli_show_strict(c->kmd, &o->vgpu, c->debug, c->out));
	if (c->swaps)
		BW_TRY(bw_swaps_report(c->swaps, c->out));
	return o->fidelity ? bw_cli_show_fidelity(c->kmd, c->out) : NULL;
}

static struct bw_error *run_given(struct bw_cli *c, struct bw_run_options *o, int argc, char **argv)
{
	BW_TRY(bw_run_options_parse(o, argc, argv));
	if (o->help) {
		if (o->attach)
			fputs(attach_usage, stdout);
		else
			printf("%s%s%s%s", usage, bw_compile_options_help, kernel_usage,
			       bw_launch_options_help);
		return NULL;
	}
	BW_TRY(bw_out_create(stdout, o->json, &c->out));
	bw_terminal_begin(c);
	bw_cli_begin_json(c);
	c->is_batch = o->batch;
	BW_TRY(bw_cli_open_parsed(c, o));
	if (o->tui)
		BW_TRY(bw_cli_tui_enable(c));
	struct bw_error *err = run_session(c, o);
	bw_cli_tui_leave(c);
	bool has_reports = !err && !c->crash;
	end_session(c, err);
	if (!has_reports)
		return NULL;
	return bw_cli_show_reports(c, o);
}

static int main_with(int argc, char **argv, bool attach)
{
	struct bw_cli c;
	struct bw_run_options o = {.attach = attach};
	bw_cli_init(&c);
	c.confirm = true;
	struct bw_error *err = run_given(&c, &o, argc, argv);
	if (err)
		bw_cli_fail(&c, err);
	bw_cli_end_python();
	bw_cli_fini(&c);
	bw_run_options_fini(&o);
	return c.exit_status;
}

int bw_main_run(int argc, char **argv)
{
	return main_with(argc, argv, false);
}

int bw_main_attach(int argc, char **argv)
{
	return main_with(argc, argv, true);
}
