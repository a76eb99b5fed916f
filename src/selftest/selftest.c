/* SPDX-License-Identifier: MIT */
/* The self-test from its first step to its end. */
#include "selftest/selftest_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/util.h"
#include "session/version.h"

enum { LIMIT_S = 120, ALIVE_LIMIT_S = 30 };

struct run {
	const struct bw_selftest_options *o;
	struct bw_selftest t;		  /* its results are shared memory */
	struct bw_selftest_result *alive; /* of the question after a hang; shared */
	struct bw_folder folder;
	struct bw_kmd *kmd; /* a virtual GPU lives as long as this */
	struct bw_gpu gpu;
	struct bw_selftest_state before;
};

/* The report has to be on the disk before a step that the machine may not survive. */
static struct bw_error *write_report(const struct run *r)
{
	_cleanup_(bw_str_free) struct bw_str text = {0};
	if (!r->o->report_path)
		return NULL;
	bw_selftest_report(&r->t, bw_version(), &text);
	BW_TRY(bw_file_write(r->o->report_path, "wb", bw_str_text(&text), text.len));
	_cleanup_close_ int fd = open(r->o->report_path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		fsync(fd);
	return NULL;
}

static void say_step(const struct run *r, size_t i, size_t n)
{
	const struct bw_selftest_step *s = &r->t.steps[i];
	fprintf(r->o->out, "%zu/%zu %s\n  %s\n  What could happen: %s\n", i + 1, n, s->name,
		s->does, s->risk);
	fflush(r->o->out);
}

/* A step that did not end: does the GPU answer? */
static struct bw_error *ask_gpu(struct run *r, struct bw_selftest_work *w)
{
	struct bw_selftest_result *step = w->r;
	struct bw_selftest_work alive = *w;
	alive.r = r->alive;
	memset(r->alive, 0, sizeof(*r->alive));
	BW_TRY(bw_selftest_child(bw_selftest_alive, &alive, ALIVE_LIMIT_S));
	bool answers = r->alive->verdict == BW_SELFTEST_PASSED;
	step->verdict = answers ? BW_SELFTEST_HUNG : BW_SELFTEST_GPU_HUNG;
	int n = snprintf(step->why, sizeof(step->why), "The step did not end in time while %s; ",
			 step->doing[0] ? step->doing : "it began");
	if (answers)
		snprintf(step->why + n, sizeof(step->why) - (size_t)n,
			 "the GPU reads registers and runs kernels");
	else
		snprintf(
			step->why + n, sizeof(step->why) - (size_t)n,
			"the GPU does not run an empty kernel, a reset or a reboot may be needed (%.160s)",
			r->alive->why[0] ? r->alive->why : r->alive->doing);
	return NULL;
}

/* The programs and debuggers of the steps use the same virtual GPU. */
static struct bw_error *share_gpu(struct bw_kmd *kmd)
{
	static const char name[] = BW_KMD_SERVER_ENV "=";
	const char *const *env = bw_kmd_program_env(kmd);
	for (size_t i = 0; env && env[i]; i++)
		if (bw_starts_with(env[i], name) &&
		    setenv(BW_KMD_SERVER_ENV, env[i] + strlen(name), 1))
			return bw_error_nomem();
	return NULL;
}

static struct bw_error *open_gpu(struct run *r)
{
	BW_TRY(bw_kmd_open(r->o->gpu, &r->kmd));
	return share_gpu(r->kmd);
}

/* After the first step, which says in detail what cannot be opened. */
static struct bw_error *read_before(struct run *r)
{
	BW_TRY(bw_gpu_borrow(r->kmd, &r->gpu));
	return bw_selftest_state_read(&r->gpu, &r->before);
}

/* Registers that are not as they were make a step fail; after one that has failed or hung the
 * report says them as well. Before that the first step has to have opened the GPU's files, and a
 * GPU that does not answer is not asked. */
static void check_state(struct run *r, size_t i)
{
	struct bw_selftest_result *result = &r->t.results[i];
	bool passed = result->verdict == BW_SELFTEST_PASSED;
	if (result->verdict == BW_SELFTEST_GPU_HUNG || (!i && !passed))
		return;
	_cleanup_error_ struct bw_error *err =
		i ? bw_selftest_state_check(&r->gpu, &r->before) : read_before(r);
	if (!err)
		return;
	size_t n = strlen(result->why);
	snprintf(result->why + n, sizeof(result->why) - n, "%s%s", n ? "; " : "", err->message);
	if (passed)
		result->verdict = BW_SELFTEST_FAILED;
}

static struct bw_error *run_step(struct run *r, size_t i)
{
	struct bw_selftest_result *result = &r->t.results[i];
	struct bw_selftest_work w = {.r = result, .gpu = r->o->gpu, .folder = r->folder.path};
	result->verdict = BW_SELFTEST_RUNNING;
	BW_TRY(write_report(r));
	BW_TRY(bw_selftest_child(r->t.steps[i].run, &w, r->o->limit_s ? r->o->limit_s : LIMIT_S));
	if (result->verdict == BW_SELFTEST_HUNG)
		BW_TRY(ask_gpu(r, &w));
	check_state(r, i);
	fprintf(r->o->out, "  %s in %.1f s%s%s\n", bw_selftest_verdict_text(result->verdict),
		result->seconds, result->why[0] ? ": " : "", result->why);
	fflush(r->o->out);
	return write_report(r);
}

static struct bw_error *run_all(struct run *r, size_t n, bool *out_passed)
{
	bool passed = true;
	for (size_t i = 0; i < n && passed; i++) {
		say_step(r, i, n);
		if (r->o->dry_run)
			continue;
		BW_TRY(run_step(r, i));
		passed = r->t.results[i].verdict == BW_SELFTEST_PASSED;
	}
	*out_passed = passed;
	return NULL;
}

static struct bw_error *last_step(const struct bw_selftest *t, const char *up_to, size_t *out_n)
{
	_cleanup_(bw_str_free) struct bw_str names = {0};
	*out_n = t->n;
	for (size_t i = 0; up_to && i < t->n; i++) {
		bw_str_add_next(&names, t->steps[i].name);
		if (!strcmp(t->steps[i].name, up_to)) {
			*out_n = i + 1;
			return NULL;
		}
	}
	return up_to ? bw_errorf(BW_E_INVALID, "There is no step \"%s\"; there are %s", up_to,
				 bw_str_text(&names))
		     : NULL;
}

struct bw_error *bw_selftest_run(const struct bw_selftest_options *o, bool *out_passed)
{
	struct run r = {.o = o, .folder = BW_FOLDER_INIT};
	size_t n;
	r.t.steps = bw_selftest_steps(&r.t.n);
	BW_TRY(last_step(&r.t, o->up_to, &n));
	size_t size_b = (r.t.n + 1) * sizeof(*r.t.results);
	void *shared =
		mmap(NULL, size_b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return bw_error_errno(errno, "cannot map shared memory");
	r.t.results = shared;
	r.alive = &r.t.results[r.t.n];
	struct bw_error *err = NULL;
	if (!o->dry_run) {
		bw_selftest_catch_signals();
		err = bw_folder_make(BW_FOLDER_RUN, &r.folder);
		if (!err)
			err = open_gpu(&r);
	}
	if (!err)
		err = run_all(&r, n, out_passed);
	bw_gpu_close(&r.gpu);
	bw_kmd_close(r.kmd);
	bw_folder_remove(&r.folder);
	munmap(shared, size_b);
	return err;
}
