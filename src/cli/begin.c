/* SPDX-License-Identifier: MIT */
/* The command line around a session, from its start to its end. */
#include "cli/cli.h"

#include <stdlib.h>

#include "cli/tui.h"

void bw_cli_init(struct bw_cli *c)
{
	*c = (struct bw_cli){.shown.x_format = {.count = 0, .letter = 'x', .unit = 'w'}};
	c->session = &c->own;
}

void bw_cli_join(struct bw_cli *c, struct bw_session *s)
{
	c->session = s;
	c->debug = s->debug;
	c->out = s->out;
	s->hooks = bw_cli_hooks(c);
	s->commands = &bw_cli_as_commands;
	s->commands_cookie = c;
}

struct bw_error *bw_cli_begin(struct bw_cli *c, FILE *f, bool json)
{
	struct bw_out *out;
	BW_TRY(bw_out_create(f, json, &out));
	struct bw_error *err = bw_session_init(&c->own, out);
	c->own.keeps_output = json;
	c->own.owns_signals = true;
	bw_cli_join(c, &c->own);
	return err;
}

void bw_cli_fini(struct bw_cli *c)
{
	bool is_own = c->session == &c->own && c->out;
	bw_session_ignore_signals(c->session);
	bw_cli_tui_free(c);
	if (is_own)
		bw_session_fini(&c->own);
	if (c->out)
		bw_terminal_end(c);
	if (is_own)
		bw_out_destroy(c->out);
	else
		c->session->hooks = (struct bw_session_hooks){.cookie = NULL};
	bw_cli_free_displays(c);
	bw_cli_free_blocks(c);
	free(c->shown.list_file);
	free(c->last_command);
}
