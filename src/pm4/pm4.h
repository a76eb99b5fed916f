/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_PM4_H
#define BW_PM4_PM4_H

/* PM4 command streams of gfx11: packets as structs, and back. Pure: the words come from anywhere
 * and nothing in them is trusted; no address is followed. Layouts: doc/hardware/dispatch.md,
 * nvd.h of Linux 6.12. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "regs/field.h"
#include "pm4/values.h"
#include "pm4/opcodes.h" /* generated from data/pm4/packets.txt: enum bw_pm4_op */

/* --- packets --- */

enum bw_pm4_kind { BW_PM4_TYPE0, BW_PM4_TYPE2_PAD, BW_PM4_TYPE3, BW_PM4_RESERVED };

struct bw_pm4_packet {
	enum bw_pm4_kind kind;
	uint32_t header;
	uint8_t op; /* enum bw_pm4_op; may be one without a name */
	bool compute, predicate;
	const uint32_t *body; /* borrowed from the stream */
	uint32_t n_body;
	uint32_t size_dw; /* with the header */
};

/* The type of a header, and the opcode of one of type 3. */
unsigned bw_pm4_type(uint32_t header);
unsigned bw_pm4_opcode(uint32_t header);
/* The header of a packet of type 3 with a body of 1 to 0x4000 dwords, for graphics. */
uint32_t bw_pm4_header(unsigned op, uint32_t n_body);
/* The header of a NOP as long as the packet of type 3 that this header begins. */
uint32_t bw_pm4_as_nop(uint32_t header);
/* COUNT of a header at most: a NOP with it has no body, and is the header alone. */
enum { BW_PM4_COUNT_MAX = 0x3fff };
#define BW_PM4_NOP_1DW 0xffff1000u
/* Size in dwords of the packet that this header begins; at least 1. */
uint32_t bw_pm4_size_dw(uint32_t header);
/* The packet at dw[pos]. False: none is left, or (out->size_dw then says how much it wants) it does
 * not fit into the n_dw dwords. */
bool bw_pm4_at(const uint32_t *dw, size_t n_dw, size_t pos, struct bw_pm4_packet *out);

enum bw_pm4_sender { BW_PM4_BY_COMPUTE = 1, BW_PM4_BY_GFX = 2, BW_PM4_BY_KERNEL = 4 };
/* How a packet's body has the registers that it writes. */
enum bw_pm4_sets { BW_PM4_SETS_NONE, BW_PM4_SETS_PLAIN, BW_PM4_SETS_PAIRS, BW_PM4_SETS_PACKED };
struct bw_pm4_info {
	uint8_t op, min_body, senders;
	bool is_draw; /* or has parameters of one */
	bool starts_waves;
	uint8_t sets; /* enum bw_pm4_sets */
	uint16_t sets_from_dw;
	const char *name; /* "DISPATCH_DIRECT" */
};
/* NULL: no packet has this opcode. */
const struct bw_pm4_info *bw_pm4_info(unsigned op);
/* Whether a packet of this opcode is a dispatch or a draw. */
bool bw_pm4_starts_waves(unsigned op);
/* "DISPATCH_DIRECT", or "opcode 0xee". buf is used for the latter. */
const char *bw_pm4_name(unsigned op, char buf[16]);

/* --- decoded bodies. Each decoder checks opcode and length and returns false when they do not fit
 * --- */

/* The parts of the register space that packets reach by an offset (nvd.h of Linux,
 * PACKET3_SET_*_REG_START and _END): dword addresses. */
enum {
	BW_PM4_CONFIG_BEGIN_DW = 0x2000,
	BW_PM4_N_CONFIG = 0xc00,
	BW_PM4_SH_BEGIN_DW = 0x2c00,
	BW_PM4_N_SH = 0x400,
	BW_PM4_CONTEXT_BEGIN_DW = 0xa000,
	BW_PM4_N_CONTEXT = 0x400,
	BW_PM4_UCONFIG_BEGIN_DW = 0xc000,
	BW_PM4_N_UCONFIG = 0x4000,
};

