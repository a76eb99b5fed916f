/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_TEXT_H
#define BW_ISA_TEXT_H

/* Instruction text, by LLVM's disassembler for gfx11 and gfx12 (llvm-c/Disassembler.h). Kept apart
 * from the decoder so that what only decodes (the virtual GPU) does not load LLVM. Not thread safe
 * per object. */

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct bw_isa_text;

struct bw_error *bw_isa_text_create(const char *gpu /* "gfx1100" */,
				    struct bw_isa_text **out) BW_MUST_CHECK;
void bw_isa_text_destroy(struct bw_isa_text *t);
/* The wave size that the text is for, 32 or 64; 32 at first (vcc_lo is vcc in wave64). */
void bw_isa_text_set_lanes(struct bw_isa_text *t, unsigned lanes);
/* Writes one line without leading or trailing blanks ("v_add_f32_e32 v0, v1, v2"; branch targets as
 * absolute addresses where LLVM leaves them relative) and returns the length in bytes; for words
 * that are not an instruction: ".long 0x12345678" and 4. Instructions that LLVM does not know are
 * printed as their words with the name after them: ".long 0x7e00cc01 // v_swap_b16". Fewer than 4
 * bytes: ".byte ...". */
size_t bw_isa_text_line(struct bw_isa_text *t, const void *code, size_t size_b, uint64_t pc,
			char *out, size_t out_b);

#endif
