/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_VARIABLES_H
#define BW_SYM_VARIABLES_H

/* Variables of the source: which ones are visible at an address, and where their values are.
 * Nothing is read here: a location says what to read. */

#include "sym/types.h"

struct bw_variable {
	const char *name; /* borrowed from the bw_lines; never NULL */
	const struct bw_ctype *type;
	bool is_param;
	bool is_static; /* of its file; LDS variables of a kernel are the function's own */
	/* of an invocation of a vertex or pixel shader, which records it */
	bool is_input, is_output;
	unsigned scope; /* nesting depth of its block: larger is further inside */
	unsigned decl_line;
	/* Offsets of its entry and of its (inlined) function's, for bw_variable_location. */
	uint64_t die, function_die;
};

/* The variables visible at addr in frame `level` (0: the innermost function, inlined ones among
 * them; 1: the function that it is inlined in, and so on, up to the one that has code of its own),
 * the innermost scope first, within a scope as declared; parameters before locals of the function's
 * own scope. A name can be there twice: the first one is what C means by it. File-scope variables
 * come last. out is owned (free). Returns how many. Fewer where the information is damaged. */
struct bw_error *bw_lines_variables(struct bw_lines *l, uint64_t addr, unsigned level,
				    struct bw_variable **out, size_t *out_n) BW_MUST_CHECK;

enum bw_location_kind {
	BW_LOC_OPTIMIZED_OUT,
	BW_LOC_UNKNOWN, /* why */
	BW_LOC_VGPR, /* reg, one value a lane; types of more than 4 bytes continue in reg + 1 ... */
	BW_LOC_SGPR, /* reg, uniform */
	BW_LOC_PRIVATE,	 /* the lane's scratch, at frame + offset */
	BW_LOC_LDS,	 /* the workgroup's LDS, at offset */
	BW_LOC_GLOBAL,	 /* the image's address `offset` */
	BW_LOC_CONSTANT, /* the value itself: value, sign-extended; a float's bits */
	BW_LOC_COMPUTED, /* from registers, by the steps; never one of several pieces */
	BW_LOC_BOUND, /* a shader's buffer of set `reg`, binding `value`, at offset; of an array of
			  * buffers, the addresses of all of them (offset is how many) */
	BW_LOC_PUSH,  /* push constants, at offset */
	BW_LOC_BUILTIN, /* a built-in of the invocation: reg, a BuiltIn of SPIR-V */
	BW_LOC_RECORD, /* in the record that a shader keeps (spirv_record.h), at offset; the word at
			* `value` says whether it has been assigned */
	BW_LOC_LAUNCH, /* the kernel's block of arguments, at offset: no register has it any more */
};
/* The base of a private location. */
enum bw_frame_base { BW_BASE_ZERO, BW_BASE_S32, BW_BASE_S33 };

struct bw_location_piece { /* a variable that lies in several places */
	enum bw_location_kind kind;
	unsigned reg;
	enum bw_frame_base base;
	int64_t offset;
	uint64_t value;
	unsigned size_b; /* of the piece */
};

/* One operation of a computed value, on a stack: a number or a register is put there, others take
 * one or two off it. LLVM 19 makes expressions of at most 16 values (MaxDebugArgs in
 * lib/Transforms/Utils/Local.cpp); with a constant operand for each that is 63 operations. */
enum { BW_LOC_STEPS_MAX = 64 };
struct bw_location_step {
	uint8_t op; /* of DWARF; DW_OP_consts for all numbers, DW_OP_bregx for all registers */
	bool is_vgpr;
	uint16_t reg;
	int64_t number;	   /* itself, or added to the register */
	uint8_t bits;	   /* of the result; 0: as many as the operands of a comparison have */
	bool is_signed;	   /* the result */
	uint8_t from_bits; /* conversions and comparisons: of the operands */
	bool from_signed;
	unsigned group; /* used while the steps are made */
};

struct bw_location {
	enum bw_location_kind kind; /* of a variable in one piece; see n_pieces */
	unsigned reg;
	enum bw_frame_base base;
	int64_t offset;
	uint64_t value;
	char why[96]; /* UNKNOWN: "LDS offset unknown", "DW_OP_xyz is not supported" */
	struct bw_location_piece piece[16];
	unsigned n_pieces;				/* 0: it is one */
	struct bw_location_step step[BW_LOC_STEPS_MAX]; /* COMPUTED */
	unsigned n_steps;
	uint8_t narrow_bits; /* COMPUTED: 8 | 16, where operands may have fewer than 32 bits */
	uint64_t start, end; /* addresses for which this holds */
};

