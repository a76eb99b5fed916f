/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include "gpuvm/gpuvm.h"

/* What a debugger sees: the root from the VMID's registers, entries through amdgpu_vram and
 * amdgpu_iomem, translated by the walker of src/gpuvm. */

enum { COMPUTE = AMDGPU_HW_IP_COMPUTE, RW = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE };

struct view {
	struct client *c;
	uint32_t vram, iomem;
	struct bw_gpuvm_context ctx;
};

static bool read_entry(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	struct view *v = cookie;
	uint64_t pos = address;
	return file_read(v->c, system ? v->iomem : v->vram, &pos, out_entry, 8) == 8;
}

/* Submits something, so that the VM has a VMID, and looks it up by its PASID as a debugger does. */
static void open_view(struct view *v, struct client *c)
{
	const struct bw_profile *p = &bw_profile_navi31;
	struct buffer ib = make_buffer(c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, 0x7ff000000000);
	uint32_t ctx = make_ctx(c), nop = 0xffff1000;
	uint64_t seq, status;
	*(uint32_t *)ib.cpu = nop;
	assert_int_equal(submit(c, ctx, COMPUTE, 0, ib.va, 1, NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(c, ctx, COMPUTE, 0, seq, SECONDS(10), &status), 0);
	assert_int_equal(status, 0);

	struct bw_vgpu_file a = {.file = c->drm};
	struct bw_msg m = BW_MSG_INIT;
	request(c, BW_VGPU_FDINFO, &(struct bw_msg_part){&a, sizeof(a)}, 1, -1, &m);
	char text[4096] = "";
	memcpy(text, m.body + sizeof(struct bw_vgpu_result),
	       BW_MIN(m.body_b - sizeof(struct bw_vgpu_result), sizeof(text) - 1));
	bw_msg_fini(&m);
	unsigned pasid = 0, vmid = 0;
	assert_non_null(strstr(text, "pasid:\t"));
	assert_int_equal(sscanf(strstr(text, "pasid:\t"), "pasid:\t%u", &pasid), 1);
	for (unsigned i = 1; i < 8; i++)
		if (read_reg(c, p->osssys.segment[0] + i) == pasid) /* IH_VMID_i_LUT */
			vmid = i;
	assert_true(vmid);

	/* Offsets: gc_11_0_0_offset.h of Linux 7.1.8. */
	const uint32_t gc = p->gc.segment[0];
	struct bw_gpuvm_regs r = {
		.cntl = read_reg(c, gc + 0x1688 + vmid),
		.base = read_reg(c, gc + 0x16f3 + 2 * vmid) |
			(uint64_t)read_reg(c, gc + 0x16f4 + 2 * vmid) << 32,
		.start = read_reg(c, gc + 0x1713 + 2 * vmid) |
			 (uint64_t)read_reg(c, gc + 0x1714 + 2 * vmid) << 32,
		.end = read_reg(c, gc + 0x1733 + 2 * vmid) |
		       (uint64_t)read_reg(c, gc + 0x1734 + 2 * vmid) << 32,
		.fb_offset = read_reg(c, gc + 0x15a7),
		.fb_base = read_reg(c, gc + 0x1678),
		.fb_top = read_reg(c, gc + 0x1679),
		.agp_top = read_reg(c, gc + 0x167a),
		.agp_bot = read_reg(c, gc + 0x167b),
		.agp_base = read_reg(c, gc + 0x167c),
	};
	enum bw_gpuvm_gen gen;
	assert_true(bw_gpuvm_gen_of(p->gc.version, &gen));
	v->c = c;
	bw_gpuvm_context_init(&v->ctx, gen, vmid, &r);
	assert_int_equal(file_open(c, "debug/dri/" PCI "/amdgpu_vram", O_RDONLY, &v->vram), 0);
	assert_int_equal(file_open(c, "debug/dri/" PCI "/amdgpu_iomem", O_RDONLY, &v->iomem), 0);
}

static struct bw_gpuvm_range walk(struct view *v, uint64_t va)
{
	struct bw_gpuvm_range r;
	bw_gpuvm_walk(&v->ctx, read_entry, v, va, &r);
	return r;
}

/* The bytes at a GPU address, by the walk and the memory files. */
static uint32_t peek(struct view *v, uint64_t va)
{
	struct bw_gpuvm_range r = walk(v, va);
	uint64_t pos = r.address + (va - r.va);
	uint32_t value = 0;
	assert_int_equal(r.verdict, BW_GPUVM_MAPPED);
	assert_int_equal(file_read(v->c, r.system ? v->iomem : v->vram, &pos, &value, 4), 4);
	return value;
}

static void walks_find_what_was_mapped(void **state)
{
	struct client c;
	struct view v;
	open_client(&c);
	open_view(&v, &c);
	struct buffer vram = make_buffer(&c, 0x5000, AMDGPU_GEM_DOMAIN_VRAM, 0, 0x123456000);
	struct buffer gtt = make_buffer(&c, 0x5000, AMDGPU_GEM_DOMAIN_GTT, 0, 0xffff800000100000);
	for (unsigned i = 0; i < 5; i++) {
		((uint32_t *)vram.cpu)[i * 1024 + 3] = 0x1000 + i;
		((uint32_t *)gtt.cpu)[i * 1024 + 3] = 0x2000 + i;
	}
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(peek(&v, vram.va + i * 4096 + 12), 0x1000 + i);
		assert_int_equal(peek(&v, gtt.va + i * 4096 + 12), 0x2000 + i);
	}
	struct bw_gpuvm_range r = walk(&v, vram.va);
	assert_false(r.system);
	assert_true(r.entry.execute && r.entry.read && r.entry.write);
	assert_int_equal(r.n_steps, 4);
	r = walk(&v, gtt.va);
	assert_true(r.system && r.entry.coherent);
	assert_int_equal(walk(&v, vram.va + 0x5000).verdict, BW_GPUVM_NOT_VALID);
	assert_int_equal(walk(&v, vram.va - 1).verdict, BW_GPUVM_NOT_VALID);
	close_client(&c);
}

