/* SPDX-License-Identifier: MIT */
#include "kmd/named.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <linux/kfd_ioctl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/newer_kfd.h"
#include "base/util.h"

/* Limits for one submission: more than any driver sends, as a bound on the search. */
enum { MAX_CHUNKS = 64 << 10, AT_ONCE = 64 };

static bool fetch(uint64_t va, void *out, size_t size_b)
{
	struct iovec to = {out, size_b}, from = {(void *)(uintptr_t)va, size_b};
	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size_b;
}

static void name(struct bw_vgpu_named *n, bool is_written, uint64_t va, uint64_t size_b)
{
	struct bw_vgpu_range r = {va, size_b, is_written};
	if (size_b && va + size_b > va)
		bw_error_free(bw_vec_push(&n->ranges, r)); /* when out of memory the range is not
							    * named */
}

static void name_read(struct bw_vgpu_named *n, uint64_t va, uint64_t count, uint64_t each_b)
{
	name(n, false, va, count * each_b);
}

static void name_written(struct bw_vgpu_named *n, uint64_t va, uint64_t count, uint64_t each_b)
{
	name(n, true, va, count * each_b);
}

static void of_list(struct bw_vgpu_named *n, const struct drm_amdgpu_bo_list_in *list)
{
	name_read(n, list->bo_info_ptr, list->bo_number, list->bo_info_size);
}

/* The data that a chunk's header points to, and the buffers of a list in it. */
static void of_chunk(struct bw_vgpu_named *n, uint64_t va)
{
	struct drm_amdgpu_cs_chunk chunk;
	struct drm_amdgpu_bo_list_in list;
	name_read(n, va, 1, sizeof(chunk));
	if (!fetch(va, &chunk, sizeof(chunk)))
		return;
	name_read(n, chunk.chunk_data, chunk.length_dw, 4);
	if (chunk.chunk_id == AMDGPU_CHUNK_ID_BO_HANDLES && chunk.length_dw >= sizeof(list) / 4 &&
	    fetch(chunk.chunk_data, &list, sizeof(list)))
		of_list(n, &list);
}

static void of_submission(struct bw_vgpu_named *n, const struct drm_amdgpu_cs_in *cs)
{
	uint64_t pointers[AT_ONCE];
	if (cs->num_chunks > MAX_CHUNKS)
		return;
	name_read(n, cs->chunks, cs->num_chunks, sizeof(uint64_t));
	for (uint32_t at = 0; at < cs->num_chunks; at += AT_ONCE) {
		uint32_t count = BW_MIN(cs->num_chunks - at, (uint32_t)AT_ONCE);
		if (!fetch(cs->chunks + at * sizeof(uint64_t), pointers, count * sizeof(uint64_t)))
			return;
		for (uint32_t i = 0; i < count; i++)
			of_chunk(n, pointers[i]);
	}
}

static void of_version(struct bw_vgpu_named *n, const struct drm_version *v)
{
	name_written(n, (uintptr_t)v->name, v->name_len, 1);
	name_written(n, (uintptr_t)v->date, v->date_len, 1);
	name_written(n, (uintptr_t)v->desc, v->desc_len, 1);
}

static void of_gem_op(struct bw_vgpu_named *n, const struct drm_amdgpu_gem_op *op)
{
	if (op->op == AMDGPU_GEM_OP_GET_GEM_CREATE_INFO)
		name_written(n, op->value, 1, sizeof(struct drm_amdgpu_gem_create_in));
}

static void of_kfd_debug(struct bw_vgpu_named *n, const struct bw_kfd_dbg_trap *a)
{
	switch (a->op) {
	case BW_KFD_DBG_ENABLE:
		name_written(n, a->enable.rinfo_ptr, 1, a->enable.rinfo_size);
		break;
	case BW_KFD_DBG_SUSPEND_QUEUES:
		name_read(n, a->suspend.ids_ptr, a->suspend.n_ids, sizeof(uint32_t));
		name_written(n, a->suspend.ids_ptr, a->suspend.n_ids, sizeof(uint32_t));
		break;
	case BW_KFD_DBG_RESUME_QUEUES:
		name_read(n, a->resume.ids_ptr, a->resume.n_ids, sizeof(uint32_t));
		name_written(n, a->resume.ids_ptr, a->resume.n_ids, sizeof(uint32_t));
		break;
	case BW_KFD_DBG_QUERY_EXCEPTION_INFO:
		name_written(n, a->exception_info.info_ptr, 1, a->exception_info.info_size);
		break;
	case BW_KFD_DBG_GET_QUEUE_SNAPSHOT:
	case BW_KFD_DBG_GET_DEVICE_SNAPSHOT:
		name_written(n, a->snapshot.buffer_ptr, a->snapshot.n, a->snapshot.entry_b);
		break;
	}
}

