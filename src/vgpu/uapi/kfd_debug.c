/* SPDX-License-Identifier: MIT */
/* KFD's debug calls (kfd_ioctl_set_debug_trap, kfd_ioctl_runtime_enable and kfd_debug.c of Linux
 * 6.12): checks in the kernel's order. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "vgpu/uapi/buffers.h"
#include "vgpu/uapi/drm_call.h"
#include "vgpu/uapi/fence.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/kfd_queues.h"
#include "vgpu/uapi/klog.h"

#define EC(name) BW_KFD_EC_MASK(BW_KFD_EC_##name)

/* ---- processes ---- */

struct bw_kfd *bw_kfd_process(struct bw_uapi *u, int pid)
{
	struct bw_kfd *p = u->kfd.processes;
	while (p && (p->pid != pid || p->is_gone))
		p = p->next;
	return p;
}

/* A number in /proc/PID/status; 0: there is none. */
static int status_of(int pid, const char *format)
{
	char path[64], line[256];
	int value = 0;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, format, &value) == 1)
			break;
	if (f)
		fclose(f);
	return value;
}

/* Whether a thread of a process traces another process (ptrace). */
static bool traces(int tracer, int pid)
{
	int thread = pid > 0 ? status_of(pid, "TracerPid: %d") : 0;
	return thread > 0 && status_of(thread, "Tgid: %d") == tracer;
}

/* The server may not have noticed yet that a program has ended. */
static bool has_ended(int pid)
{
	return pid <= 0 || (kill(pid, 0) && errno == ESRCH);
}

/* A process that has not opened /dev/kfd yet, and already has a debugger. */
static struct bw_kfd *make_ahead(struct bw_drm_call *c, int pid)
{
	enum { MAX = 64 }; /* of a debugger: each keeps a descriptor */
	struct bw_kfd *p;
	unsigned n = 0;
	for (p = c->u->kfd.processes; p; p = p->next)
		n += p->is_ahead && p->debug.debugger == c->kfd;
	if (n >= MAX || bw_kfd_create_locked(c->u, pid, "", c->kfd->account, &p))
		return NULL;
	p->is_ahead = true;
	return p;
}

static void drop_if_ahead(struct bw_kfd *p)
{
	if (!p->is_ahead || p->debug.is_enabled || p->n_users)
		return;
	bw_kfd_unlink(p);
	bw_drm_account_unref(p->account);
	free(p);
}

/* ---- events ---- */

/* A description of the debugger's file of our own: a full pipe makes nobody wait. -1: it is none
 * that can be written so. */
static int writer_of(int fd)
{
	struct stat st;
	char path[64];
	if (fd < 0 || fstat(fd, &st))
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (S_ISFIFO(st.st_mode))
		return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	return S_ISSOCK(st.st_mode) ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
}

static void write_event(const struct bw_kfd *p)
{
	struct stat st;
	if (p->debug.fd < 0 || fstat(p->debug.fd, &st))
		return;
	ssize_t n = S_ISSOCK(st.st_mode) ? send(p->debug.fd, ".", 1, MSG_DONTWAIT | MSG_NOSIGNAL)
					 : write(p->debug.fd, ".", 1);
	if (n != 1)
		BW_LOG(DEBUG, "uapi", "KFD's debugger of pid %d reads no events", p->pid);
}

bool bw_kfd_debug_raise(struct bw_kfd *p, uint64_t exceptions, struct bw_kfd_queue *q)
{
	struct bw_kfd_debug *d = &p->debug;
	if (!d->is_enabled)
		return false;
	if (q)
		q->exceptions |= exceptions;
	d->of_device |= exceptions & BW_KFD_EC_DEVICES;
	d->of_process |= exceptions & BW_KFD_EC_PROCESSES;
	if (!(d->subscribed & exceptions))
		return false;
	write_event(p);
	return true;
}

