/* SPDX-License-Identifier: MIT */
#ifndef BW_SELFTEST_KERNELS_INFERRED_H
#define BW_SELFTEST_KERNELS_INFERRED_H

/* The kernels of inferred.S, for the assembler and for C: what they have, and their buffer. */

#define INFERRED_VGPRS 64
#define INFERRED_LDS_B 1024
#define INFERRED_WORDS 256 /* of the buffer */
#define LAST_WORD 31	   /* of the answers: DONE, from a kernel that has run to its end */
#define DONE 0x600d0001
#define DATA 256 /* from this byte on the kernel may do what it likes */
/* From the mark of a kernel to a place in it, in bytes. */
#define SCALAR_PART_B 24 /* watch_scalar: to its vector load */
#define STORED_B 12	 /* watch_precise: to what follows its store */

#endif
