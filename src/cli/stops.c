/* SPDX-License-Identifier: MIT */
/* Stops as the prompt has them: with displays, the commands of breakpoints and the screen. */
#include "cli/cli.h"

#include <string.h>

#include "cli/tui.h"

/* Whether the stop is not shown. */
static bool stopping(void *cookie, const struct bw_stop *s, bool brief)
{
	struct bw_cli *c = cookie;
	/* The normal end of a program is not reported where only its output is of interest. */
	bool quiet = s->kind == BW_STOP_EXITED && s->exit_known && s->exit_status == 0 &&
		     c->plain && !bw_out_is_json(c->out);
	c->after_stop.breakpoint = s->kind == BW_STOP_WAVES ? s->breakpoint : 0;
	c->stops += !brief || s->kind != BW_STOP_WAVES;
	return quiet || bw_cli_is_silent(c, c->after_stop.breakpoint);
}

static void stopped(void *cookie, const struct bw_stop *s)
{
	struct bw_cli *c = cookie;
	bw_cli_tui_stopped(c);
	bw_cli_forget_list(c);
	if (c->after_stop.returned && s->kind == BW_STOP_WAVES && !s->focus_changed)
		bw_cli_show_returned(c, c->after_stop.returned);
	if (s->kind == BW_STOP_WAVES)
		bw_cli_show_displays(c);
}

/* Called in a signal handler. */
static void ending(void *cookie)
{
	struct bw_cli *c = cookie;
	c->quit = true;
	bw_cli_tui_leave_now();
}

struct bw_session_hooks bw_cli_hooks(struct bw_cli *c)
{
	return (struct bw_session_hooks){stopping, stopped, ending, c};
}

void bw_cli_finished(struct bw_cli *c, const struct bw_stop *s, const struct bw_returned *r)
{
	c->after_stop.returned = r;
	bw_session_stopped(c->session, s, false);
	c->after_stop.returned = NULL;
}

struct bw_error *bw_cli_wait_and_show(struct bw_cli *c)
{
	struct bw_stop stop;
	bw_out_flush(c->out);
	bw_str_clear(&c->session->warnings);
	if (c->editor == BW_EDITOR_WAITS)
		return NULL;
	bw_cli_tui_resumed(c);
	BW_TRY(bw_debug_wait(c->debug, -1, &stop));
	bw_session_stopped(c->session, &stop, false);
	return NULL;
}
