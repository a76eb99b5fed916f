/* SPDX-License-Identifier: MIT */
#ifndef BW_INJECT_CODE_TEXT_H
#define BW_INJECT_CODE_TEXT_H

/* Machine code of a shader as assembly that can be edited: targets of branches and of PC-relative
 * addresses have labels, and the unedited text assembles to the same bytes (clang-19). LLVM's text
 * of some instructions assembles to other bytes: slots help to find these, which are written as
 * words instead. No I/O. */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct bw_code_text;

/* Reads code from its first instruction on; the bytes after it may be anything, as its end is found
 * by following it. lanes: 32 or 64. BW_E_INVALID: there is no instruction, or the code has no end
 * within size_b bytes. */
struct bw_error *bw_code_text_create(const void *code, size_t size_b, unsigned lanes,
				     struct bw_code_text **out) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_code_text_free(struct bw_code_text *c);
/* The size of the code with its constants, in bytes. */
size_t bw_code_text_size(const struct bw_code_text *c);
/* The size of the code up to the end of its last instruction, in bytes. */
size_t bw_code_text_instructions(const struct bw_code_text *c);
struct bw_error *bw_code_text_write(const struct bw_code_text *c, struct bw_str *out) BW_MUST_CHECK;

/* Appends two lines for each instruction that has a text, the second with the text. Assembled, each
 * is at a multiple of BW_CODE_TEXT_SLOT_B. */
enum { BW_CODE_TEXT_SLOT_B = 16 };
struct bw_error *bw_code_text_slots(struct bw_code_text *c, struct bw_str *out) BW_MUST_CHECK;
/* Says that the text of a slot, from 0, does not assemble: words are written instead. */
void bw_code_text_refuse(struct bw_code_text *c, size_t slot);
/* Refuses all slots whose text was assembled to other words than the code's. */
void bw_code_text_compare(struct bw_code_text *c, const void *bytes, size_t size_b);

#endif
