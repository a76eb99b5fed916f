/* SPDX-License-Identifier: MIT */
#ifndef BW_DAP_DAP_H
#define BW_DAP_DAP_H

/* A server of the Debug Adapter Protocol: an editor drives one session (src/session). The server
 * reads requests from one descriptor and writes responses and events to another; its caller gives
 * it functions that run the commands of the prompt, for the editor's debug console. The server
 * ends after one session.
 *
 * Two threads: the one that calls bw_dap_serve uses the session, calls all of these functions, and
 * writes; a second one only reads messages, and may call bw_debug_interrupt. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "debug/breaks.h"

struct bw_dap;
struct bw_run_options;
struct bw_session;

/* The functions of the prompt that the debug console needs. */
struct bw_dap_console {
	void *cookie;
	/* Runs lines as typed at the prompt. Commands that resume waves return at once; the server
	 * waits for the stop. */
	struct bw_error *(*execute)(void *cookie, const char *lines);
	/* Runs the commands that are among the words of `run` or `attach`. They wait for stops,
	 * unlike those of `execute`. */
	struct bw_error *(*run_script)(void *cookie, const struct bw_run_options *o);
	/* Completes the last word of a line: all words that could end the line; `word` points into
	 * it. The caller owns the result (bw_debug_free_words). */
	char **(*complete)(void *cookie, const char *line, const char *word);
	/* Called when a wave has hit a breakpoint that does not stop, if the editor has not set
	 * that breakpoint. */
	bw_passing_fn *passing;
	/* Leaves the program as "quit" does, and says so. */
	void (*leave)(void *cookie);
};

/* The beginning of a session before the server exists (gate.h): the bytes that the editor has sent.
 * Its first message, `initialize`, has been answered. */
struct bw_dap_begun {
	char *data; /* owned */
	size_t size_b;
	int64_t n_sent; /* number of messages sent to the editor */
};

/* Where the editor is: on standard input and output, or on a port of 127.0.0.1. */
struct bw_dap_place {
	uint32_t port;		/* 0: any free port */
	const char *token_file; /* token file of the port; NULL: a new token (token.h) */
	bool has_port;
};

struct bw_error *bw_dap_create(struct bw_dap **out) BW_MUST_CHECK;
/* Waits for the editor. After it, standard input and output no longer belong to this process. */
struct bw_error *bw_dap_connect(struct bw_dap *s, const struct bw_dap_place *place) BW_MUST_CHECK;
/* Serves an editor at these descriptors, which the server owns from here on. begun: NULL: nothing
 * has been read yet. */
struct bw_error *bw_dap_open(struct bw_dap *s, int in_fd, int out_fd,
			     const struct bw_dap_begun *begun) BW_MUST_CHECK;
/* A file whose text is shown in the debug console. The server owns it. */
FILE *bw_dap_console_file(struct bw_dap *s);
/* Serves this session, which is not open yet, until the editor disconnects, or its end of the
 * connection is closed. An error means that the connection cannot be used: the editor has sent
 * something that is not a message of the protocol. */
struct bw_error *bw_dap_serve(struct bw_dap *s, struct bw_session *session,
			      const struct bw_dap_console *console) BW_MUST_CHECK;
/* Frees the server. Called after the session has ended. */
void bw_dap_destroy(struct bw_dap *s);

#endif
