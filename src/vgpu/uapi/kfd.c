/* SPDX-License-Identifier: MIT */
/* The calls of /dev/kfd: the table, and those that only tell or note something (kfd_chardev.c of
 * Linux 6.12). */
#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/newer_kfd.h"
#include "vgpu/uapi/address_space.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/kfd_queues.h"
#include "vgpu/uapi/klog.h"

/* ---- life ---- */

int bw_kfd_create_locked(struct bw_uapi *u, int pid, const char *comm,
			 struct bw_drm_account *account, struct bw_kfd **out)
{
	struct bw_kfd *p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	*p = (struct bw_kfd){.u = u,
			     .account = bw_drm_account_ref(account),
			     .pid = pid,
			     .gpu_id = bw_kfd_gpu_id(u->profile),
			     .n_unplugged = atomic_load(&u->n_unplugged),
			     .next = u->kfd.processes,
			     .debug.fd = -1};
	snprintf(p->comm, sizeof(p->comm), "%.15s", comm);
	bw_ids_init(&p->buffers, 0);
	bw_ids_init(&p->queues, 0);
	bw_ids_init(&p->signals, 1); /* the kernel keeps 0 for interrupts without an id */
	bw_ids_init(&p->others, BW_KFD_FIRST_OTHER_EVENT);
	u->kfd.processes = p;
	*out = p;
	return 0;
}

int bw_kfd_create(struct bw_uapi *u, int pid, const char *comm, struct bw_drm_account *account,
		  struct bw_kfd **out)
{
	pthread_mutex_lock(&u->lock);
	int r = bw_kfd_create_locked(u, pid, comm, account, out);
	pthread_mutex_unlock(&u->lock);
	return r;
}

void bw_kfd_adopt(struct bw_kfd *p, const char *comm, struct bw_drm_account *account)
{
	p->is_ahead = false;
	snprintf(p->comm, sizeof(p->comm), "%.15s", comm);
	bw_drm_account_unref(p->account);
	p->account = bw_drm_account_ref(account);
}

void bw_kfd_unlink(struct bw_kfd *p)
{
	for (struct bw_kfd **at = &p->u->kfd.processes; *at; at = &(*at)->next) {
		if (*at == p) {
			*at = p->next;
			return;
		}
	}
}

void bw_kfd_destroy(struct bw_kfd *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->u->lock);
	p->is_gone = true;
	while (p->n_users)
		bw_kfd_wait_unlocked(p->u);
	bw_kfd_debug_leave(p);
	bw_kfd_unlink(p);
	bw_kfd_end_queues(p);
	bw_kfd_debug_free_handler(p);
	bw_kfd_free_events(p);
	bw_kfd_free_memory(p);
	bw_drm_account_unref(p->account);
	pthread_mutex_unlock(&p->u->lock);
	bw_client_file_unref(p->u, p->vm_file);
	free(p);
}

struct bw_drm_vm *bw_drm_call_vm(const struct bw_drm_call *c)
{
	return c->file ? c->file->vm : c->kfd->vm;
}

/* ---- calls that tell something ---- */

static int get_version(struct bw_drm_call *c, void *arg)
{
	struct kfd_ioctl_get_version_args *a = arg;
	a->major_version = BW_KFD_MAJOR_VERSION;
	a->minor_version = BW_KFD_MINOR_VERSION;
	return 0;
}

/* What flat addresses of waves mean: as SH_MEM_BASES says (kfd_init_apertures_v9). */
struct kfd_process_device_apertures bw_kfd_apertures(const struct bw_kfd *p)
{
	const uint64_t lds = 1ull << 48, scratch = 2ull << 48, last = UINT32_MAX;
	return (struct kfd_process_device_apertures){
		.lds_base = lds,
		.lds_limit = lds | last,
		.scratch_base = scratch,
		.scratch_limit = scratch | last,
		.gpuvm_base = BW_VA_RESERVED_BOTTOM,
		.gpuvm_limit = (1ull << 47) - 1,
		.gpu_id = p->gpu_id,
	};
}

