/* SPDX-License-Identifier: MIT */
/* Attaching to running programs: breakwater attach PID, and the command attach. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/wait.h"
#include "cli/commands.h"
#include "cli/subcommands.h"
#include "debug/source.h"

/* ---- The environment that a program needs ---- */

/* Adds a word to a list in the environment; owned. */
static char *list_setting(const char *name, const char *word)
{
	const char *old = getenv(name);
	char *out = NULL;
	if (asprintf(&out, "%s=%s%s%s", name, old ? old : "", old && *old ? ":" : "", word) < 0)
		return NULL;
	return out;
}

/* Another word of a list with commas; owned. */
static char *add_debug_word(const char *name, const char *word)
{
	const char *old = getenv(name);
	char *out = NULL;
	if (asprintf(&out, "%s=%s%s%s", name, old ? old : "", old && *old ? "," : "", word) < 0)
		return NULL;
	return out;
}

/* What makes the loaders of Vulkan and OpenCL use the agent as a layer, too, so that pipelines,
 * kernels, arguments, buffers and command buffers have names, what makes drivers keep the lines of
 * shaders, and what makes the agent have them note their variables. A build without an API's
 * headers has no layer of it: Vulkan's loader is told nothing then, and OpenCL's finds none in the
 * library. */
struct bw_error *bw_cli_layer_settings(struct bw_shader_wishes shaders,
				       char *out[BW_LAYER_SETTINGS])
{
	char *agent = NULL, *manifest = NULL;
	size_t n = 0;
	memset(out, 0, BW_LAYER_SETTINGS * sizeof(*out));
	BW_TRY(bw_kmd_find_part("libbreakwater-agent.so", &agent));
	out[n++] = list_setting("OPENCL_LAYERS", agent);
	*strrchr(agent, '/') = '\0';
	if (asprintf(&manifest, "%s/breakwater-layer.json", agent) < 0)
		manifest = NULL;
	if (manifest && access(manifest, R_OK) == 0) {
		out[n++] = list_setting("VK_ADD_LAYER_PATH", agent);
		out[n++] = list_setting("VK_INSTANCE_LAYERS", "VK_LAYER_BREAKWATER_agent");
	}
	if (n > 1 && shaders.notes)
		out[n++] = strdup("BREAKWATER_SHADER_NOTES=1");
	if (n > 1 && shaders.lines) {
		out[n++] = strdup("BREAKWATER_SHADER_LINES=1");
		out[n++] = add_debug_word("RADV_DEBUG", "nirdebuginfo");
	}
	free(agent);
	free(manifest);
	return NULL;
}

void bw_cli_free_settings(char *settings[BW_LAYER_SETTINGS])
{
	for (size_t i = 0; i < BW_LAYER_SETTINGS; i++)
		free(settings[i]);
}

/* ---- Attaching ---- */

/* The value of NAME in the environment that the process was started with; owned, NULL for none. */
static struct bw_error *environ_of(pid_t pid, const char *name, char **out)
{
	char path[64];
	size_t cap = 0, n = strlen(name);
	_cleanup_free_ char *line = NULL;
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	*out = NULL;
	if (!f)
		return errno == ENOENT
			       ? bw_errorf(BW_E_NOT_FOUND, "There is no process %d", (int)pid)
			       : bw_error_errno(errno, "cannot read the environment of process %d",
						(int)pid);
	while (getdelim(&line, &cap, '\0', f) > 0) {
		if (strncmp(line, name, n) || line[n] != '=')
			continue;
		*out = strdup(line + n + 1);
		return *out ? NULL : bw_error_nomem();
	}
	return NULL;
}

struct bw_error *bw_cli_use_gpu_of(pid_t pid, bool *out_virtual)
{
	_cleanup_free_ char *server = NULL;
	BW_TRY(environ_of(pid, "BREAKWATER_VGPU", &server));
	*out_virtual = server != NULL;
	if (server && setenv("BREAKWATER_VGPU", server, 1))
		return bw_error_nomem();
	/* Root attaches to a program of another user: the virtual GPU is that user's. */
	char path[64];
	struct stat st;
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (server && geteuid() == 0 && !stat(path, &st))
		bw_kmd_use_server_of(st.st_uid);
	return NULL;
}