/* The location of v at addr, by the rules for the output of clang-19 (doc/hardware/code-objects.md
 * 7 and 8: the private-space suffix of a variable in a register is ignored, LDS offsets are those
 * of LLVM's layout where sizes confirm it). Bytes of a type that no piece has become a last piece,
 * which is optimised out. kernel: that the wave runs, one of the same code object, or NULL: a
 * function's variable in LDS lies in that of the kernel that called it. */
void bw_variable_location(struct bw_lines *l, const struct bw_variable *v, uint64_t addr,
			  const struct bw_kernel *kernel, struct bw_location *out);
/* A computed value, of regs[i] for each step i that is a register (a lane's, of VGPRs). False: it
 * is not known, since clang-19 does not write whether operands of DW_OP_lt and the like are signed,
 * nor how many bits of the register they have, and it matters for these. */
bool bw_location_compute(const struct bw_location *l, const uint32_t *regs, uint64_t *out);
/* Whether step i takes a register. */
bool bw_location_step_is_register(const struct bw_location_step *s);
/* Whether that constant is none: no compiler knows what a kernel is launched with, so where a
 * parameter of it is a constant from the first instruction on, the source assigns that later.
 * clang-19 with -O2 has been seen to write the one value that it has kept for the whole function
 * (tests/e2e/kernels/scale.cl, n of launch). */
bool bw_variable_is_false_constant(const struct bw_lines *l, const struct bw_variable *v,
				   uint64_t addr, const struct bw_location *at);
/* Whether the code around addr was optimized, as far as the debug information shows it. */
bool bw_lines_is_optimized(const struct bw_lines *l, uint64_t addr);
/* Calls `accept` for each instruction that can be the last one to have written a register of the
 * location, and returns whether all were accepted. For a register that may be unchanged since the
 * function's entry, the address is BW_ORIGIN_ENTRY. `follows`: the location begins right after that
 * instruction. */
enum { BW_ORIGINS_MAX = 64 };
#define BW_ORIGIN_ENTRY UINT64_MAX
struct bw_location_origin {
	uint64_t at;
	uint32_t demanded;	/* bits that the code after it certainly needs of the result */
	bool follows, is_fused; /* is_fused: two operations in one instruction */
	bool is_load;		/* of memory */
	/* of another register: where that is from is asked next, if this is not accepted */
	bool is_copy;
	bool is_vgpr; /* of an entry: which register */
	unsigned reg;
};
struct bw_location_origins {
	bool (*of)(void *ctx, bool is_vgpr, unsigned reg,
		   bool (*accept)(void *ctx, const struct bw_location_origin *o), void *accept_ctx);
	/* The instruction that writes to the register where the location ends. False: none does. */
	bool (*at_end)(void *ctx, bool is_vgpr, unsigned reg, struct bw_location_origin *out);
	/* Calls `each` for the instructions of the function that store to scratch, with how many
	 * bytes, and for its calls, with 0. */
	void (*stores)(void *ctx, void (*each)(void *ctx, uint64_t at, unsigned size_b),
		       void *each_ctx);
	void *ctx;
};
/* Whether the code at `at` is of the (inlined) function of the variable, or inlined in that. */
bool bw_variable_is_of_code(const struct bw_lines *l, const struct bw_variable *v, uint64_t at);
/* Whether that location, of a constant or of registers, has a value that the variable need not have
 * at the line of addr in the function of that level (as for bw_lines_variables): the source, where
 * it can be read, assigns it only later, or has assigned another one since, or the instructions
 * that have made it belong to no assignment of the variable. clang-19 writes all of these with -O1
 * and more, as the optimizer moves instructions and not statements (tests/e2e/kernels/late.cl), and
 * names registers that are not written yet, or never with that variable. */
bool bw_variable_is_stale(struct bw_lines *l, const struct bw_variable *v, uint64_t addr,
			  unsigned level, const struct bw_location *at,
			  const struct bw_location_origins *origins);
/* Whether v is a parameter of the kernel whose code addr is in (not of an inlined function); its
 * first instruction. */
bool bw_variable_is_of_kernel(const struct bw_lines *l, const struct bw_variable *v, uint64_t addr,
			      uint64_t *out_entry);
/* Whether such a parameter has what the kernel was launched with wherever it runs: the source can
 * be read, and nothing in it assigns the parameter. */
bool bw_variable_is_never_assigned(struct bw_lines *l, const struct bw_variable *v, uint64_t addr);

#endif
