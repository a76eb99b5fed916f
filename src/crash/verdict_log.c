/* SPDX-License-Identifier: MIT */
/* Conclusions from a kernel log: for each incident the first event, its consequences, the driver's
 * reaction and its result, and what to look at next. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "crash/story.h"
#include "crash/verdict_priv.h"

/* ---- what happened first ---- */

static bool is_poison(const struct bw_crash_event *e)
{
	return !strcmp(e->detail, "poison");
}

/* One that names a block counts more than the message that there are errors. */
static const struct bw_crash_event *hardware_error_of(const struct bw_crash_story *s,
						      bool *out_poison)
{
	const struct bw_crash_event *best = s->first[BW_CRASH_HARDWARE_ERROR];
	*out_poison = false;
	for (size_t i = 0; i < s->n_items; i++) {
		const struct bw_crash_event *e = bw_crash_event_of(s->log, &s->items[i]);
		if (!e || e->kind != BW_CRASH_HARDWARE_ERROR)
			continue;
		*out_poison |= is_poison(e);
		if (!best->number && e->number)
			best = e;
	}
	return best;
}

static void add_hardware(const struct bw_crash_story *s, struct bw_str *out)
{
	bool has_poison;
	const struct bw_crash_event *e = hardware_error_of(s, &has_poison);
	if (is_poison(e))
		bw_str_add(out, "The GPU met data in its memory that an error has damaged and that "
				"could not be corrected (poison)");
	else
		bw_str_add(out, "The GPU's hardware reported errors that it could not correct");
	if (e->number)
		bw_str_addf(out, ": %" PRIu64 " in %s", e->number,
			    e->detail[0] ? e->detail : "a block that is not named");
	else if (e->detail[0] && !is_poison(e))
		bw_str_addf(out, " (%s)", e->detail);
	bw_str_add(out, ": this is a hardware problem, not a mistake of the program.");
	if (has_poison && !is_poison(e))
		bw_str_add(out, " Data that they have damaged was met (poison).");
	bw_str_add(out, "\n");
}

static void add_process(const char *process, int64_t pid, const char *lead, struct bw_str *out)
{
	if (process[0] && pid)
		bw_str_addf(out, "%s%s (pid %" PRId64 ")", lead, process, pid);
	else if (process[0])
		bw_str_addf(out, "%s%s", lead, process);
	else if (pid)
		bw_str_addf(out, "%sprocess %" PRId64, lead, pid);
}

static void add_command_error(const struct bw_crash_story *s, struct bw_str *out)
{
	static const char sdma[] = "SDMA: ";
	const struct bw_crash_event *e = s->first[BW_CRASH_COMMAND_ERROR];
	bool is_sdma = bw_starts_with(e->detail, sdma);
	bw_str_addf(out, "%s met %s in a command stream",
		    is_sdma ? "The copy engine (SDMA)" : "The command processor",
		    e->detail + (is_sdma ? strlen(sdma) : 0));
	add_process(e->process, e->pid, " of ", out);
	bw_str_add(out, s->hang ? ": that is what stopped the ring.\n" : ".\n");
}

/* The types of kfd_int_process_v9.c to v11.c (SQ_INTERRUPT_ERROR_TYPE). */
static void add_wave_error(const struct bw_crash_story *s, struct bw_str *out)
{
	static const char *const types[] = {
		"met a memory error that could not be corrected (ECC, type 0): this is a hardware "
		"problem",
		"executed an illegal instruction (type 1)",
		"violated memory (type 2): an address outside of its apertures, or not aligned",
		"was given damaged data (ECC, type 3): this is a hardware problem"};
	const struct bw_crash_event *e = s->first[BW_CRASH_WAVE_ERROR];
	unsigned n = s->n[BW_CRASH_WAVE_ERROR];
	if (e->number < BW_ARRAY_SIZE(types))
		bw_str_addf(out, "A wave of a shader %s", types[e->number]);
	else
		bw_str_addf(out,
			    "A wave of a shader had an error of type %" PRIu64
			    ", which is not known",
			    e->number);
	if (n > 1)
		bw_str_addf(out, "; there are %u such messages", n);
	bw_str_add(out, ".\n");
}

