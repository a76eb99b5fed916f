/* SPDX-License-Identifier: MIT */
#ifndef BW_ARCH_ARCH_H
#define BW_ARCH_ARCH_H

/* What a debugger needs to know of a GPU generation: the registers that hold the state of a wave,
 * how they are read, and the words that the debugger writes into code. One struct bw_arch for each,
 * gfx9.c to gfx12.c; of gfx9 and gfx10 (10.1 and 10.3) it is what looking at waves takes, and
 * no more (bw_arch_knows_code()). All other code names fields by meaning (arch/wave.h) and looks up
 * their place.
 *
 * Bit positions are not written down here: the rows take them from macros that
 * tools/gen-reg-names.py makes from the register database (arch/gfx11_bits.h, ...), as it makes the
 * flags by which they are shown (arch/gfx11_flags.h, ...). Code that is for one generation anyway,
 * the trap handler and the virtual GPU's executor, uses these macros directly, so that they stay
 * constants.
 *
 * Pure: constant data, and functions of their arguments. Any thread. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/wave.h"
#include "base/words.h"

/* Bits of one register. width 0: there is no such thing. */
struct bw_arch_bits {
	uint8_t lo, width;
};

/* Where a field is. The second piece, where there is one, has the upper bits. */
struct bw_arch_place {
	uint8_t reg; /* enum bw_wreg */
	struct bw_arch_bits bits, upper;
};

struct bw_arch_reg {
	uint16_t ind;	     /* index in SQ_IND; 0: the generation has no such register */
	const char *name;    /* as users type it; NULL: they do not */
	uint32_t writable;   /* bits that the trap handler gives back to the wave as edited */
	const char *why_not; /* why the others cannot be written */
};

/* A field of a register, for display. */
struct bw_arch_flag {
	uint8_t reg;
	struct bw_arch_bits bits;
	const char *name;
};

/* A GPU of the generation: its GC version, LLVM's name for it, VGPRs of 32 lanes in a SIMD. */
struct bw_arch_chip {
	uint32_t gc_version;
	const char *gfx;
	uint16_t vgprs_per_simd;
};

/* SQ_CMD.CMD and MODE (soc21_enum.h and soc24_enum.h: SQ_IND_CMD_CMD, SQ_IND_CMD_MODE). */
enum bw_sq_cmd {
	BW_SQ_CMD_NONE,
	BW_SQ_CMD_SETHALT, /* DATA 1 halts, 0 lets run */
	BW_SQ_CMD_SAVECTX,
	BW_SQ_CMD_KILL,
	BW_SQ_CMD_TRAP_AFTER_INST,
	BW_SQ_CMD_TRAP,
	BW_SQ_CMD_SET_PRIO,
	BW_SQ_CMD_SETFATALHALT,
	BW_SQ_CMD_SINGLE_STEP,
};
enum bw_sq_mode {
	BW_SQ_MODE_SINGLE,
	BW_SQ_MODE_BROADCAST,
	BW_SQ_MODE_BROADCAST_QUEUE,
	BW_SQ_MODE_BROADCAST_PIPE,
	BW_SQ_MODE_BROADCAST_ME,
};

/* Numbers of s_trap with which a wave enters the trap handler when the virtual GPU's checker stops
 * it for a finding (--stop-on-finding): of the instruction that it has just executed, or of the one
 * that follows. */
enum { BW_TRAP_ID_FINDING = 0x3e, BW_TRAP_ID_FINDING_HERE = 0x3f };

#define BW_SQ_ABSENT 0xbebebeefu /* what the registers of an SQ that does not exist read as */

/* A generation. To add one:
 *
 *  1. tools/import-regs.py KERNEL_TREE writes data/regs/gc-VERSION.txt; list it in
 *     src/regs/meson.build, and with the macros' prefix in src/arch/meson.build.
 *  2. Copy the row that is nearest (gfx12.c, gfx12_extra.h), and go through it from top to bottom.
 *     A register or field that has moved needs no change: the macros have its new bits. One that
 *     has a new name or does not exist any more is an error of the compiler. Facts that the
 *     database does not have are in gfxN_extra.h with their source: TTMPs (the kernel's
 *     cwsr_trap_handler_gfxN.asm). Words of code come from data/isa.
 *  3. A register or a meaning that is new: a name in enum bw_wreg or enum bw_wave_field. A
 *     register whose fields are to be shown: data/regs/flags.list. Its place: data/regs/rows.list.
 *  4. List the row in arch.c. tests/arch checks every row against the database and LLVM.
 * A generation whose waves are only to be looked at needs data/regs/waves.list instead of
 * debugger.list, and no words of code (gfx10_row.h).
 *
 * ARCHITECTURE.md ("a generation") says what there is besides: instructions, a trap handler. */
struct bw_arch {
	const char *name;	    /* "gfx11" */
	uint32_t first_gc, last_gc; /* versions, base/ip_version.h, ends included */
	const struct bw_arch_chip *chips;
	size_t n_chips;