/* SET_*_REG, SET_*_REG_INDEX, the PAIRS forms: address and value of one register at a time. */
struct bw_pm4_set_reg {
	const struct bw_pm4_packet *packet;
	const struct bw_pm4_info *info;
	uint32_t n, i;	       /* registers, next one */
	const uint32_t *value; /* where the last one's value is, in the packet */
};
bool bw_pm4_set_reg_begin(const struct bw_pm4_packet *p, struct bw_pm4_set_reg *out);
bool bw_pm4_set_reg_next(struct bw_pm4_set_reg *s, uint32_t *out_addr_dw, uint32_t *out_value);

/* COMPUTE_DISPATCH_INITIATOR */
enum {
	BW_PM4_INIT_ENABLE = BW_FIELD_MASK(COMPUTE_DISPATCH_INITIATOR, COMPUTE_SHADER_EN),
	BW_PM4_INIT_PARTIAL_TG_EN = BW_FIELD_MASK(COMPUTE_DISPATCH_INITIATOR, PARTIAL_TG_EN),
	BW_PM4_INIT_FORCE_START_AT_000 =
		BW_FIELD_MASK(COMPUTE_DISPATCH_INITIATOR, FORCE_START_AT_000),
	BW_PM4_INIT_USE_THREAD_DIMENSIONS =
		BW_FIELD_MASK(COMPUTE_DISPATCH_INITIATOR, USE_THREAD_DIMENSIONS),
	BW_PM4_INIT_CS_W32_EN = BW_FIELD_MASK(COMPUTE_DISPATCH_INITIATOR, CS_W32_EN),
};
struct bw_pm4_dispatch {
	uint32_t dim[3], initiator;
};
bool bw_pm4_dispatch_direct(const struct bw_pm4_packet *p, struct bw_pm4_dispatch *out);
struct bw_pm4_dispatch_indirect {
	bool has_va; /* the compute queue's form; else an offset from SET_BASE index 1 */
	uint64_t va_or_offset;
	uint32_t initiator;
};
bool bw_pm4_dispatch_indirect(const struct bw_pm4_packet *p, struct bw_pm4_dispatch_indirect *out);

struct bw_pm4_indirect_buffer {
	uint64_t va;
	uint32_t size_dw;
	uint8_t vmid;
	bool chain;
};
bool bw_pm4_indirect_buffer(const struct bw_pm4_packet *p, struct bw_pm4_indirect_buffer *out);

struct bw_pm4_event {
	uint8_t type, index;
	bool has_address;
	uint64_t address;
};
bool bw_pm4_event_write(const struct bw_pm4_packet *p, struct bw_pm4_event *out);

struct bw_pm4_release_mem {
	uint8_t event, event_index, data_sel, int_sel, dst_sel;
	uint32_t gcr;
	uint64_t address, data;
	uint32_t int_ctxid;
};
bool bw_pm4_release_mem(const struct bw_pm4_packet *p, struct bw_pm4_release_mem *out);

struct bw_pm4_acquire_mem {
	uint64_t base, size;
	uint32_t gcr;
	bool pws;
};
bool bw_pm4_acquire_mem(const struct bw_pm4_packet *p, struct bw_pm4_acquire_mem *out);

struct bw_pm4_write_data {
	uint8_t dst_sel;
	bool one_address; /* all dwords to the same place */
	uint64_t address; /* bytes, or a dword register address */
	const uint32_t *data;
	uint32_t n;
};
bool bw_pm4_write_data(const struct bw_pm4_packet *p, struct bw_pm4_write_data *out);

/* The register that an address of COPY_DATA, or a mask of REG_RMW, names: in dwords. */
uint32_t bw_pm4_reg_of(uint64_t address);
struct bw_pm4_copy_data {
	uint8_t src_sel, dst_sel;
	bool is_64;
	uint64_t src, dst;
};
bool bw_pm4_copy_data(const struct bw_pm4_packet *p, struct bw_pm4_copy_data *out);

