/* SPDX-License-Identifier: MIT */
#include "launch/gpu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "node/node.h"
#include "launch/dispatch.h"
#include "launch/printf.h"
#include "wire/checks.h"
#include "wire/vgpu_proto.h"

enum {
	QUEUE_B = 256,	  /* amd_queue_t: zeros, gfx11 code takes apertures from registers */
	CODE_END_B = 512, /* instruction prefetch runs ahead of the code */
	TMPRING_WAVES_MAX = 0xfff,
	BOUNDS_FREE_B = 64 << 10,
};
#define SCRATCH_MAX_B (512ull << 20)
#define FLAGS_RW (AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE)
#define FLAGS_RX (AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_EXECUTABLE)
/* Where buffers are mapped, one after the other: addresses of more than 32 bits, as those of other
 * programs are. */
#define FIRST_VA (1ull << 32)

struct memory {
	struct bw_node_buffer buffer;
	uint64_t va;
};

struct bw_launch_gpu {
	int fd;
	bool checks_bounds; /* the virtual GPU does; it is told of the arguments' sizes */
	uint32_t ctx_id;
	struct drm_amdgpu_info_device info;
	char name[16];
	uint64_t next_va;
	struct BW_VEC(struct memory) all; /* every allocation: the residency list */
	struct memory *args; /* owned; of the plan's arguments, by index; entries of `all` */
	struct memory ib;    /* an entry of `all`, too */
	struct memory printf_buffer; /* the same; empty: the kernel has none */
	uint32_t ib_b;
	uint32_t s_code_end;
};

struct bw_error *bw_launch_gpu_open(const char *node, struct bw_launch_gpu **out)
{
	struct bw_launch_gpu *g = calloc(1, sizeof(*g));
	if (!g)
		return bw_error_nomem();
	uint32_t version = 0;
	*g = (struct bw_launch_gpu){.fd = -1,
				    .next_va = FIRST_VA,
				    .checks_bounds = bw_checks_wanted() & BW_CHECK_BOUNDS};
	struct bw_error *err = bw_node_open(node, &g->fd, &version);
	int r = err ? 0 : bw_node_query(g->fd, AMDGPU_INFO_DEV_INFO, &g->info, sizeof(g->info));
	if (r)
		err = bw_node_error(r, "cannot ask the GPU what it is");
	if (!err)
		err = bw_node_context(g->fd, &g->ctx_id);
	if (err) {
		bw_launch_gpu_close(g);
		return err;
	}
	g->s_code_end = bw_arch_code_end(version);
	if (version)
		bw_arch_gfx_name(version, g->name, sizeof(g->name));
	*out = g;
	return NULL;
}

const char *bw_launch_gpu_name(const struct bw_launch_gpu *g)
{
	return g->name;
}

void bw_launch_gpu_close(struct bw_launch_gpu *g)
{
	if (!g)
		return;
	bw_vec_each(&g->all, m)
		bw_node_buffer_close(g->fd, &m->buffer);
	bw_vec_free(&g->all);
	free(g->args);
	if (g->fd >= 0)
		close(g->fd);
	free(g);
}

/* domain: AMDGPU_GEM_DOMAIN_*; map: for the CPU, too. */
static struct bw_error *allocate(struct bw_launch_gpu *g, uint64_t size_b, uint32_t domain,
				 uint32_t va_flags, bool map, struct memory *out)
{
	struct memory m = {.va = g->next_va};
	BW_TRY(bw_vec_reserve(&g->all, g->all.len + 1));
	BW_TRY(bw_node_buffer_make(g->fd, size_b, domain,
				   map ? AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED
				       : AMDGPU_GEM_CREATE_NO_CPU_ACCESS,
				   &m.buffer));
	g->all.data[g->all.len++] = m;
	int r = bw_node_map(g->fd, (struct drm_amdgpu_gem_va){.handle = m.buffer.handle,
							      .operation = AMDGPU_VA_OP_MAP,
							      .flags = va_flags,
							      .va_address = m.va,
							      .map_size = m.buffer.size_b});
	if (r)
		return bw_node_error(r, "cannot map GPU memory");
	g->next_va += m.buffer.size_b;
	*out = m;
	return NULL;
}

/* Code with its relocations, and s_code_end after it for the prefetcher. */
static struct bw_error *place_code(struct bw_launch_gpu *g, const struct bw_launch_plan *p,
				   uint64_t *out_va)
{
	struct memory m;
	BW_TRY(allocate(g, p->image_b + CODE_END_B,
			p->code_in_gtt ? AMDGPU_GEM_DOMAIN_GTT : AMDGPU_GEM_DOMAIN_VRAM, FLAGS_RX,
			true, &m));
	memcpy(m.buffer.cpu, p->image, p->image_b);
	for (uint64_t at = bw_align_up(p->image_b, 4); at + 4 <= m.buffer.size_b; at += 4)
		memcpy(m.buffer.cpu + at, &g->s_code_end, 4);
	size_t n = 0;
	const struct bw_reloc *relocs = p->co ? bw_code_object_relocs(p->co, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (relocs[i].offset_b > p->image_b || p->image_b - relocs[i].offset_b < 8)
			return bw_errorf(BW_E_INVALID, "%s: relocation %zu is outside the image",
					 bw_code_object_path(p->co), i);
		uint64_t value = m.va + relocs[i].addend;
		memcpy(m.buffer.cpu + relocs[i].offset_b, &value, sizeof(value));
	}
	*out_va = m.va;
	return NULL;
}

