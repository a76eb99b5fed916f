/* SPDX-License-Identifier: MIT */
#ifndef BREAKWATER_SESSION_H
#define BREAKWATER_SESSION_H

/* Sessions, running, and the events that end it (breakwater.h has the rules for all functions). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BREAKWATER_MUST_CHECK __attribute__((warn_unused_result))

struct breakwater_error;
struct breakwater_session;
struct breakwater_event;

/* ---- Errors ---- */

enum breakwater_error_code {
	BREAKWATER_E_NOMEM = 1,
	BREAKWATER_E_INVALID, /* input that makes no sense */
	BREAKWATER_E_NOT_FOUND,
	BREAKWATER_E_UNSUPPORTED, /* understood, and not done by this library */
	BREAKWATER_E_SYSTEM,	  /* a system call failed */
	BREAKWATER_E_FAULT,	  /* an address that cannot be reached */
	BREAKWATER_E_GONE,	  /* the program, or the GPU, has ended */
	BREAKWATER_E_TIMEOUT,
	BREAKWATER_E_INTERRUPTED,
	BREAKWATER_E_STATE, /* right call, wrong moment: "No wave is stopped" */
};
int breakwater_error_code(const struct breakwater_error *e);
/* One sentence without a final stop; borrowed from e. */
const char *breakwater_error_message(const struct breakwater_error *e);
/* Accepts NULL. */
void breakwater_error_free(struct breakwater_error *e);

/* Gives back text that was handed out as char *; accepts NULL. */
void breakwater_free(char *text);
/* As "breakwater --version" has it: MAJOR.MINOR.PATCH; static. */
const char *breakwater_version(void);

/* ---- Sessions ---- */

/* Opens a session. words: a command line of the program without its first word, NULL-terminated and
 * copied: {"run", KERNEL, KERNEL OPTIONS...}, {"run", "--", PROGRAM, ARGUMENTS...}, {"run",
 * CRASH-FILE} or {"attach", PID}. A kernel is compiled, and nothing is started, except that a
 * program is attached to; a crash file's waves are stopped at once. Options that belong to a
 * terminal (-ex, -x, -i, --batch, --json, --timeout, --fidelity, --strict, --trace-hash) are
 * refused. What the program prints goes to standard output and error of this process. */
struct breakwater_error *breakwater_open(const char *const *words,
					 struct breakwater_session **out) BREAKWATER_MUST_CHECK;
/* In a script that `breakwater` runs: the session of the command line, borrowed; it ends with the
 * program. BREAKWATER_E_STATE elsewhere. */
struct breakwater_error *breakwater_current(struct breakwater_session **out) BREAKWATER_MUST_CHECK;
/* Ends the session: kills a program that it has started, detaches from one that it has attached to.
 * The handle stays valid to be passed: every function then fails with BREAKWATER_E_STATE. Closing
 * twice, closing the session of the command line, or closing in a breakpoint's function does
 * nothing. */
void breakwater_close(struct breakwater_session *s);
/* False from breakwater_close, or the end of the command line's session, on. */
bool breakwater_is_open(const struct breakwater_session *s);

enum breakwater_state {
	BREAKWATER_NO_PROGRAM, /* nothing has been started, or it has ended */
	BREAKWATER_RUNNING,
	BREAKWATER_STOPPED, /* all waves are */
};
struct breakwater_error *breakwater_state(struct breakwater_session *s,
					  enum breakwater_state *out) BREAKWATER_MUST_CHECK;

/* ---- Running ---- */

/* Starts the program, as "run" does; breakwater_wait reports the first stop. */
struct breakwater_error *breakwater_start(struct breakwater_session *s) BREAKWATER_MUST_CHECK;
/* Resumes all waves; breakwater_wait reports the next stop. */
struct breakwater_error *breakwater_continue(struct breakwater_session *s) BREAKWATER_MUST_CHECK;
/* Waits for the next stop, and runs the commands of its breakpoint (of "commands"). timeout_ms < 0:
 * for ever. out: the caller's; NULL when the time has passed, and the program runs on. */
struct breakwater_error *breakwater_wait(struct breakwater_session *s, int timeout_ms,
					 struct breakwater_event **out) BREAKWATER_MUST_CHECK;
