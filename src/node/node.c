/* SPDX-License-Identifier: MIT */
#include "node/node.h"

#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/util.h"

static int call(int fd, unsigned long cmd, void *arg)
{
	int r;
	do
		r = ioctl(fd, cmd, arg);
	while (r < 0 && (errno == EINTR || errno == EAGAIN));
	return r < 0 ? -errno : 0;
}

struct bw_error *bw_node_error(int r, const char *what)
{
	if (r == -ENODEV)
		return bw_errorf(BW_E_GONE, "%s: the GPU has gone away", what);
	return bw_error_errno(-r, "%s", what);
}

/* ---- The file ---- */

/* Another driver has other calls by the same numbers. */
static struct bw_error *check_driver(int fd, const char *node)
{
	char name[32] = "";
	struct drm_version v = {.name_len = sizeof(name) - 1, .name = name};
	int r = call(fd, DRM_IOCTL_VERSION, &v);
	if (r)
		return bw_error_errno(-r, "%s does not say which driver it has", node);
	if (strcmp(name, "amdgpu") != 0)
		return bw_errorf(BW_E_UNSUPPORTED, "%s has the driver %s, not amdgpu", node, name);
	return NULL;
}

static int query(int fd, struct drm_amdgpu_info info, void *out, size_t size_b)
{
	info.return_pointer = (uintptr_t)out;
	info.return_size = (uint32_t)size_b;
	return call(fd, DRM_IOCTL_AMDGPU_INFO, &info);
}

int bw_node_query(int fd, uint32_t what, void *out, size_t size_b)
{
	return query(fd, (struct drm_amdgpu_info){.query = what}, out, size_b);
}

bool bw_node_fault(int fd, struct bw_info_gpuvm_fault *out)
{
	*out = (struct bw_info_gpuvm_fault){0};
	return !bw_node_query(fd, BW_INFO_GPUVM_FAULT, out, sizeof(*out)) && out->status;
}

