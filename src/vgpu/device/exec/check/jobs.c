/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/jobs.h"

#include <string.h>

#include "base/util.h"
#include "vgpu/device/exec/check/check_priv.h"

void bw_check_ring(struct bw_check *c, unsigned ring, struct bw_check_engine e,
		   const uint64_t *fence)
{
	if (!c || ring >= BW_CHECK_RINGS)
		return;
	pthread_mutex_lock(&c->lock);
	c->jobs.ring[ring].engine = e;
	c->jobs.ring[ring].fence = fence;
	pthread_mutex_unlock(&c->lock);
}

void bw_check_job(struct bw_check *c, struct bw_check_job job, const uint64_t after[BW_CHECK_RINGS])
{
	if (!c || job.ring >= BW_CHECK_RINGS)
		return;
	pthread_mutex_lock(&c->lock);
	struct bw_jobs_ring *r = &c->jobs.ring[job.ring];
	struct bw_jobs_after *a = &r->after[job.seq % BW_ARRAY_SIZE(r->after)];
	a->seq = job.seq;
	memcpy(a->of, after, sizeof(a->of));
	pthread_mutex_unlock(&c->lock);
}

static bool is_same(const struct bw_check_engine *a, const struct bw_check_engine *b)
{
	return a->is_ring && b->is_ring && a->is_sdma == b->is_sdma && a->me == b->me &&
	       a->pipe == b->pipe;
}

const uint64_t *bw_jobs_now(const struct bw_check *c, const struct bw_check_engine *e,
			    struct bw_check_job *out)
{
	static const uint64_t none[BW_CHECK_RINGS];
	*out = (struct bw_check_job){0};
	for (uint32_t i = 0; i < BW_CHECK_RINGS; i++) {
		const struct bw_jobs_ring *r = &c->jobs.ring[i];
		if (!r->fence || !is_same(&r->engine, e))
			continue;
		/* They run one after the other. */
		uint64_t seq = __atomic_load_n(r->fence, __ATOMIC_ACQUIRE) + 1;
		const struct bw_jobs_after *a = &r->after[seq % BW_ARRAY_SIZE(r->after)];
		if (a->seq != seq)
			return none;
		*out = (struct bw_check_job){i, seq};
		return a->of;
	}
	return none;
}

bool bw_jobs_begin(struct bw_check *c, const struct bw_check_job *job, const uint64_t *after)
{
	bool meets = false;
	c->jobs.begun[job->ring] = BW_MAX(c->jobs.begun[job->ring], job->seq);
	for (uint32_t i = 0; i < BW_CHECK_RINGS; i++)
		meets |= i != job->ring && c->jobs.begun[i] > after[i];
	return meets;
}
