/* SPDX-License-Identifier: MIT */
#include "agent/debugger/attach.h"

#include <amdgpu_drm.h>
#include <drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "agent/clocks/clock.h"
#include "agent/gpu/kfd_trap.h"
#include "agent/memory/memory.h"
#include "agent/memory/place.h"
#include "base/log.h"
#include "base/shown.h"
#include "base/str.h"
#include "base/util.h"
#include "pm4/pm4.h"
#include "trap/trap.h"

enum {
	PAGE_B = 4096,
	CODE_END_PAD_B = 512, /* prefetch runs past the last instruction */
	NOP_IB_DW = 16,
	NOP_WAIT_MS = 5000,
};
#define AREA_MAX_B (1ull << 32)
#define CODE_MAX_B (1u << 20)
#define DATA_FLAGS BW_PLACE_DATA
#define CODE_FLAGS BW_PLACE_CODE

static void fill_code(struct bw_placed *p, const void *code, size_t size_b, uint32_t code_end)
{
	if (size_b)
		memcpy(p->cpu, code, size_b);
	for (uint64_t at = bw_align_up(size_b, 4); at + 4 <= p->size_b; at += 4)
		memcpy(p->cpu + at, &code_end, 4);
}

/* A submission of NOPs from an IB of our own. */
static int submit_nops(struct bw_agent_file *f, const struct bw_agent_queue *q, uint32_t ib_flags,
		       const struct bw_placed *ib, uint64_t *out_fence)
{
	for (unsigned i = 0; i < NOP_IB_DW; i++)
		memcpy(ib->cpu + i * 4, &(uint32_t){BW_PM4_NOP_1DW}, 4);
	struct drm_amdgpu_bo_list_entry entry = {.bo_handle = ib->handle};
	struct drm_amdgpu_bo_list_in list = {.operation = ~0u,
					     .list_handle = ~0u,
					     .bo_number = 1,
					     .bo_info_size = sizeof(entry),
					     .bo_info_ptr = (uintptr_t)&entry};
	struct drm_amdgpu_cs_chunk_ib ib_chunk = {.flags = ib_flags,
						  .va_start = ib->va,
						  .ib_bytes = NOP_IB_DW * 4,
						  .ip_type = q->ip_type,
						  .ring = q->ring};
	struct drm_amdgpu_cs_chunk chunks[] = {
		{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(list) / 4, (uintptr_t)&list},
		{AMDGPU_CHUNK_ID_IB, sizeof(ib_chunk) / 4, (uintptr_t)&ib_chunk},
	};
	uint64_t pointers[] = {(uintptr_t)&chunks[0], (uintptr_t)&chunks[1]};
	union drm_amdgpu_cs cs = {
		.in = {.ctx_id = q->ctx_id, .num_chunks = 2, .chunks = (uintptr_t)pointers}};
	int r = bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_CS, &cs);
	*out_fence = cs.out.handle;
	return r;
}

/* 0: done; -ETIME: not by then; another -errno: lost. */
static int wait_nops(struct bw_agent_file *f, const struct bw_agent_queue *q, uint64_t fence,
		     uint64_t until_ns)
{
	union drm_amdgpu_wait_cs wait = {.in = {.handle = fence,
						.timeout = until_ns,
						.ip_type = q->ip_type,
						.ring = q->ring,
						.ctx_id = q->ctx_id}};
	int r = bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_WAIT_CS, &wait);
	return r ? r : wait.out.status ? -ETIME : 0;
}

/* Chooses another ring than that of the submission to debug: a job of another program may stand
 * there with its waves stopped, and there is only one ring for graphics. Jobs for compute go to the
 * ring that has the fewest, whatever their number says (amdgpu_ctx_init_entity and
 * drm_sched_entity_select_rq of Linux 6.12), and a VMID is the same for all rings of the hub.
 * Without a ring for compute, q is unchanged. */
static void choose_ring(struct bw_agent_file *f, struct bw_agent_queue *q)
{
	struct drm_amdgpu_info_hw_ip ip = {0};
	struct drm_amdgpu_info info = {.return_pointer = (uintptr_t)&ip,
				       .return_size = sizeof(ip),
				       .query = AMDGPU_INFO_HW_IP_INFO,
				       .query_hw_ip = {.type = AMDGPU_HW_IP_COMPUTE}};
	if (bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_INFO, &info) || !ip.available_rings)
		return;
	q->ip_type = AMDGPU_HW_IP_COMPUTE;
	q->ring = 31 - (uint32_t)__builtin_clz(ip.available_rings);
}

