/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_TUI_H
#define BW_CLI_TUI_H

/* The terminal screen of a session: "tui enable" and what keeps the screen up to date. */

#include "cli/cli.h"
#include "tui/keys.h"

/* None of these does anything while the screen is not enabled. */

bool bw_cli_tui_is_on(const struct bw_cli *c);
struct bw_error *bw_cli_tui_enable(struct bw_cli *c) BW_MUST_CHECK;
/* Shows the state of the session as it is now: a command has ended. True: the size of the terminal
 * has changed, and the prompt is to be given again. */
bool bw_cli_tui_show(struct bw_cli *c);
/* The program runs from here on. */
void bw_cli_tui_resumed(struct bw_cli *c);
void bw_cli_tui_stopped(struct bw_cli *c);
/* Another program has had the terminal. */
void bw_cli_tui_repair(struct bw_cli *c);
/* Rows of the command window; 0: there is none. */
unsigned bw_cli_tui_rows(const struct bw_cli *c);
/* Keys and the mouse are for the windows, too, until the end. */
void bw_cli_tui_begin_input(struct bw_cli *c);
void bw_cli_tui_end_input(struct bw_cli *c);
/* The size of the terminal has changed since the last call. */
bool bw_cli_tui_was_resized(void);

enum bw_cli_tui_use {
	BW_CLI_TUI_PASSED, /* it is for the line editor */
	BW_CLI_TUI_USED,
	BW_CLI_TUI_REDRAWN, /* and the prompt is to be given again */
};
enum bw_cli_tui_use bw_cli_tui_key(struct bw_cli *c, const struct bw_tui_event *e);

/* Gives the terminal back; the screen can be enabled again. */
void bw_cli_tui_leave(struct bw_cli *c);
/* bw_cli_tui_leave for a signal handler, for good. */
void bw_cli_tui_leave_now(void);
void bw_cli_tui_free(struct bw_cli *c);

#endif
