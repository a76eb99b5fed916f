/* SPDX-License-Identifier: MIT */
#ifndef BW_REGS_REGS_H
#define BW_REGS_REGS_H

/* The register database: which registers a block of a GPU has, where they are and what their bits
 * mean. All of it is constant data in the program (data/regs, tools/gen-regs.py); nothing here
 * allocates except errors and bw_regs_nearest(), and every name it gives out lives for ever. Any
 * thread.
 *
 *     const struct bw_regs_block *gc;
 *     struct bw_reg reg;
 *     BW_TRY(bw_regs_find("gc", BW_IP_VERSION(11, 0, 2), &gc));    the table of 11.0.0
 *     BW_TRY(bw_regs_by_name(gc, "mmGRBM_STATUS", &reg));
 *     uint32_t addr_dw = gc_segment[reg.segment] + reg.offset_dw;
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/ip_version.h"

/* Registers of one block in one version. */
struct bw_regs_block;

/* bw_reg.segment of a register reached through an index/data pair (SQ_IND_INDEX and others). */
#define BW_REG_INDEXED (-1)

struct bw_reg {
	const struct bw_regs_block *block;
	uint32_t index;	    /* 0 to bw_regs_count() - 1, in order of address */
	const char *name;   /* as the kernel has it, without mm, reg or ix */
	const char *prefix; /* what the kernel puts in front: "mm", "reg", "ix" */
	const char *space;  /* indexed: "sq", "gccac", ...; else NULL */
	int segment;	    /* which of the block's base addresses; or BW_REG_INDEXED */
	uint32_t offset_dw; /* from that base; or the index */
	unsigned n_fields;
};

struct bw_reg_field {
	const char *name;
	uint8_t hi, lo; /* bits, both included; above 31 only in layouts of 64-bit words */
};

struct bw_reg_field_value {
	struct bw_reg_field field;
	uint64_t value;
};

/* The table of a block ("gc", "mmhub", "sdma0", "sdma", "osssys", "hdp", any case) for an IP
 * version. A version can use the table of an older one: bw_regs_version() says which. */
struct bw_error *bw_regs_find(const char *block, uint32_t version,
			      const struct bw_regs_block **out) BW_MUST_CHECK;
/* All tables: 0 to n - 1; NULL beyond. */
const struct bw_regs_block *bw_regs_nth(size_t n);
const char *bw_regs_block_name(const struct bw_regs_block *b);
uint32_t bw_regs_version(const struct bw_regs_block *b);
size_t bw_regs_count(const struct bw_regs_block *b);
struct bw_reg bw_regs_get(const struct bw_regs_block *b, size_t index);

/* By name, in any case, with or without the kernel's prefix. "ix" finds indexed registers only,
 * "mm" and "reg" direct ones only; without a prefix direct ones come first. */
bool bw_regs_lookup(const struct bw_regs_block *b, const char *name, struct bw_reg *out);
/* Like bw_regs_lookup; BW_E_NOT_FOUND names the nearest names. */
struct bw_error *bw_regs_by_name(const struct bw_regs_block *b, const char *name,
				 struct bw_reg *out) BW_MUST_CHECK;
/* Names that were perhaps meant, best first. Returns how many. */
size_t bw_regs_nearest(const struct bw_regs_block *b, const char *name, const char **out,
		       size_t max);

/* How many registers are at an offset of a segment: 0, 1, or more where one place has several names
 * (CP_RB_RPTR is CP_RB0_RPTR). out_first gets the first one; the others follow in index order. */
size_t bw_regs_at(const struct bw_regs_block *b, int segment, uint32_t offset_dw,
		  struct bw_reg *out_first);
/* Like bw_regs_at, for an index of an index space ("sq"). */
size_t bw_regs_at_index(const struct bw_regs_block *b, const char *space, uint32_t index,
			struct bw_reg *out_first);
/* Like bw_regs_at, for an absolute address, the block's segments being at bases_dw[0..n_bases - 1].
 * */
size_t bw_regs_at_address(const struct bw_regs_block *b, const uint32_t *bases_dw, size_t n_bases,
			  uint32_t addr_dw, struct bw_reg *out_first);
/* Absolute address of a direct register; BW_E_INVALID when it has none. */
struct bw_error *bw_reg_address(const struct bw_reg *reg, const uint32_t *bases_dw, size_t n_bases,
				uint32_t *out_addr_dw) BW_MUST_CHECK;
/* By name to absolute address in one step. */
struct bw_error *bw_regs_address(const struct bw_regs_block *b, const char *name,
				 const uint32_t *bases_dw, size_t n_bases,
				 uint32_t *out_addr_dw) BW_MUST_CHECK;

/* Registers whose names match a pattern with * and ?, in any case, with or without the prefix, in
 * order of name:
 *
 *     size_t at = 0;
 *     while (bw_regs_match_next(gc, "*GRBM*", &at, &reg))
 */
bool bw_regs_match_next(const struct bw_regs_block *b, const char *pattern, size_t *at,
			struct bw_reg *out);

struct bw_reg_field bw_reg_field(const struct bw_reg *reg, unsigned n);
/* By name, any case. BW_E_NOT_FOUND names the fields there are. */
struct bw_error *bw_reg_field_by_name(const struct bw_reg *reg, const char *name,
				      struct bw_reg_field *out) BW_MUST_CHECK;
uint64_t bw_reg_field_max(struct bw_reg_field f);
uint64_t bw_reg_field_get(struct bw_reg_field f, uint64_t word);
/* word with the field replaced; value must fit (bw_reg_field_max). */
uint64_t bw_reg_field_set(struct bw_reg_field f, uint64_t word, uint64_t value);

/* All fields of a word, lowest bits first; returns reg->n_fields, of which at most max are filled.
 */
size_t bw_reg_decode(const struct bw_reg *reg, uint64_t word, struct bw_reg_field_value *out,
		     size_t max);
/* out_word := word with the named field set; BW_E_INVALID when value does not fit. */
struct bw_error *bw_reg_encode(const struct bw_reg *reg, const char *field, uint64_t value,
			       uint64_t word, uint64_t *out_word) BW_MUST_CHECK;

/* Bytes that all tables take in the program. */
size_t bw_regs_tables_size_b(void);

#endif