static void add_runtime_error(const struct bw_crash_story *s, struct bw_str *out)
{
	const struct bw_crash_event *e = s->first[BW_CRASH_RUNTIME_ERROR];
	bw_str_addf(out, "ROCm's runtime stopped a queue%s%s.\n", e->detail[0] ? ": " : "",
		    e->detail);
}

/* A fault in one sentence, and what there is to say of its kind. */
static void add_fault(const struct bw_crash_story *s, const struct bw_crash_fault *f,
		      struct bw_str *out)
{
	struct bw_gpuvm_fault_facts facts = bw_crash_fault_facts(s->log, f, s->part);
	bw_crash_add_headline(&facts, out);
	if (f->is_retry)
		bw_str_add(out, " It was a retry fault.");
}

static bool is_first_fault(const struct bw_crash_story *s)
{
	for (size_t i = 0; i < s->n_items; i++)
		if (s->items[i].is_fault)
			return bw_crash_fault_of(s->log, &s->items[i]) == s->fault;
	return false;
}

static void add_first_fault(const struct bw_crash_story *s, struct bw_str *out)
{
	size_t n = s->n_early + s->log->n_faults_left_out;
	add_fault(s, s->fault, out);
	if (n > 1 && is_first_fault(s))
		bw_str_addf(out, " It was the first of %zu page faults.", n);
	else if (n > 1)
		bw_str_addf(out, " It is the one of %zu page faults whose status says something.",
			    n);
	if (s->n_suppressed)
		bw_str_addf(out, " The kernel suppressed %" PRIu64 " more messages.",
			    s->n_suppressed);
	bw_str_add(out, "\n");
}

/* ---- what followed ---- */

static void add_hang(const struct bw_crash_event *t, struct bw_str *out)
{
	bw_str_addf(out, "Ring %s (%s) ", t->ring[0] ? t->ring : "?", bw_crash_engine_of(t->ring));
	if (t->kind == BW_CRASH_SOFT_RECOVERED) {
		bw_str_add(out, "hung; the driver killed its waves, and it went on.");
		return;
	}
	bw_str_add(out, "did not finish a job");
	add_process(t->process, t->pid, " of ", out);
	bw_str_add(out, " in time");
	if (t->has_seq && t->emitted > t->signaled)
		bw_str_addf(out, ": job %" PRIu64 " hung, %" PRIu64 " %s pending", t->signaled + 1,
			    t->emitted - t->signaled,
			    t->emitted - t->signaled == 1 ? "was" : "were");
	bw_str_add(out, ".");
}

/* The relation of a hang to a fault before it. */
static void add_relation(const struct bw_crash_story *s, struct bw_str *out)
{
	enum { FAR_S = 90 };
	const struct bw_crash_fault *f = s->fault;
	const struct bw_crash_event *t = s->hang;
	double gap_s = 0;
	if (!f || !bw_crash_turn_of(s))
		return;
	bool is_far = bw_crash_time_between(f->when.time, bw_crash_turn_of(s)->when.time, &gap_s) &&
		      gap_s > FAR_S;
	if (!t) {
		bw_str_addf(out, "The page fault came before that: it is %s cause.\n",
			    is_far ? "a possible" : "the likely");
		return;
	}
	bool are_known = f->has_process && (t->process[0] || t->pid);
	bool same = are_known && f->pid == t->pid;
	bw_str_addf(out, "The page fault came before the timeout%s: it is %s cause.\n",
		    same	? " and from the same process"
		    : are_known ? ", but from another process"
				: "",
		    same && !is_far ? "the likely" : "a possible");
}

static bool is_preemption(const struct bw_crash_event *e)
{
	return !strcmp(e->detail, BW_CRASH_PREEMPTION);
}

