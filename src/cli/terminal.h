/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_TERMINAL_H
#define BW_CLI_TERMINAL_H

/* How output reaches the user: pages, colours and a log file; "set pagination", "set height", "set
 * style" and "set logging", as gdb has them. */

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "tui/keys.h"

struct bw_cli;

struct bw_terminal {
	bool paged;	 /* set pagination; only an interactive session shows pages */
	bool has_height; /* set height was used; otherwise the height is the terminal's */
	unsigned height; /* 0: unlimited */
	bool is_styled;	 /* set style enabled */
	char *log_path;	 /* owned; NULL: breakwater.log */
	FILE *log;	 /* owned; NULL: not enabled */
	bool overwrites, redirects;
	/* typed bytes: those that may become a key of the screen, and those for the line editor */
	struct bw_tui_keys keys;
	char passed[sizeof(((struct bw_tui_keys *)0)->bytes)];
	unsigned n_passed;
};

/* Colours, if standard output is a terminal that has them (TERM) and the user has not switched
 * colours off (NO_COLOR, https://no-color.org). */
void bw_terminal_begin(struct bw_cli *c);
void bw_terminal_end(struct bw_cli *c);
/* Called when a command was typed: its first page begins. */
void bw_terminal_begin_command(struct bw_cli *c);

/* name: "pagination", "height", "style enabled", "logging enabled", "logging file", "logging
 * overwrite", "logging redirect", or "logging", which is gdb's old form of "logging enabled". */
struct bw_error *bw_terminal_set(struct bw_cli *c, const char *name,
				 const char *value) BW_MUST_CHECK;
const char *bw_terminal_show(const struct bw_cli *c, const char *name, char *out, size_t out_b);

#endif
