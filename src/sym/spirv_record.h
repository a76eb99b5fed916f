/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_SPIRV_RECORD_H
#define BW_SYM_SPIRV_RECORD_H

/* A shader that keeps a record of its variables, for the debugger: `breakwater run -O0
 * shader.comp`. Pure: words in, words out.
 *
 * The record is an array of words in each lane's scratch memory. Its head has four words: 0, a
 * number that is another one when the lane has returned (waves find there what earlier ones have
 * left), the mark of the source line that was begun last, a number to find it by. After it are the
 * variables that have names: a word that is 1 when the variable has been assigned since its
 * function was entered, and the value: one word for each of its scalars, in their order, two for
 * one of 64 bits or a pointer to a buffer. Not recorded are variables of more than 256 scalars, and
 * those whose addresses go elsewhere.
 *
 * Each place where a line begins has a mark, a number of its own. It is stored when everything that
 * the record has of earlier lines is stored, and before anything of this line: the instruction that
 * stores it, which is found in the code by the number, is where the line begins. Accesses to
 * buffers and the LDS stay between the marks of their line (spirv_record_order.c). */

#include "base/error.h"
#include "base/vec.h"
#include "sym/types.h"

#define BW_SPIRV_RECORD_NAME "breakwater.record"      /* of the array */
#define BW_SPIRV_RECORD_VARIABLE "breakwater.record:" /* OpString: ID:OFFSET:FLAG, in bytes */
/* OpString: FILE:LINE:FUNCTION:GOES_ON, the file as the id of an OpString, the function as its own.
 * GOES_ON is 1 where the line has begun before: after a call, and in another block of an
 * expression; else 0. The first of them is of the shader's first mark, the others are of those that
 * follow it. */
#define BW_SPIRV_RECORD_LINE "breakwater.line:"
#define BW_SPIRV_RECORD_MARK 0xb7000000u
/* Drivers make one program of two shaders. A tessellation control or geometry shader is the second
 * one of its program, and its first mark is this: */
#define BW_SPIRV_RECORD_SECOND 0xb7800000u
#define BW_SPIRV_RECORD_MARKS_MAX 0x800000u
#define BW_SPIRV_RECORD_MAX_B 16384
#define BW_SPIRV_RECORD_LIVE 0x57a7e4ecu
#define BW_SPIRV_RECORD_ENDED 0x57a7e4edu
#define BW_SPIRV_RECORD_MAGIC 0xb2ea4a7eu
#define BW_SPIRV_RECORD_MAGIC_SECOND 0xb2ea4a7fu

struct bw_spirv_words BW_VEC(uint32_t);

/* The number of words that a value takes in a record, by its type as read from SPIR-V; 0: such a
 * value cannot be recorded. If the number is larger than a record, it does not fit. */
uint32_t bw_spirv_record_words(const struct bw_ctype *t);
/* The value that these words are, as its type lays it out. words: as many as that says; out: of the
 * type's size. */
void bw_spirv_record_value(const struct bw_ctype *t, const uint32_t *words, uint8_t *out);

/* out: owned (bw_vec_free), empty if there is nothing to record: no variable with a name, no lines.
 * BW_E_INVALID: this is not SPIR-V, or it is damaged, and where. */
struct bw_error *bw_spirv_record(const uint32_t *words, size_t n,
				 struct bw_spirv_words *out) BW_MUST_CHECK;

#endif
