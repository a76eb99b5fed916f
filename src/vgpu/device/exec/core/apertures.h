/* SPDX-License-Identifier: MIT */
#ifndef BW_EXEC_CORE_APERTURES_H
#define BW_EXEC_CORE_APERTURES_H

/* The apertures of FLAT instructions, by SH_MEM_BASES of the executor's host. */

#include <stdint.h>

#include "gpuvm/apertures.h"
#include "regs/field.h"
#include "vgpu/device/exec/core/exec_priv.h"

/* Bits 63:32 of the apertures, which are 4 GiB each (rule 374). A field of 0 means that the driver
 * has set up none: address 0 and up is then ordinary memory [I]. */
struct bw_apertures {
	uint32_t shared_hi, private_hi;
};

static inline struct bw_apertures bw_apertures_of(const struct bw_exec *x)
{
	uint32_t bases = bw_exec_host(x)->sh_mem_bases;
	return (struct bw_apertures){
		.shared_hi = bw_aperture_hi(BW_FIELD_GET(SH_MEM_BASES, SHARED_BASE, bases)),
		.private_hi = bw_aperture_hi(BW_FIELD_GET(SH_MEM_BASES, PRIVATE_BASE, bases)),
	};
}

#endif
