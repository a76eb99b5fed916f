/* SPDX-License-Identifier: MIT */
#ifndef BW_ARCH_WAVE_H
#define BW_ARCH_WAVE_H

/* The state of a wave by meaning: names for what a debugger knows of a wave, whichever registers of
 * the GPU it is in. arch.h says where it is. */

#include <stdint.h>

struct bw_arch;

/* Registers of a wave, of all generations. A generation has some of them: bw_arch.reg[].ind. */
enum bw_wreg {
	BW_WREG_NONE,
	BW_WREG_MODE,
	BW_WREG_STATUS,
	BW_WREG_TRAPSTS,    /* to gfx11 */
	BW_WREG_STATE_PRIV, /* from gfx12, as the next three */
	BW_WREG_EXCP_FLAG_PRIV,
	BW_WREG_EXCP_FLAG_USER,
	BW_WREG_TRAP_CTRL,
	BW_WREG_HW_ID, /* gfx9: what HW_ID1 and HW_ID2 say later */
	BW_WREG_HW_ID1,
	BW_WREG_HW_ID2,
	BW_WREG_GPR_ALLOC,
	BW_WREG_LDS_ALLOC,
	BW_WREG_IB_STS,
	BW_WREG_IB_STS2,
	BW_WREG_IB_DBG0, /* gfx9 */
	BW_WREG_IB_DBG1,
	BW_WREG_INST_DW0, /* to gfx10: what the wave has fetched */
	BW_WREG_INST_DW1, /* gfx9 */
	BW_WREG_SCHED_MODE,
	BW_WREG_SHADER_CYCLES,
	BW_WREG_DVGPR_ALLOC_LO,
	BW_WREG_DVGPR_ALLOC_HI,
	BW_WREG_PC_LO,
	BW_WREG_PC_HI,
	BW_WREG_FLAT_SCRATCH_LO, /* from gfx12 called SCRATCH_BASE */
	BW_WREG_FLAT_SCRATCH_HI,
	BW_WREG_M0,
	BW_WREG_EXEC_LO,
	BW_WREG_EXEC_HI,
	BW_WREG_ACTIVE, /* of a SIMD: a bit for each wave slot in use */
	BW_WREG_VALID_AND_IDLE,
	BW_WREG_TTMP0,
	BW_WREG_TTMP1,
	BW_WREG_TTMP2,
	BW_WREG_TTMP3,
	BW_WREG_TTMP4,
	BW_WREG_TTMP5,
	BW_WREG_TTMP6,
	BW_WREG_TTMP7,
	BW_WREG_TTMP8,
	BW_WREG_TTMP9,
	BW_WREG_TTMP10,
	BW_WREG_TTMP11,
	BW_WREG_TTMP12,
	BW_WREG_TTMP13,
	BW_WREG_TTMP14,
	BW_WREG_TTMP15,
	BW_WREG_COUNT,
};

/* What is known of a wave, each a field of some register. */
enum bw_wave_field {
	/* what it does */
	BW_WF_SCC,
	BW_WF_IN_HANDLER, /* PRIV: it executes the trap handler */
	BW_WF_TRAP_EN,	  /* it enters a trap handler */
	BW_WF_IN_BARRIER, /* it waits at a barrier. Absent on gfx12, which counts arrivals */
	BW_WF_HALTED,
	BW_WF_FATAL_HALT, /* halted for good: an exception without a trap handler */
	BW_WF_VALID,
	BW_WF_NO_VGPRS, /* it has given its VGPRs back (DEALLOC_VGPRS) */
	BW_WF_HAS_SCRATCH,
	BW_WF_IS_WAVE64,     /* absent on gfx9, whose waves all have 64 lanes: bw_wave_lanes() */
	BW_WF_COND_DBG_USER, /* what s_cbranch_cdbguser tests */
	BW_WF_COND_DBG_SYS,
	/* why it has entered the trap handler; several may be set */
	BW_WF_ALU_EXCEPTIONS, /* 7 bits: enum bw_excp below ADDR_WATCH. Set whether enabled or not
			       */
	BW_WF_WATCH_HITS,     /* a bit for each watch register */
	BW_WF_MEMORY_VIOLATION,
	BW_WF_PAGE_FAULT, /* with MEMORY_VIOLATION: of a page; without it: aperture, alignment */
	BW_WF_ILLEGAL_INST,
	BW_WF_HOST_TRAP,
	BW_WF_WAVE_START,
	BW_WF_WAVE_END,
	BW_WF_STEPPED,
	BW_WF_TRAP_ID,	      /* of the s_trap executed; 0: none */
	BW_WF_HOST_TRAP_TTMP, /* the same as HOST_TRAP, in ttmp1 */
	/* what it enters the handler for */
	BW_WF_EXCP_EN, /* 8 bits: enum bw_excp */
	BW_WF_STEP_EN, /* after each instruction */
	/* who and where it is */
	BW_WF_WAVE_ID,
	BW_WF_SIMD_ID,
	BW_WF_WGP_ID, /* of gfx9 the CU's */
	BW_WF_SA_ID,
	BW_WF_SE_ID,
	BW_WF_VMID,
	/* what was allocated for it. VGPR_SIZE is the number of bw_arch.vgpr_granule minus 1,
	   LDS_SIZE that of lds_granule_b */
	BW_WF_VGPR_SIZE,
	BW_WF_ACCUM_OFFSET, /* gfx942: that of accum_granule minus 1 */
	BW_WF_LDS_SIZE,
	/* what SPI puts into TTMPs of a wave that has a trap handler */
	BW_WF_PACKET,
	BW_WF_WORKGROUP_X,
	BW_WF_WORKGROUP_Y,
	BW_WF_WORKGROUP_Z,
	BW_WF_WAVE_IN_GROUP,
	BW_WF_COUNT,
};

/* Exceptions of waves: BW_WF_EXCP_EN and, but for ADDR_WATCH, BW_WF_ALU_EXCEPTIONS. */
enum bw_excp {
	BW_EXCP_INVALID = 1 << 0,
	BW_EXCP_INPUT_DENORM = 1 << 1,
	BW_EXCP_DIV0 = 1 << 2,
	BW_EXCP_OVERFLOW = 1 << 3,
	BW_EXCP_UNDERFLOW = 1 << 4,
	BW_EXCP_INEXACT = 1 << 5,
	BW_EXCP_INT_DIV0 = 1 << 6,
	BW_EXCP_ADDR_WATCH = 1 << 7,
	BW_EXCP_ALU = BW_EXCP_ADDR_WATCH - 1,
};

/* The registers of a wave, as read. */
struct bw_wave_state {
	const struct bw_arch *arch;
	uint32_t reg[BW_WREG_COUNT]; /* by enum bw_wreg */
};

/* A field's value; 0 where the generation does not have it. */
uint32_t bw_wave_get(const struct bw_wave_state *s, enum bw_wave_field f);
/* 32 or 64. */
unsigned bw_wave_lanes(const struct bw_wave_state *s);
/* What does not fit is cut off; nothing happens where the generation does not have it. */
void bw_wave_set(struct bw_wave_state *s, enum bw_wave_field f, uint32_t value);

#endif