struct bw_pm4_dma_data {
	uint8_t src_sel, dst_sel;
	bool src_is_reg, dst_is_reg, src_fixed, dst_fixed, sync;
	uint64_t src, dst; /* src: the fill value with SRC_DATA */
	uint32_t size_b;
};
bool bw_pm4_dma_data(const struct bw_pm4_packet *p, struct bw_pm4_dma_data *out);

/* WAIT_REG_MEM and WAIT_REG_MEM64 */
struct bw_pm4_wait {
	uint8_t function; /* enum bw_pm4_compare */
	bool is_memory, is_64;
	bool write_first; /* operation 1: write `ref` to register `address`, then wait on register
			     `address2` */
	uint64_t address, address2, ref, mask;
};
bool bw_pm4_wait(const struct bw_pm4_packet *p, struct bw_pm4_wait *out);
bool bw_pm4_wait_true(const struct bw_pm4_wait *w, uint64_t value);

struct bw_pm4_cond_exec {
	uint64_t address;
	uint32_t skip_dw;
};
/* REWIND, whose VALID bit is set in memory when what follows is complete. False: malformed. */
bool bw_pm4_rewind(const struct bw_pm4_packet *p, bool *out_valid);
bool bw_pm4_cond_exec(const struct bw_pm4_packet *p, struct bw_pm4_cond_exec *out);

struct bw_pm4_set_predication {
	uint8_t op;  /* enum bw_pm4_pred_op */
	bool if_set; /* executed where the value is not zero; else where it is */
	uint64_t address;
};
bool bw_pm4_set_predication(const struct bw_pm4_packet *p, struct bw_pm4_set_predication *out);
struct bw_pm4_set_base {
	uint8_t index;
	uint64_t address;
};
bool bw_pm4_set_base(const struct bw_pm4_packet *p, struct bw_pm4_set_base *out);
struct bw_pm4_load_reg {
	uint64_t address;
	uint32_t addr_dw, n;
}; /* LOAD_SH_REG_INDEX, LOAD_CONTEXT_REG_INDEX, LOAD_UCONFIG_REG_INDEX */
bool bw_pm4_load_reg(const struct bw_pm4_packet *p, struct bw_pm4_load_reg *out);

struct bw_pm4_atomic_mem {
	uint8_t op;	  /* enum bw_tc_op */
	bool is_64, loop; /* loop: again until what was there is equal to `compare` */
	uint64_t address, src, compare;
};
bool bw_pm4_atomic_mem(const struct bw_pm4_packet *p, struct bw_pm4_atomic_mem *out);

struct bw_pm4_cond_write {
	struct bw_pm4_wait poll; /* only looked at once */
	uint8_t write_space;	 /* 0 register, 1 memory, 2 scratch register */
	uint64_t write_address;
	uint32_t data;
};
bool bw_pm4_cond_write(const struct bw_pm4_packet *p, struct bw_pm4_cond_write *out);

/* REG_RMW: register = (register & and) | or, either of them itself a register if so marked.
 * CONTEXT_REG_RMW: the same with and = ~mask, or = data & mask. */
struct bw_pm4_reg_rmw {
	uint32_t addr_dw, and_value, or_value;
	bool and_is_reg, or_is_reg;
};
bool bw_pm4_reg_rmw(const struct bw_pm4_packet *p, struct bw_pm4_reg_rmw *out);

/* The following dwords apply to the devices of a mask only: bit 0 is the first GPU of a group, or
 * the only one. */
struct bw_pm4_pred_exec {
	uint8_t devices;
	uint32_t n_dw;
};
bool bw_pm4_pred_exec(const struct bw_pm4_packet *p, struct bw_pm4_pred_exec *out);

#endif
