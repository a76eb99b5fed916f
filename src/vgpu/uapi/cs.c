/* SPDX-License-Identifier: MIT */
/* CS: command submission, in the stages of amdgpu_cs.c: copy the chunks and look at each once,
 * resolve what they name, collect the buffers, and hand the jobs to the scheduler. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/syncobj.h"
#include "vgpu/uapi/uapi_priv.h"

/* Chunk and limits of 6.12 that older headers do not have. */
enum { CHUNK_CP_GFX_SHADOW = 0x0a, SHADOW_B = 32, SHADOW_INIT = 1, SHADOW_FLAGS_AT = 24 };
enum { MAX_IB_DW = 0xfffff };

struct chunk {
	uint32_t id, size_b;
	void *data;
};

/* A syncobj to signal: point 0 of a binary one. */
struct post {
	struct bw_drm_syncobj *s;
	uint64_t point;
};

struct parser {
	struct bw_drm_call *call;
	struct bw_drm_ctx *ctx;
	struct chunk *chunks;
	uint32_t n_chunks;
	struct {
		struct bw_drm_entity *entity;
		uint32_t ip, ring;
		unsigned n_ibs;
		struct bw_drm_job *job;
	} gang[BW_DRM_GANG];
	unsigned n_gang, leader;
	struct bw_drm_bo *uf_bo;
	uint64_t uf_offset;
	struct bw_drm_bo_list *list;
	struct bw_drm_fences deps;
	struct bw_drm_gathering gathering; /* into `deps` */
	struct post *posts;
	uint32_t n_posts;
	bool has_posts;
	struct bw_vgpu_stomp stomp;
	bool preempt[2]; /* there is such an IB, of the draw and of the constant engine */
};

static void parser_fini(struct parser *p)
{
	struct bw_uapi *u = p->call->u;
	pthread_mutex_lock(&u->lock);
	for (unsigned i = 0; i < p->n_gang; i++)
		bw_drm_job_free(p->gang[i].job);
	for (uint32_t i = 0; i < p->n_posts; i++)
		bw_drm_syncobj_unref(p->posts[i].s);
	bw_drm_bo_unref(p->uf_bo);
	bw_drm_bo_list_unref(p->list);
	bw_drm_fences_fini(&p->deps);
	if (p->ctx)
		bw_drm_ctx_unref(p->ctx);
	pthread_mutex_unlock(&u->lock);
	for (uint32_t i = 0; i < p->n_chunks; i++)
		free(p->chunks[i].data);
	free(p->chunks);
	free(p->posts);
}

/* ---- first pass ---- */

/* Member of the gang for this IB's ring, a new one if need be. Lock held. */
static int gang_member(struct parser *p, const struct drm_amdgpu_cs_chunk_ib *ib)
{
	struct bw_drm_entity *e;
	int r = bw_drm_ctx_entity(p->ctx, ib->ip_type, ib->ip_instance, ib->ring, &e);
	if (r)
		return r;
	for (unsigned i = 0; i < p->n_gang; i++)
		if (p->gang[i].entity == e)
			return (int)i;
	if (p->n_gang == BW_DRM_GANG)
		return -EINVAL;
	p->gang[p->n_gang].entity = e;
	p->gang[p->n_gang].ip = ib->ip_type;
	p->gang[p->n_gang].ring = ib->ring;
	return (int)p->n_gang++;
}

static int pass1_ib(struct parser *p, const struct drm_amdgpu_cs_chunk_ib *ib)
{
	int i = gang_member(p, ib);
	if (i < 0)
		return i;
	if (p->gang[i].n_ibs >= bw_drm_max_ibs[ib->ip_type])
		return -EINVAL;
	p->gang[i].n_ibs++;
	p->leader = (unsigned)i;
	return 0;
}

static int pass1_fence(struct parser *p, const struct drm_amdgpu_cs_chunk_fence *f)
{
	struct bw_drm_bo *bo = bw_drm_bo_get(p->call->file, f->handle);
	if (p->uf_bo || !bo)
		return -EINVAL;
	/* Exactly one page, of the driver's own, and not a byte beyond. */
	if (bo->user || bo->size_b != BW_DRM_PAGE_B || f->offset > BW_DRM_PAGE_B - sizeof(uint64_t))
		return -EINVAL;
	p->uf_bo = bw_drm_bo_ref(bo);
	p->uf_offset = f->offset;
	return 0;
}

