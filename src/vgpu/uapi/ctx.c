/* SPDX-License-Identifier: MIT */
/* Contexts: what a program's submissions belong to, ring by ring. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/uapi_priv.h"

enum { PSTATE_NONE = 0, PSTATE_PEAK = 4, PSTATE_MASK = 0xf };
enum { MAX_CTXS = 4095 }; /* AMDGPU_VM_MAX_NUM_CTX; 0 is not used */
enum { CAP_NICE = 23 };	  /* CAP_SYS_NICE */
enum { CTX_OP_GET_STABLE_PSTATE = 5, CTX_OP_SET_STABLE_PSTATE = 6 };

struct bw_drm_ctx *bw_drm_ctx_get(struct bw_drm_file *f, uint32_t id)
{
	return bw_ids_get(&f->ctxs, id);
}

struct bw_drm_ctx *bw_drm_ctx_ref(struct bw_drm_ctx *ctx)
{
	ctx->refs++;
	return ctx;
}

static void entity_init(struct bw_drm_entity *e, unsigned ring)
{
	e->sequence = 1;
	e->context = bw_drm_fence_contexts(1);
	e->ring = ring;
}

static void entity_fini(struct bw_drm_entity *e)
{
	for (unsigned i = 0; i < BW_DRM_CTX_JOBS; i++)
		bw_drm_fence_unref(e->fences[i]);
	bw_drm_fence_unref(e->last);
}

int bw_drm_entity_error(const struct bw_drm_entity *e)
{
	return e->last && e->last->signaled ? e->last->error : 0;
}

void bw_drm_ctx_unref(struct bw_drm_ctx *ctx)
{
	if (!ctx || --ctx->refs)
		return;
	if (ctx->u->pstate_ctx == ctx) {
		ctx->u->pstate_ctx = NULL;
		ctx->u->pstate = PSTATE_NONE;
	}
	entity_fini(&ctx->gfx);
	for (unsigned i = 0; i < BW_DRM_N_COMPUTE; i++)
		entity_fini(&ctx->compute[i]);
	for (unsigned i = 0; i < BW_DRM_N_SDMA; i++)
		entity_fini(&ctx->sdma[i]);
	bw_drm_uncharge(ctx->account, BW_DRM_CTXS, 1);
	free(ctx);
}

int bw_drm_ctx_entity(struct bw_drm_ctx *ctx, uint32_t ip, uint32_t instance, uint32_t ring,
		      struct bw_drm_entity **out)
{
	if (instance)
		return -EINVAL;
	if (ip == AMDGPU_HW_IP_GFX && ring == 0 && ctx->u->profile->has_graphics)
		*out = &ctx->gfx;
	else if (ip == AMDGPU_HW_IP_COMPUTE && ring < BW_DRM_N_COMPUTE)
		*out = &ctx->compute[ring];
	else if (ip == AMDGPU_HW_IP_DMA && ring < BW_DRM_N_SDMA)
		*out = &ctx->sdma[ring];
	else
		return -EINVAL; /* the video engines have no rings here */
	return bw_drm_entity_error(*out);
}

int bw_drm_ctx_fence(struct bw_drm_entity *e, uint64_t seq, struct bw_drm_fence **out)
{
	if (seq == UINT64_MAX)
		seq = e->sequence - 1;
	if (seq >= e->sequence)
		return -EINVAL;
	*out = seq + BW_DRM_CTX_JOBS < e->sequence
		       ? NULL
		       : bw_drm_fence_ref(e->fences[seq % BW_DRM_CTX_JOBS]);
	return 0;
}

static bool priority_known(int32_t priority)
{
	switch (priority) {
	case AMDGPU_CTX_PRIORITY_VERY_LOW:
	case AMDGPU_CTX_PRIORITY_LOW:
	case AMDGPU_CTX_PRIORITY_NORMAL:
	case AMDGPU_CTX_PRIORITY_HIGH:
	case AMDGPU_CTX_PRIORITY_VERY_HIGH:
		return true;
	default:
		return false;
	}
}

/* amdgpu_ctx_to_drm_sched_prio. The kernel also keeps one of its eight compute rings for what is
 * urgent; here there are four, and all share them. */
enum bw_drm_level bw_drm_ctx_level(const struct bw_drm_ctx *ctx)
{
	int32_t priority = ctx->priority_override == AMDGPU_CTX_PRIORITY_UNSET
				   ? ctx->priority
				   : ctx->priority_override;
	return priority > AMDGPU_CTX_PRIORITY_NORMAL   ? BW_DRM_HIGH
	       : priority < AMDGPU_CTX_PRIORITY_NORMAL ? BW_DRM_LOW
						       : BW_DRM_NORMAL;
}

/* amdgpu_ctx_priority_permit */
static bool may_have(struct bw_drm_call *c, int32_t priority)
{
	return priority <= AMDGPU_CTX_PRIORITY_NORMAL || bw_conn_capable(c->conn, CAP_NICE) ||
	       c->u->master == c->file;
}

