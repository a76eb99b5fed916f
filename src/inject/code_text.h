/* SPDX-License-Identifier: MIT */
#ifndef BW_INJECT_CODE_TEXT_H
#define BW_INJECT_CODE_TEXT_H

/* Machine code of a shader as assembly that can be edited: what branches and PC-relative addresses
 * lead to has labels, and not edited it assembles to the same bytes (clang-19). LLVM's text of some
 * instructions assembles to others: slots are there to find these, which become words. No I/O. */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct bw_code_text;

/* code: from its first instruction on, with what lies after it in memory; how long it is is found
 * by following it. lanes: 32 or 64. BW_E_INVALID: no instruction is there, or it has no end in
 * size_b bytes. */
struct bw_error *bw_code_text_create(const void *code, size_t size_b, unsigned lanes,
				     struct bw_code_text **out) BW_MUST_CHECK;
/* Accepts NULL. */
void bw_code_text_free(struct bw_code_text *c);
/* Bytes of the code with its constants. */
size_t bw_code_text_size(const struct bw_code_text *c);
/* Bytes up to the end of its last instruction. */
size_t bw_code_text_instructions(const struct bw_code_text *c);
struct bw_error *bw_code_text_write(const struct bw_code_text *c, struct bw_str *out) BW_MUST_CHECK;

/* Two lines for each instruction that text stands for, the second with the text: assembled, each is
 * at a multiple of BW_CODE_TEXT_SLOT_B. */
enum { BW_CODE_TEXT_SLOT_B = 16 };
struct bw_error *bw_code_text_slots(struct bw_code_text *c, struct bw_str *out) BW_MUST_CHECK;
/* The text of that slot, from 0, does not assemble: words are written instead. */
void bw_code_text_refuse(struct bw_code_text *c, size_t slot);
/* Refuses all slots that have become other words. */
void bw_code_text_compare(struct bw_code_text *c, const void *bytes, size_t size_b);

#endif