static int get_apertures(struct bw_drm_call *c, void *arg)
{
	struct kfd_ioctl_get_process_apertures_args *a = arg;
	a->num_of_nodes = 1;
	a->process_apertures[0] = bw_kfd_apertures(c->kfd);
	return 0;
}

/* The nodes are the CPUs and the GPU, and only the latter has apertures. */
static int get_apertures_new(struct bw_drm_call *c, void *arg)
{
	struct kfd_ioctl_get_process_apertures_new_args *a = arg;
	enum { N_NODES = 2 };
	uint32_t asked = a->num_of_nodes;
	if (asked > N_NODES)
		return -EINVAL;
	a->num_of_nodes = 1;
	const struct kfd_process_device_apertures one = bw_kfd_apertures(c->kfd);
	return asked ? bw_user_write(c, a->kfd_process_device_apertures_ptr, &one, sizeof(one)) : 0;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A node that is not the GPU's has no GPU clock, which is not an error. */
static int get_clock_counters(struct bw_drm_call *c, void *arg)
{
	struct kfd_ioctl_get_clock_counters_args *a = arg;
	a->gpu_clock_counter = a->gpu_id == c->kfd->gpu_id ? bw_drm_gpu_clock(c->u) : 0;
	a->cpu_clock_counter = clock_ns(CLOCK_MONOTONIC_RAW);
	a->system_clock_counter = clock_ns(CLOCK_BOOTTIME);
	a->system_clock_freq = 1000000000;
	return 0;
}

/* The arrays of tile modes are of GPUs before gfx9; later ones have them, too, and there they are
 * empty (amdgpu_amdkfd_get_tile_config). */
static int get_tile_config(struct bw_drm_call *c, void *arg)
{
	enum { N_TILE_MODES = 32, N_MACRO_TILE_MODES = 16 };
	static const uint32_t none[N_TILE_MODES];
	struct kfd_ioctl_get_tile_config_args *a = arg;
	if (a->gpu_id != c->kfd->gpu_id)
		return -EINVAL;
	a->gb_addr_config = c->u->profile->gb_addr_config;
	a->num_banks = a->num_ranks = 0;
	a->num_tile_configs = BW_MIN(a->num_tile_configs, (uint32_t)N_TILE_MODES);
	a->num_macro_tile_configs = BW_MIN(a->num_macro_tile_configs, (uint32_t)N_MACRO_TILE_MODES);
	int r = bw_user_write(c, a->tile_config_ptr, none, a->num_tile_configs * sizeof(none[0]));
	return r ? r
		 : bw_user_write(c, a->macro_tile_config_ptr, none,
				 a->num_macro_tile_configs * sizeof(none[0]));
}

/* ---- calls that note something ---- */

static int acquire_vm(struct bw_drm_call *c, void *arg)
{
	const struct kfd_ioctl_acquire_vm_args *a = arg;
	struct bw_kfd *p = c->kfd;
	pthread_mutex_lock(&c->u->lock);
	struct bw_drm_file *f = bw_conn_file(c->conn, a->drm_fd);
	int r = 0;
	if (!f || a->gpu_id != p->gpu_id) {
		r = -EINVAL;
	} else if (p->vm) {
		r = p->vm == f->vm ? 0 : -EBUSY;
	} else {
		p->vm = f->vm;
		p->vm_file = bw_conn_file_ref(c->conn, a->drm_fd);
	}
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

/* Whether a call may go on that names a GPU and needs its address space
 * (kfd_bind_process_to_device). */
static int bound(const struct bw_kfd *p, uint32_t gpu_id, int unbound)
{
	return gpu_id != p->gpu_id ? -EINVAL : p->vm ? 0 : unbound;
}

/* Since gfx9 the policy has no effect: the page tables say how memory is cached. */
static int set_memory_policy(struct bw_drm_call *c, void *arg)
{
	const struct kfd_ioctl_set_memory_policy_args *a = arg;
	if (a->default_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT ||
	    a->alternate_policy > KFD_IOC_CACHE_POLICY_NONCOHERENT)
		return -EINVAL;
	return bound(c->kfd, a->gpu_id, -ESRCH);
}

static int set_scratch_backing(struct bw_drm_call *c, void *arg)
{
	const struct kfd_ioctl_set_scratch_backing_va_args *a = arg;
	int r = bound(c->kfd, a->gpu_id, -ENODEV);
	if (!r)
		c->kfd->scratch_va = a->va_addr;
	return r;
}

static int set_trap_handler(struct bw_drm_call *c, void *arg)
{
	const struct kfd_ioctl_set_trap_handler_args *a = arg;
	pthread_mutex_lock(&c->u->lock);
	int r = bound(c->kfd, a->gpu_id, -ESRCH);
	if (!r) {
		c->kfd->tba = a->tba_addr;
		c->kfd->tma = a->tma_addr;
		bw_kfd_debug_apply_second(c->kfd);
	}
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

/* Linux as Debian builds it has no shared virtual memory, and so no XNACK mode. */
static int set_xnack_mode(struct bw_drm_call *c, void *arg)
{
	return -EPERM;
}

static int is_deprecated(struct bw_drm_call *c, void *arg)
{
	return -EPERM;
}

/* ---- the table ---- */

struct row {
	const char *name;
	uint32_t cmd;				     /* as 6.12 defines it */
	int (*fn)(struct bw_drm_call *c, void *arg); /* NULL: not supported */
};

#define AT(nr_of, name) [_IOC_NR(nr_of)] = {name, nr_of
/* clang-format off */
static const struct row rows[BW_KFD_N_IOCTLS] = {
	AT(AMDKFD_IOC_GET_VERSION, "GET_VERSION"), get_version},
	AT(BW_KFD_IOC_CREATE_QUEUE, "CREATE_QUEUE"), bw_kfd_ioctl_create_queue},
	AT(AMDKFD_IOC_DESTROY_QUEUE, "DESTROY_QUEUE"), bw_kfd_ioctl_destroy_queue},
	AT(AMDKFD_IOC_SET_MEMORY_POLICY, "SET_MEMORY_POLICY"), set_memory_policy},
	AT(AMDKFD_IOC_GET_CLOCK_COUNTERS, "GET_CLOCK_COUNTERS"), get_clock_counters},
	AT(AMDKFD_IOC_GET_PROCESS_APERTURES, "GET_PROCESS_APERTURES"), get_apertures},
	AT(AMDKFD_IOC_UPDATE_QUEUE, "UPDATE_QUEUE"), bw_kfd_ioctl_update_queue},
	AT(AMDKFD_IOC_CREATE_EVENT, "CREATE_EVENT"), bw_kfd_ioctl_create_event},
	AT(AMDKFD_IOC_DESTROY_EVENT, "DESTROY_EVENT"), bw_kfd_ioctl_destroy_event},
	AT(AMDKFD_IOC_SET_EVENT, "SET_EVENT"), bw_kfd_ioctl_set_event},
	AT(AMDKFD_IOC_RESET_EVENT, "RESET_EVENT"), bw_kfd_ioctl_reset_event},
	AT(AMDKFD_IOC_WAIT_EVENTS, "WAIT_EVENTS"), bw_kfd_ioctl_wait_events},
	AT(AMDKFD_IOC_DBG_REGISTER_DEPRECATED, "DBG_REGISTER"), is_deprecated},
	AT(AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED, "DBG_UNREGISTER"), is_deprecated},
	AT(AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED, "DBG_ADDRESS_WATCH"), is_deprecated},
	AT(AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED, "DBG_WAVE_CONTROL"), is_deprecated},
	AT(AMDKFD_IOC_SET_SCRATCH_BACKING_VA, "SET_SCRATCH_BACKING_VA"), set_scratch_backing},
	AT(AMDKFD_IOC_GET_TILE_CONFIG, "GET_TILE_CONFIG"), get_tile_config},
	AT(AMDKFD_IOC_SET_TRAP_HANDLER, "SET_TRAP_HANDLER"), set_trap_handler},
	AT(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, "GET_PROCESS_APERTURES_NEW"), get_apertures_new},
	AT(AMDKFD_IOC_ACQUIRE_VM, "ACQUIRE_VM"), acquire_vm},
	AT(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, "ALLOC_MEMORY_OF_GPU"), bw_kfd_ioctl_alloc_memory},
	AT(AMDKFD_IOC_FREE_MEMORY_OF_GPU, "FREE_MEMORY_OF_GPU"), bw_kfd_ioctl_free_memory},
	AT(AMDKFD_IOC_MAP_MEMORY_TO_GPU, "MAP_MEMORY_TO_GPU"), bw_kfd_ioctl_map_memory},
	AT(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, "UNMAP_MEMORY_FROM_GPU"), bw_kfd_ioctl_unmap_memory},
	AT(AMDKFD_IOC_SET_CU_MASK, "SET_CU_MASK"), bw_kfd_ioctl_set_cu_mask},
	AT(AMDKFD_IOC_GET_QUEUE_WAVE_STATE, "GET_QUEUE_WAVE_STATE"), bw_kfd_ioctl_get_queue_wave_state},
	AT(AMDKFD_IOC_GET_DMABUF_INFO, "GET_DMABUF_INFO"), bw_kfd_ioctl_get_dmabuf_info},
	AT(AMDKFD_IOC_IMPORT_DMABUF, "IMPORT_DMABUF"), bw_kfd_ioctl_import_dmabuf},
	AT(AMDKFD_IOC_ALLOC_QUEUE_GWS, "ALLOC_QUEUE_GWS"), bw_kfd_ioctl_alloc_queue_gws},
	AT(AMDKFD_IOC_SMI_EVENTS, "SMI_EVENTS"), bw_kfd_ioctl_smi_events},
	AT(AMDKFD_IOC_SVM, "SVM"), is_deprecated}, /* EPERM without CONFIG_HSA_AMD_SVM, too */
	AT(AMDKFD_IOC_SET_XNACK_MODE, "SET_XNACK_MODE"), set_xnack_mode},
	AT(AMDKFD_IOC_AVAILABLE_MEMORY, "AVAILABLE_MEMORY"), bw_kfd_ioctl_available_memory},
	AT(BW_KFD_IOC_EXPORT_DMABUF, "EXPORT_DMABUF"), bw_kfd_ioctl_export_dmabuf},
	AT(BW_KFD_IOC_RUNTIME_ENABLE, "RUNTIME_ENABLE"), bw_kfd_ioctl_runtime_enable},
	AT(BW_KFD_IOC_DBG_TRAP, "DBG_TRAP"), bw_kfd_ioctl_dbg_trap},
};
/* clang-format on */

