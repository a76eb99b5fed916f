// SPDX-License-Identifier: MIT
/* break-on hang: a submission that takes longer than the user allows is stopped, and so is a
 * program whose AQL queue stands so long at a packet that is not a dispatch, such as a barrier.
 * Time counts from when it is at the head of its queue, and not while everything is stopped. */
#include "debug/dispatches/dispatches_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "debug/queues.h"

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
	bw_vec_each(&d->dispatches->standing, q)
		q->since_ms = now;
}

/* Whether a dispatch before x in its queue still runs, or the queue stands at a packet before x. */
static bool has_to_wait(const struct bw_debug *d, const struct bw_dispatch_record *x)
{
	bw_vec_each(&d->dispatches->standing, q)
		if (q->number == x->info.queue)
			return true;
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
		if (x->info.state != BW_DISPATCH_RUNNING)
			continue;
		if (has_to_wait(d, x)) {
			x->first_since_ms = 0;
			continue;
		}
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

/* ---- queues ---- */

static bool stands(const struct bw_queue_info *q)
{
	const struct bw_aql_state *s = &q->state;
	return s->is_known && s->read < s->write && s->has_first &&
	       s->first.type != BW_AQL_DISPATCH;
}

static const struct bw_standing_queue *before(const struct bw_debug *d, uint32_t number,
					      uint64_t packet)
{
	bw_vec_each(&d->dispatches->standing, q)
		if (q->number == number && q->packet == packet)
			return q;
	return NULL;
}

/* Reads where the queues stand; those that stand where they stood keep their time. */
static struct bw_error *look_at_queues(struct bw_debug *d, uint64_t now)
{
	__auto_type x = d->dispatches;
	_cleanup_free_ struct bw_queue_info *all = NULL;
	size_t n, n_before = x->standing.len;
	BW_TRY(bw_debug_queues(d, &all, &n));
	for (size_t i = 0; i < n; i++) {
		uint32_t number = all[i].queue.number;
		const struct bw_standing_queue *old = before(d, number, all[i].state.read);
		struct bw_standing_queue one = {number, all[i].state.read, now, false};
		if (old)
			one = *old;
		if (stands(&all[i]))
			BW_TRY(bw_vec_push(&x->standing, one));
	}
	for (size_t i = 0; i < n_before; i++)
		bw_vec_remove(&x->standing, 0);
	return NULL;
}

/* The queue that has stood too long at a packet; NULL: none has. */
static struct bw_standing_queue *found_queue(struct bw_debug *d)
{
	enum { PAUSE_MS = 50 }; /* each look asks the program's agent */
	uint64_t limit = d->settings.hang_ms, now = bw_debug_now_ms();
	struct bw_error *err = NULL;
	if (limit && now - d->dispatches->looked_ms >= PAUSE_MS) {
		d->dispatches->looked_ms = now;
		err = look_at_queues(d, now);
	}
	bool can_tell = limit && !err;
	bw_error_free(err); /* the program is ending, or it has no queues */
	bw_vec_each(&d->dispatches->standing, q)
		if (can_tell && now - q->since_ms >= limit)
			return q;
	return NULL;
}

/* q: NULL, or one that has stood too long. */
static bool tell_queue(struct bw_debug *d, struct bw_standing_queue *q)
{
	if (!q)
		return false;
	bw_debug_note(d, BW_NOTICE_WARNING,
		      q->was_told ? "queue %u still stands at packet %" PRIu64
				    " after another %llu ms"
				  : "queue %u has stood at packet %" PRIu64
				    " for %llu ms, which is taken for a hang",
		      q->number, q->packet, (unsigned long long)d->settings.hang_ms);
	q->was_told = true;
	return true;
}

/* ---- both ---- */

/* Each command that waits has the whole limit. If the same dispatch still runs, the message has
 * other words, because users look for the first message. */
bool bw_hang_is_over(struct bw_debug *d)
{
	struct bw_standing_queue *q = found_queue(d);
	struct bw_dispatch_record *x = found(d);
	if (!x)
		return tell_queue(d, q);
	const struct bw_dispatch_record *last = last_beside(d, x);
	bool was_told = x->hang_was_told;
	unsigned long long ms = d->settings.hang_ms;
	char words[48], last_words[48];
	bw_dispatch_words(&x->info, words);
	bw_dispatch_words(&last->info, last_words);
	x->hang_was_told = true;
	if (last != x && (x->info.draw || last->info.draw))
		bw_debug_note(
			d, BW_NOTICE_WARNING,
			was_told
				? "submission %u (%s to %s) still has not ended after another %llu ms"
				: "submission %u (%s to %s) has been running for %llu ms, which is taken for a hang",
			x->info.submission, words, last_words, ms);
	else if (last == x)
		bw_debug_note(
			d, BW_NOTICE_WARNING,
			was_told
				? "%s (%s) still has not ended after another %llu ms"
				: "%s (%s) has been running for %llu ms, which is taken for a hang",
			words, x->info.kernel_title, ms);
	else
		bw_debug_note(
			d, BW_NOTICE_WARNING,
			was_told
				? "submission %u (dispatches %u to %u) still has not ended after another %llu ms"
				: "submission %u (dispatches %u to %u) has been running for %llu ms, which is taken for a hang",
			x->info.submission, x->info.number, last->info.number, ms);
	return true;
}
