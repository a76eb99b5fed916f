/* SPDX-License-Identifier: MIT */
#ifndef BW_UI_PRINT_FORMAT_H
#define BW_UI_PRINT_FORMAT_H

/* Values to text with gdb's letters: print/FMT and x/NFU. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* The parsed letters of x/8xw or print/x. */
struct bw_print_format {
	uint32_t count; /* 1 when not given */
	bool has_count;
	char letter; /* one of x z d u o t a c f s i; 0: the value's own form */
	char unit;   /* one of b h w g, or 0 */
};

/* Parses a format. units: a count and a unit are allowed (x), not only a letter (print). */
struct bw_error *bw_print_format_parse(const char *text, bool units,
				       struct bw_print_format *out) BW_MUST_CHECK;
/* The size in bytes of the units b, h, w, g: 1, 2, 4, 8. */
unsigned bw_print_format_unit_size(char unit);
/* The size in bytes of one unit that x shows in this format. */
unsigned bw_print_format_size(const struct bw_print_format *f);

enum bw_value_kind {
	BW_KIND_SIGNED,
	BW_KIND_UNSIGNED,
	BW_KIND_FLOAT,
	BW_KIND_POINTER,
	BW_KIND_BOOL
};

/* Appends the size_b low bytes (1, 2, 4 or 8) of bits. letter 0: in the form of its kind. Letters
 * apply to the bits (as in gdb since version 8): print/x of a float shows its encoding. */
void bw_print_value(struct bw_str *out, uint64_t bits, unsigned size_b, enum bw_value_kind kind,
		    char letter);

/* Appends a float as gdb prints it: with 9 or 17 digits, enough to read the same value back; inf,
 * nan(0x400000). */
void bw_print_float(struct bw_str *out, uint64_t bits, unsigned size_b);

/* Appends a character as gdb writes it between such quotes: "\n", "\033". */
void bw_print_char(struct bw_str *out, uint8_t c, char quote);

/* Appends elements up to a limit, with equal neighbours folded as in gdb: {1, 2, 0 <repeats 30
 * times>}. text(i) appends element i; same(i, j) compares. */
struct bw_print_limits {
	unsigned elements; /* number of elements that are shown */
	/* more equal neighbours than this are folded, and count as so many elements */
	unsigned repeats;
};
typedef void bw_element_fn(struct bw_str *out, size_t i, void *cookie);
typedef bool bw_same_fn(size_t i, size_t j, void *cookie);
void bw_print_array(struct bw_str *out, size_t n, const struct bw_print_limits *limits,
		    bw_element_fn *text, bw_same_fn *same, void *cookie);

/* Appends the set bits of a lane mask as ranges: "0-15,17,20-31"; "none". */
void bw_print_lanes(struct bw_str *out, uint64_t mask);

#endif
