/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_COMMANDS_H
#define BW_SESSION_COMMANDS_H

/* The interface to the commands of the prompt. A session does not have them itself; src/cli gives
 * them to it. */

#include <stdbool.h>

#include "base/error.h"

struct bw_session;

/* Runs commands in a session. Errors have not been shown when they are returned. */
struct bw_session_commands {
	/* Runs lines, as they would be typed. */
	struct bw_error *(*execute)(void *cookie, const char *lines);
	/* Runs the commands of the breakpoint that stopped the program. */
	struct bw_error *(*after_stop)(void *cookie);
	/* Sets a breakpoint, by a command or by the words after "break". */
	struct bw_error *(*set_stop)(void *cookie, const char *words);
	/* Whether a command has ended the session. */
	bool (*wants_end)(void *cookie);
	/* Called before the session is freed. */
	void (*end)(void *cookie);
};

/* The library with the commands, which libbreakwater loads when a program asks for a command, and
 * its only function. Both libraries are of one build; nobody else links this one. */
#define BW_COMMANDS_LIBRARY "libbreakwater-commands.so.0"
#define BW_COMMANDS_JOIN "bw_commands_join"

/* Gives the session its commands. They are freed with the session. */
typedef struct bw_error *bw_commands_join_fn(struct bw_session *s);
bw_commands_join_fn bw_commands_join;

#endif
