/* SPDX-License-Identifier: MIT */
#include "launch/gpu.h"

#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <xf86drm.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "base/newer_drm.h"
#include "base/vec.h"
#include "launch/dispatch.h"
#include "launch/printf.h"

enum {
	PAGE_B = 4096,
	QUEUE_B = 256,	   /* amd_queue_t: zeros, gfx11 code takes apertures from registers */
	CODE_END_B = 512,  /* instruction prefetch runs ahead of the code */
	WAVES_PER_CU = 32, /* two SIMDs of 16 (mesa.md 2.2) */
	TMPRING_WAVES_MAX = 0xfff,
};
#define SCRATCH_MAX_B (512ull << 20)
#define FLAGS_RW (AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE)
#define FLAGS_RX (AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_EXECUTABLE)

struct memory {
	amdgpu_bo_handle bo;
	amdgpu_va_handle range;
	uint64_t va, size_b;
	uint8_t *cpu; /* NULL: not mapped */
	uint32_t handle;
};

struct bw_launch_gpu {
	int fd;
	amdgpu_device_handle dev;
	amdgpu_context_handle ctx;
	struct amdgpu_gpu_info info;
	char name[16];
	struct BW_VEC(struct memory) all; /* every allocation: the residency list */
	struct memory *args; /* owned; of the plan's arguments, by index; entries of `all` */
	struct memory ib;    /* an entry of `all`, too */
	struct memory printf_buffer; /* the same; empty: the kernel has none */
	uint32_t ib_b;
	uint32_t s_code_end;
};

static struct bw_error *gpu_error(int r, const char *what)
{
	if (r == -ENODEV)
		return bw_errorf(BW_E_GONE, "the GPU has gone away");
	return bw_error_errno(-r, "%s", what);
}

struct bw_error *bw_launch_gpu_open(const char *node, struct bw_launch_gpu **out)
{
	struct bw_launch_gpu *g = calloc(1, sizeof(*g));
	if (!g)
		return bw_error_nomem();
	struct bw_error *err = NULL;
	g->fd = open(node, O_RDWR | O_CLOEXEC);
	if (g->fd < 0)
		err = bw_error_errno(errno, "cannot open %s", node);
	uint32_t major, minor;
	int r = 0;
	if (!err && (r = amdgpu_device_initialize(g->fd, &major, &minor, &g->dev)))
		err = bw_error_wrap(gpu_error(r, "libdrm cannot use it as an AMD GPU"), "%s", node);
	if (!err && (r = amdgpu_query_gpu_info(g->dev, &g->info)))
		err = gpu_error(r, "cannot ask the GPU what it is");
	struct drm_amdgpu_info_hw_ip ip = {0};
	if (!err && (r = amdgpu_query_hw_ip_info(g->dev, AMDGPU_HW_IP_COMPUTE, 0, &ip)))
		err = gpu_error(r, "cannot ask the GPU for its compute queues");
	if (!err && !ip.available_rings)
		err = bw_errorf(BW_E_UNSUPPORTED, "%s has no compute queue", node);
	if (!err && (r = amdgpu_cs_ctx_create(g->dev, &g->ctx)))
		err = gpu_error(r, "cannot make a context");
	if (err) {
		bw_launch_gpu_close(g);
		return err;
	}
	uint32_t v;
	memcpy(&v, (const char *)&ip + BW_HW_IP_DISCOVERY_VERSION_AT, sizeof(v));
	g->s_code_end = bw_arch_code_end(v);
	if (v)
		bw_arch_gfx_name(v, g->name, sizeof(g->name));
	*out = g;
	return NULL;
}

const char *bw_launch_gpu_name(const struct bw_launch_gpu *g)
{
	return g->name;
}

static void memory_free(struct memory *m)
{
	if (m->cpu)
		amdgpu_bo_cpu_unmap(m->bo);
	if (m->va)
		amdgpu_bo_va_op(m->bo, 0, m->size_b, m->va, 0, AMDGPU_VA_OP_UNMAP);
	if (m->range)
		amdgpu_va_range_free(m->range);
	if (m->bo)
		amdgpu_bo_free(m->bo);
}

