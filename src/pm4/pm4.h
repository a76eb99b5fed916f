/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_PM4_H
#define BW_PM4_PM4_H

/* PM4 command streams of gfx11: packets as structs. Pure: the words come from anywhere and nothing
 * in them is trusted; no address is followed. data/pm4/packets.txt says what packets there are; of
 * each form of one that has fields there are a struct and what reads it (pm4/packets.h):
 *
 *     struct bw_pm4_cond_exec c;
 *     if (bw_pm4_cond_exec(packet, &c)) ... c.address, c.n_dw
 *
 * False, and zeros: it is another packet, or too short. build.h makes packets of the structs. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "base/words.h"
#include "regs/field.h"
#include "pm4/opcodes.h" /* generated: enum bw_pm4_op, values of fields */

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

/* The type of a header; bw_pm4_opcode: the opcode of a header of type 3. */
unsigned bw_pm4_type(uint32_t header);
unsigned bw_pm4_opcode(uint32_t header);
/* The header of a packet of type 3 with a body of 1 to 0x4000 dwords, for graphics. */
uint32_t bw_pm4_header(unsigned op, uint32_t n_body);
/* The header of a NOP with the same length as the type 3 packet of this header. */
uint32_t bw_pm4_as_nop(uint32_t header);
/* The largest COUNT of a header. A NOP with it has no body: it is the header alone. */
enum { BW_PM4_COUNT_MAX = 0x3fff };
#define BW_PM4_NOP_1DW 0xffff1000u
/* Size in dwords of the packet that this header begins; at least 1. */
uint32_t bw_pm4_size_dw(uint32_t header);
/* The packet at dw[pos]. False: none is left, or (out->size_dw is then the size that it needs) it
 * does not fit into the n_dw dwords. */
bool bw_pm4_at(const uint32_t *dw, size_t n_dw, size_t pos, struct bw_pm4_packet *out);
/* Whether a packet has this opcode, and a body of at least n_body dwords. */
static inline bool bw_pm4_is(const struct bw_pm4_packet *p, enum bw_pm4_op op, uint32_t n_body)
{
	return p->kind == BW_PM4_TYPE3 && p->op == op && p->n_body >= n_body;
}

enum bw_pm4_sender { BW_PM4_BY_COMPUTE = 1, BW_PM4_BY_GFX = 2, BW_PM4_BY_KERNEL = 4 };
/* How the registers that a packet writes are encoded in its body. */
enum bw_pm4_sets { BW_PM4_SETS_NONE, BW_PM4_SETS_PLAIN, BW_PM4_SETS_PAIRS, BW_PM4_SETS_PACKED };
struct bw_pm4_info {
	uint8_t op, min_body, senders;
	bool is_draw; /* it draws, or has parameters of a draw */
	bool starts_waves;
	uint8_t sets; /* enum bw_pm4_sets */
	uint16_t sets_from_dw;
	const char *name; /* "DISPATCH_DIRECT" */
};
/* NULL: no packet has this opcode. */
const struct bw_pm4_info *bw_pm4_info(unsigned op);
/* Whether it is a packet with a name, or padding, so that the next word begins a packet as well. */
bool bw_pm4_is_known(const struct bw_pm4_packet *p);
/* Whether a packet of this opcode is a dispatch or a draw. */
bool bw_pm4_starts_waves(unsigned op);
/* The name of an opcode: "DISPATCH_DIRECT", or "opcode 0xee", which is written to buf. */
const char *bw_pm4_name(unsigned op, char buf[16]);

/* --- registers --- */

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

/* Reads packets that set registers (SET_*_REG, SET_*_REG_INDEX, the PAIRS forms): address and value
 * of one register at a time. */
struct bw_pm4_set_reg {
	const struct bw_pm4_packet *packet;
	const struct bw_pm4_info *info;
	uint32_t n, i;	       /* number of registers; number of the next one */
	const uint32_t *value; /* the last register's value, in the packet */
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

struct bw_pm4_load_reg {
	uint64_t address;
	uint32_t addr_dw, n;
}; /* LOAD_SH_REG_INDEX, LOAD_CONTEXT_REG_INDEX, LOAD_UCONFIG_REG_INDEX */
bool bw_pm4_load_reg(const struct bw_pm4_packet *p, struct bw_pm4_load_reg *out);

/* --- other bodies --- */

#include "pm4/packets.h" /* generated */

/* Where execution continues after a packet, apart from the next packet. */
enum { BW_PM4_IB_MAX_DW = 0xfffff }; /* 20 bits of size */
struct bw_pm4_flow {
	/* it calls the stream of size_dw dwords at va; chain: it jumps there and does not return */
	bool calls;
	bool chain;
	uint8_t vmid;
	uint32_t size_dw;
	uint64_t va;
	uint32_t skip_dw; /* dwords after the packet that it may skip */
};
struct bw_pm4_flow bw_pm4_flow(const struct bw_pm4_packet *p);

/* Reads WAIT_REG_MEM and WAIT_REG_MEM64, both in the form of the latter. */
bool bw_pm4_wait(const struct bw_pm4_packet *p, struct bw_pm4_wait_reg_mem64 *out);
/* Whether a masked value and the reference fulfil a FUNCTION of WAIT_REG_MEM (BW_PM4_EQUAL ...). */
bool bw_pm4_compare(unsigned function, uint64_t value, uint64_t reference);

#endif
