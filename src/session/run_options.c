/* SPDX-License-Identifier: MIT */
#include "session/run_options.h"

#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "gpuvm/fault.h"

static const char run_usage[] =
	"Usage: breakwater run [OPTIONS] KERNEL [KERNEL OPTIONS]\n"
	"       breakwater run [OPTIONS] -- PROGRAM ARGUMENTS...\n"
	"       breakwater run [OPTIONS] CRASH-FILE\n"
	"\n"
	"Runs a kernel on the GPU under the debugger: KERNEL is OpenCL C (.cl), HIP or C++ (.hip, .cpp), C (.c),\n"
	"assembly (.s), LLVM IR (.ll, .bc), a code object (.co, .hsaco), raw machine code (.bin), or a compute\n"
	"shader for Vulkan: GLSL (.comp), HLSL (.hlsl), SPIR-V (.spv, .spvasm). It starts at once and stops where\n"
	"something stops it; with commands (-ex, -x, or a pipe on standard input) or with -i, the command \"run\"\n"
	"starts it. A devcoredump, or the folder of a hang report of RADV, is opened at the prompt: waves,\n"
	"registers, memory and dispatches are those that it holds.\n";

static const char attach_usage[] =
	"Usage: breakwater attach [OPTIONS] PID\n"
	"       breakwater attach --waves [--halt] [OPTIONS] [PID]\n"
	"\n"
	"Debugs a program that runs already; \"breakwater exec\" has started it. What it submits to the GPU from\n"
	"now on can be stopped; under \"exec --ready\", what runs already, too. Leaving, by quit or detach,\n"
	"leaves the program as it was.\n"
	"\n"
	"With --waves it looks at the waves that are on the GPU, of a process or of all, whoever has started them:\n"
	"those of a program that hangs, too. Registers, memory, code, \"report\" and the terminal screen are as in\n"
	"any session; nothing can be run, stopped or changed.\n";

static struct bw_error *take_limit(void *options, const char *option, const char *value)
{
	enum { YEAR_S = 366 * 24 * 3600 };
	double seconds;
	if (!bw_parse_f64(value, &seconds) || !(seconds >= 0.001 && seconds <= YEAR_S))
		return bw_errorf(BW_E_INVALID, "--timeout takes seconds, not \"%s\"", value);
	((struct bw_run_options *)options)->limit_s = seconds;
	return NULL;
}

static struct bw_error *take_gfx(void *options, const char *option, const char *value)
{
	struct bw_gpuvm_part part;
	BW_TRY(bw_gpuvm_part_parse(value, &part));
	((struct bw_run_options *)options)->gc = part.gc;
	return NULL;
}

static struct bw_error *take_command(void *options, const char *option, const char *value)
{
	const struct bw_script_item item = {BW_SCRIPT_COMMAND, value};
	return bw_vec_push(&((struct bw_run_options *)options)->script, item);
}

static struct bw_error *take_script(void *options, const char *option, const char *value)
{
	const struct bw_script_item item = {BW_SCRIPT_FILE, value};
	return bw_vec_push(&((struct bw_run_options *)options)->script, item);
}

static struct bw_error *take_lines(void *options, const char *option, const char *value)
{
	((struct bw_run_options *)options)->shader_lines =
		!strcmp(option, "--shader-lines") ? BW_LINES_WANTED : BW_LINES_UNWANTED;
	return NULL;
}

static struct bw_error *take_kernel(void *options, const char *word)
{
	struct bw_run_options *o = options;
	if (o->kernel)
		return bw_errorf(BW_E_INVALID, "One kernel at a time: \"%s\" comes after \"%s\"",
				 word, o->kernel);
	o->kernel = word;
	return NULL;
}

#define OPTIONS struct bw_run_options

static const struct bw_option interactive_rows[] = {
	{"-i, --interactive", NULL, "give the prompt before the kernel starts",
	 BW_FLAG(OPTIONS, interactive)},
	{0},
};
static const struct bw_option session_rows[] = {
	{"--tui", NULL, "a prompt with the terminal screen (\"help tui\")", BW_FLAG(OPTIONS, tui),
	 BW_HAS(OPTIONS, interactive), .also = "-tui"},
	{"-ex", "COMMAND", "run a debugger command, in the order given (also --eval-command)",
	 BW_CALL(take_command), .also = "--ex --eval-command"},
	{"-x", "FILE",
	 "run the commands in FILE, or the script FILE.py in Python; - is standard input (also --command)",
	 BW_CALL(take_script), .also = "--command"},
	{"--batch", NULL, "no prompt: leave when the commands are done", BW_FLAG(OPTIONS, batch),
	 .also = "-batch"},
	{"--timeout", "SECONDS", "end the session when it has taken so long, with exit status 124",
	 BW_CALL(take_limit)},
	{"--json", NULL, "every answer as one line of JSON", BW_FLAG(OPTIONS, json)},
	{0},
};
static const struct bw_option help_rows[] = {
	BW_ROW_HELP(OPTIONS, help),
	{0},
};
static const struct bw_option run_rows[] = {
	{"--stop-on-finding", NULL,
	 "stop at the wave that does what --check finds (\"info finding\", \"info findings\")",
	 BW_FLAG(OPTIONS, vgpu.stops_on_findings)},
	{"--shader-lines, --no-shader-lines", NULL,
	 "the Vulkan driver keeps the lines of shaders (RADV_DEBUG=nirdebuginfo); it may make other code for "
	 "that, and use no cache. The default for a shader, not for a program",
	 BW_CALL(take_lines)},
	{"--gfx", "VERSION",
	 "which GPU a crash file is of, where it does not say: gfx1100, 11.0, ...",
	 BW_CALL(take_gfx)},
	{"--gpu", "GPU",
	 "virtual[:navi31|mi300x|raven2], an index, or a PCI address (default: the first AMD GPU, the virtual one where "
	 "there is none)",
	 BW_TEXT(OPTIONS, gpu)},
	BW_ROW_ROCM(OPTIONS, has_rocm),
	{0},
};