static int pass1_stomp(struct parser *p, const struct chunk *ch)
{
	if (ch->size_b != sizeof(p->stomp) || p->stomp.what)
		return -EINVAL;
	memcpy(&p->stomp, ch->data, sizeof(p->stomp));
	return p->stomp.what & ~(uint32_t)BW_VGPU_STOMP_ALL ? -EINVAL : 0;
}

static int pass1_chunk(struct parser *p, struct chunk *ch)
{
	struct bw_uapi *u = p->call->u;
	int r = -EINVAL;
	switch (ch->id) {
	case AMDGPU_CHUNK_ID_IB:
		if (ch->size_b < sizeof(struct drm_amdgpu_cs_chunk_ib))
			return -EINVAL;
		pthread_mutex_lock(&u->lock);
		r = pass1_ib(p, ch->data);
		pthread_mutex_unlock(&u->lock);
		return r;
	case AMDGPU_CHUNK_ID_FENCE:
		if (ch->size_b < sizeof(struct drm_amdgpu_cs_chunk_fence))
			return -EINVAL;
		pthread_mutex_lock(&u->lock);
		r = pass1_fence(p, ch->data);
		pthread_mutex_unlock(&u->lock);
		return r;
	case AMDGPU_CHUNK_ID_BO_HANDLES:
		if (ch->size_b < sizeof(struct drm_amdgpu_bo_list_in) || p->list)
			return -EINVAL;
		return bw_drm_bo_list_make(p->call, ch->data, &p->list);
	case BW_VGPU_CHUNK_STOMP:
		return pass1_stomp(p, ch);
	case CHUNK_CP_GFX_SHADOW:
		return ch->size_b < SHADOW_B ? -EINVAL : 0;
	case AMDGPU_CHUNK_ID_DEPENDENCIES:
	case AMDGPU_CHUNK_ID_SYNCOBJ_IN:
	case AMDGPU_CHUNK_ID_SYNCOBJ_OUT:
	case AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES:
	case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT:
	case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL:
		return 0;
	default:
		BW_LOG(WARN, "uapi", "CS: chunk %#x is unknown", ch->id);
		return -EINVAL;
	}
}

static int pass1(struct parser *p, const union drm_amdgpu_cs *cs)
{
	_cleanup_free_ uint64_t *pointers = NULL;
	uint32_t n = cs->in.num_chunks;
	if (n > BW_DRM_MAX_CHUNKS)
		return -ENOMEM;
	int r = bw_user_dup(p->call, cs->in.chunks, n, sizeof(*pointers), &pointers);
	if (r)
		return r;
	p->chunks = calloc(n, sizeof(*p->chunks));
	if (!p->chunks)
		return -ENOMEM;
	uint64_t total_b = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct drm_amdgpu_cs_chunk user;
		struct chunk *ch = &p->chunks[i];
		r = bw_user_read(p->call, pointers[i], &user, sizeof(user));
		if (r)
			return r;
		total_b += (uint64_t)user.length_dw * 4;
		if (total_b > BW_DRM_MAX_COPY_B)
			return -ENOMEM;
		r = bw_user_dup(p->call, user.chunk_data, user.length_dw, 4, &ch->data);
		if (r)
			return r;
		p->n_chunks++;
		ch->id = user.chunk_id;
		ch->size_b = user.length_dw * 4;
		r = pass1_chunk(p, ch);
		if (r)
			return r;
	}
	return p->n_gang ? 0 : -EINVAL;
}

/* ---- second pass, lock held ---- */

static const struct bw_drm_fence_ops job_fence_ops = {"drm_sched", NULL, NULL};

static struct bw_drm_job *job_new(struct parser *p, unsigned i)
{
	struct bw_drm_job *job = calloc(1, sizeof(*job));
	if (!job)
		return NULL;
	job->vm = bw_drm_vm_ref(p->call->file->vm);
	job->ctx = bw_drm_ctx_ref(p->ctx);
	job->entity = p->gang[i].entity;
	job->ip = p->gang[i].ip;
	job->stomp = p->stomp;
	job->ibs = calloc(p->gang[i].n_ibs, sizeof(*job->ibs));
	job->done = bw_drm_fence_new();
	job->scheduled = bw_drm_fence_new();
	if (job->ibs && job->done && job->scheduled) {
		job->done->ops = &job_fence_ops;
		job->done->timeline = p->call->u->rings[job->entity->ring].name;
		return job;
	}
	bw_drm_job_free(job);
	return NULL;
}

