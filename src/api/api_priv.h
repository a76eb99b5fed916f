/* SPDX-License-Identifier: MIT */
#ifndef BW_API_API_PRIV_H
#define BW_API_API_PRIV_H

/* What the functions of libbreakwater (include/breakwater) share: entering and leaving a call, what
 * commands print as text, and the focus for the time of a call. In a script that the program runs,
 * the session is the program's. */

#include <signal.h>

#include <breakwater/breakpoints.h>

#include "base/error.h"
#include "base/vec.h"
#include "debug/waves.h"
#include "session/session.h"

struct bw_api_function {
	uint32_t number; /* of the breakpoint */
	breakwater_break_fn *fn;
	void *cookie;
};

struct breakwater_session {
	/* NULL: closed. Handles are never freed, so that a closed one can be told. */
	struct bw_session *volatile session;
	bool is_own; /* made here; false: the program's */
	bool catches_sigint;
	bool in_function; /* of a breakpoint */
	bool resumed;	  /* and no wait has returned a stop since */
	bool has_stop;
	struct bw_stop stop; /* the last one, if it has come during this call */
	struct BW_VEC(struct bw_api_function) functions;
	FILE *nowhere; /* owned, with `out`; what is printed outside of a capture */
	struct bw_out *out;
	struct breakwater_session *next;
};

/* ---- Calls ---- */

enum bw_api_needs {
	BW_API_ANY = 0,
	BW_API_READS = 1,   /* a breakpoint's function may call it */
	BW_API_STILL = 2,   /* not while the program runs */
	BW_API_STOPPED = 6, /* not without stopped waves or a crash file, either */
};

struct bw_api_call {
	struct breakwater_session *s; /* NULL: not entered */
	bool restores_sigint;
	struct sigaction sigint;
};

/* Each function of the library enters and leaves, also where entering has failed. */
struct bw_error *bw_api_enter(struct bw_api_call *call, struct breakwater_session *s,
			      unsigned needs) BW_MUST_CHECK;
/* Returns err as the caller of the library sees it. */
struct breakwater_error *bw_api_leave(struct bw_api_call *call, struct bw_error *err);
/* Waits are those of the command line's session again, where there is one. */
void bw_api_watch_own_waits(void);
/* bw_api_enter without a session, for opening one. */
struct bw_error *bw_api_enter_library(void) BW_MUST_CHECK;
void bw_api_leave_library(void);
struct breakwater_error *bw_api_error(struct bw_error *err);

/* ---- What is printed ---- */

struct bw_api_capture {
	struct bw_out *out, *kept;
	FILE *f;
	char *text;
	size_t size_b;
};
/* From here on what the session prints is kept. */
struct bw_error *bw_api_capture_begin(struct bw_api_capture *p, struct bw_session *s,
				      bool json) BW_MUST_CHECK;
/* out: owned. */
struct bw_error *bw_api_capture_end(struct bw_api_capture *p, char **out) BW_MUST_CHECK;

/* What was added to text, as the caller's; text is empty then. */
struct bw_error *bw_api_text(struct bw_str *text, char **out) BW_MUST_CHECK;

/* ---- Commands (commands.c) ---- */

/* What runs commands in the session: the program's, or those of libbreakwater-commands, which is
 * loaded when it is first needed. */
struct bw_error *bw_api_need_commands(struct breakwater_session *s) BW_MUST_CHECK;
/* Frees a session that was opened here; the handle stays. */
void bw_api_close(struct breakwater_session *s);

/* ---- The focus for the time of a call ---- */

struct bw_api_focus {
	struct bw_debug *d;
	bool moved;
	uint32_t wave;
	unsigned lane, level;
};
/* wave 0: as it is; lane < 0: as it is, or the first active one of another wave. */
struct bw_error *bw_api_focus_begin(struct bw_api_focus *f, struct breakwater_session *s,
				    uint32_t wave, int lane) BW_MUST_CHECK;
void bw_api_focus_end(struct bw_api_focus *f);
/* The wave of that number, which can be read now. */
struct bw_error *bw_api_find_wave(struct breakwater_session *s, uint32_t number,
				  const struct bw_wave_info **out) BW_MUST_CHECK;

/* ---- Structs that grow ---- */

/* Copies `from` to a struct of the caller, whose first member is its size: no more than fits. */
struct bw_error *bw_api_fill(void *out, const void *from, size_t from_b) BW_MUST_CHECK;
/* The other way: what the caller's struct has of ours, whose size_b is set; the rest stays. */
struct bw_error *bw_api_take(void *out, const void *from) BW_MUST_CHECK;

#endif
