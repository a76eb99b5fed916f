/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"
#include "dap/draws.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "ui/table.h"

/* Every request of the protocol's specification (version 1.71), and those of our own. Sorted by
 * name. */
/* clang-format off */
static const struct bw_dap_request requests[] = {
	{"attach", bw_dap_attach, BW_DAP_ANY, NULL},
	{"breakpointLocations", bw_dap_breakpoint_locations, BW_DAP_SESSION, NULL},
	{"breakwater/attachment", bw_dap_attachment, BW_DAP_STOPPED, NULL},
	{"breakwater/draws", bw_dap_draws, BW_DAP_SESSION, NULL},
	{"breakwater/lanes", bw_dap_lanes, BW_DAP_STOPPED, NULL},
	{"breakwater/memorySpaces", bw_dap_memory_spaces, BW_DAP_ANY, NULL},
	{"breakwater/pixelHistory", bw_dap_pixel_history, BW_DAP_SESSION, NULL},
	{"breakwater/setLane", bw_dap_set_lane, BW_DAP_STOPPED, NULL},
	{"breakwater/setWave", bw_dap_set_wave, BW_DAP_STOPPED, NULL},
	{"breakwater/waves", bw_dap_waves, BW_DAP_SESSION, NULL},
	{"cancel", bw_dap_cancel, BW_DAP_ANY, NULL},
	{"completions", bw_dap_completions, BW_DAP_SESSION, NULL},
	{"configurationDone", bw_dap_configuration_done, BW_DAP_SESSION, NULL},
	{"continue", bw_dap_continue, BW_DAP_SESSION, NULL},
	{"dataBreakpointInfo", bw_dap_data_breakpoint_info, BW_DAP_SESSION, NULL},
	{"disassemble", bw_dap_disassemble, BW_DAP_SESSION, NULL},
	{"disconnect", bw_dap_disconnect, BW_DAP_ANY, NULL},
	{"evaluate", bw_dap_evaluate, BW_DAP_SESSION, NULL},
	{"exceptionInfo", bw_dap_exception_info, BW_DAP_STOPPED, NULL},
	{"goto", bw_dap_goto, BW_DAP_STOPPED, NULL},
	{"gotoTargets", bw_dap_goto_targets, BW_DAP_STOPPED, NULL},
	{"initialize", bw_dap_initialize, BW_DAP_ANY, NULL},
	{"launch", bw_dap_launch, BW_DAP_ANY, NULL},
	{"loadedSources", bw_dap_loaded_sources, BW_DAP_SESSION, NULL},
	{"locations", NULL, BW_DAP_ANY, "values have no location references"},
	{"modules", bw_dap_modules, BW_DAP_SESSION, NULL},
	{"next", bw_dap_next, BW_DAP_STOPPED, NULL},
	{"pause", bw_dap_pause, BW_DAP_SESSION, NULL},
	{"readMemory", bw_dap_read_memory, BW_DAP_SESSION, NULL},
	{"restart", bw_dap_restart, BW_DAP_SESSION, NULL},
	{"restartFrame", NULL, BW_DAP_ANY, "a wave cannot take back what it has done"},
	{"reverseContinue", NULL, BW_DAP_ANY, "a wave cannot run backwards"},
	{"runInTerminal", NULL, BW_DAP_ANY, "it is a request of the debugger to the editor"},
	{"scopes", bw_dap_scopes, BW_DAP_STOPPED, NULL},
	{"setBreakpoints", bw_dap_set_breakpoints, BW_DAP_SESSION, NULL},
	{"setDataBreakpoints", bw_dap_set_data_breakpoints, BW_DAP_SESSION, NULL},
	{"setExceptionBreakpoints", bw_dap_set_exception_breakpoints, BW_DAP_SESSION, NULL},
	{"setExpression", bw_dap_set_expression, BW_DAP_SESSION, NULL},
	{"setFunctionBreakpoints", bw_dap_set_function_breakpoints, BW_DAP_SESSION, NULL},
	{"setInstructionBreakpoints", bw_dap_set_instruction_breakpoints, BW_DAP_SESSION, NULL},
	{"setVariable", bw_dap_set_variable, BW_DAP_STOPPED, NULL},
	{"source", bw_dap_source_text, BW_DAP_SESSION, NULL},
	{"stackTrace", bw_dap_stack_trace, BW_DAP_SESSION, NULL},
	{"startDebugging", NULL, BW_DAP_ANY, "it is a request of the debugger to the editor"},
	{"stepBack", NULL, BW_DAP_ANY, "a wave cannot run backwards"},
	{"stepIn", bw_dap_step_in, BW_DAP_STOPPED, NULL},
	{"stepInTargets", NULL, BW_DAP_ANY, "a step into calls takes the first one"},
	{"stepOut", bw_dap_step_out, BW_DAP_STOPPED, NULL},
	{"terminate", bw_dap_terminate, BW_DAP_SESSION, NULL},
	{"terminateThreads", NULL, BW_DAP_ANY, "a single wave cannot be ended"},
	{"threads", bw_dap_threads, BW_DAP_SESSION, NULL},
	{"variables", bw_dap_variables, BW_DAP_STOPPED, NULL},
	{"writeMemory", bw_dap_write_memory, BW_DAP_SESSION, NULL},
};
/* clang-format on */

const struct bw_dap_request *bw_dap_requests(size_t *out_n)
{
	*out_n = BW_ARRAY_SIZE(requests);
	return requests;
}

