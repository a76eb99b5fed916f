/* SPDX-License-Identifier: MIT */
/* What can be said of waves and of the program's memory in a hang report, in a few sentences. */
#include "crash/verdict_priv.h"

#include <inttypes.h>
#include <string.h>

#include "arch/gfx11_extra.h"

/* What the program had at the address of a page fault. */
void bw_crash_tell_range(const struct bw_crash *c, struct bw_str *out)
{
	const struct bw_crash_fault *f = c->log.faults.len ? &c->log.faults.data[0] : NULL;
	if (!f || !f->has_address || !c->report.ranges.len)
		return;
	const struct bw_crash_range *range = bw_crash_range_of(&c->report, f->address);
	if (!range)
		bw_str_add(out, "The program had no memory at that address.\n");
	else if (range->is_destroyed)
		bw_str_addf(out,
			    "The program had freed memory at that address (0x%" PRIx64 ", %" PRIu64
			    " bytes): it was used after that.\n",
			    range->va, range->size_b);
	else
		bw_str_addf(out,
			    "The program has memory at that address (0x%" PRIx64 ", %" PRIu64
			    " bytes).\n",
			    range->va, range->size_b);
}

/* Where waves are that a report shows: most of them first. */
void bw_crash_tell_waves(const struct bw_crash *c, struct bw_str *out)
{
	const struct bw_crash_waves *w = &c->report.waves;
	uint64_t n = w->list.len + w->n_left_out, pc, first_pc = 0;
	size_t n_there = 0, n_faulty = 0;
	if (!n)
		return;
	bw_vec_each(&w->list, wave) {
		uint32_t traps;
		n_faulty += bw_crash_wave_register(wave, "TRAPSTS", &traps) &&
			    traps & BW_GFX11_TRAPSTS__MEM_VIOL; /* up to gfx11 at the same place */
		if (!bw_crash_wave_pc(wave, &pc))
			continue;
		if (!first_pc)
			first_pc = pc;
		n_there += pc == first_pc;
	}
	bw_str_addf(out, "The files show %" PRIu64 " wave%s on the GPU", n, n == 1 ? "" : "s");
	if (first_pc)
		bw_str_addf(out, ", %sat 0x%" PRIx64,
			    n == 1	   ? ""
			    : n_there == n ? "all "
					   : "some ",
			    first_pc);
	if (n_faulty)
		bw_str_addf(out, "; %zu of them had a memory violation", n_faulty);
	bw_str_add(out, ".\n");
}
