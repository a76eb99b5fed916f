/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_COMPILE_H
#define BW_VGPU_EXEC_COMPILE_H

/* Compiled code. A block is a straight run of records whose instructions have stencils; the `fn` of
 * its first record is its machine code, which executes all of it and calls the record after it.
 * Everything is in the wave after each instruction, as the interpreter leaves it. What a block does
 * not have is interpreted: barriers, traps, parts of registers, and the rest of a turn that ends
 * inside of a block. So steps and breakpoints know nothing of blocks. Memory instructions that are
 * not simple are done by a call of their handler; where one has a fault or hits a watch, the block
 * is left after it, as the interpreter would stop there.
 *
 * Belongs to one executor. */

#include "vgpu/device/exec/core/rec.h"

struct bw_code_page;
struct bw_compile;

enum bw_compile_wish {
	BW_COMPILE_OFF,
	BW_COMPILE_ON,
	BW_COMPILE_ALWAYS, /* blocks of one instruction as well: for tests */
};

/* BREAKWATER_COMPILE: off, on (the default) or always. */
enum bw_compile_wish bw_compile_wish(void);
/* NULL: off, or this machine or build has none: no stencils, no AVX2, no executable memory. */
struct bw_compile *bw_compile_create(enum bw_compile_wish wish);
void bw_compile_destroy(struct bw_compile *c);

/* A record has just been decoded: compiles the block that starts there, if there is one, and
 * those that it leads to in code that is decoded already. Nothing where the executor has no
 * bw_compile. */
void bw_compile_at(struct bw_exec *x, struct bw_wave *w, unsigned index);
/* The records of a page from `index` on have other words: blocks with the first of them in it are
 * to be decoded again. */
void bw_compile_changed(struct bw_code_page *page, unsigned index);

/* All records of a page have been forgotten. */
void bw_compile_drop(struct bw_code_page *page);

/* The memory for code is used up, mostly by blocks that were dropped: all pages are to be
 * forgotten, and then it is empty. */
bool bw_compile_is_full(const struct bw_compile *c);
void bw_compile_empty(struct bw_compile *c);

#endif
