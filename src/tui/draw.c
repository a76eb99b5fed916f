/* SPDX-License-Identifier: MIT */
#include "tui/draw.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/util.h"

/* After the project's headers: it makes macros of short words, "lines" and "columns" among
 * them. */
#include <curses.h>
#include <term.h>

/* Presses, releases and the wheel (1000), with numbers in decimal (1006), as xterm and what
 * follows it understand. Sent only where terminfo knows a mouse (kmous). */
static const char mouse_on[] = "\033[?1000h\033[?1006h", mouse_off[] = "\033[?1006l\033[?1000l";

enum cap {
	CAP_CUP,
	CAP_CSR,
	CAP_SC,
	CAP_RC,
	CAP_CLEAR,
	CAP_EL,
	CAP_SMCUP,
	CAP_RMCUP,
	CAP_CIVIS,
	CAP_CNORM,
	CAP_SGR0,
	CAP_BOLD,
	CAP_DIM,
	CAP_REV,
	CAP_SETAF,
	CAP_KMOUS,
	CAPS
};
static const char *const cap_names[CAPS] = {
	[CAP_CUP] = "cup",     [CAP_CSR] = "csr",     [CAP_SC] = "sc",	     [CAP_RC] = "rc",
	[CAP_CLEAR] = "clear", [CAP_EL] = "el",	      [CAP_SMCUP] = "smcup", [CAP_RMCUP] = "rmcup",
	[CAP_CIVIS] = "civis", [CAP_CNORM] = "cnorm", [CAP_SGR0] = "sgr0",   [CAP_BOLD] = "bold",
	[CAP_DIM] = "dim",     [CAP_REV] = "rev",     [CAP_SETAF] = "setaf", [CAP_KMOUS] = "kmous",
};

struct bw_tui_term {
	char *cap[CAPS]; /* owned; "" where the terminal does not have it */
	bool is_entered, has_mouse;
	unsigned n_rows, command_y;
	char **drawn; /* owned; the bytes of each row as they were sent, or NULL */
	unsigned n_drawn;
	bool in_colour;
};

/* The bytes that restore the terminal, for a signal handler. */
static char leave_bytes[256];
static volatile sig_atomic_t n_leave_bytes;

/* ---- Sending ---- */

/* Sends all in one write if possible, so that output of other processes does not come between. */
static void send_bytes(const char *bytes, size_t n)
{
	while (n) {
		ssize_t sent = write(STDOUT_FILENO, bytes, n);
		if (sent < 0 && errno == EAGAIN) {
			struct pollfd room = {STDOUT_FILENO, POLLOUT, 0};
			poll(&room, 1, -1);
		} else if (sent < 0 && errno != EINTR) {
			return;
		} else if (sent > 0) {
			bytes += sent;
			n -= (size_t)sent;
		}
	}
}

static void send_text(struct bw_str *s)
{
	fflush(stdout); /* earlier output comes first */
	send_bytes(bw_str_text(s), s->len);
	bw_str_free(s);
}

/* Without the delays that terminfo asks for on terminals of old: "$<5>". */
static void add_cap_text(struct bw_str *s, const char *text)
{
	while (*text) {
		const char *delay = strstr(text, "$<"), *end = delay ? strchr(delay, '>') : NULL;
		if (!end) {
			bw_str_add(s, text);
			return;
		}
		bw_str_addn(s, text, (size_t)(delay - text));
		text = end + 1;
	}
}

static void add_cap(const struct bw_tui_term *t, struct bw_str *s, enum cap c)
{
	add_cap_text(s, t->cap[c]);
}

static void add_cap2(const struct bw_tui_term *t, struct bw_str *s, enum cap c, unsigned a,
		     unsigned b)
{
	const char *text =
		t->cap[c][0] ? tparm(t->cap[c], (long)a, (long)b, 0L, 0L, 0L, 0L, 0L, 0L, 0L) : "";
	add_cap_text(s, text ? text : "");
}

/* ---- The terminal ---- */

