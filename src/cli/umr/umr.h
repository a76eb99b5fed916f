/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_UMR_UMR_H
#define BW_CLI_UMR_UMR_H

/* The part of the tool umr that programs and people use (doc/hardware/kernel-interface.md 7,
 * doc/hardware/mesa.md 4): its options and forms of output, with our own reading of debugfs. */

#include <stdbool.h>
#include <stdint.h>

#include "cli/look/gpu.h"
#include "scan/halt.h"

struct bw_umr {
	struct bw_gpu gpu;  /* without signal handlers; GFXOFF is left to -go */
	struct bw_kmd *kmd; /* borrowed from gpu */
	char asic[32];	    /* "navi31", or "gfx1100" for a GPU without such a name here */
	char block_name[BW_GPU_N_BLOCKS][24]; /* names of gpu.block in umr's form: "gfx1100" */
	const struct bw_regs_block *gc;
	uint32_t gc_bases_dw[8];
	unsigned n_gc_bases;
	bool bits, many, halt_waves, skip_gprs, risky;
	struct bw_kmd_bank bank; /* the bank for register accesses */
};

/* waves.c */
struct bw_error *bw_umr_waves(struct bw_umr *u) BW_MUST_CHECK;
/* place: "SE,SA,WGP,SIMD,WAVE" of a halted wave */
struct bw_error *bw_umr_step(struct bw_umr *u, const char *place) BW_MUST_CHECK;

/* regs.c. Paths are "asic.block.register", with * for any of the three; a name alone is a
 * register of any block. */
struct bw_error *bw_umr_list_blocks(struct bw_umr *u) BW_MUST_CHECK;
struct bw_error *bw_umr_list_regs(struct bw_umr *u, const char *path) BW_MUST_CHECK;
struct bw_error *bw_umr_read(struct bw_umr *u, const char *path) BW_MUST_CHECK;
struct bw_error *bw_umr_write(struct bw_umr *u, const char *path, const char *value) BW_MUST_CHECK;
/* path with ".FIELD" after it */
struct bw_error *bw_umr_write_field(struct bw_umr *u, const char *path,
				    const char *value) BW_MUST_CHECK;
/* All registers of a block: "mmhub300", and those of the graphics block with -O risky. */
struct bw_error *bw_umr_scan(struct bw_umr *u, const char *block) BW_MUST_CHECK;
/* Decodes a value. what: an address ("0x2004") or "block.register". */
struct bw_error *bw_umr_lookup(struct bw_umr *u, const char *what, const char *value) BW_MUST_CHECK;

/* memory.c. place: "[VMID@]ADDRESS", the address in hexadecimal; sizes in hexadecimal bytes.
 * Bits 15:8 of a VMID are the hub: 0 graphics, 1 memory. Without a VMID: VRAM. */
struct bw_error *bw_umr_vm_decode(struct bw_umr *u, const char *place,
				  const char *pages) BW_MUST_CHECK;
struct bw_error *bw_umr_vm_read(struct bw_umr *u, const char *place,
				const char *size) BW_MUST_CHECK; /* to standard output */
struct bw_error *bw_umr_vm_write(struct bw_umr *u, const char *place,
				 const char *size) BW_MUST_CHECK; /* from standard input */
struct bw_error *bw_umr_vm_disasm(struct bw_umr *u, const char *place,
				  const char *size) BW_MUST_CHECK;
struct bw_error *bw_umr_vm_write_word(struct bw_umr *u, const char *place,
				      const char *word) BW_MUST_CHECK;
struct bw_error *bw_umr_dump_ib(struct bw_umr *u, const char *place, const char *size,
				const char *pm) BW_MUST_CHECK;

/* packets.c. pm, umr's number of a kind of packets: "4" PM4, "3" SDMA, "2" MES. */
struct bw_umr_stream {
	const char *ring; /* NULL: memory */
	size_t ring_words;
	unsigned vmid;
	uint64_t address;
	size_t begin, end; /* words that are shown; the others are not part of a packet */
};
struct bw_error *bw_umr_packets(struct bw_umr *u, const struct bw_umr_stream *s, const uint32_t *dw,
				const char *pm) BW_MUST_CHECK;
struct bw_error *bw_umr_dump_file(struct bw_umr *u, const char *path, const char *pm) BW_MUST_CHECK;
/* Prints a ring. ring: its name, and which words: "gfx_0.0.0[0:16]". */
struct bw_error *bw_umr_ring(struct bw_umr *u, const char *ring, bool packets) BW_MUST_CHECK;

/* power.c. on: "0" or "1"; NULL asks for the state. */
struct bw_error *bw_umr_power(struct bw_umr *u) BW_MUST_CHECK;
struct bw_error *bw_umr_top(struct bw_umr *u) BW_MUST_CHECK;
struct bw_error *bw_umr_gfxoff(struct bw_umr *u, const char *on) BW_MUST_CHECK;

/* queues.c */
struct bw_error *bw_umr_cpc(struct bw_umr *u) BW_MUST_CHECK;
struct bw_error *bw_umr_sdma(struct bw_umr *u) BW_MUST_CHECK;
struct bw_error *bw_umr_config(struct bw_umr *u) BW_MUST_CHECK;
struct bw_error *bw_umr_vbios(struct bw_umr *u) BW_MUST_CHECK;

#endif
