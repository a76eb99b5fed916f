/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_PRIV_H
#define BW_VGPU_EXEC_PRIV_H

/* The inside of the executor: its state, how handlers hand over to each other, and what an opcode's
 * semantics are. */

#include "vgpu/device/exec/core/code.h"
#include "vgpu/device/exec/core/fmode.h"
#include "image/image.h"
#include "vgpu/device/exec/core/rec.h"
#include "vgpu/device/exec/core/tally.h"
#include "vgpu/device/exec/core/wmma.h"

/* Why a handler returned NULL. w->pc is right, and is that of the next instruction unless said
 * otherwise. */
enum bw_exit {
	BW_EXIT_NONE,
	BW_EXIT_LOOKUP,	 /* continue at w->pc: it may be anywhere, and privilege may have changed */
	BW_EXIT_TRAP,	 /* s_trap x->trap_id; pc is that of the s_trap */
	BW_EXIT_EXCP,	 /* a float exception that MODE.EXCP_EN wants trapped; TRAPSTS has it */
	BW_EXIT_ILLEGAL, /* pc is that of the instruction */
	BW_EXIT_FAULT,	 /* memory violation, x->fault_page; pc is that of the instruction */
	BW_EXIT_END,	 /* s_endpgm; pc is that of it */
	BW_EXIT_KILLED,
	BW_EXIT_BARRIER,
	BW_EXIT_SLEEP,
	BW_EXIT_HALT,
	BW_EXIT_FATAL,
};

/* The arguments of a lane function besides its operands. */
struct bw_lane_args {
	uint32_t mask_in; /* carry-in or selector, one bit a lane */
	uint32_t lane0;	  /* 0 or 32: the number of lane 0 of this half */
	uint32_t neg;	  /* NEG of instructions that give it another meaning */
	const struct bw_fmode *m;
};

struct bw_row_set;

struct bw_exec {
	uint8_t *base[BW_BASE_COUNT];
	enum bw_isa_gen gen;
	uint64_t left;
	enum bw_exit exit;
	uint8_t trap_id;
	bool fault_page;
	const char *refused; /* BW_MEM_REFUSED: what is missing; a static string */
	struct bw_code code;
	struct bw_fmode m;
	struct bw_lane_args args; /* for fast rows: no mask, lane 0 */
	/* Scalar sources spread over the lanes, results before they are masked, operands after
	 * modifiers; big enough for 64-bit lanes. */
	uint32_t bcast[3][BW_LANES] __attribute__((aligned(64)));
	uint64_t tmp[2][BW_LANES] __attribute__((aligned(64)));
	uint64_t src[3][BW_LANES] __attribute__((aligned(64)));
	/* DPP of gfx942: src0 of the whole wave, before either half of the result is written */
	uint32_t far[2][2 * BW_LANES];
	const struct bw_row_set *rows;
	struct bw_exec_host host;
	struct bw_absent_seen *absent_seen;
	struct bw_tally tally; /* bw_exec_host.counts */
	struct bw_image_cache images;
};

enum {			   /* bw_rec.flags */
       BW_REC_SCC64 = 1,   /* reads SCC as a 64-bit operand */
       BW_REC_DEPENDS = 2, /* VOPD: Y reads what X writes */
       /* gfx942: a 16-bit result clears the upper half of its register */
       BW_REC_ZERO_HIGH = 4,
       BW_REC_EXEC_TOO = 8, /* gfx942: v_cmpx, which has a destination beside EXEC */
};

/* Dispatch. A handler that ends with BW_NEXT jumps directly to the next record's handler; builds
 * that cannot rely on sibling calls return to the run loop instead, which calls it. */
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BW_TAIL_CALLS 1
#else
#define BW_TAIL_CALLS 0
#endif

#if BW_TAIL_CALLS
#define BW_NEXT(n)                                                                                 \
	do {                                                                                       \
		const struct bw_rec *next_ = (n);                                                  \
		left--;                                                                            \
		if (__builtin_expect(                                                              \
			    left == 0 || atomic_load_explicit(&w->request, memory_order_relaxed),  \
			    0)) {                                                                  \
			x->left = left;                                                            \
			return next_;                                                              \
		}                                                                                  \
		return next_->fn(next_, w, x, left, vgpr);                                         \
	} while (0)
#else
#define BW_NEXT(n) BW_LEAVE(n)
#endif

