/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_FIELDS_H
#define BW_PM4_FIELDS_H

/* Fields of headers and of packets that set registers, for base/words.h. Those of all other packets
 * come from data/pm4 (pm4.h, sdma.h, build.h). */

#include "base/words.h"

/* clang-format off */

/* Fields of the header itself. */
#define BW_PM4_HEADER_PREDICATE           0,  1  /* type 3 */
#define BW_PM4_HEADER_COMPUTE             1,  1  /* type 3: SHADER_TYPE */
#define BW_PM4_HEADER_OPCODE              8,  8  /* type 3 */
#define BW_PM4_HEADER_COUNT              16, 14  /* types 0 and 3: dwords of the body - 1 */
#define BW_PM4_HEADER_TYPE               30,  2

/* SET_*_REG: dword offset from the base of the register space. */
#define BW_PM4_REG_OFFSET                 0, 16
#define BW_PM4_PACKED_COUNT               0, 16  /* of SET_*_REG_PAIRS_PACKED */

#define BW_SDMA_OPCODE                    0,  8
#define BW_SDMA_SUB_OPCODE                8,  8
#define BW_SDMA_CODE                      0, 16  /* both: enum bw_sdma_code */

/* clang-format on */

#endif
