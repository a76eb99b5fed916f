/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_VALUES_H
#define BW_PM4_VALUES_H

/* What the fields of packets say (fields.h has where they are): nvd.h of Linux 6.12, sid.h of Mesa
 * 25. */

/* EVENT_TYPE of EVENT_WRITE and RELEASE_MEM, those that have names here. */
enum {
	BW_PM4_EVENT_CS_PARTIAL_FLUSH = 7,
	BW_PM4_EVENT_VS_PARTIAL_FLUSH = 0xf,
	BW_PM4_EVENT_PS_PARTIAL_FLUSH = 0x10,
	BW_PM4_EVENT_CACHE_FLUSH_AND_INV_TS = 0x14,
};
/* EVENT_INDEX of the events that write a time stamp at the end of the pipe */
enum { BW_PM4_EVENT_INDEX_TS = 5 };

/* DATA_SEL and INT_SEL of RELEASE_MEM */
enum bw_pm4_data_sel {
	BW_PM4_DATA_NONE,
	BW_PM4_DATA_32,
	BW_PM4_DATA_64,
	BW_PM4_DATA_CLOCK,
	BW_PM4_DATA_SYS_CLOCK
};
enum bw_pm4_int_sel { BW_PM4_INT_NONE, BW_PM4_INT_ONLY, BW_PM4_INT_AFTER_WRITE };

/* GCR_CNTL of ACQUIRE_MEM and of SDMA's GCR_REQ (nvd.h of Linux: ACQUIRE_MEM_GCR_CNTL_*) */
enum {
	BW_PM4_GCR_GLI_INV_ALL = 1 << 0,
	BW_PM4_GCR_GLI_INV = 3, /* instruction caches */
	BW_PM4_GCR_GLM_WB = 1 << 4,
	BW_PM4_GCR_GLM_INV = 1 << 5,
	BW_PM4_GCR_GLK_INV = 1 << 7,
	BW_PM4_GCR_GLV_INV = 1 << 8,
	BW_PM4_GCR_GL1_INV = 1 << 9,
	BW_PM4_GCR_GL2_INV = 1 << 14,
	BW_PM4_GCR_GL2_WB = 1 << 15,
};
/* The same of RELEASE_MEM (PACKET3_RELEASE_MEM_GCR_*) */
enum {
	BW_PM4_RELEASE_GLM_WB = 1 << 0,
	BW_PM4_RELEASE_GLM_INV = 1 << 1,
	BW_PM4_RELEASE_GLV_INV = 1 << 2,
	BW_PM4_RELEASE_GL1_INV = 1 << 3,
	BW_PM4_RELEASE_GL2_WB = 1 << 9,
	BW_PM4_RELEASE_SEQ = 1 << 10,
};

/* DST_SEL of WRITE_DATA */
enum {
	BW_PM4_WRITE_REG = 0,
	BW_PM4_WRITE_MEM_GRBM = 1,
	BW_PM4_WRITE_L2 = 2,
	BW_PM4_WRITE_GDS = 3,
	BW_PM4_WRITE_MEM = 5
};

/* Selectors of COPY_DATA */
enum {
	BW_PM4_COPY_REG = 0,
	BW_PM4_COPY_SRC_MEM = 1,
	BW_PM4_COPY_L2 = 2,
	BW_PM4_COPY_GDS = 3,
	BW_PM4_COPY_PERF = 4,
	BW_PM4_COPY_SRC_IMM = 5,
	BW_PM4_COPY_DST_MEM = 5,
	BW_PM4_COPY_DST_MEM_GRBM = 1,
	BW_PM4_COPY_SRC_ATOMIC = 6, /* what the last ATOMIC_MEM returned */
	BW_PM4_COPY_SRC_CLOCK = 9,
	BW_PM4_COPY_SRC_SYS_CLOCK = 10,
};

/* Selectors of DMA_DATA */
enum {
	BW_PM4_DMA_ADDR = 0,
	BW_PM4_DMA_GDS = 1,
	BW_PM4_DMA_SRC_DATA = 2,
	BW_PM4_DMA_DST_NOWHERE = 2,
	BW_PM4_DMA_L2 = 3
};

/* FUNCTION of WAIT_REG_MEM; 7: always, too. */
enum bw_pm4_compare {
	BW_PM4_ALWAYS,
	BW_PM4_LESS,
	BW_PM4_LESS_EQUAL,
	BW_PM4_EQUAL,
	BW_PM4_NOT_EQUAL,
	BW_PM4_GREATER_EQUAL,
	BW_PM4_GREATER
};

/* What packets with the predicate bit depend on from here on. */
enum bw_pm4_pred_op {
	BW_PM4_PRED_CLEAR,
	BW_PM4_PRED_ZPASS,
	BW_PM4_PRED_PRIMCOUNT,
	BW_PM4_PRED_BOOL64,
	BW_PM4_PRED_BOOL32,
};

/* Operations of the L2's atomic units, as ATOMIC_MEM and SDMA name them (TC_OP of Mesa's sid.h):
 * one of these, 64 bits wide with bit 5, without a returned value with bit 6. */
enum bw_tc_op {
	BW_TC_SWAP = 7,
	BW_TC_CMPSWAP = 8,
	BW_TC_ADD = 15,
	BW_TC_SUB,
	BW_TC_SMIN,
	BW_TC_UMIN,
	BW_TC_SMAX,
	BW_TC_UMAX,
	BW_TC_AND,
	BW_TC_OR,
	BW_TC_XOR,
	BW_TC_INC,
	BW_TC_DEC,
};

#endif
