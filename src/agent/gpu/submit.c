/* SPDX-License-Identifier: MIT */
#include "agent/gpu/submit.h"

#include <amdgpu_drm.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "agent/breadcrumbs/crumbs.h"
#include "agent/capture/capture.h"
#include "agent/debugger/debugger.h"
#include "agent/gpu/fences.h"
#include "agent/memory/chunk.h"
#include "agent/memory/memory.h"
#include "agent/memory/stomp.h"
#include "agent/names/names.h"
#include "agent/opencl/launches.h"
#include "agent/shaders/code_swap.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "base/vec.h"
#include "pm4/pm4.h"
#include "pm4/scan.h"
#include "regs/field.h"

enum {
	CHUNKS_MAX = 512,      /* of a submission: more than the kernel's own limits on IBs */
	DATA_MAX_B = 1 << 20,  /* of all chunks, for copying them at once */
	DISPATCHES_MAX = 4096, /* shown of one submission; the rest is run, not shown */
	DRAWS_MAX = 1024,      /* the same */
};

/* The value that SET_SH_REG has set in a register, or in the one n after it. */
#define SH_AFTER(state, name, n)                                                                   \
	((state)->sh[BW_REG_GC_DW(COMPUTE_##name) - BW_PM4_SH_BEGIN_DW + (n)])
#define SH(state, name) SH_AFTER(state, name, 0)
/* The same of a stage of a draw. */
#define SPI(state, name) ((state)->sh[BW_REG_GC_DW(SPI_SHADER_##name) - BW_PM4_SH_BEGIN_DW])
#define SPI_FIELD(state, name, field) BW_FIELD_GET(SPI_SHADER_##name, field, SPI(state, name))
/* The address of the packet's word that has set it. */
#define SH_VA(state, name) ((state)->sh_va[BW_REG_GC_DW(COMPUTE_##name) - BW_PM4_SH_BEGIN_DW])

struct submission {
	struct bw_agent_file *file;
	struct drm_amdgpu_cs_in in;
	struct drm_amdgpu_cs_chunk chunks[CHUNKS_MAX + 2]; /* ours after those of the program */
	uint8_t *data; /* copy of the chunks' data; NULL: it is in the program's memory */
	struct bw_pm4_ib_scan scan;
	struct bw_agent_dispatches dispatches;
	struct bw_code_places places; /* of the dispatches */
	/* Two for each draw. Replaced code does not know them. */
	struct bw_agent_dispatches draws;
	struct BW_VEC(size_t) drawn_at; /* for each: number of dispatches before it */
	struct bw_agent_dispatches all; /* both, in their order (put_in_order) */
	struct bw_names_blob blob;
	uint32_t ip_type, ip_instance, ring; /* of the last IB, whose fence the call returns */
};

/* Looking at command buffers */

static void add_dispatch(struct submission *s, const struct bw_pm4_find *found, uint64_t packet_va)
{
	const struct bw_pm4_scan *r = found->state;
	struct bw_agent_dispatch d = {
		.code_va = bw_canonical(bw_join_256b(
			BW_FIELD_GET(COMPUTE_PGM_HI, DATA, SH(r, PGM_HI)), SH(r, PGM_LO))),
		.rsrc1 = SH(r, PGM_RSRC1),
		.rsrc2 = SH(r, PGM_RSRC2),
		.rsrc3 = SH(r, PGM_RSRC3),
		.initiator = found->dispatch.initiator,
		.tmpring_size = SH(r, TMPRING_SIZE),
		.scratch_base_lo = SH(r, DISPATCH_SCRATCH_BASE_LO),
		.scratch_base_hi = SH(r, DISPATCH_SCRATCH_BASE_HI),
		.packet_va = packet_va,
		.indirect_va = found->indirect ? found->indirect_va : 0,
		.is_task = found->dispatch.is_task,
	};
	for (unsigned i = 0; i < 3; i++) {
		d.groups[i] = found->dispatch.dim[i];
		d.group_size[i] = BW_FIELD_GET(COMPUTE_NUM_THREAD_X, NUM_THREAD_FULL,
					       SH_AFTER(r, NUM_THREAD_X, i));
	}
	for (unsigned i = 0; i < 16; i++)
		d.user_data[i] = SH_AFTER(r, USER_DATA_0, i);
	const struct bw_code_place place = {SH_VA(r, PGM_RSRC1), SH_VA(r, PGM_RSRC2)};
	if (s->dispatches.len >= DISPATCHES_MAX || s->places.len != s->dispatches.len)
		return;
	struct bw_error *err = bw_vec_push(&s->places, place);
	if (!err)
		err = bw_vec_push(&s->dispatches, d);
	bw_error_free(err);
}

/* The stages' resource words as those of compute, as far as a debugger reads them. */
#define RSRC1_OF(r, stage)                                                                         \
	BW_FIELD(COMPUTE_PGM_RSRC1, VGPRS, SPI_FIELD(r, PGM_RSRC1_##stage, VGPRS))
#define RSRC2_OF(r, stage)                                                                         \
	(BW_FIELD(COMPUTE_PGM_RSRC2, SCRATCH_EN, SPI_FIELD(r, PGM_RSRC2_##stage, SCRATCH_EN)) |    \
	 BW_FIELD(COMPUTE_PGM_RSRC2, EXCP_EN, SPI_FIELD(r, PGM_RSRC2_##stage, EXCP_EN)))

/* A draw is its two shaders, which have waves. */
static void add_draw(struct submission *s, const struct bw_pm4_find *found, uint64_t packet_va)
{
	const struct bw_pm4_scan *r = found->state;
	struct bw_agent_dispatch stages[] = {
		{.stage = BW_AGENT_VERTEX,
		 .code_va = bw_canonical(
			 bw_join_256b(SPI_FIELD(r, PGM_HI_ES, MEM_BASE), SPI(r, PGM_LO_ES))),
		 .hull_va = r->has_hull
				    ? bw_canonical(bw_join_256b(SPI_FIELD(r, PGM_HI_LS, MEM_BASE),
								SPI(r, PGM_LO_LS)))
				    : 0,
		 .rsrc1 = RSRC1_OF(r, GS),
		 .rsrc2 = RSRC2_OF(r, GS) |
			  BW_FIELD(COMPUTE_PGM_RSRC2, LDS_SIZE,
				   SPI_FIELD(r, PGM_RSRC2_GS, LDS_SIZE)) |
			  (r->has_hull ? RSRC2_OF(r, HS) : 0)},
		{.stage = BW_AGENT_PIXEL,
		 .code_va = bw_canonical(
			 bw_join_256b(SPI_FIELD(r, PGM_HI_PS, MEM_BASE), SPI(r, PGM_LO_PS))),
		 .rsrc1 = RSRC1_OF(r, PS),
		 .rsrc2 = RSRC2_OF(r, PS)},
	};
	if (s->draws.len >= 2 * (size_t)DRAWS_MAX || s->drawn_at.len != s->draws.len)
		return;
	for (size_t i = 0; i < BW_ARRAY_SIZE(stages); i++) {
		struct bw_agent_dispatch *d = &stages[i];
		d->tmpring_size = r->tmpring_size;
		d->initiator = (i ? r->pixels_w32 : r->vertices_w32) ? BW_PM4_INIT_CS_W32_EN : 0;
		d->packet_va = packet_va;
		d->n_vertices = found->draw.n;
		d->n_instances = found->draw.n_instances;
		d->n_draws = found->draw.n_draws;
		d->is_indexed = found->draw.is_indexed;
		d->is_task = found->draw.is_task;
		for (unsigned k = 0; k < 3; k++)
			d->groups[k] = UINT32_MAX;
		for (unsigned k = 0; k < BW_ARRAY_SIZE(d->user_data); k++)
			d->user_data[k] =
				i ? (&SPI(r, USER_DATA_PS_0))[k] : (&SPI(r, USER_DATA_GS_0))[k];
		struct bw_error *err = bw_vec_push(&s->drawn_at, s->dispatches.len);
		if (!err)
			err = bw_vec_push(&s->draws, *d);
		bw_error_free(err);
	}
}

static bool on_find(void *cookie, const struct bw_pm4_find *found, uint64_t packet_va)
{
	struct submission *s = cookie;
	if (found->what == BW_PM4_FOUND_DISPATCH)
		add_dispatch(s, found, packet_va);
	else
		add_draw(s, found, packet_va);
	return true;
}

/* An IB that cannot be read is not shown: the GPU will report the fault. */
static bool read_ib(void *cookie, uint64_t va, uint32_t *out, size_t n)
{
	struct submission *s = cookie;
	uint64_t bad_va;
	return !bw_memory_read(s->file, va, out, n * 4, &bad_va);
}

/* False: the kernel would refuse this submission; it is left to the kernel to say so. */
static bool read_chunks(struct submission *s, uint32_t cmd, void *arg)
{
	union drm_amdgpu_cs a;
	if (_IOC_SIZE(cmd) < sizeof(a) || !bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)) ||
	    a.in.num_chunks > CHUNKS_MAX)
		return false;
	uint64_t at[CHUNKS_MAX];
	struct iovec pieces[CHUNKS_MAX];
	s->in = a.in;
	if (!bw_agent_copy_in(at, a.in.chunks, a.in.num_chunks * sizeof(*at)))
		return false;
	for (uint32_t i = 0; i < a.in.num_chunks; i++)
		pieces[i] = (struct iovec){(void *)(uintptr_t)at[i], sizeof(*s->chunks)};
	return bw_agent_copy_in_each(s->chunks, pieces, a.in.num_chunks);
}

/* Copies what the chunks point to, so that it is read once, and what is submitted is what was
 * looked at. Where it cannot be read, or is too much, the chunks stay as they are. */
static void copy_data(struct submission *s)
{
	struct iovec pieces[CHUNKS_MAX];
	size_t size_b = 0;
	for (uint32_t i = 0; i < s->in.num_chunks && size_b <= DATA_MAX_B; i++) {
		const struct drm_amdgpu_cs_chunk *c = &s->chunks[i];
		pieces[i] = (struct iovec){(void *)(uintptr_t)c->chunk_data, c->length_dw * 4ull};
		size_b += pieces[i].iov_len;
	}
	_cleanup_free_ uint8_t *data = size_b && size_b <= DATA_MAX_B ? malloc(size_b) : NULL;
	if (!data || !bw_agent_copy_in_each(data, pieces, s->in.num_chunks))
		return;
	s->data = bw_take(data);
	for (uint32_t i = 0, at = 0; i < s->in.num_chunks; i++) {
		s->chunks[i].chunk_data = (uintptr_t)s->data + at;
		at += s->chunks[i].length_dw * 4;
	}
}

static void scan_chunks(struct submission *s, bool look_inside)
{
	for (uint32_t i = 0; i < s->in.num_chunks; i++) {
		struct drm_amdgpu_cs_chunk_ib ib;
		if (s->chunks[i].chunk_id != AMDGPU_CHUNK_ID_IB ||
		    s->chunks[i].length_dw < sizeof(ib) / 4 ||
		    !bw_chunk_read(&s->chunks[i], s->data, &ib, sizeof(ib)))
			continue;
		s->ip_type = ib.ip_type;
		s->ip_instance = ib.ip_instance;
		s->ring = ib.ring;
		if (look_inside &&
		    (ib.ip_type == AMDGPU_HW_IP_COMPUTE || ib.ip_type == AMDGPU_HW_IP_GFX))
			bw_pm4_scan_ib(&s->scan, ib.va_start, ib.ib_bytes / 4);
	}
}

/* Buffers of ours that must be on the residency list of a call: those that are shared with another
 * process cannot be always resident. */
struct extra {
	uint32_t handles[2];
	uint32_t n;
	bool has_new_chunks;	    /* s->chunks are not those of the program */
	struct bw_vgpu_stomp stomp; /* the fill of the waves; what 0: none */
};

/* The program's list with ours after it; *out_entries: owned. */
static bool extend_list(const struct submission *s, const struct extra *x, uint32_t list_at,
			struct drm_amdgpu_bo_list_in *list,
			struct drm_amdgpu_bo_list_entry **out_entries)
{
	if (list_at < s->in.num_chunks &&
	    (s->chunks[list_at].length_dw < sizeof(*list) / 4 ||
	     !bw_agent_copy_in(list, s->chunks[list_at].chunk_data, sizeof(*list)) ||
	     list->bo_number > 1 << 20))
		return false;
	uint32_t stride = list->bo_info_size;
	_cleanup_free_ struct drm_amdgpu_bo_list_entry *entries =
		calloc((size_t)list->bo_number + x->n, sizeof(*entries));
	if (!entries || stride < sizeof(*entries))
		return false;
	bool packed = stride == sizeof(*entries);
	if (packed &&
	    !bw_agent_copy_in(entries, list->bo_info_ptr, list->bo_number * sizeof(*entries)))
		return false;
	for (uint32_t i = 0; !packed && i < list->bo_number; i++)
		if (!bw_agent_copy_in(&entries[i], list->bo_info_ptr + (uint64_t)i * stride,
				      sizeof(*entries)))
			return false;
	for (uint32_t i = 0; i < x->n; i++)
		entries[list->bo_number++].bo_handle = x->handles[i];
	list->bo_info_size = sizeof(*entries);
	list->bo_info_ptr = (uintptr_t)entries;
	*out_entries = bw_take(entries);
	return true;
}

/* The program's call. Its result goes into out as well. */
static int call_as_it_is(const struct submission *s, uint32_t cmd, void *arg,
			 union drm_amdgpu_cs *out)
{
	int r = bw_agent_ioctl(s->file, cmd, arg);
	return !r && !bw_agent_copy_in(out, (uintptr_t)arg, sizeof(*out)) ? -EFAULT : r;
}

/* out_changed: the call was made with the extra buffers, and s->chunks. out: the result. */
static int call_with(struct submission *s, uint32_t cmd, void *arg, const struct extra *x,
		     bool *out_changed, union drm_amdgpu_cs *out)
{
	bool lists = (x->n || x->has_new_chunks) && !s->in.bo_list_handle;
	*out_changed = false;
	if (!lists && !x->stomp.what && !s->data)
		return call_as_it_is(s, cmd, arg, out);
	struct drm_amdgpu_bo_list_in list = {.operation = ~0u,
					     .list_handle = ~0u,
					     .bo_info_size =
						     sizeof(struct drm_amdgpu_bo_list_entry)};
	uint32_t n = s->in.num_chunks, list_at = n;
	for (uint32_t i = 0; i < n; i++)
		if (s->chunks[i].chunk_id == AMDGPU_CHUNK_ID_BO_HANDLES)
			list_at = i;
	_cleanup_free_ struct drm_amdgpu_bo_list_entry *entries = NULL;
	if (lists && !extend_list(s, x, list_at, &list, &entries))
		return call_as_it_is(s, cmd, arg, out);
	if (lists) {
		s->chunks[list_at] = (struct drm_amdgpu_cs_chunk){
			AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(list) / 4, (uintptr_t)&list};
		n = BW_MAX(n, list_at + 1);
	}
	if (x->stomp.what)
		s->chunks[n++] = (struct drm_amdgpu_cs_chunk){
			BW_VGPU_CHUNK_STOMP, sizeof(x->stomp) / 4, (uintptr_t)&x->stomp};
	uint64_t pointers[CHUNKS_MAX + 2];
	for (uint32_t i = 0; i < n; i++)
		pointers[i] = (uintptr_t)&s->chunks[i];
	*out = (union drm_amdgpu_cs){.in = s->in};
	out->in.num_chunks = n;
	out->in.chunks = (uintptr_t)pointers;
	*out_changed = lists;
	int r = (s->data ? bw_agent_own_ioctl : bw_agent_ioctl)(s->file, DRM_IOCTL_AMDGPU_CS, out);
	return !r && !bw_agent_copy_out(arg, &out->out, sizeof(out->out)) ? -EFAULT : r;
}

static bool has_waves(const struct submission *s)
{
	return s->ip_type == AMDGPU_HW_IP_COMPUTE || s->ip_type == AMDGPU_HW_IP_GFX;
}

static struct drm_amdgpu_wait_cs_in wait_of(const struct submission *s, uint64_t fence)
{
	return (struct drm_amdgpu_wait_cs_in){.handle = fence,
					      .ip_type = s->ip_type,
					      .ip_instance = s->ip_instance,
					      .ring = s->ring,
					      .ctx_id = s->in.ctx_id};
}

static void start_wait(const struct submission *s, struct bw_attach_left *job, uint32_t number,
		       uint64_t fence)
{
	const struct drm_amdgpu_wait_cs_in in = wait_of(s, fence);
	bw_fence_wait(s->file, &in, job, number);
}

/* ---- Submissions made before the debugger attached ---- */

/* The last submissions of a file that is ready for one: enough to look at again. */
enum { RECENT = 16, RECENT_IBS = 4 };
struct bw_recent {
	struct recent_one {
		struct drm_amdgpu_wait_cs_in wait; /* handle 0: none */
		struct {
			uint64_t va;
			uint32_t size_dw;
		} ibs[RECENT_IBS];
		unsigned n_ibs;
		struct bw_names_kept *names; /* owned */
	} one[RECENT];
	unsigned next;
};
static pthread_mutex_t recent_lock = PTHREAD_MUTEX_INITIALIZER;

static void remember(const struct submission *s, uint64_t fence)
{
	struct recent_one one = {.wait = {.handle = fence, .ctx_id = s->in.ctx_id}};
	for (uint32_t i = 0; i < s->in.num_chunks && one.n_ibs < RECENT_IBS; i++) {
		struct drm_amdgpu_cs_chunk_ib ib;
		if (s->chunks[i].chunk_id != AMDGPU_CHUNK_ID_IB ||
		    s->chunks[i].length_dw < sizeof(ib) / 4 ||
		    !bw_chunk_read(&s->chunks[i], s->data, &ib, sizeof(ib)))
			continue;
		one.wait.ip_type = ib.ip_type;
		one.wait.ip_instance = ib.ip_instance;
		one.wait.ring = ib.ring;
		if (ib.ip_type != AMDGPU_HW_IP_COMPUTE && ib.ip_type != AMDGPU_HW_IP_GFX)
			return;
		one.ibs[one.n_ibs].va = ib.va_start;
		one.ibs[one.n_ibs++].size_dw = ib.ib_bytes / 4;
	}
	one.names = bw_names_keep();
	pthread_mutex_lock(&recent_lock);
	if (!s->file->recent)
		s->file->recent = calloc(1, sizeof(*s->file->recent));
	if (s->file->recent) {
		struct recent_one *slot = &s->file->recent->one[s->file->recent->next++ % RECENT];
		struct bw_names_kept *old = slot->names;
		*slot = one;
		one.names = old;
	}
	pthread_mutex_unlock(&recent_lock);
	bw_names_kept_free(one.names);
}

void bw_submit_forget(struct bw_agent_file *f)
{
	for (unsigned i = 0; f->recent && i < RECENT; i++)
		bw_names_kept_free(f->recent->one[i].names);
	free(f->recent);
	f->recent = NULL;
}

static bool is_over(struct bw_agent_file *f, const struct recent_one *one)
{
	union drm_amdgpu_wait_cs a = {.in = one->wait}; /* timeout 0: only look */
	return !one->wait.handle || bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_WAIT_CS, &a) ||
	       !a.out.status;
}

/* Its dispatches and draws in their order; empty if there is no memory. */
static void put_in_order(struct submission *s)
{
	struct bw_error *err = bw_vec_reserve(&s->all, s->dispatches.len + s->draws.len);
	for (size_t i = 0, k = 0; !err && (i < s->dispatches.len || k < s->draws.len);)
		s->all.data[s->all.len++] = k < s->draws.len && s->drawn_at.data[k] <= i
						    ? s->draws.data[k++]
						    : s->dispatches.data[i++];
	bw_error_free(err);
}

/* The message to the debugger about a submission that has been scanned. */
static struct bw_agent_submit event_of(const struct submission *s, uint32_t frame)
{
	struct bw_agent_submit event = {.file = s->file->number,
					.ctx_id = s->in.ctx_id,
					.ip_type = s->ip_type,
					.ring = s->ring,
					.n_dispatches = (uint32_t)s->all.len,
					.frame = frame,
					.blob_b = (uint32_t)s->blob.len};
	return event;
}

static struct submission *new_submission(struct bw_agent_file *f)
{
	struct submission *s = calloc(1, sizeof(*s));
	if (s) {
		s->file = f;
		s->scan = (struct bw_pm4_ib_scan){.read = read_ib, .found = on_find, .cookie = s};
	}
	return s;
}

static void free_submission(struct submission *s)
{
	bw_vec_free(&s->dispatches);
	bw_vec_free(&s->places);
	bw_vec_free(&s->draws);
	bw_vec_free(&s->drawn_at);
	bw_vec_free(&s->all);
	bw_vec_free(&s->blob);
	free(s->data);
	free(s);
}

static void show_again(struct bw_agent_file *f, const struct recent_one *one)
{
	struct submission *s = new_submission(f);
	if (!s)
		return;
	s->in.ctx_id = one->wait.ctx_id;
	s->ip_type = one->wait.ip_type;
	s->ip_instance = one->wait.ip_instance;
	s->ring = one->wait.ring;
	for (unsigned i = 0; i < one->n_ibs; i++)
		bw_pm4_scan_ib(&s->scan, one->ibs[i].va, one->ibs[i].size_dw);
	uint32_t frame = bw_names_match_kept(one->names, &s->dispatches, &s->draws, &s->blob);
	bw_launches_match(f, &s->dispatches, &s->blob);
	put_in_order(s);
	struct bw_agent_submit event = event_of(s, frame);
	if (event.n_dispatches)
		bw_fence_wait_again(f, &one->wait,
				    bw_debugger_show(f, &event, s->all.data, s->blob.data));
	free_submission(s);
}

void bw_submit_show_running(struct bw_agent_file *f)
{
	struct bw_recent all = {0};
	pthread_mutex_lock(&recent_lock);
	if (f->recent)
		all = *f->recent;
	for (unsigned i = 0; i < RECENT; i++)
		all.one[i].names = bw_names_kept_copy(all.one[i].names);
	pthread_mutex_unlock(&recent_lock);
	for (unsigned i = 0; i < RECENT; i++) {
		const struct recent_one *one = &all.one[(all.next + i) % RECENT];
		if (!is_over(f, one))
			show_again(f, one);
		bw_names_kept_free(one->names);
	}
}

static bool begin_capture(const struct submission *s, uint32_t frame)
{
	return bw_agent_capture_begin(&(struct bw_capture_call){.file = s->file,
								.in = &s->in,
								.chunks = s->chunks,
								.is_copied = s->data,
								.dispatches = &s->all,
								.blob = &s->blob,
								.frame = frame});
}

static void end_capture(const struct submission *s, int r, uint64_t fence)
{
	const struct drm_amdgpu_wait_cs_in wait = wait_of(s, fence);
	bw_agent_capture_end(s->file, r, &wait);
}

static struct bw_crumbs_job *begin_crumbs(struct submission *s, struct extra *x)
{
	uint32_t handle = 0;
	struct bw_crumbs_job *job = bw_crumbs_begin(&(struct bw_crumbs_call){.file = s->file,
									     .in = &s->in,
									     .chunks = s->chunks,
									     .dispatches = &s->all,
									     .blob = &s->blob},
						    &handle);
	if (job) {
		x->handles[x->n++] = handle;
		x->has_new_chunks = true;
	}
	return job;
}

static void end_crumbs(const struct submission *s, struct bw_crumbs_job *job, bool was_made,
		       uint64_t fence)
{
	const struct drm_amdgpu_wait_cs_in wait = wait_of(s, fence);
	bw_crumbs_end(job, was_made ? &wait : NULL);
}

int bw_submit(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	uint32_t number = 0, area_handle = 0;
	bool listens = bw_debugger_listens(f);
	/* a debugger that has just detached may still need what it left in place */
	struct bw_attach_left *job = listens ? NULL : bw_debugger_job_begun(f, &area_handle);
	bool captures = bw_agent_captures(), has_crumbs = bw_crumbs_are_on();
	bool swaps = bw_code_swap_is_on(), stomps = bw_agent_config()->folders[BW_AGENT_STOMP];
	struct submission *s =
		listens || job || area_handle || captures || has_crumbs || swaps || stomps
			? new_submission(f)
			: NULL;
	if (!s) {
		bw_debugger_job_ended(job);
		return bw_agent_ioctl(f, cmd, arg);
	}
	bool read = read_chunks(s, cmd, arg);
	if (read)
		copy_data(s);
	bool looks = read && (listens || captures || has_crumbs || swaps);
	if (read && (looks || job))
		scan_chunks(s, looks);
	uint32_t frame = looks ? bw_names_match(&s->dispatches, &s->draws, &s->blob) : 0;
	if (looks)
		bw_launches_match(f, &s->dispatches, &s->blob);
	if (looks && swaps)
		bw_code_swap(f, &s->dispatches, &s->places);
	put_in_order(s);
	if (read && listens) {
		struct bw_agent_submit event = event_of(s, frame);
		if (event.n_dispatches)
			number = bw_debugger_hold(f, &event, s->all.data, s->blob.data);
		job = bw_debugger_job_begun(f, &area_handle);
	}
	captures = read && captures && begin_capture(s, frame);
	struct extra x = {.handles = {area_handle}, .n = area_handle != 0};
	if (read && stomps)
		bw_stomp_submission(&x.stomp);
	struct bw_crumbs_job *crumbs = read && has_crumbs ? begin_crumbs(s, &x) : NULL;
	bool changed = false;
	union drm_amdgpu_cs out = {0};
	int r = read ? call_with(s, cmd, arg, &x, &changed, &out) : bw_agent_ioctl(f, cmd, arg);
	bool made = !r && read;
	end_crumbs(s, crumbs, made && changed, made ? out.out.handle : 0);
	if (captures)
		end_capture(s, made ? 0 : r, made ? out.out.handle : 0);
	if (made && read && bw_debugger_is_ready(f))
		remember(s, out.out.handle);
	if (number && r)
		bw_debugger_done(number, r);
	/* of one that is not shown, a failure is reported */
	if (made && (number || (job && has_waves(s)) || (read && listens)))
		start_wait(s, job, number, out.out.handle);
	else
		bw_debugger_job_ended(job);
	free_submission(s);
	return r;
}
