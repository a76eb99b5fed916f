/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_TUI_H
#define BW_CLI_TUI_H

/* The terminal screen of a session: "tui enable", and keeping the screen up to date. */

#include "cli/cli.h"
#include "tui/keys.h"

/* None of these does anything while the screen is not enabled. */

bool bw_cli_tui_is_on(const struct bw_cli *c);
struct bw_error *bw_cli_tui_enable(struct bw_cli *c) BW_MUST_CHECK;
/* Called when a command has ended: shows the state of the session. True: the size of the terminal
 * has changed, and the prompt must be printed again. */
bool bw_cli_tui_show(struct bw_cli *c);
/* Called when the program begins to run. */
void bw_cli_tui_resumed(struct bw_cli *c);
void bw_cli_tui_stopped(struct bw_cli *c);
/* Called when another program has used the terminal: draws the screen again. */
void bw_cli_tui_repair(struct bw_cli *c);
/* The number of rows of the command window; 0: there is none. */
unsigned bw_cli_tui_rows(const struct bw_cli *c);
/* From here to the end of the input, keys and the mouse also control the windows. */
void bw_cli_tui_begin_input(struct bw_cli *c);
void bw_cli_tui_end_input(struct bw_cli *c);
/* Whether the size of the terminal has changed since the last call. */
bool bw_cli_tui_was_resized(void);

enum bw_cli_tui_use {
	BW_CLI_TUI_PASSED, /* it is for the line editor */
	BW_CLI_TUI_USED,
	BW_CLI_TUI_REDRAWN, /* handled, and the prompt must be printed again */
};
enum bw_cli_tui_use bw_cli_tui_key(struct bw_cli *c, const struct bw_tui_event *e);

/* Restores the terminal; the screen can be enabled again. */
void bw_cli_tui_leave(struct bw_cli *c);
/* Like bw_cli_tui_leave, for a signal handler; the screen cannot be enabled again. */
void bw_cli_tui_leave_now(void);
void bw_cli_tui_free(struct bw_cli *c);

#endif