static int query_event(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	struct bw_kfd_debug *d = &t->debug;
	const uint64_t clear = a->event.exception_mask;
	uint64_t *from = NULL;
	a->event.exception_mask = 0;
	a->event.queue_id = a->event.gpu_id = 0;
	for (uint32_t i = t->queues.cap; i-- > 0 && !from;) { /* the newest first */
		struct bw_kfd_queue *q = t->queues.slot[i];
		if (!q || !(q->exceptions & d->subscribed))
			continue;
		from = &q->exceptions;
		a->event.queue_id = q->id;
		a->event.gpu_id = t->gpu_id;
	}
	if (!from && d->of_device & d->subscribed) {
		from = &d->of_device;
		a->event.gpu_id = t->gpu_id;
	}
	if (!from && d->of_process & d->subscribed)
		from = &d->of_process;
	if (!from)
		return -EAGAIN;
	a->event.exception_mask = *from;
	*from &= ~clear;
	return 0;
}

static int set_subscribed(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	struct bw_kfd_debug *d = &t->debug;
	uint64_t pending = d->of_process | d->of_device;
	bw_ids_each(&t->queues, i)
		pending |= ((const struct bw_kfd_queue *)t->queues.slot[i])->exceptions;
	if (a->event.exception_mask & pending)
		write_event(t);
	d->subscribed = a->event.exception_mask;
	return 0;
}

/* kfd_dbg_send_exception_to_runtime */
static int send_to_runtime(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	uint64_t left = a->event.exception_mask;
	if (left & EC(DEVICE_MEMORY_VIOLATION)) {
		if (a->event.gpu_id != t->gpu_id)
			return -ENODEV;
		bw_kfd_stop_queues(t);
		bw_kfd_signal_memory(t, &t->debug.fault);
		left &= ~EC(DEVICE_MEMORY_VIOLATION);
	}
	if (left & EC(PROCESS_RUNTIME)) {
		t->debug.runtime_may_go_on = true;
		pthread_cond_broadcast(&t->u->changed);
		left &= ~EC(PROCESS_RUNTIME);
	}
	struct bw_kfd_queue *q = bw_ids_get(&t->queues, a->event.queue_id);
	if (left && q)
		bw_kfd_tell_runtime(q, left);
	return 0;
}

/* ---- begin and end ---- */

static void activate(struct bw_drm_call *c, struct bw_kfd *t)
{
	struct bw_kfd_debug *d = &t->debug;
	bool is_masked = false;
	bw_ids_each(&t->queues, i)
		is_masked |= ((const struct bw_kfd_queue *)t->queues.slot[i])->has_cu_mask;
	d->is_active = true;
	d->launch_override = BW_FIELD_MASK(SPI_GDBG_PER_VMID_CNTL, TRAP_EN);
	if (is_masked || bw_kfd_debug_apply(t)) {
		d->is_active = false;
		d->runtime.runtime_state = BW_KFD_RUNTIME_BUSY;
		return;
	}
	bw_kfd_debug_launch_again(c, t);
}

static void deactivate(struct bw_kfd *t)
{
	struct bw_kfd_debug *d = &t->debug;
	bw_kfd_debug_resume(t, NULL, 0);
	for (unsigned i = 0; i < BW_KFD_N_WATCHES; i++)
		if (d->watches >> i & 1)
			bw_kfd_debug_release_watch(t, i);
	d->launch_mode = d->flags = 0;
	d->launch_override = BW_FIELD_MASK(SPI_GDBG_PER_VMID_CNTL, TRAP_EN);
	d->is_active = false;
	bw_kfd_debug_apply(t);
}

static int disable_debug(struct bw_kfd *t)
{
	struct bw_kfd_debug *d = &t->debug;
	if (!d->is_enabled)
		return 0;
	if (d->runtime.runtime_state == BW_KFD_RUNTIME_ON)
		deactivate(t);
	else if (d->runtime.runtime_state != BW_KFD_RUNTIME_OFF)
		d->runtime.runtime_state = BW_KFD_RUNTIME_ON;
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
	d->debugger = NULL;
	d->is_enabled = false;
	d->of_process = d->of_device = 0;
	d->has_fault = false;
	bw_ids_each(&t->queues, i)
		((struct bw_kfd_queue *)t->queues.slot[i])->exceptions = 0;
	pthread_cond_broadcast(&t->u->changed); /* a runtime that waits for the debugger */
	return 0;
}

static int disable(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	return disable_debug(t);
}

