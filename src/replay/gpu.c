/* SPDX-License-Identifier: MIT */
#include "replay/gpu.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/newer_drm.h"
#include "base/util.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B };
#define DOMAINS (AMDGPU_GEM_DOMAIN_GTT | AMDGPU_GEM_DOMAIN_VRAM)
/* What an address is rounded to that nobody has chosen. */
#define GAP_B (2ull << 20)
/* The first id of buffers that bw_replay_gpu_add makes: no capture counts so far. */
#define ADDED (UINT64_MAX - UINT32_MAX)

struct buffer {
	uint64_t id, size_b;
	uint32_t handle;
	uint8_t *cpu;
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
	struct BW_VEC(struct space) spaces;
};

static int call(int fd, unsigned long cmd, void *arg)
{
	int r;
	do
		r = ioctl(fd, cmd, arg);
	while (r < 0 && (errno == EINTR || errno == EAGAIN));
	return r < 0 ? -errno : 0;
}

static struct bw_error *gpu_error(int r, const char *what)
{
	return bw_error_errno(-r, "%s", what);
}

/* ---- Opening ---- */

static struct bw_error *open_node(const char *node, int *out)
{
	int fd = open(node, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return bw_error_errno(errno, "cannot open %s", node);
	*out = fd;
	return NULL;
}

struct bw_error *bw_replay_gpu_open(const char *node, struct bw_replay_gpu **out)
{
	_cleanup_close_ int fd = -1;
	struct drm_amdgpu_info_hw_ip ip = {0};
	struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)&ip,
				       .return_size = sizeof(ip),
				       .query = AMDGPU_INFO_HW_IP_INFO,
				       .query_hw_ip = {.type = AMDGPU_HW_IP_COMPUTE}};
	BW_TRY(open_node(node, &fd));
	int r = call(fd, DRM_IOCTL_AMDGPU_INFO, &info);
	if (r)
		return bw_error_wrap(gpu_error(r, "it cannot be used as an AMD GPU"), "%s", node);
	struct bw_replay_gpu *g = calloc(1, sizeof(*g));
	if (!g)
		return bw_error_nomem();
	g->node = node;
	memcpy(&g->version, (const char *)&ip + BW_HW_IP_DISCOVERY_VERSION_AT, sizeof(g->version));
	*out = g;
	return NULL;
}

uint32_t bw_replay_gpu_version(const struct bw_replay_gpu *g)
{
	return g->version;
}

