/* SPDX-License-Identifier: MIT */
/* The walks and apertures of doc/hardware/page-tables.md 7: addresses, entries and results
 * printed by other tools on other people's machines. */
#include <stdint.h>

#include "../suite.h"
#include "base/util.h"
#include "gpuvm/gpuvm.h"

enum { V = 1, R = 2, W = 4, X = 8, S = 16, C = 32 };

struct vector {
	const char *id;
	enum bw_gpuvm_gen gen;
	unsigned vmid;
	uint64_t va;
	struct bw_gpuvm_regs regs;
	bool tables_in_system;
	struct {
		uint64_t address, value;
	} entry[6];
	/* expected */
	enum bw_gpuvm_verdict verdict;
	unsigned flags;
	uint64_t address, page_b;
	unsigned mtype, frag;
};

#define END48 .end = 0xfffffffff
/* VMID 0 with the system aperture out of the way, as in S4. */
#define MAPPED0 .mx_l1_tlb_cntl = 0x3859, .sys_low = 0x3d0000, .sys_high = 0x3fffffff
#define KiB 1024ull
#define MiB (1024 * KiB)

/* clang-format off */
static const struct vector vectors[] = {
	{"S1", BW_GPUVM_GFX9, 8, 0x7ffff7f76000, {.cntl = 0x7ffe07, .base = 0x3febfe001, END48}, false,
	 {{0x3febfe7f8, 0xcf1001}, {0xcf1ff8, 0xcf2001}, {0xcf2df8, 0xcf3001}, {0xcf3bb0, 0x3febfc071}},
	 BW_GPUVM_MAPPED, V | X | R | W, 0x3febfc000, 4 * KiB, 0, 0},
	{"S2", BW_GPUVM_GFX9, 8, 0x7ffff4a00000, {.cntl = 0x7ffe07, .base = 0x3febfe001, END48}, false,
	 {{0x3febfe7f8, 0xcf1001}, {0xcf1ff8, 0xcf2001}, {0xcf2d28, 0x06400007ed2004f7}},
	 BW_GPUVM_MAPPED, V | S | C | X | R | W, 0x7ed200000, 2 * MiB, 3, 9},
	{"S3", BW_GPUVM_GFX9, 8, 0x7ffff4a01b00, {.cntl = 7, .base = 0x3fefee001, END48}, false,
	 {{0x3fefee7f8, 0x3fec03001}, {0x3fec03ff8, 0x3fec04001}, {0x3fec04d28, 0x0040000000e004f1}},
	 BW_GPUVM_MAPPED, V | X | R | W, 0xe01b00, 2 * MiB, 0, 9},
	{"S4", BW_GPUVM_GFX9, 0, 0xb00000, {.cntl = 0x7ffe01, .base = 0x900001, END48, MAPPED0}, false,
	 {{0x905800, 0x0600001044400073}}, BW_GPUVM_MAPPED, V | S | X | R | W, 0x1044400000, 4 * KiB, 3, 0},
	{"U0", BW_GPUVM_GFX9, 0, 0x444000,
	 {.cntl = 0x7ffe01, .base = 0x40900001, .fb_offset = 0x40, END48, MAPPED0}, false,
	 {{0x902220, 0x0600000223886077}}, BW_GPUVM_MAPPED, V | S | C | X | R | W, 0x223886000, 4 * KiB, 3, 0},
	{"U1", BW_GPUVM_GFX9, 3, 0x800100400800,
	 {.cntl = 0x7ffe87, .base = 0xbfbe9001, .fb_offset = 0x40, END48}, false,
	 {{0x7fbe9800, 0xbfbe8001}, {0x7fbe8020, 0xbfbe7001}, {0x7fbe7010, 0x00400000bda004b1}},
	 BW_GPUVM_MAPPED, V | X | R, 0x7da00800, 2 * MiB, 0, 9},
	{"U2", BW_GPUVM_GFX10, 0, 0x446000, {.cntl = 0x7ffe01, .base = 1, END48, MAPPED0}, false,
	 {{0x2230, 0x000300022275b077}}, BW_GPUVM_MAPPED, V | S | C | X | R | W, 0x22275b000, 4 * KiB, 3, 0},
	{"U3", BW_GPUVM_GFX10, 3, 0x15600000,
	 {.cntl = 7, .base = 0x1a798d003, END48, .fb_base = 0xffffff, .fb_top = 0, .agp_base = 0x198,
	  .agp_bot = 0x8000, .agp_top = 0x801f}, true,
	 {{0x1a798d000, 0x1a798c003}, {0x1a798c000, 0x1a798b003}, {0x1a798b558, 0x1a7988003},
	  {0x1a7988000, 0x17ac60273}},
	 BW_GPUVM_MAPPED, V | S | X | R | W, 0x17ac60000, 4 * KiB, 0, 4},
	{"U5", BW_GPUVM_GFX10, 3, 0x30380f000, {.cntl = 7, .base = 0x1fe551001, END48}, false,
	 {{0x1fe551000, 0x1fe550001}, {0x1fe550060, 0x1fe4b0001}, {0x1fe4b00e0, 0x004000001c5404f1}},
	 BW_GPUVM_MAPPED, V | X | R | W, 0x1c54f000, 2 * MiB, 0, 9},
	{"U6", BW_GPUVM_GFX10, 3, 0x304a0f000, {.cntl = 7, .base = 0x1fe551001, END48}, false,
	 {{0x1fe551000, 0x1fe550001}, {0x1fe550060, 0x1fe4b0001}, {0x1fe4b0128, 0x30000001fe445001},
	  {0x1fe445000, 0x1d740371}},
	 BW_GPUVM_MAPPED, V | X | R | W, 0x1d74f000, 256 * KiB, 0, 6},
	{"U7", BW_GPUVM_GFX10, 3, 0xff0064e000, {.cntl = 7, .base = 0x1fe551001, END48}, false,
	 {{0x1fe551008, 0x1fe45e001}, {0x1fe45efe0, 0x1fe4b9001}, {0x1fe4b9018, 0x30000001fe4b3001},
	  {0x1fe4b3008, 0x01000001fe4b4201}, {0x1fe4b4270, 0x000300019409d273}},
	 BW_GPUVM_MAPPED, V | S | X | R | W, 0x19409d000, 4 * KiB, 3, 4},
	{"U8", BW_GPUVM_GFX10, 3, 0xff00650000, {.cntl = 7, .base = 0x1fe551001, END48}, false,
	 {{0x1fe551008, 0x1fe54e001}, {0x1fe54efe0, 0x1fe4b9001}, {0x1fe4b9018, 0x30000001fe4b3001},
	  {0x1fe4b3008, 0x01000001fe4b4201}, {0x1fe4b4280, 0x000300019409f073}},
	 BW_GPUVM_MAPPED, V | S | X | R | W, 0x19409f000, 4 * KiB, 3, 0},
	{"U9", BW_GPUVM_GFX9, 8, 0x7ffff6768000, {.cntl = 0x7ffe4d, .base = 0x7febfb001, END48}, false,
	 {{0x7febfb7f8, 0x7fea03001}, {0x7fea03ff8, 0x48000007fea04001}, {0x7fea04d98, 0x01000007fea06001},
	  {0x7fea06b40, 0x0600000ec9cb0077}},
	 BW_GPUVM_MAPPED, V | S | C | X | R | W, 0xec9cb0000, 4 * KiB, 3, 0},
	{"U10", BW_GPUVM_GFX9, 8, 0x7f3bcca00000, {.cntl = 0x7ffe1f, .base = 0x3febfe001, END48}, false,
	 {{0x3febfe0f8, 0xcf8001}, {0xcf8ce8, 0xd0a001}, {0xd0ae60, 0x4800000000d13001},
	  {0xd13028, 0x0100000000d14001}, {0xd14000, 0x06000006f9f151f7}},
	 BW_GPUVM_MAPPED, V | S | C | X | R | W, 0x6f9f15000, 4 * KiB, 3, 3},
	{"U11", BW_GPUVM_GFX9, 8, 0x7f26faa00000, {.cntl = 0x7ffe1f, .base = 0x3febfe001, END48}, false,
	 {{0x3febfe0f8, 0xcf8001}, {0xcf8c98, 0xcf9001}, {0xcf97d0, 0x4800000000d0a001},
	  {0xd0a028, 0x0000000000e004f1}},
	 BW_GPUVM_MAPPED, V | X | R | W, 0xe00000, 2 * MiB, 0, 9},
	{"U12", BW_GPUVM_GFX9, 8, 0x7f334f600000, {.cntl = 0x7ffe1f, .base = 0x3febfe001, END48}, false,
	 {{0x3febfe0f8, 0xcf8001}, {0xcf8cc8, 0xd0a001}, {0xd0aa78, 0xd1b001}, {0xd1e000, 0x060000066227f077}},
	 BW_GPUVM_MAPPED, V | S | C | X | R | W, 0x66227f000, 4 * KiB, 3, 0},
	{"U15", BW_GPUVM_GFX10, 0, 0x8000001000,
	 {.cntl = 0x1555481, .base = 0xfbeb001, .start = 0xff7d800, .end = 0xffffe10, .mx_l1_tlb_cntl = 0x1d59,
	  .sys_low = 0x200000, .sys_high = 0x207fff, .fb_base = 0x8000, .fb_top = 0x81ff}, false,
	 {{0}}, BW_GPUVM_UNTRANSLATED, 0, 0x1000, 0, 0, 0},
	{"U16", BW_GPUVM_GFX10, 0, 0xffffe11000,
	 {.cntl = 0x1555481, .base = 0xfbeb001, .start = 0xff7d800, .end = 0xffffe10, .mx_l1_tlb_cntl = 0x1d59,
	  .sys_low = 0x200000, .sys_high = 0x207fff, .fb_base = 0x8000, .fb_top = 0x81ff}, false,
	 {{0}}, BW_GPUVM_OUT_OF_RANGE, 0, 0, 0, 0, 0},
	{"U17", BW_GPUVM_GFX11, 5, 0x2e0a2000, {.cntl = 7, .base = 0x1fd768001, .end = 0xffffffff}, false,
	 {{0x1fd768000, 0x1fd767001}, {0x1fd767000, 0x1fd752001}, {0x1fd752b80, 0x32000001fd750001},
	  {0x1fd750010, 0x0100000000001401}, {0x1fd751510, 0x040300015a5b0073}},
	 BW_GPUVM_MAPPED, V | S | X | R | W, 0x15a5b0000, 4 * KiB, 3, 0},
	{"U18", BW_GPUVM_GFX9, 3, 0x7f8047e00000, {.cntl = 0x7ffecd, .base = 0xeffeda3001, END48}, false,
	 {{0xeffeda37f8, 0xeffeca7001}, {0xeffeca7008, 0x024000ef10200971}},
	 BW_GPUVM_MAPPED, V | X | R | W, 0xef18000000, 1024 * MiB, 1, 18},
	/* A4, A5: the apertures of seed 001 */
	{"A4", BW_GPUVM_GFX9, 0, 0x1084544b000,
	 {.cntl = 0x7ffe01, .base = 0x900001, END48, MAPPED0, .agp_bot = 0xf800, .agp_top = 0xffffff,
	  .fb_base = 0xf400, .fb_top = 0xf7fe}, false,
	 {{0}}, BW_GPUVM_UNTRANSLATED, S, 0x104544b000, 0, 0, 0},
	{"A5", BW_GPUVM_GFX9, 0, 0xf400a0a000,
	 {.cntl = 0x7ffe01, .base = 0x900001, END48, MAPPED0, .agp_bot = 0xf800, .agp_top = 0xffffff,
	  .fb_base = 0xf400, .fb_top = 0xf7fe}, false,
	 {{0}}, BW_GPUVM_UNTRANSLATED, 0, 0xa0a000, 0, 0, 0},
};
/* clang-format on */

