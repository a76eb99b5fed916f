/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_SESSION_H
#define BW_SESSION_SESSION_H

/* A debugging session: what is debugged, the GPU it runs on, starting it, attaching to it, its
 * stops, its output, and leaving it. The command line, the debug adapter, the reports and the
 * library are its clients: it runs no commands, and knows none. One session, one thread; only
 * signals come from elsewhere (signals.c). */

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/str.h"
#include "debug/debug.h"
#include "debug/stop.h"
#include "kmd/kmd.h"
#include "session/commands.h"
#include "session/layers.h"
#include "target/open.h"
#include "ui/out.h"

struct bw_crash;
struct bw_wave_info;
struct bw_code_object;
struct bw_run_options;
struct bw_swaps;

/* Exit statuses: 0, or the program's own; these are ours. Ended by signal N it is 128 + N, as a
 * shell says. */
enum {
	BW_EXIT_USAGE = 2,
	BW_EXIT_GPU = 3,
	BW_EXIT_OUTPUT = 4 /* it could not be written */,
	BW_EXIT_TIMEOUT = 124 /* as timeout(1) */,
	BW_EXIT_CANNOT_RUN = 126 /* as shells */,
	BW_EXIT_NOT_FOUND = 127,
	BW_EXIT_SIGNAL = 128
};

struct bw_program {
	/* owned, NULL-terminated: the launcher and its options, or the program */
	char **argv;
	bool is_kernel;
};

/* What a client adds to what happens; each function may be NULL. */
struct bw_session_hooks {
	/* A stop is going to be shown. True: it is not to be. */
	bool (*stopping)(void *cookie, const struct bw_stop *stop, bool brief);
	/* It has been shown. */
	void (*stopped)(void *cookie, const struct bw_stop *stop);
	/* In a signal handler: the session is told to end (SIGTERM, SIGHUP, the limit of time). */
	void (*ending)(void *cookie);
	void *cookie;
};

struct bw_session {
	struct bw_debug *debug; /* owned */
	struct bw_out *out;	/* the client's: what happens is said there */
	struct bw_session_hooks hooks;
	/* Called for each stop, after the hooks; NULL: nobody wants to know. */
	void (*on_stop)(void *cookie, const struct bw_stop *stop);
	void *on_stop_cookie;
	const struct bw_session_commands *commands; /* NULL: there are none */
	void *commands_cookie;

	/* ---- What is debugged ---- */
	struct bw_kmd *kmd; /* owned */
	struct bw_program program;
	struct bw_swaps *swaps; /* owned; shaders that are replaced, or NULL */
	struct bw_crash *crash; /* owned; a crash file that is looked at, or NULL */
	struct bw_shader_wishes shaders;
	bool attached;	     /* to a running program: it is never killed without the user asking */
	bool detach_on_fork; /* processes that the program starts are not debugged with it */
	uint64_t clients_before; /* clients of the virtual GPU when the program was started */
	/* Where the block of arguments of a dispatch has the address of printf's buffer, and the
	 * formats; NULL: its kernel prints nothing, or is not one of `run KERNEL`. Borrowed from
	 * debug. */
	const struct bw_code_object *printf_object;
	uint32_t printf_offset_b;

	/* ---- What has happened ---- */
	struct bw_stop last_stop; /* of kind NONE: there was none */
	struct bw_str warnings;	  /* since the program was resumed last, a line each */
	int exit_status;
	bool exit_status_known; /* the program has ended with exit_status */
	bool gpu_fault;		/* the last stop was a fault of the GPU's code: exit status 3 if the
				 * session ends now */

	/* ---- Waits, and signals ---- */
	bool interactive;  /* a user types: questions can be asked, Ctrl-C is about this command */
	bool owns_signals; /* of this process; not those of a program that calls our library */
	double limit_s;	   /* limit of the whole session; 0: none */
	volatile sig_atomic_t ended_by; /* the signal that ended the session; SIGALRM: the limit */
	unsigned interrupts_before;	/* number of Ctrl-C when the command began */
	/* during the command: the user was told what is waited for; Ctrl-C ended a wait */
	bool wait_told, wait_given_up;

	/* ---- The program's output ---- */
	int output_fd[2];   /* where standard output and error of it go; -1: to ours */
	bool keeps_output;  /* standard output goes to a file, of which events are made (--json) */
	int kept_fd;	    /* that file, or -1 */
	off_t output_shown; /* bytes of it */
};