static void free_buffer(struct space *s, size_t i)
{
	struct buffer *b = &s->buffers.data[i];
	struct drm_gem_close gone = {.handle = b->handle};
	if (b->cpu)
		munmap(b->cpu, bw_align_up(b->size_b, PAGE_B));
	call(s->fd, DRM_IOCTL_GEM_CLOSE, &gone);
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
	BW_TRY(open_node(g->node, &s.fd));
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

static struct bw_error *map_cpu(struct space *s, struct buffer *b)
{
	union drm_amdgpu_gem_mmap a = {.in = {.handle = b->handle}};
	int r = call(s->fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &a);
	if (r)
		return gpu_error(r, "GPU memory cannot be seen from the CPU");
	void *p = mmap(NULL, bw_align_up(b->size_b, PAGE_B), PROT_READ | PROT_WRITE, MAP_SHARED,
		       s->fd, (off_t)a.out.addr_ptr);
	if (p == MAP_FAILED)
		return bw_error_errno(errno, "GPU memory cannot be seen from the CPU");
	b->cpu = p;
	return NULL;
}

static struct bw_error *make_buffer(struct space *s, const struct bw_capture_buffer *info)
{
	/* The program's own pages become memory of the system. */
	uint32_t domains = info->flags & BW_CAPTURE_USERPTR ? AMDGPU_GEM_DOMAIN_GTT : info->domains;
	bool has_content = domains & DOMAINS;
	union drm_amdgpu_gem_create a = {
		.in = {.bo_size = info->size_b,
		       .alignment = PAGE_B,
		       .domains = has_content ? domains & DOMAINS : domains,
		       .domain_flags = has_content ? AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED |
							     AMDGPU_GEM_CREATE_VRAM_CLEARED
						   : 0}};
	BW_TRY(bw_vec_reserve(&s->buffers, s->buffers.len + 1));
	int r = call(s->fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &a);
	if (r)
		return bw_error_wrap(gpu_error(r, "no GPU memory"), "%llu bytes",
				     (unsigned long long)info->size_b);
	struct buffer *b = &s->buffers.data[s->buffers.len++];
	*b = (struct buffer){.id = info->id, .size_b = info->size_b, .handle = a.out.handle};
	return has_content ? map_cpu(s, b) : NULL;
}

static int map_gpu(const struct space *s, const struct bw_capture_map *m, uint32_t operation)
{
	const struct buffer *b = m->buffer ? find_buffer(s, m->buffer) : NULL;
	struct drm_amdgpu_gem_va a = {.handle = b ? b->handle : 0,
				      .operation = operation,
				      .flags = m->flags,
				      .va_address = m->va,
				      .offset_in_bo = m->offset_b,
				      .map_size = m->size_b};
	if (m->buffer && !b)
		return -ENOENT;
	return call(s->fd, DRM_IOCTL_AMDGPU_GEM_VA, &a);
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
			return gpu_error(r, "GPU memory cannot be unmapped");
		bw_vec_remove(&s->maps, i);
	}
	size_t n_kept = s->maps.len;
	bw_vec_each(&from->maps, m) {
		if (has_map(s->maps.data, n_kept, m))
			continue;
		int r = map_gpu(s, m, AMDGPU_VA_OP_MAP);
		if (r)
			return bw_error_wrap(gpu_error(r, "the kernel does not map it"),
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
		return b ? b->cpu : NULL;
	}
	return NULL;
}

static uint8_t *mapped_at(const struct space *s, const struct bw_capture_map *m, uint64_t va,
			  uint64_t *out_left_b)
{
	const struct buffer *b = find_buffer(s, m->buffer);
	uint64_t at = va - m->va + m->offset_b;
	if (!b || !b->cpu || at >= b->size_b)
		return NULL;
	*out_left_b = BW_MIN(b->size_b - at, m->size_b - (va - m->va));
	return b->cpu + at;
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
	memcpy(b->cpu, new->bytes, new->size_b);
	int r = map_gpu(s, &m, AMDGPU_VA_OP_MAP);
	if (r) {
		free_buffer(s, s->buffers.len - 1);
		return bw_error_wrap(gpu_error(r, "the kernel does not map it"),
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
	union drm_amdgpu_ctx a = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
	int r = call(s->fd, DRM_IOCTL_AMDGPU_CTX, &a);
	if (r)
		return gpu_error(r, "cannot make a context");
	*out = a.out.alloc.ctx_id;
	return bw_vec_push(&s->contexts, ((struct context){captured, a.out.alloc.ctx_id}));
}

struct chunks {
	struct BW_VEC(struct drm_amdgpu_cs_chunk) list;
	struct BW_VEC(struct drm_amdgpu_cs_chunk_ib) ibs;
	struct BW_VEC(struct drm_amdgpu_bo_list_entry) handles;
	struct drm_amdgpu_bo_list_in bo_list;
	struct drm_amdgpu_cs_chunk_fence fence;
};

static struct bw_error *add_chunk(struct chunks *c, uint32_t id, size_t size_b, const void *data)
{
	return bw_vec_push(&c->list, ((struct drm_amdgpu_cs_chunk){id, (uint32_t)(size_b / 4),
								   (uintptr_t)data}));
}

static struct bw_error *make_chunks(const struct space *s, const struct bw_capture_submission *sub,
				    struct chunks *c)
{
	enum { CP_GFX_SHADOW = 0x0a }; /* AMDGPU_CHUNK_ID_CP_GFX_SHADOW: addresses alone */
	bw_vec_each(&s->buffers, b)
		BW_TRY(bw_vec_push(&c->handles,
				   ((struct drm_amdgpu_bo_list_entry){.bo_handle = b->handle})));
	c->bo_list = (struct drm_amdgpu_bo_list_in){.operation = ~0u,
						    .list_handle = ~0u,
						    .bo_number = (uint32_t)c->handles.len,
						    .bo_info_size = sizeof(*c->handles.data),
						    .bo_info_ptr = (uintptr_t)c->handles.data};
	BW_TRY(add_chunk(c, AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(c->bo_list), &c->bo_list));
	BW_TRY(bw_vec_reserve(&c->ibs, sub->ibs.len));
	bw_vec_each(&sub->ibs, ib) {
		struct drm_amdgpu_cs_chunk_ib *one = &c->ibs.data[c->ibs.len++];
		*one = (struct drm_amdgpu_cs_chunk_ib){.flags = ib->flags,
						       .va_start = ib->va,
						       .ib_bytes = ib->size_b,
						       .ip_type = ib->ip_type,
						       .ip_instance = ib->ip_instance,
						       .ring = ib->ring};
		BW_TRY(add_chunk(c, AMDGPU_CHUNK_ID_IB, sizeof(*one), one));
	}
	const struct buffer *fence = sub->fence_buffer ? find_buffer(s, sub->fence_buffer) : NULL;
	if (fence) {
		c->fence = (struct drm_amdgpu_cs_chunk_fence){
			.handle = fence->handle, .offset = (uint32_t)sub->fence_offset_b};
		BW_TRY(add_chunk(c, AMDGPU_CHUNK_ID_FENCE, sizeof(c->fence), &c->fence));
	}
	bw_vec_each(&sub->chunks, k)
		if (k->id == CP_GFX_SHADOW)
			BW_TRY(add_chunk(c, k->id, k->size_b, k->data));
	return NULL;
}

static int submit(const struct space *s, uint32_t ctx_id, const struct chunks *c, uint64_t *out)
{
	_cleanup_free_ uint64_t *pointers = calloc(c->list.len, sizeof(*pointers));
	if (!pointers)
		return -ENOMEM;
	for (size_t i = 0; i < c->list.len; i++)
		pointers[i] = (uintptr_t)&c->list.data[i];
	union drm_amdgpu_cs a = {.in = {.ctx_id = ctx_id,
					.num_chunks = (uint32_t)c->list.len,
					.chunks = (uintptr_t)pointers}};
	int r = call(s->fd, DRM_IOCTL_AMDGPU_CS, &a);
	if (!r)
		*out = a.out.handle;
	return r;
}

static void wait_for(const struct space *s, const struct drm_amdgpu_wait_cs_in *in,
		     struct bw_capture_result *out)
{
	union drm_amdgpu_wait_cs a = {.in = *in};
	out->result = call(s->fd, DRM_IOCTL_AMDGPU_WAIT_CS, &a);
	out->has_ended = out->result || !a.out.status;
	struct bw_info_gpuvm_fault fault = {0};
	struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)&fault,
				       .return_size = sizeof(fault),
				       .query = BW_INFO_GPUVM_FAULT};
	if (out->result && !call(s->fd, DRM_IOCTL_AMDGPU_INFO, &info)) {
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
	struct chunks c = {0};
	uint32_t ctx_id = 0;
	uint64_t fence = 0;
	*out = (struct bw_capture_result){.has_ended = 1};
	BW_TRY(space_of(g, sub->summary.space, &s));
	struct bw_error *err = context_of(s, sub->summary.ctx_id, &ctx_id);
	if (!err)
		err = make_chunks(s, sub, &c);
	int r = err ? 0 : submit(s, ctx_id, &c, &fence);
	if (!err && r)
		out->result = r;
	const struct drm_amdgpu_wait_cs_in wait = {.handle = fence,
						   .timeout = deadline_ns(timeout_s),
						   .ip_type = sub->summary.ip_type,
						   .ip_instance = sub->summary.ip_instance,
						   .ring = sub->summary.ring,
						   .ctx_id = ctx_id};
	if (!err && !r)
		wait_for(s, &wait, out);
	bw_vec_free(&c.list);
	bw_vec_free(&c.ibs);
	bw_vec_free(&c.handles);
	return err;
}
