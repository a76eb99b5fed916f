/* SPDX-License-Identifier: MIT */
/* The table of inferences. */
#include "selftest/selftest_priv.h"

#include "base/util.h"

const struct bw_selftest_inference *bw_selftest_inferences(size_t *out_n)
{
	static const struct bw_selftest_inference inferences[] = {
#define BW_WORD(expected, what) {what, expected, false},
#define BW_SEEN(what) {what, 0, true},
#define BW_INFERENCE(name, ask, sentence, where, words)                                            \
	{#name, sentence, where, bw_selftest_ask_##ask, {words}},
#include "selftest/inferences.def"
#undef BW_INFERENCE
#undef BW_SEEN
#undef BW_WORD
	};
	*out_n = BW_ARRAY_SIZE(inferences);
	return inferences;
}

struct bw_selftest_tally bw_selftest_tally(const struct bw_selftest *t)
{
	struct bw_selftest_tally tally = {0};
	for (size_t i = 0; i < t->n_inferences; i++)
		tally.of[t->answers[i].holds]++;
	return tally;
}