	/* Wave state */
	struct bw_arch_reg reg[BW_WREG_COUNT];
	struct bw_arch_place at[BW_WF_COUNT];
	const struct bw_arch_flag *flags;
	size_t n_flags;
	/* "info registers" shows these after PC, EXEC, VCC, SCC and M0, and with everything asked
	 * for those. BW_WREG_NONE ends each. */
	const uint8_t *main_regs, *more_regs;
	/* The words of debugfs' amdgpu_gprwave for a wave: the type, then these. */
	const uint8_t *gprwave;
	uint8_t n_gprwave, gprwave_type;

	/* Resources */
	uint8_t waves_per_simd, simds_per_wgp;
	bool has_wgps; /* false, to gfx9: what is said of WGPs here is true of CUs */
	uint32_t lds_per_wgp_b;
	uint8_t pc_bits;
	uint8_t vgpr_granule;	   /* GPR_ALLOC.VGPR_SIZE */
	uint8_t accum_granule;	   /* GPR_ALLOC.ACCV_OFFSET; 0: there are no AccVGPRs */
	uint16_t lds_granule_b;	   /* LDS_ALLOC.LDS_SIZE */
	uint8_t n_sgprs;	   /* s0 and those after it that have no other name */
	uint8_t flat_scratch_sgpr; /* where FLAT_SCRATCH is; 0: it is a register of its own */

	/* SQ_IND_INDEX; SGPRs and VGPRs of a wave begin at these indices, TTMPs follow the SGPRs.
	 * simd: width 0 where the bank selects it (bw_arch_instance) */
	struct {
		struct bw_arch_bits wave, simd, lane, index;
		uint32_t auto_incr;
		uint16_t sgprs, vgprs;
	} ind;
	struct {
		struct bw_arch_bits cmd, mode, check_vmid, data, vmid;
	} sq_cmd;
	/* SPI_GDBG_PER_VMID_CNTL, SQ_SHADER_TBA_HI, SQ_DEBUG, TCP_WATCHn_CNTL */
	struct {
		struct bw_arch_bits trap_en, excp_en;
	} gdbg;
	struct bw_arch_bits tba_hi_addr, tba_hi_trap_en; /* gfx942 has no trap_en */
	struct bw_arch_bits single_memop; /* width 0: memory accesses cannot be made precise */
	struct {
		struct bw_arch_bits mask, vmid, mode, valid;
		uint8_t lowest_bit; /* of an address that MASK's bit 0 stands for */
	} watch;
	/* The registers a dispatch starts its waves with: COMPUTE_PGM_RSRC1 and 2, TMPRING_SIZE */
	struct {
		struct bw_arch_bits vgprs; /* RSRC1 */
		uint8_t vgpr_granule;	   /* of wave64; of wave32 twice as many */
		struct bw_arch_bits scratch_en, user_sgprs, lds_size, excp_en,
			excp_en_msb;	       /* RSRC2 */
		struct bw_arch_bits wave_size; /* TMPRING_SIZE */
		uint16_t lds_granule_b, wave_size_granule_b;
		struct bw_arch_bits wave32; /* DISPATCH_INITIATOR; width 0: none is */
	} rsrc;

	/* Words of code, from data/isa (arch/gfx11_words.h, ...) */
	uint32_t s_trap; /* with id 0 */
	uint32_t trap_id_max;
	/* a bit that the hardware ignores in an s_trap, set in one that stands over code which
	 * reads ALU exceptions: the virtual GPU looks for such code. 0: there is none */
	uint32_t s_trap_reads_exceptions;
	bool has_filters;    /* its trap handler tests conditions (src/trap, HAS_FILTERS) */
	uint32_t s_code_end; /* gfx942: s_endpgm */
	uint32_t wait_all;   /* until nothing of the wave is outstanding */
	uint32_t
		msg_rtn_get_doorbell; /* s_sendmsg_rtn's message; 0: there is no such instruction */
};

/* The GPUs whose waves the rows know, for messages. */
#define BW_ARCH_KNOWN "gfx9.0 to 9.4.0, gfx10.1, gfx10.3, gfx11 and gfx12.0"

/* NULL: no generation with that GC version is known. */
const struct bw_arch *bw_arch_of(uint32_t gc_version);
/* As bw_arch_of(), where a program can be debugged by it, or a crash be opened at the prompt: the
 * row has all that is below, words of code among it, and data/isa has the instructions. */
const struct bw_arch *bw_arch_of_code(uint32_t gc_version);
/* Whether a row is of that kind. */
bool bw_arch_knows_code(const struct bw_arch *a);
/* The compiler's name of a GC version: gfx1101 for 11.0.3; by its numbers where it has no row. */
void bw_arch_gfx_name(uint32_t gc_version, char *out, size_t size_b);
/* What kernels are built for where nothing says which GPU will run them. */
const char *bw_arch_default_gfx(void);
/* The word of s_code_end (gfx9: s_endpgm), which fills memory after code so that instruction
 * prefetch runs into nothing else. gc_version 0: the kernel does not tell. */