static int ctx_alloc(struct bw_drm_call *c, int32_t priority, uint32_t *out_id)
{
	struct bw_drm_file *f = c->file;
	if (f->ctxs.n >= MAX_CTXS)
		return -ENOSPC;
	if (!may_have(c, priority))
		return -EACCES;
	struct bw_drm_ctx *ctx = calloc(1, sizeof(*ctx));
	if (!ctx || !bw_drm_charge(f->u, f->account, BW_DRM_CTXS, 1, f->vm->comm, f->vm->pid)) {
		free(ctx);
		return -ENOMEM;
	}
	*ctx = (struct bw_drm_ctx){.refs = 1,
				   .u = f->u,
				   .account = f->account,
				   .priority = priority,
				   .priority_override = AMDGPU_CTX_PRIORITY_UNSET,
				   .resets_at_query = f->u->n_resets,
				   .resets_at_start = f->u->n_resets};
	entity_init(&ctx->gfx, 0);
	for (unsigned i = 0; i < BW_DRM_N_COMPUTE; i++)
		entity_init(&ctx->compute[i], BW_DRM_FIRST_COMPUTE + i);
	for (unsigned i = 0; i < BW_DRM_N_SDMA; i++)
		entity_init(&ctx->sdma[i], BW_DRM_FIRST_SDMA + i);
	int r = bw_ids_add(&f->ctxs, ctx, out_id);
	if (r) {
		bw_drm_uncharge(ctx->account, BW_DRM_CTXS, 1);
		free(ctx);
	}
	return r;
}

static void query(struct bw_drm_file *f, struct bw_drm_ctx *ctx, bool second,
		  union drm_amdgpu_ctx_out *out)
{
	memset(out, 0, sizeof(*out));
	if (second) {
		/* Any reset since the context was made, also one that another context caused. */
		if (ctx->resets_at_start != f->u->n_resets)
			out->state.flags |= AMDGPU_CTX_QUERY2_FLAGS_RESET;
		if (ctx->guilty)
			out->state.flags |= AMDGPU_CTX_QUERY2_FLAGS_GUILTY;
		return;
	}
	/* 3 (unknown) if the device has been reset since the last query */
	out->state.reset_status = ctx->resets_at_query == f->u->n_resets ? AMDGPU_CTX_NO_RESET
									 : AMDGPU_CTX_UNKNOWN_RESET;
	ctx->resets_at_query = f->u->n_resets;
}

/* The power state is the device's, and one context at a time may choose it
 * (amdgpu_ctx_set_stable_pstate). */
static int set_pstate(struct bw_uapi *u, struct bw_drm_ctx *ctx, uint32_t pstate)
{
	if (u->pstate_ctx && u->pstate_ctx != ctx)
		return -EBUSY;
	u->pstate = pstate;
	u->pstate_ctx = pstate == PSTATE_NONE ? NULL : ctx;
	return 0;
}

int bw_ioctl_ctx(struct bw_drm_call *c, void *arg)
{
	union drm_amdgpu_ctx *a = arg;
	uint32_t id = a->in.ctx_id, op = a->in.op, flags = a->in.flags;
	/* Garbage in the priority is an old program (amdgpu_ctx_ioctl). */
	int32_t priority =
		priority_known(a->in.priority) ? a->in.priority : AMDGPU_CTX_PRIORITY_NORMAL;
	if (op < AMDGPU_CTX_OP_ALLOC_CTX || op > CTX_OP_SET_STABLE_PSTATE)
		return -EINVAL;
	if (op == CTX_OP_SET_STABLE_PSTATE ? flags & ~(uint32_t)PSTATE_MASK || flags > PSTATE_PEAK
					   : flags != 0)
		return -EINVAL;

	pthread_mutex_lock(&c->u->lock);
	int r = 0;
	struct bw_drm_ctx *ctx = op == AMDGPU_CTX_OP_ALLOC_CTX ? NULL : bw_drm_ctx_get(c->file, id);
	if (op == AMDGPU_CTX_OP_ALLOC_CTX) {
		r = ctx_alloc(c, priority, &id);
		if (!r)
			a->out.alloc.ctx_id = id;
	} else if (!ctx) {
		r = -EINVAL;
	} else if (op == AMDGPU_CTX_OP_FREE_CTX) {
		bw_drm_ctx_unref(bw_ids_remove(&c->file->ctxs, id));
	} else if (op == CTX_OP_SET_STABLE_PSTATE) {
		r = set_pstate(c->u, ctx, flags);
	} else if (op == CTX_OP_GET_STABLE_PSTATE) {
		memcpy(a, &c->u->pstate, sizeof(c->u->pstate)); /* out.pstate.flags */
	} else {
		query(c->file, ctx, op == AMDGPU_CTX_OP_QUERY_STATE2, &a->out);
	}
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

int bw_ioctl_sched(struct bw_drm_call *c, void *arg)
{
	const union drm_amdgpu_sched *a = arg;
	if (a->in.op != AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE &&
	    a->in.op != AMDGPU_SCHED_OP_CONTEXT_PRIORITY_OVERRIDE)
		return -EINVAL;
	if (!priority_known(a->in.priority))
		return -EINVAL;
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_file *f = bw_conn_file(c->conn, a->in.fd);
	struct bw_drm_ctx *one = f ? bw_drm_ctx_get(f, a->in.ctx_id) : NULL;
	bool all = a->in.op == AMDGPU_SCHED_OP_PROCESS_PRIORITY_OVERRIDE;
	if (one && !all)
		one->priority_override = a->in.priority;
	for (uint32_t i = 0; f && all && i < f->ctxs.cap; i++) {
		struct bw_drm_ctx *ctx = f->ctxs.slot[i];
		if (ctx)
			ctx->priority_override = a->in.priority;
	}
	pthread_mutex_unlock(&c->u->lock);
	return f && (all || one) ? 0 : -EINVAL;
}