/* Continues at n by way of the run loop. */
#define BW_LEAVE(n)                                                                                \
	do {                                                                                       \
		x->left = left - 1;                                                                \
		return n;                                                                          \
	} while (0)

/* Stops: the instruction counts as executed, the wave continues at pc_. */
#define BW_EXIT(why, pc_)                                                                          \
	do {                                                                                       \
		x->left = left - 1;                                                                \
		x->exit = why;                                                                     \
		w->pc = pc_;                                                                       \
		return NULL;                                                                       \
	} while (0)

#define BW_FOLLOWING(rec) ((rec) + (rec)->size_dw)
#define BW_OPERAND(i) ((void *)(x->base[rec->base[i]] + rec->off[i]))

/* Scalar sources of a vector instruction go to their spread buffers. */
static inline void bw_spread(const struct bw_rec *rec, const struct bw_wave *w, struct bw_exec *x)
{
	for (unsigned i = 0; i < 3; i++) {
		if (!(rec->bcast & 1u << i))
			continue;
		unsigned code = rec->inst->src[i];
		uint32_t v = code == BW_SRC_SCC ? w->scc : w->s[code];
		for (unsigned l = 0; l < BW_LANES; l++)
			x->bcast[i][l] = v;
	}
}

/* Lane functions: one a row of the sem/NAME.def tables, for 32 lanes. Operands are arrays of the
 * row's types; the result is the row's mask (compares, carries) or 0. */
typedef uint32_t bw_row_fn(void *d, const void *s0, const void *s1, const void *s2,
			   const struct bw_lane_args *args);

enum bw_row_type {
	BW_T_NONE,
	BW_T_B32,
	BW_T_U32,
	BW_T_I32,
	BW_T_F32,
	BW_T_N32, /* an f32 handled by its bits */
	BW_T_B64,
	BW_T_U64,
	BW_T_I64,
	BW_T_F64,
	BW_T_N64,
	BW_T_B16,
	BW_T_U16,
	BW_T_I16,
	BW_T_F16,
	BW_T_X32, /* as B32, not a float for any modifier: packed pairs */
	BW_T_BF16,
	BW_T_F16H, /* destination: an f16 that goes to the high half */
	BW_T_PKH,
	BW_T_PKB, /* pairs of f16, of bf16; halves chosen by op_sel and op_sel_hi */
	BW_T_PKF, /* a pair of f32 in two registers; either by op_sel and op_sel_hi */
	BW_T_MIX, /* v_fma_mix: an f32, or half of the register widened to one, by op_sel_hi */
};

enum bw_shape {
	BW_SHAPE_MAP,	 /* lanes to lanes */
	BW_SHAPE_SEL,	 /* the same with a mask as the last operand (v_cndmask) */
	BW_SHAPE_CARRY,	 /* the same with a mask result; and a mask operand if takes_mask */
	BW_SHAPE_CMP,	 /* lanes to mask */
	BW_SHAPE_CMPX,	 /* lanes to EXEC */
	BW_SHAPE_PACKED, /* a row of 16-bit types on 64 halves: operands are pairs in 32-bit
			    registers */
};

struct bw_map_row {
	const char *name;
	bw_row_fn *fn;
	bw_row_fn *
		sat; /* the same, saturated: CLAMP on an integer result; NULL where there is none */
	/* wave32, no modifiers, 32-bit types; NULL where there is none: for all sources in VGPRs,
	 * for src0 only a scalar or constant, for any */
	bw_handler *fast_v, *fast_s, *fast;
	uint8_t shape;	     /* enum bw_shape */
	uint8_t n_src;	     /* lane operands: 1 to 3 */
	uint8_t dst, src[3]; /* enum bw_row_type */
	bool takes_mask; /* a lane mask follows the sources (or VCC where the format has no field)
			  */
	bool reads_dst;	 /* the last source is the destination */
	bool vcc_mask;	 /* takes_mask, always from VCC */
};

/* All rows, as compiled for one kind of processor. */
struct bw_row_set {
	const struct bw_map_row *row;
	size_t n_rows;
	void (*blend)(uint32_t *d, const uint32_t *s, uint32_t mask);
	bw_handler *plain; /* any row of operands without pairs or modifiers but NEG and ABS */
	bw_wmma_fn *wmma;
	bw_wmma_int_fn *wmma_int;
};
extern const struct bw_row_set bw_rows_v1, bw_rows_v3;
bw_handler bw_rows_v1_plain, bw_rows_v3_plain;

