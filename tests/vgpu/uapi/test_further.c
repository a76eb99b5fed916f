/* SPDX-License-Identifier: MIT */
/* A Raven2's page tables, with translate-further: what the driver writes has the bits that Linux
 * 6.12 wrote on such a GPU (doc/raven2.md), and both the walker and the GPU find memory by it.
 * Offsets: gc_9_0_offset.h. */
#include "harness.h"

#include "gpuvm/gpuvm.h"

enum {
	GC = 0x2000,
	VM_CONTEXT0_CNTL = GC + 0x880,
	BASE_LO = GC + 0x8eb, /* VM_CONTEXT0_PAGE_TABLE_* */
	START_LO = GC + 0x90b,
	END_LO = GC + 0x92b,
	IH_VMID_0_LUT = 0x10a0,
	DMA = AMDGPU_HW_IP_DMA,
	RW = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE,
	IB = 0x30000000,
};
/* V, BFS 9; V, F; the bits of pages, of 4 KiB and of 2 MiB: S C X R W, UC, FRAG 9 */
#define PDB1_BITS 0x4800000000000001ull
#define PDB0_BITS 0x0100000000000001ull
#define PAGE_BITS 0x0600000000000077ull
#define LARGE_BITS 0x06000000000004f7ull
#define NO_ADDRESS 0xffff000000000fffull

struct view {
	struct client *c;
	struct buffer ib;
	uint32_t ctx, vram, iomem;
	struct bw_gpuvm_context context;
};

static int start_raven2(void **state)
{
	static struct bw_profile here;
	here = bw_profile_raven2;
	here.pci_address = PCI; /* where the harness looks */
	gpu_profile = &here;
	return start_gpu(state);
}

static bool read_entry(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	struct view *v = cookie;
	uint64_t pos = address;
	return file_read(v->c, system ? v->iomem : v->vram, &pos, out_entry, 8) == 8;
}

static uint64_t pair(struct client *c, uint32_t lo, unsigned vmid)
{
	return read_reg(c, lo + 2 * vmid) | (uint64_t)read_reg(c, lo + 1 + 2 * vmid) << 32;
}

/* Runs packets of SDMA. */
static void run(struct view *v, const uint32_t *dw, size_t n)
{
	uint64_t seq, status;
	memcpy(v->ib.cpu, dw, n * 4);
	assert_int_equal(submit(v->c, v->ctx, DMA, 0, v->ib.va, (uint32_t)n, NULL, 0, &seq), 0);
	assert_int_equal(wait_cs(v->c, v->ctx, DMA, 0, seq, SECONDS(10), &status), 0);
	assert_int_equal(status, 0);
}
#define RUN(v, ...)                                                                                \
	run(v, (const uint32_t[]){__VA_ARGS__},                                                    \
	    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void open_view(struct view *v, struct client *c)
{
	unsigned vmid = 0;
	*v = (struct view){.c = c, .ib = make_buffer(c, 4096, AMDGPU_GEM_DOMAIN_GTT, 0, IB)};
	v->ctx = make_ctx(c);
	RUN(v, 0); /* NOP: the address space has a VMID now */
	for (unsigned i = 1; i < 16; i++)
		if (read_reg(c, IH_VMID_0_LUT + i))
			vmid = i;
	assert_true(vmid);
	const struct bw_gpuvm_regs r = {.cntl = read_reg(c, VM_CONTEXT0_CNTL + vmid),
					.base = pair(c, BASE_LO, vmid),
					.start = pair(c, START_LO, vmid),
					.end = pair(c, END_LO, vmid)};
	/* depth 1, block size 9, as in Linux's 0x007ffecb */
	assert_int_equal(r.cntl & 0x7f, 0x007ffecb & 0x7f);
	assert_int_equal(r.end, 0xfffffffff);
	bw_gpuvm_context_init(&v->context, BW_GPUVM_GFX9, vmid, &r);
	assert_int_equal(file_open(c, "debug/dri/" PCI "/amdgpu_vram", O_RDONLY, &v->vram), 0);
	assert_int_equal(file_open(c, "debug/dri/" PCI "/amdgpu_iomem", O_RDONLY, &v->iomem), 0);
}

static struct bw_gpuvm_range walk(struct view *v, uint64_t va)
{
	struct bw_gpuvm_range r;
	bw_gpuvm_walk(&v->context, read_entry, v, va, &r);
	return r;
}

static uint32_t peek(struct view *v, uint64_t va)
{
	struct bw_gpuvm_range r = walk(v, va);
	uint64_t pos = r.address + (va - r.va);
	uint32_t value = 0;
	assert_int_equal(r.verdict, BW_GPUVM_MAPPED);
	assert_int_equal(file_read(v->c, r.system ? v->iomem : v->vram, &pos, &value, 4), 4);
	return value;
}

static void entries_are_those_of_linux(void **state)
{
	const uint32_t flags = RW | AMDGPU_VM_PAGE_EXECUTABLE | AMDGPU_VM_MTYPE_UC;
	const uint64_t va = 0x7f6359400000;
	struct client c;
	struct view v;
	open_client(&c);
	open_view(&v, &c);
	struct buffer b = make_buffer(&c, 6 << 20, AMDGPU_GEM_DOMAIN_GTT, 0, 0);
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_MAP, b.handle, va, 0, 2 << 20, flags), 0);
	assert_int_equal(
		va_op(&c, AMDGPU_VA_OP_MAP, b.handle, va + (2 << 20), 2 << 20, 0x1000, flags), 0);

	struct bw_gpuvm_range r = walk(&v, va + 0x200000);
	assert_int_equal(r.verdict, BW_GPUVM_MAPPED);
	assert_int_equal(r.n_steps, 3);
	assert_int_equal(r.step[0].value & NO_ADDRESS, PDB1_BITS);
	assert_int_equal(r.step[1].value & NO_ADDRESS, PDB0_BITS);
	assert_int_equal(r.step[2].value & NO_ADDRESS, PAGE_BITS);
	assert_int_equal(r.step[0].index, va >> 30);
	assert_int_equal(r.step[1].index, (va + 0x200000) >> 21 & 511);
	assert_int_equal(r.step[2].index, 0);
	assert_int_equal(r.size_b, 4096);

	r = walk(&v, va + 0x1ffb08); /* a page of 2 MiB has neither F nor P */
	assert_int_equal(r.verdict, BW_GPUVM_MAPPED);
	assert_int_equal(r.n_steps, 2);
	assert_int_equal(r.entry.raw & NO_ADDRESS, LARGE_BITS);
	assert_int_equal(r.size_b, 2 << 20);

	/* holes: below PDB0 the entry is not 0 (gmc_v9_0_get_vm_pde), a root entry has P */
	assert_int_equal(walk(&v, va + 0x201000).entry.raw, 0x10);
	assert_int_equal(walk(&v, va + 0x400000).entry.raw, 0x1000);
	r = walk(&v, 0x123400000000);
	assert_int_equal(r.verdict, BW_GPUVM_NOT_VALID);
	assert_int_equal(r.entry.raw, 1ull << 54);
	assert_int_equal(r.size_b, 1 << 30);
	close_client(&c);
}

