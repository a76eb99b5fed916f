/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_FIELDS_H
#define BW_PM4_FIELDS_H

/* The fields of packets, for base/words.h: what decode.c and build.c, sdma.c and sdma_build.c have
 * in common. Those of PM4 packets come from data/pm4/packets.txt and are counted from the first
 * dword of the body; SDMA's (sdma_v6_0_0_pkt_open.h of Linux 6.12) are here, and are counted from
 * the header. */

#include "base/words.h"
#include "pm4/packet_fields.h"

#define BW_PM4_BIT(dw, bit) ((dw) * 32 + (bit))

/* clang-format off */

/* Fields of the header itself. */
#define BW_PM4_HEADER_PREDICATE           0,  1  /* type 3 */
#define BW_PM4_HEADER_COMPUTE             1,  1  /* type 3: SHADER_TYPE */
#define BW_PM4_HEADER_OPCODE              8,  8  /* type 3 */
#define BW_PM4_HEADER_COUNT              16, 14  /* types 0 and 3: dwords of the body - 1 */
#define BW_PM4_HEADER_TYPE               30,  2

/* SET_*_REG: from the base of the register space. */
#define BW_PM4_REG_OFFSET                 0, 16
#define BW_PM4_PACKED_COUNT               0, 16  /* of SET_*_REG_PAIRS_PACKED */
/* A register in a dword where an address can be, too. */
#define BW_PM4_REG_ADDR                   0, 18

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
