/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/jobs.h"

#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/check/check_priv.h"
#include "vgpu/device/exec/check/writers_priv.h"
#include "wire/checks.h"

static void raise(uint64_t to[BW_CHECK_LINES], const uint64_t from[BW_CHECK_LINES])
{
	for (unsigned i = 0; i < BW_CHECK_LINES; i++)
		to[i] = BW_MAX(to[i], from[i]);
}

/* ---- rings of the driver ---- */

void bw_check_ring(struct bw_check *c, unsigned ring, struct bw_check_engine e,
		   const uint64_t *fence)
{
	if (!c || ring >= BW_CHECK_RINGS)
		return;
	pthread_mutex_lock(&c->lock);
	c->jobs.line[ring].engine = e;
	c->jobs.line[ring].fence = fence;
	pthread_mutex_unlock(&c->lock);
}

void bw_check_job(struct bw_check *c, struct bw_check_job job, const uint64_t after[BW_CHECK_RINGS])
{
	if (!c || job.line >= BW_CHECK_RINGS)
		return;
	pthread_mutex_lock(&c->lock);
	struct bw_jobs_line *l = &c->jobs.line[job.line];
	struct bw_jobs_after *a = &l->after[job.seq % BW_ARRAY_SIZE(l->after)];
	a->seq = job.seq;
	for (unsigned i = 0; i < BW_CHECK_LINES; i++)
		a->of[i] = i < BW_CHECK_RINGS ? BW_MAX(after[i], l->known[i]) : UINT64_MAX;
	pthread_mutex_unlock(&c->lock);
}

static bool is_same(const struct bw_check_engine *a, const struct bw_check_engine *b)
{
	return a->is_ring && b->is_ring && a->is_sdma == b->is_sdma && a->me == b->me &&
	       a->pipe == b->pipe;
}

struct bw_check_job bw_jobs_now(const struct bw_check *c, const struct bw_check_engine *e)
{
	for (uint32_t i = 0; i < BW_CHECK_RINGS; i++) {
		const struct bw_jobs_line *l = &c->jobs.line[i];
		if (!l->fence || !is_same(&l->engine, e))
			continue;
		/* They run one after the other. */
		uint64_t seq = __atomic_load_n(l->fence, __ATOMIC_ACQUIRE) + 1;
		const struct bw_jobs_after *a = &l->after[seq % BW_ARRAY_SIZE(l->after)];
		return (struct bw_check_job){i, a->seq == seq ? seq : 0};
	}
	return (struct bw_check_job){0};
}

/* ---- jobs ---- */

uint64_t *bw_jobs_after(struct bw_check *c, const struct bw_check_job *job)
{
	struct bw_jobs_line *l = &c->jobs.line[job->line];
	struct bw_jobs_after *a = &l->after[job->seq % BW_ARRAY_SIZE(l->after)];
	return job->seq && a->seq == job->seq ? a->of : NULL;
}

void bw_jobs_learn(struct bw_check *c, const struct bw_check_job *job,
		   const uint64_t of[BW_CHECK_LINES])
{
	struct bw_jobs_line *l = &c->jobs.line[job->line];
	if (!job->seq)
		return;
	raise(l->known, of);
	/* The driver may have told of the next submissions already. */
	for (unsigned i = 0; job->line < BW_CHECK_RINGS && i < BW_ARRAY_SIZE(l->after); i++)
		if (l->after[i].seq > job->seq)
			raise(l->after[i].of, of);
}

bool bw_jobs_begin(struct bw_check *c, const struct bw_check_job *job, const uint64_t *after)
{
	bool meets = false;
	c->jobs.seen[job->line] = BW_MAX(c->jobs.seen[job->line], job->seq);
	for (uint32_t i = 0; i < BW_CHECK_LINES; i++)
		meets |= i != job->line && c->jobs.seen[i] > after[i];
	return meets;
}

/* Two jobs of different lines, of which neither has to end before the other begins. Drivers of
 * other APIs than Vulkan may order theirs by ways that submissions do not show. */