static int pass2_ib(struct parser *p, const struct drm_amdgpu_cs_chunk_ib *ib)
{
	int i = gang_member(p, ib);
	if (i < 0)
		return i;
	struct bw_drm_job *job = p->gang[i].job;
	/* gfx11 has no constant engine: its IBs run as the others do
	 * (gfx_v11_0_ring_emit_ib_gfx), and count on their own here. */
	if (ib->ip_type == AMDGPU_HW_IP_GFX && ib->flags & AMDGPU_IB_FLAG_PREEMPT) {
		bool *preempt = &p->preempt[(ib->flags & AMDGPU_IB_FLAG_CE) != 0];
		if (*preempt)
			return -EINVAL;
		*preempt = true;
	}
	if (ib->ib_bytes / 4 > MAX_IB_DW)
		return -EINVAL;
	job->ibs[job->n_ibs++] = (struct bw_drm_ib){ib->va_start, ib->ib_bytes / 4, ib->flags};
	return 0;
}

static int pass2_dependencies(struct parser *p, const struct chunk *ch)
{
	const struct drm_amdgpu_cs_chunk_dep *deps = ch->data;
	for (uint32_t i = 0; i < ch->size_b / sizeof(*deps); i++) {
		struct bw_drm_ctx *ctx = bw_drm_ctx_get(p->call->file, deps[i].ctx_id);
		struct bw_drm_entity *e;
		struct bw_drm_fence *f = NULL;
		int r = ctx ? bw_drm_ctx_entity(ctx, deps[i].ip_type, deps[i].ip_instance,
						deps[i].ring, &e)
			    : -EINVAL;
		if (!r)
			r = bw_drm_ctx_fence(e, deps[i].handle, &f);
		/* SCHEDULED_DEPENDENCIES ask for less; waiting for the end is right as well, unless
		 * the two jobs wait for each other, which the scheduled fence is for. */
		if (!r && f && ch->id == AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES && f->scheduled) {
			struct bw_drm_fence *scheduled = bw_drm_fence_ref(f->scheduled);
			bw_drm_fence_unref(f);
			f = scheduled;
		}
		if (!r && f)
			r = bw_drm_gather_fence(&p->gathering, f);
		bw_drm_fence_unref(f);
		if (r)
			return r;
	}
	return 0;
}

static int add_syncobj_dep(struct parser *p, uint32_t handle, uint64_t point, uint64_t flags)
{
	struct bw_drm_fence *f = NULL;
	const struct bw_drm_syncobj *s = bw_drm_syncobj_get(p->call->file, handle);
	if (s) /* each of its points is looked at */
		p->gathering.steps += (uint32_t)s->points.len;
	int r = p->gathering.steps > BW_DRM_MAX_STEPS
			? -ENOMEM
			: bw_drm_syncobj_find(p->call, handle, point, flags, &f);
	if (!r)
		r = bw_drm_gather_fence(&p->gathering, f);
	bw_drm_fence_unref(f);
	return r;
}

static int pass2_waits(struct parser *p, const struct chunk *ch)
{
	const struct drm_amdgpu_cs_chunk_sem *binary = ch->data;
	const struct drm_amdgpu_cs_chunk_syncobj *timeline = ch->data;
	int r = 0;
	if (ch->id == AMDGPU_CHUNK_ID_SYNCOBJ_IN) {
		for (uint32_t i = 0; i < ch->size_b / sizeof(*binary) && !r; i++)
			r = add_syncobj_dep(p, binary[i].handle, 0, 0);
	} else {
		for (uint32_t i = 0; i < ch->size_b / sizeof(*timeline) && !r; i++)
			r = add_syncobj_dep(p, timeline[i].handle, timeline[i].point,
					    timeline[i].flags);
	}
	return r;
}

static int pass2_signals(struct parser *p, const struct chunk *ch)
{
	const struct drm_amdgpu_cs_chunk_sem *binary = ch->data;
	const struct drm_amdgpu_cs_chunk_syncobj *timeline = ch->data;
	bool is_binary = ch->id == AMDGPU_CHUNK_ID_SYNCOBJ_OUT;
	uint32_t n = ch->size_b / (is_binary ? sizeof(*binary) : sizeof(*timeline));
	if (p->has_posts)
		return -EINVAL; /* one list of these, of either kind */
	p->has_posts = true;
	p->posts = calloc(BW_MAX(n, 1u), sizeof(*p->posts));
	if (!p->posts)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct bw_drm_syncobj *s = bw_drm_syncobj_get(
			p->call->file, is_binary ? binary[i].handle : timeline[i].handle);
		if (!s)
			return -EINVAL;
		s->refs++;
		p->posts[p->n_posts++] = (struct post){s, is_binary ? 0 : timeline[i].point};
	}
	return 0;
}

