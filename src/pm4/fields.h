/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_FIELDS_H
#define BW_PM4_FIELDS_H

/* The fields of packets, for base/words.h: what decode.c and build.c, sdma.c and sdma_build.c have
 * in common. Names are those of nvd.h of Linux 6.12 and of sid.h of Mesa 25 (PM4), of
 * sdma_v6_0_0_pkt_open.h (SDMA). PM4's are counted from the first dword of the body, SDMA's from
 * the header. Whole dwords (addresses, data) have no name here. */

#include "base/words.h"

#define BW_PM4_BIT(dw, bit) ((dw) * 32 + (bit))

/* clang-format off */

/* Of the header itself. */
#define BW_PM4_HEADER_PREDICATE           0,  1  /* type 3 */
#define BW_PM4_HEADER_COMPUTE             1,  1  /* type 3: SHADER_TYPE */
#define BW_PM4_HEADER_OPCODE              8,  8  /* type 3 */
#define BW_PM4_HEADER_COUNT              16, 14  /* types 0 and 3: dwords of the body - 1 */
#define BW_PM4_HEADER_TYPE               30,  2

/* SET_*_REG, LOAD_*_REG_INDEX, CONTEXT_REG_RMW: from the base of the register space. */
#define BW_PM4_REG_OFFSET                 0, 16
#define BW_PM4_PACKED_COUNT               0, 16  /* of SET_*_REG_PAIRS_PACKED */
#define BW_PM4_LOAD_OFFSET                BW_PM4_BIT(2, 0), 16
#define BW_PM4_LOAD_COUNT                 BW_PM4_BIT(3, 0), 14
#define BW_PM4_SET_BASE_INDEX             0,  4
/* A register in a dword where an address can be, too. */
#define BW_PM4_REG_ADDR                   0, 18

#define BW_PM4_IB_SIZE                    BW_PM4_BIT(2,  0), 20
#define BW_PM4_IB_CHAIN                   BW_PM4_BIT(2, 20),  1
#define BW_PM4_IB_VALID                   BW_PM4_BIT(2, 23),  1
#define BW_PM4_IB_VMID                    BW_PM4_BIT(2, 24),  4

#define BW_PM4_REWIND_VALID              31,  1
#define BW_PM4_COND_EXEC_COUNT            BW_PM4_BIT(3, 0), 14
#define BW_PM4_PRED_EXEC_COUNT            0, 14
#define BW_PM4_PRED_EXEC_DEVICES         24,  8
#define BW_PM4_PREDICATION_DRAW_VISIBLE   8,  1
#define BW_PM4_PREDICATION_OP            16,  3

#define BW_PM4_EVENT_TYPE                 0,  6  /* EVENT_WRITE, RELEASE_MEM */
#define BW_PM4_EVENT_INDEX                8,  4
#define BW_PM4_RELEASE_GCR               12, 13
#define BW_PM4_RELEASE_CACHE_POLICY      25,  2
#define BW_PM4_RELEASE_DST_SEL            BW_PM4_BIT(1, 16), 2
#define BW_PM4_RELEASE_INT_SEL            BW_PM4_BIT(1, 24), 3
#define BW_PM4_RELEASE_DATA_SEL           BW_PM4_BIT(1, 29), 3

#define BW_PM4_ACQUIRE_SIZE_256B          BW_PM4_BIT(1, 0), 40
#define BW_PM4_ACQUIRE_BASE_256B          BW_PM4_BIT(3, 0), 56
#define BW_PM4_ACQUIRE_POLL_INTERVAL      BW_PM4_BIT(5, 0), 16
#define BW_PM4_ACQUIRE_PWS                BW_PM4_BIT(5, 31), 1

#define BW_PM4_WAIT_FUNCTION              0,  3  /* WAIT_REG_MEM, COND_WRITE */
#define BW_PM4_WAIT_MEM_SPACE             4,  1  /* 1: memory */
#define BW_PM4_WAIT_OPERATION             6,  2  /* 1: write the reference first */
#define BW_PM4_COND_WRITE_SPACE           8,  2

#define BW_PM4_WRITE_DST_SEL              8,  4
#define BW_PM4_WRITE_ONE_ADDR            16,  1
#define BW_PM4_WRITE_CONFIRM             20,  1

#define BW_PM4_COPY_SRC_SEL               0,  4
#define BW_PM4_COPY_DST_SEL               8,  4
#define BW_PM4_COPY_COUNT_SEL            16,  1  /* 1: 64 bits */

#define BW_PM4_DMA_DST_SEL               20,  2
#define BW_PM4_DMA_SRC_SEL               29,  2
#define BW_PM4_DMA_CP_SYNC               31,  1
#define BW_PM4_DMA_SIZE                   BW_PM4_BIT(5,  0), 26
#define BW_PM4_DMA_SAS                    BW_PM4_BIT(5, 26),  1  /* the source is registers */
#define BW_PM4_DMA_DAS                    BW_PM4_BIT(5, 27),  1
#define BW_PM4_DMA_SAIC                   BW_PM4_BIT(5, 28),  1  /* its address does not increase */
#define BW_PM4_DMA_DAIC                   BW_PM4_BIT(5, 29),  1

