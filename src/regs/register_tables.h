/* SPDX-License-Identifier: MIT */
#ifndef BW_REGS_REGISTER_TABLES_H
#define BW_REGS_REGISTER_TABLES_H

/* The tables that tools/gen-regs.py writes from data/regs: indices only, so that nothing has to be
 * relocated. Names are offsets in one pool; equal field lists are stored once for all blocks. For
 * regs.c alone: everyone else uses regs.h. */

#include <stdint.h>

#define BW_REGS_FIRST_SPACE 0x80 /* segment numbers from here on are index spaces (ix) */

struct bw_regs_field_row {
	uint32_t name;
	uint8_t hi, lo;
};

/* A block's rows are sorted by segment and offset. */
struct bw_regs_row {
	uint32_t name;
	uint32_t offset_dw;
	uint16_t list; /* fields[lists[list]] up to fields[lists[list + 1]] */
	uint8_t segment;
};

struct bw_regs_range {
	uint32_t first, last; /* IP versions, both included */
};

struct bw_regs_block {
	uint32_t name;
	uint32_t version;
	uint32_t first_row, n_rows;
	uint32_t first_range, n_ranges;
	uint8_t prefix; /* 0: mm, 1: reg */
};

extern const char bw_regs_pool[];
extern const struct bw_regs_field_row bw_regs_fields[];
extern const uint32_t bw_regs_lists[];
extern const struct bw_regs_row bw_regs_rows[];
extern const uint16_t bw_regs_names[]; /* for each block: its rows sorted by lower-case name */
extern const struct bw_regs_range bw_regs_ranges[];
extern const uint32_t bw_regs_spaces[];
extern const struct bw_regs_block bw_regs_blocks[];
extern const uint32_t bw_regs_n_blocks, bw_regs_n_spaces, bw_regs_tables_b;

#endif
