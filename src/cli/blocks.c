/* SPDX-License-Identifier: MIT */
#include "cli/blocks.h"
#include "cli/commands.h"
#include "debug/breaks.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/util.h"

/* Collecting blocks: "commands N", "define NAME", "document NAME", "if EXPR" and "while EXPR" take
 * the lines up to the matching "end". */

/* ---- Lines ---- */

void bw_lines_kept_fini(struct bw_lines_kept *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->line[i]);
	free(k->line);
	*k = (struct bw_lines_kept){0};
}

struct bw_error *bw_lines_kept_add(struct bw_lines_kept *k, const char *line, size_t len)
{
	char **grown = reallocarray(k->line, k->n + 1, sizeof(*grown));
	if (!grown)
		return bw_error_nomem();
	k->line = grown;
	grown[k->n] = strndup(line, len);
	if (!grown[k->n])
		return bw_error_nomem();
	k->n++;
	return NULL;
}

struct bw_error *bw_lines_kept_copy(const struct bw_lines_kept *k, struct bw_lines_kept *out)
{
	struct bw_error *err = NULL;
	*out = (struct bw_lines_kept){0};
	for (size_t i = 0; !err && i < k->n; i++)
		err = bw_lines_kept_add(out, k->line[i], strlen(k->line[i]));
	if (err)
		bw_lines_kept_fini(out);
	return err;
}

enum bw_block_word bw_block_word(const char *line)
{
	/* clang-format off */
	static const struct {
		const char *word;
		enum bw_block_word is;
	} rows[] = {
		{"if", BW_WORD_IF},	       {"while", BW_WORD_WHILE},   {"else", BW_WORD_ELSE}, {"end", BW_WORD_END},
		{"commands", BW_WORD_OPENS}, {"define", BW_WORD_OPENS}, {"document", BW_WORD_OPENS},
	};
	/* clang-format on */
	line = bw_skip_blanks(line);
	size_t n = 0;
	while (isalnum((unsigned char)line[n]) || line[n] == '-' || line[n] == '_')
		n++;
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++)
		if (strlen(rows[i].word) == n && !strncmp(line, rows[i].word, n))
			return rows[i].is;
	return BW_WORD_OTHER;
}

/* ---- Stored blocks ---- */

static void block_fini(struct bw_block *b)
{
	bw_lines_kept_fini(&b->lines);
	bw_lines_kept_fini(&b->document);
	free(b->name);
}

void bw_cli_free_blocks(struct bw_cli *c)
{
	for (size_t i = 0; i < c->blocks.n; i++)
		block_fini(&c->blocks.block[i]);
	free(c->blocks.block);
	c->blocks.block = NULL;
	c->blocks.n = 0;
	bw_cli_cancel_block(c);
	free(c->blocks.collecting_for);
	c->blocks.collecting_for = NULL;
}

struct bw_block *bw_block_of_breakpoint(const struct bw_cli *c, uint32_t number)
{
	for (size_t i = 0; i < c->blocks.n; i++)
		if (c->blocks.block[i].kind == BW_BLOCK_BREAKPOINT &&
		    c->blocks.block[i].breakpoint == number)
			return &c->blocks.block[i];
	return NULL;
}

struct bw_block *bw_block_of_command(const struct bw_cli *c, const char *name)
{
	for (size_t i = 0; i < c->blocks.n; i++)
		if (c->blocks.block[i].kind == BW_BLOCK_DEFINED &&
		    !strcmp(c->blocks.block[i].name, name))
			return &c->blocks.block[i];
	return NULL;
}

static struct bw_error *new_block(struct bw_cli *c, enum bw_block_kind kind, const char *name,
				  struct bw_block **out)
{
	struct bw_block *grown = reallocarray(c->blocks.block, c->blocks.n + 1, sizeof(*grown));
	if (!grown)
		return bw_error_nomem();
	c->blocks.block = grown;
	struct bw_block *b = &grown[c->blocks.n];
	*b = (struct bw_block){.kind = kind, .name = name ? strdup(name) : NULL};
	if (name && !b->name)
		return bw_error_nomem();
	c->blocks.n++;
	*out = b;
	return NULL;
}

static struct bw_error *keep_for_breakpoint(struct bw_cli *c, uint32_t number, bool each_wave,
					    const struct bw_lines_kept *lines)
{
	struct bw_block *b = bw_block_of_breakpoint(c, number);
	if (!b)
		BW_TRY(new_block(c, BW_BLOCK_BREAKPOINT, NULL, &b));
	b->breakpoint = number;
	b->each_wave = each_wave;
	b->has_failed = false;
	bw_lines_kept_fini(&b->lines);
	return bw_lines_kept_copy(lines, &b->lines);
}

