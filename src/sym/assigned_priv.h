/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_ASSIGNED_PRIV_H
#define BW_SYM_ASSIGNED_PRIV_H

/* The parts of reading assignments in a source: assigned.c reads statements, assigned_macros.c
 * macros. */

#include <ctype.h>
#include <string.h>

#include "sym/assigned.h"

static inline bool bw_is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static inline size_t bw_word_length(const char *text)
{
	size_t n = 0;
	while (bw_is_of_word(text[n]))
		n++;
	return n;
}

static inline bool bw_word_is(const char *text, const char *word)
{
	size_t n = bw_word_length(text);
	return strlen(word) == n && strncmp(text, word, n) == 0;
}

/* Whether a macro that the file defines in its first lines assigns something, and has that name in
 * it; NULL: any. True in doubt. */
bool bw_macros_assign(const struct bw_assigned *a, unsigned last_line, const char *name);

#endif
