/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_STR_H
#define BW_BASE_STR_H

/* Text: a growing string, and the small questions that commands ask of words. A string that ran out
 * of memory stays as it was and remembers it: check once, at the end. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct bw_str {
	char *data; /* NULL or NUL-terminated */
	size_t len, cap;
	bool failed;
};

void bw_str_add(struct bw_str *s, const char *text);
void bw_str_addn(struct bw_str *s, const char *text, size_t n);
void bw_str_addf(struct bw_str *s, const char *fmt, ...) BW_PRINTF(2, 3);
void bw_str_pad(struct bw_str *s, size_t column); /* spaces up to this length */
/* A list: the next text in it, after ", " if the string is not empty. */
void bw_str_add_next(struct bw_str *s, const char *text);
/* A list of n things in a sentence: adds the mark before thing i, which is `last` (" and ", " or ")
 * before the last thing. */
void bw_str_add_mark(struct bw_str *s, size_t i, size_t n, const char *last);
void bw_str_clear(struct bw_str *s);
void bw_str_free(struct bw_str *s);
/* The text itself, never NULL, borrowed until the next change. */
const char *bw_str_text(const struct bw_str *s);
/* Hands the text out (owned by the caller) and empties the string; NULL when out of memory. */
char *bw_str_take(struct bw_str *s);

/* Length of the UTF-8 sequence at text, 0 if there is none. */
size_t bw_utf8_length(const char *text);
/* Text from outside (names that programs give, files, messages), such that a terminal only shows
 * it: control characters, those of Unicode (U+0080 to U+009F) and what is not UTF-8 as \ooo, each
 * byte. kept: control characters that stay, "\n\t". */
void bw_str_add_printable(struct bw_str *s, const char *text, const char *kept);
/* A word of a command line, as a shell takes it: quoted where it has to be. */
void bw_str_add_word(struct bw_str *s, const char *word);

/* Numbers as users type them: decimal, 0x hexadecimal, 0b binary, 0 octal, a leading minus, and for
 * sizes a last k, M or G. The whole text must be the number. */
bool bw_parse_u64(const char *text, uint64_t *out_value);
bool bw_parse_i64(const char *text, int64_t *out_value);
bool bw_parse_f64(const char *text, double *out_value);

bool bw_starts_with(const char *text, const char *prefix);
/* What follows the last slash of a path: "saxpy.hip". A URI of code in memory, which has no such
 * part, is shown whole. */
const char *bw_base_name(const char *path);
/* The first character that is no white space (isspace), or the end. */
const char *bw_skip_blanks(const char *text);
/* Copies the first word of *s to out (cut at out_b), and moves *s after it and the blanks that
 * follow. */
void bw_take_word(const char **s, char *out, size_t out_b);

/* Edits needed to turn a into b (insert, delete, replace, swap neighbours). */
unsigned bw_edit_distance(const char *a, const char *b);
/* The candidates nearest to word, best first, at most `max` of them and only those near enough to
 * be what was meant. Fills out_index, returns how many. */
size_t bw_nearest(const char *word, const char *const *candidates, size_t n, size_t *out_index,
		  size_t max);

#endif
