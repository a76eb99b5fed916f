/* SPDX-License-Identifier: MIT */
#include "cli/help.h"
#include "cli/commands.h"
#include "cli/complete.h"
#include "debug/breaks.h"
#include "debug/expressions.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"
#include "tui/layout.h"

/* Words that could end a line, and how they are listed. */

void bw_cli_add_candidate(struct bw_strings *out, const char *word, const char *prefix, size_t len)
{
	if (strncmp(word, prefix, strlen(prefix)) != 0 || strlen(prefix) > len)
		return;
	char *copy = strndup(word, len);
	for (size_t i = 0; copy && i < out->len; i++) {
		if (strcmp(out->data[i], copy) == 0) {
			free(copy);
			return;
		}
	}
	struct bw_error *err = copy ? bw_vec_push(out, copy) : NULL;
	if (err)
		free(copy);
	bw_error_free(err);
}

void bw_cli_add_words(struct bw_strings *out, const char *words, const char *prefix)
{
	for (const char *p = bw_skip_blanks(words); *p;) {
		size_t n = strcspn(p, " ");
		bw_cli_add_candidate(out, p, prefix, n);
		p = bw_skip_blanks(p + n);
	}
}

static char **finish(struct bw_strings *list)
{
	struct bw_error *err = bw_vec_push(list, NULL);
	if (!err)
		return list->data;
	bw_error_free(err);
	bw_strings_free(list);
	return NULL;
}

static void add_table(struct bw_strings *out, const struct bw_command *table, size_t n,
		      const char *prefix)
{
	for (size_t i = 0; i < n; i++)
		bw_cli_add_candidate(out, table[i].name, prefix, strlen(table[i].name));
}

static void add_topics(struct bw_strings *out, const char *prefix)
{
	size_t n;
	const struct bw_help_topic *topics = bw_help_topics(&n);
	for (size_t i = 0; i < n; i++)
		bw_cli_add_candidate(out, topics[i].name, prefix, strlen(topics[i].name));
	bw_cli_add_words(out, "all", prefix);
}

/* Completes "catch": first the kind, then the kind's own words. */
static void add_catch_words(struct bw_strings *out, const char *before, const char *prefix)
{
	char kind[16];
	const char *word;
	bw_take_word(&before, kind, sizeof(kind));
	if (!kind[0])
		bw_cli_add_words(out, "fp dispatch", prefix);
	else if (!strcmp(kind, "fp"))
		for (size_t i = 0; (word = bw_cli_exception_word(i)); i++)
			bw_cli_add_words(out, word, prefix);
	else if (!strcmp(kind, "dispatch")) {
		bw_cli_add_words(out, "every if", prefix);
		for (size_t i = 0; (word = bw_debug_dispatch_property(i)); i++)
			bw_cli_add_words(out, word, prefix);
	}
}

/* Names of layouts or of windows, and what else can stand there. */
static void add_screen_words(struct bw_strings *out, enum bw_complete what, const char *prefix)
{
	if (what == BW_COMPLETE_TUI) {
		bw_cli_add_words(out, "enable disable focus layout mem refresh reg winheight",
				 prefix);
		return;
	}
	bool layouts = what == BW_COMPLETE_LAYOUT;
	unsigned n = layouts ? (unsigned)BW_TUI_LAYOUTS : (unsigned)BW_TUI_WINDOWS;
	for (unsigned i = 0; i < n; i++)
		bw_cli_add_words(out,
				 layouts ? bw_tui_layout_name((enum bw_tui_layout)i)
					 : bw_tui_window_name((enum bw_tui_window)i),
				 prefix);
	bw_cli_add_words(out, "next prev", prefix);
}

/* Words that stand for themselves in what a command takes: "[all | count]" has two. */
static void add_usage_words(struct bw_strings *out, const char *usage, const char *prefix)
{
	for (const char *p = usage; *p;) {
		size_t n = strcspn(p, " []|");
		bool is_word = n > 0;
		for (size_t i = 0; i < n; i++)
			is_word &= (p[i] >= 'a' && p[i] <= 'z') || p[i] == '-';
		if (is_word)
			bw_cli_add_candidate(out, p, prefix, n);
		p += n ? n : 1;
	}
}

/* Registers as "info registers" takes them: without the $. */
static void add_registers(struct bw_strings *out, struct bw_cli *c, const char *prefix)
{
	struct bw_str name = {0};
	bw_str_addf(&name, "$%s", prefix);
	char **words = bw_debug_complete_expr(c->debug, bw_str_text(&name));
	for (size_t i = 0; words && words[i]; i++)
		if (words[i][0] == '$' && words[i][1] != '_')
			bw_cli_add_candidate(out, words[i] + 1, prefix, strlen(words[i] + 1));
	bw_debug_free_words(words);
	bw_str_free(&name);
}

/* "break on dispatch ..." */
static bool add_dispatch_words(struct bw_strings *out, const char *before, const char *prefix)
{
	char on[8], dispatch[16];
	bw_take_word(&before, on, sizeof(on));
	bw_take_word(&before, dispatch, sizeof(dispatch));
	if (strcmp(on, "on") != 0)
		return false;
	if (strcmp(dispatch, "dispatch") == 0)
		add_catch_words(out, "dispatch", prefix);
	else if (!dispatch[0])
		bw_cli_add_words(out, "dispatch", prefix);
	return true;
}