static bool read_vector(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	const struct vector *v = cookie;
	for (size_t i = 0; i < BW_ARRAY_SIZE(v->entry); i++) {
		if (v->entry[i].address == address && v->entry[i].value &&
		    v->tables_in_system == system) {
			*out_entry = v->entry[i].value;
			return true;
		}
	}
	return false;
}

static void test_vectors(void **state)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(vectors); i++) {
		const struct vector *v = &vectors[i];
		struct bw_gpuvm_context c;
		struct bw_gpuvm_range r;
		bw_gpuvm_context_init(&c, v->gen, v->vmid, &v->regs);
		bool ok = bw_gpuvm_walk(&c, read_vector, (void *)v, v->va, &r);
		if (r.verdict != v->verdict)
			fail_msg("%s: verdict %d, level %u", v->id, (int)r.verdict, r.level);
		assert_int_equal(ok, v->verdict <= BW_GPUVM_UNTRANSLATED);
		if (!ok)
			continue;
		if (r.address + (v->va - r.va) != v->address)
			fail_msg("%s: address %llx", v->id,
				 (unsigned long long)(r.address + v->va - r.va));
		assert_int_equal(r.system, !!(v->flags & S));
		if (r.verdict == BW_GPUVM_UNTRANSLATED)
			continue;
		unsigned n = 0;
		while (n < BW_ARRAY_SIZE(v->entry) && v->entry[n].value)
			n++;
		assert_int_equal(r.n_steps, n);
		assert_int_equal(r.entry.raw, v->entry[n - 1].value);
		assert_int_equal(r.size_b, v->page_b);
		assert_int_equal(r.entry.mtype, v->mtype);
		assert_int_equal(r.entry.frag, v->frag);
		unsigned flags = (r.entry.valid ? V : 0) | (r.entry.read ? R : 0) |
				 (r.entry.write ? W : 0) | (r.entry.execute ? X : 0) |
				 (r.entry.system ? S : 0) | (r.entry.coherent ? C : 0);
		assert_int_equal(flags, v->flags);
	}
}

