/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_IH_H
#define BW_VGPU_DEVICE_IH_H

/* Interrupt vectors, as the device writes them to the IH ring and its driver reads them. */

#include <stdint.h>

#include "base/words.h"

/* Client and source ids (soc15_ih_clientid.h, irqsrcs_gfx_11_0_0.h and irqsrcs_sdma0_6_0 of Linux
 * 6.12). */
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
	/* of gfx9, where SDMA has clients of its own (irqsrcs_sdma0_4_0.h) */
	BW_IH_CLIENT_SDMA0 = 0x08,
	BW_IH_SRC_SDMA9_TRAP = 224,
};

enum { BW_IH_VECTOR_B = 32, BW_IH_VECTOR_DW = 8, BW_IH_DATA_DW = 4 };

/* clang-format off */

/* Fields of a vector for base/words.h (amdgpu_ih_decode_iv_helper). The data are
 * the last four dwords. */
#define BW_IH_CLIENT_ID      0,  8
#define BW_IH_SOURCE_ID      8,  8
#define BW_IH_RING_ID       16,  8
#define BW_IH_VMID          24,  4
#define BW_IH_VMID_SRC      31,  1  /* 1: of the MM hub */
#define BW_IH_TIMESTAMP     32, 48
#define BW_IH_PASID         96, 16
#define BW_IH_NODE         112,  8  /* GC 9.4.3: which die */

/* RING_ID of the command processor's queues and of waves (gfx_v11_0_eop_irq), and of SDMA. */
#define BW_IH_RING_PIPE      0,  2
#define BW_IH_RING_ME        2,  2
#define BW_IH_RING_QUEUE     4,  3
#define BW_IH_RING_SDMA_QUEUE 0, 4
#define BW_IH_RING_SDMA      4,  4

/* Data of a UTCL2 fault (gmc_v11_0_process_interrupt; READ, WRITE, EXE: doc/hardware/page-tables.md 6). */
#define BW_IH_FAULT_PAGE     0, 36
#define BW_IH_FAULT_EXE     36,  1
#define BW_IH_FAULT_WRITE   37,  1
#define BW_IH_FAULT_READ    38,  1

/* Data of an SQ interrupt: SQ_INTERRUPT_WORD_WAVE and _ERROR of kfd_int_process_v11.c. */
#define BW_IH_SQ_DATA        0, 24  /* of a message */
#define BW_IH_SQ_ERROR_TYPE 21,  4  /* of an error */
#define BW_IH_SQ_SH_ID      25,  1
#define BW_IH_SQ_PRIV       26,  1
#define BW_IH_SQ_WAVE_ID    27,  5
#define BW_IH_SQ_SIMD_ID    32,  2
#define BW_IH_SQ_WGP_ID     34,  4
#define BW_IH_SQ_ENCODING   38,  2
/* clang-format on */

enum bw_ih_sq_encoding { BW_IH_SQ_MESSAGE = 1, BW_IH_SQ_ERROR = 2 };
enum bw_ih_sq_error { BW_IH_SQ_ILLEGAL_INST = 1, BW_IH_SQ_MEM_VIOL = 2 };

#endif
