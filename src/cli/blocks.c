/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* Lines that are kept for later: "commands N" ... "end" for the stops of a breakpoint, "define NAME"
 * ... "end" for a command of the user's own. */

enum { MAX_DEPTH = 50, MAX_ARGS = 10 };

struct bw_block {
	uint32_t breakpoint; /* 0: a defined command */
	char *name;          /* of that */
	char **lines;
	size_t n_lines;
};

static void empty(struct bw_block *b)
{
	for (size_t i = 0; i < b->n_lines; i++)
		free(b->lines[i]);
	free(b->lines);
	b->lines = NULL;
	b->n_lines = 0;
}

void bw_cli_free_blocks(struct bw_cli *c)
{
	for (size_t i = 0; i < c->n_blocks; i++) {
		empty(&c->blocks[i]);
		free(c->blocks[i].name);
	}
	free(c->blocks);
	c->blocks = NULL;
	c->n_blocks = 0;
	c->collecting = NULL;
}

static struct bw_block *find(const struct bw_cli *c, uint32_t breakpoint, const char *name)
{
	for (size_t i = 0; i < c->n_blocks; i++) {
		struct bw_block *b = &c->blocks[i];
		if (name ? b->name && !strcmp(b->name, name) : b->breakpoint == breakpoint && !b->name)
			return b;
	}
	return NULL;
}

/* Lines up to "end" belong to it from here on; what it held before is gone. */
static struct bw_error *begin(struct bw_cli *c, uint32_t breakpoint, const char *name)
{
	struct bw_block *b = find(c, breakpoint, name);
	if (!b) {
		struct bw_block *grown = reallocarray(c->blocks, c->n_blocks + 1, sizeof(*grown));
		if (!grown)
			return bw_error_nomem();
		c->blocks = grown;
		b = &grown[c->n_blocks];
		*b = (struct bw_block){.breakpoint = breakpoint, .name = name ? strdup(name) : NULL};
		if (name && !b->name)
			return bw_error_nomem();
		c->n_blocks++;
	}
	empty(b);
	c->collecting = b;
	return NULL;
}

bool bw_cli_collects(const struct bw_cli *c)
{
	return c->collecting;
}

struct bw_error *bw_cli_collect(struct bw_cli *c, const char *line)
{
	struct bw_block *b = c->collecting;
	line = bw_skip_blanks(line);
	size_t len = strlen(line);
	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	if (len == 3 && !strncmp(line, "end", 3)) {
		c->collecting = NULL;
		return NULL;
	}
	if (!len || line[0] == '#')
		return NULL;
	char **grown = reallocarray(b->lines, b->n_lines + 1, sizeof(*grown));
	if (!grown)
		return bw_error_nomem();
	b->lines = grown;
	grown[b->n_lines] = strndup(line, len);
	if (!grown[b->n_lines])
		return bw_error_nomem();
	b->n_lines++;
	return NULL;
}

struct bw_error *bw_cli_end_blocks(struct bw_cli *c)
{
	if (!c->collecting)
		return NULL;
	c->collecting = NULL;
	return bw_errorf(BW_E_INVALID, "the last \"commands\" or \"define\" has no \"end\"");
}

/* ---- Running ---- */

static struct bw_error *deeper(struct bw_cli *c)
{
	if (c->depth >= MAX_DEPTH)
		return bw_errorf(BW_E_INVALID, "commands that run commands are nested too deeply (%d)", MAX_DEPTH);
	c->depth++;
	return NULL;
}

/* $arg0 ... $arg9 and $argc by their text. */
static struct bw_error *substitute(const char *line, char *const *args, size_t n_args, struct bw_str *out)
{
	for (const char *p = line; *p;) {
		bool arg = !strncmp(p, "$arg", 4) && (isdigit((unsigned char)p[4]) || p[4] == 'c') &&
			   !isalnum((unsigned char)p[5]) && p[5] != '_';
		if (!arg) {
			bw_str_addn(out, p++, 1);
		} else if (p[4] == 'c') {
			bw_str_addf(out, "%zu", n_args);
			p += 5;
		} else if ((size_t)(p[4] - '0') >= n_args) {
			return bw_errorf(BW_E_INVALID, "Missing argument %d in user function.", p[4] - '0');
		} else {
			bw_str_add(out, args[p[4] - '0']);
			p += 5;
		}
	}
	return NULL;
}