static int pass2_shadow(const struct chunk *ch)
{
	uint64_t flags;
	memcpy(&flags, (const uint8_t *)ch->data + SHADOW_FLAGS_AT, sizeof(flags));
	return flags & ~(uint64_t)SHADOW_INIT ? -EINVAL : 0;
}

static int pass2(struct parser *p)
{
	for (unsigned i = 0; i < p->n_gang; i++) {
		p->gang[i].job = job_new(p, i);
		if (!p->gang[i].job)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < p->n_chunks; i++) {
		const struct chunk *ch = &p->chunks[i];
		int r = 0;
		if (ch->id == AMDGPU_CHUNK_ID_IB)
			r = pass2_ib(p, ch->data);
		else if (ch->id == AMDGPU_CHUNK_ID_DEPENDENCIES ||
			 ch->id == AMDGPU_CHUNK_ID_SCHEDULED_DEPENDENCIES)
			r = pass2_dependencies(p, ch);
		else if (ch->id == AMDGPU_CHUNK_ID_SYNCOBJ_IN ||
			 ch->id == AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT)
			r = pass2_waits(p, ch);
		else if (ch->id == AMDGPU_CHUNK_ID_SYNCOBJ_OUT ||
			 ch->id == AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL)
			r = pass2_signals(p, ch);
		else if (ch->id == CHUNK_CP_GFX_SHADOW)
			r = pass2_shadow(ch);
		if (r)
			return r;
	}
	return 0;
}

/* ---- buffers and submission, lock held ---- */

static int find_list(struct parser *p, const union drm_amdgpu_cs *cs)
{
	if (!cs->in.bo_list_handle)
		return 0;
	if (p->list)
		return -EINVAL;
	p->list = bw_ids_get(&p->call->file->bo_lists, cs->in.bo_list_handle);
	if (!p->list)
		return -ENOENT;
	p->list->refs++;
	return 0;
}

/* Implicit synchronisation: a shared buffer's work of other VMs comes first, unless it is marked
 * EXPLICIT_SYNC (amdgpu_cs_sync_rings). */
static int sync_with_others(struct parser *p)
{
	struct bw_drm_vm *vm = p->call->file->vm;
	for (size_t i = 0; p->list && i < p->list->bos.len; i++) {
		struct bw_drm_bo *bo = p->list->bos.data[i];
		if (bo->flags & AMDGPU_GEM_CREATE_EXPLICIT_SYNC || bo->vm)
			continue;
		for (size_t k = 0; k < bo->busy.len; k++) {
			struct bw_drm_fence *f = bo->busy.data[k];
			int r = f->pasid == vm->pasid ? 0 : bw_drm_gather_fence(&p->gathering, f);
			if (r)
				return r;
		}
	}
	return 0;
}

static bool slot_free(void *arg)
{
	const struct parser *p = arg;
	const struct bw_drm_entity *e = p->gang[p->leader].entity;
	if (p->call->file->vm->n_unfinished + p->n_gang > BW_DRM_MAX_JOBS)
		return false;
	struct bw_drm_fence *f = e->fences[e->sequence % BW_DRM_CTX_JOBS];
	return !f || bw_drm_fence_done(f);
}

static int add_dep(const struct bw_uapi *u, struct bw_drm_job *job, struct bw_drm_fence *f)
{
	int r = bw_drm_fences_add(&job->deps, f);
	if (r || !bw_device_check(u->dev))
		return r;
	struct bw_error *err = bw_vec_push(&job->all_deps, f);
	if (err) {
		bw_error_free(err);
		return -ENOMEM;
	}
	bw_drm_fence_ref(f);
	return 0;
}

