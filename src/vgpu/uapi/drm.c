/* SPDX-License-Identifier: MIT */
/* A DRM file and its ioctls: the table, and what the DRM core does around and by itself. */
#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/auth.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/files.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/mode.h"
#include "vgpu/uapi/syncobj.h"
#include "vgpu/uapi/uapi_priv.h"
#include "wire/vgpu_proto.h"

enum { DRM_MAJOR_VERSION = 3, DRM_MINOR_VERSION = 61 }; /* Linux 6.12 */

/* ---- ioctls of the DRM core ---- */

/* drm_copy_field: as much of the text as there is room for, and its whole length. */
static int copy_field(struct bw_drm_call *c, uint64_t user, __kernel_size_t *len, const char *text)
{
	size_t n = BW_MIN(strlen(text), (size_t)*len);
	*len = strlen(text);
	return n && user ? bw_user_write(c, user, text, n) : 0;
}

static int ioctl_version(struct bw_drm_call *c, void *arg)
{
	struct drm_version *v = arg;
	v->version_major = DRM_MAJOR_VERSION;
	v->version_minor = DRM_MINOR_VERSION;
	v->version_patchlevel = 0;
	int r = copy_field(c, (uintptr_t)v->name, &v->name_len, "amdgpu");
	if (!r)
		r = copy_field(c, (uintptr_t)v->date, &v->date_len, "0"); /* no driver has one */
	if (!r)
		r = copy_field(c, (uintptr_t)v->desc, &v->desc_len, "AMD GPU");
	return r;
}

/* Empty until SET_VERSION has tied the master's interface to its device. */
static int ioctl_get_unique(struct bw_drm_call *c, void *arg)
{
	struct drm_unique *a = arg;
	char bus_id[40] = "";
	if (bw_drm_auth_has_bus_id(c))
		snprintf(bus_id, sizeof(bus_id), "pci:%s", c->u->profile->pci_address);
	if (a->unique_len >= strlen(bus_id) &&
	    bw_user_write(c, (uintptr_t)a->unique, bus_id, strlen(bus_id)))
		return -EFAULT;
	a->unique_len = strlen(bus_id);
	return 0;
}

/* drm_setversion; -1 asks for no version. */
static int ioctl_set_version(struct bw_drm_call *c, void *arg)
{
	enum { MAJOR = 1, MINOR = 4, FIRST_WITH_BUS_ID = 1 };
	struct drm_set_version *a = arg;
	int r = 0;
	if (a->drm_di_major != -1) {
		if (a->drm_di_major != MAJOR || a->drm_di_minor < 0 || a->drm_di_minor > MINOR)
			r = -EINVAL;
		else if (a->drm_di_minor >= FIRST_WITH_BUS_ID)
			bw_drm_auth_set_bus_id(c);
	}
	if (!r && a->drm_dd_major != -1 &&
	    (a->drm_dd_major != DRM_MAJOR_VERSION || a->drm_dd_minor < 0 ||
	     a->drm_dd_minor > DRM_MINOR_VERSION))
		r = -EINVAL;
	*a = (struct drm_set_version){MAJOR, MINOR, DRM_MAJOR_VERSION, DRM_MINOR_VERSION};
	return r;
}

/* drm_getstats: nothing, as there are no statistics any more. */
static int ioctl_get_stats(struct bw_drm_call *c, void *arg)
{
	memset(arg, 0, sizeof(struct drm_stats));
	return 0;
}

/* drm_noop, what is left of calls of the 1990s */
static int ioctl_noop(struct bw_drm_call *c, void *arg)
{
	return 0;
}

/* drm_invalid_op */
static int ioctl_set_unique(struct bw_drm_call *c, void *arg)
{
	return -EINVAL;
}

/* drm_wait_vblank_supported: there is no display */
static int ioctl_wait_vblank(struct bw_drm_call *c, void *arg)
{
	return -EOPNOTSUPP;
}

/* ---- the table ---- */

enum {
	RENDER = BW_DRM_RENDER_ALLOW,
	AUTH = BW_DRM_AUTH,
	MASTER = BW_DRM_MASTER,
	ROOT = AUTH | MASTER | BW_DRM_ROOT_ONLY
};
struct row {
	const char *name;
	uint32_t cmd;  /* as 6.12 defines it */
	uint8_t flags; /* enum bw_drm_right */
	bw_drm_ioctl_fn *fn;
};

