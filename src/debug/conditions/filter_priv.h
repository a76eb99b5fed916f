/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FILTER_PRIV_H
#define BW_DEBUG_FILTER_PRIV_H

/* What the two ways to test a condition share: compile.c compares registers of all lanes at once,
 * compile_lanes.c computes for one lane after the other. */

#include "debug/expressions/expr_priv.h"
#include "debug/conditions/filter.h"
#include "isa/asm.h"

/* Operand codes. Ours are the TTMPs of trap.h, BW_TRAP_C_FILTERS. */
enum {
	BW_FR_ACC = BW_SRC_TTMP0 + 2,	/* ttmp[2:3]: lanes for which the condition may hold */
	BW_FR_LEAF = BW_SRC_TTMP0 + 14, /* ttmp[14:15] */
	BW_FR_LINK = BW_SRC_TTMP0 + 4,	/* ttmp[4:5] */
	BW_FR_TTMP7 = BW_SRC_TTMP0 + 7,
	BW_FR_TTMP8 = BW_SRC_TTMP0 + 8,
	BW_FR_TTMP11 = BW_SRC_TTMP0 + 11,
	BW_FR_TTMP12 = BW_SRC_TTMP0 + 12, /* STATUS */
	BW_FR_TTMP13 = BW_SRC_TTMP0 + 13,
	BW_FR_INLINE_0 = BW_SRC_INT_0,
	BW_FR_INLINE_MINUS_1 = BW_SRC_INT_0 + 65,
};

/* Bits of ttmp11 with the wave's number in its group. */
static inline uint32_t bw_filter_number_mask(const struct bw_filter_facts *f)
{
	return bw_arch_mask(f->arch, BW_WF_WAVE_IN_GROUP);
}

enum bw_compare { BW_LT, BW_LE, BW_GT, BW_GE, BW_EQ, BW_NE };
/* ---- write_code.c ---- */

/* The opcode of the s_cmp that makes this comparison of 32 bits. */
unsigned bw_filter_scalar_compare(enum bw_compare compare, bool is_signed);
/* Like bw_filter_scalar_compare, but a V_CMP. */
unsigned bw_filter_vector_compare(enum bw_compare compare, bool is_signed);
/* Sets SCC to the comparison of an SGPR with a number. */
void bw_filter_compare_sgpr(struct bw_asm *c, enum bw_compare op, bool is_signed, unsigned sgpr,
			    uint32_t value);
/* Sets LEAF to all lanes if SCC is set, else to none. */
void bw_filter_select_all(struct bw_asm *c);
void bw_filter_set_mask(struct bw_asm *c, unsigned pair, uint64_t mask);

enum { BW_FILTER_MAX_TOKENS = 128, BW_FILTER_MAX_VARS = 16 };
/* A variable of the program in the condition. */
struct bw_filter_var {
	size_t first, end; /* tokens [first, end) */
	struct bw_filter_variable v;
	bool is_shared; /* it shares the registers of a variable before it */
	/* the first of the registers in which it is compared: SGPRs for BW_FILTER_SGPR, unless it
	 * was loaded into VGPRs; numbers of less than 32 bits have been extended there */
	unsigned reg;
};
struct bw_filter_tokens {
	const char *text;
	struct bw_tok tok[BW_FILTER_MAX_TOKENS];
	size_t n;
	struct bw_filter_var var[BW_FILTER_MAX_VARS];
	unsigned n_vars;
};

/* ---- variables.c ---- */

void bw_filter_find_variables(struct bw_filter_tokens *t, const struct bw_filter_facts *facts,
			      struct bw_filter_result *r);
/* Writes the code that loads the variables, which comes first, and gives each its register.
 * Variables for which there is no register are dropped. */
void bw_filter_load_variables(struct bw_filter_tokens *t, const struct bw_filter_facts *facts,
			      struct bw_asm *c, struct bw_filter_result *r);
/* The variable that begins with token i; NULL: none does. */
const struct bw_filter_var *bw_filter_var_at(const struct bw_filter_tokens *t, size_t i);
/* Whether it is compared in SGPRs, not in VGPRs. */
bool bw_filter_var_is_scalar(const struct bw_filter_var *var);
/* Whether the comparison is one of signed numbers, as C promotes them. */
bool bw_filter_var_is_signed(const struct bw_filter_var *var);

