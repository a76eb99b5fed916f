/* SPDX-License-Identifier: MIT */
#ifndef BW_DAP_DAP_PRIV_H
#define BW_DAP_DAP_PRIV_H

/* The server's inside: its state, and one function for each request. */

#include <jansson.h>

#include "base/str.h"
#include "base/vec.h"
#include "dap/dap.h"
#include "dap/link.h"
#include "dap/output.h"
#include "dap/refs.h"
#include "debug/frames.h"
#include "debug/waves.h"
#include "session/run_options.h"
#include "session/session.h"

/* Thread ids above those of waves. PROGRAM_THREAD is the whole program; it exists while no wave is
 * stopped, because editors cannot pause a program without a thread. */
enum { BW_DAP_PROGRAM_THREAD = 0x7ffffff0, BW_DAP_MORE_THREAD = 0x7ffffff1 };

enum bw_dap_break_kind {
	BW_DAP_SOURCE,
	BW_DAP_FUNCTION,
	BW_DAP_INSTRUCTION,
	BW_DAP_DATA,
	BW_DAP_EXCEPTION
};
struct bw_dap_break {
	enum bw_dap_break_kind kind;
	uint32_t number;  /* the core's number, which is also the editor's id */
	char *path;	  /* SOURCE; owned */
	char *log;	  /* a logpoint's message; owned; NULL: it stops */
	bool is_verified; /* what the editor was told about it */
	uint64_t every;	  /* "% N": every Nth hit stops; 0: no such condition */
	bool has_failed;  /* the log message could not be evaluated, and the user was told */
};
struct bw_dap_breaks BW_VEC(struct bw_dap_break);

struct bw_dap_lane { /* The lane that was chosen last in a wave. */
	uint32_t wave;
	unsigned lane;
};
struct bw_dap_lanes BW_VEC(struct bw_dap_lane);
struct bw_dap_names BW_VEC(char *);

struct bw_dap_hit { /* A wave that is stopped at a breakpoint, as the editor was told. */
	uint32_t wave, breakpoint;
};
struct bw_dap_hits BW_VEC(struct bw_dap_hit);
struct bw_dap_places BW_VEC(uint64_t);

struct bw_dap {
	struct bw_dap_console console;
	int in_fd, out_fd; /* to the editor; owned; -1: closed */
	struct bw_dap_link *link;
	struct bw_session *session;
	struct bw_debug *debug; /* the session's; NULL: not launched yet */
	/* of the launch; its words belong to the request until the script has run */
	struct bw_run_options options;
	bool is_open;		    /* the session is open, or opening it has failed */
	bool has_reported;	    /* the reports (--strict ...) of the last program were shown */
	struct bw_dap_sink printed; /* output of commands, and of programs that they start */
	FILE *printed_file;
	struct bw_dap_sink output[2]; /* output of the debugged program */

	/* of the client (initialize) */
	bool is_greeted; /* `initialize` was answered before the server was there */
	bool is_initialized, zero_lines, zero_columns, has_progress, has_invalidated,
		has_memory_event, has_variable_type;
	bool is_attached, stop_on_entry, is_configured, no_debug;
	bool is_ended;	  /* the program has ended: `terminated` was sent */
	bool over;	  /* the session has ended */
	bool was_running; /* whether waves run, as the editor knows it */
	bool has_program;
	unsigned max_waves; /* waves that `threads` lists at most */
	int64_t next_progress;

	int64_t request_seq; /* number of the request that is being answered */
	const char *request;
	bool is_answered;

	struct bw_stop stop; /* the last stop that was not reported; kind NONE: none */
	uint32_t stop_reasons;
	struct bw_stop last; /* the last stop that was reported */
	int64_t told_thread; /* of the last "stopped"; 0: the editor assumes that waves run */
	struct bw_dap_hits hits;
	struct bw_dap_places places; /* targets of "goto": id N is the Nth */
	struct bw_dap_refs refs;
	struct bw_dap_breaks breaks;
	uint32_t filters; /* the exceptions that the editor has chosen last (data_breaks.c) */
	struct bw_dap_lanes lanes;
	struct bw_dap_names sources; /* names of sources without a file: reference N is the Nth */
};

