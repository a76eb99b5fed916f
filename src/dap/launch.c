/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/string_list.h"
#include "base/util.h"
#include "compile/compile.h"
#include "session/crash_files.h"

/* The session from `initialize` to `disconnect`. */

struct bw_error *bw_dap_initialize(struct bw_dap *s, json_t *args, json_t *body)
{
	static const char *const can[] = {
		"supportsConfigurationDoneRequest",
		"supportsFunctionBreakpoints",
		"supportsConditionalBreakpoints",
		"supportsHitConditionalBreakpoints",
		"supportsEvaluateForHovers",
		"supportsGotoTargetsRequest",
		"supportsSetVariable",
		"supportsSetExpression",
		"supportsCompletionsRequest",
		"supportsModulesRequest",
		"supportsRestartRequest",
		"supportsExceptionInfoRequest",
		"supportTerminateDebuggee",
		"supportsDelayedStackTraceLoading",
		"supportsLoadedSourcesRequest",
		"supportsLogPoints",
		"supportsTerminateRequest",
		"supportsDataBreakpoints",
		"supportsReadMemoryRequest",
		"supportsWriteMemoryRequest",
		"supportsDisassembleRequest",
		"supportsCancelRequest",
		"supportsBreakpointLocationsRequest",
		"supportsClipboardContext",
		"supportsSteppingGranularity",
		"supportsInstructionBreakpoints",
		"supportsValueFormattingOptions",
	};
	bool lines_from_1 = true, columns_from_1 = true;
	const char *path_format = "path";
	if (s->is_initialized)
		return bw_errorf(BW_E_STATE, "\"initialize\" comes once");
	BW_TRY(bw_dap_take_bool(args, "linesStartAt1", &lines_from_1));
	BW_TRY(bw_dap_take_bool(args, "columnsStartAt1", &columns_from_1));
	BW_TRY(bw_dap_take_text(args, "pathFormat", &path_format));
	BW_TRY(bw_dap_take_bool(args, "supportsProgressReporting", &s->has_progress));
	BW_TRY(bw_dap_take_bool(args, "supportsInvalidatedEvent", &s->has_invalidated));
	BW_TRY(bw_dap_take_bool(args, "supportsMemoryEvent", &s->has_memory_event));
	BW_TRY(bw_dap_take_bool(args, "supportsVariableType", &s->has_variable_type));
	if (strcmp(path_format, "path") != 0)
		return bw_errorf(BW_E_UNSUPPORTED, "The path format \"%s\" is not supported: path",
				 path_format);
	s->zero_lines = !lines_from_1;
	s->zero_columns = !columns_from_1;
	for (size_t i = 0; i < sizeof(can) / sizeof(*can); i++)
		json_object_set_new(body, can[i], json_true());
	json_object_set_new(body, "exceptionBreakpointFilters", bw_dap_exception_filters());
	json_object_set_new(body, "completionTriggerCharacters", json_pack("[s,s]", "$", "."));
	s->is_initialized = true;
	return NULL;
}

/* ---- launch ---- */

static struct bw_error *add_words(struct bw_strings *w, json_t *list, const char *key)
{
	size_t i;
	json_t *word;
	json_array_foreach(list, i, word)
	{
		if (!json_is_string(word))
			return bw_errorf(BW_E_INVALID, "\"%s\" is not an array of strings", key);
		BW_TRY(bw_strings_add(w, json_string_value(word)));
	}
	return NULL;
}

/* Whether a launch of this file means `breakwater run FILE`; otherwise it is a program. */
static bool is_kernel_file(const char *path)
{
	return bw_is_kernel(path) || bw_is_shader(path) || bw_is_crash(path);
}