uint32_t bw_arch_code_end(uint32_t gc_version);
/* All rows; NULL beyond the last. */
const struct bw_arch *bw_arch_nth(size_t n);
/* NULL: a GPU whose name is not known. */
const struct bw_arch_chip *bw_arch_chip(const struct bw_arch *a, uint32_t gc_version);

/* Whether the generation knows it at all. */
bool bw_arch_has(const struct bw_arch *a, enum bw_wave_field f);
/* A field from a value of the register that it is in, where only that has been read; for a field in
 * two pieces both are in one register. */
uint32_t bw_arch_get(const struct bw_arch *a, enum bw_wave_field f, uint32_t raw);
/* raw with the field replaced; what does not fit is cut off. */
uint32_t bw_arch_set(const struct bw_arch *a, enum bw_wave_field f, uint32_t raw, uint32_t value);
/* The field's bits in its register. */
uint32_t bw_arch_mask(const struct bw_arch *a, enum bw_wave_field f);
/* The register that a field is in; BW_WREG_NONE where the generation does not have it. */
enum bw_wreg bw_arch_reg_of(const struct bw_arch *a, enum bw_wave_field f);
/* By the name that users type, in lower case; BW_WREG_NONE: there is none. */
enum bw_wreg bw_arch_reg_by_name(const struct bw_arch *a, const char *name);
/* Fields of a register that are not 0, for display: "SCC TRAP_EN USER_PRIO=2". Cut off where out is
 * too small. */
void bw_arch_flags_text(const struct bw_arch *a, enum bw_wreg reg, uint32_t value, char *out,
			size_t out_b);

/* Bits of a word: those named by a row, or taken out of it. */
uint32_t bw_arch_put(struct bw_arch_bits b, uint32_t value);
uint32_t bw_arch_take(struct bw_arch_bits b, uint32_t word);

/* SQ_IND_INDEX for a register of a wave; a field of it is read from there. Where the bank does not
 * select the SIMD, its number is put in by ind.simd. */
uint32_t bw_arch_ind(const struct bw_arch *a, enum bw_wreg reg, uint32_t wave);
/* SQ_IND_INDEX for `first` and those after it; lane: VGPRs only. index: a place in a->ind. */
uint32_t bw_arch_ind_run(const struct bw_arch *a, uint32_t index, uint32_t wave, uint32_t lane);
/* SQ_CMD for all waves of a VMID, or with UINT32_MAX of the GPU. */
uint32_t bw_arch_sq_cmd_all(const struct bw_arch *a, enum bw_sq_cmd cmd, uint32_t vmid,
			    uint32_t data);
/* GRBM's INSTANCE that selects a SIMD of a WGP: the SIMD is in its lowest bits. To gfx9 a CU is
 * selected, and SIMDs by a field of SQ_IND_INDEX and SQ_CMD. */
enum { BW_ARCH_INSTANCE_SIMD_BITS = 2 };
uint32_t bw_arch_instance(uint32_t wgp, uint32_t simd);
/* Of a wave's VGPRs, which are numbered together, the one that is a0; UINT32_MAX: none. */
uint32_t bw_wave_accum_offset(const struct bw_wave_state *s);
/* The number that s_getreg has for a register; -1: it has none. */
int bw_arch_hwreg(const struct bw_arch *a, enum bw_wreg reg);
/* The simm16 of s_getreg and s_setreg, for base/words.h. */
#define BW_GETREG_ID 0, 6
#define BW_GETREG_OFFSET 6, 5
#define BW_GETREG_SIZE 11, 5 /* - 1 */
/* The simm16 of an s_getreg of a whole field; its upper piece is left out. */
uint32_t bw_arch_hwreg_simm16(const struct bw_arch *a, enum bw_wave_field f);

/* An s_trap with this id, which must not be larger than trap_id_max. */
uint32_t bw_arch_s_trap(const struct bw_arch *a, uint32_t id);

/* What a program enables itself: EXCP_EN of COMPUTE_PGM_RSRC2, as enum bw_excp. */
uint32_t bw_arch_rsrc2_exceptions(const struct bw_arch *a, uint32_t rsrc2);
/* 32 or 64, by COMPUTE_DISPATCH_INITIATOR. */
unsigned bw_arch_lanes(const struct bw_arch *a, uint32_t initiator);
/* What a dispatch's waves get, by COMPUTE_PGM_RSRC1 and 2 and COMPUTE_TMPRING_SIZE. */
struct bw_arch_resources {
	uint32_t vgprs; /* of each lane */
	uint32_t user_sgprs;
	uint32_t lds_b;	    /* of a workgroup */
	uint32_t scratch_b; /* of a wave; 0: none */
};
struct bw_arch_resources bw_arch_resources(const struct bw_arch *a, unsigned lanes, uint32_t rsrc1,
					   uint32_t rsrc2, uint32_t tmpring_size);

#endif
