/* SPDX-License-Identifier: MIT */
#include "replay/gpu.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"
#include "node/node.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B };
#define DOMAINS (AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM)
/* What an address is rounded to that nobody has chosen. */
#define GAP_B (2ull << 20)
/* The first id of buffers that bw_replay_gpu_add makes: no capture counts so far. */
#define ADDED (UINT64_MAX - UINT32_MAX)

struct buffer {
	uint64_t id, size_b; /* size_b: as captured */
	struct bw_node_buffer made;
};

struct context {
	uint32_t captured, ctx_id;
};

struct space {
	uint32_t number;
	int fd;
	struct BW_VEC(struct buffer) buffers;	    /* of the capture and, from ADDED on, ours */
	struct BW_VEC(struct bw_capture_map) maps;  /* of the capture's buffers, by address */
	struct BW_VEC(struct bw_capture_map) added; /* of ours */
	struct BW_VEC(struct context) contexts;
};

struct bw_replay_gpu {
	const char *node;
	uint32_t version;
	unsigned n_engines;
	struct BW_VEC(struct space) spaces;
};

/* ---- Opening ---- */

struct bw_error *bw_replay_gpu_open(const char *node, struct bw_replay_gpu **out)
{
	int fd;
	uint32_t version;
	struct drm_amdgpu_info_device info = {0};
	BW_TRY(bw_node_open(node, &fd, &version));
	int r = bw_node_query(fd, AMDGPU_INFO_DEV_INFO, &info, sizeof(info));
	close(fd);
	struct bw_replay_gpu *g = calloc(1, sizeof(*g));
	if (!g)
		return bw_error_nomem();
	*g = (struct bw_replay_gpu){.node = node,
				    .version = version,
				    .n_engines = r ? 1 : BW_MAX(info.num_shader_engines, 1u)};
	*out = g;
	return NULL;
}

uint32_t bw_replay_gpu_version(const struct bw_replay_gpu *g)
{
	return g->version;
}

unsigned bw_replay_gpu_engines(const struct bw_replay_gpu *g)
{
	return g->n_engines;
}

static void free_buffer(struct space *s, size_t i)
{
	bw_node_buffer_close(s->fd, &s->buffers.data[i].made);
	bw_vec_remove(&s->buffers, i);
}

void bw_replay_gpu_close(struct bw_replay_gpu *g)
{
	if (!g)
		return;
	bw_vec_each(&g->spaces, s) {
		while (s->buffers.len)
			free_buffer(s, s->buffers.len - 1);
		bw_vec_free(&s->buffers);
		bw_vec_free(&s->maps);
		bw_vec_free(&s->added);
		bw_vec_free(&s->contexts);
		close(s->fd);
	}
	bw_vec_free(&g->spaces);
	free(g);
}

static struct bw_error *space_of(struct bw_replay_gpu *g, uint32_t number, struct space **out)
{
	bw_vec_each(&g->spaces, s) {
		if (s->number == number) {
			*out = s;
			return NULL;
		}
	}
	struct space s = {.number = number};
	BW_TRY(bw_vec_reserve(&g->spaces, g->spaces.len + 1));
	BW_TRY(bw_node_open(g->node, &s.fd, &g->version));
	g->spaces.data[g->spaces.len++] = s;
	*out = &g->spaces.data[g->spaces.len - 1];
	return NULL;
}

/* ---- Memory ---- */

static struct buffer *find_buffer(const struct space *s, uint64_t id)
{
	bw_vec_each(&s->buffers, b)
		if (b->id == id)
			return b;
	return NULL;
}

static struct bw_error *make_buffer(struct space *s, const struct bw_capture_buffer *info)
{
	/* The program's own pages become memory of the system. */
	uint32_t domains = info->flags & BW_CAPTURE_USERPTR ? AMDGPU_GEM_DOMAIN_GTT : info->domains;
	bool has_content = domains & DOMAINS;
	struct buffer b = {.id = info->id, .size_b = info->size_b};
	BW_TRY(bw_vec_reserve(&s->buffers, s->buffers.len + 1));
	BW_TRY(bw_node_buffer_make(s->fd, info->size_b, has_content ? domains & DOMAINS : domains,
				   has_content ? AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED |
							 AMDGPU_GEM_CREATE_VRAM_CLEARED
					       : 0,
				   &b.made));
	s->buffers.data[s->buffers.len++] = b;
	return NULL;
}

