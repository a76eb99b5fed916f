/* SPDX-License-Identifier: MIT */
#ifndef BW_SELFTEST_SELFTEST_H
#define BW_SELFTEST_SELFTEST_H

/* The self-test: whether Breakwater works on a GPU, in steps from harmless to bold (steps.def).
 * Each step runs in a process of its own with a limit of time (child.c), so a hang is told from a
 * failure, and what a step has changed is restored by the guard of src/guard, however the step
 * ends. The first step that does not pass ends the test. The report file is complete after each
 * step, as the machine may not survive the next one. One thread, one test at a time. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"

struct bw_selftest_options {
	const char *gpu;	 /* as of bw_kmd_open */
	const char *up_to;	 /* the last step; NULL: all */
	const char *report_path; /* NULL: no file */
	bool dry_run;		 /* says what would be done; opens no GPU */
	uint32_t limit_s;	 /* of each step; 0: the default */
	FILE *out;		 /* what is done is said there; borrowed */
};

enum bw_selftest_verdict {
	BW_SELFTEST_NOT_RUN,
	BW_SELFTEST_RUNNING, /* in a report only if this process did not survive the step */
	BW_SELFTEST_PASSED,
	BW_SELFTEST_FAILED,
	BW_SELFTEST_HUNG,     /* the step did not end; the GPU still works */
	BW_SELFTEST_GPU_HUNG, /* nor does the GPU answer */
	BW_SELFTEST_INTERRUPTED,
};
/* "passed", "failed", "hung, and the GPU still works" */
const char *bw_selftest_verdict_text(enum bw_selftest_verdict v);

/* What a step has found out. In memory that the step's process shares with this one, so all of it
 * is inside, and texts end in any case. */
enum { BW_SELFTEST_VALUES = 40, BW_SELFTEST_PROGRAMS = 4 };
struct bw_selftest_result {
	enum bw_selftest_verdict verdict;
	double seconds;
	char why[640];		       /* FAILED: a sentence without its end */
	char doing[160];	       /* what the step did last: where it hung */
	uint32_t n_values, n_left_out; /* left out: they had no room */
	struct {
		char name[48], text[200];
	} values[BW_SELFTEST_VALUES];
	int32_t programs[BW_SELFTEST_PROGRAMS]; /* processes that it has started; 0: none */
};

struct bw_selftest_step {
	const char *name;
	const char *does, *risk; /* sentences: what it will do, what could happen */
	struct bw_error *(*run)(void *step);
};
const struct bw_selftest_step *bw_selftest_steps(size_t *out_n);

/* All that the report has. */
struct bw_selftest {
	const struct bw_selftest_step *steps;
	struct bw_selftest_result *results; /* one a step */
	size_t n;
};
/* report.c, pure: the text of the report file. */
void bw_selftest_report(const struct bw_selftest *t, const char *version, struct bw_str *out);

/* Runs the steps. out_passed: all that were to run have passed. An error: the test could not be
 * done; a step that fails is not one. */
struct bw_error *bw_selftest_run(const struct bw_selftest_options *o,
				 bool *out_passed) BW_MUST_CHECK;

#endif