/* ---- compile.c ---- */

struct bw_filter_parse {
	const struct bw_filter_facts *facts;
	struct bw_filter_tokens t;
	struct bw_asm code;
	unsigned depth;
	bool inexact;	 /* a part counts as true that may be false */
	unsigned n_left; /* number of comparisons that count as true */
	bool lost_join;	 /* two sides of && or || would each have needed ttmp[2:3] */
};

enum bw_filter_operand_kind {
	BW_FO_NOT_KNOWN,
	BW_FO_SCALAR,
	BW_FO_VECTOR,
	BW_FO_WIDE,
	BW_FO_LANE,
	BW_FO_ITEM_X,
	BW_FO_GROUP,
	BW_FO_WAVE,
	BW_FO_NUMBER,
	BW_FO_REAL
};
struct bw_filter_operand {
	enum bw_filter_operand_kind kind;
	unsigned reg;		  /* the register; BW_FO_WIDE: the operand code of a pair */
	bool is_signed, is_float; /* the type of as_int(...), as_float(...), or of the variable */
	bool masked;
	uint32_t mask; /* BW_FO_SCALAR: only these bits */
	struct bw_value value;
};

/* ---- compare.c ---- */

enum bw_compare bw_filter_negated(enum bw_compare op);
/* The comparison with its two operands exchanged. */
enum bw_compare bw_filter_mirrored(enum bw_compare op);
/* Converts the number to the form in which a 32-bit register is compared with it. False: there is
 * no such form. */
bool bw_filter_number_for(const struct bw_filter_operand *o, const struct bw_value *v,
			  uint32_t *out);
/* Sets SCC if the workgroup's position equals all three numbers and no comparison before has
 * cleared the mask in LEAF. */
void bw_filter_compare_position(struct bw_filter_parse *p, const uint32_t group[3]);
/* Puts the lanes for which the comparison holds into LEAF; negate: for which the opposite of op
 * holds. False: the comparison cannot be made. */
bool bw_filter_compare_with(struct bw_filter_parse *p, const struct bw_filter_operand *o,
			    enum bw_compare op, const struct bw_filter_operand *number,
			    bool negate);

/* ---- tree.c ---- */

/* A condition as a tree of what compile_lanes.c can compute. */
enum { BW_FT_MAX_NODES = 128 };
enum bw_ft_kind {
	BW_FT_UNKNOWN,
	BW_FT_CONST,
	BW_FT_SCALAR,
	BW_FT_VECTOR,
	BW_FT_LANE,
	BW_FT_UNARY,
	BW_FT_BINARY
};
struct bw_ft_node {
	enum bw_ft_kind kind;
	int op;
	uint8_t a, b; /* numbers of the operands' nodes */
	bool is_signed;
	bool no_sign;	/* never negative, even if its type is signed */
	uint32_t value; /* BW_FT_CONST; BW_FT_SCALAR, BW_FT_VECTOR: the register */
};

struct bw_filter_tree {
	const struct bw_filter_facts *facts;
	const struct bw_filter_tokens *tokens;
	const struct bw_tok *tok;
	size_t n_tok, at;
	struct bw_ft_node node[BW_FT_MAX_NODES];
	unsigned n;
	unsigned depth;
	bool bad;
};

/* Parses the condition. False: it is not a condition, or is too long. */
bool bw_filter_tree_parse(struct bw_filter_tree *t, const struct bw_filter_tokens *tokens,
			  const struct bw_filter_facts *facts, uint8_t *out_root);
/* Whether the operator computes a number, and is not a comparison or a logical operator. */
bool bw_ft_computes(int op);

/* ---- compile_lanes.c ---- */

/* Code that goes through the lanes in ACC, and returns by LINK with SCC set where one of them may
 * fulfil the condition. False, and nothing is written: it can reject no more lanes than compile.c
 * has rejected. out_all: every part was tested, and none just counts as true. */
bool bw_filter_lanes(struct bw_filter_parse *p, bool *out_all);

#endif
