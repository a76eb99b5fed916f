/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_VALUE_H
#define BW_DEBUG_VALUE_H

/* Values of expressions. A value carries its type and, where it can be assigned to, the place it
 * was read from. Formats (x d u o t f a c s z) are the ui's. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "debug/wave_reg.h"
#include "sym/variables.h"

enum bw_type_kind {
	BW_TYPE_VOID,
	BW_TYPE_INT,	   /* signed, 1 2 4 8 bytes */
	BW_TYPE_UINT,	   /* and addresses of code: is_code */
	BW_TYPE_FLOAT,	   /* 2 4 8 bytes */
	BW_TYPE_POINTER,   /* 8 bytes in global, 4 in the other spaces; elem says what is there */
	BW_TYPE_TEXT,	   /* $_dispatch_pos and its like */
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
	bool is_code;	  /* UINT: show as an address with its symbol */
	bool is_function; /* is_code: what the name of a function is */
	/* POINTER: one level of it; deeper pointers are pointers to UINT of 8 bytes */
	enum bw_space space;
	enum bw_type_kind elem_kind;
	uint8_t elem_size_b; /* 0: void */
	uint8_t depth;	     /* 1 for T *, 2 for T ** */
	bool is_bfloat;	     /* FLOAT of 2 bytes */
	/* As the program declares it, and then it alone says what a pointer points to; NULL for
	 * registers, numbers and results of arithmetic. Borrowed from the session. */
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
 * values that are parts of it. Not all bytes need be known. */
struct bw_bytes {
	unsigned n_refs;
	size_t size_b;
	char why[96]; /* why some are not known; "": they were optimized out */
	struct bw_location location;
	uint8_t *data, *known; /* known: 0 or 1 for each byte */
};

struct bw_value {
	struct bw_type type; /* of one element */
	uint64_t bits;	     /* the value, zero- or sign-extended to 64 bits; FLOAT: its own bits */
	/* More than one element: registers across lanes ($v3), arrays (p@8). Else NULL and 0.
	 * Owned. */
	uint64_t *elem;
	size_t n_elem;
	bool across_lanes; /* elem[i] is lane i */
	bool is_triple;	   /* x, y and z of a position */
	uint64_t exec;	   /* across_lanes: the active ones */
	char text[64];	   /* TEXT */
	/* A part of a variable of the program, at bytes_at; NULL: it is in memory, read when it is
	 * needed, or was made by arithmetic. Counted reference. */
	struct bw_bytes *bytes;
	uint32_t bytes_at;
	bool is_missing; /* it has no value: see bytes->why. Never set for aggregates */
	uint8_t bit_offset, bit_size; /* of a bit field, from its address upwards; bit_size 0: none
				       */

	/* where it was read, for assignment and for & */
	enum bw_place_kind place;
	struct bw_wave_reg reg; /* REG */
	uint32_t var;		/* VAR: number of the variable */
	/* NONE: components of that vector, in that order, which assignments go to; owned. NULL: it
	 * is none of those */
	struct bw_value *vector;
	uint8_t component[16];
	int lane;	     /* REG: of a VGPR, -1: all. MEMORY: of private space */
	enum bw_space space; /* MEMORY */
	uint64_t va;	     /* MEMORY: address or offset in its space */
};

void bw_value_fini(struct bw_value *v);
/* All of them not known; one reference. NULL: out of memory. */
struct bw_bytes *bw_bytes_new(size_t size_b);
struct bw_bytes *bw_bytes_ref(struct bw_bytes *b);
void bw_bytes_unref(struct bw_bytes *b);
/* out: owned by the caller, with its own copy of the elements. */
struct bw_error *bw_value_copy(const struct bw_value *v, struct bw_value *out) BW_MUST_CHECK;
/* Element i as a number of the type asked for; i is 0 for a value without elements. */
double bw_value_f64(const struct bw_value *v, size_t i);
int64_t bw_value_i64(const struct bw_value *v, size_t i);
/* An error for what has no number: a struct, or a variable without a value. */
struct bw_error *bw_value_need_number(const struct bw_value *v) BW_MUST_CHECK;
/* Whether a condition holds, in that lane where it has a value for each. */
struct bw_error *bw_value_truth(const struct bw_value *v, unsigned lane, bool *out) BW_MUST_CHECK;
/* "float", "unsigned int", "struct node *": static for scalars, else written into out. */
enum { BW_TYPE_NAME_MAX = 256 };
const char *bw_type_name(const struct bw_type *t, char out[BW_TYPE_NAME_MAX]);
/* The type of values of a type of the program: its kind and its size. */
struct bw_type bw_type_of(const struct bw_ctype *c);
/* Bytes of a value; 0: not known. */
uint64_t bw_type_size(const struct bw_type *t);
/* Its aggregate's type without typedefs and qualifiers; NULL for others. */
const struct bw_ctype *bw_type_aggregate(const struct bw_type *t);
/* The value of a type at bytes (as long as the type, little endian), or of a bit field there. */
uint64_t bw_type_decode(const struct bw_type *t, const uint8_t *bytes, unsigned bit_offset,
			unsigned bit_size);
/* A C type name as metadata has it, "float*" or "unsigned int". */
bool bw_type_parse(const char *text, struct bw_type *out);
/* Bits as the type stores them, extended as bw_value wants them. */
uint64_t bw_type_extend(const struct bw_type *t, uint64_t bits);
/* Half precision, both ways (round to nearest even). */
float bw_float_of_half(uint16_t h);
uint16_t bw_half_of_float(float f);

#endif
