/* SPDX-License-Identifier: MIT */
#include "swap/variant.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "regs/field.h"

enum { PUSH_WORDS_MAX = 1024, SCRATCH_UNIT_B = 256 /* TMPRING_SIZE.WAVESIZE of gfx11 */ };

/* ---- Arguments ---- */

static bool is_push(uint32_t value)
{
	return value - BW_SWAP_PUSH_MARK < PUSH_WORDS_MAX;
}

static void describe(const struct bw_swap_arguments *a, unsigned k, char *out, size_t room)
{
	uint32_t v = a->value[k];
	if (is_push(v))
		snprintf(out, room, "byte %u of the push constants", (v - BW_SWAP_PUSH_MARK) * 4);
	else if (v == BW_SWAP_GROUPS_Y || v == BW_SWAP_GROUPS_Z)
		snprintf(out, room, "the number of workgroups in %c",
			 v == BW_SWAP_GROUPS_Y ? 'y' : 'z');
	else if (!v && k + 1 < BW_SWAP_USER_DATA && a->value[k + 1] == BW_SWAP_GROUPS_Y)
		snprintf(out, room, "the number of workgroups");
	else if (a->leads >> k & 1)
		snprintf(out, room, "a pointer to arguments");
	else
		snprintf(out, room, "another value");
}

/* SGPR m of one and k of the other. */
static bool is_same(const struct bw_swap_arguments *own, const struct bw_swap_arguments *other,
		    unsigned m, unsigned k, size_t behind_b)
{
	if (own->value[m] == other->value[k])
		return true;
	return own->leads >> m & other->leads >> k & 1 && behind_b &&
	       !memcmp(own->behind[m], other->behind[k],
		       BW_MIN(behind_b, (size_t)BW_SWAP_BEHIND_B));
}

/* Nothing tells a zero that is the number of workgroups in x from others but what is after it. */
static bool is_told_apart(const struct bw_swap_arguments *own, unsigned m,
			  const struct bw_swap_arguments *other, unsigned k)
{
	return m == k || other->value[k] ||
	       (m + 1 < BW_SWAP_USER_DATA && k + 1 < BW_SWAP_USER_DATA &&
		own->value[m + 1] == BW_SWAP_GROUPS_Y && other->value[k + 1] == BW_SWAP_GROUPS_Y);
}

static bool find_source(const struct bw_swap_arguments *own, const struct bw_swap_arguments *other,
			unsigned k, size_t behind_b, struct bw_swap_moves *out)
{
	for (unsigned i = 0; i < BW_SWAP_USER_DATA; i++) {
		unsigned m = (k + i) % BW_SWAP_USER_DATA; /* where it is in place, if it is */
		if (!(own->set >> m & 1) || !is_same(own, other, m, k, behind_b) ||
		    !is_told_apart(own, m, other, k))
			continue;
		out->from[k] = (uint8_t)m;
		return true;
	}
	for (unsigned m = 0; m < BW_SWAP_USER_DATA; m++) {
		for (unsigned w = 0; w < BW_SWAP_BEHIND_B / 4; w++) {
			uint32_t word;
			memcpy(&word, own->behind[m] + w * 4, sizeof(word));
			if (!(own->set & own->leads & 1u << m) || word != other->value[k] ||
			    !is_push(word))
				continue;
			out->from[k] = (uint8_t)m;
			out->word[k] = (uint8_t)w;
			return true;
		}
	}
	return false;
}

bool bw_swap_arguments_fit(const struct bw_swap_arguments *own,
			   const struct bw_swap_arguments *other, uint32_t other_rsrc2,
			   size_t behind_b, struct bw_swap_moves *out, char why[BW_SWAP_WHY_B])
{
	char name[48];
	unsigned n = BW_FIELD_GET(COMPUTE_PGM_RSRC2, USER_SGPR, other_rsrc2);
	memset(out, BW_SWAP_NONE, sizeof(*out));
	for (unsigned k = 0; k < n && k < BW_SWAP_USER_DATA; k++) {
		if (!(other->set >> k & 1))
			continue;
		describe(other, k, name, sizeof(name));
		if (!find_source(own, other, k, behind_b, out)) {
			snprintf(why, BW_SWAP_WHY_B,
				 "it takes %s, which the captured dispatch does not pass", name);
			return false;
		}
		if (!(own->set >> k & 1)) {
			snprintf(why, BW_SWAP_WHY_B,
				 "it takes %s from s%u, which the captured dispatch does not set",
				 name, k);
			return false;
		}
	}
	return true;
}

/* ---- Registers ---- */

static uint32_t scratch_of(uint32_t tmpring)
{
	return BW_FIELD_GET(COMPUTE_TMPRING_SIZE, WAVESIZE, tmpring) * SCRATCH_UNIT_B;
}

static bool is_either(const char *name, uint32_t captured, uint32_t own, uint32_t other,
		      char why[BW_SWAP_WHY_B])
{
	if (captured == own || captured == other)
		return true;
	snprintf(why, BW_SWAP_WHY_B,
		 "the captured dispatch has %s 0x%x, and the driver here sets 0x%x for it", name,
		 captured, own);
	return false;
}

bool bw_swap_variant_fits(const struct bw_swap_variant *v, const struct bw_swap_program *captured,
			  char why[BW_SWAP_WHY_B])
{
	static const char *const threads[3] = {"COMPUTE_NUM_THREAD_X", "COMPUTE_NUM_THREAD_Y",
					       "COMPUTE_NUM_THREAD_Z"};
	const struct bw_swap_program *own = &v->own, *other = &v->other;
	if (*v->refusal) {
		snprintf(why, BW_SWAP_WHY_B, "%s", v->refusal);
		return false;
	}
	if (other->lanes != captured->lanes) {
		snprintf(why, BW_SWAP_WHY_B,
			 "the driver makes waves of %u lanes of it, and the captured dispatch has "
			 "waves of %u",
			 other->lanes, captured->lanes);
		return false;
	}
	if (!is_either("COMPUTE_PGM_RSRC1", captured->rsrc1, own->rsrc1, other->rsrc1, why) ||
	    !is_either("COMPUTE_PGM_RSRC2", captured->rsrc2, own->rsrc2, other->rsrc2, why))
		return false;
	for (unsigned i = 0; i < 3; i++)
		if (!is_either(threads[i], captured->threads[i], own->threads[i], other->threads[i],
			       why))
			return false;
	uint32_t needs_b = BW_FIELD_GET(COMPUTE_PGM_RSRC2, SCRATCH_EN, other->rsrc2)
				   ? scratch_of(other->tmpring)
				   : 0;
	if (needs_b > scratch_of(captured->tmpring)) {
		snprintf(why, BW_SWAP_WHY_B,
			 "it needs %u bytes of scratch memory for each wave, and the captured "
			 "dispatch has %u",
			 needs_b, scratch_of(captured->tmpring));
		return false;
	}
	return true;
}

bool bw_swap_variant_at(const struct bw_swap_rules *r, const struct bw_swap_rule *rule, size_t i,
			struct bw_swap_variant *out)
{
	if (i >= rule->n_variants)
		return false;
	memcpy(out, (const uint8_t *)bw_swap_rules_at(r, rule->variants) + i * sizeof(*out),
	       sizeof(*out));
	return true;
}