static const struct bw_dap_request *find_request(const char *name)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(requests); i++)
		if (!strcmp(requests[i].name, name))
			return &requests[i];
	return NULL;
}

json_t *bw_dap_response(int64_t request_seq, const char *command, bool success)
{
	json_t *r = json_object();
	json_object_set_new(r, "type", json_string("response"));
	json_object_set_new(r, "request_seq", json_integer(request_seq));
	json_object_set_new(r, "success", json_boolean(success));
	json_object_set_new(r, "command", bw_json_text(command));
	return r;
}

json_t *bw_dap_error_response(int64_t request_seq, const char *command, const char *short_text,
			      const struct bw_error *err)
{
	json_t *r = bw_dap_response(request_seq, command, false);
	json_t *body = json_object(), *error = json_object();
	bool show = !strcmp(command, "launch") || !strcmp(command, "attach");
	json_object_set_new(r, "message", bw_json_text(short_text ? short_text : err->message));
	json_object_set_new(error, "id", json_integer((json_int_t)err->code));
	json_object_set_new(error, "format", bw_json_text(err->message));
	json_object_set_new(error, "showUser", json_boolean(show));
	json_object_set_new(body, "error", error);
	json_object_set_new(r, "body", body);
	return r;
}

void bw_dap_answer(struct bw_dap *s, json_t *body)
{
	if (s->is_answered)
		return;
	s->is_answered = true;
	json_t *r = bw_dap_response(s->request_seq, s->request, true);
	if (json_object_size(body))
		json_object_set(r, "body", body);
	bw_dap_link_send(s->link, r);
}

static void answer_error(struct bw_dap *s, const char *short_text, const struct bw_error *err)
{
	if (s->is_answered) {
		struct bw_str text = {0};
		bw_str_addf(&text, "%s: %s.\n", s->request, err->message);
		bw_dap_say(s, "stderr", bw_str_text(&text));
		bw_str_free(&text);
		return;
	}
	s->is_answered = true;
	bw_dap_link_send(s->link,
			 bw_dap_error_response(s->request_seq, s->request, short_text, err));
}

struct bw_error *bw_dap_need_stopped(const struct bw_dap *s)
{
	if (bw_debug_state(s->debug) == BW_DEBUG_NO_PROGRAM)
		return bw_errorf(BW_E_STATE, "The program is not being run");
	if (bw_debug_state(s->debug) != BW_DEBUG_STOPPED)
		return bw_errorf(BW_E_STATE, "The program is running: \"pause\" stops it");
	return NULL;
}

static struct bw_error *check_state(const struct bw_dap *s, const struct bw_dap_request *r)
{
	if (!s->is_initialized && strcmp(r->name, "initialize") && strcmp(r->name, "disconnect"))
		return bw_errorf(BW_E_STATE, "\"initialize\" comes first");
	if (r->needs != BW_DAP_ANY && !s->debug)
		return bw_errorf(BW_E_STATE,
				 "Nothing is debugged yet: \"launch\" or \"attach\" comes first");
	return r->needs == BW_DAP_STOPPED ? bw_dap_need_stopped(s) : NULL;
}

static struct bw_error *run_request(struct bw_dap *s, const struct bw_dap_request *r, json_t *args,
				    json_t *body)
{
	if (!r)
		return bw_errorf(BW_E_UNSUPPORTED, "There is no request \"%s\"", s->request);
	if (!r->run)
		return bw_errorf(BW_E_UNSUPPORTED, "The request \"%s\" is not supported: %s",
				 r->name, r->why);
	if (args && !json_is_null(args) && !json_is_object(args))
		return bw_errorf(BW_E_INVALID, "the arguments of \"%s\" are not a JSON object",
				 s->request);
	BW_TRY(check_state(s, r));
	return r->run(s, args, body);
}

/* NULL: the message is a request. */
static const char *check_message(const struct bw_dap_incoming *m)
{
	if (!m->root)
		return m->why;
	json_t *type = json_object_get(m->root, "type");
	if (json_is_string(type) && strcmp(json_string_value(type), "request") != 0)
		return "a message is not a request, and no response was asked for";
	if (!json_is_string(type))
		return "a message has no \"type\"";
	if (!json_is_integer(json_object_get(m->root, "seq")))
		return "a request has no \"seq\"";
	if (!json_is_string(json_object_get(m->root, "command")))
		return "a request has no \"command\"";
	return NULL;
}

void bw_dap_handle(struct bw_dap *s, const struct bw_dap_incoming *m)
{
	const char *why = check_message(m);
	if (why) {
		struct bw_str text = {0};
		bw_str_addf(&text, "breakwater: %s; it is ignored.\n", why);
		bw_dap_say(s, "stderr", bw_str_text(&text));
		bw_str_free(&text);
		return;
	}
	s->request_seq = json_integer_value(json_object_get(m->root, "seq"));
	s->request = json_string_value(json_object_get(m->root, "command"));
	s->is_answered = s->is_greeted;
	s->is_greeted = false;
	json_t *body = json_object();
	struct bw_error *err =
		m->is_cancelled ? bw_errorf(BW_E_INTERRUPTED, "The request was cancelled")
		: *m->why ? bw_errorf(BW_E_INVALID, "The request \"%s\" is refused: %s", s->request,
				      m->why)
			  : run_request(s, find_request(s->request),
					json_object_get(m->root, "arguments"), body);
	if (err)
		answer_error(s, err->code == BW_E_INTERRUPTED ? "cancelled" : NULL, err);
	else
		bw_dap_answer(s, body);
	bw_error_free(err);
	json_decref(body);
	s->request = "";
}