struct bw_error *bw_block_set(struct bw_cli *c, uint32_t breakpoint, const char *line)
{
	struct bw_lines_kept lines = {0};
	struct bw_error *err = bw_lines_kept_add(&lines, line, strlen(line));
	if (!err)
		err = keep_for_breakpoint(c, breakpoint, false, &lines);
	bw_lines_kept_fini(&lines);
	return err;
}

static struct bw_error *keep_command(struct bw_cli *c, const struct bw_block *from)
{
	struct bw_block *b = bw_block_of_command(c, from->name);
	if (!b)
		BW_TRY(new_block(c, BW_BLOCK_DEFINED, from->name, &b));
	struct bw_lines_kept *to = from->kind == BW_BLOCK_DOCUMENT ? &b->document : &b->lines;
	bw_lines_kept_fini(to);
	return bw_lines_kept_copy(&from->lines, to);
}

/* ---- Collecting ---- */

static struct bw_error *begin(struct bw_cli *c, enum bw_block_kind kind, const char *name)
{
	struct bw_block *b = calloc(1, sizeof(*b));
	if (!b)
		return bw_error_nomem();
	b->kind = kind;
	b->name = name ? strdup(name) : NULL;
	if (name && !b->name) {
		free(b);
		return bw_error_nomem();
	}
	c->blocks.collecting = b;
	c->blocks.depth = 1;
	return NULL;
}

bool bw_cli_collects(const struct bw_cli *c)
{
	return c->blocks.collecting;
}

static struct bw_error *finish(struct bw_cli *c)
{
	struct bw_block *b = c->blocks.collecting;
	struct bw_error *err = NULL;
	c->blocks.collecting = NULL;
	switch (b->kind) {
	case BW_BLOCK_BREAKPOINT:
		for (size_t i = 0; !err && i < c->blocks.n_collecting_for; i++)
			err = keep_for_breakpoint(c, c->blocks.collecting_for[i], b->each_wave,
						  &b->lines);
		break;
	case BW_BLOCK_DEFINED:
	case BW_BLOCK_DOCUMENT:
		err = keep_command(c, b);
		break;
	case BW_BLOCK_CONTROL:
		err = bw_run_lines(c, &b->lines, NULL);
		break;
	}
	block_fini(b);
	free(b);
	return err;
}

struct bw_error *bw_cli_collect(struct bw_cli *c, const char *line)
{
	struct bw_block *b = c->blocks.collecting;
	bool text = b->kind == BW_BLOCK_DOCUMENT; /* text, not commands: only the next "end"
						   * counts */
	if (!text)
		line = bw_skip_blanks(line);
	size_t len = strlen(line);
	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	enum bw_block_word word = bw_block_word(line);
	if (word == BW_WORD_END) {
		if (--c->blocks.depth == 0) {
			if (b->kind == BW_BLOCK_CONTROL)
				BW_TRY(bw_lines_kept_add(&b->lines, "end", 3));
			return finish(c);
		}
	} else if (!text &&
		   (word == BW_WORD_IF || word == BW_WORD_WHILE || word == BW_WORD_OPENS)) {
		c->blocks.depth++;
	}
	if (!text && (!len || line[0] == '#'))
		return NULL;
	return bw_lines_kept_add(&b->lines, line, len);
}

void bw_cli_cancel_block(struct bw_cli *c)
{
	if (c->blocks.collecting)
		block_fini(c->blocks.collecting);
	free(c->blocks.collecting);
	c->blocks.collecting = NULL;
}

struct bw_error *bw_cli_end_blocks(struct bw_cli *c)
{
	if (!c->blocks.collecting)
		return NULL;
	static const char *const words[] = {
		[BW_BLOCK_BREAKPOINT] = "commands",
		[BW_BLOCK_DEFINED] = "define",
		[BW_BLOCK_DOCUMENT] = "document",
		[BW_BLOCK_CONTROL] = "if\" or \"while",
	};
	enum bw_block_kind kind = c->blocks.collecting->kind;
	bw_cli_cancel_block(c);
	return bw_errorf(BW_E_INVALID, "the last \"%s\" has no \"end\"", words[kind]);
}

/* ---- Commands ---- */

static struct bw_error *add_breakpoint(struct bw_cli *c, uint32_t number, void *cookie)
{
	const struct bw_break_info *b = bw_debug_breakpoint(c->debug, number);
	if (!b)
		return bw_errorf(BW_E_NOT_FOUND, "No breakpoint number %u", number);
	if (b->passes)
		return bw_errorf(
			BW_E_INVALID,
			"Breakpoint %u is a dprintf, which stops nothing and has no other commands",
			number);
	uint32_t *grown = reallocarray(c->blocks.collecting_for, c->blocks.n_collecting_for + 1,
				       sizeof(*grown));
	if (!grown)
		return bw_error_nomem();
	c->blocks.collecting_for = grown;
	grown[c->blocks.n_collecting_for++] = number;
	return NULL;
}

