/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_BLOCKS_H
#define BW_CLI_BLOCKS_H

/* Blocks of lines that run later: blocks.c collects them up to their "end" and stores those of
 * breakpoints and of user-defined commands, control.c runs them. */

#include "cli/cli.h"

enum bw_block_kind {
	BW_BLOCK_BREAKPOINT, /* commands N */
	BW_BLOCK_DEFINED,    /* define NAME */
	BW_BLOCK_DOCUMENT,   /* document NAME: text for help */
	BW_BLOCK_CONTROL,    /* if and while at the prompt: run at once and not stored */
};

struct bw_lines_kept {
	char **line; /* owned, and so is each line */
	size_t n;
};

struct bw_block {
	enum bw_block_kind kind;
	uint32_t breakpoint;
	bool each_wave; /* commands -each-wave */
	/* a dprintf that has failed: the error was reported, and it prints no more */
	bool has_failed;
	char *name; /* owned; name of the user-defined command */
	struct bw_lines_kept lines, document;
};

/* How a line changes the nesting of blocks, by its first word. */
enum bw_block_word {
	BW_WORD_OTHER,
	BW_WORD_IF,
	BW_WORD_WHILE,
	BW_WORD_ELSE,
	BW_WORD_END,
	BW_WORD_OPENS
};
enum bw_block_word bw_block_word(const char *line);

void bw_lines_kept_fini(struct bw_lines_kept *k);
struct bw_error *bw_lines_kept_add(struct bw_lines_kept *k, const char *line,
				   size_t len) BW_MUST_CHECK;
struct bw_error *bw_lines_kept_copy(const struct bw_lines_kept *k,
				    struct bw_lines_kept *out) BW_MUST_CHECK;

/* Replaces the commands of a breakpoint by one line. */
struct bw_error *bw_block_set(struct bw_cli *c, uint32_t breakpoint,
			      const char *line) BW_MUST_CHECK;
/* The block of a breakpoint's commands; NULL: there is none. Borrowed until the next block ends. */
struct bw_block *bw_block_of_breakpoint(const struct bw_cli *c, uint32_t number);
struct bw_block *bw_block_of_command(const struct bw_cli *c, const char *name);

/* control.c. The arguments of a user-defined command; NULL outside of one. */
struct bw_block_args {
	char *arg[32];
	size_t n;
};
struct bw_error *bw_run_lines(struct bw_cli *c, const struct bw_lines_kept *k,
			      const struct bw_block_args *args) BW_MUST_CHECK;

#endif
