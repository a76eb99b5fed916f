/* SPDX-License-Identifier: MIT */
#include "agent/capture/capture.h"

#include <drm.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent/capture/capture_link.h"
#include "agent/capture/capture_memory.h"
#include "agent/capture/captured.h"
#include "agent/memory/chunk.h"
#include "agent/memory/track.h"
#include "agent/names/loaded_kernel.h"
#include "agent/shaders/shaders.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/newer_drm.h"
#include "base/util.h"
#include "wire/capture_proto.h"

enum {
	PAGE_B = BW_CAPTURE_PAGE_B,
	CHUNK_MAX_DW = 1 << 16,
};

/* The data of a DRM file that was sent. */
struct bw_agent_capture {
	uint32_t link;	     /* bw_capture_link_number */
	bool was_idle;	     /* submissions were made that are not captured */
	uint64_t objects_at; /* bw_names_changes of the objects that were sent, plus one */
	struct bw_capture_memory memory;
};

void bw_agent_capture_forget(struct bw_agent_file *f)
{
	if (!f->capture)
		return;
	bw_capture_memory_fini(&f->capture->memory);
	free(f->capture);
	f->capture = NULL;
}

/* ---- What is submitted ---- */

static struct bw_error *note_chunk(const struct bw_capture_call *call,
				   const struct drm_amdgpu_cs_chunk *c,
				   struct bw_capture_submission *out)
{
	struct drm_amdgpu_cs_chunk_ib ib;
	struct drm_amdgpu_cs_chunk_fence fence;
	if (c->chunk_id == AMDGPU_CHUNK_ID_IB && c->length_dw >= sizeof(ib) / 4 &&
	    bw_chunk_read(c, call->is_copied, &ib, sizeof(ib))) {
		const struct bw_capture_ib one = {.va = ib.va_start,
						  .size_b = ib.ib_bytes,
						  .flags = ib.flags,
						  .ip_type = ib.ip_type,
						  .ip_instance = ib.ip_instance,
						  .ring = ib.ring};
		out->summary.n_ibs++;
		out->summary.ib_b += ib.ib_bytes;
		out->summary.ip_type = ib.ip_type;
		out->summary.ip_instance = ib.ip_instance;
		out->summary.ring = ib.ring;
		return bw_vec_push(&out->ibs, one);
	}
	if (c->chunk_id == AMDGPU_CHUNK_ID_FENCE && c->length_dw >= sizeof(fence) / 4 &&
	    bw_chunk_read(c, call->is_copied, &fence, sizeof(fence))) {
		out->fence_buffer =
			bw_capture_memory_buffer(&call->file->capture->memory, fence.handle);
		out->fence_offset_b = fence.offset;
		return NULL;
	}
	/* lists of handles are of this process alone */
	if (c->chunk_id == AMDGPU_CHUNK_ID_BO_HANDLES || c->chunk_id == AMDGPU_CHUNK_ID_IB ||
	    c->chunk_id == AMDGPU_CHUNK_ID_FENCE || c->length_dw > CHUNK_MAX_DW)
		return NULL;
	struct bw_capture_chunk one = {.id = c->chunk_id, .size_b = c->length_dw * 4};
	BW_TRY(bw_vec_reserve(&out->chunks, out->chunks.len + 1));
	one.data = malloc(one.size_b ? one.size_b : 1);
	if (!one.data)
		return bw_error_nomem();
	if (!bw_chunk_read(c, call->is_copied, one.data, one.size_b))
		memset(one.data, 0, one.size_b);
	out->chunks.data[out->chunks.len++] = one;
	return NULL;
}

static void note_shader(const struct bw_agent_objects *objects, uint32_t pipeline,
			struct bw_capture_dispatch *out)
{
	bw_names_pipeline(objects, pipeline, out->pipeline, sizeof(out->pipeline));
	bw_vec_each(objects, o) {
		if (!pipeline || o->id != pipeline || o->kind != BW_AGENT_OBJECT_PIPELINE)
			continue;
		out->hash = o->hash;
		out->made_of = bw_shaders_record(pipeline, NULL) ? pipeline : 0;
		memcpy(out->module, o->module, sizeof(out->module));
		memcpy(out->entry, o->entry, sizeof(out->entry));
		memcpy(out->file, o->file, sizeof(out->file));
	}
}

