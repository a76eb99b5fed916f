/* SPDX-License-Identifier: MIT */
#ifndef BW_SWAP_VARIANT_H
#define BW_SWAP_VARIANT_H

/* Other SPIR-V in the place of a captured pipeline's (breakwater replay --shader WHICH=FILE.comp).
 * The driver has compiled both here, with the layouts of the pipeline's record, and what it
 * programs for a dispatch of each was seen. With it the captured dispatch is judged: its code must
 * be what the driver makes here of the program's own SPIR-V, so its registers mean the same; then
 * the new code can take its place where each of its arguments is in some SGPR of the captured one,
 * or in the push constants that one of them leads to. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "swap/rules.h"

/* The registers of a dispatch that describe its program. lanes: of its waves. */
struct bw_swap_program {
	uint32_t lanes, rsrc1, rsrc2, rsrc3, tmpring;
	uint32_t threads[3]; /* COMPUTE_NUM_THREAD_X, _Y, _Z */
};

enum { BW_SWAP_USER_DATA = 16, BW_SWAP_BEHIND_B = 64, BW_SWAP_WHY_B = 160 };

/* COMPUTE_USER_DATA_* as the driver fills it, with arguments that can be told apart: word i of the
 * push constants is BW_SWAP_PUSH_MARK + i, and there are 0, 13 and 17 workgroups. */
#define BW_SWAP_PUSH_MARK 0xb5a00000u
enum { BW_SWAP_GROUPS_Y = 13, BW_SWAP_GROUPS_Z = 17 };
struct bw_swap_arguments {
	uint32_t set; /* bit k: USER_DATA_k was set */
	uint32_t value[BW_SWAP_USER_DATA];
	/* bit k: as the low half of an address, it leads to these bytes */
	uint32_t leads;
	uint8_t behind[BW_SWAP_USER_DATA][BW_SWAP_BEHIND_B];
};

/* The sources of the other shader's user SGPRs: SGPR k is the captured dispatch's SGPR from[k], or
 * word word[k] of the memory that this one leads to. BW_SWAP_NONE: it takes nothing from k; the
 * value is in the SGPR itself. */
enum { BW_SWAP_NONE = 0xff };
struct bw_swap_moves {
	uint8_t from[BW_SWAP_USER_DATA], word[BW_SWAP_USER_DATA];
};

/* One for each pipeline record that a rule is for; bw_swap_rule.variants has them in a row, and
 * after them the bytes of their code, at places counted from the first variant. */
struct bw_swap_variant {
	uint32_t made_of; /* the number of the record */
	uint32_t pad;
	struct bw_swap_program own, other; /* of the program's SPIR-V, and of the rule's */
	struct bw_swap_bytes own_code, other_code;
	struct bw_swap_moves moves;
	char refusal[BW_SWAP_WHY_B]; /* "": none; else why it cannot take the place of this one */
};

/* Whether all arguments of the other shader are there for the program's own; writes the reason into
 * why if not. Of pointers, behind_b bytes (up to BW_SWAP_BEHIND_B) are compared. */
bool bw_swap_arguments_fit(const struct bw_swap_arguments *own,
			   const struct bw_swap_arguments *other, uint32_t other_rsrc2,
			   size_t behind_b, struct bw_swap_moves *out, char why[BW_SWAP_WHY_B]);
/* Whether it can take the place of a dispatch with these registers, whose code has been compared;
 * writes the reason into why if not. Registers that have been changed for it already are right. */
bool bw_swap_variant_fits(const struct bw_swap_variant *v, const struct bw_swap_program *captured,
			  char why[BW_SWAP_WHY_B]);

/* Variant i of a rule of these rules; false: it has no more. */
bool bw_swap_variant_at(const struct bw_swap_rules *r, const struct bw_swap_rule *rule, size_t i,
			struct bw_swap_variant *out);
/* The variant's own_code or other_code; borrowed from the rules. */
static inline const uint8_t *bw_swap_variant_code(const struct bw_swap_rules *r,
						  const struct bw_swap_rule *rule,
						  struct bw_swap_bytes code)
{
	return (const uint8_t *)bw_swap_rules_at(r, rule->variants) + code.at;
}

#endif