/* A2, A3: where the apertures begin and end. */
static void test_aperture_limits(void **state)
{
	struct bw_gpuvm_regs regs = {.cntl = 1,
				     END48,
				     MAPPED0,
				     .fb_base = 0xf400,
				     .fb_top = 0xf7fe,
				     .agp_bot = 0xf800,
				     .agp_top = 0xffffff};
	struct bw_gpuvm_context c;
	bw_gpuvm_context_init(&c, BW_GPUVM_GFX9, 0, &regs);
	assert_int_equal(c.sys_low, 0xf400000000);
	assert_int_equal(c.sys_end, 0xffffffffffff);
	assert_int_equal(c.fb_base, 0xf400000000);
	assert_int_equal(c.fb_end, 0xf7feffffff);
	assert_int_equal(c.agp_bot, 0xf800000000);
	assert_int_equal(c.agp_end, 0xffffffffffff);

	/* Between the framebuffer's end and AGP: the default page. */
	struct bw_gpuvm_range r;
	assert_false(bw_gpuvm_walk(&c, read_vector, (void *)&vectors[0], 0xf7ff000000, &r));
	assert_int_equal(r.verdict, BW_GPUVM_DEFAULT_PAGE);

	/* A range includes the address that was asked about, in the form it was asked in. */
	assert_true(bw_gpuvm_walk(&c, read_vector, (void *)&vectors[0], 0xfffffff800001000, &r));
	assert_int_equal(r.va, 0xffff00f800000000);

	/* Registers with unlikely values: a range over all addresses has the largest size. */
	regs = (struct bw_gpuvm_regs){.cntl = 1, .fb_base = 0, .fb_top = ~0ull >> 24, .agp_bot = 1};
	bw_gpuvm_context_init(&c, BW_GPUVM_GFX12_1, 0, &regs);
	assert_true(bw_gpuvm_walk(&c, read_vector, (void *)&vectors[0], 0x1000, &r));
	assert_int_equal(r.va, 0);
	assert_int_equal(r.size_b, ~0ull);
}

