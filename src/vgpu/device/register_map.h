/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_REGISTER_MAP_H
#define BW_VGPU_DEVICE_REGISTER_MAP_H

/* The registers that the device does something with, by number (enum bw_register), and their
 * addresses, which differ from one profile to the next. The numbers are written from
 * data/regs/gfx11.list; addresses are looked up in the register database when a device is made. */

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "vgpu/device/register_numbers.h" /* generated: enum bw_register */

struct bw_profile;

enum {
	BW_REG_SPACE_DW = 0x40000, /* BAR5: every register that a host can reach lies below */
	/* Registers that this GPU does not have lie after those, where only the device itself
	 * accesses them. */
	BW_REG_STORAGE_DW = BW_REG_SPACE_DW + BW_N_REGISTERS,
};

struct bw_register_map {
	uint32_t addr_dw[BW_N_REGISTERS]; /* by number, below BW_REG_STORAGE_DW */
	uint16_t *number;		  /* by address below BW_REG_SPACE_DW: enum bw_register */
};

/* Looks up all registers. Errors: the profile names a block version without a table, a register
 * where no register can be, or a version whose fields are not where the device is written for. */
struct bw_error *bw_register_map_init(struct bw_register_map *m,
				      const struct bw_profile *profile) BW_MUST_CHECK;
void bw_register_map_fini(struct bw_register_map *m);
const char *bw_register_name(enum bw_register reg);

/* --- generated tables (tools/gen-reg-names.py) --- */

struct bw_register_block {
	const char *name;
	uint32_t version; /* that numbers and fields were written for, as BW_IP_VERSION */
};
struct bw_register_name {
	const char *name;
	uint8_t block; /* of bw_register_blocks; bw_n_register_blocks: of no table */
	uint16_t first_field,
		n_fields; /* of bw_register_fields; of a row only the first has some */
	bool read_only;
	uint32_t reset;
};
struct bw_register_field {
	const char *name;
	uint8_t hi, lo;
};
extern const struct bw_register_block bw_register_blocks[];
extern const unsigned bw_n_register_blocks;
extern const struct bw_register_name bw_register_names[BW_N_REGISTERS];
extern const struct bw_register_field bw_register_fields[];

#endif
