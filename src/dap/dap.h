/* SPDX-License-Identifier: MIT */
#ifndef BW_DAP_DAP_H
#define BW_DAP_DAP_H

/* A server of the Debug Adapter Protocol: an editor drives one session of the debugger's core. The
 * server reads requests from one descriptor and writes responses and events to another; what it
 * needs of the command line (how a program is started, the commands of the prompt) are functions
 * that its caller gives it. One session, then it ends.
 *
 * Two threads: the one that calls bw_dap_serve uses the core, calls all of these functions, and
 * writes; a second one only reads messages, and may call bw_debug_interrupt. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debug/breaks.h"
#include "debug/debug.h"
#include "debug/stop.h"

struct bw_dap;

struct bw_dap_host {
	void *cookie;
	const char *version;
	/* Makes a session of the words of `breakwater run` or `breakwater attach` (NULL-terminated,
	 * argv[0] included): the debugger's core with the kernel's code. A program that is attached
	 * to is attached to then; others are started by the command "run". out_debug is borrowed
	 * from the host. */
	struct bw_error *(*open)(void *cookie, char **argv, bool attach,
				 struct bw_debug **out_debug);
	/* Runs the commands that were among the words of `open`, of which it is the last use. They
	 * wait for stops, unlike those of `execute`. */
	struct bw_error *(*run_script)(void *cookie);
	/* Whether a launch of this file is `breakwater run FILE`: a kernel, a shader, a crash file;
	 * false: a program. */
	bool (*is_kernel)(void *cookie, const char *path);
	/* Ends the session: kills the program, or detaches from it. */
	void (*close)(void *cookie, bool kill);
	/* Runs a line as typed at the prompt. Commands that resume waves return at once; the server
	 * waits for the stop. */
	struct bw_error *(*execute)(void *cookie, const char *line);
	/* Shows a stop, and runs the commands of its breakpoint. */
	struct bw_error *(*stopped)(void *cookie, const struct bw_stop *stop, bool brief);
	/* Words that could end the line; word points into it. Owned (bw_debug_free_words). */
	char **(*complete)(void *cookie, const char *line, const char *word);
	/* What was printed since the last call; owned, NULL: nothing. */
	char *(*take_text)(void *cookie);
	/* Up to max bytes that the program has written to standard output, or error, since the last
	 * call. */
	size_t (*take_output)(void *cookie, bool is_error, char *out, size_t max);
	/* A wave has hit a breakpoint that does not stop, and it is none of the editor's. */
	bw_passing_fn *passing;
	/* The exit status of the program that has ended. */
	int (*exit_status)(void *cookie);
	/* The session is to end: the command "quit", or a signal. */
	bool (*wants_end)(void *cookie);
};

/* The host calls this for each stop that a command or `stopped` has shown. */
void bw_dap_note_stop(struct bw_dap *s, const struct bw_stop *stop);

/* A session that has begun before the server was there (gate.h): what the editor has sent, of which
 * `initialize`, the first message, is answered. */
struct bw_dap_begun {
	char *data; /* owned by whoever has it */
	size_t size_b;
	int64_t n_sent; /* messages to the editor */
};

/* begun is copied; NULL: nothing has been read. */
struct bw_error *bw_dap_create(const struct bw_dap_host *host, int in_fd, int out_fd,
			       const struct bw_dap_begun *begun, struct bw_dap **out) BW_MUST_CHECK;
/* Serves until the editor disconnects, or its end of the connection is closed. An error means that
 * the connection was no good: what was sent is no message of the protocol. */
struct bw_error *bw_dap_serve(struct bw_dap *s) BW_MUST_CHECK;
void bw_dap_destroy(struct bw_dap *s);

#endif