static void flags_reach_the_entries(void **state)
{
	/* clang-format off */
	static const struct { uint32_t flags; bool r, w, x; unsigned mtype; bool noalloc; } rows[] = {
		{AMDGPU_VM_PAGE_READABLE, 1, 0, 0, 0, 0},
		{RW, 1, 1, 0, 0, 0},
		{AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_EXECUTABLE, 1, 0, 1, 0, 0},
		{RW | AMDGPU_VM_MTYPE_NC, 1, 1, 0, 0, 0},
		{RW | AMDGPU_VM_MTYPE_WC, 1, 1, 0, 1, 0},
		{RW | AMDGPU_VM_MTYPE_CC, 1, 1, 0, 2, 0},
		{RW | AMDGPU_VM_MTYPE_UC, 1, 1, 0, 3, 0},
		{RW | 1 << 9, 1, 1, 0, 0, 1},
	};
	/* clang-format on */
	struct client c;
	struct view v;
	open_client(&c);
	open_view(&v, &c);
	struct buffer b = make_buffer(&c, 0x1000, AMDGPU_GEM_DOMAIN_VRAM, 0, 0);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		uint64_t va = 0x40000000 + i * 0x1000;
		assert_int_equal(
			va_op(&c, AMDGPU_VA_OP_MAP, b.handle, va, 0, 0x1000, rows[i].flags), 0);
		struct bw_gpuvm_entry e = walk(&v, va).entry;
		assert_int_equal(e.read, rows[i].r);
		assert_int_equal(e.write, rows[i].w);
		assert_int_equal(e.execute, rows[i].x);
		assert_int_equal(e.mtype, rows[i].mtype);
		assert_int_equal(e.noalloc, rows[i].noalloc);
	}
	close_client(&c);
}

static void large_pages_and_fragments(void **state)
{
	struct client c;
	struct view v;
	open_client(&c);
	open_view(&v, &c);
	/* 2 MiB and 64 KiB before an aligned address, 5 MiB in all. */
	struct buffer b =
		make_buffer(&c, 5 << 20, AMDGPU_GEM_DOMAIN_VRAM, 0, 0x800000000 - 0x10000);
	struct bw_gpuvm_range r = walk(&v, b.va);
	assert_int_equal(r.level, BW_GPUVM_LEVEL_PTB);
	assert_int_equal(r.entry.frag, 4); /* 64 KiB up to the boundary */
	r = walk(&v, 0x800000000);
	assert_int_equal(r.level, 1);
	assert_int_equal(r.size_b, 2 << 20);
	assert_true(r.entry.leaf);
	assert_int_equal(r.n_steps, 3);
	((uint32_t *)b.cpu)[(0x10000 + 0x200000 + 0x4444) / 4] = 0xabcd;
	assert_int_equal(peek(&v, 0x800000000 + 0x200000 + 0x4444), 0xabcd);
	/* A hole in the middle of a leaf: the rest says the same as before. */
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_CLEAR, 0, 0x800201000, 0, 0x1000, 0), 0);
	assert_int_equal(walk(&v, 0x800201000).verdict, BW_GPUVM_NOT_VALID);
	assert_int_equal(walk(&v, 0x800201fff).verdict, BW_GPUVM_NOT_VALID);
	assert_int_equal(peek(&v, 0x800204444), 0xabcd);
	r = walk(&v, 0x800200000);
	assert_int_equal(r.level, BW_GPUVM_LEVEL_PTB);
	assert_int_equal(r.entry.frag, 0);
	r = walk(&v, 0x800202000);
	assert_int_equal(r.entry.frag, 1);
	/* Everything mapped again in one piece: a leaf once more. */
	assert_int_equal(
		va_op(&c, AMDGPU_VA_OP_REPLACE, b.handle, 0x800200000, 0x210000, 0x200000, RW), 0);
	r = walk(&v, 0x800201000);
	assert_int_equal(r.level, 1);
	assert_int_equal(peek(&v, 0x800204444), 0xabcd);
	close_client(&c);
}