void bw_launch_gpu_close(struct bw_launch_gpu *g)
{
	if (!g)
		return;
	bw_vec_each(&g->all, m)
		memory_free(m);
	bw_vec_free(&g->all);
	free(g->args);
	if (g->ctx)
		amdgpu_cs_ctx_free(g->ctx);
	if (g->dev)
		amdgpu_device_deinitialize(g->dev);
	if (g->fd >= 0)
		close(g->fd);
	free(g);
}

/* size_b is rounded up to pages. domain: AMDGPU_GEM_DOMAIN_*. */
static struct bw_error *allocate(struct bw_launch_gpu *g, uint64_t size_b, uint32_t domain,
				 uint64_t va_flags, bool map, struct memory *out)
{
	struct memory m = {.size_b = bw_align_up(BW_MAX(size_b, (uint64_t)1), PAGE_B)};
	struct amdgpu_bo_alloc_request req = {
		.alloc_size = m.size_b,
		.phys_alignment = PAGE_B,
		.preferred_heap = domain,
		.flags = map ? AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED
			     : AMDGPU_GEM_CREATE_NO_CPU_ACCESS,
	};
	BW_TRY(bw_vec_reserve(&g->all, g->all.len + 1));
	int r = amdgpu_bo_alloc(g->dev, &req, &m.bo);
	if (r)
		return bw_error_wrap(gpu_error(r, "no GPU memory"), "%llu bytes",
				     (unsigned long long)m.size_b);
	const char *what = "cannot get a GPU address";
	r = amdgpu_va_range_alloc(g->dev, amdgpu_gpu_va_range_general, m.size_b, PAGE_B, 0, &m.va,
				  &m.range, 0);
	if (!r) {
		what = "cannot map GPU memory";
		r = amdgpu_bo_va_op_raw(g->dev, m.bo, 0, m.size_b, m.va, va_flags,
					AMDGPU_VA_OP_MAP);
		if (r)
			m.va = 0;
	}
	if (!r)
		r = amdgpu_bo_export(m.bo, amdgpu_bo_handle_type_kms, &m.handle);
	if (!r && map) {
		what = "cannot see GPU memory from the CPU";
		r = amdgpu_bo_cpu_map(m.bo, (void **)&m.cpu);
	}
	if (r) {
		memory_free(&m);
		return gpu_error(r, what);
	}
	g->all.data[g->all.len++] = m;
	*out = m;
	return NULL;
}