static struct bw_error *note_work(const struct bw_capture_call *c, size_t i,
				  const struct bw_agent_objects *objects,
				  struct bw_capture_submission *out)
{
	const struct bw_agent_dispatch *d = &c->dispatches->data[i];
	struct bw_capture_dispatch one = {
		.code_va = d->code_va, .packet_va = d->packet_va, .indirect_va = d->indirect_va};
	struct bw_capture_draw draw = {.n_vertices = d->n_vertices,
				       .n_instances = d->n_instances,
				       .n_draws = d->n_draws,
				       .is_indexed = d->is_indexed};
	const bool draws = bw_agent_is_draw(c->dispatches, i);
	if (!draws)
		memcpy(one.groups, d->groups, sizeof(one.groups));
	memcpy(one.group_size, d->group_size, sizeof(one.group_size));
	note_shader(objects, d->pipeline, &one);
	if (draws) {
		struct bw_capture_dispatch pixel = {.code_va = d[1].code_va};
		note_shader(objects, d[1].pipeline, &pixel);
		bw_capture_set_pixel_shader(&draw, &pixel);
	}
	if (c->kernel)
		one.made_of = c->kernel->code;
	if (d->label_b && d->label_at <= c->blob->len && d->label_b <= c->blob->len - d->label_at)
		BW_TRY(bw_capture_set_label(
			out, &one, (const char *)c->blob->data + d->label_at,
			strnlen((const char *)c->blob->data + d->label_at, d->label_b)));
	BW_TRY(bw_captured_note(d, c->blob, out, &one));
	return bw_capture_add_work(out, &one, draws ? &draw : NULL);
}

static struct bw_error *note_dispatches(const struct bw_capture_call *c,
					struct bw_capture_submission *out)
{
	struct bw_agent_objects objects = {0};
	struct bw_error *err = c->dispatches->len ? bw_names_objects(&objects) : NULL;
	for (size_t i = 0; !err && i < c->dispatches->len;
	     i += bw_agent_is_draw(c->dispatches, i) ? 2 : 1)
		err = note_work(c, i, &objects, out);
	bw_vec_free(&objects);
	return err;
}

/* Notes the objects if they have changed since they were sent. */
static struct bw_error *note_objects(struct bw_agent_file *f, struct bw_capture_submission *out)
{
	uint64_t now = bw_names_changes() + 1;
	if (!out->dispatches.len || f->capture->objects_at == now)
		return NULL;
	BW_TRY(bw_captured_note_objects(out));
	f->capture->objects_at = now;
	return NULL;
}

static uint64_t pages_of(const struct bw_capture_runs *runs)
{
	uint64_t n = 0;
	bw_vec_each(runs, r)
		n += r->count;
	return n;
}

/* ---- Whether it is captured ---- */

/* Submissions that were not captured may still run: memory is as they leave it. */
static void wait_idle(struct bw_agent_file *f)
{
	struct bw_track_buffers all = {0};
	_cleanup_error_ struct bw_error *err = bw_track_buffers(f, &all);
	uint64_t until = bw_capture_now_ns() + bw_capture_link_wait_ms() * 1000000ull;
	bw_vec_each(&all, b) {
		union drm_amdgpu_gem_wait_idle a = {.in = {.handle = b->handle, .timeout = until}};
		bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_GEM_WAIT_IDLE, &a);
	}
	bw_vec_free(&all);
}

static struct bw_error *decide(const struct bw_capture_call *c,
			       const struct bw_capture_submission *s, bool *out_take)
{
	struct bw_agent_capture *of = c->file->capture;
	BW_TRY(bw_capture_link_ask(s, c->frame, out_take));
	if (*out_take && of->was_idle) {
		wait_idle(c->file);
		bw_capture_memory_unsettle(&of->memory);
	}
	of->was_idle = !*out_take;
	return NULL;
}

/* The ids of pipelines that were sent on the connection `of`. */
static struct {
	uint32_t of;
	struct BW_VEC(uint32_t) ids;
} sent;

static bool was_sent(uint32_t id)
{
	bw_vec_each(&sent.ids, one)
		if (*one == id)
			return true;
	return false;
}

