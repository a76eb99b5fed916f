/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_COMMANDS_H
#define BW_SESSION_COMMANDS_H

/* The commands of the prompt, which a session does not have by itself: src/cli gives them to it. */

#include <stdbool.h>

#include "base/error.h"

struct bw_session;

/* What can run them in a session. Errors have not been shown. */
struct bw_session_commands {
	/* Lines, as they would be typed. */
	struct bw_error *(*execute)(void *cookie, const char *lines);
	/* The commands of the breakpoint that stopped the program. */
	struct bw_error *(*after_stop)(void *cookie);
	/* A command that sets a breakpoint, or the words after "break". */
	struct bw_error *(*set_stop)(void *cookie, const char *words);
	/* Whether a command has ended the session. */
	bool (*wants_end)(void *cookie);
	/* The session is going to be freed. */
	void (*end)(void *cookie);
};

/* The library that has them, for sessions of libbreakwater, which loads it when a program asks for
 * a command; and its one function. Both libraries are of one build; nobody else links this one. */
#define BW_COMMANDS_LIBRARY "libbreakwater-commands.so.0"
#define BW_COMMANDS_JOIN "bw_commands_join"

/* Gives the session its commands; they are freed with it. */
typedef struct bw_error *bw_commands_join_fn(struct bw_session *s);
bw_commands_join_fn bw_commands_join;

#endif
