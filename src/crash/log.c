/* SPDX-License-Identifier: MIT */
#include "crash/log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/ip_version.h"
#include "base/util.h"
#include "crash/log_priv.h"

/* ---- reading words ---- */

bool bw_crash_same_device(const char *a, const char *b)
{
	return !*a || !*b || !strcmp(a, b);
}

/* Split from the right, since names may hold spaces. */
bool bw_crash_read_process(const char *line, char process[64], int64_t *pid, char thread[64],
			   int64_t *tid)
{
	enum { NAME_B = 64 };
	const char *p = strstr(line, "rocess "), *thread_at = NULL, *pid_at = NULL;
	if (!p)
		return false;
	p += strlen("rocess ");
	if (bw_starts_with(p, "information: process "))
		p += strlen("information: process ");
	/* " pid N" right after it: the name is empty */
	p -= bw_starts_with(p, "pid ");
	for (const char *t = p; (t = strstr(t, " thread ")); t++)
		thread_at = t;
	for (const char *t = p; (t = strstr(t, " pid ")) && (!thread_at || t < thread_at); t++)
		pid_at = t;
	if (!pid_at)
		return false;
	int64_t n = strtoll(pid_at + strlen(" pid "), NULL, 10);
	if (n <= 0 && pid_at == p)
		return false;
	bw_crash_copy(process, NAME_B, p, (size_t)(pid_at - p));
	*pid = n;
	thread[0] = '\0';
	*tid = 0;
	if (thread_at) {
		const char *name = thread_at + strlen(" thread "), *end = NULL;
		for (const char *t = name - 1; (t = strstr(t, " pid ")); t++)
			end = t;
		if (end) {
			bw_crash_copy(thread, NAME_B, name, end > name ? (size_t)(end - name) : 0);
			*tid = strtoll(end + strlen(" pid "), NULL, 10);
		}
	}
	return true;
}

/* "gfx_v11_0_3", as the driver names its blocks when it starts. */
static void find_version(struct bw_crash_log *log, const char *line)
{
	const char *p = bw_crash_after(line, "gfx_v");
	uint64_t major, minor, rev = 0;
	if (!p || log->gc || !bw_crash_number(&p, 10, &major) || *p++ != '_' ||
	    !bw_crash_number(&p, 10, &minor))
		return;
	if (*p == '_') {
		p++;
		if (!bw_crash_number(&p, 10, &rev))
			rev = 0;
	}
	if (major >= 9 && major <= 12 && minor < 100 && rev < 100)
		log->gc = BW_IP_VERSION(major, minor, rev);
}

/* ---- which lines are kept ---- */

static bool names_process(const char *line)
{
	return strstr(line, "rocess ") && strstr(line, " pid ") && strstr(line, " thread ");
}

static enum bw_crash_use classify(const char *line)
{
	static const char *const drivers[] = {"amdgpu", "[drm",	 "drmn",
					      "radeon", "gmc_v", "sq_intr"};
	if (bw_crash_is_fault_line(line) || bw_crash_is_event_line(line) || names_process(line))
		return BW_CRASH_MESSAGE;
	for (size_t i = 0; i < BW_ARRAY_SIZE(drivers); i++)
		if (strstr(line, drivers[i]))
			return BW_CRASH_KEEP;
	return BW_CRASH_DROP;
}

static bool is_whole(const char *line)
{
	return bw_crash_is_fault_line(line) || bw_crash_is_whole_event(line) || names_process(line);
}

/* The order of the lines of a fault and of a timeout. */
static int rank_of(const char *line)
{
	static const struct {
		const char *words;
		int rank;
	} ranks[] = {{"page fault (src_id:", 1},
		     {"in page starting at", 3},
		     {" at page 0x", 3},
		     {"L2_PROTECTION_FAULT_STATUS", 4},
		     {"UTCL2 client ID", 5},
		     {"MORE_FAULTS:", 6},
		     {"WALKER_ERROR:", 7},
		     {"PERMISSION_FAULTS:", 8},
		     {"MAPPING_ERROR:", 9},
		     {"RW: 0x", 10},
		     {"timeout, signaled seq=", 20},
		     {"rocess ", 21},
		     {" ring reset", 22},
		     {"GPU reset begin", 30},
		     {"GPU reset succeeded, trying", 31},
		     {"GPU reset(", 32}};
	for (size_t i = 0; i < BW_ARRAY_SIZE(ranks); i++)
		if (strstr(line, ranks[i].words))
			return ranks[i].rank;
	return 0;
}

bool bw_crash_log_line(struct bw_crash_log *log, const char *text, size_t n, unsigned at)
{
	log->n_lines = at;
	return bw_crash_lines_add(&log->lines, text, n, at, classify);
}

/* ---- a file that has ended ---- */

