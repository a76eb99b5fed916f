/* SPDX-License-Identifier: MIT */
/* Programs of a session: attach, inferior, kill, detach, and their symbols. */
#include <limits.h>
#include <string.h>

#include "cli/commands.h"
#include "debug/source.h"

struct bw_error *bw_cmd_attach(struct bw_cli *c, const char *args)
{
	uint64_t pid;
	if (!bw_parse_u64(args, &pid) || !pid || pid > INT_MAX)
		return bw_errorf(
			BW_E_INVALID,
			"\"attach\" takes the process number of a program started by \"breakwater exec\"");
	BW_TRY(bw_session_check_gpu(c->session, (pid_t)pid));
	return bw_session_attach(c->session, (pid_t)pid);
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

/* Runs an action for "inferiors N...", or for the current inferior. what: the action, for
 * messages. */
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
	c->session->gpu_fault = false;
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
