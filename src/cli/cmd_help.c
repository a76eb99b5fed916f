/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include <regex.h>
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

/* ---- apropos ---- */

struct search {
	struct bw_cli *c;
	regex_t pattern;
	json_t *found;
};

static bool fits(const struct search *s, const char *text)
{
	return text && !regexec(&s->pattern, text, 0, NULL, 0);
}

static void tell(struct search *s, const char *before, const char *name, const char *help)
{
	bw_out_line(s->c->out, "%s%s -- %s", before, name, help);
	json_array_append_new(s->found,
			      json_pack("{s:s+, s:s}", "name", before, name, "help", help));
}

static void search_commands(struct search *s, const char *before, const struct bw_command *table,
			    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct bw_command *cmd = &table[i];
		if (fits(s, cmd->name) || fits(s, cmd->help) || fits(s, cmd->more))
			tell(s, before, cmd->name, cmd->help);
	}
}

static void search_setting(void *cookie, const char *name, const char *values)
{
	struct search *s = cookie;
	char help[128];
	if (!fits(s, name))
		return;
	snprintf(help, sizeof(help), values ? "A setting: %s." : "A setting.", values);
	tell(s, "set ", name, help);
}

struct bw_error *bw_cmd_apropos(struct bw_cli *c, const char *args)
{
	struct search s = {.c = c};
	const struct bw_command *table;
	size_t n;
	char why[128];
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "\"apropos\" takes a word or a regular expression");
	int bad = regcomp(&s.pattern, args, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	if (bad) {
		regerror(bad, &s.pattern, why, sizeof(why));
		return bw_errorf(BW_E_INVALID, "\"%s\" is no regular expression: %s", args, why);
	}
	s.found = json_array();
	table = bw_commands(&n);
	search_commands(&s, "", table, n);
	table = bw_info_commands(&n);
	search_commands(&s, "info ", table, n);
	bw_cli_each_setting(search_setting, &s);
	regfree(&s.pattern);
	if (!json_array_size(s.found))
		bw_out_line(c->out, "Nothing is about \"%s\".", args);
	bw_out_json(c->out, "found", s.found);
	return NULL;
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
