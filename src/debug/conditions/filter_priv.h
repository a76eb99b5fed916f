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

/* Of ttmp11: the wave's number in its group. */
static inline uint32_t bw_filter_number_mask(const struct bw_filter_facts *f)
{
	return bw_arch_mask(f->arch, BW_WF_WAVE_IN_GROUP);
}

enum bw_compare { BW_LT, BW_LE, BW_GT, BW_GE, BW_EQ, BW_NE };
/* ---- write_code.c ---- */

/* The s_cmp that makes such a comparison of 32 bits. */
unsigned bw_filter_scalar_compare(enum bw_compare compare, bool is_signed);
/* Like bw_filter_scalar_compare, with a V_CMP. */
unsigned bw_filter_vector_compare(enum bw_compare compare, bool is_signed);
/* SCC: the comparison of an SGPR with a number. */
void bw_filter_compare_sgpr(struct bw_asm *c, enum bw_compare op, bool is_signed, unsigned sgpr,
			    uint32_t value);
/* All lanes to LEAF where SCC is set, else none. */
void bw_filter_select_all(struct bw_asm *c);
void bw_filter_set_mask(struct bw_asm *c, unsigned pair, uint64_t mask);

enum { BW_FILTER_MAX_TOKENS = 128, BW_FILTER_MAX_VARS = 16 };
/* A variable of the program in the condition. */
struct bw_filter_var {
	size_t first, end; /* tokens */
	struct bw_filter_variable v;
	bool is_shared; /* the registers are those of one before it */
	/* where it is when it is compared: the first of its registers, SGPRs for BW_FILTER_SGPR
	 * unless it was brought into VGPRs; numbers of less than 32 bits are extended there */
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
/* The code that comes first, and each one's register. Some may be forgotten. */
void bw_filter_load_variables(struct bw_filter_tokens *t, const struct bw_filter_facts *facts,
			      struct bw_asm *c, struct bw_filter_result *r);
/* The one that begins with that token; NULL: none does. */
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
	bool inexact;	 /* a part counts as true that need not be */
	unsigned n_left; /* comparisons among them */
	bool lost_join;	 /* since two sides of && or || would each have needed ttmp[2:3] */
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
	unsigned reg;		  /* BW_FO_WIDE: the operand code of a pair */
	bool is_signed, is_float; /* as_int(...), as_float(...); of variables, their type's */
	bool masked;
	uint32_t mask; /* BW_FO_SCALAR: only these bits */
	struct bw_value value;
};

/* ---- compare.c ---- */

enum bw_compare bw_filter_negated(enum bw_compare op);
/* The comparison of the same two operands, the other way around. */
enum bw_compare bw_filter_mirrored(enum bw_compare op);
/* The number in the form in which a 32-bit register is compared with it; false: there is none. */
bool bw_filter_number_for(const struct bw_filter_operand *o, const struct bw_value *v,
			  uint32_t *out);
/* SCC: all three are equal, and nothing before has cleared the mask in LEAF. */
void bw_filter_compare_position(struct bw_filter_parse *p, const uint32_t group[3]);
/* The lanes for which it holds, into LEAF; negate: what was written is the opposite of op. False:
 * it cannot be compared. */
bool bw_filter_compare_with(struct bw_filter_parse *p, const struct bw_filter_operand *o,
			    enum bw_compare op, const struct bw_filter_operand *number,
			    bool negate);

/* ---- tree.c ---- */

/* A condition as a tree, of what compile_lanes.c can compute. */
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
	uint8_t a, b; /* operands */
	bool is_signed;
	bool no_sign;	/* never negative, however it is typed */
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

/* Reads the condition. False: it is none, or too long. */
bool bw_filter_tree_parse(struct bw_filter_tree *t, const struct bw_filter_tokens *tokens,
			  const struct bw_filter_facts *facts, uint8_t *out_root);
/* Whether the operator makes a value, not a truth. */
bool bw_ft_computes(int op);

/* ---- compile_lanes.c ---- */

/* Code that goes through the lanes in ACC, and returns by LINK with SCC set where one of them may
 * fulfil the condition. False, and nothing is written: it can say no more than compile.c has said.
 * out_all: nothing in it counts as true that need not be. */
bool bw_filter_lanes(struct bw_filter_parse *p, bool *out_all);

#endif
