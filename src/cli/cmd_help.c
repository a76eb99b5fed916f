/* SPDX-License-Identifier: MIT */
#include "cli/commands.h"

#include <regex.h>
#include <string.h>

#include "base/options.h"
#include "base/str.h"
#include "base/util.h"
#include "cli/help.h"
#include "debug/breaks.h"

/* Whether the row is another name for a command before it, so that it is not listed. */
static bool is_alias(const struct bw_command *table, size_t i)
{
	return bw_starts_with(table[i].help, "Same as");
}

static bool is_about(const struct bw_command *cmd, const struct bw_help_topic *topic)
{
	return !topic || !strcmp(cmd->topic, topic->name);
}

/* Lists the commands of a topic, or all (NULL), a line each. */
static void list_commands(struct bw_cli *c, const struct bw_help_topic *topic)
{
	json_t *found = json_array();
	for (int is_info = 0; is_info <= 1; is_info++) {
		size_t n;
		const struct bw_command *table = is_info ? bw_info_commands(&n) : bw_commands(&n);
		for (size_t i = 0; i < n; i++) {
			char name[64];
			if (is_alias(table, i) || !is_about(&table[i], topic))
				continue;
			snprintf(name, sizeof(name), "%s%s", is_info ? "info " : "", table[i].name);
			bw_out_line(c->out, "%-18s %s", name, table[i].help);
			json_array_append_new(found, json_pack("{s:s, s:s}", "name", name, "help",
							       table[i].help));
		}
	}
	bw_out_json(c->out, "commands", found);
	if (!bw_out_is_json(c->out))
		bw_out_line(
			c->out,
			"\n\"help COMMAND\" says more. Unique beginnings of commands are enough; Enter repeats.");
}

static void print_rows(const struct bw_command *table, size_t n, const char *before)
{
	for (size_t i = 0; i < n; i++) {
		char name[64];
		snprintf(name, sizeof(name), "%s%s", before, table[i].name);
		const char *const fields[] = {
			name,	       table[i].shortest, table[i].args,    table[i].help,
			table[i].more, table[i].topic,	  table[i].examples};
		bw_print_row("command", fields, BW_ARRAY_SIZE(fields));
	}
}

void bw_help_rows(void)
{
	size_t n;
	const struct bw_help_topic *topics = bw_help_topics(&n);
	for (size_t i = 0; i < n; i++) {
		const char *const fields[] = {topics[i].name, topics[i].about};
		bw_print_row("topic", fields, BW_ARRAY_SIZE(fields));
	}
	const struct bw_command *table = bw_commands(&n);
	print_rows(table, n, "");
	table = bw_info_commands(&n);
	print_rows(table, n, "info ");
	const struct bw_help_setting *s = bw_help_settings(&n);
	for (size_t i = 0; i < n; i++) {
		const char *const fields[] = {s[i].name, s[i].values, s[i].example, s[i].about};
		bw_print_row("setting", fields, BW_ARRAY_SIZE(fields));
	}
}

enum { WIDTH = 78 };

/* Each topic with the names of its commands; those of "info" as "info waves". */
static void list_topics(struct bw_cli *c)
{
	size_t n_topics;
	const struct bw_help_topic *topics = bw_help_topics(&n_topics);
	for (size_t t = 0; t < n_topics; t++) {
		struct bw_str line = {0};
		bw_out_line(c->out, "%s -- %s", topics[t].name, topics[t].about);
		for (int is_info = 0; is_info <= 1; is_info++) {
			size_t n;
			const struct bw_command *table =
				is_info ? bw_info_commands(&n) : bw_commands(&n);
			for (size_t i = 0; i < n; i++) {
				if (is_alias(table, i) || !is_about(&table[i], &topics[t]))
					continue;
				if (line.len + strlen(table[i].name) + 8 > WIDTH) {
					bw_out_line(c->out, "   %s,", bw_str_text(&line));
					bw_str_clear(&line);
				}
				bw_str_addf(&line, "%s%s%s", line.len ? ", " : " ",
					    is_info ? "info " : "", table[i].name);
			}
		}
		bw_out_line(c->out, "   %s", bw_str_text(&line));
		bw_str_free(&line);
	}
	bw_out_line(
		c->out,
		"\n\"help TOPIC\" says what its commands do, \"help COMMAND\" has examples, \"help all\" lists all of them;\n"
		"\"apropos WORD\" searches. Unique beginnings of commands are enough; Enter repeats.");
}

static void show_examples(struct bw_cli *c, const struct bw_command *cmd)
{
	json_t *list = json_array();
	bw_out_line(c->out, "%s", strchr(cmd->examples, '\n') ? "Examples:" : "Example:");
	for (const char *p = cmd->examples; *p;) {
		size_t n = strcspn(p, "\n");
		bw_out_line(c->out, "  %.*s", (int)n, p);
		json_array_append_new(list, json_stringn(p, n));
		p += n + (p[n] == '\n');
	}
	bw_out_json(c->out, "examples", list);
}

/* Shows the help of one setting, or of all that begin with a word such as "logging". False: there
 * is none. */
