/* SPDX-License-Identifier: MIT */
/* The commands of the prompt for callers of the library. */
#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"

/* Whether the text begins with a command that sets something that stops, and has more to it. */
static bool is_command(const char *text)
{
	static bw_command_fn *const list[] = {bw_cmd_break,  bw_cmd_tbreak, bw_cmd_watch,
					      bw_cmd_rwatch, bw_cmd_awatch, bw_cmd_catch,
					      bw_cmd_tcatch, bw_cmd_dprintf};
	char word[32];
	const char *rest = text;
	const struct bw_command *cmd;
	size_t n;
	bw_take_word(&rest, word, sizeof(word));
	const struct bw_command *table = bw_commands(&n);
	struct bw_error *err = *rest ? bw_command_find(table, n, word, "command", &cmd)
				     : bw_errorf(BW_E_NOT_FOUND, "a place");
	if (err) {
		bw_error_free(err);
		return false;
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(list); i++)
		if (cmd->run == list[i])
			return true;
	return false;
}

static struct bw_error *set_stop(void *cookie, const char *words)
{
	struct bw_str line = {0};
	bw_str_addf(&line, "%s%s", is_command(words) ? "" : "break ", words);
	struct bw_error *err = bw_cli_execute(cookie, bw_str_text(&line));
	bw_str_free(&line);
	return err;
}

static struct bw_error *execute(void *cookie, const char *lines)
{
	struct bw_cli *c = cookie;
	struct bw_error *err = bw_cli_execute_lines(c, lines);
	if (!err)
		return bw_cli_end_blocks(c);
	bw_cli_cancel_block(c);
	return err;
}

static struct bw_error *after_stop(void *cookie)
{
	return bw_cli_run_stop_commands(cookie);
}

static bool wants_end(void *cookie)
{
	const struct bw_cli *c = cookie;
	return c->quit;
}

static void end(void *cookie)
{
	struct bw_cli *c = cookie;
	if (c->session == &c->own) /* the program's */
		return;
	bw_cli_fini(c);
	free(c);
}

const struct bw_session_commands bw_cli_as_commands = {execute, after_stop, set_stop, wants_end,
						       end};