/* The block may be changed, and the list of blocks moved, by what it runs. */
static struct bw_error *copy_lines(const struct bw_block *b, char ***out, size_t *out_n)
{
	char **copy = calloc(b->n_lines + 1, sizeof(*copy));
	if (!copy)
		return bw_error_nomem();
	for (size_t i = 0; i < b->n_lines; i++)
		copy[i] = strdup(b->lines[i]);
	*out = copy;
	*out_n = b->n_lines;
	return NULL;
}

static void free_lines(char **lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(lines[i]);
	free(lines);
}

struct bw_error *bw_cli_run_defined(struct bw_cli *c, const char *line, bool *out_ran)
{
	char name[64], *args[MAX_ARGS] = {NULL}, **lines;
	size_t n_args = 0, n;
	const char *rest = line;
	bw_take_word(&rest, name, sizeof(name));
	struct bw_block *b = find(c, 0, name);
	*out_ran = b;
	if (!b)
		return NULL;
	BW_TRY(deeper(c));
	struct bw_error *err = copy_lines(b, &lines, &n);
	while (!err && rest[0] && n_args < MAX_ARGS) {
		char word[256];
		bw_take_word(&rest, word, sizeof(word));
		args[n_args++] = strdup(word);
	}
	for (size_t i = 0; !err && i < n && !c->quit; i++) {
		struct bw_str text = {0};
		err = lines[i] ? substitute(lines[i], args, n_args, &text) : bw_error_nomem();
		if (!err)
			err = bw_cli_execute(c, bw_str_text(&text));
		bw_str_free(&text);
	}
	free_lines(lines, n);
	for (size_t i = 0; i < n_args; i++)
		free(args[i]);
	c->depth--;
	return err;
}

bool bw_cli_is_silent(const struct bw_cli *c, uint32_t breakpoint)
{
	const struct bw_block *b = breakpoint ? find(c, breakpoint, NULL) : NULL;
	return b && b->n_lines && !strcmp(b->lines[0], "silent");
}

/* A command that lets the program run ends the list, as in gdb: what comes next is the next stop's. */
static struct bw_error *run_commands_of(struct bw_cli *c, uint32_t breakpoint)
{
	char **lines;
	size_t n;
	const struct bw_block *b = find(c, breakpoint, NULL);
	if (!b)
		return NULL;
	BW_TRY(copy_lines(b, &lines, &n));
	struct bw_error *err = NULL;
	for (size_t i = bw_cli_is_silent(c, breakpoint); !err && i < n && !c->quit && !c->stopped_at; i++)
		err = lines[i] ? bw_cli_execute(c, lines[i]) : bw_error_nomem();
	free_lines(lines, n);
	return err;
}

struct bw_error *bw_cli_run_stop_commands(struct bw_cli *c)
{
	struct bw_error *err = NULL;
	if (c->depth || !c->stopped_at)
		return NULL;
	c->depth++;
	while (!err && c->stopped_at && !c->quit) {
		uint32_t at = c->stopped_at;
		c->stopped_at = 0;
		err = run_commands_of(c, at);
	}
	c->stopped_at = 0;
	c->depth--;
	return err;
}

/* ---- Commands ---- */

struct bw_error *bw_cmd_commands(struct bw_cli *c, const char *args)
{
	size_t n = 0;
	const struct bw_break_info *list = bw_debug_breakpoints(c->debug, &n);
	uint64_t number = n ? list[n - 1].number : 0;
	if (args[0] && (!bw_parse_u64(args, &number) || number > UINT32_MAX))
		return bw_errorf(BW_E_INVALID, "\"commands\" takes a breakpoint number, not \"%s\"", args);
	if (!number)
		return bw_errorf(BW_E_INVALID, "No breakpoints specified.");
	if (!bw_debug_breakpoint(c->debug, (uint32_t)number))
		return bw_errorf(BW_E_NOT_FOUND, "No breakpoint number %u", (unsigned)number);
	return begin(c, (uint32_t)number, NULL);
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
		if (!strcmp(table[i].name, name) || (table[i].shortest && !strcmp(table[i].shortest, name)))
			return bw_errorf(BW_E_INVALID, "\"%s\" is a command already", name);
	return begin(c, 0, name);
}