static struct bw_error *launch_words(struct bw_dap *s, json_t *args, struct bw_strings *w)
{
	const char *program = NULL;
	json_t *program_args = NULL, *options = NULL;
	BW_TRY(bw_dap_need_text(args, "program", &program));
	BW_TRY(bw_dap_take_array(args, "args", &program_args));
	BW_TRY(bw_dap_take_array(args, "kernelOptions", &options));
	bool is_kernel = is_kernel_file(program);
	if (is_kernel && json_array_size(program_args))
		return bw_errorf(
			BW_E_INVALID,
			"\"args\" are for a program; %s is a kernel, whose options are \"kernelOptions\"",
			program);
	BW_TRY(bw_strings_add(w, "run"));
	BW_TRY(add_words(w, options, "kernelOptions"));
	if (!is_kernel)
		BW_TRY(bw_strings_add(w, "--"));
	BW_TRY(bw_strings_add(w, program));
	BW_TRY(add_words(w, program_args, "args"));
	return bw_strings_add(w, NULL);
}

static struct bw_error *set_environment(json_t *args)
{
	const char *cwd = NULL, *name;
	json_t *env = json_object_get(args, "env"), *value;
	BW_TRY(bw_dap_take_text(args, "cwd", &cwd));
	if (env && !json_is_null(env) && !json_is_object(env))
		return bw_errorf(BW_E_INVALID, "\"env\" is not an object of strings");
	json_object_foreach(env, name, value)
	{
		if (!json_is_string(value) && !json_is_null(value))
			return bw_errorf(BW_E_INVALID, "\"env\" is not an object of strings");
		if (!*name || strchr(name, '=') ||
		    (json_is_null(value) ? unsetenv(name)
					 : setenv(name, json_string_value(value), 1)))
			return bw_errorf(BW_E_INVALID, "\"%s\" is not the name of a variable",
					 name);
	}
	return cwd && chdir(cwd) ? bw_error_errno(errno, "cannot go to the folder %s", cwd) : NULL;
}

static void send_progress(struct bw_dap *s, bool begins, const char *title)
{
	char id[32];
	if (!s->has_progress)
		return;
	s->next_progress += begins;
	snprintf(id, sizeof(id), "breakwater-%lld", (long long)s->next_progress);
	json_t *body = json_object();
	json_object_set_new(body, "progressId", json_string(id));
	if (begins) {
		json_object_set_new(body, "title", json_string(title));
		json_object_set_new(body, "requestId", json_integer(s->request_seq));
		json_object_set_new(body, "cancellable", json_false());
	}
	bw_dap_event(s, begins ? "progressStart" : "progressEnd", body);
}

