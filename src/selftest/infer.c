/* SPDX-License-Identifier: MIT */
/* Inferences that a kernel answers by itself: it runs without a debugger, and its words are
 * compared. */
#include "selftest/selftest_priv.h"

#include <stdarg.h>

#include "selftest/kernels/inferred.h"

void bw_selftest_answer(struct bw_selftest_work *w, enum bw_selftest_holds holds, const char *fmt,
			...)
{
	struct bw_selftest_result *r = w->r;
	va_list args;
	if (r->holds == BW_SELFTEST_NO) /* the first reason stays */
		return;
	r->holds = holds;
	va_start(args, fmt);
	vsnprintf(r->why, sizeof(r->why), fmt, args);
	va_end(args);
}

struct bw_selftest_launch bw_selftest_infer_launch(const struct bw_selftest_work *w)
{
#define TEXT_OF(number) "zeros:" #number ":u32"
#define BUFFER(number) TEXT_OF(number)
	return (struct bw_selftest_launch){.kernel = w->asked->name,
					   .vgprs = INFERRED_VGPRS,
					   .sgprs = 104,
					   .lds_b = INFERRED_LDS_B,
					   .groups = 1,
					   .buffer = BUFFER(INFERRED_WORDS)};
}

struct bw_error *bw_selftest_infer_words(struct bw_selftest_program *p)
{
	const struct bw_selftest_inference *asked = p->w->asked;
	uint32_t words[LAST_WORD + 1];
	BW_TRY(bw_selftest_output(p, words, LAST_WORD + 1));
	if (words[LAST_WORD] != DONE)
		return bw_errorf(BW_E_STATE, "The kernel \"%s\" has not run to its end",
				 asked->name);
	for (size_t i = 0; asked->words[i].what; i++) {
		const struct bw_selftest_word *word = &asked->words[i];
		if (word->is_seen_only)
			bw_selftest_value(p->w, word->what, "0x%08x", words[i]);
		else if (words[i] != word->expected)
			bw_selftest_answer(p->w, BW_SELFTEST_NO, "%s: 0x%08x, not 0x%08x",
					   word->what, words[i], word->expected);
	}
	bw_selftest_answer(p->w, BW_SELFTEST_YES, "%s", "");
	return NULL;
}

static struct bw_error *run(struct bw_selftest_work *w, const struct bw_selftest_launch *launch)
{
	struct bw_selftest_program p;
	struct bw_error *err = bw_selftest_spawn(w, launch, &p);
	bw_selftest_doing(w, "waiting for the end of the kernel \"%s\"", launch->kernel);
	if (!err)
		err = bw_selftest_join(&p);
	if (!err)
		err = bw_selftest_infer_words(&p);
	bw_selftest_close(&p);
	return err;
}

struct bw_error *bw_selftest_ask_run(void *work)
{
	struct bw_selftest_launch launch = bw_selftest_infer_launch(work);
	return run(work, &launch);
}

/* The same in groups of two waves. */
struct bw_error *bw_selftest_ask_run_pair(void *work)
{
	struct bw_selftest_launch launch = bw_selftest_infer_launch(work);
	launch.lanes = 64;
	return run(work, &launch);
}