/* Waits until the agent has said hello. */
static struct bw_error *await_hello(struct bw_cli *c, pid_t pid)
{
	enum { TRIES = 200, PIECE_MS = 50 };
	for (int i = 0; i < TRIES && !bw_debug_inferior_of(c->debug, pid); i++) {
		struct bw_stop stop;
		BW_TRY(bw_debug_wait(c->debug, PIECE_MS, &stop));
		if (!bw_wait_should_continue((unsigned)i * PIECE_MS, false))
			return bw_errorf(BW_E_INTERRUPTED, "Quit: process %d has not answered",
					 (int)pid);
		if (stop.kind == BW_STOP_EXITED)
			return bw_errorf(BW_E_GONE, "process %d has ended", (int)pid);
		if (stop.kind != BW_STOP_NONE)
			bw_cli_stopped(c, &stop, false);
	}
	return bw_debug_inferior_of(c->debug, pid)
		       ? NULL
		       : bw_errorf(BW_E_TIMEOUT, "process %d does not answer", (int)pid);
}

static void say_attached(struct bw_cli *c, pid_t pid, const struct bw_target_attached *a)
{
	const struct bw_inferior_info *i = bw_debug_inferior_of(c->debug, pid);
	uint32_t n = a->n_unstoppable;
	bw_out_line(
		c->out,
		a->was_ready
			? "Attached to %s (process %d)."
			: "Attached to %s (process %d). Its next submission to the GPU is the first that can be stopped.",
		i->comm, (int)pid);
	if (n)
		bw_out_line(
			c->out,
			"%u wave%s launched before and cannot be stopped: \"breakwater exec --ready\" starts a program "
			"so that they can. \"shell breakwater umr -wa\" shows where they are.",
			n, n == 1 ? " was" : "s were");
	bw_out_bool(c->out, "ready", a->was_ready);
	bw_out_int(c->out, "unstoppable", n);
	bw_out_int(c->out, "pid", pid);
	bw_out_int(c->out, "inferior", i->number);
	bw_out_str(c->out, "program", i->comm);
}

/* Stops what runs, as the user attaches in order to look at it. */
static struct bw_error *stop_if_ready(struct bw_cli *c, const struct bw_target_attached *a)
{
	struct bw_stop stop;
	if (!a->was_ready)
		return NULL;
	BW_TRY(bw_debug_stop(c->debug, &stop));
	if (stop.kind == BW_STOP_WAVES)
		bw_cli_stopped(c, &stop, false);
	return NULL;
}

struct bw_error *bw_cli_attach(struct bw_cli *c, pid_t pid)
{
	const struct bw_target_source source = {.kind = BW_SOURCE_PROCESS,
						.kmd = c->kmd,
						.pid = pid,
						.in_fd = -1,
						.out_fd = -1,
						.err_fd = -1};
	struct bw_target *target;
	struct bw_target_attached found;
	BW_TRY(bw_cli_open_target(&source, &target));
	BW_TRY(bw_debug_start(c->debug, target));
	struct bw_error *err = await_hello(c, pid);
	if (!err)
		err = bw_target_attached(bw_debug_target(c->debug), pid, &found);
	if (err) {
		bw_debug_detach(c->debug);
		return err;
	}
	c->attached = true;
	c->exit_status_known = false;
	c->gpu_fault = false;
	/* before the first request it is an event, else what the command answers */
	bool event = !bw_out_in_request(c->out);
	if (event)
		bw_out_begin(c->out, "event", "attached");
	say_attached(c, pid, &found);
	if (event)
		bw_out_end(c->out);
	return stop_if_ready(c, &found);
}

/* Attaches while other programs are debugged already. */
static struct bw_error *attach_another(struct bw_cli *c, pid_t pid)
{
	struct bw_target_attached found;
	BW_TRY(bw_target_attach(bw_debug_target(c->debug), pid));
	BW_TRY(await_hello(c, pid));
	BW_TRY(bw_target_attached(bw_debug_target(c->debug), pid, &found));
	say_attached(c, pid, &found);
	return stop_if_ready(c, &found);
}

struct bw_error *bw_cmd_attach(struct bw_cli *c, const char *args)
{
	uint64_t pid;
	_cleanup_free_ char *server = NULL;
	if (!bw_parse_u64(args, &pid) || !pid || pid > INT_MAX)
		return bw_errorf(
			BW_E_INVALID,
			"\"attach\" takes the process number of a program started by \"breakwater exec\"");
	BW_TRY(environ_of((pid_t)pid, "BREAKWATER_VGPU", &server));
	const char *ours = NULL;
	for (const char *const *e = bw_kmd_program_env(c->kmd); e && *e; e++)
		if (bw_starts_with(*e, "BREAKWATER_VGPU="))
			ours = *e + strlen("BREAKWATER_VGPU=");
	if (!ours != !server || (ours && strcmp(ours, server)))
		return bw_errorf(
			BW_E_INVALID,
			"process %d uses another GPU than this session: breakwater attach %d",
			(int)pid, (int)pid);
	return bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM ? bw_cli_attach(c, (pid_t)pid)
							       : attach_another(c, (pid_t)pid);
}

