/* SPDX-License-Identifier: MIT */
/* Conclusions from a crash in a few sentences. */
#include "crash/verdict_priv.h"

#include "base/util.h"

void bw_crash_add_headline(const struct bw_gpuvm_fault_facts *facts, struct bw_str *out)
{
	struct bw_gpuvm_fault_story story = {0};
	bw_gpuvm_fault_tell(facts, &story);
	bw_str_add(out, bw_str_text(&story.headline));
	bw_gpuvm_fault_story_free(&story);
}

const char *bw_crash_engine_of(const char *ring)
{
	static const struct {
		const char *begin, *words;
	} engines[] = {{"gfx", "graphics"},	    {"comp", "compute"},
		       {"sdma", "copies"},	    {"vcn", "video"},
		       {"uvd", "video decoding"},   {"vce", "video encoding"},
		       {"jpeg", "JPEG decoding"},   {"mes", "the scheduler of queues"},
		       {"kiq", "the driver's own"}, {"vpe", "video processing"}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(engines); i++)
		if (bw_starts_with(ring, engines[i].begin))
			return engines[i].words;
	return "an engine";
}

void bw_crash_verdict(const struct bw_crash *c, const struct bw_gpuvm_part *part,
		      struct bw_str *out)
{
	bw_vec_each(&c->dumps, d) {
		struct bw_gpuvm_part own;
		const struct bw_gpuvm_part *p = part ? part : bw_crash_part(d, &own) ? &own : NULL;
		bw_crash_tell_dump(c, d, p, out);
	}
	struct bw_gpuvm_part own;
	bw_crash_tell_log(c, bw_crash_log_part(c, part, &own), out);
	bw_crash_tell_range(c, out);
	bw_crash_tell_waves(c, out);
}