static const struct bw_option attach_rows[] = {
	{"-i, --interactive", NULL, "give the prompt where there is no terminal, too",
	 BW_FLAG(OPTIONS, interactive)},
	{0},
};
static const struct bw_option waves_rows[] = {
	{"--waves", NULL, "look at waves, without a trap handler; of gfx9 to gfx12",
	 BW_FLAG(OPTIONS, waves)},
	{"--halt", NULL,
	 "with --waves: all waves of the GPU are halted until the session ends, whatever ends it, so that all "
	 "that is read is of one moment",
	 BW_FLAG(OPTIONS, halt)},
	{"--gpu", "GPU", "with --waves: virtual, an index, or a PCI address",
	 BW_TEXT(OPTIONS, gpu)},
	{0},
};

const struct bw_command_line bw_line_run = {
	.name = "breakwater run",
	.usage = run_usage,
	.groups = {{"Options:", interactive_rows},
		   {NULL, session_rows},
		   {NULL, bw_vgpu_rows, offsetof(OPTIONS, vgpu)},
		   {NULL, run_rows},
		   {NULL, help_rows},
		   {"Of a program after --:", bw_swap_rows, offsetof(OPTIONS, swaps)},
		   BW_COMPILE_GROUP(offsetof(OPTIONS, compile)),
		   BW_LAUNCH_GROUPS(offsetof(OPTIONS, launch))},
	.word = take_kernel,
};

const struct bw_command_line bw_line_attach = {
	.name = "breakwater attach",
	.usage = attach_usage,
	.groups = {{"Options:", waves_rows},
		   {NULL, attach_rows},
		   {NULL, session_rows},
		   {NULL, help_rows}},
	.word = take_kernel,
};

static struct bw_error *check_attach(struct bw_run_options *o)
{
	uint64_t pid;
	if (o->halt && !o->waves)
		return bw_errorf(BW_E_INVALID, "--halt needs --waves");
	if (o->waves && !o->kernel && !o->program && !o->launch.words.len && !o->compile.first)
		return NULL;
	if (o->program || o->launch.words.len || o->compile.first || !o->kernel ||
	    !bw_parse_u64(o->kernel, &pid) || !pid || pid > INT32_MAX)
		return bw_errorf(
			BW_E_INVALID,
			"\"breakwater attach\" takes the number of a process that \"breakwater exec\" started");
	o->pid = (pid_t)pid;
	return NULL;
}

/* Whether -O0 is the only option. It is accepted for a program as well: its shaders then record
 * their variables. */
static bool is_only_o0(const struct bw_compile_options *o)
{
	bw_vec_each(&o->words, w)
		if (strcmp(*w, "-O0") != 0)
			return false;
	return o->words.len && !o->wave64;
}

struct bw_error *bw_run_options_parse(struct bw_run_options *o, int argc, char **argv)
{
	const struct bw_command_line *l = o->attach ? &bw_line_attach : &bw_line_run;
	int rest;
	BW_TRY(bw_command_line_parse(l, o, argc, argv, &rest));
	if (!strcmp(argv[rest - 1], "--"))
		o->program = &argv[rest];
	if (o->help)
		return NULL;
	if ((o->swaps.words.len || o->swaps.save) && (o->attach || o->kernel))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "--shader and --save-shaders are for a program after --, whose "
				 "shaders are replaced when it makes them");
	if (o->attach)
		return check_attach(o);
	if (o->kernel && o->program)
		return bw_errorf(BW_E_INVALID,
				 "Either a kernel (\"%s\") or a program after --, not both",
				 o->kernel);
	if (!o->kernel && (!o->program || !o->program[0]))
		return bw_errorf(
			BW_E_INVALID,
			"\"breakwater run\" needs a kernel: breakwater run [OPTIONS] KERNEL [KERNEL OPTIONS]");
	if (o->has_rocm && !o->program)
		return bw_errorf(BW_E_INVALID, "--rocm is for a program: "
					       "breakwater run --rocm -- PROGRAM");
	const char *other = o->launch.words.len	      ? o->launch.words.data[0]
			    : is_only_o0(&o->compile) ? NULL
						      : o->compile.first;
	if (o->program && other)
		return bw_errorf(BW_E_INVALID,
				 "%s is for kernels; the program's own arguments go after it",
				 other);
	return NULL;
}

void bw_run_options_fini(struct bw_run_options *o)
{
	bw_vec_free(&o->script);
	bw_launch_options_fini(&o->launch);
	bw_compile_options_fini(&o->compile);
	bw_swap_options_fini(&o->swaps);
}
