/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_REGISTER_WINDOW_PRIV_H
#define BW_VGPU_DEVICE_REGISTER_WINDOW_PRIV_H

/* What the window's rows are: register_window.c has those of debuggers, register_own.c those that
 * a driver needs beside them. */

#include "base/vec.h"
#include "regs/regs.h"
#include "vgpu/device/register_map.h"
#include "vgpu/device/register_window.h"

enum { BW_WINDOW_FIELDS = 32 };

struct bw_window_row;
typedef uint32_t bw_window_read_fn(struct bw_register_window *w, const struct bw_window_row *r,
				   const struct bw_bank *bank);
typedef void bw_window_write_fn(struct bw_register_window *w, const struct bw_window_row *r,
				const struct bw_bank *bank, uint32_t value);

/* One register: its place here and in the device, and its fields by name in both. */
struct bw_window_row {
	uint32_t addr_dw, device_dw;
	bw_window_read_fn *read;
	bw_window_write_fn *write;
	unsigned n_fields;
	struct bw_reg_field field[BW_WINDOW_FIELDS], device_field[BW_WINDOW_FIELDS];
};

struct bw_register_window {
	struct bw_device *dev;
	/* SQ_IND_INDEX of each CU as it was written. The device's own has one for each SIMD. */
	_Atomic uint32_t *index;
	struct BW_VEC(struct bw_window_row) rows;
	uint16_t *row_of; /* by address: 1 + the row's index; 0: none */
	uint32_t *plain;  /* of a driver: by address, what the device does nothing with */
};

/* How a register is found in both. Without a name or a block of its own in the device it has the
 * same, the name after device_prefix. Functions: NULL for those that go by the fields. */
struct bw_window_register {
	const char *block, *name;
	const char *device_prefix, *device_block, *device_name;
	bool may_lack;	    /* not every GPU has it */
	uint32_t offset_dw; /* added to its address here: of a block's second instance */
	bw_window_read_fn *read;
	bw_window_write_fn *write;
};

struct bw_error *bw_window_add(struct bw_register_window *w,
			       const struct bw_window_register *k) BW_MUST_CHECK;
struct bw_error *bw_window_add_row(struct bw_register_window *w,
				   const struct bw_window_row *r) BW_MUST_CHECK;
/* What it takes to walk page tables: of each VMID, and of all, in a hub. */
struct bw_error *bw_window_add_hub(struct bw_register_window *w, const char *block,
				   const char *device_prefix) BW_MUST_CHECK;
/* A word of one in the form of the other. */
uint32_t bw_window_by_fields(const struct bw_window_row *r, bool to_device, uint32_t value);
bw_window_read_fn bw_window_read_fields;
bw_window_write_fn bw_window_write_fields;

#endif
