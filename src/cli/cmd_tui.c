/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "cli/tui.h"
#include "tui/screen.h"
#include "tui/draw.h"
#include "ui/table.h"

#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"

/* The terminal screen: tui, layout, focus, winheight, refresh, with gdb's words. */

struct bw_cli_tui {
	struct bw_tui_screen screen;
	struct bw_tui_term *term;
	struct sigaction resize_before;
	bool reads; /* the prompt waits for input */
};

static volatile sig_atomic_t was_resized;

static void on_resize(int sig)
{
	was_resized = 1;
}

bool bw_cli_tui_was_resized(void)
{
	bool was = was_resized;
	was_resized = 0;
	return was;
}

bool bw_cli_tui_is_on(const struct bw_cli *c)
{
	return c->tui && bw_tui_term_is_entered(c->tui->term);
}

/* ---- On and off ---- */

static struct bw_error *create(struct bw_cli *c)
{
	struct bw_cli_tui *t = calloc(1, sizeof(*t));
	if (!t)
		return bw_error_nomem();
	struct bw_error *err = bw_tui_term_open(&t->term);
	if (err) {
		free(t);
		return err;
	}
	bw_tui_screen_init(&t->screen);
	c->tui = t;
	return NULL;
}

/* Makes the screen as large as the terminal is now. True: it was not. */
static bool fit(struct bw_cli_tui *t)
{
	unsigned rows, columns;
	bw_tui_term_size(&rows, &columns);
	bool is_same = bw_tui_term_is_entered(t->term) && rows == t->screen.rows &&
		       columns == t->screen.columns;
	if (is_same)
		return false;
	bw_tui_screen_set_size(&t->screen, rows, columns);
	bw_tui_term_enter(t->term, rows, bw_tui_screen_command_y(&t->screen));
	return true;
}