static bool are_in_no_order(const struct bw_check_now *n, const struct bw_check_job *then)
{
	const struct bw_check_job *now = &n->act.job;
	return n->after && now->seq && then->seq && then->line != now->line &&
	       (n->is_explicit || bw_jobs_is_of_program(now)) && then->seq > n->after[then->line];
}

/* Of a stretch: which of two packets, or of a packet and a dispatch, the driver orders itself is
 * not known of all APIs. */
bool bw_jobs_are_unordered(const struct bw_check_now *now, const struct bw_check_act *then,
			   enum bw_check_relation *out)
{
	*out = BW_CHECK_QUEUES;
	if (are_in_no_order(now, &then->job))
		return true;
	if (!then->stretch || then->stretch != now->act.stretch)
		return false;
	*out = then->dispatch && now->act.dispatch ? BW_CHECK_DISPATCHES : BW_CHECK_TRANSFER;
	return then->dispatch ? then->dispatch != now->act.dispatch : now->is_explicit;
}

/* ---- queues of programs ---- */

/* Locks the checker; NULL: there is no such line, and nothing is locked. */
static struct bw_jobs_line *lock(struct bw_check *c, uint32_t line)
{
	if (!c || line < BW_CHECK_RINGS || line >= BW_CHECK_LINES)
		return NULL;
	pthread_mutex_lock(&c->lock);
	return &c->jobs.line[line];
}

uint32_t bw_check_line_start(struct bw_check *c, uint32_t line, uint64_t at)
{
	if (!c || !(c->what & BW_CHECK_RACES))
		return BW_CHECK_NO_LINE;
	pthread_mutex_lock(&c->lock);
	struct bw_jobs *j = &c->jobs;
	j->n_lines = BW_MAX(j->n_lines, (uint32_t)BW_CHECK_RINGS);
	if (line == BW_CHECK_NO_LINE && j->n_lines < BW_CHECK_LINES)
		line = j->n_lines++;
	if (line != BW_CHECK_NO_LINE) {
		/* What the queue was before has ended. Positions are as large as programs like. */
		struct bw_jobs_line *l = &j->line[line];
		j->ended[line] = l->submitted = j->begun[line];
		l->base = j->begun[line] - at;
		l->n_batches = 0;
	}
	pthread_mutex_unlock(&c->lock);
	return line;
}

/* Where there is no room for one more batch, the packets count as submitted later than they
 * were. */
void bw_check_line_submitted(struct bw_check *c, uint32_t line, uint64_t at)
{
	struct bw_jobs_line *l = lock(c, line);
	if (!l)
		return;
	const uint64_t last = l->base + at;
	if (last > l->submitted) {
		unsigned i = BW_MIN(l->n_batches, (unsigned)BW_ARRAY_SIZE(l->batch) - 1);
		l->submitted = l->batch[i].last = last;
		memcpy(l->batch[i].ended, c->jobs.ended, sizeof(l->batch[i].ended));
		l->n_batches = i + 1;
	}
	pthread_mutex_unlock(&c->lock);
}

struct bw_check_job bw_check_packet_begin(struct bw_check *c, uint32_t line, uint64_t at)
{
	struct bw_jobs_line *l = lock(c, line);
	if (!l)
		return (struct bw_check_job){0};
	const struct bw_check_job job = {line, l->base + at + 1};
	unsigned past = 0;
	while (past < l->n_batches && l->batch[past].last < job.seq)
		past++;
	l->n_batches -= past;
	memmove(&l->batch[0], &l->batch[past], l->n_batches * sizeof(l->batch[0]));
	raise(l->known, l->n_batches ? l->batch[0].ended : c->jobs.ended);
	struct bw_jobs_after *a = &l->after[job.seq % BW_ARRAY_SIZE(l->after)];
	a->seq = job.seq;
	for (unsigned i = 0; i < BW_CHECK_LINES; i++)
		a->of[i] = i < BW_CHECK_RINGS ? UINT64_MAX : l->known[i];
	c->jobs.begun[line] = BW_MAX(c->jobs.begun[line], job.seq);
	pthread_mutex_unlock(&c->lock);
	return job;
}

