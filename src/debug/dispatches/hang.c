// SPDX-License-Identifier: MIT
/* break-on hang: a submission that takes longer than the user allows is stopped. Time counts from
 * when it is at the head of its queue, and not while everything is stopped. */
#include "debug/dispatches/dispatches_priv.h"

#include <time.h>

uint64_t bw_debug_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void bw_hang_restart(struct bw_debug *d)
{
	uint64_t now = bw_debug_now_ms();
	bw_vec_each(&d->dispatches->all, x)
		x->first_since_ms = x->first_since_ms ? now : 0;
}

/* Whether a dispatch before x in its queue still runs. */
static bool has_to_wait(const struct bw_debug *d, const struct bw_dispatch_record *x)
{
	for (const struct bw_dispatch_record *o = d->dispatches->all.data; o < x; o++)
		if (o->info.queue == x->info.queue && o->info.state == BW_DISPATCH_RUNNING &&
		    o->info.submission != x->info.submission)
			return true;
	return false;
}

int bw_hang_limit(struct bw_debug *d, int timeout_ms)
{
	uint64_t limit = d->settings.hang_ms, now = bw_debug_now_ms();
	if (!limit)
		return timeout_ms;
	bw_vec_each(&d->dispatches->all, x) {
		if (x->info.state != BW_DISPATCH_RUNNING || has_to_wait(d, x))
			continue;
		if (!x->first_since_ms)
			x->first_since_ms = now;
		uint64_t end = x->first_since_ms + limit;
		int left = end > now ? (int)BW_MIN(end - now, (uint64_t)INT32_MAX) : 0;
		timeout_ms = timeout_ms < 0 ? left : BW_MIN(timeout_ms, left);
	}
	/* so that new submissions are noticed soon enough */
	int often = (int)BW_MIN(limit, (uint64_t)100);
	return timeout_ms < 0 ? often : BW_MIN(timeout_ms, often);
}

static struct bw_dispatch_record *found(struct bw_debug *d)
{
	uint64_t limit = d->settings.hang_ms, now = bw_debug_now_ms();
	if (!limit)
		return NULL;
	bw_vec_each(&d->dispatches->all, x)
		if (x->info.state == BW_DISPATCH_RUNNING && x->first_since_ms &&
		    now - x->first_since_ms >= limit && !has_to_wait(d, x))
			return x;
	return NULL;
}

/* The last running dispatch in the submission of x. It is not known which of the dispatches in
 * between hangs. */
static const struct bw_dispatch_record *last_beside(const struct bw_debug *d,
						    const struct bw_dispatch_record *x)
{
	const struct bw_dispatch_record *last = x;
	bw_vec_each(&d->dispatches->all, o)
		if (o > x && o->info.queue == x->info.queue &&
		    o->info.submission == x->info.submission &&
		    o->info.state == BW_DISPATCH_RUNNING)
			last = o;
	return last;
}

/* Each command that waits has the whole limit. If the same dispatch still runs, the message has
 * other words, because users look for the first message. */
bool bw_hang_is_over(struct bw_debug *d)
{
	struct bw_dispatch_record *x = found(d);
	if (!x)
		return false;
	const struct bw_dispatch_record *last = last_beside(d, x);
	bool was_told = x->hang_was_told;
	unsigned long long ms = d->settings.hang_ms;
	x->hang_was_told = true;
	if (last == x)
		bw_debug_note(
			d, BW_NOTICE_WARNING,
			was_told
				? "dispatch %u (%s) still has not ended after another %llu ms"
				: "dispatch %u (%s) has been running for %llu ms, which is taken for a hang",
			x->info.number, x->info.kernel_title, ms);
	else
		bw_debug_note(
			d, BW_NOTICE_WARNING,
			was_told
				? "submission %u (dispatches %u to %u) still has not ended after another %llu ms"
				: "submission %u (dispatches %u to %u) has been running for %llu ms, which is taken for a hang",
			x->info.submission, x->info.number, last->info.number, ms);
	return true;
}
