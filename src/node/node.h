/* SPDX-License-Identifier: MIT */
#ifndef BW_NODE_NODE_H
#define BW_NODE_NODE_H

/* A render node of amdgpu, opened, by the kernel's interface (amdgpu_drm.h of Linux 6.12): an
 * address space with its buffers, contexts and submissions. For breakwater-launch and
 * breakwater-replay, which run work of their own. libdrm_amdgpu does not serve: that of Debian 12
 * (2.4.114) has one address space for all files of a device that a process opens, and a replay
 * needs several.
 *
 * Where a function returns an int, that is 0 or -errno, and the caller says what it was about. All
 * that belongs to a file is gone when it is closed. One thread at a time for each file. */

#include <amdgpu_drm.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/newer_drm.h"
#include "base/vec.h"

enum { BW_NODE_PAGE_B = 4096 };

/* "what: No space left on device"; BW_E_GONE for a GPU that is lost. */
struct bw_error *bw_node_error(int r, const char *what) BW_MUST_CHECK;

/* node: "/dev/dri/renderD128". BW_E_UNSUPPORTED: another driver's, or a GPU without a compute queue.
 * out_version: of its graphics block, as 0x0b0000; 0: the kernel does not say. */
struct bw_error *bw_node_open(const char *node, int *out_fd, uint32_t *out_version) BW_MUST_CHECK;
/* DRM_IOCTL_AMDGPU_INFO of a query without a parameter. */
int bw_node_query(int fd, uint32_t query, void *out, size_t size_b);
/* The last page fault of the address space; false: none is on record, or the kernel is too old. */
bool bw_node_fault(int fd, struct bw_info_gpuvm_fault *out);

/* ---- Memory ---- */

struct bw_node_buffer {
	uint32_t handle;
	uint64_t size_b; /* whole pages */
	uint8_t *cpu;	 /* NULL: not mapped */
};
/* size_b is rounded up to pages, one at least. domains: AMDGPU_GEM_DOMAIN_*; flags:
 * AMDGPU_GEM_CREATE_*, and with CPU_ACCESS_REQUIRED it is mapped for the CPU, too. */
struct bw_error *bw_node_buffer_make(int fd, uint64_t size_b, uint32_t domains, uint64_t flags,
				     struct bw_node_buffer *out) BW_MUST_CHECK;
/* The kernel unmaps it from the GPU, too. Accepts what is zeroed. */
void bw_node_buffer_close(int fd, struct bw_node_buffer *b);
int bw_node_map(int fd, struct drm_amdgpu_gem_va map);

/* ---- Submissions ---- */

struct bw_error *bw_node_context(int fd, uint32_t *out_id) BW_MUST_CHECK;

struct bw_node_job {
	uint32_t ctx_id;
	struct BW_VEC(struct drm_amdgpu_bo_list_entry) buffers; /* that are to be resident */
	struct BW_VEC(struct drm_amdgpu_cs_chunk_ib) ibs;
	struct BW_VEC(
		struct drm_amdgpu_cs_chunk) more; /* other chunks; what they point to is borrowed */
};
int bw_node_submit(int fd, const struct bw_node_job *job, uint64_t *out_fence);
void bw_node_job_fini(struct bw_node_job *job);
/* 0: it has ended, or with *out_has_ended false it had not by in.timeout (of CLOCK_MONOTONIC, in
 * ns); else what its fence says, or the wait. */
int bw_node_wait(int fd, struct drm_amdgpu_wait_cs_in in, bool *out_has_ended);

#endif