static void add_scheduler(const struct bw_crash_story *s, struct bw_str *out)
{
	const struct bw_crash_event *e = s->first[BW_CRASH_NO_ANSWER];
	bool has_cause = s->fault || s->first[BW_CRASH_COMMAND_ERROR] ||
			 s->first[BW_CRASH_WAVE_ERROR] || s->first[BW_CRASH_HARDWARE_ERROR];
	bw_str_add(out, "The firmware that schedules queues did not answer");
	if (is_preemption(e))
		bw_str_add(out, " when a queue was to be taken off the GPU (preemption)");
	else if (e->detail[0])
		bw_str_addf(out, " (MES, message %s)", e->detail);
	bw_str_add(out, has_cause ? ": what runs on the queue does not stop.\n"
				  : ": a queue of a program hung, or the firmware itself.\n");
}

/* ---- what the driver did ---- */

/* Firmware that only failed to take away what hung before it. */
static void add_escalation(const struct bw_crash_story *s, struct bw_str *out)
{
	const struct bw_crash_event *e = s->first[BW_CRASH_NO_ANSWER];
	if (!s->hang || !e || e->when.order < s->hang->when.order)
		return;
	bool is_named = e->detail[0] && !is_preemption(e);
	bw_str_addf(out,
		    " The firmware that schedules queues could not take the hung queue off the "
		    "GPU%s%s%s.",
		    is_named ? " (MES did not answer " : "", is_named ? e->detail : "",
		    is_named ? ")" : "");
}

static void add_ring_reset(const struct bw_crash_story *s, struct bw_str *out)
{
	bool has_gpu = s->first[BW_CRASH_RESET_BEGIN] || s->first[BW_CRASH_RESET_DONE] ||
		       s->first[BW_CRASH_RESET_FAILED];
	if (s->first[BW_CRASH_RING_RESET_FAILED])
		bw_str_add(out, " Resetting the ring failed.");
	else if (s->first[BW_CRASH_RING_RESET_DONE])
		bw_str_addf(out, " The ring was reset, which worked%s.",
			    has_gpu ? "" : "; other programs were not affected");
	else if (s->first[BW_CRASH_RING_RESET])
		bw_str_addf(out, " The driver began to reset the ring%s.",
			    has_gpu ? "" : "; how that ended is not in the log");
}

/* enum AMDGPU_RESET_SRCS of Linux 6.13 and later */
static const char *source_of(uint64_t number)
{
	static const char *const sources[] = {NULL,
					      "a job that did not end",
					      "a hardware error (RAS)",
					      "the scheduler's firmware (MES), which hung",
					      "the hardware scheduler (HWS), which hung",
					      "a user",
					      "a user queue that hung"};
	return number < BW_ARRAY_SIZE(sources) ? sources[number] : NULL;
}

static bool add_gpu_reset(const struct bw_crash_story *s, struct bw_str *out)
{
	const struct bw_crash_event *begin = s->first[BW_CRASH_RESET_BEGIN];
	const struct bw_crash_event *method = s->first[BW_CRASH_RESET_METHOD];
	const struct bw_crash_event *block = s->first[BW_CRASH_RESUME_FAILED];
	const char *source = begin ? source_of(begin->number) : NULL;
	char how[112] = "";
	if (method)
		snprintf(how, sizeof(how), " (%s reset)", method->detail);
	if (s->first[BW_CRASH_RESET_FAILED]) {
		bw_str_addf(out, " Resetting the GPU failed%s: it needs a reboot.", how);
		if (block)
			bw_str_addf(out, " Its block %s could not be started again.",
				    block->detail);
	} else if (s->first[BW_CRASH_RESET_SKIPPED]) {
		bw_str_add(out, " The driver began to reset the GPU, found that the job had ended "
				"meanwhile, and skipped the reset: the GPU was not reset.");
	} else if (s->first[BW_CRASH_RESET_DONE]) {
		bw_str_addf(out, " The GPU was reset, which worked%s.", how);
	} else if (begin) {
		bw_str_addf(out,
			    " The driver began to reset the GPU%s; how that ended is not in the "
			    "log.",
			    how);
	} else if (method) {
		bw_str_addf(out, " The driver reset the GPU%s; how that ended is not in the log.",
			    how);
	} else if (s->first[BW_CRASH_RECOVERY_OFF]) {
		bw_str_add(out, " GPU recovery is disabled (amdgpu.gpu_recovery): the GPU was not "
				"reset, and the ring stays hung.");
	} else {
		return false;
	}
	/* A job that did not end was told already. */
	if (source && !(s->hang && begin->number == 1))
		bw_str_addf(out, " The reset was asked for by %s.", source);
	return true;
}

