/* SPDX-License-Identifier: MIT */
/* What programs ask of a sync_file. The virtual GPU's is a socket, so that its own ioctls come
 * here; they are done by sync objects of a file opened for the purpose. */
#include "agent/sync_file.h"

#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "agent/agent.h"
#include "wire/vgpu_proto.h"

/* Linux 6.5 */
struct deadline {
	uint64_t deadline_ns, pad;
};
#define SET_DEADLINE _IOW(SYNC_IOC_MAGIC, 5, struct deadline)

bool bw_agent_copy_out(void *user, const void *data, size_t size_b)
{
	struct iovec from = {(void *)(uintptr_t)data, size_b}, to = {user, size_b};
	return process_vm_writev(getpid(), &from, 1, &to, 1, 0) == (ssize_t)size_b;
}

/* A sync object with the fence of a sync_file. */
int bw_agent_sync_import(uint32_t file, int fd, uint32_t *out_handle)
{
	struct drm_syncobj_create create = {0};
	int r = bw_vgpu_ioctl(bw_agent_client(), file, DRM_IOCTL_SYNCOBJ_CREATE, &create);
	struct drm_syncobj_handle a = {.handle = create.handle,
				       .flags = DRM_SYNCOBJ_FD_TO_HANDLE_FLAGS_IMPORT_SYNC_FILE,
				       .fd = fd};
	if (!r)
		r = bw_vgpu_ioctl(bw_agent_client(), file, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &a);
	*out_handle = create.handle;
	return r;
}

int bw_agent_sync_export(uint32_t file, uint32_t handle, int *out_fd)
{
	struct drm_syncobj_handle out = {.handle = handle,
					 .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
					 .fd = -1};
	int r = bw_vgpu_ioctl(bw_agent_client(), file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out);
	if (r)
		return r;
	fcntl(out.fd, F_SETFD, FD_CLOEXEC);
	*out_fd = out.fd;
	return 0;
}

/* Both fences as points of one timeline: it has passed when both have. */
static int merge(uint32_t file, uint32_t first, void *arg)
{
	struct bw_vgpu_client *c = bw_agent_client();
	struct sync_merge_data m;
	uint32_t second;
	if (!bw_agent_copy_in(&m, (uintptr_t)arg, sizeof(m)))
		return -EFAULT;
	if (m.flags || m.pad)
		return -EINVAL;
	int r = bw_agent_sync_import(file, m.fd2, &second);
	if (r)
		return r == -EINVAL ? -ENOENT : r;
	struct drm_syncobj_create create = {0};
	r = bw_vgpu_ioctl(c, file, DRM_IOCTL_SYNCOBJ_CREATE, &create);
	const uint32_t sources[2] = {first, second};
	for (unsigned i = 0; i < 2 && !r; i++) {
		struct drm_syncobj_transfer t = {
			.src_handle = sources[i], .dst_handle = create.handle, .dst_point = i + 1};
		r = bw_vgpu_ioctl(c, file, DRM_IOCTL_SYNCOBJ_TRANSFER, &t);
	}
	if (!r)
		r = bw_agent_sync_export(file, create.handle, &m.fence);
	if (r)
		return r;
	if (bw_agent_copy_out(arg, &m, sizeof(m)))
		return 0;
	close(m.fence);
	return -EFAULT;
}

static int info(uint32_t file, uint32_t handle, void *arg)
{
	struct sync_file_info i;
	if (!bw_agent_copy_in(&i, (uintptr_t)arg, sizeof(i)))
		return -EFAULT;
	if (i.flags || i.pad)
		return -EINVAL;
	struct drm_syncobj_wait wait = {.handles = (uintptr_t)&handle, .count_handles = 1};
	int r = bw_vgpu_ioctl(bw_agent_client(), file, DRM_IOCTL_SYNCOBJ_WAIT, &wait);
	if (r && r != -ETIME)
		return r;
	i.status = r == 0; /* signalled, or not yet */
	struct bw_vgpu_fences fences = {.syncobj = handle};
	r = bw_vgpu_ioctl(bw_agent_client(), file, BW_VGPU_IOCTL_COUNT_FENCES, &fences);
	if (r)
		return r;
	if (i.num_fences && i.num_fences < fences.n)
		return -EINVAL; /* no room for all */
	for (uint32_t k = 0; i.num_fences && k < fences.n; k++) {
		struct sync_fence_info f = {.status = i.status};
		snprintf(f.obj_name, sizeof(f.obj_name), "breakwater");
		snprintf(f.driver_name, sizeof(f.driver_name), "amdgpu");
		if (!bw_agent_copy_out((struct sync_fence_info *)(uintptr_t)i.sync_fence_info + k,
				       &f, sizeof(f)))
			return -EFAULT;
	}
	memset(i.name, 0, sizeof(i.name));
	snprintf(i.name, sizeof(i.name), "breakwater-sync_file");
	i.num_fences = fences.n;
	return bw_agent_copy_out(arg, &i, sizeof(i)) ? 0 : -EFAULT;
}

/* A hint that the virtual GPU has no use for. */
static int set_deadline(const void *arg)
{
	struct deadline d;
	if (!bw_agent_copy_in(&d, (uintptr_t)arg, sizeof(d)))
		return -EFAULT;
	return d.pad ? -EINVAL : 0;
}

bool bw_agent_sync_ioctl(int fd, unsigned long request, void *arg, int *out_result)
{
	struct bw_vgpu_client *c = bw_agent_client();
	uint32_t file, handle;
	if (!c || bw_vgpu_drm_open(c, 128, O_RDWR, &file))
		return false;
	bool is_ours = !bw_agent_sync_import(file, fd, &handle);
	if (is_ours)
		*out_result = request == SYNC_IOC_MERGE	      ? merge(file, handle, arg)
			      : request == SYNC_IOC_FILE_INFO ? info(file, handle, arg)
			      : request == SET_DEADLINE	      ? set_deadline(arg)
							      : -ENOTTY;
	bw_vgpu_close(c, file);
	return is_ours;
}