/* ---- Its code objects ---- */

struct bw_error *bw_cmd_symbol_file(struct bw_cli *c, const char *args)
{
	struct bw_code_object *co;
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"symbol-file\" takes a code object (.co, .hsaco)");
	BW_TRY(bw_source_paths_object(bw_debug_source_paths(c->debug), args));
	BW_TRY(bw_code_object_load(args, &co));
	return bw_debug_add_code_object(c->debug, co);
}

/* ---- Several ---- */

static struct bw_error *need_program(struct bw_cli *c)
{
	return bw_debug_state(c->debug) == BW_DEBUG_NO_PROGRAM
		       ? bw_errorf(BW_E_STATE, "The program is not being run (\"run\" starts it)")
		       : NULL;
}

static const struct bw_inferior_info *inferior(struct bw_cli *c, uint32_t number)
{
	size_t n;
	const struct bw_inferior_info *all = bw_debug_inferiors(c->debug, &n);
	for (size_t i = 0; i < n; i++)
		if (number ? all[i].number == number : all[i].is_current)
			return &all[i];
	return NULL;
}

struct bw_error *bw_info_inferiors(struct bw_cli *c, const char *args)
{
	bw_show_inferiors(c->out, c->debug);
	return NULL;
}

struct bw_error *bw_cmd_inferior(struct bw_cli *c, const char *args)
{
	BW_TRY(need_program(c));
	if (args[0]) {
		uint64_t number;
		BW_TRY(bw_cli_eval_count(c, args, &number));
		BW_TRY(bw_debug_set_inferior(c->debug,
					     number > UINT32_MAX ? UINT32_MAX : (uint32_t)number));
	}
	const struct bw_inferior_info *i = inferior(c, 0);
	if (!i)
		return bw_errorf(BW_E_STATE, "The program has not opened the GPU yet");
	bw_out_line(c->out, "[%s inferior %u: %s (process %d)]",
		    args[0] ? "Switching to" : "Current", i->number, i->comm, (int)i->pid);
	bw_out_int(c->out, "inferior", i->number);
	bw_out_int(c->out, "pid", i->pid);
	return NULL;
}

typedef struct bw_error *inferior_fn(struct bw_debug *d, uint32_t number);

/* Takes "inferiors N...", or the current inferior; what: the action, for messages. */
static struct bw_error *for_inferiors(struct bw_cli *c, const char *name, const char *args,
				      inferior_fn *fn, const char *what)
{
	char word[16];
	size_t n;
	BW_TRY(need_program(c));
	const char *rest = args;
	bw_take_word(&rest, word, sizeof(word));
	bool named = !strcmp(word, "inferior") || !strcmp(word, "inferiors");
	if (args[0] && (!named || !*rest))
		return bw_errorf(BW_E_INVALID, "\"%s\" takes nothing, or: inferiors N...", name);
	c->gpu_fault = false;
	bool is_past = bw_debug_target(c->debug)->is_past;
	bw_debug_inferiors(c->debug, &n);
	do {
		uint64_t number = 0;
		bw_take_word(&rest, word, sizeof(word));
		if (named && (!bw_parse_u64(word, &number) || !number || number > UINT32_MAX))
			return bw_errorf(
				BW_E_INVALID,
				"There is no inferior \"%s\"; \"info inferiors\" lists them", word);
		const struct bw_inferior_info *i = inferior(c, (uint32_t)number);
		pid_t pid = i ? i->pid : bw_debug_program_pid(c->debug);
		uint32_t which = i ? i->number : (uint32_t)number;
		if (i || named)
			BW_TRY(fn(c->debug, which));
		else if (fn == bw_debug_kill_inferior)
			BW_TRY(bw_debug_kill(c->debug));
		else
			bw_debug_detach(c->debug);
		if (is_past)
			bw_out_line(c->out, "[The crash file is closed]");
		else if (n > 1)
			bw_out_line(c->out, "[Inferior %u (process %d) %s]", which, (int)pid, what);
		else
			bw_out_line(c->out, "[The program (process %d) %s]", (int)pid, what);
	} while (*rest);
	return NULL;
}

struct bw_error *bw_cmd_kill(struct bw_cli *c, const char *args)
{
	return for_inferiors(c, "kill", args, bw_debug_kill_inferior, "was killed");
}

struct bw_error *bw_cmd_detach(struct bw_cli *c, const char *args)
{
	return for_inferiors(c, "detach", args, bw_debug_detach_inferior,
			     "runs on without the debugger");
}