static int map_gpu(const struct space *s, const struct bw_capture_map *m, uint32_t operation)
{
	const struct buffer *b = m->buffer ? find_buffer(s, m->buffer) : NULL;
	if (m->buffer && !b)
		return -ENOENT;
	return bw_node_map(s->fd, (struct drm_amdgpu_gem_va){.handle = b ? b->made.handle : 0,
							     .operation = operation,
							     .flags = m->flags,
							     .va_address = m->va,
							     .offset_in_bo = m->offset_b,
							     .map_size = m->size_b});
}

static bool same_map(const struct bw_capture_map *a, const struct bw_capture_map *b)
{
	return a->va == b->va && a->size_b == b->size_b && a->offset_b == b->offset_b &&
	       a->buffer == b->buffer && a->flags == b->flags;
}

/* Both lists are sorted by address: what is in one of them only is unmapped, or mapped. */
static bool has_map(const struct bw_capture_map *maps, size_t n, const struct bw_capture_map *m)
{
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (maps[mid].va < m->va)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && same_map(&maps[lo], m);
}

static struct bw_error *check_maps(const struct bw_capture_space *from)
{
	for (size_t i = 1; i < from->maps.len; i++) {
		const struct bw_capture_map *a = &from->maps.data[i - 1], *b = a + 1;
		if ((a->va & BW_VA_MASK) >= (b->va & BW_VA_MASK))
			return bw_errorf(BW_E_INVALID,
					 "the capture is damaged: mappings are not in order");
	}
	return NULL;
}

static struct bw_error *map_all(struct space *s, const struct bw_capture_space *from)
{
	BW_TRY(check_maps(from));
	for (size_t i = s->maps.len; i-- > 0;) {
		struct bw_capture_map *m = &s->maps.data[i];
		if (has_map(from->maps.data, from->maps.len, m))
			continue;
		int r = map_gpu(s, m, AMDGPU_VA_OP_UNMAP);
		if (r)
			return bw_node_error(r, "GPU memory cannot be unmapped");
		bw_vec_remove(&s->maps, i);
	}
	size_t n_kept = s->maps.len;
	bw_vec_each(&from->maps, m) {
		if (has_map(s->maps.data, n_kept, m))
			continue;
		int r = map_gpu(s, m, AMDGPU_VA_OP_MAP);
		if (r)
			return bw_error_wrap(bw_node_error(r, "the kernel does not map it"),
					     "0x%llx, %llu bytes, where the capture has them",
					     (unsigned long long)m->va,
					     (unsigned long long)m->size_b);
	}
	BW_TRY(bw_vec_reserve(&s->maps, from->maps.len));
	if (from->maps.len)
		memcpy(s->maps.data, from->maps.data, from->maps.len * sizeof(*s->maps.data));
	s->maps.len = from->maps.len;
	return NULL;
}

struct bw_error *bw_replay_gpu_shape(struct bw_replay_gpu *g, const struct bw_capture_space *from)
{
	struct space *s;
	BW_TRY(space_of(g, from->number, &s));
	bw_vec_each(&from->buffers, b)
		if (!find_buffer(s, b->info.id))
			BW_TRY(make_buffer(s, &b->info));
	BW_TRY(map_all(s, from));
	/* last, for the kernel unmaps what is closed */
	for (size_t i = s->buffers.len; i-- > 0;)
		if (s->buffers.data[i].id < ADDED &&
		    !bw_capture_space_buffer(from, s->buffers.data[i].id))
			free_buffer(s, i);
	return NULL;
}

uint8_t *bw_replay_gpu_memory(struct bw_replay_gpu *g, uint32_t space, uint64_t buffer)
{
	bw_vec_each(&g->spaces, s) {
		if (s->number != space)
			continue;
		const struct buffer *b = find_buffer(s, buffer);
		return b ? b->made.cpu : NULL;
	}
	return NULL;
}

static uint8_t *mapped_at(const struct space *s, const struct bw_capture_map *m, uint64_t va,
			  uint64_t *out_left_b)
{
	const struct buffer *b = find_buffer(s, m->buffer);
	uint64_t at = va - m->va + m->offset_b;
	if (!b || !b->made.cpu || at >= b->size_b)
		return NULL;
	*out_left_b = BW_MIN(b->size_b - at, m->size_b - (va - m->va));
	return b->made.cpu + at;
}