static int enable(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	struct bw_kfd_debug *d = &t->debug;
	if (d->is_enabled)
		return -EALREADY;
	if (!bw_kfd_debug_can(c->u)) {
		if (bw_klog_allowed(c->u))
			bw_klog(c->u,
				"KFD's debug calls are not supported for this GPU by the virtual GPU's own driver: there is no trap handler that saves its waves");
		return -ENODEV;
	}
	bw_ids_each(&t->queues, i)
		if (((const struct bw_kfd_queue *)t->queues.slot[i])->has_gws)
			return -EBUSY; /* gfx11.0 has no debugging with it */
	if (c->fd_in < 0)
		return -EBADF;
	d->fd = writer_of(c->fd_in);
	d->debugger = t != c->kfd ? c->kfd : NULL;
	if (d->runtime.runtime_state == BW_KFD_RUNTIME_ON)
		activate(c, t);
	d->is_enabled = true;
	const struct bw_kfd_runtime_info info = d->runtime;
	const uint32_t n = BW_MIN(a->enable.rinfo_size, (uint32_t)sizeof(info));
	pthread_mutex_unlock(&c->u->lock);
	int r = bw_user_write(c, a->enable.rinfo_ptr, &info, n);
	pthread_mutex_lock(&c->u->lock);
	a->enable.rinfo_size = sizeof(info);
	if (r)
		disable_debug(t);
	else
		d->subscribed = a->enable.exception_mask;
	return r;
}

void bw_kfd_debug_leave(struct bw_kfd *p)
{
	struct bw_kfd *t = p->u->kfd.processes;
	while (t) {
		if (t->debug.debugger != p) {
			t = t->next;
			continue;
		}
		t->n_users++; /* the lock is given up */
		disable_debug(t);
		t->n_users--;
		drop_if_ahead(t);
		t = p->u->kfd.processes;
	}
	disable_debug(p);
}

/* ---- the program's runtime ---- */

static bool may_go_on(void *arg)
{
	const struct bw_kfd_debug *d = arg;
	return d->runtime_may_go_on || !d->is_enabled;
}

/* The program goes on when its debugger knows of it. */
static int await_debugger(struct bw_drm_call *c)
{
	struct bw_kfd *p = c->kfd;
	if (!p->debug.is_enabled)
		return 0;
	bw_kfd_debug_raise(p, EC(PROCESS_RUNTIME), NULL);
	int r = bw_drm_wait(c, INT64_MAX, may_go_on, &p->debug);
	p->debug.runtime_may_go_on = false;
	return r;
}

static int runtime_on(struct bw_drm_call *c, const struct bw_kfd_runtime_enable *a)
{
	struct bw_kfd_debug *d = &c->kfd->debug;
	if (d->runtime.runtime_state != BW_KFD_RUNTIME_OFF)
		return -EBUSY;
	if (c->kfd->queues.n)
		return -EEXIST;
	d->runtime = (struct bw_kfd_runtime_info){a->r_debug, BW_KFD_RUNTIME_ON,
						  a->mode_mask & BW_KFD_RUNTIME_TTMP_SAVE ? 1 : 0};
	if (d->is_enabled)
		activate(c, c->kfd);
	return await_debugger(c);
}

static int runtime_off(struct bw_drm_call *c)
{
	struct bw_kfd_debug *d = &c->kfd->debug;
	bool was_on = d->runtime.runtime_state == BW_KFD_RUNTIME_ON;
	d->runtime.runtime_state = BW_KFD_RUNTIME_OFF;
	d->runtime.r_debug = 0;
	if (d->is_enabled && was_on)
		deactivate(c->kfd);
	int r = await_debugger(c);
	d->runtime.ttmp_setup = 0;
	return r;
}

int bw_kfd_ioctl_runtime_enable(struct bw_drm_call *c, void *arg)
{
	const struct bw_kfd_runtime_enable *a = arg;
	pthread_mutex_lock(&c->u->lock);
	int r = a->mode_mask & BW_KFD_RUNTIME_ENABLE ? runtime_on(c, a) : runtime_off(c);
	pthread_mutex_unlock(&c->u->lock);
	return r;
}

/* ---- launch, watchpoints ---- */

