/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_COMPLETE_H
#define BW_CLI_COMPLETE_H

/* Completion of words at the prompt. */

#include "base/string_list.h"
#include "cli/cli.h"

/* Adds the first len bytes of a word, if it begins with prefix and was not added before. */
void bw_cli_add_candidate(struct bw_strings *out, const char *word, const char *prefix, size_t len);
/* Adds each of several candidates, which are separated by blanks. */
void bw_cli_add_words(struct bw_strings *out, const char *words, const char *prefix);
/* Completes the last word of a line; word points to its beginning in the line. The caller owns the
 * result (bw_debug_free_words); NULL: no words. */
char **bw_cli_complete(struct bw_cli *c, const char *line, const char *word);
/* Adds the words in lines of at most `width` characters, unless a single word is longer. */
void bw_cli_add_columns(struct bw_str *out, char *const *words, unsigned width);
/* cmd_set.c: adds names of settings, or of what can be shown, and values. before: the words before
 * the last one. */
void bw_cli_add_settings(struct bw_strings *out, const char *before, const char *prefix, bool set);

#endif
