/* SPDX-License-Identifier: MIT */
#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kfd_ioctl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/breadcrumbs/crumbs.h"
#include "agent/capture/capture.h"
#include "agent/debugger/debugger.h"
#include "agent/gpu/fences.h"
#include "agent/gpu/kfd.h"
#include "agent/gpu/submit.h"
#include "agent/gpu/wait_limits.h"
#include "agent/memory/stomp.h"
#include "agent/memory/track.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/newer_kfd.h"
#include "base/util.h"

/* The virtual GPU */

static _Atomic(struct bw_vgpu_client *) client;
static pthread_once_t client_once = PTHREAD_ONCE_INIT;
static char root[PATH_MAX];

void bw_agent_say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0) {
		/* there is nowhere to print it */
	}
}

static void server_gone(void)
{
	bw_agent_say("breakwater: the virtual GPU has gone away\n");
}

static void connect_client(void)
{
	if (!bw_agent_config()->vgpu_socket)
		return;
	const struct bw_vgpu_client_hooks hooks = {bw_agent_fd_keep, bw_agent_fd_close, server_gone,
						   bw_agent_share_pages};
	struct bw_vgpu_client *c;
	_cleanup_error_ struct bw_error *err =
		bw_vgpu_client_open(bw_agent_config()->vgpu_socket, &hooks, &c);
	if (err) {
		bw_agent_say("breakwater: ");
		bw_agent_say(err->message);
		bw_agent_say("\n");
		return;
	}
	const char *given = bw_vgpu_client_hello(c)->root;
	if (!REAL(realpath)(given, root))
		snprintf(root, sizeof(root), "%s", given);
	atomic_store(&client, c);
}

/* While connecting, this thread's own calls (open, connect) come through here again. */
static __thread bool connecting;

struct bw_vgpu_client *bw_agent_client(void)
{
	struct bw_vgpu_client *c = atomic_load(&client);
	if (c || connecting || !bw_agent_config()->vgpu_socket)
		return c;
	return NULL;
}

/* Connects to the server, unless that was tried before. */
static struct bw_vgpu_client *need_client(void)
{
	if (!connecting) {
		connecting = true;
		pthread_once(&client_once, connect_client);
		connecting = false;
	}
	return bw_agent_client();
}

const char *bw_agent_root(void)
{
	return need_client() ? root : NULL;
}

static void make_kfd_tree(void)
{
	int r = bw_vgpu_kfd_tree(bw_agent_client());
	if (r)
		BW_LOG(WARN, "agent", "the virtual GPU cannot make its KFD folders: %s",
		       strerror(-r));
}

void bw_agent_need_kfd_tree(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (bw_agent_client())
		pthread_once(&once, make_kfd_tree);
}

const char *bw_agent_pci_address(void)
{
	struct bw_vgpu_client *c = need_client();
	return c ? bw_vgpu_client_hello(c)->pci_address : NULL;
}

/* Files */

static struct bw_agent_file *new_file(unsigned minor)
{
	static _Atomic uint32_t numbers;
	struct bw_agent_file *f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	atomic_init(&f->refs, 1);
	f->number = atomic_fetch_add(&numbers, 1) + 1;
	f->minor = minor;
	f->owner = getpid();
	f->own_fd = -1;
	if (bw_agent_config()->is_tracked && minor != BW_AGENT_KFD)
		f->track = bw_track_new();
	return f;
}

int bw_agent_open_node(unsigned minor, int flags)
{
	struct bw_vgpu_client *c = need_client();
	if (!c)
		return -ENODEV;
	struct bw_agent_file *f = new_file(minor);
	if (!f)
		return -ENOMEM;
	/* A descriptor of its own that is never ready and cannot be read or written. */
	int fd = epoll_create1(flags & O_CLOEXEC ? EPOLL_CLOEXEC : 0);
	int r = fd < 0 ? -errno : 0;
	bool is_kfd = minor == BW_AGENT_KFD;
	if (!r)
		r = is_kfd ? bw_vgpu_kfd_open(c, &f->server_file)
			   : bw_vgpu_drm_open(c, minor, flags & ~O_CLOEXEC, &f->server_file);
	if (r)
		f->owner = 0; /* nothing to close there */
	else if (!is_kfd)
		r = bw_agent_version_ask(f->server_file, &f->version);
	if (!r && !bw_agent_fd_set(fd, f))
		r = -EMFILE;
	if (!r && !is_kfd)
		bw_debugger_file_opened(f);
	if (r && fd >= 0)
		REAL(close)(fd);
	bw_agent_file_unref(f);
	return r ? r : fd;
}

