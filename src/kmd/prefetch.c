/* SPDX-License-Identifier: MIT */
#include "kmd/prefetch.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/util.h"
#include "wire/vgpu_proto.h"

enum { MAX_CHUNKS = 32 };

struct prefetch {
	uint8_t *out;
	size_t len, cap;
	bool is_own; /* the memory read now is the caller's own, and valid */
};

struct range {
	uint64_t va;
	uint64_t size_b;
};

static bool read_all(const struct prefetch *a, const struct iovec *to, const struct iovec *from,
		     size_t n, size_t size_b)
{
	if (!a->is_own)
		return process_vm_readv(getpid(), to, n, from, n, 0) == (ssize_t)size_b;
	for (size_t i = 0; i < n; i++)
		if (to[i].iov_len)
			memcpy(to[i].iov_base, from[i].iov_base, to[i].iov_len);
	return true;
}

/* Adds a piece for each range, read in one call. Returns the bytes of the first one; NULL, with
 * nothing added, where they do not fit or cannot all be read. */
static const uint8_t *add_range(struct prefetch *a, const struct range *ranges, size_t n)
{
	struct iovec to[MAX_CHUNKS], from[MAX_CHUNKS];
	size_t len = a->len, n_iov = 0, want = 0;
	for (size_t i = 0; i < n; i++) {
		struct bw_vgpu_user head = {.va = ranges[i].va,
					    .size_b = (uint32_t)ranges[i].size_b};
		if (ranges[i].size_b > a->cap ||
		    len + sizeof(head) + bw_align_up(head.size_b, 8) > a->cap)
			return NULL;
		memcpy(a->out + len, &head, sizeof(head));
		len += sizeof(head);
		memset(a->out + len + head.size_b, 0, bw_align_up(head.size_b, 8) - head.size_b);
		to[n_iov] = (struct iovec){a->out + len, head.size_b};
		from[n_iov++] = (struct iovec){(void *)(uintptr_t)ranges[i].va, head.size_b};
		len += bw_align_up(head.size_b, 8);
		want += head.size_b;
	}
	if (!want || !read_all(a, to, from, n_iov, want))
		return NULL;
	const uint8_t *first = a->out + a->len + sizeof(struct bw_vgpu_user);
	a->len = len;
	return first;
}

static const uint8_t *add_one(struct prefetch *a, uint64_t va, uint64_t size_b)
{
	return add_range(a, &(struct range){va, size_b}, 1);
}

static void add_list(struct prefetch *a, const struct drm_amdgpu_bo_list_in *list)
{
	add_one(a, list->bo_info_ptr, (uint64_t)list->bo_number * list->bo_info_size);
}

/* The array of pointers, the chunk headers that they point to, the chunks' data, and the buffers of
 * a list in it. */
static void add_submission(struct prefetch *a, const struct drm_amdgpu_cs_in *cs)
{
	struct range ranges[MAX_CHUNKS] = {0};
	struct drm_amdgpu_cs_chunk chunk;
	uint32_t n = cs->num_chunks;
	size_t stride = sizeof(struct bw_vgpu_user) + sizeof(chunk);
	_Static_assert(sizeof(chunk) % 8 == 0, "no padding between the headers");
	const uint8_t *pointers =
		n <= MAX_CHUNKS ? add_one(a, cs->chunks, n * sizeof(uint64_t)) : NULL;
	for (uint32_t i = 0; pointers && i < n; i++) {
		memcpy(&ranges[i].va, pointers + i * sizeof(uint64_t), sizeof(uint64_t));
		ranges[i].size_b = sizeof(chunk);
	}
	const uint8_t *headers = pointers ? add_range(a, ranges, n) : NULL;
	for (uint32_t i = 0; headers && i < n; i++) {
		memcpy(&chunk, headers + i * stride, sizeof(chunk));
		ranges[i] = (struct range){chunk.chunk_data, chunk.length_dw * 4ull};
	}
	const uint8_t *data = headers ? add_range(a, ranges, n) : NULL;
	a->is_own = false; /* the data point to the program's memory */
	for (uint32_t i = 0; data && i < n; i++) {
		struct drm_amdgpu_bo_list_in list;
		memcpy(&chunk, headers + i * stride, sizeof(chunk));
		if (chunk.chunk_id == AMDGPU_CHUNK_ID_BO_HANDLES &&
		    ranges[i].size_b >= sizeof(list)) {
			memcpy(&list, data, sizeof(list));
			add_list(a, &list);
		}
		data += bw_align_up(ranges[i].size_b, 8) + sizeof(struct bw_vgpu_user);
	}
}

