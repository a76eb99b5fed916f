/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_GFX9_H
#define BW_ISA_GFX9_H

/* What the generations of gfx9 have in common, for code that need not know which of them it is. */

#include <stdbool.h>

#include "isa/inst.h"

static inline bool bw_isa_is_gfx9(enum bw_isa_gen gen)
{
	return gen == BW_ISA_GFX942 || gen == BW_ISA_GFX902;
}

#endif