/* Waits for it: then the kernel has given this address space a VMID and programmed it. */
static int run_nops(struct bw_agent_file *f, const struct bw_agent_queue *q, uint32_t ib_flags,
		    const struct bw_placed *ib)
{
	uint64_t fence;
	int r = submit_nops(f, q, ib_flags, ib, &fence);
	return r ? r
		 : wait_nops(f, q, fence, (uint64_t)bw_clock_real_ns() + NOP_WAIT_MS * 1000000ull);
}

/* A context of our own for a queue. */
static int open_queue(struct bw_agent_file *f, struct bw_agent_queue *q)
{
	union drm_amdgpu_ctx ctx = {.in = {.op = AMDGPU_CTX_OP_ALLOC_CTX}};
	int r = bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_CTX, &ctx);
	if (r)
		return r;
	q->ctx_id = ctx.out.alloc.ctx_id;
	choose_ring(f, q);
	return 0;
}

static void close_queue(struct bw_agent_file *f, struct bw_agent_queue *q)
{
	union drm_amdgpu_ctx ctx = {.in = {.op = AMDGPU_CTX_OP_FREE_CTX, .ctx_id = q->ctx_id}};
	if (q->ctx_id)
		bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_CTX, &ctx);
	q->ctx_id = 0;
}

/* A job that invalidates instruction caches when a debugger detaches: patched code may still be in
 * the cache of any WGP, also one without a stopped wave. EMIT_MEM_SYNC does it
 * (gfx_v11_0_emit_mem_sync of Linux 6.12: GLI_INV), on a ring of its own, so that the job need not
 * wait for the one whose waves were stopped. Its memory is mapped from the beginning: Linux writes
 * page tables for unmapped memory only when the jobs of the address space have ended
 * (amdgpu_vm_clear_freed), and later mappings wait for that. */
struct bw_attach_flush {
	struct bw_agent_queue queue;
	struct bw_placed ib;
	bool is_submitted;
	uint64_t fence;
};

/* u: gets a queue and a command buffer, which the caller gives back. q: where the program
 * submits. */
static int get_vmid(struct bw_agent_file *f, bool reserve, const struct bw_agent_queue *q,
		    uint64_t *top, struct bw_attach_flush *u, uint32_t *out_reserved)
{
	union drm_amdgpu_vm vm = {.in = {.op = AMDGPU_VM_OP_RESERVE_VMID}};
	/* KFD's VMIDs are not among those that can be reserved. */
	*out_reserved = reserve && !atomic_load(&f->is_kfd_space) &&
			!bw_agent_ioctl(f, DRM_IOCTL_AMDGPU_VM, &vm);
	u->queue = *q;
	int r = open_queue(f, &u->queue);
	if (!r)
		r = bw_place(f, PAGE_B, 0, CODE_FLAGS, top, &u->ib);
	return r ? r : run_nops(f, &u->queue, 0, &u->ib);
}

/* "pasid:\t32771" in fdinfo (doc/hardware/kernel-interface.md 1.2) */
int bw_attach_pasid(struct bw_agent_file *f, uint32_t *out)
{
	char text[8192];
	ssize_t n = bw_agent_fdinfo(f, text, sizeof(text) - 1);
	if (n < 0)
		return (int)n;
	text[n] = 0;
	const char *at = bw_starts_with(text, "pasid:") ? text : strstr(text, "\npasid:");
	if (!at || sscanf(strchr(at, ':') + 1, "%u", out) != 1)
		return -ENOENT;
	return 0;
}

struct bw_attach_parts {
	struct bw_placed area, handler, displaced;
	struct bw_attach_flush *flush;
};

static int failed(struct bw_agent_attach_reply *out, int r, const char *what)
{
	out->r.result = r;
	snprintf(out->r.message, sizeof(out->r.message), "%s: %s", what, bw_error_result(r));
	return r;
}

static int share_area(struct bw_agent_file *f, uint32_t handle, int *out_fd)
{
	struct drm_prime_handle prime = {
		.handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR, .fd = -1};
	int r = bw_agent_ioctl(f, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime);
	if (!r)
		*out_fd = prime.fd;
	return r;
}

/* The top below which to look for room, so that a buffer of that size is placed at va, if
 * possible. */
static uint64_t top_for(uint64_t va, uint64_t size_b, uint64_t top)
{
	uint64_t want = va ? va + bw_align_up(size_b, PAGE_B) : top;
	return want > va && want <= BW_PLACE_TOP_DEFAULT ? want : top;
}

/* 1: Linux's KFD enters its own trap handler first, and then ours; 0: ours is the first one. */
static int set_second_level(struct bw_agent_file *f, const struct bw_attach_parts *p)
{
	int r = bw_kfd_trap_set(f, p->handler.va + BW_TRAP_SECOND_LEVEL, p->area.va);
	if (!r)
		bw_trap_allow_moves(p->area.cpu);
	return r == -ENOTSUP ? 0 : r ? r : 1;
}

