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
#include "debug/frames.h"
#include "debug/waves.h"
#include "session/run_options.h"
#include "session/session.h"

/* The thread of the program as a whole: it is there where no wave is stopped, since editors cannot
 * pause a program without a thread. Numbers of waves do not get there. */
enum { BW_DAP_PROGRAM_THREAD = 0x7ffffff0, BW_DAP_MORE_THREAD = 0x7ffffff1 };

/* What a number that an editor was given stands for: a frame, or something with variables in it.
 * Valid until waves are resumed. */
enum bw_dap_ref_kind {
	BW_DAP_REF_FRAME,
	BW_DAP_REF_LOCALS,
	BW_DAP_REF_ARGS,
	BW_DAP_REF_SGPRS,
	BW_DAP_REF_VGPRS,
	BW_DAP_REF_VGPR, /* lanes of `index` */
	BW_DAP_REF_STATE,
	BW_DAP_REF_LDS,
	BW_DAP_REF_BUFFERS,
	BW_DAP_REF_VALUE, /* parts of expr */
};
struct bw_dap_ref {
	enum bw_dap_ref_kind kind;
	uint32_t wave;
	unsigned level, index;
	char *expr; /* owned */
};
struct bw_dap_refs BW_VEC(struct bw_dap_ref);
enum { BW_DAP_REFS_MAX = 1 << 20 };

enum bw_dap_break_kind {
	BW_DAP_SOURCE,
	BW_DAP_FUNCTION,
	BW_DAP_INSTRUCTION,
	BW_DAP_DATA,
	BW_DAP_EXCEPTION
};
struct bw_dap_break {
	enum bw_dap_break_kind kind;
	uint32_t number;  /* of the core, which is the editor's id, too */
	char *path;	  /* SOURCE; owned */
	char *log;	  /* a logpoint's message; owned; NULL: it stops */
	bool is_verified; /* as the editor was told */
	uint64_t every;	  /* "% N": every Nth hit stops; 0: no such condition */
	bool has_failed;  /* the log message cannot be evaluated: said once */
};
struct bw_dap_breaks BW_VEC(struct bw_dap_break);

struct bw_dap_lane { /* the lane that was chosen in a wave */
	uint32_t wave;
	unsigned lane;
};
struct bw_dap_lanes BW_VEC(struct bw_dap_lane);
struct bw_dap_names BW_VEC(char *);

struct bw_dap_hit { /* a wave that is stopped at a breakpoint, as the editor was told */
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
	/* of the launch; its words are the request's, until the script has run */
	struct bw_run_options options;
	bool is_open;		    /* or could not be */
	bool has_reported;	    /* what --strict and the like show, for the last program */
	struct bw_dap_sink printed; /* by commands, and the programs that they start */
	FILE *printed_file;
	struct bw_dap_sink output[2]; /* of the program that is debugged */

	/* of the client (initialize) */
	bool is_greeted; /* `initialize` was answered before the server was there */
	bool is_initialized, zero_lines, zero_columns, has_progress, has_invalidated,
		has_memory_event, has_variable_type;
	bool is_attached, stop_on_entry, is_configured, no_debug;
	bool is_ended;	  /* the program has: `terminated` was sent */
	bool over;	  /* the session is */
	bool was_running; /* as the editor knows it */
	bool has_program;
	unsigned max_waves; /* that `threads` lists */
	int64_t next_progress;

	int64_t request_seq; /* of the request that is being answered */
	const char *request;
	bool is_answered;

	struct bw_stop stop; /* the last one that was not reported; kind NONE: none */
	uint32_t stop_reasons;
	struct bw_stop last; /* the one that was */
	int64_t told_thread; /* of the last "stopped"; 0: the editor takes the waves for running */
	struct bw_dap_hits hits;
	struct bw_dap_places places; /* targets of "goto": N is the Nth */
	struct bw_dap_refs refs;
	struct bw_dap_breaks breaks;
	uint32_t filters; /* of exceptions that the editor has chosen last (data_breaks.c) */
	struct bw_dap_lanes lanes;
	struct bw_dap_names sources; /* of sources without a file: reference N is the Nth */
};

typedef struct bw_error *bw_dap_request_fn(struct bw_dap *s, json_t *args, json_t *body);

