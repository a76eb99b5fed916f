/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_LDS_H
#define BW_SYM_LDS_H

/* The addresses of a kernel's LDS variables. Debug information does not have them: they are
 * undefined symbols, all 0. LLVM sorts the variables by a rule, which is applied here; the result
 * must fit the LDS size in the kernel's descriptor. */

#include "sym/variables.h"

struct bw_lds_variable {
	const char *symbol; /* "kernel.variable"; of C++ the mangled name of a local variable */
	uint64_t size_b;    /* not 0 */
	uint64_t align_b;   /* a power of two: of the type, or what the source asks for if more */
	uint64_t type_align_b; /* without the source's own alignment */
	uint64_t offset_b;     /* out */
};

/* LLVM's rule (AMDGPULowerModuleLDSPass.cpp and OptimizedStructLayout.cpp, LLVM 16 to 21):
 * variables of more than 8, 4, 2, 1 bytes are aligned to 16, 8, 4, 2 bytes at least; of those that
 * are left, the next one is that which needs the least padding, then the one with the largest
 * alignment, the largest size, the first name. Fills in the offsets and changes the order; returns
 * the bytes of all of them, with what the types' alignment adds at the end. n > 0; the sum of sizes
 * is below 2^63. */
uint64_t bw_lds_lay_out(struct bw_lds_variable *v, size_t n);

/* The offset of that variable of the kernel whose code begins at `entry`, which lies in the
 * function of `level` there (as for bw_lines_variables). False: it is not known, as the object was
 * not made by such an LLVM, names and symbols do not correspond one to one, or the sizes add up to
 * something else than the kernel has. */
bool bw_lines_lds_offset(struct bw_lines *l, const struct bw_kernel *kernel, uint64_t addr,
			 unsigned level, const char *name, uint64_t *out);

/* Whether the LDS of that kernel may have more than its variables: with optimization LLVM moves
 * structs and arrays that are indexed out of scratch into it, a part for each work-item. False only
 * where the variables are all that there is. The other arguments are as above. */
bool bw_lines_lds_has_more(struct bw_lines *l, const struct bw_kernel *kernel, uint64_t addr,
			   unsigned level);

#endif
