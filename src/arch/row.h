/* SPDX-License-Identifier: MIT */
#ifndef BW_ARCH_ROW_H
#define BW_ARCH_ROW_H

/* For the rows (gfx11.c, gfx12.c): places by the names of the register database. A row defines
 * BW_ARCH_GEN, the prefix of its generation's macros, before it includes this. */

#include "arch/arch.h"
#include "base/util.h"

#define BW_ARCH_PASTE_(gen, name) BW_##gen##_##name
#define BW_ARCH_PASTE(gen, name) BW_ARCH_PASTE_(gen, name)

/* A field of a register, as bits and as a mask. */
#define BITS(reg, field)                                                                           \
	{BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##field##_LO),                                          \
	 BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##field##_WIDTH)}
#define MASK(reg, field) ((uint32_t)BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##field))
/* Bits `lo` to `lo` + `width` - 1 of a field that the database does not divide. */
#define PART(reg, field, at, width)                                                                \
	{BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##field##_LO) + (at), (width)}
/* From a field to another one above it. */
#define SPAN(reg, first, last)                                                                     \
	{BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##first##_LO),                                          \
	 BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##last##_LO) +                                          \
		 BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##last##_WIDTH) -                               \
		 BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##first##_LO)}

/* The same as a bw_arch_place, the register known by the same name in enum bw_wreg. */
#define AT(reg, field) {BW_WREG_##reg, BITS(reg, field), {0, 0}}
#define AT_SPAN(reg, first, last) {BW_WREG_##reg, SPAN(reg, first, last), {0, 0}}

/* An index of SQ_IND. */
#define IND(name) BW_ARCH_PASTE(BW_ARCH_GEN, name)
#define TTMP_ROW(n) [BW_WREG_TTMP##n] = {.ind = IND(TTMP##n)}

#endif