/* 10.4: geometries of seed 002, by the index that each level reads. */
struct geometry {
	uint64_t seen[4];
	unsigned n;
	uint64_t bfs_entry;
};

static bool read_geometry(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	struct geometry *g = cookie;
	if (g->n == 4)
		return false;
	g->seen[g->n++] = address & 0xfffffff;
	*out_entry = (g->n * 0x10000000ull) | 1 | (g->n == 1 ? g->bfs_entry : 0) |
		     (g->n == 2 && g->bfs_entry ? 1ull << 56 : 0);
	return true;
}

static void test_geometries(void **state)
{
	struct {
		unsigned depth, block;
		uint64_t bfs;
		uint64_t va;
		uint64_t index[3];
	} cases[] = {
		{1, 7, 4, 0x400480000, {0, 0x48, 0}}, {1, 7, 4, 0x40047f000, {0, 0x47, 0xf}},
		{1, 7, 4, 0x400280000, {0, 0x28, 0}}, {1, 7, 4, 0x40027f000, {0, 0x27, 0xf}},
		{2, 0, 0, 0x400480000, {0, 2, 0x80}}, {2, 0, 0, 0x40047f000, {0, 2, 0x7f}},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_gpuvm_regs regs = {.cntl = 1 | cases[i].depth << 1 | cases[i].block << 3,
					     .base = 1,
					     .start = 0x400000,
					     .end = 0x23fffff};
		struct bw_gpuvm_context c;
		struct geometry g = {.bfs_entry = cases[i].bfs << 59};
		struct bw_gpuvm_range r;
		bw_gpuvm_context_init(&c, BW_GPUVM_GFX9, 1, &regs);
		assert_true(bw_gpuvm_walk(&c, read_geometry, &g, cases[i].va, &r));
		assert_int_equal(g.n, 3);
		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(g.seen[k], cases[i].index[k] * 8);
	}
}

