/* SPDX-License-Identifier: MIT */
/* The text of the report file. Pure. */
#include "selftest/selftest.h"

#include "base/util.h"

const char *bw_selftest_verdict_text(enum bw_selftest_verdict v)
{
	static const char *const texts[] = {
		[BW_SELFTEST_NOT_RUN] = "not run",
		[BW_SELFTEST_RUNNING] = "running",
		[BW_SELFTEST_PASSED] = "passed",
		[BW_SELFTEST_FAILED] = "failed",
		[BW_SELFTEST_HUNG] = "hung, and the GPU still works",
		[BW_SELFTEST_GPU_HUNG] = "hung, and the GPU does not answer",
		[BW_SELFTEST_INTERRUPTED] = "interrupted",
	};
	return (size_t)v < BW_ARRAY_SIZE(texts) ? texts[v] : "?";
}

static void add_step(const struct bw_selftest_step *s, const struct bw_selftest_result *r,
		     struct bw_str *out)
{
	bw_str_addf(out, "\n%s: %s", s->name, bw_selftest_verdict_text(r->verdict));
	if (r->seconds > 0)
		bw_str_addf(out, ", %.2f s", r->seconds);
	bw_str_add(out, "\n");
	if (r->verdict == BW_SELFTEST_NOT_RUN)
		return;
	if (r->why[0]) {
		bw_str_add(out, "  reason: ");
		bw_str_add_printable(out, r->why, "");
		bw_str_add(out, ".\n");
	}
	if (r->verdict != BW_SELFTEST_PASSED && r->doing[0]) {
		bw_str_add(out, "  last: ");
		bw_str_add_printable(out, r->doing, "");
		bw_str_add(out, "\n");
	}
	for (uint32_t i = 0; i < r->n_values && i < BW_SELFTEST_VALUES; i++) {
		bw_str_addf(out, "  %s: ", r->values[i].name);
		bw_str_add_printable(out, r->values[i].text, "");
		bw_str_add(out, "\n");
	}
	if (r->n_left_out)
		bw_str_addf(out, "  (%u more values)\n", r->n_left_out);
}

void bw_selftest_report(const struct bw_selftest *t, const char *version, struct bw_str *out)
{
	bw_str_addf(out,
		    "Breakwater self-test, version %s\n"
		    "A step that is \"running\" is one that this machine did not survive.\n",
		    version);
	for (size_t i = 0; i < t->n; i++)
		add_step(&t->steps[i], &t->results[i], out);
}