/* since Linux 6.6 */
#define SYNCOBJ_EVENTFD DRM_IOWR(0xcf, struct bw_drm_syncobj_eventfd)

#define CORE(name, flags, fn) [_IOC_NR(DRM_IOCTL_##name)] = {#name, DRM_IOCTL_##name, flags, fn}
#define DRIVER(name, fn)                                                                           \
	[_IOC_NR(DRM_IOCTL_AMDGPU_##name)] = {#name, DRM_IOCTL_AMDGPU_##name, RENDER, fn}

/* clang-format off */
static const struct row rows[256] = {
	CORE(VERSION, RENDER, ioctl_version),
	CORE(GET_UNIQUE, 0, ioctl_get_unique),
	CORE(GET_MAGIC, 0, bw_ioctl_get_magic),
	CORE(GET_CLIENT, 0, bw_ioctl_get_client),
	CORE(GET_STATS, 0, ioctl_get_stats),
	CORE(SET_UNIQUE, ROOT, ioctl_set_unique),
	CORE(BLOCK, ROOT, ioctl_noop),
	CORE(UNBLOCK, ROOT, ioctl_noop),
	CORE(ADD_DRAW, ROOT, ioctl_noop),
	CORE(RM_DRAW, ROOT, ioctl_noop),
	CORE(FINISH, AUTH, ioctl_noop),
	CORE(WAIT_VBLANK, 0, ioctl_wait_vblank),
	CORE(UPDATE_DRAW, ROOT, ioctl_noop),
	CORE(SET_VERSION, MASTER, ioctl_set_version),
	CORE(GEM_CLOSE, RENDER, bw_ioctl_gem_close),
	CORE(GEM_FLINK, AUTH, bw_ioctl_gem_flink),
	CORE(GEM_OPEN, AUTH, bw_ioctl_gem_open),
	CORE(GET_CAP, RENDER, bw_ioctl_get_cap),
	CORE(SET_CLIENT_CAP, 0, bw_ioctl_set_client_cap),
	CORE(AUTH_MAGIC, MASTER, bw_ioctl_auth_magic),
	CORE(SET_MASTER, 0, bw_ioctl_set_master),
	CORE(DROP_MASTER, 0, bw_ioctl_drop_master),
	CORE(PRIME_HANDLE_TO_FD, RENDER, bw_ioctl_prime_to_fd),
	CORE(PRIME_FD_TO_HANDLE, RENDER, bw_ioctl_prime_from_fd),
	CORE(SYNCOBJ_CREATE, RENDER, bw_ioctl_syncobj_create),
	CORE(SYNCOBJ_DESTROY, RENDER, bw_ioctl_syncobj_destroy),
	CORE(SYNCOBJ_HANDLE_TO_FD, RENDER, bw_ioctl_syncobj_to_fd),
	CORE(SYNCOBJ_FD_TO_HANDLE, RENDER, bw_ioctl_syncobj_from_fd),
	CORE(SYNCOBJ_TRANSFER, RENDER, bw_ioctl_syncobj_transfer),
	CORE(SYNCOBJ_WAIT, RENDER, bw_ioctl_syncobj_wait),
	CORE(SYNCOBJ_TIMELINE_WAIT, RENDER, bw_ioctl_syncobj_timeline_wait),
	CORE(SYNCOBJ_RESET, RENDER, bw_ioctl_syncobj_reset),
	CORE(SYNCOBJ_SIGNAL, RENDER, bw_ioctl_syncobj_signal),
	CORE(SYNCOBJ_TIMELINE_SIGNAL, RENDER, bw_ioctl_syncobj_timeline_signal),
	CORE(SYNCOBJ_QUERY, RENDER, bw_ioctl_syncobj_query),
	[_IOC_NR(SYNCOBJ_EVENTFD)] = {"SYNCOBJ_EVENTFD", SYNCOBJ_EVENTFD, RENDER, bw_ioctl_syncobj_eventfd},

	DRIVER(GEM_CREATE, bw_ioctl_gem_create),
	DRIVER(GEM_MMAP, bw_ioctl_gem_mmap),
	DRIVER(CTX, bw_ioctl_ctx),
	DRIVER(BO_LIST, bw_ioctl_bo_list),
	DRIVER(CS, bw_ioctl_cs),
	DRIVER(INFO, bw_ioctl_info),
	DRIVER(GEM_METADATA, bw_ioctl_gem_metadata),
	DRIVER(GEM_WAIT_IDLE, bw_ioctl_gem_wait_idle),
	DRIVER(GEM_VA, bw_ioctl_gem_va),
	DRIVER(WAIT_CS, bw_ioctl_wait_cs),
	DRIVER(GEM_OP, bw_ioctl_gem_op),
	DRIVER(GEM_USERPTR, bw_ioctl_gem_userptr),
	DRIVER(WAIT_FENCES, bw_ioctl_wait_fences),
	DRIVER(VM, bw_ioctl_vm),
	DRIVER(FENCE_TO_HANDLE, bw_ioctl_fence_to_handle),
	[_IOC_NR(DRM_IOCTL_AMDGPU_SCHED)] = {"SCHED", DRM_IOCTL_AMDGPU_SCHED, MASTER, bw_ioctl_sched},
};
/* clang-format on */

/* An ioctl that this driver does not have is logged once for each number. */
static void say_absent(struct bw_drm_call *c, uint32_t cmd)
{
	/* since Linux 7.1, from 0x56 on */
	static const char *const later[] = {"USERQ", "USERQ_SIGNAL", "USERQ_WAIT",
					    "GEM_LIST_HANDLES"};
	enum { FIRST_LATER = 0x56 };
	unsigned nr = _IOC_NR(cmd), at = nr - FIRST_LATER;
	char number[16];
	snprintf(number, sizeof(number), "number %#x", nr);
	pthread_mutex_lock(&c->u->lock);
	bool said = c->u->ioctl_said[nr / 32] >> nr % 32 & 1;
	c->u->ioctl_said[nr / 32] |= 1u << nr % 32;
	pthread_mutex_unlock(&c->u->lock);
	if (!said)
		BW_LOG(WARN, "uapi", "ioctl %s (%#x) is not supported",
		       at < BW_ARRAY_SIZE(later) ? later[at] : number, cmd);
}

int bw_drm_ioctl(struct bw_drm_call *c, uint32_t cmd, uint8_t *data)
{
	if (bw_drm_file_gone(c->file))
		return -ENODEV;
	/* drm_ioctl(): the number chooses; sizes may differ, and what the caller lacks is zero. */
	const struct row *row = &rows[_IOC_NR(cmd)];
	const struct bw_drm_mode_row *mode = bw_drm_mode_row(_IOC_NR(cmd));
	struct row of_mode;
	if (_IOC_TYPE(cmd) == BW_VGPU_IOCTL_TYPE)
		return bw_drm_own_ioctl(c, cmd, data);
	if (_IOC_TYPE(cmd) != DRM_IOCTL_BASE)
		return -ENOTTY;
	if (mode) {
		of_mode = (struct row){mode->name, mode->cmd, mode->rights, mode->fn};
		row = &of_mode;
	}
	if (!row->fn) {
		say_absent(c, cmd);
		return -EINVAL;
	}
	if (!bw_drm_permit(c, row->flags))
		return -EACCES;
	uint32_t size = _IOC_SIZE(cmd), own = _IOC_SIZE(row->cmd);
	bool in = cmd & row->cmd & IOC_IN, out = cmd & row->cmd & IOC_OUT;
	_Alignas(16) uint8_t small[512] = {0};
	_cleanup_free_ uint8_t *large =
		BW_MAX(size, own) > sizeof(small) ? calloc(1, BW_MAX(size, own)) : NULL;
	uint8_t *arg = BW_MAX(size, own) > sizeof(small) ? large : small;
	if (!arg)
		return -ENOMEM;
	if (in)
		memcpy(arg, data, size);
	int r = row->fn(c, arg);
	if (out)
		memcpy(data, arg, size);
	BW_LOG(DEBUG, "uapi", "%s (pid %d) = %d", row->name, c->file->vm->pid, r);
	return r;
}

/* ---- files ---- */

int bw_drm_file_open(struct bw_uapi *u, uint32_t minor, int pid, const char *comm,
		     struct bw_drm_account *account, struct bw_drm_file **out)
{
	struct bw_drm_file *f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->u = u;
	f->minor = minor;
	bw_ids_init(&f->bos, 1);
	bw_ids_init(&f->ctxs, 1);
	bw_ids_init(&f->syncobjs, 1);
	bw_ids_init(&f->bo_lists, 1);
	pthread_mutex_lock(&u->lock);
	f->client_id = ++u->next_client_id;
	f->n_unplugged = atomic_load(&u->n_unplugged);
	f->node = atomic_load(&u->node);
	bool exists = minor == f->node || minor == f->node + BW_TREE_RENDER;
	int r = !exists		  ? -ENOENT
		: u->is_unplugged ? -ENODEV
				  : bw_drm_vm_create(u, pid, comm, account, &f->vm);
	if (!r)
		bw_drm_auth_open(f);
	if (!r) {
		f->account = bw_drm_account_ref(account);
		u->n_open[f->node]++;
	}
	pthread_mutex_unlock(&u->lock);
	if (r)
		free(f);
	else
		*out = f;
	return r;
}

void bw_drm_file_close(struct bw_drm_file *f)
{
	struct bw_uapi *u = f->u;
	pthread_mutex_lock(&u->lock);
	/* From here on the worker cancels waiting jobs and ends running ones; these jobs keep the
	 * VM. */
	f->vm->dying = true;
	bw_drm_auth_close(f);
	u->n_open[f->node]--;
	f->vm->dying_since_ns = bw_now_ns();
	bw_drm_vmid_unreserve(f->vm);
	bw_ids_each(&f->bo_lists, i)
		bw_drm_bo_list_unref(f->bo_lists.slot[i]);
	bw_ids_fini(&f->bo_lists);
	bw_ids_each(&f->ctxs, i)
		bw_drm_ctx_unref(f->ctxs.slot[i]);
	bw_ids_fini(&f->ctxs);
	bw_drm_events_forget(u, f);
	bw_ids_each(&f->syncobjs, i)
		bw_drm_syncobj_unref(f->syncobjs.slot[i]);
	bw_ids_fini(&f->syncobjs);
	bw_drm_file_close_bos(f);
	bw_drm_vm_unref(f->vm);
	bw_drm_account_unref(f->account);
	pthread_mutex_unlock(&u->lock);
	free(f);
	bw_drm_kick(u);
}

void bw_drm_file_fdinfo(struct bw_drm_file *f, struct bw_str *out)
{
	static const char *const engines[] = {"gfx", "compute", "dma"};
	struct bw_uapi *u = f->u;
	uint64_t vram = 0, gtt = 0;
	pthread_mutex_lock(&u->lock);
	bw_ids_each(&f->bos, i) {
		const struct bw_drm_bo *bo = f->bos.slot[i];
		*(bo->in_vram ? &vram : &gtt) += bo->size_b;
	}
	/* drm_show_fdinfo and amdgpu_show_fdinfo of 6.12 */
	bw_str_addf(out, "pos:\t0\nflags:\t02100002\nmnt_id:\t0\nino:\t0\n");
	bw_str_addf(out, "drm-driver:\tamdgpu\ndrm-client-id:\t%llu\ndrm-pdev:\t%s\n",
		    (unsigned long long)f->client_id, u->profile->pci_address);
	bw_str_addf(out, "pasid:\t%u\n", f->vm->pasid);
	bw_str_addf(
		out,
		"drm-memory-vram:\t%llu KiB\ndrm-memory-gtt: \t%llu KiB\ndrm-memory-cpu: \t0 KiB\n",
		(unsigned long long)vram / 1024, (unsigned long long)gtt / 1024);
	bw_str_addf(out,
		    "amd-memory-visible-vram:\t%llu KiB\namd-requested-vram:\t%llu "
		    "KiB\namd-requested-gtt:\t%llu KiB\n",
		    (unsigned long long)vram / 1024, (unsigned long long)vram / 1024,
		    (unsigned long long)gtt / 1024);
	for (size_t i = 0; i < BW_ARRAY_SIZE(engines); i++)
		if (f->vm->engine_ns[i])
			bw_str_addf(out, "drm-engine-%s:\t%llu ns\n", engines[i],
				    (unsigned long long)f->vm->engine_ns[i]);
	pthread_mutex_unlock(&u->lock);
}