struct bw_error *bw_cli_tui_enable(struct bw_cli *c)
{
	if (bw_cli_tui_is_on(c))
		return NULL;
	if (bw_out_is_json(c->out) || c->is_batch || c->confined || c->editor ||
	    !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return bw_errorf(BW_E_UNSUPPORTED,
				 "Cannot enable the TUI when output is not a terminal");
	if (!c->tui)
		BW_TRY(create(c));
	bw_cli_choose_characters();
	c->tui->screen.has_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	fit(c->tui);
	return NULL;
}

void bw_cli_tui_leave(struct bw_cli *c)
{
	if (!bw_cli_tui_is_on(c))
		return;
	bw_cli_tui_end_input(c);
	bw_out_flush(c->out);
	bw_tui_term_leave(c->tui->term);
}

void bw_cli_tui_leave_now(void)
{
	bw_tui_term_leave_now();
}

void bw_cli_tui_free(struct bw_cli *c)
{
	if (!c->tui)
		return;
	bw_cli_tui_leave(c);
	bw_tui_screen_fini(&c->tui->screen);
	bw_tui_term_close(c->tui->term);
	free(c->tui);
	c->tui = NULL;
}

/* ---- Drawing ---- */

static void draw(struct bw_cli *c)
{
	struct bw_cli_tui *t = c->tui;
	struct bw_tui_line *rows;
	unsigned n;
	bw_tui_screen_compose(&t->screen, c->debug, &rows, &n);
	bw_tui_term_set_region(t->term, bw_tui_screen_command_y(&t->screen));
	bw_tui_term_draw(t->term, rows, n, c->terminal.is_styled);
	bw_tui_lines_free(rows, n);
}

bool bw_cli_tui_show(struct bw_cli *c)
{
	if (!bw_cli_tui_is_on(c) || c->session->ended_by)
		return false;
	bool is_new = fit(c->tui);
	bw_tui_screen_load(&c->tui->screen, c->debug);
	draw(c);
	return is_new;
}

void bw_cli_tui_resumed(struct bw_cli *c)
{
	if (!bw_cli_tui_is_on(c) || c->session->ended_by || c->tui->screen.is_running)
		return;
	bw_tui_screen_resumed(&c->tui->screen, c->debug);
	draw(c);
}

void bw_cli_tui_stopped(struct bw_cli *c)
{
	if (c->tui)
		bw_tui_screen_stopped(&c->tui->screen);
}

void bw_cli_tui_repair(struct bw_cli *c)
{
	if (bw_cli_tui_is_on(c))
		bw_tui_term_forget(c->tui->term);
}

unsigned bw_cli_tui_rows(const struct bw_cli *c)
{
	if (!bw_cli_tui_is_on(c))
		return 0;
	return c->tui->screen.rows - bw_tui_screen_command_y(&c->tui->screen);
}

/* ---- Input ---- */

void bw_cli_tui_begin_input(struct bw_cli *c)
{
	if (!bw_cli_tui_is_on(c) || c->tui->reads)
		return;
	/* Only while the prompt waits: no other system call is to be cut short. */
	struct sigaction action = {.sa_handler = on_resize, .sa_flags = SA_RESTART};
	sigaction(SIGWINCH, &action, &c->tui->resize_before);
	bw_tui_term_use_mouse(c->tui->term, true);
	c->tui->reads = true;
}

void bw_cli_tui_end_input(struct bw_cli *c)
{
	if (!c->tui || !c->tui->reads)
		return;
	sigaction(SIGWINCH, &c->tui->resize_before, NULL);
	bw_tui_term_use_mouse(c->tui->term, false);
	c->tui->reads = false;
}

static enum bw_cli_tui_use toggle(struct bw_cli *c)
{
	if (bw_cli_tui_is_on(c)) {
		bw_cli_tui_leave(c);
		fputs("\r\033[K", stdout); /* the prompt that was there when it was enabled */
		return BW_CLI_TUI_REDRAWN;
	}
	struct bw_error *err = bw_cli_tui_enable(c);
	if (err) {
		printf("\n");
		bw_out_error(c->out, err);
		bw_error_free(err);
	}
	bw_cli_tui_begin_input(c);
	bw_cli_tui_show(c);
	return BW_CLI_TUI_REDRAWN;
}

static void change_layout(struct bw_cli *c, enum bw_tui_layout l)
{
	bw_tui_screen_set_layout(&c->tui->screen, l);
	bw_tui_screen_load(&c->tui->screen, c->debug);
}

/* Ctrl-x 1: one window of code; Ctrl-x 2: two, others each time. */
static void change_number(struct bw_cli *c, bool one)
{
	enum bw_tui_layout now = c->tui->screen.layout;
	bool is_one = now == BW_TUI_LAYOUT_SRC || now == BW_TUI_LAYOUT_ASM;
	if (one)
		change_layout(c, c->tui->screen.code == BW_TUI_ASM ? BW_TUI_LAYOUT_ASM
								   : BW_TUI_LAYOUT_SRC);
	else if (is_one || now + 1 == BW_TUI_LAYOUTS)
		change_layout(c, BW_TUI_LAYOUT_SPLIT);
	else
		change_layout(c, (enum bw_tui_layout)(now + 1));
}

enum bw_cli_tui_use bw_cli_tui_key(struct bw_cli *c, const struct bw_tui_event *e)
{
	struct bw_tui_screen *s = c->tui ? &c->tui->screen : NULL;
	if (e->key == BW_TUI_KEY_TOGGLE)
		return toggle(c);
	if (!bw_cli_tui_is_on(c))
		return BW_CLI_TUI_PASSED;
	switch (e->key) {
	case BW_TUI_KEY_OTHER:
		bw_tui_screen_set_focus(s, bw_tui_screen_next(s, 1));
		break;
	case BW_TUI_KEY_ONE_WINDOW:
	case BW_TUI_KEY_TWO_WINDOWS:
		change_number(c, e->key == BW_TUI_KEY_ONE_WINDOW);
		break;
	case BW_TUI_KEY_REDRAW:
		bw_tui_term_enter(c->tui->term, s->rows, bw_tui_screen_command_y(s));
		draw(c);
		return BW_CLI_TUI_REDRAWN;
	case BW_TUI_KEY_TOGGLE:
	case BW_TUI_KEY_NONE:
	case BW_TUI_KEY_UP:
	case BW_TUI_KEY_DOWN:
	case BW_TUI_KEY_LEFT:
	case BW_TUI_KEY_RIGHT:
	case BW_TUI_KEY_PAGE_UP:
	case BW_TUI_KEY_PAGE_DOWN:
	case BW_TUI_KEY_CLICK:
	case BW_TUI_KEY_WHEEL_UP:
	case BW_TUI_KEY_WHEEL_DOWN:
	case BW_TUI_KEY_MOUSE:
		if (!bw_tui_screen_key(s, e))
			return BW_CLI_TUI_PASSED;
		break;
	}
	draw(c);
	return BW_CLI_TUI_USED;
}

/* ---- Commands ---- */

/* "tui mem /8xw $_launch.out": what the window of memory follows. */
static struct bw_error *follow_memory(struct bw_cli *c, const char *args)
{
	struct bw_print_format f;
	enum bw_space space;
	uint64_t addr;
	BW_TRY(bw_cli_take_format(&args, true, &f));
	f.letter = f.letter ? f.letter : 'z';
	f.letter = f.letter == 'x' ? 'z' : f.letter; /* padded, as x does */
	f.unit = f.unit ? f.unit : 'w';
	if (f.letter == 'i' || f.letter == 's')
		return bw_errorf(BW_E_INVALID,
				 "The window of memory has no format letter \"%c\": x/%c shows it",
				 f.letter, f.letter);
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"tui mem\" takes an address");
	/* one that cannot be known now can be later, at another place: a mistake cannot */
	struct bw_error *err = bw_cli_eval_address(c, args, &space, &addr);
	if (err && err->code == BW_E_INVALID)
		return err;
	bw_error_free(err);
	BW_TRY(bw_cli_tui_enable(c));
	BW_TRY(bw_tui_screen_follow(&c->tui->screen, args, &f));
	if (!bw_tui_box_of(&c->tui->screen.boxes, BW_TUI_MEM))
		bw_tui_screen_set_layout(&c->tui->screen, BW_TUI_LAYOUT_MEM);
	return NULL;
}