/* Sentences with a blank before each. */
static void add_driver(const struct bw_crash_story *s, struct bw_str *out)
{
	bool is_ring = s->first[BW_CRASH_RING_RESET] || s->first[BW_CRASH_RING_RESET_DONE] ||
		       s->first[BW_CRASH_RING_RESET_FAILED];
	add_ring_reset(s, out);
	add_escalation(s, out);
	bool is_gpu = add_gpu_reset(s, out);
	if (s->first[BW_CRASH_SOFT_RECOVERED] && s->hang &&
	    s->hang->kind != BW_CRASH_SOFT_RECOVERED)
		bw_str_add(out, " The driver killed its waves, and the ring went on.");
	else if (!is_ring && !is_gpu && s->hang && s->hang->kind == BW_CRASH_TIMEOUT)
		bw_str_add(out, " What the driver did then is not in the log.");
	if (s->first[BW_CRASH_VRAM_LOST])
		bw_str_add(out,
			   " All contents of VRAM were lost: other programs may have failed, too.");
	if (s->first[BW_CRASH_WEDGED] &&
	    bw_starts_with(s->first[BW_CRASH_WEDGED]->detail, "needs recovery"))
		bw_str_add(out, " The kernel calls the device wedged.");
	if (s->first[BW_CRASH_UNPLUGGED])
		bw_str_add(out, " The device is gone: it was unplugged, or lost from the bus.");
}

/* ---- what to look at ---- */

static void add_next(const struct bw_crash_story *s, struct bw_str *out)
{
	const struct bw_crash_fault *f = s->fault;
	int vmid = f ? bw_crash_fault_vmid(f) : -1;
	if (s->n[BW_CRASH_CORRECTED] == s->n_items)
		return;
	bw_str_add(out, "To look at next: ");
	if (s->first[BW_CRASH_HARDWARE_ERROR])
		bw_str_add(out,
			   "the error counters in /sys/class/drm/card*/device/ras, and whether "
			   "the same GPU reports more.\n");
	else if (s->first[BW_CRASH_COMMAND_ERROR])
		bw_str_add(out, "the command stream: \"breakwater crash\" with the devcoredump of "
				"that moment, or \"breakwater exec --breadcrumbs -- PROGRAM\".\n");
	else if (s->first[BW_CRASH_WAVE_ERROR] || (f && f->reporter == BW_GPUVM_RUNTIME) ||
		 s->first[BW_CRASH_RUNTIME_ERROR])
		bw_str_add(out, "\"breakwater run -- PROGRAM\" stops at the instruction and shows "
				"its lanes.\n");
	else if (f && f->reporter == BW_GPUVM_HUB && f->has_address && vmid >= 0)
		bw_str_addf(out,
			    "the fault below, and \"breakwater vm walk %d@0x%" PRIx64 "\"%s.\n",
			    vmid, f->address, vmid ? " while the program is still there" : "");
	else if (f)
		bw_str_add(out, "the fault below.\n");
	else if (s->first[BW_CRASH_DUMP])
		bw_str_add(out,
			   "the devcoredump, which the kernel keeps for five minutes: \"breakwater "
			   "crash /sys/class/drm/card*/device/devcoredump/data\".\n");
	else if (s->hang)
		bw_str_add(out, "\"breakwater exec --breadcrumbs -- PROGRAM\" names the dispatch "
				"that hangs.\n");
	else
		bw_str_add(out, "the lines before these in the kernel log, and which programs had "
				"queues then.\n");
}