/* out: borrowed, for as long as the session lives; it may be diverted (bw_out_divert). */
struct bw_error *bw_session_init(struct bw_session *s, struct bw_out *out) BW_MUST_CHECK;
/* Frees what a session has, without leaving the program; s itself is the caller's. */
void bw_session_fini(struct bw_session *s);

/* Gets ready what the options name: compiles and checks a kernel, opens the GPU, reads a crash
 * file, attaches to a process. Nothing has been started after it but a virtual GPU. The words of o
 * are needed for as long as the program can be started. */
struct bw_error *bw_session_open(struct bw_session *s, struct bw_run_options *o) BW_MUST_CHECK;
/* The same for a client without a terminal: options that are about one are refused; whose: "a
 * library's". */
struct bw_error *bw_session_open_words(struct bw_session *s, int argc, char **argv, bool attach,
				       const char *whose) BW_MUST_CHECK;
/* What --strict, --trace-hash, --shader and --fidelity have to say when a program has ended. */
struct bw_error *bw_session_report(struct bw_session *s,
				   const struct bw_run_options *o) BW_MUST_CHECK;

struct bw_error *bw_session_start(struct bw_session *s) BW_MUST_CHECK;
/* Starts it anew; ends it first where it runs. */
struct bw_error *bw_session_restart(struct bw_session *s) BW_MUST_CHECK;
/* attach.c: to the first process of the session, or to one more. */
struct bw_error *bw_session_attach(struct bw_session *s, pid_t pid) BW_MUST_CHECK;
/* Fails where the process uses another GPU than this session, or this one has none. */
struct bw_error *bw_session_check_gpu(struct bw_session *s, pid_t pid) BW_MUST_CHECK;
/* Says that a stop has come, with what the program has printed meanwhile, and remembers it. brief:
 * after a step. */
void bw_session_stopped(struct bw_session *s, const struct bw_stop *stop, bool brief);
/* The focus wave; an error where none is stopped. */
struct bw_error *bw_session_need_wave(struct bw_session *s,
				      const struct bw_wave_info **out) BW_MUST_CHECK;
/* Tells an event that is not a stop: `kind` of a notice (doc/json.md), text as it is read. */
void bw_session_say(struct bw_session *s, const char *kind, const char *text);
/* "warning: TEXT." */
void bw_session_warn(struct bw_session *s, const char *text);

enum bw_session_left { BW_LEFT_NOTHING, BW_LEFT_DETACHED, BW_LEFT_KILLED };
/* Before the session ends: kills programs that it has started, detaches from those that it has
 * attached to. Sets the exit status. */
enum bw_session_left bw_session_leave(struct bw_session *s);
/* An error that says so where the limit of time has ended the session, else NULL. */
struct bw_error *bw_session_what_ended(const struct bw_session *s);

/* ---- signals.c ---- */

/* From here on, where it owns them, SIGINT stops the program, and SIGTERM, SIGHUP and the limit of
 * time end the session. */
void bw_session_catch_signals(struct bw_session *s);
/* From here on signals change nothing of this session any more, as it is freed. */
void bw_session_ignore_signals(const struct bw_session *s);
/* Number of Ctrl-C so far. */
unsigned bw_session_interrupts(void);
/* What Ctrl-C does to a session. Async-signal-safe. */
void bw_session_interrupt(struct bw_session *s);
/* Beside what a signal that ends the session does, fn is called, in the signal handler. NULL:
 * nothing is. */
void bw_session_on_end(void (*fn)(void));
/* The session that signals belong to: that of this process's command line. NULL: there is none. */
struct bw_session *bw_session_current(void);

/* ---- waits.c ---- */

/* From here on the user is told when a wait depends on a stopped process, and Ctrl-C gives up such
 * a wait. */
void bw_session_watch_waits(struct bw_session *s);
/* A new command begins: an earlier Ctrl-C was meant for another one. */
void bw_session_begin_command(struct bw_session *s);

/* ---- output.c: what the program prints ---- */

/* A new program: where its output is kept, a new file for it. */
struct bw_error *bw_session_keep_output(struct bw_session *s) BW_MUST_CHECK;
/* Tells what the program has written since the last call; ended: it will write no more. */
void bw_session_show_output(struct bw_session *s, bool ended);
/* Bytes that the program has printed, as an event. */
void bw_session_show_bytes(struct bw_session *s, const char *data, size_t n);
/* kernel_printf.c: what the kernel of `run KERNEL` has printed since the last stop. The launcher
 * shows the rest at its end. */
void bw_session_show_kernel_output(struct bw_session *s);

#endif
