/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_COMPLETE_H
#define BW_CLI_COMPLETE_H

/* Completion of words at the prompt. */

#include "base/vec.h"
#include "cli/cli.h"

struct bw_candidates BW_VEC(char *);
/* Adds the first len bytes of a word that begins with prefix, once. */
void bw_cli_add_candidate(struct bw_candidates *out, const char *word, const char *prefix,
			  size_t len);
/* Adds each of several candidates, with blanks between them. */
void bw_cli_add_words(struct bw_candidates *out, const char *words, const char *prefix);
/* Words that could stand at the end of a line; word points to the last one within it, which is
 * begun. Owned (bw_debug_free_words); NULL: none. */
char **bw_cli_complete(struct bw_cli *c, const char *line, const char *word);
/* Lines of no more than `width` characters, unless a single word is longer. */
void bw_cli_add_columns(struct bw_str *out, char *const *words, unsigned width);
/* cmd_set.c: names of settings, or of what can be shown, and values; before: the words in front. */
void bw_cli_add_settings(struct bw_candidates *out, const char *before, const char *prefix,
			 bool set);

#endif