typedef struct bw_error *bw_dap_request_fn(struct bw_dap *s, json_t *args, json_t *body);

enum bw_dap_needs {
	BW_DAP_ANY,
	BW_DAP_SESSION, /* after launch or attach */
	BW_DAP_STOPPED,
};
struct bw_dap_request {
	const char *name;
	bw_dap_request_fn *run; /* NULL: refused; `why` says what to use instead */
	enum bw_dap_needs needs;
	const char *why;
};
/* requests.c. Sorted by name. */
const struct bw_dap_request *bw_dap_requests(size_t *out_n);
/* An error if no waves are stopped. */
struct bw_error *bw_dap_need_stopped(const struct bw_dap *s) BW_MUST_CHECK;
/* Answers a message of any kind. */
void bw_dap_handle(struct bw_dap *s, const struct bw_dap_incoming *m);

/* ---- The session (session.c) ---- */

/* connect.c */
void bw_dap_hang_up(struct bw_dap *s);
/* Runs lines as typed in the debug console. */
struct bw_error *bw_dap_execute(struct bw_dap *s, const char *lines) BW_MUST_CHECK;
/* Shows a stop, and runs the commands of its breakpoint. */
struct bw_error *bw_dap_stopped(struct bw_dap *s, const struct bw_stop *stop,
				bool brief) BW_MUST_CHECK;
/* Called for each stop that has been shown: adds what only the editor needs. */
void bw_dap_note_stop(struct bw_dap *s, const struct bw_stop *stop);
/* Ends the session: kills the program, or detaches from it. */
void bw_dap_leave(struct bw_dap *s, bool kill);

/* ---- Sending (session.c, requests.c) ---- */

/* Sends an event. Frees body; NULL: none. */
void bw_dap_event(struct bw_dap *s, const char *event, json_t *body);
/* Shows text in the editor. category: "console", "stdout" ... */
void bw_dap_say(struct bw_dap *s, const char *category, const char *text);
/* Answers the request at once; an error of the long work that follows goes to the console. */
void bw_dap_answer(struct bw_dap *s, json_t *body);
/* Ends bw_dap_link_busy: the long work is done. */
void bw_dap_end_busy(struct bw_dap *s);
/* The text that was printed since the last call; the caller owns it. NULL: nothing. */
char *bw_dap_take_printed(struct bw_dap *s);
/* Sends output and stops that have come since the last call. */
void bw_dap_flush(struct bw_dap *s);
/* Makes a response, without its "seq". A new reference. */
json_t *bw_dap_response(int64_t request_seq, const char *command, bool success);
/* Makes an error response. short_text: the text for programs; NULL: the error's own. */
json_t *bw_dap_error_response(int64_t request_seq, const char *command, const char *short_text,
			      const struct bw_error *err);
/* Asks the editor to read these areas again: "variables", "stacks", "threads". */
void bw_dap_invalidate(struct bw_dap *s, const char *area);
/* Forgets references and lanes, which are no longer valid. */
void bw_dap_forget(struct bw_dap *s);
void bw_dap_forget_refs(struct bw_dap *s);
/* stops.c: the event of a stop. */
void bw_dap_send_stop(struct bw_dap *s, const struct bw_stop *stop);
/* Makes the editor go to the focus wave, after another wave has become the focus without a stop. */
void bw_dap_send_focus(struct bw_dap *s);
/* Like bw_dap_send_focus, if the focus wave is the editor's and has another PC. */
void bw_dap_send_goto(struct bw_dap *s);
/* Sends the event "continued": all waves run. */
void bw_dap_send_continued(struct bw_dap *s);