enum breakwater_step {
	BREAKWATER_STEP_INSTRUCTION,	 /* stepi */
	BREAKWATER_STEP_OVER_CALL,	 /* nexti */
	BREAKWATER_STEP_LINE,		 /* step */
	BREAKWATER_STEP_LINE_OVER_CALLS, /* next */
	BREAKWATER_STEP_OUT,		 /* finish; count is 1 */
};
/* Steps the focus wave, `count` times; the others stay stopped. */
struct breakwater_error *breakwater_step(struct breakwater_session *s, enum breakwater_step kind,
					 uint64_t count,
					 struct breakwater_event **out) BREAKWATER_MUST_CHECK;
/* Stops the program: a wait that lasts, or else the next one, returns. Async-signal-safe, from any
 * thread, as long as no other one closes the session. */
void breakwater_interrupt(struct breakwater_session *s);
/* on: while a function of this session waits or runs, SIGINT interrupts it as breakwater_interrupt
 * does, and calls the handler that was there before. No effect while the action of SIGINT is the
 * default one, or to be ignored. Off at first. */
struct breakwater_error *breakwater_catch_sigint(struct breakwater_session *s,
						 bool on) BREAKWATER_MUST_CHECK;
/* Ends the program; or lets it run without the debugger. */
struct breakwater_error *breakwater_kill(struct breakwater_session *s) BREAKWATER_MUST_CHECK;
struct breakwater_error *breakwater_detach(struct breakwater_session *s) BREAKWATER_MUST_CHECK;

/* ---- Events ---- */

enum breakwater_event_kind {
	BREAKWATER_EVENT_STOPPED = 1, /* waves have stopped: the focus is on the first of them */
	BREAKWATER_EVENT_DISPATCH,    /* a dispatch is held; none of its waves has begun */
	BREAKWATER_EVENT_INTERRUPTED, /* and there was no wave to stop */
	BREAKWATER_EVENT_EXITED,
	BREAKWATER_EVENT_GPU_GONE,
	BREAKWATER_EVENT_QUEUE_ERROR, /* a queue met commands that it cannot execute */
};
/* Why the focus wave has stopped; several bits may be set. */
enum breakwater_reason {
	BREAKWATER_REASON_BREAKPOINT = 1 << 0,
	BREAKWATER_REASON_SINGLE_STEP = 1 << 1,
	BREAKWATER_REASON_MEMORY_VIOLATION = 1 << 2,
	BREAKWATER_REASON_ADDRESS_ERROR = 1 << 3,
	BREAKWATER_REASON_ILLEGAL_INSTRUCTION = 1 << 4,
	BREAKWATER_REASON_ASSERT_TRAP = 1 << 5,
	BREAKWATER_REASON_DEBUG_TRAP = 1 << 6,
	BREAKWATER_REASON_TRAP = 1 << 7,
	BREAKWATER_REASON_WAVE_START = 1 << 9,
	BREAKWATER_REASON_WAVE_END = 1 << 10,
	BREAKWATER_REASON_INTERRUPT = 1 << 11, /* was asked to stop, or another wave stopped */
	BREAKWATER_REASON_WATCHPOINT = 1 << 12,
	BREAKWATER_REASON_FP_EXCEPTION = 0x7f << 13,
};
enum breakwater_event_kind breakwater_event_kind(const struct breakwater_event *e);
/* STOPPED: the number of the focus wave, its reasons, the breakpoint that it is at (0: none), and
 * how many waves are stopped in all. 0 for other kinds. */
uint32_t breakwater_event_wave(const struct breakwater_event *e);
uint32_t breakwater_event_reasons(const struct breakwater_event *e);
uint32_t breakwater_event_breakpoint(const struct breakwater_event *e);
uint64_t breakwater_event_n_waves(const struct breakwater_event *e);
/* EXITED: false where the status is not known. out: the program's exit status, or 128 + the signal
 * that ended it. */
bool breakwater_event_exit_status(const struct breakwater_event *e, int *out);
/* What the prompt prints for it; borrowed from e. */
const char *breakwater_event_text(const struct breakwater_event *e);
/* Accepts NULL. */
void breakwater_event_free(struct breakwater_event *e);

/* ---- Commands ---- */

/* Runs a line as typed at the prompt, or several lines, one after the other. A command that resumes
 * the program returns at its next stop. out: what it printed, the caller's; json: one JSON object
 * on each line, as doc/json.md describes them. The commands are in libbreakwater-commands.so.0,
 * which is loaded at the first one. */
struct breakwater_error *breakwater_command(struct breakwater_session *s, const char *line,
					    bool json, char **out) BREAKWATER_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
