/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_REGISTERS_H
#define BW_DEBUG_REGISTERS_H

/* Registers of waves. */

#include "debug/wave_reg.h"
#include "debug/waves.h"

enum bw_reg_special {
	BW_REG_PC,
	BW_REG_EXEC,
	BW_REG_VCC,
	BW_REG_SCC,
	BW_REG_M0,
	BW_REG_FLAT_SCRATCH,
	BW_REG_EXEC_LO,
	BW_REG_EXEC_HI,
	BW_REG_VCC_LO,
	BW_REG_VCC_HI,
	BW_REG_SPECIAL_COUNT,
};
enum { BW_SGPR_SHOWN = 106 }; /* s0 to s105 at most; VCC is a register of its own */
/* Those that the debugged GPU has. */
unsigned bw_debug_n_sgprs(const struct bw_debug *d);
/* Whether a register has a value for each lane. */
bool bw_wave_reg_is_vector(struct bw_wave_reg r);
/* The name of VGPR n of a wave: "v3", or "a3" of an AccVGPR. */
void bw_wave_vgpr_name(const struct bw_wave_info *w, unsigned n, char out[8]);
/* Those that are no AccVGPRs. */
unsigned bw_wave_plain_vgprs(const struct bw_wave_info *w);
/* The number of a vector register among the wave's VGPRs; an error where the wave does not have all
 * of r. */
struct bw_error *bw_wave_vgpr_number(const struct bw_wave_info *w, struct bw_wave_reg r,
				     unsigned *out) BW_MUST_CHECK;
/* The architecture of the debugged GPU; gfx11 as long as there is no target. */
const struct bw_arch *bw_debug_arch(const struct bw_debug *d);
/* Parses the name of a register, with or without '$': "pc", "s4", "v3", "a3", "s[2:3]", "ttmp8",
 * "status". False: there is no such register. arch NULL: registers of the wave's state ("status")
 * and AccVGPRs are left out. */
bool bw_wave_reg_parse(const struct bw_arch *arch, const char *name, struct bw_wave_reg *out);
void bw_wave_reg_name(const struct bw_arch *arch, struct bw_wave_reg r, char out[24]);
/* The size of a register in dwords: 2 for PC, FLAT_SCRATCH, and for EXEC and VCC of wave64. */
unsigned bw_wave_reg_size_dw(struct bw_wave_reg r, const struct bw_wave_info *w);
/* Reads or writes a register of up to 64 bits, not a VGPR. A pair has its low dword first. */
struct bw_error *bw_debug_reg_read(struct bw_debug *d, uint32_t wave, struct bw_wave_reg r,
				   uint64_t *out) BW_MUST_CHECK;
struct bw_error *bw_debug_reg_write(struct bw_debug *d, uint32_t wave, struct bw_wave_reg r,
				    uint64_t value) BW_MUST_CHECK;
/* Reads or writes one VGPR of all lanes, AccVGPRs among them (bw_wave_vgpr_number()); the array has
 * room for 64. */
struct bw_error *bw_debug_vgpr_read(struct bw_debug *d, uint32_t wave, unsigned n,
				    uint32_t *out) BW_MUST_CHECK;
struct bw_error *bw_debug_vgpr_write(struct bw_debug *d, uint32_t wave, unsigned n, unsigned lane,
				     uint32_t value) BW_MUST_CHECK;
/* Reads n SGPRs, from `first` on, in one call: for tables. */
struct bw_error *bw_debug_sgprs_read(struct bw_debug *d, uint32_t wave, unsigned first, unsigned n,
				     uint32_t *out) BW_MUST_CHECK;

#endif
