/* SPDX-License-Identifier: MIT */
#include "kmd/prefetch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <amdgpu_drm.h>
#include <drm.h>

#include "../suite.h"
#include "base/util.h"
#include "wire/vgpu_proto.h"

static uint8_t out[8192];

/* Whether a piece holds these bytes, as they are in memory now. */
static bool has(size_t len, const void *at, size_t size_b)
{
	struct bw_vgpu_user piece;
	for (size_t i = 0; i < len; i += bw_align_up(piece.size_b, 8)) {
		assert_true(len - i >= sizeof(piece));
		memcpy(&piece, out + i, sizeof(piece));
		i += sizeof(piece);
		assert_true(bw_align_up(piece.size_b, 8) <= len - i);
		if (piece.va == (uintptr_t)at && piece.size_b == size_b)
			return !memcmp(out + i, at, size_b);
	}
	return false;
}

static void a_submission(void **state)
{
	struct drm_amdgpu_cs_chunk_ib ib = {.va_start = 0x1234};
	struct drm_amdgpu_bo_list_entry entries[3] = {{1, 0}, {2, 0}, {3, 5}};
	struct drm_amdgpu_bo_list_in list = {.bo_number = 3,
					     .bo_info_size = sizeof(entries[0]),
					     .bo_info_ptr = (uintptr_t)entries};
	uint32_t handle = 77; /* a length that is no multiple of 8 */
	struct drm_amdgpu_cs_chunk chunks[] = {
		{AMDGPU_CHUNK_ID_SYNCOBJ_IN, 1, (uintptr_t)&handle},
		{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(list) / 4, (uintptr_t)&list},
		{AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib}};
	uint64_t pointers[3] = {(uintptr_t)&chunks[0], (uintptr_t)&chunks[1],
				(uintptr_t)&chunks[2]};
	union drm_amdgpu_cs cs = {.in = {.num_chunks = 3, .chunks = (uintptr_t)pointers}};
	size_t len = bw_vgpu_prefetch(DRM_IOCTL_AMDGPU_CS, &cs, out, sizeof(out));
	assert_true(has(len, pointers, sizeof(pointers)));
	for (unsigned i = 0; i < 3; i++)
		assert_true(has(len, &chunks[i], sizeof(chunks[i])));
	assert_true(has(len, &handle, sizeof(handle)));
	assert_true(has(len, &ib, sizeof(ib)));
	assert_true(has(len, &list, sizeof(list)));
	assert_true(has(len, entries, sizeof(entries)));
	/* the caller's own: the same bytes, and of what the data point to it is not believed that
	 * they are there */
	uint8_t same[sizeof(out)];
	memcpy(same, out, len);
	memset(out, 0xee, sizeof(out));
	assert_int_equal(bw_vgpu_own_prefetch(DRM_IOCTL_AMDGPU_CS, &cs, out, sizeof(out)), len);
	assert_memory_equal(out, same, len);
	list.bo_info_ptr = 16;
	len = bw_vgpu_own_prefetch(DRM_IOCTL_AMDGPU_CS, &cs, out, sizeof(out));
	assert_true(has(len, &list, sizeof(list)));
	assert_false(has(len, (void *)16, sizeof(entries)));
	list.bo_info_ptr = (uintptr_t)entries;

	/* What cannot be read is left to the server, and so is what does not fit. */
	chunks[2].chunk_data = 16;
	len = bw_vgpu_prefetch(DRM_IOCTL_AMDGPU_CS, &cs, out, sizeof(out));
	assert_true(has(len, &chunks[2], sizeof(chunks[2])));
	assert_false(has(len, &list, sizeof(list)));
	pointers[0] = UINT64_MAX;
	len = bw_vgpu_prefetch(DRM_IOCTL_AMDGPU_CS, &cs, out, sizeof(out));
	assert_int_equal(len, sizeof(struct bw_vgpu_user) + sizeof(pointers));
	assert_int_equal(bw_vgpu_prefetch(DRM_IOCTL_AMDGPU_CS, &cs, out, 32), 0);
	cs.in.num_chunks = UINT32_MAX;
	assert_int_equal(bw_vgpu_prefetch(DRM_IOCTL_AMDGPU_CS, &cs, out, sizeof(out)), 0);
	cs.in.num_chunks = 0;
	assert_int_equal(bw_vgpu_prefetch(DRM_IOCTL_AMDGPU_CS, &cs, out, sizeof(out)), 0);
	cs.in.num_chunks = 3, cs.in.chunks = 8;
	assert_int_equal(bw_vgpu_prefetch(DRM_IOCTL_AMDGPU_CS, &cs, out, sizeof(out)), 0);
}