/* Whether the kernel's file is amdgpu's, or KFD's. */
static bool is_of_amdgpu(int fd, unsigned minor)
{
	char name[16] = "";
	struct drm_version v = {.name = name, .name_len = sizeof(name) - 1};
	struct kfd_ioctl_get_version_args kfd;
	if (minor == BW_AGENT_KFD)
		return !REAL(ioctl)(fd, AMDKFD_IOC_GET_VERSION, &kfd);
	return !REAL(ioctl)(fd, DRM_IOCTL_VERSION, &v) && !strncmp(name, "amdgpu", sizeof(name));
}

void bw_agent_adopt(int fd, unsigned minor)
{
	if (!bw_agent_config()->is_tracked || !is_of_amdgpu(fd, minor))
		return;
	struct bw_agent_file *f = new_file(minor);
	if (!f)
		return;
	int copy = REAL(fcntl)(fd, F_DUPFD_CLOEXEC, 3);
	if (copy >= 0) {
		f->own_fd = bw_agent_fd_keep(copy);
		if (bw_agent_fd_set(fd, f) && minor != BW_AGENT_KFD)
			bw_debugger_file_opened(f);
	}
	bw_agent_file_unref(f);
}

/* Notes the pages of the program that the virtual GPU uses now. */
static void note_pages(const struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	struct drm_amdgpu_gem_userptr user;
	uint32_t gone; /* the first member of what both calls take */
	if (_IOC_NR(cmd) == DRM_COMMAND_BASE + DRM_AMDGPU_GEM_USERPTR &&
	    bw_agent_copy_in(&user, (uintptr_t)arg, sizeof(user)))
		bw_agent_pages_used(f->server_file, user.handle, user.addr, user.size);
	else if ((_IOC_NR(cmd) == _IOC_NR(DRM_IOCTL_GEM_CLOSE) ||
		  _IOC_NR(cmd) == _IOC_NR(DRM_IOCTL_MODE_DESTROY_DUMB)) &&
		 bw_agent_copy_in(&gone, (uintptr_t)arg, sizeof(gone)))
		bw_agent_pages_closed(f->server_file, gone);
}

/* A call on /dev/kfd. Linux's kfd_ioctl() answers -EBADF in another process than the one that
 * opened it. ACQUIRE_VM names a descriptor of the program; the server knows the file by its number.
 * The pages that the GPU uses are noted as for GEM_USERPTR; handles start at 0 here, so one more.
 */
static int kfd_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	struct kfd_ioctl_alloc_memory_of_gpu_args a;
	struct kfd_ioctl_free_memory_of_gpu_args gone;
	struct kfd_ioctl_acquire_vm_args vm;
	if (f->owner != getpid())
		return -EBADF;
	if (cmd == AMDKFD_IOC_ACQUIRE_VM) {
		if (!bw_agent_copy_in(&vm, (uintptr_t)arg, sizeof(vm)))
			return -EFAULT;
		struct bw_agent_file *named = bw_agent_file_of((int)vm.drm_fd);
		vm.drm_fd = bw_agent_is_node(named) ? named->server_file : ~0u;
		bw_agent_file_unref(named);
		return bw_vgpu_ioctl(bw_agent_client(), f->server_file, cmd, &vm);
	}
	/* The call replaces the address by an offset for mmap. */
	uint64_t pages = cmd == AMDKFD_IOC_ALLOC_MEMORY_OF_GPU &&
					 bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a))
				 ? a.mmap_offset
				 : 0;
	int r = bw_vgpu_ioctl(bw_agent_client(), f->server_file, cmd, arg);
	if (!r && cmd == AMDKFD_IOC_ALLOC_MEMORY_OF_GPU &&
	    bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)) && a.flags & BW_KFD_ALLOC_USERPTR)
		bw_agent_pages_used(f->server_file, (uint32_t)a.handle + 1, pages, a.size);
	else if (!r && cmd == AMDKFD_IOC_FREE_MEMORY_OF_GPU &&
		 bw_agent_copy_in(&gone, (uintptr_t)arg, sizeof(gone)))
		bw_agent_pages_closed(f->server_file, (uint32_t)gone.handle + 1);
	return r;
}

/* SCHED names a descriptor of the program; the server knows the file by its number. */
static int set_priority(struct bw_agent_file *f, uint32_t cmd, const void *arg)
{
	union drm_amdgpu_sched a = {0};
	if (_IOC_SIZE(cmd) < sizeof(a) || !bw_agent_copy_in(&a, (uintptr_t)arg, sizeof(a)))
		return -EFAULT;
	struct bw_agent_file *named = bw_agent_file_of((int)a.in.fd);
	a.in.fd = named && named->own_fd < 0 && !named->live ? named->server_file : ~0u;
	if (named)
		bw_agent_file_unref(named);
	return bw_vgpu_ioctl(bw_agent_client(), f->server_file, DRM_IOCTL_AMDGPU_SCHED, &a);
}

