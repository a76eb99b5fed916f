/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_LINE_H
#define BW_CRASH_LINE_H

/* Words and numbers in a line of text, which ends with a zero. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text that follows `words` in the line, or NULL. */
const char *bw_crash_after(const char *line, const char *words);
/* A number of a base at *p, which moves past it. */
bool bw_crash_number(const char **p, int base, uint64_t *out);
/* The number after a word: "word 0x..." or decimal. */
bool bw_crash_number_after(const char *line, const char *word, uint64_t *out);
/* Copies at most n bytes of text, cut where out has no room. */
void bw_crash_copy(char *out, size_t out_b, const char *text, size_t n);

#endif
