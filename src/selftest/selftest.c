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

/* More than the 60 s after which Linux's driver by default ends a job that hangs. */
enum { LIMIT_S = 120, INFERENCE_LIMIT_S = 90, ALIVE_LEAST_S = 10, ALIVE_LIMIT_S = 60 };

struct run {
	const struct bw_selftest_options *o;
	struct bw_selftest t;		  /* its results are shared memory */
	struct bw_selftest_result *alive; /* of the question after a hang; shared */
	struct bw_private hide;
	struct bw_folder folder;
	struct bw_kmd *kmd; /* a virtual GPU lives as long as this */
	struct bw_gpu gpu;
	struct bw_selftest_state before;
	struct bw_selftest_log log;
};

/* The report has to be on the disk before a step that the machine may not survive. */
static struct bw_error *write_report(const struct run *r)
{
	_cleanup_(bw_str_free) struct bw_str text = {0};
	if (!r->o->report_path)
		return NULL;
	bw_selftest_report(&r->t, bw_version(), &r->hide, &text);
	BW_TRY(bw_file_write(r->o->report_path, "wb", bw_str_text(&text), text.len));
	_cleanup_close_ int fd = open(r->o->report_path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		fsync(fd);
	return NULL;
}

static void say_step(const struct run *r, size_t i)
{
	const struct bw_selftest_step *s = &r->t.steps[i];
	bw_out_line(r->o->out, "%zu/%zu %s\n  %s\n  What could happen: %s", i + 1, r->t.n, s->name,
		    s->does, s->risk);
	bw_out_flush(r->o->out);
}

static void say_log(const struct run *r, const char *text)
{
	_cleanup_(bw_str_free) struct bw_str line = {0};
	bw_str_add_printable(&line, text, "");
	bw_out_line(r->o->out, "  " BW_SELFTEST_LOG ": %s", bw_str_text(&line));
}

static void say_result(const struct run *r, const struct bw_selftest_result *result)
{
	bw_out_line(r->o->out, "  %s in %.1f s%s%s", bw_selftest_verdict_text(result->verdict),
		    result->seconds, result->why[0] ? ": " : "", result->why);
	for (uint32_t i = 0; i < result->n_values; i++)
		if (!strcmp(result->values[i].name, BW_SELFTEST_LOG))
			say_log(r, result->values[i].text);
	bw_out_flush(r->o->out);
}

static struct bw_error *ask_whether_alive(struct run *r, const struct bw_selftest_work *w,
					  bool *out_answers)
{
	struct bw_selftest_work alive = *w;
	alive.r = r->alive;
	memset(r->alive, 0, sizeof(*r->alive));
	uint32_t limit_s = r->o->limit_s ? r->o->limit_s : ALIVE_LIMIT_S;
	BW_TRY(bw_selftest_child(
		bw_selftest_alive, &alive,
		BW_MAX((uint32_t)ALIVE_LEAST_S, BW_MIN(limit_s, (uint32_t)ALIVE_LIMIT_S))));
	*out_answers = r->alive->verdict == BW_SELFTEST_PASSED;
	bw_selftest_end_programs(r->alive);
	return NULL;
}

/* A step that did not end, or whose job the driver has ended after its time limit: does the GPU
 * answer? */
static struct bw_error *ask_gpu(struct run *r, struct bw_selftest_work *w)
{
	struct bw_selftest_result *step = w->r;
	char what[400];
	bool answers = false;
	if (step->verdict == BW_SELFTEST_HUNG)
		snprintf(what, sizeof(what), "The step did not end in time while %s",
			 step->doing[0] ? step->doing : "it began");
	else
		snprintf(what, sizeof(what), "The driver has ended the kernel, which hung: %.300s",
			 step->why);
	BW_TRY(ask_whether_alive(r, w, &answers));
	step->verdict = answers ? BW_SELFTEST_HUNG : BW_SELFTEST_GPU_HUNG;
	if (answers)
		snprintf(step->why, sizeof(step->why),
			 "%s; the GPU reads registers and runs kernels", what);
	else
		snprintf(
			step->why, sizeof(step->why),
			"%s; the GPU does not run an empty kernel, a reset or a reboot may be needed (%.160s)",
			what, r->alive->why[0] ? r->alive->why : r->alive->doing);
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
	r->t.is_model = bw_selftest_is_model(r->kmd);
	_cleanup_error_ struct bw_error *none = bw_selftest_log_begin(&r->log, r->kmd);
	if (none)
		bw_out_line(r->o->out, "The kernel log will not be in the report: %s.",
			    none->message);
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

/* Runs fn in a process of its own, and asks the GPU if that does not end. On Linux's driver its
 * programs run on then: to kill them would hold up later ones (doc/first-light.md). Breakwater's
 * own driver ends waves with their program; as long as a hung one had its VMID, a debugger could
 * reserve that VMID, and wait for it without end. */
static struct bw_error *run_child(struct run *r, struct bw_error *(*fn)(void *work),
				  struct bw_selftest_result *result,
				  const struct bw_selftest_inference *asked, uint32_t limit_s)
{
	struct bw_selftest_work w = {
		.r = result, .gpu = r->o->gpu, .folder = r->folder.path, .asked = asked};
	BW_TRY(bw_selftest_child(fn, &w, r->o->limit_s ? r->o->limit_s : limit_s));
	bw_selftest_log_take(&r->log, &w);
	if (result->verdict != BW_SELFTEST_HUNG &&
	    !(result->verdict == BW_SELFTEST_FAILED && bw_selftest_log_has_timeout(result)))
		return NULL;
	struct bw_error *err = ask_gpu(r, &w);
	bw_selftest_log_take(&r->log, &w);
	if (bw_kmd_is_virtual(r->kmd))
		bw_selftest_end_programs(result);
	return err;
}

/* One that failed or hung is unknown. The others are asked as long as the GPU answers. */
static struct bw_error *ask_inferences(struct run *r, struct bw_selftest_result *step)
{
	struct bw_selftest *t = &r->t;
	for (size_t i = 0; i < t->n_inferences && step->verdict == BW_SELFTEST_RUNNING; i++) {
		struct bw_selftest_result *answer = &t->answers[i];
		snprintf(step->doing, sizeof(step->doing), "asking %s", t->inferences[i].name);
		BW_TRY(write_report(r));
		BW_TRY(run_child(r, t->inferences[i].ask, answer, &t->inferences[i],
				 INFERENCE_LIMIT_S));
		step->seconds += answer->seconds;
		if (answer->verdict != BW_SELFTEST_PASSED)
			answer->holds = BW_SELFTEST_UNKNOWN;
		if (answer->verdict == BW_SELFTEST_GPU_HUNG ||
		    answer->verdict == BW_SELFTEST_INTERRUPTED) {
			step->verdict = answer->verdict;
			snprintf(step->why, sizeof(step->why), "%s", answer->why);
		}
	}
	for (size_t i = 0; i < t->n_inferences; i++)
		bw_selftest_end_programs(&t->answers[i]);
	if (step->verdict == BW_SELFTEST_RUNNING)
		step->verdict = BW_SELFTEST_PASSED;
	struct bw_selftest_tally tally = bw_selftest_tally(t);
	for (int holds = BW_SELFTEST_YES; holds >= BW_SELFTEST_UNKNOWN; holds--)
		bw_selftest_value(&(struct bw_selftest_work){.r = step},
				  bw_selftest_holds_text((enum bw_selftest_holds)holds), "%u",
				  tally.of[holds]);
	return NULL;
}

static struct bw_error *run_step(struct run *r, size_t i)
{
	const struct bw_selftest_step *s = &r->t.steps[i];
	struct bw_selftest_result *result = &r->t.results[i];
	result->verdict = BW_SELFTEST_RUNNING;
	BW_TRY(write_report(r));
	BW_TRY(s->run ? run_child(r, s->run, result, NULL, LIMIT_S) : ask_inferences(r, result));
	bw_selftest_end_programs(result);
	check_state(r, i);
	say_result(r, result);
	return write_report(r);
}

/* The first step of all always runs: it reads what registers are before the others. */
static struct bw_error *run_all(struct run *r, size_t first, size_t last, bool *out_passed)
{
	bool passed = true;
	for (size_t i = 0; i <= last && passed; i = i < first ? first : i + 1) {
		say_step(r, i);
		if (r->o->dry_run)
			continue;
		BW_TRY(run_step(r, i));
		passed = r->t.results[i].verdict == BW_SELFTEST_PASSED;
	}
	*out_passed = passed;
	return NULL;
}

/* name: NULL: out stays. */
static struct bw_error *find_step(const struct bw_selftest *t, const char *name, size_t *out)
{
	_cleanup_(bw_str_free) struct bw_str names = {0};
	for (size_t i = 0; name && i < t->n; i++) {
		bw_str_add_next(&names, t->steps[i].name);
		if (!strcmp(t->steps[i].name, name)) {
			*out = i;
			return NULL;
		}
	}
	return name ? bw_errorf(BW_E_INVALID, "There is no step \"%s\"; there are %s", name,
				bw_str_text(&names))
		    : NULL;
}

/* Results are shared with the processes of the steps. */
static struct bw_error *share_results(struct run *r, size_t *out_size_b)
{
	*out_size_b = (r->t.n + r->t.n_inferences + 1) * sizeof(*r->t.results);
	void *shared =
		mmap(NULL, *out_size_b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return bw_error_errno(errno, "cannot map shared memory");
	r->t.results = shared;
	r->t.answers = r->t.results + r->t.n;
	r->alive = r->t.answers + r->t.n_inferences;
	return NULL;
}

static void say_end(const struct run *r, bool passed)
{
	struct bw_out *out = r->o->out;
	struct bw_selftest_tally tally = bw_selftest_tally(&r->t);
	bw_out_name(out, "report", r->o->report_path ? r->o->report_path : "");
	bw_out_bool(out, "passed", passed);
	bw_out_bool(out, "virtual", r->t.is_model);
	bw_selftest_show(&r->t, out);
	if (r->t.results[r->t.n - 1].verdict != BW_SELFTEST_NOT_RUN)
		bw_out_line(out, "%u inferences hold, %u do not, %u are unknown.",
			    tally.of[BW_SELFTEST_YES], tally.of[BW_SELFTEST_NO],
			    tally.of[BW_SELFTEST_UNKNOWN]);
	if (r->t.is_model && r->t.results[r->t.n - 1].verdict != BW_SELFTEST_NOT_RUN)
		bw_out_line(out, "%s", BW_SELFTEST_OF_MODEL);
	bw_out_line(out, "\n%s The report is %s.",
		    passed ? "All of these steps have passed." : "Not all steps have passed.",
		    r->o->report_path ? r->o->report_path : "not written");
}

struct bw_error *bw_selftest_run(const struct bw_selftest_options *o, bool *out_passed)
{
	struct run r = {.o = o, .folder = BW_FOLDER_INIT};
	size_t first = 0, last, size_b;
	r.t.steps = bw_selftest_steps(&r.t.n);
	r.t.inferences = bw_selftest_inferences(&r.t.n_inferences);
	last = r.t.n - 1;
	BW_TRY(find_step(&r.t, o->from, &first));
	BW_TRY(find_step(&r.t, o->up_to, &last));
	if (first > last)
		return bw_errorf(BW_E_INVALID, "The step \"%s\" is after \"%s\"", o->from,
				 o->up_to);
	BW_TRY(share_results(&r, &size_b));
	bw_private_find(&r.hide);
	bw_out_begin(o->out, "command", "selftest");
	struct bw_error *err = NULL;
	if (!o->dry_run) {
		bw_selftest_catch_signals();
		err = bw_folder_make(BW_FOLDER_RUN, &r.folder);
		if (!err)
			err = open_gpu(&r);
	}
	if (!err)
		err = run_all(&r, first, last, out_passed);
	if (!err && o->dry_run)
		bw_selftest_show(&r.t, o->out);
	else if (!err)
		say_end(&r, *out_passed);
	if (err)
		bw_out_drop(o->out);
	else
		bw_out_end(o->out);
	bw_selftest_log_end(&r.log);
	bw_gpu_close(&r.gpu);
	bw_kmd_close(r.kmd);
	bw_folder_remove(&r.folder);
	munmap(r.t.results, size_b);
	return err;
}
