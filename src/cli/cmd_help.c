/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include <string.h>

static void list_commands(struct bw_cli *c)
{
	size_t n;
	const struct bw_command *table = bw_commands(&n);
	for (size_t i = 0; i < n; i++) {
		/* Of several names for one thing the first is listed. */
		bool alias = bw_starts_with(table[i].help, "Same as") ||
			     (i && table[i].run == table[i - 1].run);
		if (!alias)
			bw_out_line(c->out, "%-12s %s", table[i].name, table[i].help);
	}
	bw_out_line(
		c->out,
		"\n\"help COMMAND\" says more. Unique beginnings of commands are enough; Enter repeats.");
}

struct bw_error *bw_cmd_help(struct bw_cli *c, const char *args)
{
	if (!args[0]) {
		list_commands(c);
		return NULL;
	}
	char word[64];
	size_t n;
	const struct bw_command *table = bw_commands(&n), *cmd;
	bw_take_word(&args, word, sizeof(word));
	if (bw_cli_help_defined(c, word))
		return NULL;
	BW_TRY(bw_command_find(table, n, word, "command", &cmd));
	bool info = cmd->run == bw_cmd_info;
	if (info && args[0]) {
		table = bw_info_commands(&n);
		BW_TRY(bw_command_find(table, n, args, "info command", &cmd));
	}
	bw_out_line(c->out, "%s%s%s%s", info && args[0] ? "info " : "", cmd->name,
		    cmd->args[0] ? " " : "", cmd->args);
	bw_out_line(c->out, "%s", cmd->help);
	if (cmd->more)
		bw_out_line(c->out, "%s", cmd->more);
	bw_out_str(c->out, "usage", cmd->args);
	bw_out_str(c->out, "help", cmd->help);
	return info && !args[0] ? bw_cmd_info(c, "") : NULL;
}

struct bw_error *bw_cmd_echo(struct bw_cli *c, const char *args)
{
	struct bw_str s = {0};
	for (const char *p = args; *p; p++) {
		if (*p != '\\') {
			bw_str_addn(&s, p, 1);
			continue;
		}
		p++;
		if (!*p)
			break;
		char ch = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
		bw_str_addn(&s, &ch, 1);
	}
	bw_out_raw(c->out, bw_str_text(&s));
	bw_out_str(c->out, "text", bw_str_text(&s));
	bw_str_free(&s);
	return NULL;
}

struct bw_error *bw_cmd_source(struct bw_cli *c, const char *args)
{
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"source\" takes a file");
	if (bw_out_is_json(c->out) && !strcmp(args, "-"))
		return bw_errorf(
			BW_E_UNSUPPORTED,
			"\"source -\" cannot be used with --json, whose requests come on standard input");
	return bw_cli_run_file(c, args);
}