struct bw_error *bw_node_open(const char *node, int *out_fd, uint32_t *out_version)
{
	_cleanup_close_ int fd = open(node, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return bw_error_errno(errno, "cannot open %s", node);
	BW_TRY(check_driver(fd, node));
	struct drm_amdgpu_info_hw_ip ip = {0};
	const struct drm_amdgpu_info compute = {.query = AMDGPU_INFO_HW_IP_INFO,
						.query_hw_ip = {.type = AMDGPU_HW_IP_COMPUTE}};
	int r = query(fd, compute, &ip, sizeof(ip));
	if (r)
		return bw_error_wrap(bw_node_error(r, "cannot ask it for its compute queues"), "%s",
				     node);
	if (!ip.available_rings)
		return bw_errorf(BW_E_UNSUPPORTED, "%s has no compute queue", node);
	memcpy(out_version, (const char *)&ip + BW_HW_IP_DISCOVERY_VERSION_AT,
	       sizeof(*out_version));
	*out_fd = bw_take_fd(fd);
	return NULL;
}

/* ---- Memory ---- */

static struct bw_error *map_cpu(int fd, struct bw_node_buffer *b)
{
	static const char what[] = "GPU memory cannot be seen from the CPU";
	union drm_amdgpu_gem_mmap a = {.in = {.handle = b->handle}};
	int r = call(fd, DRM_IOCTL_AMDGPU_GEM_MMAP, &a);
	if (r)
		return bw_node_error(r, what);
	void *p = mmap(NULL, b->size_b, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       (off_t)a.out.addr_ptr);
	if (p == MAP_FAILED)
		return bw_error_errno(errno, "%s", what);
	b->cpu = p;
	return NULL;
}

struct bw_error *bw_node_buffer_make(int fd, uint64_t size_b, uint32_t domains, uint64_t flags,
				     struct bw_node_buffer *out)
{
	struct bw_node_buffer b = {
		.size_b = bw_align_up(BW_MAX(size_b, (uint64_t)1), BW_NODE_PAGE_B)};
	union drm_amdgpu_gem_create a = {.in = {.bo_size = b.size_b,
						.alignment = BW_NODE_PAGE_B,
						.domains = domains,
						.domain_flags = flags}};
	int r = call(fd, DRM_IOCTL_AMDGPU_GEM_CREATE, &a);
	if (r)
		return bw_error_wrap(bw_node_error(r, "no GPU memory"), "%llu bytes",
				     (unsigned long long)b.size_b);
	b.handle = a.out.handle;
	struct bw_error *err =
		flags & AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED ? map_cpu(fd, &b) : NULL;
	if (err)
		bw_node_buffer_close(fd, &b);
	else
		*out = b;
	return err;
}

void bw_node_buffer_close(int fd, struct bw_node_buffer *b)
{
	struct drm_gem_close gone = {.handle = b->handle};
	if (b->cpu)
		munmap(b->cpu, b->size_b);
	if (b->handle)
		call(fd, DRM_IOCTL_GEM_CLOSE, &gone);
	*b = (struct bw_node_buffer){0};
}

int bw_node_map(int fd, struct drm_amdgpu_gem_va map)
{
	return call(fd, DRM_IOCTL_AMDGPU_GEM_VA, &map);
}

/* ---- Submissions ---- */

struct bw_error *bw_node_context(int fd, uint32_t *out_id)
{
	union drm_amdgpu_ctx a = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
	int r = call(fd, DRM_IOCTL_AMDGPU_CTX, &a);
	if (r)
		return bw_node_error(r, "cannot make a context");
	*out_id = a.out.alloc.ctx_id;
	return NULL;
}

int bw_node_submit(int fd, const struct bw_node_job *job, uint64_t *out_fence)
{
	size_t n = 1 + job->ibs.len + job->more.len, at = 0;
	_cleanup_free_ struct drm_amdgpu_cs_chunk *chunks = calloc(n, sizeof(*chunks));
	_cleanup_free_ uint64_t *pointers = calloc(n, sizeof(*pointers));
	if (!chunks || !pointers)
		return -ENOMEM;
	struct drm_amdgpu_bo_list_in list = {.operation = ~0u,
					     .list_handle = ~0u,
					     .bo_number = (uint32_t)job->buffers.len,
					     .bo_info_size = sizeof(*job->buffers.data),
					     .bo_info_ptr = (uintptr_t)job->buffers.data};
	chunks[at++] = (struct drm_amdgpu_cs_chunk){AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(list) / 4,
						    (uintptr_t)&list};
	bw_vec_each(&job->ibs, ib)
		chunks[at++] = (struct drm_amdgpu_cs_chunk){AMDGPU_CHUNK_ID_IB, sizeof(*ib) / 4,
							    (uintptr_t)ib};
	bw_vec_each(&job->more, c)
		chunks[at++] = *c;
	for (size_t i = 0; i < n; i++)
		pointers[i] = (uintptr_t)&chunks[i];
	union drm_amdgpu_cs a = {.in = {.ctx_id = job->ctx_id,
					.num_chunks = (uint32_t)n,
					.chunks = (uintptr_t)pointers}};
	int r = call(fd, DRM_IOCTL_AMDGPU_CS, &a);
	if (!r)
		*out_fence = a.out.handle;
	return r;
}

void bw_node_job_fini(struct bw_node_job *job)
{
	bw_vec_free(&job->buffers);
	bw_vec_free(&job->ibs);
	bw_vec_free(&job->more);
}

int bw_node_wait(int fd, struct drm_amdgpu_wait_cs_in in, bool *out_has_ended)
{
	union drm_amdgpu_wait_cs a = {.in = in};
	int r = call(fd, DRM_IOCTL_AMDGPU_WAIT_CS, &a);
	*out_has_ended = r || !a.out.status;
	return r;
}