static void add_fences(struct prefetch *a, const struct drm_amdgpu_wait_fences_in *in)
{
	add_one(a, in->fences, in->fence_count * (uint64_t)sizeof(struct drm_amdgpu_fence));
}

static void add_waits(struct prefetch *a, const struct drm_syncobj_wait *w)
{
	add_one(a, w->handles, w->count_handles * 4ull);
}

static void add_points(struct prefetch *a, const struct drm_syncobj_timeline_wait *w)
{
	add_one(a, w->handles, w->count_handles * 4ull);
	add_one(a, w->points, w->count_handles * 8ull);
}

static void add_syncobjs(struct prefetch *a, const struct drm_syncobj_array *in)
{
	add_one(a, in->handles, in->count_handles * 4ull);
}

static void add_signals(struct prefetch *a, const struct drm_syncobj_timeline_array *in)
{
	add_one(a, in->handles, in->count_handles * 4ull);
	add_one(a, in->points, in->count_handles * 8ull);
}

static void add_query(struct prefetch *a, const struct drm_syncobj_timeline_array *in)
{
	add_one(a, in->handles, in->count_handles * 4ull);
}

static size_t prefetch(uint32_t cmd, const void *arg, struct prefetch a)
{
	union {
		struct drm_amdgpu_cs_in cs;
		struct drm_amdgpu_bo_list_in list;
		struct drm_amdgpu_wait_fences_in fences;
		struct drm_syncobj_wait wait;
		struct drm_syncobj_timeline_wait points;
		struct drm_syncobj_array syncobjs;
		struct drm_syncobj_timeline_array timeline;
	} in = {0};
	if (_IOC_TYPE(cmd) != DRM_IOCTL_BASE)
		return 0;
	memcpy(&in, arg, BW_MIN(sizeof(in), (size_t)_IOC_SIZE(cmd)));
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(DRM_IOCTL_AMDGPU_CS):
		add_submission(&a, &in.cs);
		break;
	case _IOC_NR(DRM_IOCTL_AMDGPU_BO_LIST):
		add_list(&a, &in.list);
		break;
	case _IOC_NR(DRM_IOCTL_AMDGPU_WAIT_FENCES):
		add_fences(&a, &in.fences);
		break;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT):
		add_waits(&a, &in.wait);
		break;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
		add_points(&a, &in.points);
		break;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
		add_syncobjs(&a, &in.syncobjs);
		break;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL):
		add_signals(&a, &in.timeline);
		break;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_QUERY):
		add_query(&a, &in.timeline);
		break;
	}
	return a.len;
}

size_t bw_vgpu_prefetch(uint32_t cmd, const void *arg, uint8_t *out, size_t cap_b)
{
	return prefetch(cmd, arg, (struct prefetch){.out = out, .cap = cap_b});
}

size_t bw_vgpu_own_prefetch(uint32_t cmd, const void *arg, uint8_t *out, size_t cap_b)
{
	const struct prefetch a = {
		.out = out,
		.cap = cap_b,
		.is_own = _IOC_TYPE(cmd) == DRM_IOCTL_BASE &&
			  _IOC_NR(cmd) == _IOC_NR(DRM_IOCTL_AMDGPU_CS),
	};
	return prefetch(cmd, arg, a);
}
