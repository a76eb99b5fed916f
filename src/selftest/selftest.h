/* SPDX-License-Identifier: MIT */
#ifndef BW_SELFTEST_SELFTEST_H
#define BW_SELFTEST_SELFTEST_H

/* The self-test: whether Breakwater works on a GPU, in steps from harmless to bold (steps.def).
 * Each step runs in a process of its own with a limit of time (child.c), so a hang is told from a
 * failure, and what a step has changed is restored by the guard of src/guard, however the step
 * ends. The first step that does not pass ends the test. The last step asks what the debugger only
 * infers of the hardware (inferences.def): an inference that does not hold is a finding, not a
 * failure. The report file is complete after each step, as the machine may not survive the next
 * one. One thread, one test at a time. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"
#include "ui/out.h"

struct bw_selftest_options {
	const char *gpu;	 /* as of bw_kmd_open */
	const char *from;	 /* the first step after access, which always runs; NULL: all */
	const char *up_to;	 /* the last step; NULL: all */
	const char *report_path; /* NULL: no file */
	bool dry_run;		 /* says what would be done; opens no GPU */
	uint32_t limit_s;	 /* of each step; 0: the default */
	struct bw_out *out;	 /* what is done is said there; borrowed */
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

/* Whether an inference holds. */
enum bw_selftest_holds {
	BW_SELFTEST_UNKNOWN, /* it could not be tried: the result says why */
	BW_SELFTEST_NO,
	BW_SELFTEST_YES,
};

/* What a step or an inference has found out. In memory that its process shares with this one, so
 * all of it is inside, and texts end in any case. */
enum { BW_SELFTEST_VALUES = 40, BW_SELFTEST_PROGRAMS = 4 };
struct bw_selftest_result {
	enum bw_selftest_verdict verdict;
	enum bw_selftest_holds holds; /* of an inference */
	double seconds;
	char why[640];		       /* FAILED, NO: a sentence without its end */
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

/* A word that the kernel of an inference writes. */
struct bw_selftest_word {
	const char *what; /* NULL after the last */
	uint32_t expected;
	bool is_seen_only; /* not compared */
};
enum { BW_SELFTEST_WORDS = 12 };
struct bw_selftest_inference {
	const char *name; /* of its kernel as well */
	const char *sentence;
	const char *where; /* it is relied on: "rules 1, 18", a page and its heading, a file */
	struct bw_error *(*ask)(void *work);
	struct bw_selftest_word words[BW_SELFTEST_WORDS];
};
const struct bw_selftest_inference *bw_selftest_inferences(size_t *out_n);

/* All that the report has. */
struct bw_selftest {
	const struct bw_selftest_step *steps;
	struct bw_selftest_result *results; /* one a step */
	size_t n;
	const struct bw_selftest_inference *inferences;
	struct bw_selftest_result *answers; /* one an inference */
	size_t n_inferences;
	bool is_model; /* the GPU is Breakwater's own virtual one */
};
/* How many inferences have each answer. */
struct bw_selftest_tally {
	unsigned of[BW_SELFTEST_YES + 1];
};
struct bw_selftest_tally bw_selftest_tally(const struct bw_selftest *t);

/* ---- private.c: what a report must not have ---- */

enum { BW_PRIVATE_WORDS = 12 };
struct bw_private {
	size_t n;
	struct {
		char text[256];
		const char *instead; /* "USER" */
	} words[BW_PRIVATE_WORDS];
};
/* The names and the home folders of this process's user and of the one who has called sudo, and the
 * host's name. */
void bw_private_find(struct bw_private *out);
/* A word that counts only where no letter, digit, _ or - is beside it; not one of one character. */
void bw_private_add(struct bw_private *p, const char *text, const char *instead);
/* Adds the text with the private words replaced, and the user in any path below /home. */
void bw_private_put(const struct bw_private *p, const char *text, struct bw_str *out);

/* ---- report.c, pure ---- */

/* The text of the report file. All text that comes from outside goes through hide. */
void bw_selftest_report(const struct bw_selftest *t, const char *version,
			const struct bw_private *hide, struct bw_str *out);
/* A sentence for those who read the answers of a virtual GPU. */
#define BW_SELFTEST_OF_MODEL                                                                       \
	"This is Breakwater's virtual GPU, which was built by these inferences: "                  \
	"\"yes\" means that the kernel and the driver work, and says nothing about hardware."
/* "yes", "no", "unknown" */
const char *bw_selftest_holds_text(enum bw_selftest_holds holds);
/* Steps and inferences as facts; those of the inferences are a table in text as well. */
void bw_selftest_show(const struct bw_selftest *t, struct bw_out *o);

/* Runs the steps. out_passed: all that were to run have passed. An error: the test could not be
 * done; a step that fails is not one. */
struct bw_error *bw_selftest_run(const struct bw_selftest_options *o,
				 bool *out_passed) BW_MUST_CHECK;

#endif
