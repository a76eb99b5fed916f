/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_SESSION_H
#define BW_SESSION_SESSION_H

/* A debugging session: what is debugged, the GPU it runs on, starting it, attaching to it, its
 * stops, its output, and leaving it. The command line, the debug adapter, the reports and the
 * library are its clients: it runs no commands, and knows none. One thread uses a session; only
 * signals come from elsewhere (signals.c). */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/folder.h"
#include "base/str.h"
#include "debug/debug.h"
#include "debug/stop.h"
#include "kmd/kmd.h"
#include "session/commands.h"
#include "session/layers.h"
#include "session/suppress.h"
#include "target/open.h"
#include "ui/out.h"

struct bw_crash;
struct bw_wave_info;
struct bw_code_object;
struct bw_run_options;
struct bw_swaps;
struct bw_vgpu_options;

/* Exit statuses: 0, or the program's own; these are ours. If the program was ended by signal N, it
 * is 128 + N, as in a shell. */
enum {
	BW_EXIT_USAGE = 2,
	BW_EXIT_GPU = 3,
	BW_EXIT_OUTPUT = 4 /* the output could not be written */,
	BW_EXIT_FINDINGS = 4 /* --error-on-findings */,
	BW_EXIT_TIMEOUT = 124 /* as timeout(1) */,
	BW_EXIT_CANNOT_RUN = 126 /* as shells */,
	BW_EXIT_NOT_FOUND = 127,
	BW_EXIT_SIGNAL = 128
};

struct bw_program {
	/* owned, NULL-terminated: the launcher and its options, or the program */
	char **argv;
	bool is_kernel;
	unsigned named; /* the word of argv that the user gave as the program: 1 after rocm-run */
};

/* Functions that a client adds to events of a session; each may be NULL. */
struct bw_session_hooks {
	/* Called before a stop is shown. True: it is not to be shown. */
	bool (*stopping)(void *cookie, const struct bw_stop *stop, bool brief);
	/* Called after the stop has been shown. */
	void (*stopped)(void *cookie, const struct bw_stop *stop);
	/* Called in a signal handler when the session is told to end (SIGTERM, SIGHUP, the limit of
	 * time). */
	void (*ending)(void *cookie);
	void *cookie;
};

struct bw_session {
	struct bw_debug *debug; /* owned */
	struct bw_out *out;	/* the client's; the session writes there */
	struct bw_session_hooks hooks;
	/* Called for each stop, after the hooks. NULL: not wanted. */
	void (*on_stop)(void *cookie, const struct bw_stop *stop);
	void *on_stop_cookie;
	const struct bw_session_commands *commands; /* NULL: the session has no commands */
	void *commands_cookie;

	/* ---- What is debugged ---- */
	struct bw_kmd *kmd; /* owned */
	struct bw_program program;
	struct bw_swaps *swaps;		     /* owned; the shaders that are replaced, or NULL */
	struct bw_folder folder;	     /* with their rules, for the agents of programs */
	struct bw_crash *crash;		     /* owned; the crash file that is shown, or NULL */
	bool is_checked;		     /* --check */
	struct bw_suppressions suppressions; /* --suppress: findings that do not stop a wave */
	struct bw_shader_wishes shaders;
	/* the session was attached to a running program, which is never killed unless the user
	 * asks */
	bool attached;
	char gfx[16]; /* "gfx1100"; "": not known */
	/* waves of this GPU cannot be stopped: programs run to their end (run_through.c) */
	bool runs_through;
	bool detach_on_fork;	 /* processes that the program starts are not debugged with it */
	uint64_t clients_before; /* clients of the virtual GPU when the program was started */
	/* The object that tells where in the block of arguments the address of printf's buffer is,
	 * and that has the formats. NULL: the kernel prints nothing, or it is not a kernel of `run
	 * KERNEL`. Borrowed from debug. */
	const struct bw_code_object *printf_object;
	uint32_t printf_offset_b;

	/* ---- What has happened ---- */
	struct bw_stop last_stop; /* kind NONE: there was no stop */
	/* warnings since the program was last resumed, a line each */
	struct bw_str warnings;
	int exit_status;
	bool exit_status_known; /* the program has ended with exit_status */
	bool gpu_fault;		/* the last stop was a fault of the GPU's code: exit status 3 if the
				 * session ends now */

	/* ---- Waits, and signals ---- */
	/* a user types: questions can be asked, and Ctrl-C is meant for this command */
	bool interactive;
	/* the session uses the signals of this process; false in a program that calls our
	 * library */
	bool owns_signals;
	double limit_s;			/* limit of the whole session; 0: none */
	volatile sig_atomic_t ended_by; /* the signal that ended the session; SIGALRM: the limit */
	unsigned interrupts_before;	/* number of Ctrl-C so far when the command began */
	/* during the command: the user was told about a wait; Ctrl-C has ended a wait */
	bool wait_told, wait_given_up;

	/* ---- The program's output ---- */
	/* files for the program's standard output and error; -1: the same as ours */
	int output_fd[2];
	/* the program's standard output goes to a file, from which events are made (--json) */
	bool keeps_output;
	int kept_fd;	    /* that file, or -1 */
	off_t output_shown; /* bytes of that file that have been shown */
};

/* out: borrowed as long as the session lives; it may be diverted (bw_out_divert). */
struct bw_error *bw_session_init(struct bw_session *s, struct bw_out *out) BW_MUST_CHECK;
/* Frees the parts of a session, without leaving the program. The caller owns s itself. */
void bw_session_fini(struct bw_session *s);

/* Prepares what the options name: compiles and checks a kernel, opens the GPU, reads a crash file,
 * or attaches to a process. It starts nothing but a virtual GPU. The words of o must stay valid as
 * long as the program can be started. */
