/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_TYPES_H
#define BW_SYM_TYPES_H

/* Types of the debug information, as the program's own language has them. They are owned by the
 * bw_lines that they were read from, live until it is closed, and are the same pointer each time:
 * types that refer to themselves (a list's node) are rings. Those that lie in each other by value
 * (members, elements, typedefs) never are, and are nested 64 deep at most; a member lies within its
 * struct. Whatever the information says otherwise is a BW_CTYPE_UNKNOWN. */

#include "sym/lines.h"

enum bw_ctype_kind {
	BW_CTYPE_VOID,
	BW_CTYPE_BOOL,
	BW_CTYPE_INT,	  /* is_signed, is_char */
	BW_CTYPE_FLOAT,	  /* 2 (half, or __bf16: is_bfloat), 4, 8 bytes */
	BW_CTYPE_ENUM,	  /* elem: the integer it is stored as */
	BW_CTYPE_POINTER, /* elem: what is there; also references: is_reference */
	BW_CTYPE_ARRAY,	  /* elem, count; of several dimensions: an array of arrays */
	BW_CTYPE_VECTOR,  /* int4: elem, count; size_b may be more than count elements (int3) */
	BW_CTYPE_STRUCT,  /* members; also C++ classes */
	BW_CTYPE_UNION,
	BW_CTYPE_FUNCTION,
	BW_CTYPE_TYPEDEF,   /* name; elem: what it stands for */
	BW_CTYPE_QUALIFIED, /* const, volatile: name says which; elem */
	BW_CTYPE_UNKNOWN,   /* damaged, or of a kind that is not supported: name says which */
};

/* DW_AT_address_class of clang-19's pointers (doc/hardware/code-objects.md 7). */
enum bw_address_class { BW_ADDRESS_GENERIC, BW_ADDRESS_PRIVATE, BW_ADDRESS_LOCAL };
/* "__private", "__local"; "" for the others, which that information does not tell apart. */
const char *bw_address_class_name(enum bw_address_class class);

struct bw_ctype;

struct bw_cmember {
	const char
		*name; /* NULL: an anonymous struct or union, whose members are seen as one's own */
	const struct bw_ctype *type;
	uint64_t offset_b;
	unsigned bit_offset, bit_size; /* a bit field; bit_size 0: none. From offset_b upwards */
	bool is_base;		       /* a C++ base class */
};

struct bw_cenumerator {
	const char *name;
	int64_t value;
};

struct bw_ctype {
	enum bw_ctype_kind kind;
	const char *name; /* "int", "item_t", "struct node" (with the keyword in C), NULL: none */
	uint64_t size_b;  /* 0: not known */
	uint64_t align_b; /* that the source asks for; 0: its own */
	bool is_signed, is_char, is_bfloat, is_reference;
	enum bw_address_class address_class; /* POINTER */
	const struct bw_ctype *elem;
	uint64_t count;	   /* ARRAY, VECTOR; 0 for an array: not known */
	uint64_t stride_b; /* ARRAY: from one element to the next; 0: as long as those are */
	bool is_block;	   /* STRUCT: a buffer of a shader */
	/* STRUCT, UNION of C++: DW_CC_pass_by_value, given and returned as in C, or
	 * DW_CC_pass_by_reference, by an address; 0: not known */
	uint8_t convention;
	bool is_prototyped; /* FUNCTION: of no parameters it is (void), not () */
	/* FUNCTION: types of its parameters; NULL is "..." */
	const struct bw_ctype *const *params;
	size_t n_params;
	const struct bw_cmember *members; /* STRUCT, UNION */
	size_t n_members;
	const struct bw_cenumerator *enumerators;
	size_t n_enumerators;
	bool is_enum_class; /* its enumerators are in its own scope, not in the one around it */
};

/* Bytes from one element of an array or vector to the next. */
uint64_t bw_ctype_stride(const struct bw_ctype *t);
/* Typedefs and qualifiers off; never NULL, at most BW_CTYPE_UNKNOWN. */
const struct bw_ctype *bw_ctype_strip(const struct bw_ctype *t);
/* "__private item_t *", "int [4][3]", "float4", "struct {...}": as C declares it, without a
 * name. */
void bw_ctype_name(const struct bw_ctype *t, char *out, size_t out_b);
/* Like bw_ctype_name, with what its typedefs stand for: "const unsigned int *" of "id_t *". */
void bw_ctype_name_unrolled(const struct bw_ctype *t, char *out, size_t out_b);
/* The offset of the last part of a C++ name: 5 of "zoo::i", 5 of "zoo::box<zoo::i>". */
size_t bw_last_part(const char *name);
/* The number of bytes of t->name that stand before "::" in the names of its enumerators: 10 of the
 * enum class "zoo::color", 3 of the enum "zoo::flags"; 0: none, as in C. */
size_t bw_ctype_enum_scope(const struct bw_ctype *t);
/* The type of the function that begins at that address, inlined copies aside; NULL: not known. */
const struct bw_ctype *bw_lines_function_type(struct bw_lines *l, uint64_t entry);
/* A type by the name that users write ("item_t", "struct node", "enum color"); NULL: none. */
const struct bw_ctype *bw_lines_type_named(struct bw_lines *l, const char *name);

#endif
