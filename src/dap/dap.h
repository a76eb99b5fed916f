/* SPDX-License-Identifier: MIT */
#ifndef BW_DAP_DAP_H
#define BW_DAP_DAP_H

/* A server of the Debug Adapter Protocol: an editor drives one session (src/session). The server
 * reads requests from one descriptor and writes responses and events to another; the commands of
 * the prompt, which an editor's debug console takes, are functions that its caller gives it. One
 * session, then it ends.
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

/* What the debug console has of the prompt. */
struct bw_dap_console {
	void *cookie;
	/* Runs lines as typed at the prompt. Commands that resume waves return at once; the server
	 * waits for the stop. */
	struct bw_error *(*execute)(void *cookie, const char *lines);
	/* Runs the commands that are among the words of `run` or `attach`. They wait for stops,
	 * unlike those of `execute`. */
	struct bw_error *(*run_script)(void *cookie, const struct bw_run_options *o);
	/* Words that could end the line; word points into it. Owned (bw_debug_free_words). */
	char **(*complete)(void *cookie, const char *line, const char *word);
	/* A wave has hit a breakpoint that does not stop, and it is none of the editor's. */
	bw_passing_fn *passing;
	/* Leaves the program as "quit" does, and says so. */
	void (*leave)(void *cookie);
};

/* A session that has begun before the server was there (gate.h): what the editor has sent, of which
 * `initialize`, the first message, is answered. */
struct bw_dap_begun {
	char *data; /* owned by whoever has it */
	size_t size_b;
	int64_t n_sent; /* messages to the editor */
};

/* Where the editor is: on standard input and output, or on a port of 127.0.0.1. */
struct bw_dap_place {
	uint32_t port;		/* 0: any */
	const char *token_file; /* of the port; NULL: a new one (token.h) */
	bool has_port;
};

struct bw_error *bw_dap_create(struct bw_dap **out) BW_MUST_CHECK;
/* Waits for the editor. Standard input and output are no longer those of this process then. */
struct bw_error *bw_dap_connect(struct bw_dap *s, const struct bw_dap_place *place) BW_MUST_CHECK;
/* The editor is at these descriptors, which are the server's from here on. begun: NULL: nothing has
 * been read. */
struct bw_error *bw_dap_open(struct bw_dap *s, int in_fd, int out_fd,
			     const struct bw_dap_begun *begun) BW_MUST_CHECK;
/* What is written there is shown in the debug console. It is the server's. */
FILE *bw_dap_console_file(struct bw_dap *s);
/* Serves this session, which is not open yet, until the editor disconnects, or its end of the
 * connection is closed. An error means that the connection was no good: what was sent is no message
 * of the protocol. */
struct bw_error *bw_dap_serve(struct bw_dap *s, struct bw_session *session,
			      const struct bw_dap_console *console) BW_MUST_CHECK;
/* After the session has ended. */
void bw_dap_destroy(struct bw_dap *s);

#endif