void bw_check_packets_ended(struct bw_check *c, uint32_t line, uint64_t at)
{
	struct bw_jobs_line *l = lock(c, line);
	if (!l)
		return;
	c->jobs.ended[line] = BW_MAX(c->jobs.ended[line], l->base + at);
	pthread_mutex_unlock(&c->lock);
}

void bw_check_line_learns(struct bw_check *c, uint32_t line, bool begun)
{
	struct bw_jobs_line *l = lock(c, line);
	if (!l)
		return;
	raise(l->known, begun ? c->jobs.begun : c->jobs.ended);
	pthread_mutex_unlock(&c->lock);
}

/* ---- signals ---- */

/* The signal's entry, or the one that it would have: of those that are near, the oldest goes. */
static struct bw_jobs_signal *find_signal(struct bw_jobs *j, const void *host)
{
	enum { NEAR = 8 };
	const size_t at = (size_t)(((uintptr_t)host * 0x9e3779b97f4a7c15) >> 32);
	struct bw_jobs_signal *oldest = NULL;
	for (size_t i = 0; i < NEAR; i++) {
		struct bw_jobs_signal *s = &j->signal[(at + i) % BW_ARRAY_SIZE(j->signal)];
		if (s->host == host)
			return s;
		if (!oldest || s->used < oldest->used)
			oldest = s;
	}
	return oldest;
}

void bw_check_signalled(struct bw_check *c, struct bw_check_job job, const void *signal,
			bool is_sole)
{
	if (!job.seq || !lock(c, job.line))
		return;
	struct bw_jobs *j = &c->jobs;
	struct bw_jobs_signal *s = find_signal(j, signal);
	if (s->host != signal)
		*s = (struct bw_jobs_signal){.host = signal};
	s->used = ++j->n_used;
	s->n++;
	const uint64_t *after = bw_jobs_after(c, &job);
	raise(s->of, after && is_sole ? after : j->ended);
	if (after)
		raise(s->of, after);
	raise(s->of, j->line[job.line].known); /* with what its waves have met */
	for (unsigned i = 0; i < BW_CHECK_RINGS; i++)
		s->of[i] = 0;
	s->of[job.line] = BW_MAX(s->of[job.line], job.seq);
	pthread_mutex_unlock(&c->lock);
}

/* Whether a wave has written the signal last. */
static bool is_written_by_wave(const struct bw_check *c, const uint8_t *host)
{
	const struct bw_shadow_page *page = bw_shadow_find(&c->writers.shadow, (uintptr_t)host);
	if (!page)
		return false;
	const struct bw_shadow_cell cell = bw_shadow_get(page, bw_shadow_index(host));
	const struct bw_writer_word w = bw_writer_unpack(bw_writers_last(&cell));
	const struct bw_writers_run *r = w.mask ? bw_writers_run_of(&c->writers, w.number) : NULL;
	return w.mask && !(r && r->transfer);
}

/* If the signal was open at the first look, and a job has changed it since, that was it. Else the
 * program may have done so, which can know of all that has ended; or a wave, which may have met any
 * other one. */
void bw_check_waits(struct bw_check *c, uint32_t line, struct bw_check_wait *w, const void *signal,
		    bool holds)
{
	struct bw_jobs_line *l = lock(c, line);
	if (!l)
		return;
	struct bw_jobs *j = &c->jobs;
	struct bw_jobs_signal *s = find_signal(j, signal);
	const uint64_t n = s->host == signal ? s->n : 0;
	if (!w->has_begun)
		*w = (struct bw_check_wait){true, !holds, n};
	w->was_seen &= holds;
	if (holds && s->host == signal) {
		s->used = ++j->n_used;
		raise(l->known, s->of);
	}
	if (holds && !(w->is_open && n > w->n))
		raise(l->known, is_written_by_wave(c, signal) ? j->begun
				: w->was_seen		      ? w->ended
							      : j->ended);
	pthread_mutex_unlock(&c->lock);
}

void bw_check_wait_holds(struct bw_check *c, struct bw_check_wait *w)
{
	if (w->was_seen)
		return;
	pthread_mutex_lock(&c->lock);
	w->was_seen = true;
	memcpy(w->ended, c->jobs.ended, sizeof(w->ended));
	pthread_mutex_unlock(&c->lock);
}