/* After the waves of "wave apply all COMMAND"; NULL: the word is one of those still. */
static const char *applied_command(const char *args, const char *word)
{
	bool has_waves = false;
	char first[16];
	bw_take_word(&args, first, sizeof(first));
	for (args = bw_skip_blanks(args); args < word; args = bw_skip_blanks(args)) {
		size_t n = strcspn(args, " ");
		bool is_waves = strchr("0123456789", *args) ||
				(n == 3 && !strncmp(args, "all", n)) ||
				(n == 7 && !strncmp(args, "-active", n));
		if (!is_waves && *args != '-')
			return has_waves ? args : NULL;
		has_waves |= is_waves;
		args += n;
	}
	return has_waves && args == word ? word : NULL;
}

static char **complete_line(struct bw_cli *c, const struct bw_command *table, size_t n,
			    const char *line, const char *word);

/* Completes the arguments of a command. args: the text after its name and format, up to the end of
 * the line. */
static char **complete_args(struct bw_cli *c, const struct bw_command *cmd, const char *args,
			    const char *word)
{
	struct bw_strings found = {0};
	const struct bw_command *table;
	size_t n;
	_cleanup_free_ char *before = strndup(args, word > args ? (size_t)(word - args) : 0);
	if (!before)
		return NULL;
	const char *rest = bw_skip_blanks(args);
	switch (cmd->complete) {
	case BW_COMPLETE_EXPR:
		return bw_debug_complete_expr(c->debug, word);
	case BW_COMPLETE_WHERE:
		if (add_dispatch_words(&found, before, word))
			break;
		return bw_debug_complete_where(c->debug, word);
	case BW_COMPLETE_INFO:
		table = bw_info_commands(&n);
		return complete_line(c, table, n, rest, word);
	case BW_COMPLETE_COMMAND:
		if (bw_starts_with(before, "info ")) {
			table = bw_info_commands(&n);
			add_table(&found, table, n, word);
			break;
		}
		if (bw_starts_with(before, "set ") || bw_starts_with(before, "show ")) {
			bool set = before[1] == 'e';
			bw_cli_add_settings(&found, strchr(before, ' '), word, set);
			break;
		}
		table = bw_commands(&n);
		add_table(&found, table, n, word);
		add_topics(&found, word);
		break;
	case BW_COMPLETE_SET:
		if (word[0] == '$' || strchr(before, '$') || strchr(before, '='))
			return bw_debug_complete_expr(c->debug, word);
		bw_cli_add_settings(&found, before, word, true);
		break;
	case BW_COMPLETE_SHOW:
		bw_cli_add_settings(&found, before, word, false);
		break;
	case BW_COMPLETE_CATCH:
		add_catch_words(&found, before, word);
		break;
	case BW_COMPLETE_REGISTERS:
		add_registers(&found, c, word);
		add_usage_words(&found, cmd->args, word);
		break;
	case BW_COMPLETE_TUI:
		if (bw_starts_with(before, "mem "))
			return bw_debug_complete_expr(c->debug, word);
		if (before[0]) { /* tui layout src */
			table = bw_commands(&n);
			return complete_line(c, table, n, rest, word);
		}
		/* fall through */
	case BW_COMPLETE_LAYOUT:
	case BW_COMPLETE_WINDOW:
		if (!before[0])
			add_screen_words(&found, cmd->complete, word);
		break;
	case BW_COMPLETE_WAVES:
		if (bw_starts_with(before, "apply ")) {
			const char *applied = applied_command(args, word);
			table = bw_commands(&n);
			if (applied)
				return complete_line(c, table, n, applied, word);
			bw_cli_add_words(&found,
					 cmd->run == bw_cmd_lane ? "all -active" : "all -q -s",
					 word);
		} else if (!before[0]) {
			add_usage_words(&found, cmd->args, word);
		}
		break;
	case BW_COMPLETE_NONE:
	case BW_COMPLETE_FILE:
		if (before[0])
			return NULL;
		add_usage_words(&found, cmd->args, word);
		break;
	}
	return finish(&found);
}

static char **complete_line(struct bw_cli *c, const struct bw_command *table, size_t n,
			    const char *line, const char *word)
{
	struct bw_strings found = {0};
	const struct bw_command *cmd;
	if (word <= line) {
		add_table(&found, table, n, word);
		return finish(&found);
	}
	size_t name_b = strcspn(line, " /");
	_cleanup_free_ char *name = strndup(line, name_b);
	struct bw_error *err =
		name ? bw_command_find(table, n, name, "command", &cmd) : bw_error_nomem();
	if (err) {
		bw_error_free(err);
		return NULL;
	}
	const char *args = line + name_b;
	if (*args == '/') /* a format */
		args += strcspn(args, " ");
	args = bw_skip_blanks(args);
	return complete_args(c, cmd, args < word ? args : word, word);
}

char **bw_cli_complete(struct bw_cli *c, const char *line, const char *word)
{
	size_t n;
	const struct bw_command *table = bw_commands(&n);
	return complete_line(c, table, n, line, word);
}

/* Columns, filled downwards as ls does; a word is never broken. */
void bw_cli_add_columns(struct bw_str *out, char *const *words, unsigned width)
{
	size_t n = 0, longest = 0;
	for (; words[n]; n++)
		longest = BW_MAX(longest, strlen(words[n]));
	if (!n)
		return;
	size_t columns = BW_MAX(width / (longest + 2), (size_t)1);
	size_t rows = (n + columns - 1) / columns;
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = row; i < n; i += rows)
			bw_str_addf(out, "%-*s", i + rows < n ? (int)longest + 2 : 0, words[i]);
		bw_str_add(out, "\n");
	}
}