/* ---- an incident, a log ---- */

/* Causes in the order in which they came. A command or a wave that the engine refused leads,
 * wherever its line is: the message comes when the driver looks. */
static void add_causes(const struct bw_crash_story *s, struct bw_str *out)
{
	if (s->first[BW_CRASH_HARDWARE_ERROR])
		add_hardware(s, out);
	if (s->first[BW_CRASH_COMMAND_ERROR])
		add_command_error(s, out);
	if (s->first[BW_CRASH_WAVE_ERROR])
		add_wave_error(s, out);
	if (s->fault)
		add_first_fault(s, out);
	if (s->first[BW_CRASH_RUNTIME_ERROR])
		add_runtime_error(s, out);
}

static void add_hangs(const struct bw_crash_story *s, struct bw_str *out)
{
	enum { MAX_SAID = 3 };
	unsigned n = 0;
	for (size_t i = 0; i < s->n_items; i++) {
		const struct bw_crash_event *e = bw_crash_event_of(s->log, &s->items[i]);
		if (!e || (e->kind != BW_CRASH_TIMEOUT && e->kind != BW_CRASH_SOFT_RECOVERED))
			continue;
		/* its timeout was told */
		if (e->kind == BW_CRASH_SOFT_RECOVERED && s->first[BW_CRASH_TIMEOUT])
			continue;
		if (n++ < MAX_SAID) {
			bw_str_add(out, n > 1 ? " " : "");
			add_hang(e, out);
		}
	}
	if (n > MAX_SAID)
		bw_str_addf(out, " %u more timeouts follow.", n - MAX_SAID);
}

static bool follows_reset(const struct bw_crash_story *s, const struct bw_crash_fault *f)
{
	static const enum bw_crash_event_kind resets[] = {
		BW_CRASH_RING_RESET, BW_CRASH_RING_RESET_DONE, BW_CRASH_RESET_BEGIN,
		BW_CRASH_RESET_DONE};
	for (size_t i = 0; i < BW_ARRAY_SIZE(resets); i++)
		if (s->first[resets[i]] && s->first[resets[i]]->when.order < f->when.order)
			return true;
	return false;
}

static void add_late_fault(const struct bw_crash_story *s, struct bw_str *out)
{
	if (!s->late)
		return;
	bool of_reset = bw_crash_fault_vmid(s->late) == 0 && follows_reset(s, s->late);
	add_fault(s, s->late, out);
	bw_str_addf(out, " It came after %s%s.\n",
		    s->hang ? "the timeout"
		    : bw_crash_turn_of(s)->kind == BW_CRASH_NO_ANSWER
			    ? "the scheduler had stopped answering"
			    : "the reset began",
		    of_reset ? ", and is a consequence of the reset, not the cause"
			     : ": it is hardly the cause");
}

/* Names the parts that only notice a failure, if no message has its cause. */
static void add_onlookers(const struct bw_crash_story *s, struct bw_str *out)
{
	bool is_known = s->fault || s->first[BW_CRASH_NO_ANSWER] ||
			s->first[BW_CRASH_RESET_BEGIN] || s->first[BW_CRASH_HARDWARE_ERROR] ||
			s->first[BW_CRASH_NO_SMU];
	if (s->first[BW_CRASH_DISPLAY] && !is_known)
		bw_str_add(out, "The display waited for a picture that did not come in time: a job "
				"that was to draw it did not end, or the display engine itself "
				"stopped. Which, these lines do not say.\n");
	if (s->first[BW_CRASH_CONTEXT_LOST] && !is_known)
		bw_str_add(out, "A program went on submitting after a reset that had taken its "
				"context (-ECANCELED): the reset came earlier, and is not in these "
				"lines.\n");
}

