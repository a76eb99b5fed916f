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
#include "session/crash_files.h"
#include "cli/python.h"
#include "session/run_options.h"
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
	if (!o->script.len && !o->interactive && !o->attach && !c->session->crash) {
		c->plain = true;
		BW_TRY(bw_cmd_run(c, ""));
		c->plain = false;
		/* The program or the session has ended: nothing is left to ask. */
		if (c->quit || bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM)
			return NULL;
		if (bw_session_interrupts() && !terminal && !o->interactive)
			c->session->exit_status = BW_EXIT_SIGNAL + SIGINT;
	}
	if (terminal || o->interactive)
		bw_cli_interact(c);
	return NULL;
}

/* Exit status of a session that was told to end. */
static void say_what_ended_it(struct bw_cli *c)
{
	if (!c->session->ended_by)
		return;
	c->session->exit_status = c->session->ended_by == SIGALRM
					  ? BW_EXIT_TIMEOUT
					  : BW_EXIT_SIGNAL + c->session->ended_by;
	struct bw_error *err = bw_session_what_ended(c->session);
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
		c->session->exit_status = BW_EXIT_USAGE;
	else
		say_what_ended_it(c);
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
	BW_TRY(bw_cli_begin(c, stdout, o->json));
	bw_terminal_begin(c);
	bw_cli_begin_json(c);
	c->is_batch = o->batch;
	BW_TRY(bw_session_open(c->session, o));
	if (o->tui)
		BW_TRY(bw_cli_tui_enable(c));
	struct bw_error *err = run_session(c, o);
	bw_cli_tui_leave(c);
	bool has_reports = !err && !c->session->crash;
	end_session(c, err);
	if (!has_reports)
		return NULL;
	return bw_session_report(c->session, o);
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
	int status = c.session->exit_status;
	bw_cli_fini(&c);
	bw_run_options_fini(&o);
	return status;
}

int bw_main_run(int argc, char **argv)
{
	return main_with(argc, argv, false);
}

int bw_main_attach(int argc, char **argv)
{
	return main_with(argc, argv, true);
}