static void a_huge_list(void **state)
{
	struct drm_amdgpu_bo_list_in list = {
		.bo_number = UINT32_MAX, .bo_info_size = UINT32_MAX, .bo_info_ptr = (uintptr_t)out};
	assert_int_equal(bw_vgpu_prefetch(DRM_IOCTL_AMDGPU_BO_LIST, &list, out, sizeof(out)), 0);
}

static void waits(void **state)
{
	uint32_t handles[3] = {4, 5, 6};
	uint64_t points[3] = {7, 8, 9};
	struct drm_amdgpu_fence fences[2] = {{.seq_no = 3}, {.seq_no = 4}};
	struct drm_syncobj_wait w = {.handles = (uintptr_t)handles, .count_handles = 3};
	struct drm_syncobj_timeline_wait t = {
		.handles = (uintptr_t)handles, .points = (uintptr_t)points, .count_handles = 3};
	struct drm_syncobj_array s = {.handles = (uintptr_t)handles, .count_handles = 3};
	struct drm_syncobj_timeline_array q = {
		.handles = (uintptr_t)handles, .points = (uintptr_t)points, .count_handles = 3};
	struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)handles, .return_size = 4};
	union drm_amdgpu_wait_fences f = {.in = {.fences = (uintptr_t)fences, .fence_count = 2}};
	assert_true(
		has(bw_vgpu_prefetch(DRM_IOCTL_SYNCOBJ_WAIT, &w, out, sizeof(out)), handles, 12));
	size_t len = bw_vgpu_prefetch(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &t, out, sizeof(out));
	assert_true(has(len, handles, 12) && has(len, points, 24));
	assert_true(
		has(bw_vgpu_prefetch(DRM_IOCTL_SYNCOBJ_RESET, &s, out, sizeof(out)), handles, 12));
	assert_true(
		has(bw_vgpu_prefetch(DRM_IOCTL_SYNCOBJ_SIGNAL, &s, out, sizeof(out)), handles, 12));
	len = bw_vgpu_prefetch(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &q, out, sizeof(out));
	assert_true(has(len, handles, 12) && has(len, points, 24));
	len = bw_vgpu_prefetch(DRM_IOCTL_SYNCOBJ_QUERY, &q, out, sizeof(out));
	assert_true(has(len, handles, 12) && !has(len, points, 24)); /* written, not read */
	assert_true(has(bw_vgpu_prefetch(DRM_IOCTL_AMDGPU_WAIT_FENCES, &f, out, sizeof(out)),
			fences, sizeof(fences)));
	assert_int_equal(bw_vgpu_prefetch(DRM_IOCTL_AMDGPU_INFO, &info, out, sizeof(out)), 0);
	/* A number of another driver, and a struct that is too short. */
	assert_int_equal(
		bw_vgpu_prefetch(_IOC(_IOC_WRITE, ' ', 0xc3, sizeof(w)), &w, out, sizeof(out)), 0);
	assert_int_equal(bw_vgpu_prefetch(_IOC(_IOC_WRITE, 'd', 0xc3, 8), &w, out, sizeof(out)), 0);
}

TESTS(a_submission, a_huge_list, waits);