static void of_kfd(struct bw_vgpu_named *n, uint32_t cmd, const void *arg)
{
	union {
		struct kfd_ioctl_get_process_apertures_new_args apertures;
		struct kfd_ioctl_map_memory_to_gpu_args map;
		struct kfd_ioctl_wait_events_args wait;
		struct kfd_ioctl_set_cu_mask_args mask;
		struct kfd_ioctl_get_tile_config_args tiles;
		struct bw_kfd_dbg_trap debug;
	} in = {0};
	memcpy(&in, arg, BW_MIN(sizeof(in), (size_t)_IOC_SIZE(cmd)));
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW):
		name_written(n, in.apertures.kfd_process_device_apertures_ptr,
			     in.apertures.num_of_nodes,
			     sizeof(struct kfd_process_device_apertures));
		break;
	case _IOC_NR(AMDKFD_IOC_MAP_MEMORY_TO_GPU):
	case _IOC_NR(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU): /* the same members */
		name_read(n, in.map.device_ids_array_ptr, in.map.n_devices, sizeof(uint32_t));
		break;
	case _IOC_NR(AMDKFD_IOC_WAIT_EVENTS):
		name_read(n, in.wait.events_ptr, in.wait.num_events,
			  sizeof(struct bw_kfd_event_data));
		name_written(n, in.wait.events_ptr, in.wait.num_events,
			     sizeof(struct bw_kfd_event_data));
		break;
	case _IOC_NR(AMDKFD_IOC_GET_TILE_CONFIG):
		name_written(n, in.tiles.tile_config_ptr, in.tiles.num_tile_configs,
			     sizeof(uint32_t));
		name_written(n, in.tiles.macro_tile_config_ptr, in.tiles.num_macro_tile_configs,
			     sizeof(uint32_t));
		break;
	case _IOC_NR(AMDKFD_IOC_SET_CU_MASK):
		name_read(n, in.mask.cu_mask_ptr, in.mask.num_cu_mask / 32, sizeof(uint32_t));
		break;
	case _IOC_NR(BW_KFD_IOC_DBG_TRAP):
		of_kfd_debug(n, &in.debug);
		break;
	}
}

void bw_vgpu_named_find(struct bw_vgpu_named *n, uint32_t cmd, const void *arg)
{
	union {
		struct drm_version version;
		struct drm_unique unique;
		struct drm_amdgpu_cs_in cs;
		struct drm_amdgpu_bo_list_in list;
		struct drm_amdgpu_wait_fences_in fences;
		struct drm_amdgpu_info info;
		struct drm_amdgpu_gem_op op;
		struct drm_syncobj_wait wait;
		struct drm_syncobj_timeline_wait points;
		struct drm_syncobj_array syncobjs;
		struct drm_syncobj_timeline_array timeline;
	} in = {0};
	n->is_known = true;
	if (_IOC_TYPE(cmd) == AMDKFD_IOCTL_BASE)
		of_kfd(n, cmd, arg);
	if (_IOC_TYPE(cmd) != DRM_IOCTL_BASE)
		return; /* the files in debugfs take all in the argument */
	memcpy(&in, arg, BW_MIN(sizeof(in), (size_t)_IOC_SIZE(cmd)));
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(DRM_IOCTL_VERSION):
		of_version(n, &in.version);
		break;
	case _IOC_NR(DRM_IOCTL_GET_UNIQUE):
		name_written(n, (uintptr_t)in.unique.unique, in.unique.unique_len, 1);
		break;
	case _IOC_NR(DRM_IOCTL_AMDGPU_CS):
		of_submission(n, &in.cs);
		break;
	case _IOC_NR(DRM_IOCTL_AMDGPU_BO_LIST):
		of_list(n, &in.list);
		break;
	case _IOC_NR(DRM_IOCTL_AMDGPU_WAIT_FENCES):
		name_read(n, in.fences.fences, in.fences.fence_count,
			  sizeof(struct drm_amdgpu_fence));
		break;
	case _IOC_NR(DRM_IOCTL_AMDGPU_INFO):
		name_written(n, in.info.return_pointer, in.info.return_size, 1);
		break;
	case _IOC_NR(DRM_IOCTL_AMDGPU_GEM_OP):
		of_gem_op(n, &in.op);
		break;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT):
		name_read(n, in.wait.handles, in.wait.count_handles, 4);
		break;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
		name_read(n, in.points.handles, in.points.count_handles, 4);
		name_read(n, in.points.points, in.points.count_handles, 8);
		break;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
		name_read(n, in.syncobjs.handles, in.syncobjs.count_handles, 4);
		break;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL):
		name_read(n, in.timeline.handles, in.timeline.count_handles, 4);
		name_read(n, in.timeline.points, in.timeline.count_handles, 8);
		break;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_QUERY):
		name_read(n, in.timeline.handles, in.timeline.count_handles, 4);
		name_written(n, in.timeline.points, in.timeline.count_handles, 8);
		break;
	}
}

bool bw_vgpu_named_has(const struct bw_vgpu_named *n, bool is_written, uint64_t va, uint64_t size_b)
{
	bw_vec_each(&n->ranges, r)
		if (r->is_written == is_written && va >= r->va && va - r->va <= r->size_b &&
		    size_b <= r->size_b - (va - r->va))
			return true;
	return false;
}

void bw_vgpu_named_fini(struct bw_vgpu_named *n)
{
	bw_vec_free(&n->ranges);
}
