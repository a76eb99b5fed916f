/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_STRING_LIST_H
#define BW_BASE_STRING_LIST_H

/* Lists of texts that the list owns: names, the words of a program. */

#include "base/error.h"
#include "base/vec.h"

struct bw_strings BW_VEC(char *);

/* Adds a copy. text NULL: adds NULL, which ends an argv. */
struct bw_error *bw_strings_add(struct bw_strings *s, const char *text) BW_MUST_CHECK;
/* Adds a copy of each text, up to NULL. */
struct bw_error *bw_strings_add_all(struct bw_strings *s, const char *const *texts) BW_MUST_CHECK;
struct bw_error *bw_strings_addf(struct bw_strings *s, const char *fmt, ...)
	BW_PRINTF(2, 3) BW_MUST_CHECK;
/* Takes over an allocated text, and frees it after an error. text NULL: there was no memory for it,
 * which is the error. */
struct bw_error *bw_strings_take(struct bw_strings *s, char *text) BW_MUST_CHECK;
/* Leaves an empty list. */
void bw_strings_free(struct bw_strings *s);

#endif