static struct bw_error *read_caps(struct bw_tui_term *t, const char *term)
{
	for (unsigned i = 0; i < CAPS; i++) {
		const char *text = tigetstr((char *)cap_names[i]);
		bool has_it = text && text != (const char *)-1;
		t->cap[i] = strdup(has_it ? text : "");
		if (!t->cap[i])
			return bw_error_nomem();
	}
	if (tigetnum((char *)"colors") < 8)
		t->cap[CAP_SETAF][0] = 0;
	if (!t->cap[CAP_CUP][0])
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"Cannot enable the TUI: terminal doesn't support cursor addressing [TERM=%s]",
			term);
	for (unsigned i = CAP_CSR; i <= CAP_EL; i++)
		if (!t->cap[i][0])
			return bw_errorf(
				BW_E_UNSUPPORTED,
				"Cannot enable the TUI: the terminal has no \"%s\" in terminfo [TERM=%s]",
				cap_names[i], term);
	return NULL;
}

struct bw_error *bw_tui_term_open(struct bw_tui_term **out)
{
	const char *term = getenv("TERM");
	int why;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "Cannot enable the TUI when output is not a terminal");
	/* libedit has a terminal of its own there */
	TERMINAL *before = set_curterm(NULL);
	if (setupterm(NULL, STDOUT_FILENO, &why) != OK) {
		set_curterm(before);
		return bw_errorf(BW_E_UNSUPPORTED,
				 "Cannot enable the TUI: error opening terminal [TERM=%s]",
				 term ? term : "");
	}
	struct bw_tui_term *t = calloc(1, sizeof(*t));
	struct bw_error *err = t ? read_caps(t, term ? term : "") : bw_error_nomem();
	del_curterm(set_curterm(before));
	if (err) {
		bw_tui_term_close(t);
		return err;
	}
	*out = t;
	return NULL;
}

void bw_tui_term_close(struct bw_tui_term *t)
{
	if (!t)
		return;
	bw_tui_term_leave(t);
	for (unsigned i = 0; i < CAPS; i++)
		free(t->cap[i]);
	free(t);
}

void bw_tui_term_size(unsigned *out_rows, unsigned *out_columns)
{
	struct winsize size;
	bool is_known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col;
	*out_rows = is_known ? size.ws_row : 24;
	*out_columns = is_known ? size.ws_col : 80;
}

bool bw_tui_term_is_entered(const struct bw_tui_term *t)
{
	return t && t->is_entered;
}

void bw_tui_term_forget(struct bw_tui_term *t)
{
	for (unsigned i = 0; i < t->n_drawn; i++)
		free(t->drawn[i]);
	free(t->drawn);
	t->drawn = NULL;
	t->n_drawn = 0;
}

static void add_leave(const struct bw_tui_term *t, struct bw_str *s)
{
	bw_str_add(s, t->cap[CAP_KMOUS][0] ? mouse_off : "");
	add_cap2(t, s, CAP_CSR, 0, t->n_rows - 1);
	add_cap(t, s, CAP_SGR0);
	if (t->cap[CAP_RMCUP][0]) {
		/* An empty screen first: tmux keeps lines of one whose size has changed. */
		add_cap(t, s, CAP_CLEAR);
	} else {
		add_cap2(t, s, CAP_CUP, t->n_rows - 1, 0);
		add_cap(t, s, CAP_EL);
	}
	add_cap(t, s, CAP_CNORM);
	add_cap(t, s, CAP_RMCUP); /* brings back what was there before, and the cursor */
}

void bw_tui_term_enter(struct bw_tui_term *t, unsigned rows, unsigned command_y)
{
	struct bw_str s = {0}, leave = {0};
	if (!t->is_entered)
		add_cap(t, &s, CAP_SMCUP);
	t->is_entered = true;
	t->n_rows = rows;
	t->command_y = command_y;
	bw_tui_term_forget(t);
	add_leave(t, &leave);
	n_leave_bytes = 0;
	if (leave.len <= sizeof(leave_bytes)) {
		memcpy(leave_bytes, bw_str_text(&leave), leave.len);
		n_leave_bytes = (sig_atomic_t)leave.len;
	}
	bw_str_free(&leave);
	add_cap(t, &s, CAP_SGR0);
	add_cap(t, &s, CAP_CLEAR);
	add_cap2(t, &s, CAP_CSR, command_y, rows - 1);
	add_cap2(t, &s, CAP_CUP, rows - 1, 0);
	send_text(&s);
}