int bw_kfd_ioctl(struct bw_drm_call *c, uint32_t cmd, uint8_t *data)
{
	/* kfd_ioctl(): the number chooses, whatever the type; sizes may differ, and what the caller
	 * lacks is zero. */
	unsigned nr = _IOC_NR(cmd);
	if (c->kfd->n_unplugged != atomic_load(&c->u->n_unplugged))
		return -ENODEV;
	if (!nr || nr >= BW_KFD_N_IOCTLS)
		return -ENOTTY;
	const struct row *row = &rows[nr];
	if (!row->fn) {
		if (bw_klog_allowed(c->u))
			bw_klog(c->u,
				"KFD's %s is not supported by the virtual GPU's own driver; Linux's driver has it: breakwater vgpu linux",
				row->name ? row->name : "CRIU_OP");
		return -EINVAL;
	}
	uint32_t size = _IOC_SIZE(cmd), own = _IOC_SIZE(row->cmd);
	_Alignas(16) uint8_t small[512] = {0};
	_cleanup_free_ uint8_t *large =
		BW_MAX(size, own) > sizeof(small) ? calloc(1, BW_MAX(size, own)) : NULL;
	uint8_t *arg = BW_MAX(size, own) > sizeof(small) ? large : small;
	if (!arg)
		return -ENOMEM;
	if (row->cmd & IOC_IN)
		memcpy(arg, data, size);
	int r = row->fn(c, arg);
	if (row->cmd & IOC_OUT)
		memcpy(data, arg, size);
	BW_LOG(DEBUG, "uapi", "KFD %s (pid %d) = %d", row->name, c->kfd->pid, r);
	return r;
}