static void prt_is_marked(void **state)
{
	struct client c;
	struct view v;
	open_client(&c);
	open_view(&v, &c);
	assert_int_equal(
		va_op(&c, AMDGPU_VA_OP_MAP, 0, 0x900000000, 0, 0x203000, AMDGPU_VM_PAGE_PRT), 0);
	assert_int_equal(walk(&v, 0x900000000).verdict, BW_GPUVM_PRT);
	assert_int_equal(walk(&v, 0x900202fff).verdict, BW_GPUVM_PRT);
	assert_int_equal(walk(&v, 0x900203000).verdict, BW_GPUVM_NOT_VALID);
	struct buffer b = make_buffer(&c, 0x1000, AMDGPU_GEM_DOMAIN_VRAM, 0, 0);
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_REPLACE, b.handle, 0x900100000, 0, 0x1000, RW), 0);
	assert_int_equal(walk(&v, 0x900100000).verdict, BW_GPUVM_MAPPED);
	assert_int_equal(walk(&v, 0x900101000).verdict, BW_GPUVM_PRT);
	assert_int_equal(walk(&v, 0x9000ff000).verdict, BW_GPUVM_PRT);
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_CLEAR, 0, 0x900000000, 0, 0x400000, 0), 0);
	assert_int_equal(walk(&v, 0x900000000).verdict, BW_GPUVM_NOT_VALID);
	assert_int_equal(walk(&v, 0x900101000).verdict, BW_GPUVM_NOT_VALID);
	close_client(&c);
}

/* Random operations against a page-by-page model of the address space. */
static void random_operations_agree_with_a_model(void **state)
{
	enum { PAGES = 3 * 512, N_BO = 3, BO_PAGES = 1200 };
	const uint64_t base = 0x7000000000ull; /* 2 MiB aligned */
	static struct {
		int bo;
		uint32_t page;
	} model[PAGES];
	struct client c;
	struct view v;
	struct buffer bo[N_BO];
	open_client(&c);
	open_view(&v, &c);
	for (int i = 0; i < N_BO; i++) {
		bo[i] = make_buffer(&c, BO_PAGES * 4096ull,
				    i == 1 ? AMDGPU_GEM_DOMAIN_GTT : AMDGPU_GEM_DOMAIN_VRAM, 0, 0);
		for (uint32_t p = 0; p < BO_PAGES; p++)
			((uint32_t *)bo[i].cpu)[p * 1024] = (uint32_t)(i + 1) << 24 | p;
	}
	memset(model, 0, sizeof(model));
	unsigned seed = 7;
	for (unsigned step = 0; step < 300; step++) {
		seed = seed * 1664525 + 1013904223;
		uint32_t at = (seed >> 8) % PAGES, n = 1 + (seed >> 20) % 700;
		/* often aligned, so that leaves come about */
		if (seed & 1)
			at = at / 512 * 512, n = 512;
		n = BW_MIN(n, PAGES - at);
		int which = (int)(seed >> 4 & 3);
		uint64_t va = base + at * 4096ull;
		if (which == N_BO) {
			assert_int_equal(va_op(&c, AMDGPU_VA_OP_CLEAR, 0, va, 0, n * 4096ull, 0),
					 0);
			for (uint32_t p = at; p < at + n; p++)
				model[p].bo = 0;
		} else {
			uint32_t first = (seed >> 12) % (BO_PAGES - n);
			assert_int_equal(va_op(&c, AMDGPU_VA_OP_REPLACE, bo[which].handle, va,
					       first * 4096ull, n * 4096ull, RW),
					 0);
			for (uint32_t p = at; p < at + n; p++)
				model[p].bo = which + 1, model[p].page = first + p - at;
		}
		for (unsigned k = 0; k < 40; k++) {
			seed = seed * 1664525 + 1013904223;
			uint32_t p = (seed >> 8) % PAGES;
			/* near the cut is where things go wrong */
			if (k < 4)
				p = (at + (k & 1) + (k & 2 ? n : 0)) % PAGES;
			uint64_t where = base + p * 4096ull;
			if (!model[p].bo)
				assert_int_equal(walk(&v, where).verdict, BW_GPUVM_NOT_VALID);
			else
				assert_int_equal(peek(&v, where),
						 (uint32_t)model[p].bo << 24 | model[p].page);
		}
	}
	close_client(&c);
}