void bw_tui_term_leave(struct bw_tui_term *t)
{
	struct bw_str s = {0};
	bool is_left = !n_leave_bytes;
	if (!t->is_entered)
		return;
	t->is_entered = t->has_mouse = false;
	n_leave_bytes = 0;
	bw_tui_term_forget(t);
	if (!is_left)
		add_leave(t, &s);
	send_text(&s);
}

void bw_tui_term_leave_now(void)
{
	sig_atomic_t n = n_leave_bytes;
	int e = errno;
	n_leave_bytes = 0;
	if (n)
		send_bytes(leave_bytes, (size_t)n);
	errno = e;
}

void bw_tui_term_set_region(struct bw_tui_term *t, unsigned command_y)
{
	struct bw_str s = {0};
	if (!n_leave_bytes || command_y == t->command_y)
		return;
	add_cap(t, &s, CAP_SC);
	/* rows that a window has given up are empty */
	for (unsigned i = command_y; i < t->command_y; i++) {
		add_cap2(t, &s, CAP_CUP, i, 0);
		add_cap(t, &s, CAP_EL);
	}
	add_cap2(t, &s, CAP_CSR, command_y, t->n_rows - 1);
	add_cap(t, &s, CAP_RC);
	t->command_y = command_y;
	bw_tui_term_forget(t);
	send_text(&s);
}

void bw_tui_term_use_mouse(struct bw_tui_term *t, bool on)
{
	struct bw_str s = {0};
	if (!n_leave_bytes || !t->cap[CAP_KMOUS][0] || t->has_mouse == on)
		return;
	t->has_mouse = on;
	bw_str_add(&s, on ? mouse_on : mouse_off);
	send_text(&s);
}

/* ---- Rows ---- */

static void add_style(const struct bw_tui_term *t, struct bw_str *s, unsigned style)
{
	add_cap(t, s, CAP_SGR0);
	if (style & BW_TUI_BOLD)
		add_cap(t, s, CAP_BOLD);
	if (style & BW_TUI_DIM)
		add_cap(t, s, CAP_DIM);
	if (style & BW_TUI_REVERSE)
		add_cap(t, s, CAP_REV);
	if (style & BW_TUI_COLOUR && t->in_colour && t->cap[CAP_SETAF][0])
		add_cap2(t, s, CAP_SETAF, style & BW_TUI_COLOUR, 0);
}

static char *row_bytes(const struct bw_tui_term *t, const struct bw_tui_line *l)
{
	struct bw_str s = {0};
	const char *text = bw_str_text(&l->text), *styles = bw_str_text(&l->styles);
	size_t n = BW_MIN(l->text.len, l->styles.len), end;
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && styles[end] == styles[i];)
			end++;
		add_style(t, &s, (unsigned char)styles[i]);
		bw_str_addn(&s, text + i, end - i);
	}
	add_cap(t, &s, CAP_SGR0);
	return bw_str_take(&s);
}

void bw_tui_term_draw(struct bw_tui_term *t, const struct bw_tui_line *rows, unsigned n,
		      bool in_colour)
{
	struct bw_str s = {0};
	if (!n_leave_bytes) /* a signal has ended it */
		return;
	bool is_whole = n != t->n_drawn;
	if (is_whole) {
		bw_tui_term_forget(t);
		t->drawn = calloc(n ? n : 1, sizeof(*t->drawn));
		t->n_drawn = t->drawn ? n : 0;
	}
	t->in_colour = in_colour;
	add_cap(t, &s, CAP_CIVIS);
	add_cap(t, &s, CAP_SC);
	if (is_whole)
		add_cap2(t, &s, CAP_CSR, t->command_y, t->n_rows - 1);
	for (unsigned i = 0; i < t->n_drawn; i++) {
		char *bytes = row_bytes(t, &rows[i]);
		if (bytes && t->drawn[i] && !strcmp(bytes, t->drawn[i])) {
			free(bytes);
			continue;
		}
		add_cap2(t, &s, CAP_CUP, i, 0);
		bw_str_add(&s, bytes ? bytes : "");
		free(t->drawn[i]);
		t->drawn[i] = bytes;
	}
	add_cap(t, &s, CAP_RC);
	add_cap(t, &s, CAP_CNORM);
	send_text(&s);
}
