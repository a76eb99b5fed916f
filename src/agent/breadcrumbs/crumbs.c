/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>

#include "agent/breadcrumbs/crumbs_priv.h"
#include "agent/memory/memory.h"
#include "agent/memory/track.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/util.h"
#include "capture/capture.h"
#include "pm4/pm4.h"

enum {
	SPARE_MAX = 64,
	COPY_STEP_B = 64 << 10,
	FAILED_MAX = BW_CRUMBS_SLOTS / 2, /* slots that are kept for the report */
};

static struct {
	pthread_mutex_t lock; /* areas, spare buffers and slots of all files */
	uint32_t submissions, streams, n_failed;
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool bw_crumbs_are_on(void)
{
	return bw_agent_config()->folders[BW_AGENT_CRUMBS];
}

/* ---- Memory ---- */

static bool share_area(struct bw_agent_file *f, struct bw_agent_crumbs *c)
{
	struct drm_prime_handle prime = {
		.handle = c->area.handle, .flags = DRM_CLOEXEC | DRM_RDWR, .fd = -1};
	const struct bw_crumbs_area area = {.file = f->number};
	const struct bw_msg_part part = {&area, sizeof(area)};
	if (bw_agent_ioctl(f, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime))
		return false;
	bool ok = bw_crumbs_send(BW_CRUMBS_AREA, &part, 1, prime.fd);
	REAL(close)(prime.fd);
	return ok;
}

/* Lock held. */
static struct bw_agent_crumbs *crumbs_of(struct bw_agent_file *f)
{
	struct bw_agent_crumbs *c = f->crumbs;
	if (c || f->owner != getpid()) /* a forked child shares memory with its parent */
		return c && !c->failed && f->owner == getpid() ? c : NULL;
	c = f->crumbs = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->top = bw_place_top(f);
	int r = bw_place(f, BW_CRUMBS_SLOTS * sizeof(struct bw_crumbs_slot), 0, BW_PLACE_DATA,
			 &c->top, &c->area);
	c->failed = r || !share_area(f, c);
	if (c->failed) {
		BW_LOG(WARN, "agent", "breadcrumbs: no memory for them: %s", strerror(-r));
		bw_unplace(f, &c->area);
		return NULL;
	}
	memset(c->area.cpu, 0, c->area.size_b);
	return c;
}

void bw_crumbs_forget(struct bw_agent_file *f)
{
	struct bw_agent_crumbs *c = f->crumbs;
	if (!c)
		return;
	/* the kernel frees the buffers with the file */
	if (c->area.cpu)
		munmap(c->area.cpu, c->area.size_b);
	bw_vec_each(&c->spare, p)
		munmap(p->cpu, p->size_b);
	bw_vec_free(&c->spare);
	free(c);
	f->crumbs = NULL;
}

void bw_crumbs_fork_child(void)
{
	pthread_mutex_init(&g.lock, NULL);
	g.submissions = g.streams = g.n_failed = 0;
	bw_crumbs_link_fork_child();
	bw_crumbs_watch_fork_child();
	bw_crumbs_packets_fork_child();
}

void bw_crumbs_number(uint32_t *out_submission, uint32_t *out_stream)
{
	pthread_mutex_lock(&g.lock);
	*out_submission = ++g.submissions;
	*out_stream = ++g.streams;
	pthread_mutex_unlock(&g.lock);
}

struct bw_crumbs_slot *bw_crumbs_take_slot(struct bw_crumbs_slot *slots, uint32_t *io_next,
					   uint32_t *out_number)
{
	for (uint32_t i = 0; i < BW_CRUMBS_SLOTS; i++) {
		uint32_t at = (*io_next + i) % BW_CRUMBS_SLOTS;
		if (slots[at].state != BW_CRUMBS_FREE && slots[at].state != BW_CRUMBS_DONE)
			continue;
		*io_next = at + 1;
		memset(&slots[at], 0, sizeof(slots[at]));
		slots[at].state = BW_CRUMBS_RUNNING;
		*out_number = at;
		return &slots[at];
	}
	return NULL;
}

/* Lock held. A spare buffer, or a new one. */
static int take_copy(struct bw_agent_file *f, uint64_t size_b, struct bw_placed *out)
{
	struct bw_agent_crumbs *c = f->crumbs;
	for (size_t i = 0; i < c->spare.len; i++) {
		if (c->spare.data[i].size_b < size_b)
			continue;
		*out = c->spare.data[i];
		bw_vec_remove(&c->spare, i);
		return 0;
	}
	int r = bw_place(f, bw_align_up(size_b, COPY_STEP_B), AMDGPU_GEM_CREATE_VM_ALWAYS_VALID,
			 BW_PLACE_CODE, &c->top, out);
	if (r)
		bw_unplace(f, out);
	return r;
}

static void give_copy(struct bw_agent_file *f, struct bw_placed *p)
{
	struct bw_agent_crumbs *c = f->crumbs;
	bool keeps = p->cpu && c->spare.len < SPARE_MAX;
	struct bw_error *err = keeps ? bw_vec_push(&c->spare, *p) : NULL;
	if (err || !keeps)
		bw_unplace(f, p);
	bw_error_free(err);
}

void bw_crumbs_give_back(struct bw_crumbs_job *job, int result)
{
	pthread_mutex_lock(&g.lock);
	for (size_t i = 0; i < job->n_parts; i++) {
		struct bw_crumbs_part *p = &job->parts[i];
		p->slot->result = result;
		bool keeps = result && !p->is_innocent && g.n_failed < FAILED_MAX;
		g.n_failed += keeps;
		__atomic_store_n(&p->slot->state, keeps ? BW_CRUMBS_FAILED : BW_CRUMBS_DONE,
				 __ATOMIC_RELEASE);
		give_copy(job->file, &p->copy);
		free(p->last_work);
	}
	pthread_mutex_unlock(&g.lock);
	bw_agent_file_unref(job->file);
	free(job);
}

/* ---- What is told to the listener ---- */

/* The dispatches of the submission that its streams have had so far. */
struct told {
	uint32_t submission, ib;
	size_t next;	 /* of the call's dispatches */
	uint32_t number; /* of that: a draw, which has two stages there, counts once */
	/* dispatches and draws of its streams so far; whether registers have been filled */
	uint32_t n_work;
	bool has_put;
};

/* A shader of a draw, by its file where that is known. */
static void name_shader(const struct bw_agent_objects *objects, uint32_t id, char *out, size_t room)
{
	const char *file = "";
	char pipeline[64] = "";
	bw_names_pipeline(objects, id, pipeline, sizeof(pipeline));
	bw_vec_each(objects, o)
		if (id && o->id == id && o->kind == BW_AGENT_OBJECT_PIPELINE)
			file = o->file;
	snprintf(out, room, "%.63s", bw_capture_shader_name(pipeline, file));
}

/* number: in the submission. */
static struct bw_crumbs_dispatch describe(const struct bw_crumbs_call *c, size_t i, uint32_t number,
					  const struct bw_agent_objects *objects)
{
	const struct bw_agent_dispatch *d = &c->dispatches->data[i];
	struct bw_crumbs_dispatch one = {.code_va = d->code_va,
					 .number = number,
					 .is_draw = bw_agent_is_draw(c->dispatches, i)};
	memcpy(one.groups, d->groups, sizeof(one.groups));
	memcpy(one.group_size, d->group_size, sizeof(one.group_size));
	if (one.is_draw) {
		one.pixel_va = d[1].code_va;
		name_shader(objects, d->pipeline, one.pipeline, sizeof(one.pipeline));
		name_shader(objects, d[1].pipeline, one.pixel, sizeof(one.pixel));
	} else {
		bw_names_pipeline(objects, d->pipeline, one.pipeline, sizeof(one.pipeline));
	}
	if (d->label_b && d->label_at <= c->blob->len && d->label_b <= c->blob->len - d->label_at)
		memcpy(one.label, c->blob->data + d->label_at,
		       BW_MIN((size_t)d->label_b, sizeof(one.label) - 1));
	return one;
}

struct marks BW_VEC(struct bw_crumbs_mark);
struct described BW_VEC(struct bw_crumbs_dispatch);

/* Markers with the dispatches that are theirs: both are in the order of execution. */
static struct bw_error *list_marks(const struct bw_crumbs_call *c, const struct bw_pm4_marked *m,
				   struct told *told, struct marks *out,
				   struct described *dispatches)
{
	struct bw_agent_objects objects = {0};
	struct bw_error *err = c->dispatches->len ? bw_names_objects(&objects) : NULL;
	for (size_t i = 0; !err && i < m->marks.len; i++) {
		const struct bw_pm4_mark *k = &m->marks.data[i];
		struct bw_crumbs_mark one = {.ib_va = k->ib_va,
					     .at_dw = k->at_dw,
					     .dispatch = BW_CRUMBS_NO_DISPATCH,
					     .op = k->op,
					     .depth = k->depth,
					     .is_work = k->is_work,
					     .is_bad = k->is_bad};
		uint64_t va = bw_canonical(k->ib_va + k->at_dw * 4ull);
		size_t at = told->next;
		uint32_t number = told->number;
		while (k->is_work && at < c->dispatches->len &&
		       bw_canonical(c->dispatches->data[at].packet_va) != va)
			number += c->dispatches->data[at++].stage != BW_AGENT_PIXEL;
		if (k->is_work && at < c->dispatches->len) {
			one.dispatch = (int32_t)number;
			told->next = at + 1;
			told->number = number + 1;
			err = bw_vec_push(dispatches, describe(c, at, number, &objects));
		}
		if (!err)
			err = bw_vec_push(out, one);
	}
	bw_vec_free(&objects);
	return err;
}

static bool tell_stream(const struct bw_crumbs_call *c, const struct bw_pm4_marked *m,
			struct told *told, const struct bw_crumbs_part *p, uint32_t slot)
{
	struct marks marks = {0};
	struct described dispatches = {0};
	struct bw_error *err = list_marks(c, m, told, &marks, &dispatches);
	const struct bw_crumbs_stream s = {.file = c->file->number,
					   .slot = slot,
					   .stream = p->slot->stream,
					   .submission = told->submission,
					   .ib = told->ib,
					   .ip_type = p->ib.ip_type,
					   .ring = p->ib.ring,
					   .n_marks = (uint32_t)marks.len,
					   .n_dispatches = (uint32_t)dispatches.len,
					   .n_unseen = m->n_unseen};
	const struct bw_msg_part parts[] = {
		{&s, sizeof(s)},
		{marks.data, marks.len * sizeof(*marks.data)},
		{dispatches.data, dispatches.len * sizeof(*dispatches.data)}};
	bool ok = !err && bw_crumbs_send(BW_CRUMBS_STREAM, parts, 3, -1);
	bw_error_free(err);
	bw_vec_free(&marks);
	bw_vec_free(&dispatches);
	return ok;
}

static void tell_unmarked(const struct told *told, const char *why)
{
	struct bw_crumbs_unmarked u = {.submission = told->submission, .ib = told->ib};
	snprintf(u.why, sizeof(u.why), "%s", why);
	const struct bw_msg_part part = {&u, sizeof(u)};
	bw_crumbs_send(BW_CRUMBS_UNMARKED, &part, 1, -1);
}

/* ---- Copies ---- */

/* Called streams are copied only if the GPU cannot write them: the copy is made before the
 * submission begins, and would be stale if the GPU wrote the stream meanwhile. */
static bool read_stream(void *cookie, uint64_t va, uint32_t *out, size_t n, bool is_called)
{
	struct bw_agent_file *f = cookie;
	uint64_t bad_va;
	if (is_called && !bw_track_is_readonly(f, va & BW_VA_MASK, n * 4))
		return false;
	return !bw_memory_read(f, va, out, n * 4, &bad_va);
}

/* Packets that fill registers with bad values, for this submission; empty: none are filled. */
static void build_pokes(const struct bw_crumbs_go *go, const struct told *told,
			struct bw_pm4_stream *out)
{
	bool is_here = !go->at_submission || go->at_submission == told->submission;
	uint32_t n = is_here && !told->has_put && go->at_dispatch >= told->n_work ? go->n_pokes : 0;
	for (uint32_t i = 0; i < BW_MIN(n, (uint32_t)BW_CRUMBS_POKES_MAX); i++) {
		const struct bw_crumbs_poke *k = &go->pokes[i];
		if (k->addr_dw >= BW_PM4_SH_BEGIN_DW &&
		    k->addr_dw < BW_PM4_SH_BEGIN_DW + BW_PM4_N_SH)
			bw_pm4_put_sh(out, k->addr_dw, &k->value, 1);
	}
}

static struct bw_error *make_copy(const struct bw_crumbs_call *c, struct bw_crumbs_part *p,
				  const struct bw_crumbs_go *go, struct told *told,
				  struct bw_pm4_marked *m)
{
	const struct bw_agent_crumbs *crumbs = c->file->crumbs;
	uint64_t slot_va = crumbs->area.va + (uint64_t)((uint8_t *)p->slot - crumbs->area.cpu);
	struct bw_pm4_mark_options o = {
		.every_packet = go->every_packet,
		.begun_va = slot_va + offsetof(struct bw_crumbs_slot, begun),
		.ended_va = slot_va + offsetof(struct bw_crumbs_slot, ended),
		.go_va = slot_va + offsetof(struct bw_crumbs_slot, go),
		.wait_from = go->asks ? 1 : UINT32_MAX,
		.read = read_stream,
		.cookie = c->file};
	struct bw_pm4_stream pokes = {0};
	build_pokes(go, told, &pokes);
	o.put = pokes.data;
	o.put_dw = pokes.failed ? 0 : pokes.len;
	o.put_behind = go->at_dispatch - BW_MIN(told->n_work, go->at_dispatch);
	struct bw_error *err = bw_pm4_mark(&o, p->ib.va_start, p->ib.ib_bytes / 4, m);
	bw_pm4_stream_free(&pokes);
	BW_TRY(err);
	told->n_work += m->n_work;
	told->has_put |= m->has_put;
	if (m->marks.len > BW_CRUMBS_MARKS_MAX || !m->marks.len)
		return bw_errorf(BW_E_UNSUPPORTED, "it has too many packets");
	if (take_copy(c->file, m->size_dw * 4, &p->copy))
		return bw_errorf(BW_E_NOMEM, "no GPU memory for its copy");
	p->n_marks = (uint32_t)m->marks.len;
	p->asks = go->asks;
	p->has_end = m->marks.data[m->marks.len - 1].op == BW_PM4_MARK_END;
	p->last_work = calloc(m->marks.len + 1, sizeof(*p->last_work));
	if (!p->last_work)
		return bw_error_nomem();
	for (uint32_t i = 1; i <= p->n_marks; i++)
		p->last_work[i] = m->marks.data[i - 1].is_work ? i : p->last_work[i - 1];
	bw_pm4_marked_write(m, p->copy.va, (uint32_t *)p->copy.cpu);
	return NULL;
}

/* One command stream of the submission. False: it stays as it is. Lock held. */
static bool mark_one(const struct bw_crumbs_call *c, const struct bw_crumbs_go *go,
		     struct told *told, struct bw_crumbs_part *p)
{
	struct bw_pm4_marked m = {0};
	uint32_t slot;
	struct bw_agent_crumbs *crumbs = c->file->crumbs;
	p->slot = bw_crumbs_take_slot((struct bw_crumbs_slot *)crumbs->area.cpu, &crumbs->next_slot,
				      &slot);
	if (!p->slot) {
		tell_unmarked(told, "too many submissions are under way");
		return false;
	}
	p->slot->stream = ++g.streams;
	struct bw_error *err = make_copy(c, p, go, told, &m);
	bool ok = !err && tell_stream(c, &m, told, p, slot);
	if (ok) {
		p->ib.va_start = p->copy.va;
		p->ib.ib_bytes = (uint32_t)m.pieces.data[0].words.len * 4;
	} else {
		if (err)
			tell_unmarked(told, err->message);
		p->slot->state = BW_CRUMBS_FREE;
		give_copy(c->file, &p->copy);
		free(p->last_work);
	}
	bw_error_free(err);
	bw_pm4_marked_free(&m);
	return ok;
}

static bool is_marked(const struct drm_amdgpu_cs_chunk *chunk, struct drm_amdgpu_cs_chunk_ib *ib)
{
	return chunk->chunk_id == AMDGPU_CHUNK_ID_IB && chunk->length_dw >= sizeof(*ib) / 4 &&
	       bw_agent_copy_in(ib, chunk->chunk_data, sizeof(*ib)) &&
	       (ib->ip_type == AMDGPU_HW_IP_COMPUTE || ib->ip_type == AMDGPU_HW_IP_GFX);
}

static void mark_all(const struct bw_crumbs_call *c, const struct bw_crumbs_go *go,
		     struct bw_crumbs_job *job)
{
	struct told told = {.submission = ++g.submissions};
	for (uint32_t i = 0; i < c->in->num_chunks; i++) {
		struct bw_crumbs_part *p = &job->parts[job->n_parts];
		*p = (struct bw_crumbs_part){0};
		if (c->chunks[i].chunk_id != AMDGPU_CHUNK_ID_IB)
			continue;
		if (!is_marked(&c->chunks[i], &p->ib))
			tell_unmarked(&told, "its ring is not of graphics or compute");
		else if (c->in->bo_list_handle)
			tell_unmarked(&told,
				      "its list of buffers is one of the kernel's (BO_LIST)");
		else if (mark_one(c, go, &told, p)) {
			c->chunks[i].chunk_data = (uintptr_t)&p->ib;
			job->n_parts++;
		}
		told.ib++;
	}
}

struct bw_crumbs_job *bw_crumbs_begin(const struct bw_crumbs_call *c, uint32_t *out_handle)
{
	const struct bw_crumbs_go *go = bw_crumbs_link();
	struct bw_crumbs_job *job =
		go ? calloc(1, sizeof(*job) + (c->in->num_chunks + 1) * sizeof(job->parts[0]))
		   : NULL;
	if (!job)
		return NULL;
	pthread_mutex_lock(&g.lock);
	struct bw_agent_crumbs *crumbs = crumbs_of(c->file);
	if (crumbs)
		mark_all(c, go, job);
	pthread_mutex_unlock(&g.lock);
	if (!job->n_parts) {
		free(job);
		return NULL;
	}
	job->file = c->file;
	bw_agent_file_ref(c->file);
	*out_handle = crumbs->area.handle;
	return job;
}

void bw_crumbs_end(struct bw_crumbs_job *job, const struct drm_amdgpu_wait_cs_in *wait)
{
	if (!job)
		return;
	if (!wait) {
		bw_crumbs_give_back(job, 0);
		return;
	}
	job->wait = *wait;
	job->wait.timeout = 0;
	bw_crumbs_watch(job);
}