/* Everything that can fail is done before anything that has an effect on others. */
static int prepare(struct parser *p)
{
	struct bw_uapi *u = p->call->u;
	struct bw_error *err = bw_vec_reserve(&u->waiting, u->waiting.len + p->n_gang);
	int r = err ? -ENOMEM : 0;
	bw_error_free(err);
	struct bw_drm_gang *gang = NULL;
	if (!r && p->n_gang > 1) {
		gang = calloc(1, sizeof(*gang));
		if (!gang)
			return -ENOMEM;
	}
	for (unsigned i = 0; i < p->n_gang && !r; i++) {
		struct bw_drm_job *job = p->gang[i].job;
		for (size_t k = 0; k < p->deps.len && !r; k++)
			r = add_dep(u, job, p->deps.data[k]);
		if (!r && gang) {
			job->gang = gang;
			gang->job[gang->n++] = job;
			gang->refs++;
		}
	}
	if (gang && !gang->refs)
		free(gang);
	struct bw_drm_job *leader = p->gang[p->leader].job;
	leader->uf_bo = bw_take(p->uf_bo);
	leader->uf_offset = p->uf_offset;
	return r;
}

/* Adds the leader's fence to everything the call uses. If that fails, only an implicit wait is
 * lost. */
static void mark_busy(struct parser *p, struct bw_drm_fence *done)
{
	struct bw_drm_vm *vm = p->call->file->vm;
	int r = bw_drm_fences_add(&vm->busy, done);
	for (size_t i = 0; p->list && i < p->list->bos.len && !r; i++)
		if (!p->list->bos.data[i]->vm)
			r = bw_drm_fences_add(&p->list->bos.data[i]->busy, done);
	if (r)
		BW_LOG(ERROR, "uapi", "no memory to note which buffers are busy");
}

static int submit(struct parser *p, uint64_t *out_seq)
{
	struct bw_uapi *u = p->call->u;
	struct bw_drm_vm *vm = p->call->file->vm;
	struct bw_drm_entity *e = p->gang[p->leader].entity;
	struct bw_drm_fence *done = p->gang[p->leader].job->done;
	int r = 0;
	for (uint32_t i = 0; i < p->n_posts && !r; i++) {
		if (p->posts[i].point)
			r = bw_drm_syncobj_add_point(u, p->posts[i].s, p->posts[i].point, done);
		else
			bw_drm_syncobj_replace(u, p->posts[i].s, done);
	}
	if (r)
		return r;
	mark_busy(p, done);
	bw_drm_fence_unref(e->fences[e->sequence % BW_DRM_CTX_JOBS]);
	e->fences[e->sequence % BW_DRM_CTX_JOBS] = bw_drm_fence_ref(done);
	done->context = e->context;
	done->seqno = e->sequence;
	*out_seq = e->sequence++;
	p->gang[p->leader].job->uf_value = *out_seq;
	bw_drm_vm_flush_updates(vm);
	vm->n_jobs++;
	for (unsigned i = 0; i < p->n_gang; i++) {
		struct bw_drm_job *job = p->gang[i].job;
		p->gang[i].job = NULL;
		job->vm_number = vm->n_jobs;
		job->updates_before = vm->updates_made;
		job->done->pasid = vm->pasid;
		job->done->scheduled = bw_drm_fence_ref(job->scheduled);
		bw_drm_job_push(u, job);
	}
	bw_drm_schedule(u);
	return 0;
}

int bw_ioctl_cs(struct bw_drm_call *c, void *arg)
{
	union drm_amdgpu_cs *cs = arg;
	struct parser p = {.call = c};
	p.gathering = bw_drm_gather(&p.deps);
	if (!cs->in.num_chunks)
		return -EINVAL;
	pthread_mutex_lock(&c->u->lock);
	p.ctx = bw_drm_ctx_get(c->file, cs->in.ctx_id);
	if (p.ctx)
		bw_drm_ctx_ref(p.ctx);
	bool guilty = p.ctx && p.ctx->guilty;
	pthread_mutex_unlock(&c->u->lock);
	if (!p.ctx)
		return -EINVAL;

	int r = guilty ? -ECANCELED : pass1(&p, cs);
	uint64_t seq = 0;
	pthread_mutex_lock(&c->u->lock);
	if (!r)
		r = pass2(&p);
	if (!r)
		r = find_list(&p, cs);
	/* The context remembers a limited number of jobs; if all are waiting, the next one waits
	 * for the first. */
	if (!r)
		r = bw_drm_wait(c, INT64_MAX, slot_free, &p);
	if (!r)
		r = sync_with_others(&p);
	if (!r)
		r = prepare(&p);
	if (!r)
		r = submit(&p, &seq);
	pthread_mutex_unlock(&c->u->lock);
	parser_fini(&p);
	if (r)
		return r;
	cs->out.handle = seq; /* the rest stays as the caller has it */
	return 0;
}
