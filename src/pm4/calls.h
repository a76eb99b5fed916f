/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_CALLS_H
#define BW_PM4_CALLS_H

/* Packets of PM4 and SDMA as calls with named arguments: one row a form of a packet, with each
 * field by name and place. Used for programs that write command streams (breakwater decompile), and
 * for the text of packets (describe.h). Pure. */

#include <stdbool.h>
#include <stdint.h>

enum bw_pm4_call_kind {
	BW_PM4_CALL_NUMBER,
	BW_PM4_CALL_ADDRESS,	 /* an address of the GPU */
	BW_PM4_CALL_STREAM,	 /* the address of a command stream */
	BW_PM4_CALL_STREAM_SIZE, /* its size in dwords */
	BW_PM4_CALL_INITIATOR,	 /* the fields of COMPUTE_DISPATCH_INITIATOR */
	BW_PM4_CALL_HEX,	 /* a number that is best shown in hexadecimal */
	BW_PM4_CALL_REGISTER,	 /* the dword address of a register */
	BW_PM4_CALL_SH,		 /* from the first register that SET_SH_REG can write; and so on */
	BW_PM4_CALL_CONTEXT,
	BW_PM4_CALL_UCONFIG,
	BW_PM4_CALL_CONFIG,
};

struct bw_pm4_call_field {
	const char *name; /* NULL: after the last one */
	uint16_t lo;	  /* number of its lowest bit, from bit 0 of the header */
	uint8_t n_bits;	  /* 1 to 64 */
	uint8_t kind;	  /* enum bw_pm4_call_kind */
};

enum {
	BW_PM4_CALL_FIELDS_MAX = 24,
	BW_PM4_CALL_MAX_DW = 24, /* n_dw of all rows is at most this */
};
struct bw_pm4_call {
	const char *name; /* "wait_reg_mem", "sdma_fence": no two rows have the same */
	uint16_t code;	  /* enum bw_pm4_op or enum bw_sdma_code */
	bool is_sdma;
	uint8_t n_dw;  /* fixed dwords, with the header and without data */
	bool has_data; /* dwords follow, as many as the packet has */
	/* the bits of an SDMA packet with the number of data dwords minus `count_less`; 0 bits:
	 * there are none */
	uint8_t count_lo, count_bits, count_less;
	struct bw_pm4_call_field fields[BW_PM4_CALL_FIELDS_MAX];
};

/* The row whose fields make exactly the n_dw dwords of a whole packet; NULL: none does.
 * out_flags: bits of the header that no field names (PM4: of bits 0 to 7, SDMA: of 16 to 31). */
const struct bw_pm4_call *bw_pm4_call_of(const uint32_t *dw, uint32_t n_dw, bool is_sdma,
					 uint32_t *out_flags);
/* The row of a PM4 packet by opcode and size only; bits that no field names may be set. NULL: there
 * is none. */
const struct bw_pm4_call *bw_pm4_form_of(const uint32_t *dw, uint32_t n_dw);
/* The bits in dword `at` (1 to n_dw - 1) of a packet that no field of the row names. */
uint32_t bw_pm4_call_unnamed(const struct bw_pm4_call *c, const uint32_t *dw, unsigned at);
/* The value of a field, in a packet that has the row's size. */
uint64_t bw_pm4_call_get(const struct bw_pm4_call_field *f, const uint32_t *dw);
/* All rows, for tests. */
const struct bw_pm4_call *bw_pm4_calls(unsigned *out_n);

#endif
