/* SPDX-License-Identifier: MIT */
/* What can be said of a crash in a few sentences. */
#include "crash/verdict_priv.h"

#include <inttypes.h>
#include <string.h>

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

static bool same_device(const char *a, const char *b)
{
	return !*a || !*b || !strcmp(a, b);
}

/* What became of a timeout: the events behind it, up to the next one of the GPU. */
static void add_recovery(const struct bw_crash_log *log, size_t from, struct bw_str *out)
{
	const struct bw_crash_event *t = &log->events.data[from];
	bool lost = false, done = false, failed = false, ring_done = false, begun = false,
	     ring_failed = false, soft = false;
	for (size_t i = from + 1; i < log->events.len; i++) {
		const struct bw_crash_event *e = &log->events.data[i];
		if (!same_device(e->device, t->device))
			continue;
		if (e->kind == BW_CRASH_TIMEOUT && (done || failed || ring_done || soft))
			break;
		soft |= e->kind == BW_CRASH_SOFT_RECOVERED;
		lost |= e->kind == BW_CRASH_VRAM_LOST;
		begun |= e->kind == BW_CRASH_RESET_BEGIN;
		done |= e->kind == BW_CRASH_RESET_DONE;
		failed |= e->kind == BW_CRASH_RESET_FAILED;
		ring_done |= e->kind == BW_CRASH_RING_RESET_DONE;
		ring_failed |= e->kind == BW_CRASH_RING_RESET_FAILED;
	}
	if (failed)
		bw_str_add(out, " Resetting the GPU failed: it needs a reboot.");
	else if (done)
		bw_str_add(out, " The GPU was reset, which worked.");
	else if (ring_done)
		bw_str_add(out,
			   " The ring was reset, which worked; other programs were not affected.");
	else if (soft)
		bw_str_add(out, " The driver killed its waves, and the ring went on.");
	else if (begun)
		bw_str_add(out,
			   " The driver began to reset the GPU; how that ended is not in the log.");
	else if (ring_failed)
		bw_str_add(out, " Resetting the ring failed.");
	else
		bw_str_add(out, " What the driver did then is not in the log.");
	if (lost)
		bw_str_add(out,
			   " All contents of VRAM were lost: other programs may have failed, too.");
}

static void add_timeout(const struct bw_crash_log *log, size_t i, struct bw_str *out)
{
	const struct bw_crash_event *t = &log->events.data[i];
	bw_str_addf(out, "Ring %s (%s) ", t->ring[0] ? t->ring : "?", bw_crash_engine_of(t->ring));
	if (t->kind == BW_CRASH_SOFT_RECOVERED) {
		bw_str_add(out, "hung; the driver killed its waves, and it went on.\n");
		return;
	}
	bw_str_add(out, "did not finish a job");
	if (t->process[0])
		bw_str_addf(out, " of %s (pid %" PRId64 ")", t->process, t->pid);
	bw_str_add(out, " in time");
	if (t->has_seq && t->emitted > t->signaled)
		bw_str_addf(out, ": job %" PRIu64 " hung, %" PRIu64 " %s pending", t->signaled + 1,
			    t->emitted - t->signaled,
			    t->emitted - t->signaled == 1 ? "was" : "were");
	bw_str_add(out, ".");
	add_recovery(log, i, out);
	bw_str_add(out, "\n");
}

/* A fault that came before a timeout on the same GPU is its likely cause. */
static void add_cause(const struct bw_crash_log *log, struct bw_str *out)
{
	const struct bw_crash_event *t = NULL;
	for (size_t i = 0; i < log->events.len && !t; i++)
		if (log->events.data[i].kind == BW_CRASH_TIMEOUT)
			t = &log->events.data[i];
	if (!t || !log->faults.len)
		return;
	const struct bw_crash_fault *f = &log->faults.data[0];
	if (!same_device(f->device, t->device) || f->first_line > t->line)
		return;
	bool same = f->has_process && t->process[0] && f->pid == t->pid;
	bw_str_addf(out, "The page fault came before the timeout%s: it is %s cause.\n",
		    same ? " and from the same process" : "", same ? "the likely" : "a possible");
}

static void add_log(const struct bw_crash *c, const struct bw_gpuvm_part *part, struct bw_str *out)
{
	const struct bw_crash_log *log = &c->log;
	size_t said = 0;
	enum { MAX_SAID = 3 };
	for (size_t i = 0; i < log->events.len; i++) {
		enum bw_crash_event_kind kind = log->events.data[i].kind;
		if ((kind == BW_CRASH_TIMEOUT || kind == BW_CRASH_SOFT_RECOVERED) &&
		    said++ < MAX_SAID)
			add_timeout(log, i, out);
	}
	if (said > MAX_SAID)
		bw_str_addf(out, "%zu more timeouts follow.\n", said - MAX_SAID);
	for (size_t i = 0; i < log->events.len; i++) {
		const struct bw_crash_event *e = &log->events.data[i];
		if (!said && e->kind == BW_CRASH_RESET_FAILED)
			bw_str_add(out, "Resetting the GPU failed.\n");
		if (e->kind == BW_CRASH_NO_ANSWER && ++said)
			bw_str_add(
				out,
				"The firmware that schedules queues did not answer: a queue of a "
				"program hung, or the firmware itself.\n");
		if (e->kind == BW_CRASH_MEMORY_ERROR && ++said)
			bw_str_add(
				out,
				"The GPU's memory reported errors that it could not correct: this is "
				"a hardware problem.\n");
		if (e->kind == BW_CRASH_NO_ANSWER || e->kind == BW_CRASH_MEMORY_ERROR)
			break;
	}
	if (log->faults.len) {
		struct bw_gpuvm_fault_facts facts =
			bw_crash_fault_facts(log, &log->faults.data[0], part);
		bw_crash_add_headline(&facts, out);
		if (log->faults.len > 1)
			bw_str_addf(out, " It was the first of %zu page faults.",
				    log->faults.len + log->n_faults_left_out);
		bw_str_add(out, "\n");
		add_cause(log, out);
	}
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
	add_log(c, bw_crash_log_part(c, part, &own), out);
	bw_crash_tell_range(c, out);
	bw_crash_tell_waves(c, out);
}
