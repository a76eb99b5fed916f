/* SPDX-License-Identifier: MIT */
#ifndef BW_LAUNCH_VALUE_H
#define BW_LAUNCH_VALUE_H

/* VALUEs of --arg, and how --print shows the elements of a buffer.
 *
 *     NUMBER                2, -1, 0x10, 2.5, 1e-3
 *     NUMBER,NUMBER...      a vector: 1,2,3,4
 *     zeros:N iota:N        N elements: 0 0 0 ..., 0 1 2 ...
 *     fill:N:V              N times V
 *     random:N[:SEED]       floats in [0, 1), integers of all bits; the same for the same seed
 * (default 1) file:PATH             the bytes of a file
 *
 * each with an optional last :TYPE. Pure, but for file:, which reads the file. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

enum bw_scalar {
	BW_SCALAR_F32,
	BW_SCALAR_F16,
	BW_SCALAR_F64,
	BW_SCALAR_I8,
	BW_SCALAR_U8,
	BW_SCALAR_I16,
	BW_SCALAR_U16,
	BW_SCALAR_I32,
	BW_SCALAR_U32,
	BW_SCALAR_I64,
	BW_SCALAR_U64,
	BW_SCALAR_COUNT
};

const char *bw_scalar_name(enum bw_scalar type);
unsigned bw_scalar_size(enum bw_scalar type);
bool bw_scalar_parse(const char *name, enum bw_scalar *out);
/* The element type of a metadata type name: "float*", "const uint4 *", "unsigned char". False when
 * it is a struct, a void pointer or unknown. */
bool bw_scalar_of_type_name(const char *type_name, enum bw_scalar *out);

struct bw_arg_value {
	enum bw_scalar type;
	bool is_buffer; /* one of the five forms with N or PATH; else numbers */
	uint64_t count; /* elements of type */
	uint8_t *data;	/* owned */
	size_t size_b;	/* count elements, or for file: the whole file */
};

/* default_type: of elements when the text names none; NULL: f32 for numbers with a point or
 * exponent, else i32. A number that does not fit its type is an error. */
struct bw_error *bw_arg_value_parse(const char *text, const enum bw_scalar *default_type,
				    struct bw_arg_value *out) BW_MUST_CHECK;
void bw_arg_value_fini(struct bw_arg_value *v);

/* One element as --print shows it: integers plain, floats with the fewest digits that read back as
 * the same number. */
void bw_arg_value_print(struct bw_str *out, enum bw_scalar type, const void *element);

#endif