struct bw_error *bw_cmd_tui(struct bw_cli *c, const char *args)
{
	static const struct {
		const char *word;
		bw_command_fn *run;
	} others[] = {
		{"layout", bw_cmd_layout},	 {"focus", bw_cmd_focus},
		{"refresh", bw_cmd_refresh},	 {"mem", follow_memory},
		{"winheight", bw_cmd_winheight},
	};
	char word[16];
	bw_take_word(&args, word, sizeof(word));
	if (!strcmp(word, "reg")) { /* the window has gdb's groups below each other */
		if (args[0])
			return bw_errorf(BW_E_INVALID,
					 "\"tui reg\" shows all registers: it takes no group");
		return bw_cmd_layout(c, "regs");
	}
	if (!strcmp(word, "enable") && !args[0])
		return bw_cli_tui_enable(c);
	if (!strcmp(word, "disable") && !args[0]) {
		bw_cli_tui_leave(c);
		return NULL;
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(others); i++)
		if (!strcmp(word, others[i].word))
			return others[i].run(c, args);
	return bw_errorf(BW_E_INVALID, "\"tui\" takes enable, disable or mem, not \"%s\"", word);
}

/* "n" and "p" are enough, as in gdb, where no name begins so. */
static bool is_step(const char *word, int *out_step)
{
	bool next = word[0] && bw_starts_with("next", word);
	*out_step = next ? 1 : -1;
	return next || (word[0] && bw_starts_with("prev", word));
}

static struct bw_error *find_layout(const struct bw_cli *c, const char *name,
				    enum bw_tui_layout *out)
{
	int step;
	unsigned now = c->tui ? (unsigned)c->tui->screen.layout : 0;
	if (is_step(name, &step)) {
		*out = (enum bw_tui_layout)((now + (step > 0 ? 1 : BW_TUI_LAYOUTS - 1)) %
					    BW_TUI_LAYOUTS);
		return NULL;
	}
	*out = bw_tui_layout_by_name(name);
	if (*out != BW_TUI_LAYOUTS)
		return NULL;
	return name[0] ? bw_errorf(BW_E_INVALID,
				   "Undefined layout command: \"%s\".  Try \"help layout\"", name)
		       : bw_errorf(BW_E_INVALID, "\"layout\" takes the name of a layout, next or "
						 "prev.  Try \"help layout\"");
}

struct bw_error *bw_cmd_layout(struct bw_cli *c, const char *args)
{
	enum bw_tui_layout l;
	BW_TRY(find_layout(c, args, &l));
	BW_TRY(bw_cli_tui_enable(c));
	bw_tui_screen_set_layout(&c->tui->screen, l);
	return NULL;
}