/* The record of what a dispatch is made of; false: there is none. */
static bool make_record(const struct bw_capture_call *c, uint32_t id, struct bw_capture_bytes *out)
{
	return c->kernel && c->kernel->code == id ? bw_loaded_kernel_record(c->kernel, out)
						  : bw_shaders_record(id, out);
}

static struct bw_error *send_pipeline(const struct bw_capture_call *c, uint32_t id)
{
	const struct bw_capture_pipeline_sent head = {.id = id};
	struct bw_capture_bytes bytes = {0};
	if (!id || was_sent(id) || !make_record(c, id, &bytes))
		return NULL;
	struct bw_error *err =
		bw_capture_link_record(BW_CAPTURE_PIPELINE, &head, sizeof(head), &bytes);
	bw_vec_free(&bytes);
	return err ? err : bw_vec_push(&sent.ids, id);
}

/* The records of the pipelines that the connection does not have yet. */
static struct bw_error *send_pipelines(const struct bw_capture_call *c,
				       const struct bw_capture_submission *s)
{
	if (sent.of != bw_capture_link_number()) {
		sent.of = bw_capture_link_number();
		sent.ids.len = 0;
	}
	bw_vec_each(&s->dispatches, d)
		BW_TRY(send_pipeline(c, d->made_of));
	bw_vec_each(&s->draws, d)
		BW_TRY(send_pipeline(c, d->made_of));
	return NULL;
}

/* out_take: whether it was sent. */
static struct bw_error *send_submission(const struct bw_capture_call *c,
					struct bw_capture_submission *s, bool *out_take)
{
	struct bw_capture_bytes bytes = {0};
	BW_TRY(note_dispatches(c, s));
	BW_TRY(decide(c, s, out_take));
	if (!*out_take)
		return NULL;
	BW_TRY(send_pipelines(c, s));
	BW_TRY(note_objects(c->file, s));
	BW_TRY(bw_capture_memory_before(c->file, &c->file->capture->memory, s));
	for (uint32_t i = 0; i < c->in->num_chunks; i++)
		BW_TRY(note_chunk(c, &c->chunks[i], s));
	s->summary.space = c->file->number;
	s->summary.pid = (uint32_t)getpid();
	s->summary.ctx_id = c->in->ctx_id;
	if (c->is_aql)
		s->summary.ring = c->queue;
	s->summary.frame = c->frame;
	s->summary.changed_b = pages_of(&s->runs) * PAGE_B;
	s->summary.time_ns = bw_capture_now_ns();
	pthread_getname_np(pthread_self(), s->summary.comm, sizeof(s->summary.comm));
	struct bw_error *err = bw_capture_submission_encode(s, &bytes);
	if (!err)
		err = bw_capture_link_record(BW_CAPTURE_SUBMISSION, &s->summary, sizeof(s->summary),
					     &bytes);
	bw_vec_free(&bytes);
	return err;
}

static struct bw_agent_capture *new_capture(void)
{
	struct bw_agent_capture *c = calloc(1, sizeof(*c));
	if (c) {
		c->link = bw_capture_link_number();
		c->was_idle = bw_capture_link_is_late();
	}
	return c;
}

bool bw_agent_capture_begin(const struct bw_capture_call *c)
{
	struct bw_capture_submission s = {0};
	bool take = false;
	bw_capture_link_lock();
	if (bw_capture_link_open()) {
		if (c->file->capture && c->file->capture->link != bw_capture_link_number())
			bw_agent_capture_forget(c->file);
		if (!c->file->capture)
			c->file->capture = new_capture();
		_cleanup_error_ struct bw_error *err =
			c->file->capture ? send_submission(c, &s, &take) : bw_error_nomem();
		if (err)
			bw_capture_link_end(err);
	}
	bw_capture_submission_fini(&s);
	take &= bw_capture_link_is_open();
	if (!take)
		bw_capture_link_unlock();
	return take;
}

/* ---- Waits of the program ---- */

/* The last submission that has ended well: of which file, and how a wait names it. A context that
 * is freed takes its submissions' names along, so any call about contexts ends this. */
static struct {
	pthread_mutex_t lock;
	uint32_t file; /* 0: none */
	struct drm_amdgpu_wait_cs_in wait;
} ended = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void note_end(const struct bw_agent_file *f, const struct drm_amdgpu_wait_cs_in *wait)
{
	pthread_mutex_lock(&ended.lock);
	ended.file = f ? f->number : 0;
	if (f)
		ended.wait = *wait;
	pthread_mutex_unlock(&ended.lock);
}