static int make_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg, bool is_own)
{
	if (f->own_fd >= 0) {
		int r = REAL(ioctl)(f->own_fd, cmd, arg);
		return r < 0 ? -errno : r;
	}
	if (f->minor == BW_AGENT_KFD)
		return kfd_ioctl(f, cmd, arg);
	if (_IOC_TYPE(cmd) == DRM_IOCTL_BASE && _IOC_NR(cmd) == _IOC_NR(DRM_IOCTL_AMDGPU_SCHED))
		return set_priority(f, cmd, arg);
	int r = (is_own ? bw_vgpu_own_ioctl : bw_vgpu_ioctl)(bw_agent_client(), f->server_file, cmd,
							     arg);
	if (!r && _IOC_TYPE(cmd) == DRM_IOCTL_BASE)
		note_pages(f, cmd, arg);
	if (r == -ENODEV && cmd == DRM_IOCTL_VERSION && !f->live)
		return bw_agent_version_answer(&f->version, arg);
	return r;
}

int bw_agent_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	return make_ioctl(f, cmd, arg, false);
}

int bw_agent_own_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	return make_ioctl(f, cmd, arg, true);
}

int bw_agent_program_ioctl(struct bw_agent_file *f, uint32_t cmd, void *arg)
{
	if (f->minor == BW_AGENT_KFD)
		return bw_kfd_program_ioctl(f, cmd, arg);
	if (!f->track || _IOC_TYPE(cmd) != DRM_IOCTL_BASE)
		return bw_agent_ioctl(f, cmd, arg);
	int r;
	if (_IOC_NR(cmd) == DRM_COMMAND_BASE + DRM_AMDGPU_CS)
		return bw_submit(f, cmd, arg);
	if (_IOC_NR(cmd) == DRM_COMMAND_BASE + DRM_AMDGPU_CTX)
		bw_crumbs_context_ioctl(arg);
	struct drm_amdgpu_gem_create_in asked;
	bool makes_buffer = bw_agent_config()->folders[BW_AGENT_STOMP] &&
			    cmd == DRM_IOCTL_AMDGPU_GEM_CREATE &&
			    bw_agent_copy_in(&asked, (uintptr_t)arg, sizeof(asked));
	if (bw_agent_captures() && bw_agent_capture_answers(f, cmd, arg))
		r = 0;
	else if (!bw_wait_ioctl(f, cmd, arg, &r))
		r = bw_track_ioctl(f, cmd, arg);
	if (!r && makes_buffer)
		bw_stomp_new_buffer(f, &asked, ((union drm_amdgpu_gem_create *)arg)->out.handle);
	if (bw_wait_is_one(cmd))
		bw_fence_settle();
	return r;
}

void *bw_agent_mmap(struct bw_agent_file *f, void *addr, size_t size_b, int prot, int flags,
		    uint64_t offset)
{
	if (f->own_fd >= 0)
		return REAL(mmap64)(addr, size_b, prot, flags, f->own_fd, (off64_t)offset);
	if (f->live) { /* as debugfs and sysfs have it */
		errno = ENODEV;
		return MAP_FAILED;
	}
	int fd;
	uint64_t fd_offset;
	const struct bw_vgpu_mmap req = {f->server_file, (uint32_t)prot, offset, size_b};
	int r = bw_vgpu_mmap(bw_agent_client(), &req, &fd, &fd_offset);
	if (r) {
		errno = -r;
		return MAP_FAILED;
	}
	void *p = REAL(mmap64)(addr, size_b, prot, flags, fd, (off64_t)fd_offset);
	int e = errno;
	REAL(close)(fd);
	errno = e;
	return p;
}

ssize_t bw_agent_fdinfo(struct bw_agent_file *f, char *out, size_t size_b)
{
	if (f->own_fd < 0)
		return bw_vgpu_fdinfo(bw_agent_client(), f->server_file, out, size_b);
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", f->own_fd);
	int fd = REAL(open64)(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t n = read(fd, out, size_b);
	int e = errno;
	REAL(close)(fd);
	return n < 0 ? -e : n;
}

bool bw_agent_copy_in(void *out, uint64_t user, size_t size_b)
{
	struct iovec l = {out, size_b}, r = {(void *)(uintptr_t)user, size_b};
	return !size_b || process_vm_readv(getpid(), &l, 1, &r, 1, 0) == (ssize_t)size_b;
}

bool bw_agent_copy_in_each(void *out, const struct iovec *pieces, size_t n)
{
	struct iovec l = {out, 0};
	for (size_t i = 0; i < n; i++)
		l.iov_len += pieces[i].iov_len;
	return !l.iov_len || process_vm_readv(getpid(), &l, 1, pieces, n, 0) == (ssize_t)l.iov_len;
}

bool bw_agent_copy_out(void *user, const void *data, size_t size_b)
{
	struct iovec from = {(void *)(uintptr_t)data, size_b}, to = {user, size_b};
	return process_vm_writev(getpid(), &from, 1, &to, 1, 0) == (ssize_t)size_b;
}