struct bw_scalar_row {
	const char *name;
	bw_handler *fn[4];   /* bit 0 of the index: src0 is a constant, bit 1: src1 */
	uint8_t dst, src[2]; /* enum bw_row_type, BW_T_NONE where there is none */
	uint8_t form;	     /* enum bw_scalar_form */
};
enum bw_scalar_form {
	BW_SCALAR_PLAIN, /* operands as the instruction names them */
	BW_SCALAR_DST,	 /* the old destination is the last source */
	BW_SCALAR_K,	 /* SOPK: src0 the register, src1 the sign-extended immediate */
	BW_SCALAR_KU,	 /* the same, zero-extended */
	BW_SCALAR_EXEC,	 /* as PLAIN; EXEC is written as well */
};
extern const struct bw_scalar_row bw_scalar_rows[];
extern const size_t bw_n_scalar_rows;

/* Irregular ones: a named function. takes: what the decoder of records resolves before. */
enum bw_wave_form {
	BW_WAVE_RAW,	/* nothing: the handler looks at inst */
	BW_WAVE_SCALAR, /* off[0], off[1]: 64-bit or 32-bit scalar destination and source by dst,
			   src */
	BW_WAVE_BRANCH, /* target */
	BW_WAVE_VECTOR, /* uses VGPRs: out-of-range ones are handled as for any vector instruction
			 */
};
struct bw_wave_row {
	const char *name;
	bw_handler *fn;
	uint8_t form;
	uint8_t dst, src;
};
extern const struct bw_wave_row bw_ctrl_rows[], bw_lane_rows[], bw_matrix_rows[], bw_gws_rows[];
extern const size_t bw_n_ctrl_rows, bw_n_lane_rows, bw_n_matrix_rows, bw_n_gws_rows;

struct bw_absent_row {
	const char *name, *why;
};
extern const struct bw_absent_row bw_absent_rows[];
extern const size_t bw_n_absent_rows;

/* The kind of code that executes an opcode, found by its name. */
enum bw_sem_kind {
	BW_SEM_NONE,
	BW_SEM_MAP,
	BW_SEM_SCALAR,
	BW_SEM_WAVE,
	BW_SEM_MEM,
	BW_SEM_DUAL,
	BW_SEM_ABSENT
};
struct bw_sem {
	enum bw_sem_kind kind;
	union {
		const struct bw_map_row *map;
		const struct bw_scalar_row *scalar;
		const struct bw_wave_row *wave;
		const struct bw_mem_row *mem;
		const struct bw_absent_row *absent;
	};
};
const struct bw_sem *bw_exec_sem(unsigned op);
const struct bw_row_set *bw_exec_rows(void);
/* Whether this machine uses the AVX2 compilation of rows and of the memory instructions. */
bool bw_exec_host_has_v3(void);
/* Names of rows that no opcode has, for the test that joins the tables: NULL when all is well. */
const char *bw_exec_sem_orphan(void);

/* Fills the record of an undecoded place and jumps to it; where every record starts. */
bw_handler bw_h_decode;
bw_handler bw_h_next_page;
bw_handler bw_h_illegal, bw_h_no_vgprs, bw_h_nop, bw_h_mem;
/* An instruction that is not executed; bw_rec.why says why. */
bw_handler bw_h_absent;
/* The general case of rows: any wave size, any modifier. */
bw_handler bw_h_map, bw_h_map64, bw_h_dual;
/* VOPD where float exceptions are looked for; bw_h_map does it by itself. */
bw_handler bw_h_dual_excp;
/* Packed rows without modifiers: halves of a register with the same halves of the others. */
bw_handler bw_h_packed;

/* Continues at pc: in the same page, another one, or by way of the run loop. For handlers:
 * `return bw_goto(...)`, left counted down already in x->left. */
const struct bw_rec *bw_goto(struct bw_wave *w, struct bw_exec *x, uint64_t pc);

/* MODE or STATUS bits changed by an instruction. */
void bw_exec_mode_changed(struct bw_exec *x, const struct bw_wave *w);

/* Operand resolution (build.c), for handlers that take operands when they run. */
uint32_t bw_scalar_read32(const struct bw_wave *w, const struct bw_inst *inst, unsigned code);
/* s_movrel: the SGPR (n: 1, or 2 for a pair) `index` away from `code`; `otherwise` when that leaves
 * the region (rules 36 to 38). */
unsigned bw_sgpr_indexed(const struct bw_wave *w, unsigned code, uint32_t index, unsigned n,
			 unsigned otherwise);

#endif
