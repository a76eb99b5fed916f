/* SPDX-License-Identifier: MIT */
/* amdgpu_ring_NAME: read pointer, write pointer, the driver's write pointer, then the packets
 * (amdgpu_debugfs_ring_read of Linux 6.12). Pointers are dwords inside of the ring. And
 * amdgpu_mqd_NAME: the descriptor of its queue. */
#include <errno.h>
#include <string.h>

#include "vgpu/uapi/files.h"
#include "vgpu/uapi/gpu.h"
#include "vgpu/uapi/jobs.h"
#include "vgpu/uapi/uapi_priv.h"

enum { HEAD_B = 12, RING_B = BW_DRM_RING_DW * 4, MASK = BW_DRM_RING_DW - 1 };

static int64_t ring_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	struct bw_uapi *u = f->u;
	const struct bw_drm_ring *ring = &u->rings[f->ring];
	if ((size_b | *pos) & 3)
		return -EINVAL;
	if (*pos >= HEAD_B + RING_B)
		return 0;
	uint64_t rptr, wptr;
	bw_drm_ring_pointers(u, ring, &rptr, &wptr);
	pthread_mutex_lock(&u->lock);
	const uint32_t head[3] = {rptr & MASK, wptr & MASK, ring->wptr & MASK};
	pthread_mutex_unlock(&u->lock);
	const uint32_t *packets = bw_drm_vram_cpu(u, ring->offset);
	size_t n = BW_MIN(size_b, (size_t)(HEAD_B + RING_B - *pos));
	for (size_t i = 0; i < n; i += 4) {
		uint64_t at = (*pos + i) / 4;
		uint32_t v =
			at < 3 ? head[at] : __atomic_load_n(&packets[at - 3], __ATOMIC_RELAXED);
		memcpy((uint8_t *)out + i, &v, sizeof(v));
	}
	*pos += n;
	return (int64_t)n;
}

const struct bw_file_ops bw_ring_ops = {ring_read, NULL, NULL};

static int64_t mqd_read(struct bw_file *f, void *out, size_t size_b, uint64_t *pos)
{
	if ((size_b | *pos) & 3)
		return -EINVAL;
	const uint8_t *mqd = bw_drm_vram_cpu(f->u, f->u->rings[f->ring].mqd_offset);
	size_t n = *pos >= BW_DRM_MQD_B ? 0 : BW_MIN(size_b, (size_t)(BW_DRM_MQD_B - *pos));
	if (n)
		memcpy(out, mqd + *pos, n);
	*pos += n;
	return (int64_t)n;
}

const struct bw_file_ops bw_mqd_ops = {mqd_read, NULL, NULL};