struct bw_error *bw_cmd_commands(struct bw_cli *c, const char *args)
{
	static const char option[] = "-each-wave";
	size_t n = 0, len = strlen(option);
	const struct bw_break_info *list = bw_debug_breakpoints(c->debug, &n);
	bool each_wave = bw_starts_with(args, option) && (!args[len] || args[len] == ' ');
	if (each_wave)
		args = bw_skip_blanks(args + len);
	c->blocks.n_collecting_for = 0;
	if (args[0])
		BW_TRY(bw_cli_each_number(c, args, add_breakpoint, NULL));
	else if (!n)
		return bw_errorf(BW_E_INVALID, "No breakpoints specified");
	else
		BW_TRY(add_breakpoint(c, list[n - 1].number, NULL));
	BW_TRY(begin(c, BW_BLOCK_BREAKPOINT, NULL));
	c->blocks.collecting->each_wave = each_wave;
	return NULL;
}

struct bw_error *bw_cmd_define(struct bw_cli *c, const char *args)
{
	char name[64];
	bw_take_word(&args, name, sizeof(name));
	bool good = isalpha((unsigned char)name[0]);
	for (const char *p = name; *p; p++)
		good &= isalnum((unsigned char)*p) || *p == '_' || *p == '-';
	if (!good || args[0])
		return bw_errorf(BW_E_INVALID, "\"define\" takes the name of a command");
	size_t n;
	const struct bw_command *table = bw_commands(&n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(table[i].name, name) ||
		    (table[i].shortest && !strcmp(table[i].shortest, name)))
			return bw_errorf(BW_E_INVALID, "\"%s\" is a command already", name);
	return begin(c, BW_BLOCK_DEFINED, name);
}

struct bw_error *bw_cmd_document(struct bw_cli *c, const char *args)
{
	if (!bw_block_of_command(c, args))
		return bw_errorf(
			BW_E_NOT_FOUND,
			"\"document\" takes the name of a command that \"define\" has made");
	return begin(c, BW_BLOCK_DOCUMENT, args);
}

static struct bw_error *control(struct bw_cli *c, const char *word, const char *args)
{
	struct bw_str line = {0};
	if (!args[0])
		return bw_errorf(BW_E_INVALID, "if/while commands require arguments");
	BW_TRY(begin(c, BW_BLOCK_CONTROL, NULL));
	bw_str_addf(&line, "%s %s", word, args);
	struct bw_error *err =
		bw_lines_kept_add(&c->blocks.collecting->lines, bw_str_text(&line), line.len);
	bw_str_free(&line);
	return err;
}

struct bw_error *bw_cmd_if(struct bw_cli *c, const char *args)
{
	return control(c, "if", args);
}

struct bw_error *bw_cmd_while(struct bw_cli *c, const char *args)
{
	return control(c, "while", args);
}

/* The definition of one command, as it was typed. */
static void show_definition(struct bw_cli *c, const struct bw_block *b)
{
	bw_out_line(c->out, "User command \"%s\":", b->name);
	for (size_t i = 0; i < b->lines.n; i++)
		bw_out_line(c->out, "  %s", b->lines.line[i]);
}

struct bw_error *bw_show_user(struct bw_cli *c, const char *name)
{
	bool any = false;
	for (size_t i = 0; i < c->blocks.n; i++) {
		const struct bw_block *b = &c->blocks.block[i];
		if (b->kind != BW_BLOCK_DEFINED || (name[0] && strcmp(b->name, name)))
			continue;
		show_definition(c, b);
		any = true;
	}
	if (name[0] && !any)
		return bw_errorf(BW_E_NOT_FOUND, "Not a user command: \"%s\"", name);
	return NULL;
}

bool bw_cli_help_defined(struct bw_cli *c, const char *name)
{
	const struct bw_block *b = bw_block_of_command(c, name);
	if (!b)
		return false;
	for (size_t i = 0; i < b->document.n; i++)
		bw_out_line(c->out, "%s", b->document.line[i]);
	if (!b->document.n)
		bw_out_line(c->out, "User-defined; \"show user %s\" shows its lines.", name);
	return true;
}

/* The lines of a breakpoint's commands, as "info breakpoints" and "save breakpoints" show them. */
const char *const *bw_cli_commands_of(void *cookie, uint32_t breakpoint, size_t *out_n)
{
	const struct bw_cli *c = cookie;
	const struct bw_block *b = bw_block_of_breakpoint(c, breakpoint);
	*out_n = b ? b->lines.n : 0;
	return b ? (const char *const *)b->lines.line : NULL;
}