/* The GPU's own walker: copies from and to both kinds of pages, in both halves of addresses. */
static void the_gpu_walks_them(void **state)
{
	struct client c;
	struct view v;
	open_client(&c);
	open_view(&v, &c);
	struct buffer small = make_buffer(&c, 0x3000, AMDGPU_GEM_DOMAIN_GTT, 0, 0x123456000);
	struct buffer large =
		make_buffer(&c, 4 << 20, AMDGPU_GEM_DOMAIN_VRAM, 0, 0xffff800000200000);
	for (unsigned i = 0; i < 0x3000 / 4; i++)
		((uint32_t *)small.cpu)[i] = 0x1000 + i;
	assert_int_equal(walk(&v, large.va + 0x200000).n_steps, 2);
	/* COPY_LINEAR over the end of the first 2 MiB; WRITE_LINEAR back */
	const uint64_t to = large.va + 0x1ff000, word = small.va + 0x2ffc;
	RUN(&v, 1, 0x3000 - 1, 0, (uint32_t)small.va, small.va >> 32, (uint32_t)to, to >> 32, 2,
	    (uint32_t)word, word >> 32, 0, 77);
	for (unsigned i = 0; i < 0x3000 / 4; i++)
		assert_int_equal(((uint32_t *)large.cpu)[0x1ff000 / 4 + i], 0x1000 + i);
	assert_int_equal(((uint32_t *)small.cpu)[0x2ffc / 4], 77);
	assert_int_equal(peek(&v, to + 0x2ff8), 0x1000 + 0x2ff8 / 4);
	close_client(&c);
}

/* A page of 2 MiB is cut, made again, and left absent on purpose. */
static void pages_are_cut(void **state)
{
	const uint64_t va = 0x800000000;
	struct client c;
	struct view v;
	open_client(&c);
	open_view(&v, &c);
	struct buffer b = make_buffer(&c, 4 << 20, AMDGPU_GEM_DOMAIN_VRAM, 0, va);
	((uint32_t *)b.cpu)[0x4444 / 4] = 0xabcd;
	assert_int_equal(walk(&v, va).n_steps, 2);
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_CLEAR, 0, va + 0x1000, 0, 0x1000, 0), 0);
	assert_int_equal(walk(&v, va + 0x1000).verdict, BW_GPUVM_NOT_VALID);
	assert_int_equal(peek(&v, va + 0x4444), 0xabcd);
	assert_int_equal(walk(&v, va + 0x4444).n_steps, 3);
	assert_int_equal(walk(&v, va + 0x2000).entry.frag, 1);
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_REPLACE, b.handle, va, 0x200000, 0x200000, RW), 0);
	assert_int_equal(walk(&v, va + 0x1000).n_steps, 2);
	assert_int_equal(va_op(&c, AMDGPU_VA_OP_REPLACE, 0, va, 0, 0x201000, AMDGPU_VM_PAGE_PRT),
			 0);
	assert_int_equal(walk(&v, va + 0x1000).verdict, BW_GPUVM_PRT);
	assert_int_equal(walk(&v, va + 0x200fff).verdict, BW_GPUVM_PRT);
	assert_int_equal(walk(&v, va + 0x201000).verdict, BW_GPUVM_MAPPED);
	close_client(&c);
}

TESTS_AROUND(start_raven2, stop_gpu, entries_are_those_of_linux, the_gpu_walks_them, pages_are_cut);