bool bw_agent_capture_answers(const struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	union drm_amdgpu_wait_cs a;
	if (_IOC_NR(cmd) == DRM_COMMAND_BASE + DRM_AMDGPU_CTX)
		note_end(NULL, NULL);
	if (cmd != DRM_IOCTL_AMDGPU_WAIT_CS || !bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)))
		return false;
	pthread_mutex_lock(&ended.lock);
	const struct drm_amdgpu_wait_cs_in *w = &ended.wait;
	bool has_ended = f->number && ended.file == f->number && a.in.handle == w->handle &&
			 a.in.ctx_id == w->ctx_id && a.in.ip_type == w->ip_type &&
			 a.in.ip_instance == w->ip_instance && a.in.ring == w->ring;
	pthread_mutex_unlock(&ended.lock);
	/* amdgpu_cs_wait_ioctl of Linux 6.12 clears all of it but the status, which is 0 */
	if (has_ended)
		memset(arg, 0, sizeof(a));
	return has_ended;
}

/* Waits for the end of the submission, or as long as the capture may. */
static void wait_for(struct bw_agent_file *f, const struct drm_amdgpu_wait_cs_in *wait,
		     struct bw_capture_result *out)
{
	union drm_amdgpu_wait_cs a;
	uint64_t until = bw_capture_now_ns() + bw_capture_link_wait_ms() * 1000000ull;
	int r;
	do {
		a = (union drm_amdgpu_wait_cs){.in = *wait};
		a.in.timeout = until;
		r = bw_agent_own_ioctl(f, DRM_IOCTL_AMDGPU_WAIT_CS, &a);
	} while (r == -EINTR || r == -EAGAIN);
	out->has_ended = r || !a.out.status;
	out->result = r;
	struct bw_info_gpuvm_fault fault = {0};
	struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)&fault,
				       .return_size = sizeof(fault),
				       .query = BW_INFO_GPUVM_FAULT};
	if (r && !bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_INFO, &info)) {
		out->fault_va = fault.addr;
		out->fault_status = fault.status;
	}
}

uint32_t bw_agent_capture_wait_ms(void)
{
	return bw_capture_link_wait_ms();
}

void bw_agent_capture_unsettle(struct bw_agent_file *f)
{
	bw_capture_link_lock();
	if (f->capture)
		bw_capture_memory_unsettle(&f->capture->memory);
	bw_capture_link_unlock();
}

void bw_agent_capture_ended(struct bw_agent_file *f, const struct bw_capture_result *how)
{
	struct bw_capture_result result = *how;
	struct bw_capture_runs runs = {0};
	struct bw_capture_bytes bytes = {0};
	struct bw_capture_memory *m = &f->capture->memory;
	bool failed = !result.has_ended || result.result;
	bool sees = failed || bw_capture_memory_is_due(m, bw_capture_link_unseen_max_b());
	result.flags = sees ? 0 : BW_CAPTURE_UNSEEN;
	_cleanup_error_ struct bw_error *err =
		result.has_ended && sees ? bw_capture_memory_behind(f, m, &runs) : NULL;
	if (failed) /* it may still run, or memory may be lost */
		bw_capture_memory_unsettle(m);
	result.changed_pages = (uint32_t)BW_MIN(pages_of(&runs), (uint64_t)UINT32_MAX);
	result.time_ns = bw_capture_now_ns();
	if (!err)
		err = bw_capture_runs_encode(&runs, &bytes);
	if (!err)
		err = bw_capture_link_record(BW_CAPTURE_RESULT, &result, sizeof(result), &bytes);
	if (!err && failed)
		err = bw_capture_link_drain();
	if (err)
		bw_capture_link_end(err);
	bw_vec_free(&runs);
	bw_vec_free(&bytes);
	bw_capture_link_unlock();
}

void bw_agent_capture_end(struct bw_agent_file *f, int r, const struct drm_amdgpu_wait_cs_in *wait)
{
	struct bw_capture_result result = {.result = r, .has_ended = 1};
	if (!r)
		wait_for(f, wait, &result);
	if (!r && result.has_ended && !result.result)
		note_end(f, wait);
	bw_agent_capture_ended(f, &result);
}
