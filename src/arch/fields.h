/* SPDX-License-Identifier: MIT */
#ifndef BW_ARCH_FIELDS_H
#define BW_ARCH_FIELDS_H

/* Fields of hardware registers, for the assembler. GEN(name), defined before, is a macro of the
 * generation (arch/gfx11_extra.h). */

/* A field of a hardware register, for s_getreg and s_setreg; from one field to another; one as the
 * second operand of s_bfe. */
#define SPAN(reg, first, last)                                                                     \
	hwreg(HW_REG_##reg, GEN(reg##__##first##_LO),                                              \
	      GEN(reg##__##last##_LO) + GEN(reg##__##last##_WIDTH) - GEN(reg##__##first##_LO))
#define FIELD(reg, field) SPAN(reg, field, field)
#define LO(reg, field) LO_(reg, field)
#define LO_(reg, field) GEN(reg##__##field##_LO)
#define BFE(reg, field) (GEN(reg##__##field##_WIDTH) << 16) | GEN(reg##__##field##_LO)

#endif