enum bw_dap_needs {
	BW_DAP_ANY,
	BW_DAP_SESSION, /* after launch or attach */
	BW_DAP_STOPPED,
};
struct bw_dap_request {
	const char *name;
	bw_dap_request_fn *run; /* NULL: refused, and `why` says what instead */
	enum bw_dap_needs needs;
	const char *why;
};
/* requests.c. Sorted by name. */
const struct bw_dap_request *bw_dap_requests(size_t *out_n);
/* An error where no waves are stopped. */
struct bw_error *bw_dap_need_stopped(const struct bw_dap *s) BW_MUST_CHECK;
/* Answers a message, whatever it is. */
void bw_dap_handle(struct bw_dap *s, const struct bw_dap_incoming *m);

/* ---- The session (session.c) ---- */

/* connect.c */
void bw_dap_hang_up(struct bw_dap *s);
/* Runs lines as typed in the debug console. */
struct bw_error *bw_dap_execute(struct bw_dap *s, const char *lines) BW_MUST_CHECK;
/* Shows a stop, and runs the commands of its breakpoint. */
struct bw_error *bw_dap_stopped(struct bw_dap *s, const struct bw_stop *stop,
				bool brief) BW_MUST_CHECK;
/* For each stop that has been shown, and what is one for the editor alone. */
void bw_dap_note_stop(struct bw_dap *s, const struct bw_stop *stop);
/* Ends the session: kills the program, or detaches from it. */
void bw_dap_leave(struct bw_dap *s, bool kill);

/* ---- Sending (session.c, requests.c) ---- */

/* body is taken; NULL: none. */
void bw_dap_event(struct bw_dap *s, const char *event, json_t *body);
/* category: "console", "stdout" ... */
void bw_dap_say(struct bw_dap *s, const char *category, const char *text);
/* Answers the request now, since what follows takes its time: an error then goes to the console. */
void bw_dap_answer(struct bw_dap *s, json_t *body);
/* After bw_dap_link_busy: what takes long is over. */
void bw_dap_end_busy(struct bw_dap *s);
/* What was printed since the last call; owned, NULL: nothing. */
char *bw_dap_take_printed(struct bw_dap *s);
/* What has been printed, written and stopped since the last call. */
void bw_dap_flush(struct bw_dap *s);
/* Responses without their "seq"; new references. */
json_t *bw_dap_response(int64_t request_seq, const char *command, bool success);
/* short_text: what programs look at, NULL: the error's own. */
json_t *bw_dap_error_response(int64_t request_seq, const char *command, const char *short_text,
			      const struct bw_error *err);
/* Asks the editor to read these areas again: "variables", "stacks", "threads". */
void bw_dap_invalidate(struct bw_dap *s, const char *area);
/* References and lanes are no longer valid. */
void bw_dap_forget(struct bw_dap *s);
void bw_dap_forget_refs(struct bw_dap *s);
/* stops.c: the event of a stop. */
void bw_dap_send_stop(struct bw_dap *s, const struct bw_stop *stop);
/* Has the editor go to the focus wave, which another wave than its own has become without a stop.
 */
void bw_dap_send_focus(struct bw_dap *s);
/* Like bw_dap_send_focus, where the focus wave is the editor's and has another PC. */
void bw_dap_send_goto(struct bw_dap *s);
/* The event "continued": all waves run. */
void bw_dap_send_continued(struct bw_dap *s);

/* ---- Arguments of a request (arguments.c) ---- */

/* Each fails where the member is there with another type; where it is not there, out is
 * untouched. */
struct bw_error *bw_dap_take_text(json_t *args, const char *key, const char **out) BW_MUST_CHECK;
struct bw_error *bw_dap_take_bool(json_t *args, const char *key, bool *out) BW_MUST_CHECK;
struct bw_error *bw_dap_take_int(json_t *args, const char *key, int64_t *out) BW_MUST_CHECK;
/* From 0 to max. */
struct bw_error *bw_dap_take_count(json_t *args, const char *key, uint64_t max,
				   uint64_t *out) BW_MUST_CHECK;
struct bw_error *bw_dap_take_array(json_t *args, const char *key, json_t **out) BW_MUST_CHECK;
/* Like bw_dap_take_text, for an argument that must be there. */
struct bw_error *bw_dap_need_text(json_t *args, const char *key, const char **out) BW_MUST_CHECK;
struct bw_error *bw_dap_need_int(json_t *args, const char *key, int64_t *out) BW_MUST_CHECK;
/* format.hex */
bool bw_dap_wants_hex(json_t *args);

