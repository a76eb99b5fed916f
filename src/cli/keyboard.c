/* SPDX-License-Identifier: MIT */
#include "cli/keyboard.h"
#include "cli/tui.h"
#include "debug/stop.h"
#include "target/call.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The prompt and what has been typed, where the cursor is now. */
static void give_prompt_again(EditLine *el)
{
	fflush(stdout);
	el_resize(el);
	el_set(el, EL_REFRESH);
}

/* ---- The end of the program while the prompt waits ---- */

/* Reports it, or that of one of several programs, below the prompt, and gives the prompt and what
 * has been typed again. */
static void tell_end(EditLine *el, struct bw_cli *c)
{
	struct bw_stop stop;
	if (bw_target_ends(bw_debug_target(c->debug)) == BW_END_NONE)
		return;
	printf("\n");
	bw_terminal_begin_command(c);
	struct bw_error *err = bw_debug_look_for_end(c->debug, &stop);
	if (err)
		bw_out_error(c->out, err);
	else if (stop.kind != BW_STOP_NONE)
		bw_session_stopped(c->session, &stop, false);
	bw_error_free(err);
	bw_out_flush(c->out);
	bw_cli_tui_show(c);
	el_set(el, EL_REFRESH);
}

enum awaited { AWAITED_KEY, AWAITED_SIGNAL, AWAITED_TIME };

/* Waits for input. limit_ms -1: for ever. */
static enum awaited await_key(EditLine *el, struct bw_cli *c, int limit_ms)
{
	enum { LOOK_MS = 200 };
	for (;;) {
		struct pollfd key = {STDIN_FILENO, POLLIN, 0};
		bool looks = bw_debug_target(c->debug) || bw_cli_tui_is_on(c);
		int n = poll(&key, 1, limit_ms >= 0 ? limit_ms : looks ? LOOK_MS : -1);
		int e = errno;
		if (n > 0)
			return AWAITED_KEY;
		if (bw_cli_tui_was_resized()) {
			if (bw_cli_tui_show(c))
				give_prompt_again(el);
		} else if (n < 0) {
			errno = e;
			return AWAITED_SIGNAL;
		} else if (limit_ms >= 0) {
			return AWAITED_TIME;
		}
		if (bw_debug_target(c->debug))
			tell_end(el, c);
	}
}

/* ---- Keys of the screen ---- */

static void pass(struct bw_terminal *t)
{
	memcpy(t->passed, t->keys.bytes, t->keys.n);
	t->n_passed = t->keys.n;
	t->keys.n = 0;
}

/* Without the screen, only the key that switches it on begins with a byte that has to be followed
 * by another one. */
static bool is_plain(const struct bw_cli *c, char byte)
{
	enum { CTRL_X = 'x' & 0x1f };
	return !c->terminal.keys.n && !bw_cli_tui_is_on(c) && byte != CTRL_X;
}

static void take_byte(EditLine *el, struct bw_cli *c, char byte)
{
	struct bw_terminal *t = &c->terminal;
	struct bw_tui_event event;
	switch (bw_tui_keys_feed(&t->keys, byte, &event)) {
	case BW_TUI_MORE:
		return;
	case BW_TUI_IS_TEXT:
		pass(t);
		return;
	case BW_TUI_IS_KEY:
		break;
	}
	enum bw_cli_tui_use use = bw_cli_tui_key(c, &event);
	if (use == BW_CLI_TUI_PASSED)
		pass(t);
	else if (use == BW_CLI_TUI_REDRAWN)
		give_prompt_again(el);
	t->keys.n = 0;
}

ssize_t bw_cli_next_byte(EditLine *el, struct bw_cli *c, char *out)
{
	enum { ESCAPE_MS = 50, ESC = 033 }; /* what belongs to a key comes at once */
	struct bw_terminal *t = &c->terminal;
	while (!t->n_passed) {
		bool is_open = t->keys.n && t->keys.bytes[0] == ESC;
		enum awaited got = await_key(el, c, is_open ? ESCAPE_MS : -1);
		if (got == AWAITED_SIGNAL)
			return -1;
		if (got == AWAITED_TIME) {
			pass(t);
			break;
		}
		char byte;
		ssize_t n = read(STDIN_FILENO, &byte, 1);
		if (n <= 0)
			return n;
		if (is_plain(c, byte)) {
			*out = byte;
			return 1;
		}
		take_byte(el, c, byte);
	}
	*out = t->passed[0];
	memmove(t->passed, t->passed + 1, --t->n_passed);
	return 1;
}
