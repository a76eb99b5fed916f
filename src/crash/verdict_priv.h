/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_VERDICT_PRIV_H
#define BW_CRASH_VERDICT_PRIV_H

/* The parts of a verdict (bw_crash_verdict), each of which adds its sentences to a text. */

#include "crash/crash.h"

/* A dump; part: what it is of, or NULL. */
void bw_crash_tell_dump(const struct bw_crash *c, const struct bw_crash_dump *d,
			const struct bw_gpuvm_part *part, struct bw_str *out);
/* Names the draw or dispatch that hangs in a hang report of RADV, by its trace points and waves. */
void bw_crash_tell_trace(const struct bw_crash *c, const struct bw_crash_dump *d,
			 struct bw_str *out);
/* Tells where in its code and in its source the waves of a compute shader stay. */
void bw_crash_tell_source(const struct bw_crash_report *r, const struct bw_crash_shader *s,
			  struct bw_str *out);
/* Tell what the program had at the address of a page fault, and where waves are. */
void bw_crash_tell_range(const struct bw_crash *c, struct bw_str *out);
void bw_crash_tell_waves(const struct bw_crash *c, struct bw_str *out);
/* The kernel logs; part: which GPU they are of, or NULL. */
void bw_crash_tell_log(const struct bw_crash *c, const struct bw_gpuvm_part *part,
		       struct bw_str *out);
/* A page fault in one sentence. */
void bw_crash_add_headline(const struct bw_gpuvm_fault_facts *facts, struct bw_str *out);
/* The purpose of a ring, by its name. */
const char *bw_crash_engine_of(const char *ring);

#endif