/* ---- The focus (focus.c) ---- */

/* A new reference's number, from 1; 0: there are too many. expr is copied. */
int64_t bw_dap_add_ref(struct bw_dap *s, const struct bw_dap_ref *ref);
struct bw_error *bw_dap_find_ref(struct bw_dap *s, int64_t number, bool is_frame,
				 struct bw_dap_ref *out) BW_MUST_CHECK;
/* Gives the focus to a wave, its lane, and one of its frames. */
struct bw_error *bw_dap_focus(struct bw_dap *s, uint32_t wave, unsigned level) BW_MUST_CHECK;
/* That of "frameId", where there is one: out_frame is its wave and level, else those of the focus,
 * and wave 0 where nothing is stopped. */
struct bw_error *bw_dap_focus_frame(struct bw_dap *s, json_t *args,
				    struct bw_dap_ref *out_frame) BW_MUST_CHECK;
/* That of "threadId", which must be a stopped wave. */
struct bw_error *bw_dap_focus_thread(struct bw_dap *s, json_t *args) BW_MUST_CHECK;
/* The focus lane is the chosen one of its wave from now on. */
void bw_dap_keep_lane(struct bw_dap *s);

/* ---- Values (values.c) ---- */

/* An expression's value as the members that `evaluate` (key "result") and a variable (key "value")
 * share: text, type, variablesReference, counts, memoryReference. */
struct bw_error *bw_dap_add_value(struct bw_dap *s, const char *expr, const char *key, bool hex,
				  json_t *out) BW_MUST_CHECK;
/* The parts of ref->expr: start and n of them (n 0: all). */
struct bw_dap_page {
	uint64_t start, count; /* count 0: all */
	bool named, indexed;   /* which of the two are wanted */
	bool hex;
};
struct bw_error *bw_dap_add_parts(struct bw_dap *s, const struct bw_dap_ref *ref,
				  const struct bw_dap_page *page, json_t *out) BW_MUST_CHECK;
json_t *bw_dap_text(const struct bw_str *text); /* a new reference */
json_t *bw_dap_variable(const char *name, const char *value, const char *type);
void bw_dap_name_as(json_t *variable, const char *expr); /* evaluateName */
/* {path, name} or {name, sourceReference}; a new reference. */
json_t *bw_dap_source(struct bw_dap *s, const char *file);

/* evaluate.c: the expression of a variable that `variables` has shown by this name. */
struct bw_error *bw_dap_expression_of(const struct bw_dap_ref *ref, const char *name,
				      struct bw_str *out) BW_MUST_CHECK;

/* ---- Sources (sources.c) ---- */

/* The number of a source that is no file of this machine, from 1; 0: out of memory. */
int64_t bw_dap_source_reference(struct bw_dap *s, const char *file);
void bw_dap_free_sources(struct bw_dap *s);

/* ---- Breakpoints (breakpoints.c) ---- */

/* Tells the editor of breakpoints that have found their code meanwhile. */
void bw_dap_update_breaks(struct bw_dap *s);
struct bw_dap_break *bw_dap_find_break(struct bw_dap *s, uint32_t number);
void bw_dap_free_breaks(struct bw_dap *s);
/* A stop at this breakpoint was reported. */
void bw_dap_count_hit(struct bw_dap *s, uint32_t number);
bw_passing_fn bw_dap_passing; /* cookie: the server */
/* Deletes those of a kind, and of a file (path NULL: of all). */
void bw_dap_clear_breaks(struct bw_dap *s, enum bw_dap_break_kind kind, const char *path);
/* Gives a breakpoint of the core (b->number) its condition, hit count and message, and keeps it,
 * with what it owns; on failure it is deleted. */
struct bw_error *bw_dap_keep_break(struct bw_dap *s, struct bw_dap_break *b,
				   json_t *args) BW_MUST_CHECK;
/* A Breakpoint of the protocol: a new reference. where: as "break" takes it, NULL: no code. */
json_t *bw_dap_break_json(struct bw_dap *s, const struct bw_dap_break *b, const char *where);
/* Like bw_dap_break_json, of one that could not be set; takes err. */
json_t *bw_dap_break_error(struct bw_error *err);

/* ---- Memory (memory.c) ---- */

/* "0x7f001000", "local#0x10" */
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
/* breakpoints.c: for `initialize`; a new reference. */
json_t *bw_dap_exception_filters(void);

#endif