/* The kernel's clock ran back: that is another boot, unless two CPUs disagree a little. */
static bool is_new_clock(struct bw_crash_time before, struct bw_crash_time now)
{
	const double slack_s = 5;
	double s;
	return now.clock == BW_CRASH_UPTIME && bw_crash_time_between(before, now, &s) &&
	       s < -slack_s;
}

static void understand(struct bw_crash_log *log, const struct bw_crash_line *line)
{
	struct bw_crash_entry e = {.line = bw_crash_lines_text(&log->lines, line),
				   .first = line->number,
				   .last = line->last};
	log->now.order++;
	log->now.time = line->time;
	bw_crash_find_device(e.line, e.device, sizeof(e.device));
	find_version(log, e.line);
	bool is_fault = bw_crash_read_fault(log, &e);
	/* A process in the line of a timeout is not the fault's. */
	if (!is_fault && !bw_crash_read_event(log, &e))
		bw_crash_read_fault_process(log, &e);
	else if (is_fault)
		bw_crash_read_fault_process(log, &e);
}

static void end_file(struct bw_crash_log *log)
{
	struct bw_crash_time before = {0};
	bool any = false; /* messages since the last mark of a boot */
	log->is_backwards |= bw_crash_lines_end(&log->lines, is_whole, rank_of);
	bw_vec_each(&log->lines.list, line) {
		/* A journal's mark and the kernel's first line are one boot. */
		if ((line->is_boot && any) || is_new_clock(before, line->time))
			log->now.boot++;
		any = !line->is_boot;
		if (line->is_boot)
			before = (struct bw_crash_time){0};
		if (line->time.clock == BW_CRASH_UPTIME)
			before = line->time;
		understand(log, line);
	}
	log->failed |= log->lines.failed;
	log->n_events_left_out += log->lines.n_left_out;
	bw_crash_lines_clear(&log->lines);
}

void bw_crash_log_next_file(struct bw_crash_log *log)
{
	end_file(log);
	log->first_fault = log->faults.len;
	log->first_event = log->events.len;
	log->now.file++;
	log->now.boot = 0;
}

void bw_crash_log_text(struct bw_crash_log *log, const char *text, size_t n)
{
	unsigned at = log->n_lines;
	for (size_t pos = 0; pos < n;) {
		const char *end = memchr(text + pos, '\n', n - pos);
		size_t len = end ? (size_t)(end - text) - pos : n - pos;
		bw_crash_log_line(log, text + pos, len, ++at);
		pos += len + 1;
	}
}

void bw_crash_log_end(struct bw_crash_log *log)
{
	end_file(log);
	bw_vec_each(&log->faults, f) {
		/* The comparison was made with the layout of the others. */
		if (f->has_gen && f->gen == BW_GPUVM_GFX12_1)
			f->contradicted = 0;
		if (f->has_status || !f->seen_fields)
			continue;
		f->has_status = f->status_is_rebuilt = true;
		if (f->has_first)
			f->status |=
				bw_gpuvm_status_put(BW_GPUVM_GFX11, BW_GPUVM_STATUS_VMID, f->vmid);
	}
}

void bw_crash_log_free(struct bw_crash_log *log)
{
	bw_vec_free(&log->faults);
	bw_vec_free(&log->events);
	bw_crash_lines_clear(&log->lines);
}

struct bw_gpuvm_fault_facts bw_crash_fault_facts(const struct bw_crash_log *log,
						 const struct bw_crash_fault *f,
						 const struct bw_gpuvm_part *part)
{
	struct bw_gpuvm_fault_facts facts = {
		.reporter = f->reporter,
		.hub = f->hub,
		.has_status = f->has_status,
		.status = f->status,
		.has_address = f->has_address,
		.address = f->address,
		.is_retry = f->is_retry,
		.is_write = f->is_write,
		.kernel_client = f->kernel_client[0] ? f->kernel_client : NULL,
		.reason = f->reason[0] ? f->reason : NULL,
		.process = f->has_process && (f->process[0] || f->pid) ? f->process : NULL,
		.pid = f->pid,
		.vmid = f->has_first ? (int)f->vmid : -1,
	};
	if (part)
		facts.part = *part;
	else if (log->gc && bw_gpuvm_gen_of(log->gc, &facts.part.gen))
		facts.part.gc = log->gc;
	else if (f->has_gen)
		facts.part =
			(struct bw_gpuvm_part){.gen = f->gen, .gc = bw_gpuvm_gen_first_gc(f->gen)},
		facts.is_guess = f->gen == BW_GPUVM_GFX11;
	else
		facts.any_generation = true, facts.part.gen = BW_GPUVM_GFX11;
	/* Fields were put together with the layout of gfx9 to gfx12.0. */
	if (f->status_is_rebuilt && facts.part.gen == BW_GPUVM_GFX12_1)
		facts.part.gen = BW_GPUVM_GFX12;
	return facts;
}
