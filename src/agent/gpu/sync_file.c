/* SPDX-License-Identifier: MIT */
/* The ioctls of programs on a sync_file. The virtual GPU's is a socket, so that its own ioctls come
 * here; they are done by ioctls of a DRM file opened for the purpose. */
#include "agent/gpu/sync_file.h"

#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <stdint.h>
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

static int merge(uint32_t file, int fd, void *arg)
{
	struct sync_merge_data m;
	if (!bw_agent_copy_in(&m, (uintptr_t)arg, sizeof(m)))
		return -EFAULT;
	if (m.flags || m.pad)
		return -EINVAL;
	struct bw_vgpu_sync_merge own = {.fd = fd, .merged = -1};
	int r = bw_agent_sync_import(file, m.fd2, &own.second);
	if (r)
		return r == -EINVAL ? -ENOENT : r;
	memcpy(own.name, m.name, sizeof(own.name) - 1);
	r = bw_vgpu_ioctl(bw_agent_client(), file, BW_VGPU_IOCTL_SYNC_MERGE, &own);
	if (r)
		return r;
	m.name[sizeof(m.name) - 1] = 0; /* as the kernel leaves it */
	m.fence = own.merged;
	if (bw_agent_copy_out(arg, &m, sizeof(m)))
		return 0;
	REAL(close)(own.merged);
	return -EFAULT;
}

/* Fences of a sync_file into the program's array. s: what it is, with the first of them. All have
 * signalled, or one has failed, or not all have: 1, -errno or 0 in *out_status. */
static int write_fences(uint32_t file, struct bw_vgpu_sync_info *s, uint64_t user,
			int32_t *out_status)
{
	const uint32_t n = s->n_fences;
	*out_status = 1;
	for (uint32_t i = 0; i < n; i++) {
		if (i - s->first == BW_VGPU_SYNC_INFO_FENCES) {
			s->first = i;
			int r = bw_vgpu_ioctl(bw_agent_client(), file, BW_VGPU_IOCTL_SYNC_INFO, s);
			if (r)
				return r;
		}
		const struct bw_vgpu_sync_fence *have = &s->fences[i - s->first];
		struct sync_fence_info f = {.status = have->status,
					    .timestamp_ns = have->signaled_ns};
		memcpy(f.obj_name, have->timeline, sizeof(f.obj_name) - 1);
		memcpy(f.driver_name, have->driver, sizeof(f.driver_name) - 1);
		if (!bw_agent_copy_out((struct sync_fence_info *)(uintptr_t)user + i, &f,
				       sizeof(f)))
			return -EFAULT;
		*out_status = *out_status <= 0 ? *out_status : f.status;
	}
	return 0;
}

static int info(uint32_t file, struct bw_vgpu_sync_info *s, void *arg)
{
	struct sync_file_info i;
	if (!bw_agent_copy_in(&i, (uintptr_t)arg, sizeof(i)))
		return -EFAULT;
	if (i.flags || i.pad)
		return -EINVAL;
	if (i.num_fences && i.num_fences < s->n_fences)
		return -EINVAL; /* no room for all */
	int r = 0;
	uint32_t n = s->n_fences;
	int32_t status = s->status;
	if (i.num_fences)
		r = write_fences(file, s, i.sync_fence_info, &status);
	if (r)
		return r;
	memcpy(i.name, s->name, sizeof(i.name));
	i.status = status;
	i.num_fences = n;
	return bw_agent_copy_out(arg, &i, sizeof(i)) ? 0 : -EFAULT;
}

/* A hint: of what the virtual GPU has, fences of sw_sync alone note it. */
static int set_deadline(uint32_t file, int fd, const void *arg)
{
	struct deadline d;
	if (!bw_agent_copy_in(&d, (uintptr_t)arg, sizeof(d)))
		return -EFAULT;
	if (d.pad)
		return -EINVAL;
	struct bw_vgpu_sync_deadline own = {.fd = fd, .deadline_ns = d.deadline_ns};
	return bw_vgpu_ioctl(bw_agent_client(), file, BW_VGPU_IOCTL_SYNC_DEADLINE, &own);
}

bool bw_agent_sync_ioctl(int fd, unsigned long request, void *arg, int *out_result)
{
	struct bw_vgpu_client *c = bw_agent_client();
	struct bw_vgpu_sync_info s = {.fd = fd};
	uint32_t file;
	if (!c || bw_vgpu_drm_open(c, 128, O_RDWR, &file))
		return false;
	bool is_ours = !bw_vgpu_ioctl(c, file, BW_VGPU_IOCTL_SYNC_INFO, &s);
	if (is_ours)
		*out_result = request == SYNC_IOC_MERGE	      ? merge(file, fd, arg)
			      : request == SYNC_IOC_FILE_INFO ? info(file, &s, arg)
			      : request == SET_DEADLINE	      ? set_deadline(file, fd, arg)
							      : -ENOTTY;
	bw_vgpu_close(c, file);
	return is_ours;
}
