/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_SPIRV_RECORD_PRIV_H
#define BW_SYM_SPIRV_RECORD_PRIV_H

/* spirv_record_plan.c chooses what is recorded and follows pointers; spirv_record.c writes. */

#include "sym/spirv_priv.h"
#include "sym/spirv_record.h"

enum {
	VERSION_1_4 = 0x10400, /* entry points list all variables of the module from here on */
};
enum {
	HEADER_WORDS = 4, /* of the record */
	LEAVES_MAX = 256, /* scalars of a variable */
	WORDS_MAX = BW_SPIRV_RECORD_MAX_B / 4,
	DYNAMIC_MAX = 4,
	HEIGHT_MAX = 16,
	MIN_WORDS = 128, /* Mesa keeps an array of 256 bytes and less in registers */
};

/* A variable or a function's parameter with a place in the record. */
struct recorded {
	uint32_t id, type; /* of its value */
	uint32_t at, flag; /* words */
	uint32_t function; /* its index + 1; 0: of the module */
	bool is_param, has_initializer, is_dropped;
};

/* A place where a line of the source begins. */
struct begun_line {
	uint32_t file, line; /* OpLine */
	uint32_t function;   /* its id */
	bool goes_on;	     /* it has begun before */
};

struct dynamic {
	uint32_t index; /* id of an integer of 32 bits */
	uint32_t stride, count;
};

/* A pointer to a recorded variable or into it. */
struct pointer {
	uint32_t id;
	uint32_t variable; /* index */
	uint32_t type, word;
	unsigned n_dynamic;
	struct dynamic dynamic[DYNAMIC_MAX];
};

struct bw_spv_record_job {
	struct bw_spirv *s;
	struct bw_spirv_words out;
	struct bw_error *err; /* the first */
	uint32_t next_id;
	struct BW_VEC(struct recorded) variables;
	struct BW_VEC(struct pointer) pointers; /* of the function */
	/* by id, of the shader as it was */
	uint32_t *pointer_at;		 /* index + 1 in pointers, if that has this id; 0: none */
	uint32_t *result_type;		 /* of results; 0: not known */
	const struct bw_ctype **ctypes;	 /* of types; NULL: not asked for yet */
	uint32_t n_words;		 /* of the record */
	struct BW_VEC(uint32_t) entries; /* functions */
	/* ids */
	uint32_t uint_type, uvec2_type, uvec3_type, bool_type, pointer_type, input_type, record;
	bool adds_uint, adds_uvec2, adds_uvec3, adds_bool, adds_pointer, adds_input;
	/* the built-in variable that the zero is made of, and the type of its value */
	uint32_t source, source_type, float_type, vec4_type;
	bool adds_source, adds_float, adds_vec4;
	struct BW_VEC(uint32_t) constants; /* pairs: a value, and its id */
	struct BW_VEC(uint32_t) pairs;	   /* a float's id, and that of a vector of two of it */
	struct BW_VEC(struct begun_line) lines; /* by mark */
	/* of the function that is written */
	uint32_t opaque;		   /* the zero that no compiler knows */
	uint32_t file, line;		   /* OpLine */
	uint32_t marked_file, marked_line; /* in this block */
	bool has_called;		   /* since that mark */
	uint32_t tie;	   /* a zero that was loaded after it, in this block; 0: none yet */
	bool is_inherited; /* the line is of a block before */
};

/* spirv_record_plan.c */
/* Gives each variable that can be recorded a place. functions_at: a word, of the first function. */
void bw_spv_record_plan(struct bw_spv_record_job *j, size_t functions_at);
/* A function begins; they are counted from 1. */
void bw_spv_record_enter(struct bw_spv_record_job *j, uint32_t function);
/* An instruction of it: pointers are followed through access chains. */
void bw_spv_record_follow(struct bw_spv_record_job *j, const uint32_t *w, uint32_t n);
/* The type that a pointer type of that storage points to; 0: it is not such a type. */
uint32_t bw_spv_record_pointee(const struct bw_spv_record_job *j, uint32_t type, uint32_t storage);
/* The variable that an id points to, if it is recorded; else NULL. Borrowed until the next of these
 * calls. */
struct pointer *bw_spv_record_pointer(struct bw_spv_record_job *j, uint32_t id);
/* The opcode that defines an id of the module; 0: none. */
uint32_t bw_spv_record_op(const struct bw_spv_record_job *j, uint32_t id);
const struct bw_ctype *bw_spv_record_ctype(struct bw_spv_record_job *j, uint32_t type);
/* The element `i` of a composite type; adds to *word where it begins. 0: there is none. */
uint32_t bw_spv_record_element(struct bw_spv_record_job *j, uint32_t type, uint32_t i,
			       uint32_t *word);
/* The number of elements of a composite type. */
uint64_t bw_spv_record_count(struct bw_spv_record_job *j, uint32_t type);

/* spirv_record_emit.c: appended to out */
void bw_spv_put(struct bw_spv_record_job *j, const uint32_t *words, size_t n);
void bw_spv_put_op(struct bw_spv_record_job *j, uint32_t op, const uint32_t *operands, size_t n);
/* An instruction whose operands end in a text: `first` is the one before it. */
void bw_spv_put_text(struct bw_spv_record_job *j, uint32_t op, uint32_t first, const char *text);
uint32_t bw_spv_new_id(struct bw_spv_record_job *j);
/* The id of a constant uint: always a new one, or the one that is there. */
uint32_t bw_spv_new_constant(struct bw_spv_record_job *j, uint32_t value);
uint32_t bw_spv_constant_id(struct bw_spv_record_job *j, uint32_t value);
/* A type of these operands; a new id where there is none yet. */
uint32_t bw_spv_find_type(struct bw_spv_record_job *j, uint32_t op, const uint32_t *operands,
			  uint32_t n, bool *is_new);
#define EMIT(j, op, ...)                                                                           \
	bw_spv_put_op(j, op, (const uint32_t[]){__VA_ARGS__},                                      \
		      sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* An instruction with a result of a type; its id. */
#define EMIT_NEW(j, op, type, ...)                                                                 \
	({                                                                                         \
		uint32_t id_ = bw_spv_new_id(j);                                                   \
		EMIT(j, op, type, id_, __VA_ARGS__);                                               \
		id_;                                                                               \
	})

#define TYPE(j, is_new, op, ...)                                                                   \
	bw_spv_find_type(j, op, (const uint32_t[]){__VA_ARGS__},                                   \
			 sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), is_new)

/* spirv_record_store.c */
/* Word 0 of the record, a zero that no compiler knows. */
uint32_t bw_spv_record_zero(struct bw_spv_record_job *j);
void bw_spv_record_store(struct bw_spv_record_job *j, uint32_t base, uint32_t word, uint32_t value);
/* A value that is stored to a recorded variable; what one may have been assigned by a call. */
void bw_spv_record_value(struct bw_spv_record_job *j, const struct pointer *p, uint32_t value);
void bw_spv_record_again(struct bw_spv_record_job *j, uint32_t id);

/* spirv_record_order.c: what accesses buffers and LDS after a mark stays after it, and in front
 * of the next one. */
void bw_spv_record_fence(struct bw_spv_record_job *j);
/* An instruction of a function as it is to be written: w itself, or a copy in `copy` (n words) that
 * depends on the mark. Writes the instructions that this needs. */
const uint32_t *bw_spv_record_tie(struct bw_spv_record_job *j, const uint32_t *w, uint32_t n,
				  uint32_t *copy);

#endif
