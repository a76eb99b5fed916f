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

static bool copy_out(void *user, const void *data, size_t size_b)
{
	struct iovec from = {(void *)(uintptr_t)data, size_b}, to = {user, size_b};
	return process_vm_writev(getpid(), &from, 1, &to, 1, 0) == (ssize_t)size_b;
}

/* A sync object with the fence of a sync_file. */
static int import(uint32_t file, int fd, uint32_t *out_handle)
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
	int r = import(file, m.fd2, &second);
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
	struct drm_syncobj_handle out = {.handle = create.handle,
					 .flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
					 .fd = -1};
	if (!r)
		r = bw_vgpu_ioctl(c, file, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &out);
	if (r)
		return r;
	fcntl(out.fd, F_SETFD, FD_CLOEXEC);
	m.fence = out.fd;
	if (copy_out(arg, &m, sizeof(m)))
		return 0;
	close(out.fd);
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
	if (i.num_fences) {
		struct sync_fence_info f = {.status = i.status};
		snprintf(f.obj_name, sizeof(f.obj_name), "breakwater");
		snprintf(f.driver_name, sizeof(f.driver_name), "amdgpu");
		if (!copy_out((void *)(uintptr_t)i.sync_fence_info, &f, sizeof(f)))
			return -EFAULT;
	}
	memset(i.name, 0, sizeof(i.name));
	snprintf(i.name, sizeof(i.name), "breakwater-sync_file");
	i.num_fences = 1;
	return copy_out(arg, &i, sizeof(i)) ? 0 : -EFAULT;
}

bool bw_agent_sync_ioctl(int fd, unsigned long request, void *arg, int *out_result)
{
	struct bw_vgpu_client *c = bw_agent_client();
	uint32_t file, handle;
	if (!c || (request != SYNC_IOC_MERGE && request != SYNC_IOC_FILE_INFO) ||
	    bw_vgpu_drm_open(c, 128, O_RDWR, &file))
		return false;
	bool is_ours = !import(file, fd, &handle);
	if (is_ours)
		*out_result = request == SYNC_IOC_MERGE ? merge(file, handle, arg)
							: info(file, handle, arg);
	bw_vgpu_close(c, file);
	return is_ours;
}