uint8_t *bw_replay_gpu_at(struct bw_replay_gpu *g, uint32_t space, uint64_t va,
			  uint64_t *out_left_b)
{
	bw_vec_each(&g->spaces, s) {
		if (s->number != space)
			continue;
		bw_vec_each(&s->maps, m)
			if (va >= m->va && va - m->va < m->size_b)
				return mapped_at(s, m, va, out_left_b);
		bw_vec_each(&s->added, m)
			if (va >= m->va && va - m->va < m->size_b)
				return mapped_at(s, m, va, out_left_b);
	}
	return NULL;
}

bool bw_replay_gpu_read(struct bw_replay_gpu *g, uint32_t space, uint64_t va, void *out,
			size_t size_b)
{
	uint8_t *to = out;
	for (uint64_t left = size_b, here_b; left;) {
		const uint8_t *from = bw_replay_gpu_at(g, space, va, &here_b);
		if (!from)
			return false;
		size_t take = (size_t)BW_MIN(left, here_b);
		memcpy(to, from, take);
		to += take;
		va += take;
		left -= take;
	}
	return true;
}

/* ---- Memory that the capture does not have ---- */

/* After the highest mapping of the low half, which is where the captured program has put its own.
 */
static uint64_t free_va(const struct space *s, const struct bw_capture_space *from)
{
	uint64_t end = GAP_B;
	bw_vec_each(&from->maps, m)
		if (!(m->va >> (BW_VA_BITS - 1)))
			end = BW_MAX(end, m->va + m->size_b);
	bw_vec_each(&s->added, m)
		end = BW_MAX(end, m->va + m->size_b);
	return bw_align_up(end, GAP_B) + GAP_B;
}

static bool overlaps(const struct bw_capture_map *m, uint64_t va, uint64_t size_b)
{
	return va < m->va + m->size_b && m->va < va + size_b;
}

static bool is_free(const struct space *s, const struct bw_capture_space *from, uint64_t va,
		    uint64_t size_b)
{
	bw_vec_each(&from->maps, m)
		if (overlaps(m, va, size_b))
			return false;
	bw_vec_each(&s->added, m)
		if (overlaps(m, va, size_b))
			return false;
	return true;
}

struct bw_error *bw_replay_gpu_add(struct bw_replay_gpu *g, const struct bw_capture_space *from,
				   const struct bw_replay_new *new, uint64_t *out_va)
{
	struct space *s;
	BW_TRY(space_of(g, from->number, &s));
	const struct bw_capture_buffer info = {
		.id = ADDED + s->added.len,
		.size_b = bw_align_up(BW_MAX(new->size_b, (size_t)1), PAGE_B),
		.domains = AMDGPU_GEM_DOMAIN_GTT};
	const struct bw_capture_map m = {.va = new->va ? new->va : free_va(s, from),
					 .size_b = info.size_b,
					 .buffer = info.id,
					 .flags = AMDGPU_VM_PAGE_READABLE |
						  AMDGPU_VM_PAGE_WRITEABLE |
						  AMDGPU_VM_PAGE_EXECUTABLE};
	if (m.va % PAGE_B || !is_free(s, from, m.va, m.size_b))
		return bw_errorf(BW_E_INVALID, "new memory of %llu bytes cannot be at 0x%llx: %s",
				 (unsigned long long)m.size_b, (unsigned long long)m.va,
				 m.va % PAGE_B ? "that is not a multiple of 4096"
					       : "something is mapped there");
	BW_TRY(bw_vec_reserve(&s->added, s->added.len + 1));
	BW_TRY(make_buffer(s, &info));
	struct buffer *b = &s->buffers.data[s->buffers.len - 1];
	memcpy(b->made.cpu, new->bytes, new->size_b);
	int r = map_gpu(s, &m, AMDGPU_VA_OP_MAP);
	if (r) {
		free_buffer(s, s->buffers.len - 1);
		return bw_error_wrap(bw_node_error(r, "the kernel does not map it"),
				     "new memory of %llu bytes at 0x%llx",
				     (unsigned long long)m.size_b, (unsigned long long)m.va);
	}
	s->added.data[s->added.len++] = m;
	*out_va = m.va;
	return NULL;
}

void bw_replay_gpu_drop_added(struct bw_replay_gpu *g, uint32_t space)
{
	bw_vec_each(&g->spaces, s) {
		if (s->number != space)
			continue;
		/* the kernel unmaps what is closed */
		for (size_t i = s->buffers.len; i-- > 0;)
			if (s->buffers.data[i].id >= ADDED)
				free_buffer(s, i);
		s->added.len = 0;
	}
}