#define BW_PM4_ATOMIC_OP                  0,  5
#define BW_PM4_ATOMIC_IS_64               5,  1  /* a bit of the operation's number */
#define BW_PM4_ATOMIC_COMMAND             8,  4  /* 1: again until the comparison is true */

#define BW_PM4_RMW_OR_MASK_SRC           30,  1  /* 1: the mask is that register's value */
#define BW_PM4_RMW_AND_MASK_SRC          31,  1

#define BW_SDMA_OPCODE                    0,  8
#define BW_SDMA_SUB_OPCODE                8,  8
#define BW_SDMA_CODE                      0, 16  /* both: enum bw_sdma_code */

#define BW_SDMA_NOP_COUNT                16, 14
#define BW_SDMA_COPY_BROADCAST           27,  1
#define BW_SDMA_COPY_COUNT                BW_PM4_BIT(1, 0), 30
#define BW_SDMA_WINDOW_DCC               19,  1
#define BW_SDMA_WINDOW_ELEMENT_SIZE      29,  3  /* COPY_LINEAR_SUB_WINDOW */
#define BW_SDMA_WINDOW_DETILE            31,  1  /* COPY_TILED_SUB_WINDOW */
#define BW_SDMA_WRITE_COUNT               BW_PM4_BIT(3, 0), 20
#define BW_SDMA_FILL_SIZE                30,  2
#define BW_SDMA_FILL_COUNT                BW_PM4_BIT(4, 0), 30
#define BW_SDMA_FENCE_MTYPE              16,  3
#define BW_SDMA_TRAP_INT_CONTEXT          BW_PM4_BIT(1, 0), 28
#define BW_SDMA_IB_VMID                  16,  4
#define BW_SDMA_IB_SIZE                   BW_PM4_BIT(3, 0), 20
#define BW_SDMA_POLL_HDP_FLUSH           26,  1
#define BW_SDMA_POLL_FUNC                28,  3
#define BW_SDMA_POLL_MEM                 31,  1
#define BW_SDMA_POLL_REG_0                BW_PM4_BIT(1, 2), 30
#define BW_SDMA_POLL_REG_1                BW_PM4_BIT(2, 2), 30
#define BW_SDMA_POLL_INTERVAL             BW_PM4_BIT(5, 0), 16
#define BW_SDMA_POLL_RETRY_COUNT          BW_PM4_BIT(5, 16), 12
#define BW_SDMA_COND_EXE_COUNT            BW_PM4_BIT(4, 0), 14
#define BW_SDMA_PRE_EXE_DEV_SEL          16,  8
#define BW_SDMA_PRE_EXE_COUNT             BW_PM4_BIT(1, 0), 14
#define BW_SDMA_INVALIDATION_ENG         16,  5
#define BW_SDMA_INVALIDATION_ACK          BW_PM4_BIT(3, 0), 16
#define BW_SDMA_ATOMIC_LOOP              16,  1
#define BW_SDMA_ATOMIC_OP                25,  5
#define BW_SDMA_ATOMIC_IS_64             30,  1
#define BW_SDMA_PTEPDE_COUNT              BW_PM4_BIT(9, 0), 19
#define BW_SDMA_SRBM_BYTE_EN             28,  4
#define BW_SDMA_SRBM_ADDR                 BW_PM4_BIT(1, 0), 18
#define BW_SDMA_GCR_CONTROL               BW_PM4_BIT(2, 16), 19

/* One side of a window, from its first dword; linear ones have their pitch at 13 or 16 of dword 3. */
#define BW_SDMA_SIDE_X                    BW_PM4_BIT(2,  0), 14
#define BW_SDMA_SIDE_Y                    BW_PM4_BIT(2, 16), 14
#define BW_SDMA_SIDE_Z                    BW_PM4_BIT(3,  0), 13
#define BW_SDMA_LINEAR_SLICE_PITCH        BW_PM4_BIT(4,  0), 28
#define BW_SDMA_TILED_WIDTH               BW_PM4_BIT(3, 16), 14  /* - 1, as the next */
#define BW_SDMA_TILED_HEIGHT              BW_PM4_BIT(4,  0), 14
#define BW_SDMA_TILED_DEPTH               BW_PM4_BIT(4, 16), 13
#define BW_SDMA_TILED_ELEMENT_SIZE        BW_PM4_BIT(5,  0),  3
#define BW_SDMA_TILED_SWIZZLE_MODE        BW_PM4_BIT(5,  3),  5
#define BW_SDMA_TILED_DIMENSION           BW_PM4_BIT(5,  9),  2
#define BW_SDMA_TILED_MIP_MAX             BW_PM4_BIT(5, 16),  4
#define BW_SDMA_TILED_MIP_ID              BW_PM4_BIT(5, 20),  4
/* The rectangle's size, from its first dword; each - 1. */
#define BW_SDMA_RECT_X                    BW_PM4_BIT(0,  0), 14
#define BW_SDMA_RECT_Y                    BW_PM4_BIT(0, 16), 14
#define BW_SDMA_RECT_Z                    BW_PM4_BIT(1,  0), 13

/* clang-format on */

#endif
