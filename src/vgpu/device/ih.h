/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_IH_H
#define BW_VGPU_DEVICE_IH_H

/* Client and source ids of interrupt vectors (soc15_ih_clientid.h, irqsrcs_gfx_11_0_0.h and
 * irqsrcs_sdma0_6_0 of Linux 6.12). */
enum {
	BW_IH_CLIENT_GFX = 0x0a,
	BW_IH_CLIENT_VMC = 0x12,
	BW_IH_CLIENT_GRBM_CP = 0x14,
	BW_IH_CLIENT_UTCL2 = 0x1b,
	BW_IH_SRC_UTCL2_FAULT = 0,
	BW_IH_SRC_CP_EOP = 181,
	BW_IH_SRC_CP_BAD_OPCODE = 183,
	BW_IH_SRC_CP_PRIV_REG = 184,
	BW_IH_SRC_CP_PRIV_INSTR = 185,
	BW_IH_SRC_SQ = 239,
	BW_IH_SRC_SDMA_TRAP = 49,
	BW_IH_SRC_SDMA_QUEUE_HANG = 55,
};

#endif