/* ---- Submissions ---- */

static struct bw_error *context_of(struct space *s, uint32_t captured, uint32_t *out)
{
	bw_vec_each(&s->contexts, c) {
		if (c->captured == captured) {
			*out = c->ctx_id;
			return NULL;
		}
	}
	BW_TRY(bw_node_context(s->fd, out));
	return bw_vec_push(&s->contexts, ((struct context){captured, *out}));
}

/* fence: room for what a chunk points to. */
static struct bw_error *make_job(const struct space *s, const struct bw_capture_submission *sub,
				 struct drm_amdgpu_cs_chunk_fence *fence, struct bw_node_job *job)
{
	enum { CP_GFX_SHADOW = 0x0a }; /* AMDGPU_CHUNK_ID_CP_GFX_SHADOW: addresses alone */
	bw_vec_each(&s->buffers, b)
		BW_TRY(bw_vec_push(&job->buffers, ((struct drm_amdgpu_bo_list_entry){
							  .bo_handle = b->made.handle})));
	bw_vec_each(&sub->ibs, ib)
		BW_TRY(bw_vec_push(&job->ibs,
				   ((struct drm_amdgpu_cs_chunk_ib){.flags = ib->flags,
								    .va_start = ib->va,
								    .ib_bytes = ib->size_b,
								    .ip_type = ib->ip_type,
								    .ip_instance = ib->ip_instance,
								    .ring = ib->ring})));
	const struct buffer *b = sub->fence_buffer ? find_buffer(s, sub->fence_buffer) : NULL;
	if (b) {
		*fence = (struct drm_amdgpu_cs_chunk_fence){
			.handle = b->made.handle, .offset = (uint32_t)sub->fence_offset_b};
		BW_TRY(bw_vec_push(&job->more, ((struct drm_amdgpu_cs_chunk){AMDGPU_CHUNK_ID_FENCE,
									     sizeof(*fence) / 4,
									     (uintptr_t)fence})));
	}
	bw_vec_each(&sub->chunks, k)
		if (k->id == CP_GFX_SHADOW)
			BW_TRY(bw_vec_push(&job->more, ((struct drm_amdgpu_cs_chunk){
							       k->id, (uint32_t)(k->size_b / 4),
							       (uintptr_t)k->data})));
	return NULL;
}

static void wait_for(const struct space *s, struct drm_amdgpu_wait_cs_in in,
		     struct bw_capture_result *out)
{
	bool has_ended;
	struct bw_info_gpuvm_fault fault;
	out->result = bw_node_wait(s->fd, in, &has_ended);
	out->has_ended = has_ended;
	if (out->result && bw_node_fault(s->fd, &fault)) {
		out->fault_va = fault.addr;
		out->fault_status = fault.status;
	}
}

static uint64_t deadline_ns(uint64_t timeout_s)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((uint64_t)t.tv_sec + timeout_s) * 1000000000 + (uint64_t)t.tv_nsec;
}

struct bw_error *bw_replay_gpu_submit(struct bw_replay_gpu *g,
				      const struct bw_capture_submission *sub, uint64_t timeout_s,
				      struct bw_capture_result *out)
{
	struct space *s;
	struct drm_amdgpu_cs_chunk_fence fence_chunk;
	struct bw_node_job job = {0};
	uint64_t fence = 0;
	/* not of the summary, which has the queue that the program used */
	const struct bw_capture_ib *last =
		sub->ibs.len ? &sub->ibs.data[sub->ibs.len - 1] : &(struct bw_capture_ib){0};
	*out = (struct bw_capture_result){.has_ended = 1};
	BW_TRY(space_of(g, sub->summary.space, &s));
	struct bw_error *err = context_of(s, sub->summary.ctx_id, &job.ctx_id);
	if (!err)
		err = make_job(s, sub, &fence_chunk, &job);
	if (!err)
		out->result = bw_node_submit(s->fd, &job, &fence);
	if (!err && !out->result)
		wait_for(s,
			 (struct drm_amdgpu_wait_cs_in){.handle = fence,
							.timeout = deadline_ns(timeout_s),
							.ip_type = last->ip_type,
							.ip_instance = last->ip_instance,
							.ring = last->ring,
							.ctx_id = job.ctx_id},
			 out);
	bw_node_job_fini(&job);
	return err;
}