/* ---- Arguments of a request (arguments.c) ---- */

/* Reads a member of the arguments. Fails if it has another type; without it, out is unchanged. */
struct bw_error *bw_dap_take_text(json_t *args, const char *key, const char **out) BW_MUST_CHECK;
struct bw_error *bw_dap_take_bool(json_t *args, const char *key, bool *out) BW_MUST_CHECK;
struct bw_error *bw_dap_take_int(json_t *args, const char *key, int64_t *out) BW_MUST_CHECK;
/* Reads a number from 0 to max. */
struct bw_error *bw_dap_take_count(json_t *args, const char *key, uint64_t max,
				   uint64_t *out) BW_MUST_CHECK;
struct bw_error *bw_dap_take_array(json_t *args, const char *key, json_t **out) BW_MUST_CHECK;
/* Like bw_dap_take_text, for an argument that is required. */
struct bw_error *bw_dap_need_text(json_t *args, const char *key, const char **out) BW_MUST_CHECK;
struct bw_error *bw_dap_need_int(json_t *args, const char *key, int64_t *out) BW_MUST_CHECK;
/* Whether the arguments ask for hexadecimal numbers (format.hex). */
bool bw_dap_wants_hex(json_t *args);

/* ---- The focus (focus.c) ---- */

/* Adds a reference, and returns its number, from 1; 0: there are too many. expr is copied. */
int64_t bw_dap_add_ref(struct bw_dap *s, const struct bw_dap_ref *ref);
struct bw_error *bw_dap_find_ref(struct bw_dap *s, int64_t number, bool is_frame,
				 struct bw_dap_ref *out) BW_MUST_CHECK;
/* Gives the focus to a frame of a wave, and to the lane that was chosen last in it. */
struct bw_error *bw_dap_focus(struct bw_dap *s, uint32_t wave, unsigned level) BW_MUST_CHECK;
/* Gives the focus to the frame of "frameId", if the arguments have it. out_frame: its wave and
 * level; without it those of the focus, and wave 0 if nothing is stopped. */
struct bw_error *bw_dap_focus_frame(struct bw_dap *s, json_t *args,
				    struct bw_dap_ref *out_frame) BW_MUST_CHECK;
/* Gives the focus to the wave of "threadId", which must be stopped. */
struct bw_error *bw_dap_focus_thread(struct bw_dap *s, json_t *args) BW_MUST_CHECK;
/* Notes that the focus lane is the one that was chosen last in its wave. */
void bw_dap_keep_lane(struct bw_dap *s);

/* ---- Values (values.c) ---- */

/* Adds an expression's value: the members that `evaluate` (key "result") and a variable (key
 * "value") have in common: text, type, variablesReference, counts, memoryReference. */
struct bw_error *bw_dap_add_value(struct bw_dap *s, const char *expr, const char *key, bool hex,
				  json_t *out) BW_MUST_CHECK;
/* The parts of ref->expr that a request asks for: `count` parts from `start` on. */
struct bw_dap_page {
	uint64_t start, count; /* count 0: all parts */
	bool named, indexed;   /* whether named and indexed parts are wanted */
	bool hex;
};
struct bw_error *bw_dap_add_parts(struct bw_dap *s, const struct bw_dap_ref *ref,
				  const struct bw_dap_page *page, json_t *out) BW_MUST_CHECK;
json_t *bw_dap_text(const struct bw_str *text); /* A text as JSON; a new reference. */
json_t *bw_dap_variable(const char *name, const char *value, const char *type);
void bw_dap_name_as(json_t *variable, const char *expr); /* Sets the member evaluateName. */
/* The source for a file: {path, name} or {name, sourceReference}; a new reference. */
json_t *bw_dap_source(struct bw_dap *s, const char *file);

/* evaluate.c: the expression of a variable that `variables` has shown by this name. */
struct bw_error *bw_dap_expression_of(const struct bw_dap_ref *ref, const char *name,
				      struct bw_str *out) BW_MUST_CHECK;

