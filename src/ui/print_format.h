/* SPDX-License-Identifier: MIT */
#ifndef BW_UI_PRINT_FORMAT_H
#define BW_UI_PRINT_FORMAT_H

/* Values to text with gdb's letters: print/FMT and x/NFU. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

/* "8xw" of x/8xw, "x" of print/x. */
struct bw_print_format {
	uint32_t count; /* 1 when not given */
	bool has_count;
	char letter; /* x z d u o t a c f s i, or 0: the value's own */
	char unit;   /* b h w g, or 0 */
};

/* units: whether a count and a unit are allowed (x) or only a letter (print). */
struct bw_error *bw_print_format_parse(const char *text, bool units,
				       struct bw_print_format *out) BW_MUST_CHECK;
/* 1, 2, 4, 8 bytes of b, h, w, g. */
unsigned bw_print_format_unit_size(char unit);
/* Bytes of one unit that x shows in this format. */
unsigned bw_print_format_size(const struct bw_print_format *f);

enum bw_value_kind {
	BW_KIND_SIGNED,
	BW_KIND_UNSIGNED,
	BW_KIND_FLOAT,
	BW_KIND_POINTER,
	BW_KIND_BOOL
};

/* Appends the size_b low bytes (1, 2, 4 or 8) of bits. letter 0: as the kind is. Letters take the
 * bits as they are (as gdb does since version 8): print/x of a float shows its encoding. */
void bw_print_value(struct bw_str *out, uint64_t bits, unsigned size_b, enum bw_value_kind kind,
		    char letter);

/* Floats as gdb prints them: 9 and 17 digits, enough to give the value back; inf, nan(0x400000). */
void bw_print_float(struct bw_str *out, uint64_t bits, unsigned size_b);

/* A character as gdb writes it between such quotes: "\n", "\033". */
void bw_print_char(struct bw_str *out, uint8_t c, char quote);

/* Elements up to a limit, equal neighbours folded the way gdb does: {1, 2, 0 <repeats 30 times>}.
 * text(i) appends element i; same(i, j) compares. */
struct bw_print_limits {
	unsigned elements; /* so many are shown */
	unsigned repeats;  /* more equal neighbours than that are folded, and count as so many */
};
typedef void bw_element_fn(struct bw_str *out, size_t i, void *cookie);
typedef bool bw_same_fn(size_t i, size_t j, void *cookie);
void bw_print_array(struct bw_str *out, size_t n, const struct bw_print_limits *limits,
		    bw_element_fn *text, bw_same_fn *same, void *cookie);

/* The set bits of a lane mask as ranges: "0-15,17,20-31"; "none". */
void bw_print_lanes(struct bw_str *out, uint64_t mask);

#endif
