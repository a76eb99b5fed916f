/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_WAVES_H
#define BW_CRASH_WAVES_H

/* Waves as the tool umr prints them (`umr -wa`), with `-O bits` and without: what hang reports of
 * RADV have in umr_waves.log (doc/hardware/mesa.md 4). Line by line. Untrusted text: memory is
 * bounded by the limits below, what is damaged is left out and counted. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum {
	BW_CRASH_MAX_WAVES = 8192,
	BW_CRASH_WAVE_REGISTERS = 32,
	BW_CRASH_WAVE_SGPRS = 128,
	BW_CRASH_WAVE_VGPRS = 512,
	BW_CRASH_MAX_VGPR_WORDS = 1 << 25, /* of all waves */
};

/* "STATUS", without prefixes. */
struct bw_crash_wave_register {
	char name[20];
	uint32_t value;
};
struct bw_crash_wave {
	unsigned line;
	bool has_place;
	bool is_gfx9; /* sa and wgp are its SH and CU, as umr calls them */
	uint32_t se, sa, wgp, simd, wave;
	struct bw_crash_wave_register registers[BW_CRASH_WAVE_REGISTERS];
	unsigned n_registers;
	uint32_t sgprs[BW_CRASH_WAVE_SGPRS]; /* s0 to s(n_sgprs - 1) are known */
	unsigned n_sgprs;
	/* v0 to v(n_vgprs - 1), each `lanes` words */
	unsigned lanes, n_vgprs;
	struct BW_VEC(uint32_t) vgprs;
};

struct bw_crash_waves {
	struct BW_VEC(struct bw_crash_wave) list;
	uint64_t n_left_out, n_damaged; /* waves; lines */
	uint64_t n_vgpr_words;
	/* of parsing */
	unsigned state, n_columns;
	bool is_gfx9; /* the table */
	char columns[BW_CRASH_WAVE_REGISTERS][20];
	struct bw_crash_wave place; /* that a line has given for the next wave */
	bool dropping;		    /* lines of a wave that is left out */
	bool failed;
};

/* A line as text, without its newline. False: it is not of a wave. */
bool bw_crash_wave_line(struct bw_crash_waves *w, const char *line, unsigned number);
/* Between two files. */
void bw_crash_waves_next_file(struct bw_crash_waves *w);
void bw_crash_waves_free(struct bw_crash_waves *w);

/* False: the file does not have this register of the wave. */
bool bw_crash_wave_register(const struct bw_crash_wave *w, const char *name, uint32_t *out);
/* "se0.sa1.wgp2.simd3.w4", "se0.sh0.cu2.simd3.w4" on gfx9; "": not known. */
enum { BW_CRASH_WAVE_PLACE_B = 80 };
void bw_crash_wave_place(const struct bw_crash_wave *w, char out[BW_CRASH_WAVE_PLACE_B]);
/* PC_HI and PC_LO, in canonical form. False: the file does not have them. */
bool bw_crash_wave_pc(const struct bw_crash_wave *w, uint64_t *out);

#endif