static struct bw_error *find_window(struct bw_tui_screen *s, const char *name,
				    enum bw_tui_window *out)
{
	int step;
	if (is_step(name, &step)) {
		*out = bw_tui_screen_next(s, step);
		return NULL;
	}
	*out = bw_tui_window_by_name(name);
	if (*out == BW_TUI_WINDOWS)
		return bw_errorf(BW_E_INVALID, "Unrecognized window name \"%s\"", name);
	if (!bw_tui_box_of(&s->boxes, *out))
		return bw_errorf(BW_E_STATE, "Window \"%s\" is not visible",
				 bw_tui_window_name(*out));
	return NULL;
}

struct bw_error *bw_cmd_focus(struct bw_cli *c, const char *args)
{
	enum bw_tui_window w;
	BW_TRY(bw_cli_tui_enable(c));
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "Argument required (name of window to focus)");
	BW_TRY(find_window(&c->tui->screen, args, &w));
	bw_tui_screen_set_focus(&c->tui->screen, w);
	bw_out_line(c->out, "Focus set to %s window.", bw_tui_window_name(w));
	return NULL;
}

struct bw_error *bw_cmd_winheight(struct bw_cli *c, const char *args)
{
	enum bw_tui_window w;
	char name[16];
	uint64_t n;
	BW_TRY(bw_cli_tui_enable(c));
	struct bw_tui_screen *s = &c->tui->screen;
	bw_take_word(&args, name, sizeof(name));
	BW_TRY(find_window(s, name, &w));
	char sign = *args == '+' || *args == '-' ? *args : 0;
	if (!bw_parse_u64(bw_skip_blanks(args + (sign != 0)), &n) || n > 1000 || (!sign && !n))
		return bw_errorf(BW_E_INVALID, "Invalid window height specified");
	const struct bw_tui_box *box = bw_tui_box_of(&s->boxes, w);
	unsigned rows = box ? box->rows : 0, change = (unsigned)n;
	rows = sign == '+' ? rows + change : sign ? rows - BW_MIN(rows, change) : change;
	bw_tui_screen_set_height(s, w, rows);
	return NULL;
}

struct bw_error *bw_cmd_refresh(struct bw_cli *c, const char *args)
{
	BW_TRY(bw_cli_tui_enable(c));
	bw_cli_tui_repair(c);
	return NULL;
}

/* Brings what the windows follow into sight again. */
struct bw_error *bw_cmd_update(struct bw_cli *c, const char *args)
{
	BW_TRY(bw_cli_tui_enable(c));
	bw_tui_screen_follow_all(&c->tui->screen);
	return NULL;
}

struct window_row {
	const char *name;
	uint32_t lines, columns;
	bool is_focus;
};

static const struct bw_fact window_rows[] = {
	{"Name", NULL, "text", BW_OF(struct window_row, name)},
	{"Lines", NULL, "count", BW_OF(struct window_row, lines)},
	{"Columns", NULL, "count", BW_OF(struct window_row, columns)},
	{"Focus", NULL, "bool", BW_OF(struct window_row, is_focus), .yes = "(has focus)"},
};
static const struct bw_fact_table window_facts = {NULL, "windows", window_rows,
						  BW_ARRAY_SIZE(window_rows)};

/* gdb's table, with the line of status among the windows. */
struct bw_error *bw_info_win(struct bw_cli *c, const char *args)
{
	if (!bw_cli_tui_is_on(c)) {
		bw_out_line(c->out, "The TUI is not active.");
		return NULL;
	}
	const struct bw_tui_screen *s = &c->tui->screen;
	struct bw_table t;
	bw_table_begin(&t, &window_facts);
	for (unsigned i = 0; i < s->boxes.n; i++) {
		const struct bw_tui_box *box = &s->boxes.box[i];
		struct window_row r = {bw_tui_window_name(box->window), box->rows, s->columns,
				       box->window == s->focus};
		struct window_row status = {"status", 1, s->columns, false};
		if (i + 1 == s->boxes.n && i)
			bw_table_row(&t, &status);
		bw_table_row(&t, &r);
	}
	bw_out_table(c->out, &t, "");
	bw_table_fini(&t);
	return NULL;
}