/* A buffer of the kernel's. If bounds are checked, it has free memory before and after it, in which
 * accesses are outside of the buffer. */
static struct bw_error *place_buffer(struct bw_launch_gpu *g, const struct bw_plan_arg *a,
				     struct memory *out)
{
	uint64_t free_b = g->checks_bounds ? BOUNDS_FREE_B : 0;
	struct memory m;
	BW_TRY(allocate(g, a->value.size_b + 2 * free_b, AMDGPU_GEM_DOMAIN_GTT, FLAGS_RW, true,
			&m));
	m.buffer.cpu += free_b;
	m.va += free_b;
	memcpy(m.buffer.cpu, a->value.data, a->value.size_b);
	*out = m;
	if (!g->checks_bounds)
		return NULL;
	struct bw_vgpu_extent e = {.va = m.va,
				   .size_b = a->value.size_b,
				   .before_b = free_b,
				   .after_b = m.buffer.size_b - free_b - a->value.size_b};
	snprintf(e.name, sizeof(e.name), "%s", a->name);
	return ioctl(g->fd, BW_VGPU_IOCTL_EXTENT, &e)
		       ? bw_error_errno(errno, "cannot tell the virtual GPU of the buffer")
		       : NULL;
}

static struct bw_error *tell_of_lds(const struct bw_launch_gpu *g, const struct bw_launch_plan *p,
				    uint64_t entry_va)
{
	struct bw_vgpu_kernel k = {.va = entry_va, .lds_b = p->lds_b};
	if (!g->checks_bounds || !p->lds_b || !ioctl(g->fd, BW_VGPU_IOCTL_KERNEL, &k))
		return NULL;
	return bw_error_errno(errno, "cannot tell the virtual GPU of the kernel's LDS");
}

static struct bw_error *place_args(struct bw_launch_gpu *g, const struct bw_launch_plan *p,
				   struct bw_dispatch_memory *mem)
{
	g->args = calloc(p->args.len ? p->args.len : 1, sizeof(*g->args));
	_cleanup_free_ uint64_t *va = calloc(p->args.len ? p->args.len : 1, sizeof(*va));
	if (!g->args || !va)
		return bw_error_nomem();
	for (size_t i = 0; i < p->args.len; i++) {
		const struct bw_plan_arg *a = &p->args.data[i];
		if (a->kind != BW_ARG_BUFFER || !a->value.is_buffer)
			continue;
		BW_TRY(bw_error_wrap(place_buffer(g, a, &g->args[i]), "argument %s", a->name));
		va[i] = g->args[i].va;
	}
	/* One small buffer: the AQL packet, the queue block, the arguments. */
	struct memory block;
	BW_TRY(allocate(g, BW_AQL_PACKET_B + QUEUE_B + p->kernarg_b, AMDGPU_GEM_DOMAIN_GTT,
			FLAGS_RW, true, &block));
	mem->queue_va = block.va;
	mem->packet_va = block.va + QUEUE_B;
	mem->kernarg_va = mem->packet_va + BW_AQL_PACKET_B;
	memset(block.buffer.cpu, 0, QUEUE_B);
	bw_dispatch_aql(p, mem, block.buffer.cpu + QUEUE_B);
	uint8_t *kernarg = block.buffer.cpu + QUEUE_B + BW_AQL_PACKET_B;
	bw_launch_plan_kernarg(p, va, mem->queue_va, kernarg);
	if (p->printf_arg) {
		BW_TRY(bw_error_wrap(allocate(g, BW_PRINTF_BUFFER_B, AMDGPU_GEM_DOMAIN_GTT,
					      FLAGS_RW, true, &g->printf_buffer),
				     "the buffer of printf"));
		bw_printf_buffer_init(g->printf_buffer.buffer.cpu);
		memcpy(kernarg + p->printf_arg->offset_b, &g->printf_buffer.va, 8);
	}
	return NULL;
}

/* Scratch for as many waves as can be resident, or for fewer when that would be a lot of memory:
 * the hardware then launches fewer at a time. */
static struct bw_error *place_scratch(struct bw_launch_gpu *g, const struct bw_launch_plan *p,
				      struct bw_dispatch_memory *mem)
{
	uint64_t wave_b = bw_dispatch_scratch_wave_b(p);
	if (!wave_b)
		return NULL;
	uint32_t ses = p->gpu->scratch_is_of_gpu ? 1 : BW_MAX(g->info.num_shader_engines, 1u);
	uint64_t waves = (uint64_t)g->info.cu_active_number * p->gpu->waves_per_cu / ses;
	uint64_t affordable = SCRATCH_MAX_B / wave_b / ses;
	waves = BW_MIN(waves, affordable);
	waves = waves < 1 ? 1 : waves > TMPRING_WAVES_MAX ? TMPRING_WAVES_MAX : waves;
	struct memory m;
	BW_TRY(bw_error_wrap(
		allocate(g, wave_b * waves * ses, AMDGPU_GEM_DOMAIN_VRAM, FLAGS_RW, false, &m),
		"scratch"));
	mem->scratch_va = m.va;
	mem->scratch_waves_per_se = (uint32_t)waves;
	return NULL;
}