/* Code with its relocations, and s_code_end after it for the prefetcher. */
static struct bw_error *place_code(struct bw_launch_gpu *g, const struct bw_launch_plan *p,
				   uint64_t *out_va)
{
	struct memory m;
	BW_TRY(allocate(g, p->image_b + CODE_END_B, AMDGPU_GEM_DOMAIN_VRAM, FLAGS_RX, true, &m));
	memcpy(m.cpu, p->image, p->image_b);
	for (uint64_t at = bw_align_up(p->image_b, 4); at + 4 <= m.size_b; at += 4)
		memcpy(m.cpu + at, &g->s_code_end, 4);
	size_t n = 0;
	const struct bw_reloc *relocs = p->co ? bw_code_object_relocs(p->co, &n) : NULL;
	for (size_t i = 0; i < n; i++) {
		if (relocs[i].offset_b > p->image_b || p->image_b - relocs[i].offset_b < 8)
			return bw_errorf(BW_E_INVALID, "%s: relocation %zu is outside the image",
					 bw_code_object_path(p->co), i);
		uint64_t value = m.va + relocs[i].addend;
		memcpy(m.cpu + relocs[i].offset_b, &value, sizeof(value));
	}
	*out_va = m.va;
	return NULL;
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
		BW_TRY(bw_error_wrap(allocate(g, a->value.size_b, AMDGPU_GEM_DOMAIN_GTT, FLAGS_RW,
					      true, &g->args[i]),
				     "argument %s", a->name));
		memcpy(g->args[i].cpu, a->value.data, a->value.size_b);
		va[i] = g->args[i].va;
	}
	/* One small buffer: the AQL packet, the queue block, the arguments. */
	struct memory block;
	BW_TRY(allocate(g, BW_AQL_PACKET_B + QUEUE_B + p->kernarg_b, AMDGPU_GEM_DOMAIN_GTT,
			FLAGS_RW, true, &block));
	mem->queue_va = block.va;
	mem->packet_va = block.va + QUEUE_B;
	mem->kernarg_va = mem->packet_va + BW_AQL_PACKET_B;
	memset(block.cpu, 0, QUEUE_B);
	bw_dispatch_aql(p, mem, block.cpu + QUEUE_B);
	uint8_t *kernarg = block.cpu + QUEUE_B + BW_AQL_PACKET_B;
	bw_launch_plan_kernarg(p, va, mem->queue_va, kernarg);
	if (p->printf_arg) {
		BW_TRY(bw_error_wrap(allocate(g, BW_PRINTF_BUFFER_B, AMDGPU_GEM_DOMAIN_GTT,
					      FLAGS_RW, true, &g->printf_buffer),
				     "the buffer of printf"));
		bw_printf_buffer_init(g->printf_buffer.cpu);
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
	uint32_t ses = g->info.num_shader_engines ? g->info.num_shader_engines : 1;
	uint64_t waves = (uint64_t)g->info.cu_active_number * WAVES_PER_CU / ses;
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

static struct bw_error *submit(struct bw_launch_gpu *g, uint64_t ib_va, uint32_t ib_b,
			       uint64_t *out_seq)
{
	_cleanup_free_ struct drm_amdgpu_bo_list_entry *list = calloc(g->all.len, sizeof(*list));
	if (!list)
		return bw_error_nomem();
	for (size_t i = 0; i < g->all.len; i++)
		list[i].bo_handle = g->all.data[i].handle;
	struct drm_amdgpu_bo_list_in handles = {
		.operation = ~0u,
		.list_handle = ~0u,
		.bo_number = (uint32_t)g->all.len,
		.bo_info_size = sizeof(*list),
		.bo_info_ptr = (uintptr_t)list,
	};
	struct drm_amdgpu_cs_chunk_ib ib = {
		.va_start = ib_va, .ib_bytes = ib_b, .ip_type = AMDGPU_HW_IP_COMPUTE};
	struct drm_amdgpu_cs_chunk chunks[] = {
		{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(handles) / 4, (uintptr_t)&handles},
		{AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib},
	};
	int r = amdgpu_cs_submit_raw2(g->dev, g->ctx, 0, BW_ARRAY_SIZE(chunks), chunks, out_seq);
	return r ? gpu_error(r, "the GPU does not take the job") : NULL;
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
	struct bw_info_gpuvm_fault fault = {0};
	struct bw_error *err = NULL;
	if (!amdgpu_query_info(g->dev, BW_INFO_GPUVM_FAULT, sizeof(fault), &fault) && fault.status)
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
	BW_TRY(place_args(g, plan, &mem));
	BW_TRY(place_scratch(g, plan, &mem));

	struct bw_pm4_stream ib = {0};
	struct bw_error *err = bw_dispatch_ib(plan, &mem, &ib);
	g->ib_b = (uint32_t)ib.len * 4;
	if (!err)
		err = allocate(g, g->ib_b, AMDGPU_GEM_DOMAIN_GTT, FLAGS_RX, true, &g->ib);
	if (!err)
		memcpy(g->ib.cpu, ib.data, g->ib_b);
	bw_pm4_stream_free(&ib);
	return err;
}

struct bw_error *bw_launch_gpu_once(struct bw_launch_gpu *g, const struct bw_launch_plan *plan)
{
	struct amdgpu_cs_fence fence = {.context = g->ctx, .ip_type = AMDGPU_HW_IP_COMPUTE};
	BW_TRY(submit(g, g->ib.va, g->ib_b, &fence.fence));
	uint32_t expired = 0;
	int r = 0;
	while (!r && !expired)
		r = amdgpu_cs_query_fence_status(&fence, AMDGPU_TIMEOUT_INFINITE, 0, &expired);
	return r ? explain(g, plan, r) : NULL;
}

struct bw_error *bw_launch_gpu_run(struct bw_launch_gpu *g, const struct bw_launch_plan *plan)
{
	BW_TRY(bw_launch_gpu_place(g, plan));
	return bw_launch_gpu_once(g, plan);
}

const uint8_t *bw_launch_gpu_printf_buffer(const struct bw_launch_gpu *g)
{
	return g->printf_buffer.cpu;
}

const uint8_t *bw_launch_gpu_buffer(const struct bw_launch_gpu *g, size_t arg)
{
	return g->args[arg].cpu;
}