static int set_override(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	enum { OR, REPLACE, EXCEPTIONS = 0x1ff };
	uint32_t enabled = a->launch_override.enable_mask,
		 asked = a->launch_override.support_request_mask, mode = a->launch_override.mode;
	a->launch_override.support_request_mask = UINT32_MAX;
	if (!t->is_ahead)
		a->launch_override.support_request_mask &= EXCEPTIONS;
	if (mode != OR && mode != REPLACE)
		return -EPERM;
	if (asked & ~a->launch_override.support_request_mask)
		return -EACCES;
	uint32_t before = BW_FIELD_GET(SPI_GDBG_PER_VMID_CNTL, EXCP_EN, t->debug.launch_override);
	uint32_t now = (enabled & asked) | (before & ~asked);
	a->launch_override.enable_mask = before;
	t->debug.launch_override = BW_FIELD_MASK(SPI_GDBG_PER_VMID_CNTL, TRAP_EN) |
				   BW_FIELD(SPI_GDBG_PER_VMID_CNTL, EXCP_EN, now) |
				   BW_FIELD(SPI_GDBG_PER_VMID_CNTL, EXCP_REPLACE, mode);
	bw_kfd_debug_apply(t);
	return 0;
}

static int set_launch_mode(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	enum { NORMAL = 0, HALT = 1, DEBUG_MODE = 3 };
	uint8_t mode = (uint8_t)a->launch_mode.launch_mode;
	if (mode != NORMAL && mode != HALT && mode != DEBUG_MODE)
		return -EINVAL;
	t->debug.launch_mode = BW_FIELD(SPI_GDBG_PER_VMID_CNTL, LAUNCH_MODE, mode);
	bw_kfd_debug_apply(t);
	return 0;
}

static int set_watch(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	enum { GRANULE_LOG2 = 7 };
	int id = bw_kfd_debug_take_watch(t);
	if (id < 0)
		return id;
	t->debug.watch[id].va = a->set_watch.address;
	t->debug.watch[id].cntl =
		BW_FIELD(TCP_WATCH0_CNTL, MASK, a->set_watch.mask >> GRANULE_LOG2) |
		BW_FIELD(TCP_WATCH0_CNTL, MODE, a->set_watch.mode) |
		BW_FIELD(TCP_WATCH0_CNTL, VALID, 1);
	a->set_watch.id = (uint32_t)id;
	bw_kfd_debug_apply(t);
	return 0;
}

static int clear_watch(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	uint32_t id = a->clear_watch.id;
	if (id >= BW_KFD_N_WATCHES || !(t->debug.watches >> id & 1))
		return -EINVAL;
	bw_kfd_debug_release_watch(t, id);
	return 0;
}

/* Neither memory nor ALU operations can be made precise on gfx11. */
static int set_flags(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	enum { SINGLE_MEM_OP = 1, SINGLE_ALU_OP = 2 };
	uint32_t flags = a->flags.flags;
	a->flags.flags = t->debug.flags;
	if (flags & (SINGLE_MEM_OP | SINGLE_ALU_OP))
		return -EACCES;
	t->debug.flags = flags;
	return 0;
}

/* ---- queues ---- */

static int with_ids(struct bw_drm_call *c, struct bw_kfd *t, uint64_t ptr, uint32_t n, bool suspend,
		    uint64_t clear)
{
	_cleanup_free_ uint32_t *ids = NULL;
	pthread_mutex_unlock(&c->u->lock);
	int r = ptr ? bw_user_dup(c, ptr, n, sizeof(*ids), &ids) : 0;
	pthread_mutex_lock(&c->u->lock);
	if (r || (!ptr && suspend))
		return r ? r : -EFAULT;
	int done = suspend ? bw_kfd_debug_suspend(c, t, ids, n, clear)
			   : bw_kfd_debug_resume(t, ids, n);
	pthread_mutex_unlock(&c->u->lock);
	r = ids && n ? bw_user_write(c, ptr, ids, n * sizeof(*ids)) : 0;
	pthread_mutex_lock(&c->u->lock);
	return r && suspend ? r : done;
}

static int suspend(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	return with_ids(c, t, a->suspend.ids_ptr, a->suspend.n_ids, true,
			a->suspend.exception_mask);
}

static int resume(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a)
{
	return with_ids(c, t, a->resume.ids_ptr, a->resume.n_ids, false, 0);
}

/* ---- the table ---- */

