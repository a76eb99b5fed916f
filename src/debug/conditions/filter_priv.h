/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FILTER_PRIV_H
#define BW_DEBUG_FILTER_PRIV_H

/* What the two ways to test a condition share: compile.c compares registers of all lanes at once,
 * compile_lanes.c computes for one lane after the other. Encodings: RDNA3 ISA manual, chapter 15,
 * checked with LLVM by tests/debug/test_filter.c. */

#include "debug/expressions/expr_priv.h"
#include "debug/conditions/filter.h"

/* Source and destination codes. Ours are the TTMPs of trap.h, BW_TRAP_C_FILTERS. */
enum {
	BW_FR_ACC = 110,  /* ttmp[2:3]: lanes for which the condition may hold */
	BW_FR_LEAF = 122, /* ttmp[14:15] */
	BW_FR_LINK = 112, /* ttmp[4:5] */
	BW_FR_TTMP7 = 115,
	BW_FR_TTMP8 = 116,
	BW_FR_TTMP11 = 119,
	BW_FR_TTMP12 = 120, /* STATUS */
	BW_FR_TTMP13 = 121,
	BW_FR_EXEC = 126,
	BW_FR_LITERAL = 255,
	BW_FR_INLINE_0 = 128,
	BW_FR_INLINE_MINUS_1 = 193,
};

struct bw_filter_code {
	uint32_t *dw;
	size_t n, max;
	bool full;
};

static inline void bw_fc_put(struct bw_filter_code *c, uint32_t dw)
{
	if (c->n < c->max)
		c->dw[c->n++] = dw;
	else
		c->full = true;
}

static inline void bw_fc_sop2(struct bw_filter_code *c, unsigned op, unsigned dst, unsigned a,
			      unsigned b)
{
	bw_fc_put(c, 0x80000000u | op << 23 | dst << 16 | b << 8 | a);
}

static inline void bw_fc_sop1(struct bw_filter_code *c, unsigned op, unsigned dst, unsigned src)
{
	bw_fc_put(c, 0xbe800000u | dst << 16 | op << 8 | src);
}

static inline void bw_fc_sopc(struct bw_filter_code *c, unsigned op, unsigned a, unsigned b)
{
	bw_fc_put(c, 0xbf000000u | op << 16 | b << 8 | a);
}

enum { BW_FC_S_MOV_B32 = 0, BW_FC_S_MOV_B64 = 1, BW_FC_S_SETPC_B64 = 72 };

/* The order of the opcodes in SOPC and VOPC. */
enum bw_compare { BW_LT, BW_LE, BW_GT, BW_GE, BW_EQ, BW_NE };
/* SOPC opcodes */
extern const uint8_t bw_fc_sopc_unsigned[6], bw_fc_sopc_signed[6];

enum { BW_FILTER_MAX_TOKENS = 128 };
struct bw_filter_tokens {
	struct bw_tok tok[BW_FILTER_MAX_TOKENS];
	size_t n;
};

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
	bool was_mod;	/* & or >> that was written % or / */
	uint32_t value; /* BW_FT_CONST; BW_FT_SCALAR, BW_FT_VECTOR: the register */
};

struct bw_filter_tree {
	const struct bw_filter_facts *facts;
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
 * fulfil the condition. False, and nothing is written: it can say no more than compile.c has said;
 * whole: more is said of the same comparisons by how they are joined. */
bool bw_filter_lanes(const struct bw_filter_tokens *t, const struct bw_filter_facts *facts,
		     bool whole, struct bw_filter_code *c);

#endif