struct bw_error *bw_session_open(struct bw_session *s, struct bw_run_options *o) BW_MUST_CHECK;
/* Like bw_session_open, for a client without a terminal: options that are about a terminal are
 * refused. whose: names the client in messages, "a library's". */
struct bw_error *bw_session_open_words(struct bw_session *s, int argc, char **argv, bool attach,
				       const char *whose) BW_MUST_CHECK;
/* Prints the reports of --strict, --trace-hash, --shader and --fidelity after a program has
 * ended. */
struct bw_error *bw_session_report(struct bw_session *s,
				   const struct bw_run_options *o) BW_MUST_CHECK;

struct bw_error *bw_session_start(struct bw_session *s) BW_MUST_CHECK;
/* Starts the program again; ends it first if it runs. */
struct bw_error *bw_session_restart(struct bw_session *s) BW_MUST_CHECK;
/* attach.c: attaches to the first process of the session, or to another one. */
struct bw_error *bw_session_attach(struct bw_session *s, pid_t pid) BW_MUST_CHECK;
/* Fails if the process uses another GPU than this session, or if this session has none. */
struct bw_error *bw_session_check_gpu(struct bw_session *s, pid_t pid) BW_MUST_CHECK;
/* Shows a stop, with what the program has printed meanwhile, and remembers it. brief: after a
 * step. */
void bw_session_stopped(struct bw_session *s, const struct bw_stop *stop, bool brief);
/* The focus wave; an error if none is stopped. */
struct bw_error *bw_session_need_wave(struct bw_session *s,
				      const struct bw_wave_info **out) BW_MUST_CHECK;
/* check_stop.c: findings of --check while the program is there. If the stop is for one
 * (--stop-on-finding): its lane gets the focus; shows it. */
void bw_session_focus_cause(struct bw_session *s, struct bw_stop *stop);
void bw_session_show_cause(struct bw_session *s, const struct bw_stop *stop);
/* Findings of --suppress do not stop the program from now on. */
struct bw_error *bw_session_suppress(struct bw_session *s,
				     const struct bw_vgpu_options *o) BW_MUST_CHECK;
/* Shows a finding by its number; 0: the one that the focus wave has stopped for. */
struct bw_error *bw_session_finding(struct bw_session *s, uint64_t number) BW_MUST_CHECK;
/* Lists all so far. */
struct bw_error *bw_session_findings(struct bw_session *s) BW_MUST_CHECK;
/* whence.c: shows who has written the value, `text` as the user has typed it, or for a register of
 * the focus lane which loads it comes from. */
struct bw_value;
struct bw_error *bw_session_whence(struct bw_session *s, const char *text,
				   const struct bw_value *v) BW_MUST_CHECK;
/* Reports an event that is not a stop. kind: of a notice (doc/json.md); text: for people. */
void bw_session_say(struct bw_session *s, const char *kind, const char *text);
/* Prints "warning: TEXT." */
void bw_session_warn(struct bw_session *s, const char *text);

enum bw_session_left { BW_LEFT_NOTHING, BW_LEFT_DETACHED, BW_LEFT_KILLED };
/* Leaves programs before the session ends: kills those that it has started, and detaches from those
 * to which it has attached. Sets the exit status. */
enum bw_session_left bw_session_leave(struct bw_session *s);
/* If the limit of time has ended the session, an error that says so; otherwise NULL. */
struct bw_error *bw_session_what_ended(const struct bw_session *s);

/* ---- run_through.c: a GPU whose waves cannot be stopped ---- */

/* Called when the GPU of a program that is to be started has been opened: sets gfx and
 * runs_through. */
void bw_session_look_at_gpu(struct bw_session *s);
/* An error that says so, if this session cannot stop waves. */
struct bw_error *bw_session_need_stops(const struct bw_session *s) BW_MUST_CHECK;
/* Runs the program to its end, shows what it prints, and says how it ended. */
struct bw_error *bw_session_run_through(struct bw_session *s) BW_MUST_CHECK;

/* ---- signals.c ---- */

/* If the session owns the signals: from now on SIGINT stops the program, and SIGTERM, SIGHUP and
 * the limit of time end the session. */
void bw_session_catch_signals(struct bw_session *s);
/* From now on signals do not touch this session any more. Called before it is freed. */
void bw_session_ignore_signals(const struct bw_session *s);
/* Number of Ctrl-C so far. */
unsigned bw_session_interrupts(void);
/* Does what Ctrl-C does to a session. Async-signal-safe. */
void bw_session_interrupt(struct bw_session *s);
/* Sets a function that a signal handler calls, additionally, when a signal ends the session. NULL:
 * none. */
void bw_session_on_end(void (*fn)(void));
/* The session to which signals belong: that of this process's command line. NULL: there is none. */
struct bw_session *bw_session_current(void);

/* ---- waits.c ---- */

/* From now on the user is told when a wait depends on a stopped process, and Ctrl-C ends such a
 * wait. */
void bw_session_watch_waits(struct bw_session *s);
/* Called when a new command begins: an earlier Ctrl-C was meant for an earlier command. */
void bw_session_begin_command(struct bw_session *s);

/* ---- output.c: what the program prints ---- */

/* Called for a new program: makes a new file that keeps its output. */
struct bw_error *bw_session_keep_output(struct bw_session *s) BW_MUST_CHECK;
/* Shows what the program has written since the last call. ended: it will not write any more. */
void bw_session_show_output(struct bw_session *s, bool ended);
/* Shows bytes that the program has printed, as an event. */
void bw_session_show_bytes(struct bw_session *s, const char *data, size_t n);
/* kernel_printf.c: shows what the kernel of `run KERNEL` has printed since the last stop. The
 * launcher shows the rest at its end. */
void bw_session_show_kernel_output(struct bw_session *s);

#endif
