/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_MEM_H
#define BW_CLI_MEM_H

/* The common declarations of breakwater mem. */

#include "cli/look/memory.h"
#include "ui/print_format.h"

struct bw_mem {
	struct bw_look look;
	struct bw_print_format format; /* /NFU, at any position of the command line */
	bool has_format;
	const char *text;    /* --text */
	unsigned lanes;	     /* --wave64, for disasm */
	const char **values; /* words after PLACE (and SIZE), borrowed from argv */
	size_t n_values;
};

/* Adds the space of a place, and an address in it, to an answer. */
void bw_mem_facts(struct bw_look *l, const struct bw_look_memory *m, uint64_t address);
/* Appends an address: "0x1000", "vram@0x1000". */
void bw_mem_address(const struct bw_look_memory *m, uint64_t address, struct bw_str *out);
/* The error that nothing is mapped at an address. Its text is also the line for a gap. */
struct bw_error *bw_mem_stopped(struct bw_look_memory *m, uint64_t address) BW_MUST_CHECK;
struct bw_error *bw_mem_size(const char *text, uint64_t *out) BW_MUST_CHECK;
/* Converts --text, or the values in the format's unit, to bytes. The caller owns *out. */
struct bw_error *bw_mem_bytes(const struct bw_mem *c, uint8_t **out, size_t *out_n) BW_MUST_CHECK;

/* mem_ranges.c */
struct bw_error *bw_mem_dump(struct bw_mem *c, struct bw_look_memory *m,
			     uint64_t address) BW_MUST_CHECK;
struct bw_error *bw_mem_find(struct bw_mem *c, struct bw_look_memory *m,
			     uint64_t address) BW_MUST_CHECK;
struct bw_error *bw_mem_compare(struct bw_mem *c, struct bw_look_memory *m,
				uint64_t address) BW_MUST_CHECK;

#endif
