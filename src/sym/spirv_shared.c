/* SPDX-License-Identifier: MIT */
/* Finds the places of variables in LDS. SPIR-V does not have them: Mesa lays variables out one
 * after the other in the order of their declarations, each aligned to its scalars
 * (nir_lower_vars_to_explicit_types with RADV's shared_var_info). Before that it may drop a
 * variable, or shorten vectors and arrays of which a part is never read
 * (nir_shrink_vec_array_vars): only the total size shows whether it did. */
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "sym/spirv_priv.h"

struct one {
	size_t index;  /* of variables */
	uint32_t word; /* where its declaration is */
};
struct shared BW_VEC(struct one);

static void say(struct bw_location *out, enum bw_location_kind kind, uint64_t offset_b)
{
	*out = (struct bw_location){.kind = kind, .end = UINT64_MAX, .offset = (int64_t)offset_b};
	if (kind == BW_LOC_UNKNOWN)
		snprintf(out->why, sizeof(out->why), "LDS offset unknown");
}

static int by_word(const void *pa, const void *pb)
{
	const struct one *a = pa, *b = pb;
	return a->word < b->word ? -1 : a->word > b->word;
}

/* Collects the used variables, in the order of their declarations. */
static struct bw_error *collect(const struct bw_spirv *s, struct shared *out)
{
	for (size_t i = 0; i < s->variables.len; i++) {
		uint32_t id = s->variables.data[i].shared;
		if (id && s->used[id])
			BW_TRY(bw_vec_push(out, ((struct one){i, s->defined[id]})));
	}
	if (out->len)
		qsort(out->data, out->len, sizeof(struct one), by_word);
	return NULL;
}

/* With scalars of one size there are no holes, so that every part that Mesa leaves out makes the
 * sum smaller. */
static bool is_whole(const struct bw_spirv *s, const struct shared *list, uint64_t size_b)
{
	uint64_t sum_b = 0, scalar_b = 0;
	bw_vec_each(list, i) {
		const struct bw_ctype *t = s->variables.data[i->index].v.type;
		uint64_t own_b = bw_spv_scalar_size(t);
		if (!own_b || (scalar_b && own_b != scalar_b) || t->size_b > size_b - sum_b)
			return false;
		scalar_b = own_b;
		sum_b += t->size_b;
	}
	return sum_b == size_b;
}

/* Whether all are blocks, which begin at 0 (SPV_KHR_workgroup_memory_explicit_layout). */
static bool are_blocks(const struct bw_spirv *s, const struct shared *list)
{
	bw_vec_each(list, i)
		if (!s->variables.data[i->index].v.type->is_block)
			return false;
	return true;
}

void bw_spirv_shared_size(struct bw_spirv *s, uint64_t size_b)
{
	struct shared list = {0};
	uint64_t at_b = 0;
	struct bw_error *err = collect(s, &list);
	bool blocks = are_blocks(s, &list), whole = blocks || is_whole(s, &list, size_b);
	bw_vec_each(&list, i) {
		struct spv_variable *v = &s->variables.data[i->index];
		if (!err)
			say(&v->at, whole ? BW_LOC_LDS : BW_LOC_UNKNOWN, at_b);
		at_b += blocks ? 0 : v->v.type->size_b;
	}
	bw_error_free(err); /* the places stay those that they were */
	bw_vec_free(&list);
}