static const struct {
	int (*fn)(struct bw_drm_call *c, struct bw_kfd *t, struct bw_kfd_dbg_trap *a);
	bool needs_runtime;
} ops[BW_KFD_N_DBG] = {
	[BW_KFD_DBG_ENABLE] = {enable},
	[BW_KFD_DBG_DISABLE] = {disable},
	[BW_KFD_DBG_SEND_RUNTIME_EVENT] = {send_to_runtime},
	[BW_KFD_DBG_SET_EXCEPTIONS_ENABLED] = {set_subscribed},
	[BW_KFD_DBG_SET_WAVE_LAUNCH_OVERRIDE] = {set_override, true},
	[BW_KFD_DBG_SET_WAVE_LAUNCH_MODE] = {set_launch_mode, true},
	[BW_KFD_DBG_SUSPEND_QUEUES] = {suspend, true},
	[BW_KFD_DBG_RESUME_QUEUES] = {resume, true},
	[BW_KFD_DBG_SET_NODE_ADDRESS_WATCH] = {set_watch, true},
	[BW_KFD_DBG_CLEAR_NODE_ADDRESS_WATCH] = {clear_watch, true},
	[BW_KFD_DBG_SET_FLAGS] = {set_flags, true},
	[BW_KFD_DBG_QUERY_DEBUG_EVENT] = {query_event},
	[BW_KFD_DBG_QUERY_EXCEPTION_INFO] = {bw_kfd_debug_info},
	[BW_KFD_DBG_GET_QUEUE_SNAPSHOT] = {bw_kfd_debug_queues},
	[BW_KFD_DBG_GET_DEVICE_SNAPSHOT] = {bw_kfd_debug_devices},
};

static int check(const struct bw_drm_call *c, const struct bw_kfd *t,
		 const struct bw_kfd_dbg_trap *a, bool is_traced)
{
	if (t != c->kfd && a->op != BW_KFD_DBG_DISABLE && !is_traced)
		return -EPERM;
	if (a->op != BW_KFD_DBG_ENABLE && !t->debug.is_enabled)
		return -EINVAL;
	if (a->op >= BW_KFD_N_DBG)
		return -EINVAL;
	if (ops[a->op].needs_runtime && t->debug.runtime.runtime_state != BW_KFD_RUNTIME_ON)
		return -EPERM;
	if ((a->op == BW_KFD_DBG_SET_NODE_ADDRESS_WATCH && a->set_watch.gpu_id != t->gpu_id) ||
	    (a->op == BW_KFD_DBG_CLEAR_NODE_ADDRESS_WATCH && a->clear_watch.gpu_id != t->gpu_id))
		return -ENODEV;
	return 0;
}

int bw_kfd_ioctl_dbg_trap(struct bw_drm_call *c, void *arg)
{
	struct bw_kfd_dbg_trap *a = arg;
	int pid = (int)a->pid;
	bool is_traced = pid != c->kfd->pid && traces(c->kfd->pid, pid);
	if (pid != c->kfd->pid && has_ended(pid))
		return -ESRCH;
	pthread_mutex_lock(&c->u->lock);
	struct bw_kfd *t = pid == c->kfd->pid ? c->kfd : bw_kfd_process(c->u, pid);
	/* One call after the other, as the kernel's lock of the process has it. */
	while (t && t->n_users && !c->u->stopping && !bw_conn_gone(c->conn)) {
		bw_kfd_wait_unlocked(c->u);
		t = bw_kfd_process(c->u, pid);
	}
	bool is_new = !t && a->op == BW_KFD_DBG_ENABLE && is_traced;
	if (is_new)
		t = make_ahead(c, pid);
	int r = !t && is_new ? -ENOMEM
		: !t	     ? -ESRCH
		: t->n_users ? -EINTR
			     : check(c, t, a, is_traced);
	if (!r) {
		t->n_users++;
		r = ops[a->op].fn(c, t, a);
		t->n_users--;
	}
	if (t)
		drop_if_ahead(t);
	pthread_mutex_unlock(&c->u->lock);
	BW_LOG(DEBUG, "uapi", "KFD debug op %u of pid %d for pid %d = %d", a->op, c->kfd->pid, pid,
	       r);
	return r;
}
