/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_SDMA_H
#define BW_PM4_SDMA_H

/* Command streams of the SDMA engines, version 6.0: packets as structs. Pure, as pm4.h: nothing in
 * the words is trusted, no address is followed. Layouts: data/pm4/sdma.txt says from where. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pm4/pm4.h"
#include "pm4/sdma_opcodes.h" /* generated: enum bw_sdma_code */

struct bw_sdma_info {
	uint16_t code; /* enum bw_sdma_code */
	uint8_t min_dw;
	const char *name; /* "COPY_LINEAR" */
};
/* What a packet's header says of it; NULL: no packet has this opcode. */
const struct bw_sdma_info *bw_sdma_info(uint32_t header);
/* "COPY_LINEAR", or "opcode 0x03 sub-opcode 0x01". buf is used for the latter. */
const char *bw_sdma_name(uint32_t header, char buf[32]);

struct bw_sdma_packet {
	const struct bw_sdma_info *info; /* NULL: unknown, of one dword as far as one can tell */
	uint32_t header;
	const uint32_t *dw; /* with the header; borrowed from the stream */
	uint32_t size_dw;
};
/* The packet at dw[pos]. False: none is left, or (out->size_dw then says how much it wants, at
 * least) it does not fit into the n_dw dwords. */
bool bw_sdma_at(const uint32_t *dw, size_t n_dw, size_t pos, struct bw_sdma_packet *out);

/* ---- decoded packets; each is for the codes named, whose size bw_sdma_at has checked ---- */

/* COPY_LINEAR */
struct bw_sdma_copy {
	uint64_t src, dst, dst2; /* dst2: 0 unless it is a broadcast */
	uint64_t size_b;
};
void bw_sdma_copy(const struct bw_sdma_packet *p, struct bw_sdma_copy *out);

/* The three forms of copies of a window. Coordinates and sizes count elements. */
struct bw_sdma_linear {
	uint64_t va;
	uint32_t x, y, z, pitch, slice_pitch;
};
struct bw_sdma_tiled {
	uint64_t va;
	uint32_t x, y, z, width, height, depth; /* the last three: of level 0 */
	uint8_t elem_log2, sw_mode, dimension;	/* 0: 1D, 1: 2D, 2: 3D */
	uint8_t n_levels, level;
};
struct bw_sdma_window {
	bool src_is_tiled, dst_is_tiled;
	struct bw_sdma_linear src_linear, dst_linear;
	struct bw_sdma_tiled src_tiled, dst_tiled;
	uint8_t elem_log2;
	uint32_t width, height, depth;
	bool has_metadata; /* one of them is compressed */
};
/* COPY_LINEAR_SUB_WINDOW, COPY_TILED_SUB_WINDOW, COPY_T2T_SUB_WINDOW */
void bw_sdma_window(const struct bw_sdma_packet *p, struct bw_sdma_window *out);

/* WRITE_LINEAR */
struct bw_sdma_write {
	uint64_t dst;
	const uint32_t *data;
	uint32_t n;
};
void bw_sdma_write(const struct bw_sdma_packet *p, struct bw_sdma_write *out);

/* CONSTANT_FILL */
struct bw_sdma_fill {
	uint64_t dst, size_b;
	uint32_t value;
	uint8_t unit_b; /* 1, 2 or 4: how much of the value is repeated */
};
void bw_sdma_fill(const struct bw_sdma_packet *p, struct bw_sdma_fill *out);

/* INDIRECT */
void bw_sdma_indirect(const struct bw_sdma_packet *p, struct bw_pm4_indirect_buffer *out);

/* POLL_REGMEM */
struct bw_sdma_poll {
	struct bw_pm4_wait wait; /* registers: dword addresses */
	/* writes the reference to register address2 first, then waits on `address` */
	bool hdp_flush;
};
void bw_sdma_poll(const struct bw_sdma_packet *p, struct bw_sdma_poll *out);

/* COND_EXE: the next n dwords are passed over where memory is less than the reference. */
struct bw_sdma_cond_exe {
	uint64_t address;
	uint32_t reference, n_dw;
};
void bw_sdma_cond_exe(const struct bw_sdma_packet *p, struct bw_sdma_cond_exe *out);

/* PRE_EXE: the next n dwords are for the engines of this set, by bit. */
struct bw_sdma_pre_exe {
	uint8_t devices;
	uint32_t n_dw;
};
void bw_sdma_pre_exe(const struct bw_sdma_packet *p, struct bw_sdma_pre_exe *out);

/* VM_INVALIDATION: the request of an invalidation engine, and the VMIDs whose acknowledgement it
 * waits for. */
struct bw_sdma_vm_invalidation {
	uint8_t engine;
	uint32_t request, ack;
};
void bw_sdma_vm_invalidation(const struct bw_sdma_packet *p, struct bw_sdma_vm_invalidation *out);

/* ATOMIC */
void bw_sdma_atomic(const struct bw_sdma_packet *p, struct bw_pm4_atomic_mem *out);

/* PTEPDE: n entries of 64 bits, flags | (value + i * increment). */
struct bw_sdma_ptepde {
	uint64_t dst, flags, value, increment;
	uint32_t n;
};
void bw_sdma_ptepde(const struct bw_sdma_packet *p, struct bw_sdma_ptepde *out);

/* SRBM_WRITE */
struct bw_sdma_srbm_write {
	uint32_t addr_dw, value;
	uint32_t mask; /* of the bytes written */
};
void bw_sdma_srbm_write(const struct bw_sdma_packet *p, struct bw_sdma_srbm_write *out);

/* Dwords 1 and 2 of FENCE, TIMESTAMP and their like. */
uint64_t bw_sdma_address(const struct bw_sdma_packet *p);

#endif
