/* SPDX-License-Identifier: MIT */
/* Work that waits for the GPU because that of another process holds it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/shown.h"
#include "base/util.h"
#include "base/wait.h"
#include "kmd/kmd_priv.h"

static bool parse_line(const char *line, struct bw_kmd_wait *out)
{
	int waiter, holder, at = 0;
	unsigned ms, n_waves;
	char state;
	if (sscanf(line, "%d %u %d %u %c %n", &waiter, &ms, &holder, &n_waves, &state, &at) != 5 ||
	    !at || waiter <= 0 || holder <= 0)
		return false;
	*out = (struct bw_kmd_wait){.waiter = waiter,
				    .holder = holder,
				    .waited_ms = ms,
				    .n_waves = n_waves,
				    .is_stopped = state == 's'};
	snprintf(out->holder_comm, sizeof(out->holder_comm), "%.*s", (int)strcspn(line + at, "\n"),
		 line + at);
	return true;
}

void bw_kmd_parse_waits(const char *text, bw_kmd_wanted_fn *wanted, void *cookie,
			struct bw_kmd_wait *out)
{
	*out = (struct bw_kmd_wait){0};
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += !!*line) {
		struct bw_kmd_wait w;
		if (!parse_line(line, &w) || !wanted(cookie, w.waiter))
			continue;
		if (!out->waiter || (out->waiter != w.waiter && w.waited_ms > out->waited_ms)) {
			*out = w;
		} else if (out->waiter == w.waiter && out->holder != w.holder) {
			w.n_others = out->n_others + 1;
			w.waited_ms = BW_MAX(w.waited_ms, out->waited_ms);
			if (w.n_waves > out->n_waves)
				*out = w;
			out->n_others = w.n_others;
			out->waited_ms = w.waited_ms;
		}
	}
}

struct bw_error *bw_kmd_find_wait(struct bw_kmd *kmd, bw_kmd_wanted_fn *wanted, void *cookie,
				  struct bw_kmd_wait *out)
{
	struct bw_str text = {0};
	*out = (struct bw_kmd_wait){0};
	if (!kmd->ops->is_virtual)
		return NULL;
	struct bw_error *err = bw_kmd_text(kmd, "breakwater_waits", &text);
	if (!err)
		bw_kmd_parse_waits(bw_str_text(&text), wanted, cookie, out);
	bw_str_free(&text);
	return err;
}

static void say(const struct bw_kmd_wait *w, char *out, size_t size_b)
{
	char others[48] = "", holder[64];
	int pid = w->holder;
	if (w->n_others)
		snprintf(others, sizeof(others), " and %u other%s", w->n_others,
			 w->n_others == 1 ? "" : "s");
	snprintf(holder, sizeof(holder), "process %d (%.40s)", pid, bw_shown(w->holder_comm).text);
	if (!w->n_waves)
		snprintf(out, size_b,
			 "Process %d waits for the GPU: commands of %s%s are ahead in the queue. "
			 "Wait for their end, look at them (\"breakwater attach %d\"), or end that "
			 "process (\"kill %d\"); Ctrl-C ends this wait",
			 (int)w->waiter, holder, others, pid, pid);
	else if (w->is_stopped)
		snprintf(out, size_b,
			 "Process %d waits for the GPU: %u waves of %s%s fill it, stopped in a "
			 "debugger. Continue or end them there, or end that process (\"kill %d\"); "
			 "Ctrl-C ends this wait",
			 (int)w->waiter, w->n_waves, holder, others, pid);
	else
		snprintf(out, size_b,
			 "Process %d waits for the GPU: %u waves of %s%s fill it. Wait for their "
			 "end, look at them (\"breakwater attach %d\"), or end that process "
			 "(\"kill %d\"); Ctrl-C ends this wait",
			 (int)w->waiter, w->n_waves, holder, others, pid, pid);
}

bool bw_kmd_watch_waits(struct bw_kmd *kmd, struct bw_kmd_wait_watch *w, bw_kmd_wanted_fn *wanted,
			void *cookie, char *out, size_t size_b)
{
	enum { LOOK_MS = 1000, PATIENCE_MS = 2000 };
	struct timespec t;
	struct bw_kmd_wait wait;
	clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t now_ms = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	if (w->looked_ms && now_ms - w->looked_ms < LOOK_MS)
		return false;
	bool is_first = !w->looked_ms;
	w->looked_ms = now_ms;
	/* a job that was submitted just now does not wait for long; and a stopped server does not
	 * answer, which is reported elsewhere */
	if (is_first || !kmd->ops->is_virtual || bw_process_state(bw_kmd_server_pid(kmd)) == 'T')
		return false;
	struct bw_error *err = bw_kmd_find_wait(kmd, wanted, cookie, &wait);
	if (err) { /* the GPU has gone: who waits for it says so */
		bw_error_free(err);
		return false;
	}
	if (!wait.waiter)
		w->told_holder = 0;
	if (!wait.waiter || wait.waited_ms < PATIENCE_MS ||
	    (w->told_holder == wait.holder && w->told_stopped == wait.is_stopped))
		return false;
	w->told_holder = wait.holder;
	w->told_stopped = wait.is_stopped;
	say(&wait, out, size_b);
	return true;
}