static void add_incident(const struct bw_crash_story *s, struct bw_str *out)
{
	struct bw_str driver = {0};
	add_causes(s, out);
	if (s->first[BW_CRASH_NO_ANSWER] && !s->hang)
		add_scheduler(s, out);
	if (s->first[BW_CRASH_NO_SMU] &&
	    (!s->hang || s->first[BW_CRASH_NO_SMU]->when.order < s->hang->when.order))
		bw_str_addf(out,
			    "The firmware that manages power (SMU) did not answer%s: the GPU "
			    "may have stopped as a whole.\n",
			    s->hang ? ", and that came before the timeout" : "");
	size_t before = out->len;
	if (s->hang)
		add_hangs(s, out);
	if (!s->hang)
		add_onlookers(s, out);
	if (s->first[BW_CRASH_CORRECTED] && !s->first[BW_CRASH_HARDWARE_ERROR])
		bw_str_addf(out,
			    "The hardware reported %" PRIu64
			    " error%s, all of them corrected: they "
			    "did no harm.\n",
			    s->first[BW_CRASH_CORRECTED]->number,
			    s->first[BW_CRASH_CORRECTED]->number == 1 ? "" : "s");
	if (!s->hang)
		add_relation(s, out);
	add_driver(s, &driver);
	/* on the line of the hang, or on its own */
	bool is_line = s->hang && out->len > before;
	if (driver.len)
		bw_str_add(out, bw_str_text(&driver) + !is_line);
	bw_str_add(out, is_line || driver.len ? "\n" : "");
	bw_str_free(&driver);
	if (s->hang)
		add_relation(s, out);
	add_late_fault(s, out);
}

/* Whether there is anything to say of it: a mark of a dump alone says nothing. */
static bool is_told(const struct bw_crash_story *s)
{
	struct bw_str text = {0};
	add_incident(s, &text);
	bool told = text.len > 0;
	bw_str_free(&text);
	return told;
}

struct place {
	unsigned file, boot;
};

static struct place place_of(const struct bw_crash_incidents *in, size_t i)
{
	const struct bw_crash_item *item = &in->items.data[in->list.data[i].first];
	return (struct place){item->when.file, item->when.boot};
}

/* The incidents of one boot, from..to. */
struct boot {
	const struct bw_crash_incidents *in;
	size_t from, to;
	bool is_last;
};

/* The first incidents of a boot in words. */
static void tell_boot(const struct bw_crash *c, const struct bw_gpuvm_part *part,
		      const struct boot *b, struct bw_str *out)
{
	enum { MAX_SAID = 4 };
	size_t n = 0;
	for (size_t i = b->from; i < b->to; i++) {
		struct bw_crash_story s = bw_crash_story_of(c, part, b->in, &b->in->list.data[i]);
		if (!is_told(&s) || n++ >= MAX_SAID)
			continue;
		if (n == 1 && !b->is_last)
			bw_str_add(out, "In an earlier boot of the machine: ");
		if (b->in->n_devices > 1 && *s.items[0].device)
			bw_str_addf(out, "GPU %s: ", s.items[0].device);
		add_incident(&s, out);
		if (n == 1 && b->is_last)
			add_next(&s, out);
	}
	if (n > MAX_SAID)
		bw_str_addf(out, "%zu more incidents follow.\n", n - MAX_SAID);
}

void bw_crash_tell_log(const struct bw_crash *c, const struct bw_gpuvm_part *part,
		       struct bw_str *out)
{
	struct bw_crash_incidents in;
	bw_crash_incidents_of(&c->log, &in);
	for (size_t from = 0, to; from < in.list.len; from = to) {
		unsigned file = place_of(&in, from).file;
		for (to = from; to < in.list.len && place_of(&in, to).file == file; to++)
			;
		/* The last boot first. */
		for (size_t end = to, begin; end > from; end = begin) {
			unsigned boot = place_of(&in, end - 1).boot;
			for (begin = end; begin > from && place_of(&in, begin - 1).boot == boot;)
				begin--;
			tell_boot(c, part, &(struct boot){&in, begin, end, end == to}, out);
		}
	}
	bw_crash_incidents_free(&in);
}