static int attach_parts(struct bw_agent_file *f, const struct bw_attach_request *q,
			struct bw_attach_parts *p, struct bw_agent_attach_reply *out, int *out_fd)
{
	const struct bw_agent_attach *req = &q->sizes;
	uint64_t handler_b = (uint64_t)req->handler_size_b + CODE_END_PAD_B;
	uint64_t displaced_b = (uint64_t)req->displaced_size_b + CODE_END_PAD_B;
	uint64_t top = top_for(req->area_va, req->area_size_b, bw_place_top(f));
	int r = bw_place(f, req->area_size_b, 0, DATA_FLAGS, &top, &p->area);
	if (r)
		return failed(out, r, "no GPU memory for the debug area");
	/* Its pages come zeroed from the kernel (ttm_bo.c, TTM_TT_FLAG_ZERO_ALLOC for buffers of
	 * user space), and most of the 200 MB is never used: so only needed pages are written. */
	memcpy(p->area.cpu, q->control, req->control_size_b);
	bw_trap_place(p->area.cpu, p->area.va);
	/* Code is never shared, so it can be resident without being on any list. */
	top = top_for(req->handler_va, handler_b, top);
	r = bw_place(f, handler_b, AMDGPU_GEM_CREATE_VM_ALWAYS_VALID, CODE_FLAGS, &top,
		     &p->handler);
	if (r)
		return failed(out, r, "no GPU memory for the trap handler");
	fill_code(&p->handler, q->handler, req->handler_size_b, req->code_end);
	top = top_for(req->displaced_va, displaced_b, top);
	r = bw_place(f, displaced_b, AMDGPU_GEM_CREATE_VM_ALWAYS_VALID, CODE_FLAGS, &top,
		     &p->displaced);
	if (r)
		return failed(out, r, "no GPU memory for displaced instructions");
	fill_code(&p->displaced, NULL, 0, req->code_end);
	r = get_vmid(f, !(req->flags & BW_AGENT_ATTACH_NO_RESERVE), &q->queue, &top, p->flush,
		     &out->vmid_reserved);
	if (r)
		return failed(out, r, "the GPU does not run an empty command buffer");
	r = bw_attach_pasid(f, &out->pasid);
	if (r)
		return failed(out, r, "the kernel does not say which PASID the program has");
	r = set_second_level(f, p);
	if (r < 0)
		return failed(out, r, "KFD does not take the trap handler");
	out->is_second_level = (uint32_t)r;
	r = share_area(f, p->area.handle, out_fd);
	return r ? failed(out, r, "the debug area cannot be shared") : 0;
}

int bw_attach(struct bw_attach *a, struct bw_agent_file *f, const struct bw_attach_request *q,
	      struct bw_agent_attach_reply *out, int *out_fd)
{
	const struct bw_agent_attach *req = &q->sizes;
	if (req->area_size_b < BW_TRAP_C_SIZE || req->area_size_b > AREA_MAX_B ||
	    req->control_size_b > BW_TRAP_C_SIZE || req->handler_size_b > CODE_MAX_B ||
	    req->displaced_size_b > CODE_MAX_B)
		return failed(out, -EINVAL, "the sizes of the debug area are out of range");
	struct bw_attach_parts p = {.flush = calloc(1, sizeof(*p.flush))};
	struct bw_attach_left *left = malloc(sizeof(*left));
	int r = left && p.flush ? attach_parts(f, q, &p, out, out_fd)
				: failed(out, -ENOMEM, "attaching");
	if (r) {
		bw_kfd_trap_reset(f);
		free(left);
		if (p.flush) {
			bw_unplace(f, &p.flush->ib);
			close_queue(f, &p.flush->queue);
		}
		free(p.flush);
		bw_unplace(f, &p.displaced);
		bw_unplace(f, &p.handler);
		bw_unplace(f, &p.area);
		return r;
	}
	munmap(p.handler.cpu,
	       p.handler.size_b); /* from here on reached through the track, as all memory */
	munmap(p.displaced.cpu, p.displaced.size_b);
	out->area_va = p.area.va;
	out->handler_va = p.handler.va;
	out->displaced_va = p.displaced.va;
	*left = (struct bw_attach_left){
		.refs = 1,
		.file = f,
		.buffers = {{p.area.handle, p.area.va, p.area.size_b},
			    {p.handler.handle, p.handler.va, p.handler.size_b},
			    {p.displaced.handle, p.displaced.va, p.displaced.size_b},
			    {p.flush->ib.handle, p.flush->ib.va, p.flush->ib.size_b}}};
	*a = (struct bw_attach){.file = f,
				.is_second_level = out->is_second_level,
				.area_size_b = p.area.size_b,
				.area = p.area.cpu,
				.area_handle = p.area.handle,
				.reserved = out->vmid_reserved,
				.pasid = out->pasid,
				.left = left,
				.flush = p.flush};
	bw_agent_file_ref(f);
	bw_agent_file_ref(f);
	return 0;
}

