/* SPDX-License-Identifier: MIT */
#include "kmd/named.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <amdgpu_drm.h>
#include <drm.h>

#include "../suite.h"
#include "base/util.h"

/* The expectations are those of the kernel's copy_from_user and copy_to_user (drm_ioctl.c,
 * drm_syncobj.c, amdgpu_cs.c, amdgpu_bo_list.c, amdgpu_kms.c, amdgpu_gem.c of Linux 6.12). */

static struct bw_vgpu_named named;

static void find(uint32_t cmd, const void *arg)
{
	bw_vgpu_named_fini(&named);
	named.is_known = false;
	bw_vgpu_named_find(&named, cmd, arg);
	assert_true(named.is_known);
}

static bool reads(const void *p, size_t size_b)
{
	return bw_vgpu_named_has(&named, false, (uintptr_t)p, size_b);
}

static bool writes(const void *p, size_t size_b)
{
	return bw_vgpu_named_has(&named, true, (uintptr_t)p, size_b);
}

static void a_submission(void **state)
{
	enum { MANY = 300 };
	struct drm_amdgpu_cs_chunk_ib ib = {.va_start = 0x1234};
	struct drm_amdgpu_bo_list_entry entries[2000] = {{1, 0}};
	struct drm_amdgpu_bo_list_in list = {.bo_number = 2000,
					     .bo_info_size = sizeof(entries[0]),
					     .bo_info_ptr = (uintptr_t)entries};
	struct drm_amdgpu_cs_chunk chunks[] = {
		{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(list) / 4, (uintptr_t)&list},
		{AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib}};
	uint64_t pointers[MANY];
	uint8_t before[16], behind[16];
	for (unsigned i = 0; i < MANY; i++)
		pointers[i] = (uintptr_t)&chunks[i == MANY - 1 ? 1 : 0];
	union drm_amdgpu_cs cs = {.in = {.num_chunks = MANY, .chunks = (uintptr_t)pointers}};
	find(DRM_IOCTL_AMDGPU_CS, &cs);
	assert_true(reads(pointers, sizeof(pointers)));
	assert_true(reads(&chunks[0], sizeof(chunks[0])));
	assert_true(reads(&chunks[1], sizeof(chunks[1])));
	assert_true(reads(&ib, sizeof(ib)));
	assert_true(reads(&ib.va_start, 8));
	assert_true(reads(&list, sizeof(list)));
	assert_true(reads(entries, sizeof(entries)));
	assert_false(reads(&ib, sizeof(ib) + 1));
	assert_false(bw_vgpu_named_has(&named, false, (uintptr_t)&ib - 1, 2));
	assert_false(reads(before, 1) || reads(behind, 1) || reads(&cs, 8));
	assert_false(writes(&ib, 4) || writes(pointers, 8));
	/* addresses that cannot be read, and more than any program sends */
	pointers[MANY - 1] = 8;
	find(DRM_IOCTL_AMDGPU_CS, &cs);
	assert_true(reads(entries, 8));
	assert_false(reads(&ib, 4));
	cs.in.num_chunks = UINT32_MAX;
	find(DRM_IOCTL_AMDGPU_CS, &cs);
	assert_int_equal(named.ranges.len, 0);
	cs.in.num_chunks = 1, cs.in.chunks = UINT64_MAX - 3;
	find(DRM_IOCTL_AMDGPU_CS, &cs);
	assert_int_equal(named.ranges.len, 0);
}

static void what_the_kernel_fills_in(void **state)
{
	char name[16], date[16];
	struct drm_version v = {.name = name, .name_len = 6, .date = date, .date_len = 3};
	struct drm_unique u = {.unique = name, .unique_len = 16};
	struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)name, .return_size = 12};
	struct drm_amdgpu_gem_create_in create;
	struct drm_amdgpu_gem_op op = {.op = AMDGPU_GEM_OP_GET_GEM_CREATE_INFO,
				       .value = (uintptr_t)&create};
	find(DRM_IOCTL_VERSION, &v);
	assert_true(writes(name, 6) && writes(date, 3) && !writes(name, 7) && !reads(name, 1));
	find(DRM_IOCTL_GET_UNIQUE, &u);
	assert_true(writes(name, 16) && !writes(name, 17));
	find(DRM_IOCTL_AMDGPU_INFO, &info);
	assert_true(writes(name, 12) && !writes(name, 13) && !reads(name, 1));
	find(DRM_IOCTL_AMDGPU_GEM_OP, &op);
	assert_true(writes(&create, sizeof(create)) && !writes(&create, sizeof(create) + 1));
	op.op = AMDGPU_GEM_OP_SET_PLACEMENT;
	find(DRM_IOCTL_AMDGPU_GEM_OP, &op);
	assert_false(writes(&create, 1));
}

static void waits(void **state)
{
	uint32_t handles[3];
	uint64_t points[3];
	struct drm_amdgpu_fence fences[2];
	struct drm_syncobj_wait w = {.handles = (uintptr_t)handles, .count_handles = 3};
	struct drm_syncobj_timeline_wait t = {
		.handles = (uintptr_t)handles, .points = (uintptr_t)points, .count_handles = 3};
	struct drm_syncobj_array s = {.handles = (uintptr_t)handles, .count_handles = 3};
	struct drm_syncobj_timeline_array q = {
		.handles = (uintptr_t)handles, .points = (uintptr_t)points, .count_handles = 3};
	union drm_amdgpu_wait_fences f = {.in = {.fences = (uintptr_t)fences, .fence_count = 2}};
	find(DRM_IOCTL_SYNCOBJ_WAIT, &w);
	assert_true(reads(handles, 12) && !reads(handles, 13) && !writes(handles, 4));
	find(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &t);
	assert_true(reads(handles, 12) && reads(points, 24) && !writes(points, 8));
	find(DRM_IOCTL_SYNCOBJ_RESET, &s);
	assert_true(reads(handles, 12));
	find(DRM_IOCTL_SYNCOBJ_SIGNAL, &s);
	assert_true(reads(handles, 12));
	find(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, &q);
	assert_true(reads(handles, 12) && reads(points, 24));
	find(DRM_IOCTL_SYNCOBJ_QUERY, &q);
	assert_true(reads(handles, 12) && !reads(points, 8) && writes(points, 24) &&
		    !writes(points, 25));
	find(DRM_IOCTL_AMDGPU_WAIT_FENCES, &f);
	assert_true(reads(fences, sizeof(fences)));
	/* the number of another driver, and a struct that is too short to name anything */
	find(_IOC(_IOC_WRITE, ' ', 0xc3, sizeof(w)), &w);
	assert_int_equal(named.ranges.len, 0);
	find(_IOC(_IOC_WRITE, 'd', 0xc3, 8), &w);
	assert_int_equal(named.ranges.len, 0);
	bw_vgpu_named_fini(&named);
}

TESTS(a_submission, what_the_kernel_fills_in, waits);
