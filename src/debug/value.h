/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_VALUE_H
#define BW_DEBUG_VALUE_H

/* Values of expressions. A value carries its type and, where it can be assigned to, the place it
 * was read from. src/ui applies formats (x d u o t f a c s z). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debug/wave_reg.h"
#include "sym/variables.h"

enum bw_type_kind {
	BW_TYPE_VOID,
	BW_TYPE_INT,   /* signed, 1 2 4 8 bytes */
	BW_TYPE_UINT,  /* 1, 2, 4 or 8 bytes; also addresses of code (is_code) */
	BW_TYPE_FLOAT, /* 2 4 8 bytes */
	/* 8 bytes in global, 4 in other address spaces; elem describes what it points to */
	BW_TYPE_POINTER,
	BW_TYPE_TEXT,	   /* $_dispatch_pos and similar variables */
	BW_TYPE_AGGREGATE, /* a struct, union, array or vector of the program: ctype says which */
};

/* Address spaces, by the names users type before '#'. */
enum bw_space {
	BW_SPACE_GLOBAL,  /* global# generic# */
	BW_SPACE_LDS,	  /* local# lds#: offset in the workgroup's LDS */
	BW_SPACE_PRIVATE, /* private_lane# private# scratch#: offset in one lane's scratch */
};

struct bw_type {
	enum bw_type_kind kind;
	uint8_t size_b;
	bool is_code;	  /* UINT: shown as an address with its symbol */
	bool is_function; /* is_code: the value is the name of a function */
	/* POINTER: describes one level; the element of a pointer to a pointer is a UINT of 8
	 * bytes */
	enum bw_space space;
	enum bw_type_kind elem_kind;
	uint8_t elem_size_b; /* 0: void */
	uint8_t depth;	     /* 1 for T *, 2 for T ** */
	bool is_bfloat;	     /* FLOAT of 2 bytes */
	/* The type as the program declares it; if set, it alone describes what a pointer points to.
	 * NULL for registers, numbers and results of arithmetic. Borrowed from the session. */
	const struct bw_ctype *ctype;
};

enum bw_place_kind {
	BW_PLACE_NONE,
	BW_PLACE_REG,
	BW_PLACE_MEMORY,
	BW_PLACE_VAR,
	BW_PLACE_PIECES, /* a variable in registers, or in several places: bytes->location */
};

/* The bytes of a variable that is not in memory, and of aggregates that were read: shared by the
 * values that are parts of it. Some bytes may be unknown. */
struct bw_bytes {
	unsigned n_refs;
	size_t size_b;
	char why[96]; /* why some bytes are not known; "": they were optimized out */
	struct bw_location location;
	uint8_t *data, *known; /* known: 0 or 1 for each byte */
};

struct bw_value {
	struct bw_type type; /* the type of one element */
	uint64_t bits;	     /* the value, zero- or sign-extended to 64 bits; FLOAT: its own bits */
	/* Elements if there is more than one: a register across lanes ($v3), an array (p@8).
	 * Otherwise NULL and 0. Owned. */
	uint64_t *elem;
	size_t n_elem;
	bool across_lanes; /* elem[i] is lane i */
	bool is_triple;	   /* the three elements are x, y and z of a position */
	uint64_t exec;	   /* across_lanes: the active lanes */
	char text[64];	   /* TEXT */
	/* The value is the part of these bytes at bytes_at. NULL: it is in memory and read when it
	 * is needed, or comes from arithmetic. A counted reference. */
	struct bw_bytes *bytes;
	uint32_t bytes_at;
	bool is_missing; /* it has no value; bytes->why says why. Never set for aggregates */
	uint8_t bit_offset, bit_size; /* a bit field: counted from its address upwards; bit_size 0:
				       * not a bit field */

	/* from where it was read, for assignment and for & */
	enum bw_place_kind place;
	struct bw_wave_reg reg; /* REG: which register */
	uint32_t var;		/* VAR: number of the variable */
	/* NONE: the vector to whose components, in this order, assignments go; owned. NULL: not
	 * components of a vector */
	struct bw_value *vector;
	uint8_t component[16];
	/* REG: the lane of a VGPR, -1: all. MEMORY: the lane whose private space it is */
	int lane;
	enum bw_space space; /* MEMORY: the address space */
	uint64_t va;	     /* MEMORY: address or offset in its space */
};

void bw_value_fini(struct bw_value *v);
/* New bytes, none of them known, with one reference. NULL: out of memory. */
struct bw_bytes *bw_bytes_new(size_t size_b);
struct bw_bytes *bw_bytes_ref(struct bw_bytes *b);
void bw_bytes_unref(struct bw_bytes *b);
/* Copies a value with its elements. The caller owns out. */
struct bw_error *bw_value_copy(const struct bw_value *v, struct bw_value *out) BW_MUST_CHECK;
/* Element i, converted to the result's type; i is 0 for a value without elements. */
double bw_value_f64(const struct bw_value *v, size_t i);
int64_t bw_value_i64(const struct bw_value *v, size_t i);
/* An error if the value has no number: a struct, or a variable without a value. */
struct bw_error *bw_value_need_number(const struct bw_value *v) BW_MUST_CHECK;
/* Whether the value is true; if it has one for each lane, in that lane. */
struct bw_error *bw_value_truth(const struct bw_value *v, unsigned lane, bool *out) BW_MUST_CHECK;
/* The name of a type: "float", "unsigned int", "struct node *". Static for scalars, otherwise
 * written into out. */
enum { BW_TYPE_NAME_MAX = 256 };
const char *bw_type_name(const struct bw_type *t, char out[BW_TYPE_NAME_MAX]);
/* Makes a bw_type of a type of the program: kind and size. */
struct bw_type bw_type_of(const struct bw_ctype *c);
/* The size of a value in bytes; 0: not known. */
uint64_t bw_type_size(const struct bw_type *t);
/* The type of an aggregate without typedefs and qualifiers; NULL: not an aggregate. */
const struct bw_ctype *bw_type_aggregate(const struct bw_type *t);
/* Reads a value of type t from bytes (as long as the type, little endian), or a bit field in
 * them. */
uint64_t bw_type_decode(const struct bw_type *t, const uint8_t *bytes, unsigned bit_offset,
			unsigned bit_size);
/* Parses a C type name as it is in a kernel's metadata: "float*", "unsigned int". */
bool bw_type_parse(const char *text, struct bw_type *out);
/* Extends bits that the type stores, to what bw_value.bits needs. */
uint64_t bw_type_extend(const struct bw_type *t, uint64_t bits);
/* Converts half precision to and from float, rounding to nearest even. */
float bw_float_of_half(uint16_t h);
uint16_t bw_half_of_float(float f);

#endif