int bw_attach_wake(struct bw_attach *a, struct bw_agent_attach_reply *out, int *out_fd)
{
	int r = share_area(a->file, a->area_handle, out_fd);
	if (r)
		return failed(out, r, "the debug area cannot be shared");
	out->area_va = a->left->buffers[0].va;
	out->handler_va = a->left->buffers[1].va;
	out->displaced_va = a->left->buffers[2].va;
	out->pasid = a->pasid;
	out->vmid_reserved = a->reserved;
	out->is_second_level = a->is_second_level;
	/* conditions of the earlier attachment, whose s_traps have been removed from the code */
	memset(a->area + BW_TRAP_C_FILTERS, 0, BW_TRAP_N_FILTERS * sizeof(struct bw_trap_filter));
	bw_trap_listen(a->area);
	return 0;
}

void bw_attach_empty_caches(struct bw_attach *a)
{
	struct bw_attach_flush *u = a->flush;
	int r = run_nops(a->file, &u->queue, AMDGPU_IB_FLAG_EMIT_MEM_SYNC, &u->ib);
	if (r)
		BW_LOG(WARN, "agent", "instruction caches are not emptied: %s", strerror(-r));
	a->has_stale_code = r != 0;
}

/* Leaving */

struct bw_attach_left *bw_attach_left_ref(struct bw_attach_left *left)
{
	atomic_fetch_add(&left->refs, 1);
	return left;
}

void bw_attach_left_unref(struct bw_attach_left *left)
{
	if (!left || atomic_fetch_sub(&left->refs, 1) != 1)
		return;
	for (size_t i = 0; !left->stays && i < BW_ARRAY_SIZE(left->buffers); i++) {
		const struct bw_attach_buffer *b = &left->buffers[i];
		bw_unplace(left->file, &(struct bw_placed){b->handle, b->va, b->size_b, NULL});
	}
	bw_agent_file_unref(left->file);
	free(left);
}

static void flush_begin(struct bw_attach *a)
{
	struct bw_attach_flush *u = a->flush;
	u->is_submitted =
		!submit_nops(a->file, &u->queue, AMDGPU_IB_FLAG_EMIT_MEM_SYNC, &u->ib, &u->fence);
}

/* The command buffer stays for as long as the other buffers. */
static void flush_free(struct bw_attach *a)
{
	if (!a->flush)
		return;
	close_queue(a->file, &a->flush->queue);
	if (a->flush->ib.cpu)
		munmap(a->flush->ib.cpu, a->flush->ib.size_b);
	free(a->flush);
	a->flush = NULL;
}

/* If that job cannot be submitted, or is lost: waits until no other job is left. */
static bool caches_are_empty(struct bw_attach *a)
{
	struct bw_attach_flush *u = a->flush;
	int r = u->is_submitted ? wait_nops(a->file, &u->queue, u->fence, 0) : -EIO;
	return r ? r != -ETIME && atomic_load(&a->left->refs) == 1 : true;
}

void bw_attach_end(struct bw_attach *a)
{
	bw_memory_unpatch_range(a->file, 0, UINT64_MAX);
	bw_trap_detach(a->area);
	bw_trap_release(a->area, a->area_size_b);
	flush_begin(a);
}

bool bw_attach_has_left(struct bw_attach *a)
{
	bw_trap_release(a->area, a->area_size_b);
	return caches_are_empty(a);
}

void bw_attach_sleep(struct bw_attach *a)
{
	bw_trap_detach(a->area);
	a->flush->is_submitted = false;
}

void bw_attach_over(struct bw_attach *a, bool given_back)
{
	a->left->stays = !given_back;
	if (given_back)
		bw_kfd_trap_reset(a->file);
	if (a->reserved && given_back) {
		union drm_amdgpu_vm vm = {.in = {.op = AMDGPU_VM_OP_UNRESERVE_VMID}};
		bw_agent_ioctl(a->file, DRM_IOCTL_AMDGPU_VM, &vm);
	}
	flush_free(a);
	if (a->area)
		munmap(a->area, a->area_size_b);
	bw_attach_left_unref(a->left);
	bw_agent_file_unref(a->file);
	*a = (struct bw_attach){0};
}

void bw_attach_drop(struct bw_attach *a)
{
	a->reserved = false; /* it is freed with the file in any case */
	bw_attach_over(a, false);
}