static void delayed_updates_wait_for_a_cs(void **state)
{
	struct client c;
	struct view v;
	open_client(&c);
	open_view(&v, &c);
	struct buffer b = make_buffer(&c, 0x1000, AMDGPU_GEM_DOMAIN_VRAM, 0, 0);
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_MAP, b.handle, 0xa00000000, 0, 0x1000,
			       RW | AMDGPU_VM_DELAY_UPDATE),
			 0);
	assert_int_equal(walk(&v, 0xa00000000).verdict, BW_GPUVM_NOT_VALID);
	uint32_t ctx = make_ctx(&c);
	assert_int_equal(submit(&c, ctx, COMPUTE, 0, 0x7ff000000000, 1, NULL, 0, NULL), 0);
	assert_int_equal(walk(&v, 0xa00000000).verdict, BW_GPUVM_MAPPED);
	close_client(&c);
}

static uint64_t vram_used(struct client *c)
{
	char *text = file_text(c, "sys/bus/pci/devices/" PCI "/mem_info_vram_used");
	uint64_t used = strtoull(text, NULL, 10);
	free(text);
	return used;
}

/* A user of debugfs may write page tables: that changes the GPU's view, but never which memory the
 * driver takes for its own. */
static void tables_are_the_drivers_own(void **state)
{
	struct client c;
	struct view v;
	uint32_t vram;
	open_client(&c);
	open_view(&v, &c);
	assert_int_equal(file_open(&c, "debug/dri/" PCI "/amdgpu_vram", O_RDWR, &vram), 0);
	uint64_t used = vram_used(&c);
	struct client victim;
	open_client(&victim);
	struct view of_victim;
	open_view(&of_victim, &victim);
	/* Each directory, each of its entries: tables beyond VRAM, misaligned, in a ring, and a
	 * foreign one. */
	const uint64_t root = of_victim.ctx.base & ~0xfffull, foreign = v.ctx.base & ~0xfffull;
	const uint64_t bad[] = {0x0000fffffffff001ull, root | 1, foreign | 1, 0x7fc1};
	struct buffer b = make_buffer(&victim, 0x5000, AMDGPU_GEM_DOMAIN_VRAM, 0, 0x123456000);
	struct bw_gpuvm_range r = walk(&of_victim, b.va);
	assert_int_equal(r.n_steps, 4);
	for (unsigned step = 0; step < 3; step++) {
		for (unsigned i = 0; i < 512; i++) {
			uint64_t pos = (r.step[step].address & ~0xfffull) + i * 8;
			assert_int_equal(
				file_write(&c, vram, &pos, &bad[i % BW_ARRAY_SIZE(bad)], 8), 8);
		}
	}
	/* Over what is there, a part of it, and beside it. */
	assert_int_equal(va_op(&victim, AMDGPU_VA_OP_CLEAR, 0, b.va + 0x1000, 0, 0x1000, 0), 0);
	assert_int_equal(
		va_op(&victim, AMDGPU_VA_OP_REPLACE, b.handle, b.va + 0x1000, 0, 0x1000, RW), 0);
	assert_int_equal(va_op(&victim, AMDGPU_VA_OP_MAP, b.handle, 0x800000000, 0, 0x5000, RW), 0);
	assert_int_equal(
		va_op(&victim, AMDGPU_VA_OP_MAP, 0, 0xa00000000, 0, 1 << 30, AMDGPU_VM_PAGE_PRT),
		0);
	close_client(&victim);
	/* Nothing has been given back that was not the victim's, and all that was. */
	assert_int_equal(vram_used(&c), used);
	assert_int_equal(walk(&v, 0x7ff000000000).verdict, BW_GPUVM_MAPPED);
	close_client(&c);
}

TESTS_AROUND(start_gpu, stop_gpu, walks_find_what_was_mapped, flags_reach_the_entries,
	     large_pages_and_fragments, prt_is_marked, random_operations_agree_with_a_model,
	     delayed_updates_wait_for_a_cs, tables_are_the_drivers_own);