/* Refuses options of `breakwater run` that are about a terminal. */
static struct bw_error *check_options(const struct bw_run_options *o)
{
	const struct {
		bool is_there;
		const char *word, *why;
	} words[] = {
		{o->help, "--help", "\"help\" in the debug console has the commands"},
		{o->json, "--json", "an editor has its own protocol"},
		{o->tui, "--tui", "the editor is the screen"},
		{o->batch, "--batch", "the editor says when the session ends"},
		{o->interactive, "--interactive", "the debug console is the prompt"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
		if (words[i].is_there)
			return bw_errorf(BW_E_UNSUPPORTED, "%s is not for an editor's session: %s",
					 words[i].word, words[i].why);
	return NULL;
}

static struct bw_error *open_words(struct bw_dap *s, const struct bw_strings *w, bool attach)
{
	if (s->is_open)
		return bw_errorf(
			BW_E_STATE,
			"This session could not begin, and cannot be tried again: start a new session");
	s->is_open = true;
	s->options.attach = attach;
	/* the last word is NULL */
	BW_TRY(bw_run_options_parse(&s->options, (int)w->len - 1, w->data));
	BW_TRY(check_options(&s->options));
	BW_TRY(bw_session_open(s->session, &s->options));
	s->debug = s->session->debug;
	return NULL;
}

static struct bw_error *open_session(struct bw_dap *s, struct bw_strings *w, bool attach)
{
	if (s->debug)
		return bw_errorf(BW_E_STATE, "One session at a time: this one has begun");
	send_progress(s, true,
		      attach ? "Attaching to the program" : "Preparing the kernel or the program");
	struct bw_error *err = open_words(s, w, attach);
	send_progress(s, false, NULL);
	BW_TRY(err);
	s->is_attached = attach;
	bw_debug_on_passing(s->debug, bw_dap_passing, s);
	return NULL;
}

/* A setting of "setup": commands that run before the program starts. */
static struct bw_error *run_setup(struct bw_dap *s, json_t *args)
{
	json_t *list = NULL, *line;
	size_t i;
	BW_TRY(bw_dap_take_array(args, "initCommands", &list));
	json_array_foreach(list, i, line)
	{
		if (!json_is_string(line))
			return bw_errorf(BW_E_INVALID,
					 "\"initCommands\" is not an array of strings");
		BW_TRY(bw_dap_execute(s, json_string_value(line)));
	}
	return NULL;
}

static struct bw_error *begin(struct bw_dap *s, json_t *args, json_t *body, struct bw_strings *w,
			      bool attach)
{
	uint64_t max_waves = s->max_waves;
	enum { WAVES_MAX = 1 << 20 };
	BW_TRY(bw_dap_take_bool(args, "stopOnEntry", &s->stop_on_entry));
	BW_TRY(bw_dap_take_bool(args, "noDebug", &s->no_debug));
	BW_TRY(bw_dap_take_count(args, "maxWaves", WAVES_MAX, &max_waves));
	s->max_waves = max_waves ? (unsigned)max_waves : 1;
	BW_TRY(open_session(s, w, attach));
	bw_dap_link_busy(s->link, s->debug, s->request_seq);
	struct bw_error *err = s->console.run_script(s->console.cookie, &s->options);
	bw_dap_end_busy(s);
	BW_TRY(err);
	BW_TRY(run_setup(s, args));
	bw_dap_answer(s, body);
	bw_dap_event(s, "initialized", NULL);
	return NULL;
}

struct bw_error *bw_dap_launch(struct bw_dap *s, json_t *args, json_t *body)
{
	struct bw_strings w = {0};
	if (s->debug)
		return bw_errorf(BW_E_STATE, "One session at a time: this one has begun");
	struct bw_error *err = set_environment(args);
	if (!err)
		err = launch_words(s, args, &w);
	if (!err)
		err = begin(s, args, body, &w, false);
	bw_strings_free(&w);
	return err;
}

struct bw_error *bw_dap_attach(struct bw_dap *s, json_t *args, json_t *body)
{
	struct bw_strings w = {0};
	int64_t pid = 0;
	const char *pid_text = NULL, *gpu = NULL;
	bool waves = false, halt = false;
	char number[24];
	BW_TRY(bw_dap_take_bool(args, "waves", &waves));
	BW_TRY(bw_dap_take_bool(args, "halt", &halt));
	BW_TRY(bw_dap_take_text(args, "gpu", &gpu));
	bool has_pid = json_object_get(args, "pid") || !waves;
	/* VS Code's ${command:pickProcess} gives a string. */
	if (json_is_string(json_object_get(args, "pid")))
		BW_TRY(bw_dap_need_text(args, "pid", &pid_text));
	else if (has_pid)
		BW_TRY(bw_dap_need_int(args, "pid", &pid));
	snprintf(number, sizeof(number), "%lld", (long long)pid);
	struct bw_error *err = bw_strings_add(&w, "attach");
	if (!err && waves)
		err = bw_strings_add(&w, "--waves");
	if (!err && halt)
		err = bw_strings_add(&w, "--halt");
	if (!err && gpu)
		err = bw_strings_add(&w, "--gpu");
	if (!err && gpu)
		err = bw_strings_add(&w, gpu);
	if (!err && has_pid)
		err = bw_strings_add(&w, pid_text ? pid_text : number);
	if (!err)
		err = bw_strings_add(&w, NULL);
	if (!err)
		err = begin(s, args, body, &w, true);
	bw_strings_free(&w);
	return err;
}

/* Starts the program, and runs it to the first instruction of the first dispatch. */
static struct bw_error *start(struct bw_dap *s)
{
	bw_dap_forget(s);
	s->is_ended = false;
	s->was_running = true; /* the editor knows */
	s->told_thread = 0;
	s->hits.len = 0;
	return bw_dap_execute(s, s->stop_on_entry ? "starti" : "run");
}

struct bw_error *bw_dap_configuration_done(struct bw_dap *s, json_t *args, json_t *body)
{
	if (s->is_configured)
		return bw_errorf(BW_E_STATE, "\"configurationDone\" comes once");
	s->is_configured = true;
	bw_dap_answer(s, body);
	if (s->no_debug)
		BW_TRY(bw_debug_break_enable(s->debug, 0, false));
	/* The waves of a crash file are stopped already, and "-ex run" has run the program. */
	if (!s->is_attached && bw_debug_state(s->debug) == BW_DEBUG_NO_PROGRAM &&
	    s->stop.kind == BW_STOP_NONE) {
		struct bw_error *err = start(s);
		if (!err)
			return NULL;
		bw_dap_event(s, "terminated", NULL);
		s->is_ended = true;
		return err;
	}
	if (bw_debug_state(s->debug) == BW_DEBUG_STOPPED && s->stop.kind == BW_STOP_NONE) {
		const struct bw_wave_info *w = bw_debug_focus(s->debug);
		s->stop = (struct bw_stop){.kind = w ? BW_STOP_WAVES : BW_STOP_INTERRUPTED,
					   .wave = w ? w->number : 0,
					   .lane = bw_debug_focus_lane(s->debug),
					   .reasons = w ? w->reasons : 0};
	}
	return NULL;
}

/* ---- The end ---- */

struct bw_error *bw_dap_disconnect(struct bw_dap *s, json_t *args, json_t *body)
{
	bool kill = !s->is_attached, suspend = false;
	BW_TRY(bw_dap_take_bool(args, "terminateDebuggee", &kill));
	BW_TRY(bw_dap_take_bool(args, "suspendDebuggee", &suspend));
	if (suspend)
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"\"suspendDebuggee\" is not supported: waves that are stopped need a debugger");
	if (s->debug)
		bw_dap_leave(s, kill);
	bw_dap_flush(s);
	s->debug = NULL;
	s->over = true;
	return NULL;
}

struct bw_error *bw_dap_terminate(struct bw_dap *s, json_t *args, json_t *body)
{
	if (bw_debug_state(s->debug) == BW_DEBUG_NO_PROGRAM)
		return NULL;
	BW_TRY(bw_debug_kill(s->debug));
	bw_dap_forget(s);
	s->stop.kind = BW_STOP_NONE;
	s->was_running = false;
	bw_dap_answer(s, body);
	bw_dap_flush(s);
	if (!s->is_ended)
		bw_dap_event(s, "terminated", NULL);
	s->is_ended = true;
	return NULL;
}

struct bw_error *bw_dap_restart(struct bw_dap *s, json_t *args, json_t *body)
{
	if (s->is_attached)
		return bw_errorf(BW_E_UNSUPPORTED,
				 "A program that was attached to cannot be started again");
	bw_dap_answer(s, body);
	return start(s);
}

/* Requests that wait, or are being carried out, were cancelled when this message was read
 * (link.c). */
struct bw_error *bw_dap_cancel(struct bw_dap *s, json_t *args, json_t *body)
{
	int64_t id = 0;
	const char *progress = NULL;
	BW_TRY(bw_dap_take_int(args, "requestId", &id));
	BW_TRY(bw_dap_take_text(args, "progressId", &progress));
	return progress ? bw_errorf(BW_E_UNSUPPORTED,
				    "\"%s\" cannot be cancelled: such a request is short", progress)
			: NULL;
}