static bool help_setting(struct bw_cli *c, const char *name)
{
	size_t n, n_found = 0, len = strlen(name);
	const struct bw_help_setting *all = bw_help_settings(&n), *s = NULL;
	for (size_t i = 0; i < n; i++) {
		bool same = !strcmp(all[i].name, name);
		if (!same && (!bw_starts_with(all[i].name, name) || all[i].name[len] != ' '))
			continue;
		s = &all[i];
		n_found++;
	}
	if (!n_found)
		return false;
	if (n_found == 1) {
		char example[96];
		snprintf(example, sizeof(example), "set %s %s", s->name, s->example);
		bw_out_line(c->out, "set %s %s", s->name, s->values);
		bw_out_line(c->out, "%s", s->about);
		bw_out_line(c->out, "Example:\n  %s", example);
		bw_out_str(c->out, "usage", s->values);
		bw_out_str(c->out, "help", s->about);
		bw_out_json(c->out, "examples", json_pack("[s]", example));
		return true;
	}
	json_t *found = json_array();
	for (s = all; s < all + n; s++) {
		if (!bw_starts_with(s->name, name) || s->name[len] != ' ')
			continue;
		bw_out_line(c->out, "%-18s %s", s->name, s->about);
		json_array_append_new(
			found, json_pack("{s:s+, s:s}", "name", "set ", s->name, "help", s->about));
	}
	bw_out_json(c->out, "commands", found);
	return true;
}

/* The further help of a command. If a command has several names, the first has it. */
static const char *more_of(const struct bw_command *table, size_t n, const struct bw_command *cmd)
{
	for (size_t i = 0; i < n; i++)
		if (table[i].run == cmd->run && !is_alias(table, i))
			return table[i].more;
	return cmd->more;
}

static void show_words(struct bw_cli *c, const char *key, const char *(*word)(size_t i),
		       json_t *list)
{
	struct bw_str text = {0};
	const char *w;
	for (size_t i = 0; (w = word(i)); i++) {
		bw_str_addf(&text, " %s", w);
		json_array_append_new(list, json_string(w));
	}
	bw_out_line(c->out, "%s:%s", key, bw_str_text(&text));
	bw_str_free(&text);
}

static void show_settings(struct bw_cli *c, json_t *list)
{
	size_t n;
	const struct bw_help_setting *all = bw_help_settings(&n);
	bw_out_line(c->out, "SETTING:");
	for (size_t i = 0; i < n; i++) {
		bw_out_line(c->out, "  %s %s", all[i].name, all[i].values);
		json_array_append_new(list, json_string(all[i].name));
	}
}

/* The words that a command's own table has. */
static void show_table(struct bw_cli *c, const struct bw_command *cmd)
{
	json_t *list = json_array();
	bool is_catch = cmd->run == bw_cmd_catch || cmd->run == bw_cmd_tcatch;
	if (is_catch)
		show_words(c, "KIND", bw_cli_exception_word, list);
	if (is_catch || cmd->run == bw_cmd_break || cmd->run == bw_cmd_tbreak)
		show_words(c, "PROPERTY", bw_debug_dispatch_property, list);
	if (cmd->run == bw_cmd_set || cmd->run == bw_cmd_show)
		show_settings(c, list);
	bw_out_json(c->out, "words", list);
}

struct bw_error *bw_cmd_help(struct bw_cli *c, const char *args)
{
	if (!args[0]) {
		list_topics(c);
		return NULL;
	}
	char word[64];
	size_t n;
	const struct bw_command *table = bw_commands(&n), *cmd;
	bw_take_word(&args, word, sizeof(word));
	if (bw_cli_help_defined(c, word))
		return NULL;
	const struct bw_help_topic *topic = bw_help_topic(word);
	if (topic || !strcmp(word, "all")) {
		if (topic)
			bw_out_line(c->out, "%s\n", topic->about);
		list_commands(c, topic);
		return NULL;
	}
	BW_TRY(bw_command_find(table, n, word, "command", &cmd));
	bool info = cmd->run == bw_cmd_info;
	if (info && args[0]) {
		table = bw_info_commands(&n);
		BW_TRY(bw_command_find(table, n, args, "info command", &cmd));
	}
	bool setting = cmd->run == bw_cmd_set || cmd->run == bw_cmd_show;
	if (setting && args[0] && help_setting(c, args))
		return NULL;
	bw_out_line(c->out, "%s%s%s%s", info && args[0] ? "info " : "", cmd->name,
		    cmd->args[0] ? " " : "", cmd->args);
	bw_out_line(c->out, "%s", cmd->help);
	const char *more = more_of(table, n, cmd);
	if (more)
		bw_out_line(c->out, "%s", more);
	bw_out_str(c->out, "more", more ? more : "");
	if (!setting || !args[0])
		show_table(c, cmd);
	bw_out_str(c->out, "usage", cmd->args);
	bw_out_str(c->out, "help", cmd->help);
	show_examples(c, cmd);
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
		return bw_errorf(BW_E_INVALID, "\"%s\" is not a regular expression: %s", args, why);
	}
	s.found = json_array();
	table = bw_commands(&n);
	search_commands(&s, "", table, n);
	table = bw_info_commands(&n);
	search_commands(&s, "info ", table, n);
	const struct bw_help_topic *topics = bw_help_topics(&n);
	for (size_t i = 0; i < n; i++)
		if (fits(&s, topics[i].name) || fits(&s, topics[i].about))
			tell(&s, "help ", topics[i].name, topics[i].about);
	const struct bw_help_setting *settings = bw_help_settings(&n);
	for (size_t i = 0; i < n; i++)
		if (fits(&s, settings[i].name) || fits(&s, settings[i].about))
			tell(&s, "set ", settings[i].name, settings[i].about);
	regfree(&s.pattern);
	if (!json_array_size(s.found))
		bw_out_line(c->out, "No command, topic or setting mentions \"%s\".", args);
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
