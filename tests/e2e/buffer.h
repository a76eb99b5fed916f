/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_E2E_BUFFER_H
#define BW_TESTS_E2E_BUFFER_H

/* A GPU and buffers of it for small programs, by libdrm. What fails ends the program. */

#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct gpu {
	int fd;
	amdgpu_device_handle dev;
	amdgpu_context_handle ctx;
};

struct buffer {
	amdgpu_bo_handle bo;
	amdgpu_va_handle range;
	uint64_t va, size_b;
	uint32_t *cpu; /* where the program has mapped it */
};

static inline void must(int r, const char *what)
{
	if (!r)
		return;
	fprintf(stderr, "%s: %d\n", what, r);
	exit(1);
}

static inline struct gpu open_gpu(void)
{
	struct gpu g = {.fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC)};
	uint32_t major, minor;
	must(g.fd < 0, "/dev/dri/renderD128");
	must(amdgpu_device_initialize(g.fd, &major, &minor, &g.dev), "a device");
	must(amdgpu_cs_ctx_create(g.dev, &g.ctx), "a context");
	return g;
}

static inline void close_gpu(struct gpu *g)
{
	amdgpu_cs_ctx_free(g->ctx);
	amdgpu_device_deinitialize(g->dev);
	close(g->fd);
}

/* Mapped for the GPU alone. flags: AMDGPU_GEM_CREATE_* */
static inline struct buffer make_buffer(const struct gpu *g, uint64_t size_b, uint32_t domain,
					uint64_t flags)
{
	struct amdgpu_bo_alloc_request req = {.alloc_size = size_b,
					      .phys_alignment = 4096,
					      .preferred_heap = domain,
					      .flags = flags};
	struct buffer b = {.size_b = size_b};
	must(amdgpu_bo_alloc(g->dev, &req, &b.bo), "memory");
	must(amdgpu_va_range_alloc(g->dev, amdgpu_gpu_va_range_general, size_b, 4096, 0, &b.va,
				   &b.range, 0),
	     "an address");
	must(amdgpu_bo_va_op(b.bo, 0, size_b, b.va, 0, AMDGPU_VA_OP_MAP), "mapping");
	return b;
}

static inline void map_buffer(struct buffer *b)
{
	must(amdgpu_bo_cpu_map(b->bo, (void **)&b->cpu), "mapping for the CPU");
}

static inline void drop_buffer(struct buffer *b)
{
	if (b->cpu)
		must(amdgpu_bo_cpu_unmap(b->bo), "unmapping for the CPU");
	must(amdgpu_bo_va_op(b->bo, 0, b->size_b, b->va, 0, AMDGPU_VA_OP_UNMAP), "unmapping");
	must(amdgpu_va_range_free(b->range), "the address");
	must(amdgpu_bo_free(b->bo), "the memory");
}

#endif