static struct bw_error *submit(struct bw_launch_gpu *g, uint64_t *out_fence)
{
	struct bw_node_job job = {.ctx_id = g->ctx_id};
	const struct drm_amdgpu_cs_chunk_ib ib = {
		.va_start = g->ib.va, .ib_bytes = g->ib_b, .ip_type = AMDGPU_HW_IP_COMPUTE};
	struct bw_error *err = bw_vec_push(&job.ibs, ib);
	for (size_t i = 0; !err && i < g->all.len; i++)
		err = bw_vec_push(&job.buffers,
				  ((struct drm_amdgpu_bo_list_entry){
					  .bo_handle = g->all.data[i].buffer.handle}));
	int r = err ? 0 : bw_node_submit(g->fd, &job, out_fence);
	bw_node_job_fini(&job);
	return r ? bw_node_error(r, "the GPU does not take the job") : err;
}

/* VM_L2_PROTECTION_FAULT_STATUS (doc/hardware/page-tables.md 6) in words. */
static struct bw_error *fault_error(uint64_t addr, uint32_t status)
{
	unsigned permission = (unsigned)bw_bits(status, 7, 4);
	const char *access =
		bw_bits(status, 18, 18)
			? (bw_bits(status, 19, 19) ? "an atomic access to" : "a write to")
		: permission & 8 ? "an instruction fetch from"
				 : "a read of";
	const char *why = permission & 1 || bw_bits(status, 3, 1) ? "nothing is mapped there"
								  : "that page forbids it";
	return bw_error_fault(addr, "page fault by %s 0x%llx: %s (status %#x)", access,
			      (unsigned long long)addr, why, status);
}

/* r: what the fence says. */
static struct bw_error *explain(struct bw_launch_gpu *g, const struct bw_launch_plan *p, int r)
{
	if (r == -ENODEV)
		return bw_errorf(BW_E_GONE, "the GPU has gone away while kernel %s was running",
				 p->title);
	struct bw_info_gpuvm_fault fault;
	struct bw_error *err = NULL;
	if (bw_node_fault(g->fd, &fault))
		err = fault_error(fault.addr, fault.status);
	else if (r == -ECANCELED)
		err = bw_error_fault(0, "the driver reset its ring or the GPU, because this job or "
					"another one hung (no page fault is on record)");
	else if (r == -ETIME || r == -ENODATA)
		err = bw_error_fault(0, "the driver killed its waves after an exception or a "
					"time-out (no page fault is on record)");
	else
		err = bw_error_fault(0, "%s", strerror(-r));
	return bw_error_wrap(err, "kernel %s failed on the GPU", p->title);
}

struct bw_error *bw_launch_gpu_place(struct bw_launch_gpu *g, const struct bw_launch_plan *plan)
{
	struct bw_dispatch_memory mem = {0};
	BW_TRY(place_code(g, plan, &mem.code_va));
	BW_TRY(tell_of_lds(g, plan, mem.code_va + plan->entry));
	BW_TRY(place_args(g, plan, &mem));
	BW_TRY(place_scratch(g, plan, &mem));

	struct bw_pm4_stream ib = {0};
	struct bw_error *err = bw_dispatch_ib(plan, &mem, &ib);
	g->ib_b = (uint32_t)ib.len * 4;
	if (!err)
		err = allocate(g, g->ib_b, AMDGPU_GEM_DOMAIN_GTT, FLAGS_RX, true, &g->ib);
	if (!err)
		memcpy(g->ib.buffer.cpu, ib.data, g->ib_b);
	bw_pm4_stream_free(&ib);
	return err;
}

struct bw_error *bw_launch_gpu_once(struct bw_launch_gpu *g, const struct bw_launch_plan *plan)
{
	struct drm_amdgpu_wait_cs_in wait = {
		.timeout = UINT64_MAX, .ip_type = AMDGPU_HW_IP_COMPUTE, .ctx_id = g->ctx_id};
	uint64_t fence;
	BW_TRY(submit(g, &fence));
	wait.handle = fence;
	bool has_ended = false;
	int r = 0;
	while (!has_ended)
		r = bw_node_wait(g->fd, wait, &has_ended);
	return r ? explain(g, plan, r) : NULL;
}

struct bw_error *bw_launch_gpu_run(struct bw_launch_gpu *g, const struct bw_launch_plan *plan)
{
	BW_TRY(bw_launch_gpu_place(g, plan));
	return bw_launch_gpu_once(g, plan);
}

const uint8_t *bw_launch_gpu_printf_buffer(const struct bw_launch_gpu *g)
{
	return g->printf_buffer.buffer.cpu;
}

const uint8_t *bw_launch_gpu_buffer(const struct bw_launch_gpu *g, size_t arg)
{
	return g->args[arg].buffer.cpu;
}
