/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_SPIRV_H
#define BW_SYM_SPIRV_H

/* Reads the source-level facts of a compute shader's SPIR-V: its file, its types, and its variables
 * with the places that the API gives them (SPIR-V 1.6). A pure reader of untrusted words. */

#include "sym/variables.h"

struct bw_spirv;

/* A specialization constant that was given a value. */
struct bw_spirv_constant {
	uint32_t id;
	uint64_t value;
};

/* Whether a module is whole; the error (BW_E_INVALID) says what is damaged and at which word. */
struct bw_error *bw_spirv_check(const uint32_t *words, size_t n) BW_MUST_CHECK;

/* Copies the words. entry: the name of the shader; NULL: the first one. Fails if this is
 * not SPIR-V. Damage after the header ends the reading; what was read before stays. */
struct bw_error *bw_spirv_open(const uint32_t *words, size_t n, const char *entry,
			       const struct bw_spirv_constant *constants, size_t n_constants,
			       struct bw_spirv **out) BW_MUST_CHECK;
void bw_spirv_close(struct bw_spirv *s);

/* The source file that the debug information names; NULL: none. Borrowed. */
const char *bw_spirv_file(const struct bw_spirv *s);
/* That, and the files that it includes; NULL past the last. Borrowed. */
const char *bw_spirv_file_at(const struct bw_spirv *s, size_t i);
/* The number of places in the shader that mark the beginning of a line (spirv_record.h). */
size_t bw_spirv_n_marks(const struct bw_spirv *s);
/* The number of the first of them (spirv_record.h). */
uint32_t bw_spirv_first_mark(const struct bw_spirv *s);
struct bw_spirv_line {
	const char *file; /* borrowed */
	unsigned line;
	uint32_t function; /* as bw_spirv_function_at has them; 0: not known */
	bool goes_on;	   /* it has begun before: after a call, or in another block */
};
/* The line that a mark is of; false: of none. */
bool bw_spirv_marked_line(const struct bw_spirv *s, uint32_t mark, struct bw_spirv_line *out);
/* Whether the module prints by debugPrintfEXT. */
bool bw_spirv_prints(const struct bw_spirv *s);
/* The text of a source file that is in the SPIR-V (glslang -g); NULL: it is not. Borrowed. */
const char *bw_spirv_source_text(const struct bw_spirv *s, const char *file);

/* The i-th variable; NULL past the last. Buffers, push constants and specialization constants are
 * parameters; an anonymous block's members are variables of their own, and the block is one by its
 * type's name. */
const struct bw_variable *bw_spirv_variable(const struct bw_spirv *s, size_t i);
/* The function that a source line is in, the entry point where that is not known; and whether a
 * variable is visible there. */
uint32_t bw_spirv_function_at(const struct bw_spirv *s, unsigned line);
bool bw_spirv_is_visible(const struct bw_spirv *s, size_t i, uint32_t function);
/* Whether it is not in scope at that line, as far as is known, or its name may mean another
 * variable there. file: of the line, as bw_spirv_file_at has it; NULL: not known. */
bool bw_spirv_is_hidden(const struct bw_spirv *s, size_t i, const char *file, unsigned line);
/* A function's name in the source; "" if it is not known. Borrowed, not terminated. */
const char *bw_spirv_function_name(const struct bw_spirv *s, uint32_t function, size_t *out_len);
bool bw_spirv_has_params(const struct bw_spirv *s, uint32_t function);
/* The entry point. */
uint32_t bw_spirv_entry(const struct bw_spirv *s);
/* Whether a function calls another one, itself or by others. */
bool bw_spirv_calls(const struct bw_spirv *s, uint32_t function, uint32_t other);
/* The place of variable i: LDS, BOUND, PUSH, BUILTIN, CONSTANT, UNKNOWN with the reason, or
 * OPTIMIZED_OUT. */
void bw_spirv_location(const struct bw_spirv *s, size_t i, struct bw_location *out);
/* Tells the bytes of LDS that Mesa gave the shader's variables. If Mesa's order of all variables
 * needs as many, each variable gets its place; else none does. */
void bw_spirv_shared_size(struct bw_spirv *s, uint64_t size_b);
/* A struct by its name; NULL: none. */
const struct bw_ctype *bw_spirv_type_named(const struct bw_spirv *s, const char *name);

#endif
