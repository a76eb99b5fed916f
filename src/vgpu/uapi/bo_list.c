/* SPDX-License-Identifier: MIT */
/* Lists of the buffers a submission uses. */
#include <amdgpu_drm.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/uapi_priv.h"

enum { MAX_ENTRIES = 128 << 10 }; /* AMDGPU_BO_LIST_MAX_ENTRIES */

/* The entries, whose stride may be larger or smaller than ours. */
static int copy_entries(struct bw_drm_call *c, const struct drm_amdgpu_bo_list_in *in,
			struct drm_amdgpu_bo_list_entry **out)
{
	if (in->bo_number > MAX_ENTRIES)
		return -EINVAL;
	if (in->bo_info_size == sizeof(**out) || !in->bo_number)
		return bw_user_dup(c, in->bo_info_ptr, in->bo_number, sizeof(**out), out);
	struct drm_amdgpu_bo_list_entry *e = calloc(in->bo_number, sizeof(*e));
	if (!e)
		return -ENOMEM;
	size_t bytes = BW_MIN((size_t)in->bo_info_size, sizeof(*e));
	for (uint32_t i = 0; i < in->bo_number; i++) {
		if (bw_user_read(c, in->bo_info_ptr + (uint64_t)i * in->bo_info_size, &e[i],
				 bytes)) {
			free(e);
			return -EFAULT;
		}
	}
	*out = e;
	return 0;
}

void bw_drm_bo_list_unref(struct bw_drm_bo_list *l)
{
	if (!l || --l->refs)
		return;
	bw_vec_each(&l->bos, bo)
		bw_drm_bo_unref(*bo);
	bw_vec_free(&l->bos);
	free(l);
}

/* Lock held. */
static int list_of(struct bw_drm_file *f, const struct drm_amdgpu_bo_list_entry *entries,
		   uint32_t n, struct bw_drm_bo_list **out)
{
	struct bw_drm_bo_list *l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->refs = 1;
	struct bw_error *err = bw_vec_reserve(&l->bos, n);
	int r = err ? -ENOMEM : 0;
	bw_error_free(err);
	uint64_t mark = bw_drm_mark();
	for (uint32_t i = 0; i < n && !r; i++) {
		struct bw_drm_bo *bo = bw_drm_bo_get(f, entries[i].bo_handle);
		if (!bo)
			r = -ENOENT;
		else if (bo->mark != mark) /* each once */
			l->bos.data[l->bos.len++] = bw_drm_bo_ref(bo);
		if (bo)
			bo->mark = mark;
	}
	if (r)
		bw_drm_bo_list_unref(l);
	else
		*out = l;
	return r;
}

int bw_drm_bo_list_make(struct bw_drm_call *c, const struct drm_amdgpu_bo_list_in *in,
			struct bw_drm_bo_list **out)
{
	struct drm_amdgpu_bo_list_entry *entries;
	int r = copy_entries(c, in, &entries);
	if (r)
		return r;
	pthread_mutex_lock(&c->u->lock);
	r = list_of(c->file, entries, in->bo_number, out);
	pthread_mutex_unlock(&c->u->lock);
	free(entries);
	return r;
}

int bw_ioctl_bo_list(struct bw_drm_call *c, void *arg)
{
	union drm_amdgpu_bo_list *a = arg;
	uint32_t handle = a->in.list_handle;
	struct drm_amdgpu_bo_list_entry *entries;
	int r = copy_entries(c, &a->in, &entries);
	if (r)
		return r;
	struct bw_drm_bo_list *l = NULL;
	pthread_mutex_lock(&c->u->lock);
	switch (a->in.operation) {
	case AMDGPU_BO_LIST_OP_CREATE:
		r = list_of(c->file, entries, a->in.bo_number, &l);
		if (!r)
			r = bw_ids_add(&c->file->bo_lists, l, &handle);
		break;
	case AMDGPU_BO_LIST_OP_DESTROY: /* of an unknown one succeeds, too */
		bw_drm_bo_list_unref(bw_ids_remove(&c->file->bo_lists, handle));
		handle = 0;
		break;
	case AMDGPU_BO_LIST_OP_UPDATE:
		r = list_of(c->file, entries, a->in.bo_number, &l);
		if (!r && !bw_ids_get(&c->file->bo_lists, handle))
			r = -ENOENT;
		if (!r) {
			void **slot = &c->file->bo_lists.slot[handle - c->file->bo_lists.first];
			bw_drm_bo_list_unref(*slot);
			*slot = l;
		}
		break;
	default:
		r = -EINVAL;
	}
	if (r)
		bw_drm_bo_list_unref(l);
	pthread_mutex_unlock(&c->u->lock);
	free(entries);
	if (r)
		return r;
	memset(a, 0, sizeof(*a));
	a->out.list_handle = handle;
	return 0;
}