/* ---- Sources (sources.c) ---- */

/* The number of a source that is not a file of this machine, from 1; 0: out of memory. */
int64_t bw_dap_source_reference(struct bw_dap *s, const char *file);
void bw_dap_free_sources(struct bw_dap *s);

/* ---- Breakpoints (breakpoints.c) ---- */

/* Tells the editor about breakpoints whose code has been found meanwhile. */
void bw_dap_update_breaks(struct bw_dap *s);
struct bw_dap_break *bw_dap_find_break(struct bw_dap *s, uint32_t number);
void bw_dap_free_breaks(struct bw_dap *s);
/* Called when a stop at this breakpoint was reported: counts the hit. */
void bw_dap_count_hit(struct bw_dap *s, uint32_t number);
bw_passing_fn bw_dap_passing; /* cookie: the server */
/* Deletes the breakpoints of a kind and a file (path NULL: of all files). */
void bw_dap_clear_breaks(struct bw_dap *s, enum bw_dap_break_kind kind, const char *path);
/* Gives a breakpoint of the core (b->number) its condition, hit count and message, and adds it to
 * the server's list; on failure it is deleted. */
struct bw_error *bw_dap_keep_break(struct bw_dap *s, struct bw_dap_break *b,
				   json_t *args) BW_MUST_CHECK;
/* Makes a Breakpoint of the protocol, a new reference. where: its place in the syntax of `break`;
 * NULL: it is not in code. */
json_t *bw_dap_break_json(struct bw_dap *s, const struct bw_dap_break *b, const char *where);
/* Like bw_dap_break_json, for a breakpoint that could not be set; frees err. */
json_t *bw_dap_break_error(struct bw_error *err);

/* ---- Memory (memory.c) ---- */

/* Parses a place in memory: "0x7f001000", "local#0x10". */
struct bw_error *bw_dap_parse_place(const char *text, enum bw_space *out_space,
				    uint64_t *out_addr) BW_MUST_CHECK;
void bw_dap_place_text(enum bw_space space, uint64_t addr, char out[48]);

/* ---- The requests ---- */

bw_dap_request_fn bw_dap_initialize, bw_dap_launch, bw_dap_attach, bw_dap_configuration_done,
	bw_dap_disconnect, bw_dap_terminate, bw_dap_restart, bw_dap_cancel;
bw_dap_request_fn bw_dap_continue, bw_dap_next, bw_dap_step_in, bw_dap_step_out, bw_dap_pause,
	bw_dap_goto_targets, bw_dap_goto;
bw_dap_request_fn bw_dap_threads, bw_dap_stack_trace, bw_dap_exception_info;
bw_dap_request_fn bw_dap_scopes, bw_dap_variables, bw_dap_set_variable, bw_dap_set_expression,
	bw_dap_evaluate, bw_dap_completions;
bw_dap_request_fn bw_dap_set_breakpoints, bw_dap_set_function_breakpoints,
	bw_dap_set_instruction_breakpoints, bw_dap_set_data_breakpoints,
	bw_dap_data_breakpoint_info, bw_dap_set_exception_breakpoints, bw_dap_breakpoint_locations;
bw_dap_request_fn bw_dap_read_memory, bw_dap_write_memory, bw_dap_disassemble;
bw_dap_request_fn bw_dap_source_text, bw_dap_loaded_sources, bw_dap_modules;
bw_dap_request_fn bw_dap_lanes, bw_dap_set_lane, bw_dap_waves, bw_dap_set_wave,
	bw_dap_memory_spaces;
/* breakpoints.c: the path of the argument "source". */
struct bw_error *bw_dap_source_path(struct bw_dap *s, json_t *args, const char **out) BW_MUST_CHECK;
/* breakpoints.c: the exception filters that `initialize` reports; a new reference. */
json_t *bw_dap_exception_filters(void);

#endif