static bool read_constant(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	*out_entry = *(const uint64_t *)cookie;
	return true;
}

static enum bw_gpuvm_verdict verdict_of(enum bw_gpuvm_gen gen, unsigned depth, uint64_t entry)
{
	struct bw_gpuvm_regs regs = {.cntl = 1 | depth << 1, .base = 1, END48};
	struct bw_gpuvm_context c;
	struct bw_gpuvm_range r;
	bw_gpuvm_context_init(&c, gen, 1, &regs);
	bw_gpuvm_walk(&c, read_constant, &entry, 0x1000, &r);
	return r.verdict;
}

/* Section 2.2: entries that are not mapped although they are not 0, or have V or P set. */
static void test_not_mapped(void **state)
{
	assert_int_equal(verdict_of(BW_GPUVM_GFX11, 0, 0x10), BW_GPUVM_NOT_VALID);
	assert_int_equal(verdict_of(BW_GPUVM_GFX12, 0, 0x8000000000000010), BW_GPUVM_NOT_VALID);
	assert_int_equal(verdict_of(BW_GPUVM_GFX9, 0, 1ull << 51), BW_GPUVM_PRT);
	assert_int_equal(verdict_of(BW_GPUVM_GFX11, 0, 1ull << 51 | 1ull << 55 | 6), BW_GPUVM_PRT);
	assert_int_equal(verdict_of(BW_GPUVM_GFX12, 0, 1ull << 63 | 1ull << 56 | 6), BW_GPUVM_PRT);
	assert_int_equal(verdict_of(BW_GPUVM_GFX10, 3, 0x10 | 1ull << 54 | 1ull << 56),
			 BW_GPUVM_NO_RETRY);
	assert_int_equal(verdict_of(BW_GPUVM_GFX9, 0, 3 | 1ull << 51), BW_GPUVM_NO_RETRY);
}

static void test_canonical(void **state)
{
	struct bw_gpuvm_regs regs = {.cntl = 7, .base = 1, END48};
	struct bw_gpuvm_context c;
	struct bw_gpuvm_range r;
	uint64_t zero = 0;
	bw_gpuvm_context_init(&c, BW_GPUVM_GFX11, 1, &regs);
	bw_gpuvm_walk(&c, read_constant, &zero, 0x1000000000000, &r);
	assert_int_equal(r.verdict, BW_GPUVM_NOT_CANONICAL);
	bw_gpuvm_walk(&c, read_constant, &zero, 0xffff800102800000, &r);
	assert_int_equal(r.verdict, BW_GPUVM_NOT_VALID);
	assert_int_equal(r.step[0].address, 0x800);
	assert_true(r.va <= 0xffff800102800000 && 0xffff800102800000 - r.va < r.size_b);
	bw_gpuvm_walk(&c, read_constant, &zero, 0x0000800102800000, &r);
	assert_int_equal(r.step[0].address, 0x800);
}

/* Table memory of any content, and any CNTL: the walk ends, and its range holds the address asked.
 */
static bool read_noise(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	uint64_t *seed = cookie;
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	*out_entry = *seed ^ *seed >> 29;
	return *seed >> 60 != 5;
}

static void test_hostile_memory(void **state)
{
	uint64_t seed = 42;
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t n[4];
		for (unsigned k = 0; k < 4; k++)
			read_noise(&seed, false, 0, &n[k]);
		struct bw_gpuvm_regs regs = {.cntl = (uint32_t)n[0] | 1,
					     .base = n[1],
					     .end = 0xfffffffffffff,
					     .fb_offset = n[2] >> 40};
		struct bw_gpuvm_context c;
		struct bw_gpuvm_range r;
		uint64_t va = n[3] & 0x7fffffffffff;
		bw_gpuvm_context_init(&c, (enum bw_gpuvm_gen)(i % 5), 1 + i % 15, &regs);
		bw_gpuvm_walk(&c, read_noise, &seed, va, &r);
		assert_in_range(r.n_steps, 0, BW_GPUVM_MAX_STEPS);
		assert_true(r.va <= va);
		assert_true(va - r.va < r.size_b);
	}
}

TESTS(test_vectors, test_aperture_limits, test_geometries, test_not_mapped, test_canonical,
      test_hostile_memory);
