/* SPDX-License-Identifier: MIT */
/* Random page tables, walked by src/gpuvm and by a second walker that is written from
 * doc/hardware/page-tables.md 2 to 4 by itself: one loop, no sharing of code, bits named by number.
 * Entries are made up from the address they are read at, so that tables need no memory. */
#include <stdint.h>
#include <stdlib.h>

#include "../suite.h"
#include "gpuvm/gpuvm.h"

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

struct memory {
	uint64_t seed;
	enum bw_gpuvm_gen gen;
};

/* An entry: mostly valid, with a moderate number of leaves, further entries and block fragments. */
static uint64_t entry_at(const struct memory *m, bool system, uint64_t address)
{
	uint64_t r = mix(m->seed ^ mix(address * 2 + system));
	uint64_t e = mix(r) & 0x0000ffffffffffc0; /* address, permissions, fragment */
	unsigned bfs = r >> 8 & 1 ? r >> 12 & 7 : 0;
	bool leaf = (r >> 16 & 7) == 0, further = (r >> 20 & 3) == 0;
	e |= (r & 15) != 0;	   /* V */
	e |= (r >> 24 & 1) << 1;   /* S */
	e |= (r >> 25 & 0xf) << 2; /* C, Z, X, R */
	if (m->gen >= BW_GPUVM_GFX12) {
		e |= (uint64_t)bfs << 58 | (uint64_t)leaf << 63;
		if (m->gen == BW_GPUVM_GFX12_1)
			e |= (r >> 32 & 0xf) << 48;
		e |= (r >> 40 & 1) << 56; /* TFS, or PRT */
	} else {
		e |= (uint64_t)bfs << 59 | (uint64_t)leaf << 54 | (uint64_t)further << 56;
		if (m->gen == BW_GPUVM_GFX11)
			e |= (r >> 40 & 1) << 57; /* TFS */
		if ((r >> 41 & 15) == 0)
			e |= 1ull << 51; /* PRT */
	}
	return e;
}

static bool read_entry(void *cookie, bool system, uint64_t address, uint64_t *out)
{
	*out = entry_at(cookie, system, address);
	return true;
}

struct result {
	bool mapped, system;
	uint64_t address, page_b;
	unsigned n_reads;
};

static uint64_t field(uint64_t word, unsigned hi, unsigned lo)
{
	return word >> lo & ((2ull << (hi - lo)) - 1);
}

/* The driver's "invalid, final" entries (2.2). */
static bool final_entry(uint64_t e, enum bw_gpuvm_gen gen)
{
	bool v = e & 1, s = e >> 1 & 1, x = e >> 4 & 1, rw = e >> 5 & 3;
	bool p = gen >= BW_GPUVM_GFX12 ? e >> 63 & 1 : e >> 54 & 1;
	bool f = gen >= BW_GPUVM_GFX12 ? !(e >> 63 & 1) : e >> 56 & 1;
	bool prt = gen >= BW_GPUVM_GFX12 ? e >> 56 & 1 : e >> 51 & 1;
	return (!v && x && p && f) || (v && s && prt && !rw && !x);
}

static struct result simple_walk(const struct memory *m, const struct bw_gpuvm_regs *regs,
				 uint64_t va)
{
	enum bw_gpuvm_gen gen = m->gen;
	bool new = gen >= BW_GPUVM_GFX12;
	unsigned depth = (unsigned)field(regs->cntl, gen == BW_GPUVM_GFX12_1 ? 3 : 2, 1);
	unsigned block = (unsigned)field(regs->cntl, new ? 7 : 6, new ? 4 : 3);
	unsigned top_bit = gen == BW_GPUVM_GFX12_1 ? 51 : 47;
	uint64_t start = regs->start << 12, end = (regs->end << 12) + 0xfff;
	uint64_t fb_offset = regs->fb_offset << 24;
	struct result none = {0};
	if (va < start || va > end)
		return none;
	uint64_t a = va - start;
	unsigned bits = 0;
	while (bits < 64 && (end - start) >> bits)
		bits++;
	if (bits < 30)
		bits = 30;

	uint64_t dir = regs->base; /* the directory entry that leads to the block */
	uint64_t first_dir = 0;	   /* PDB0's, for TFS */
	unsigned n = 0;
	for (int level = (int)depth; level >= -1; level--) {
		unsigned bfs = (unsigned)field(dir, new ? 62 : 63, new ? 58 : 59);
		uint64_t base = dir & (((2ull << top_bit) - 1) & ~0x3full);
		bool system = dir >> 1 & 1;
		unsigned shift, width;
		if (level >= 1) {
			shift = 21 + block + 9 * (unsigned)(level - 1);
			width = level == (int)depth ? bits - shift : 9;
			if (level == (int)depth && bits <= shift)
				width = 0;
		} else if (level == 0) {
			shift = 12 + bfs;
			if (!depth)
				width = 63;
			else
				width = 9 + block > bfs ? 9 + block - bfs : 0;
			first_dir = dir;
		} else {
			unsigned above = (unsigned)field(first_dir, new ? 62 : 63, new ? 58 : 59);
			bool tfs = gen == BW_GPUVM_GFX11 ? first_dir >> 57 & 1
				   : new		 ? first_dir >> 56 & 1
							 : 0;
			shift = 12 + bfs;
			width = above > bfs ? above - bfs : 0;
			if (tfs) {
				base += first_dir & (((2ull << top_bit) - 1) & ~0x3full);
				system = first_dir >> 1 & 1;
			}
		}
		uint64_t index = width ? a >> shift : 0;
		if (width < 63)
			index &= (1ull << width) - 1;
		uint64_t at = base + index * 8 - (system ? 0 : fb_offset);
		uint64_t e = entry_at(m, system, at);
		n++;
		bool valid = e & 1, p = new ? e >> 63 & 1 : e >> 54 & 1;
		bool f9 = gen == BW_GPUVM_GFX9 && e >> 56 & 1, p9 = gen == BW_GPUVM_GFX9 && p;
		if (valid && (level >= 1 ? f9 : p9)) /* misplaced */
			return none;
		bool is_leaf;
		if (level >= 1) {
			is_leaf = p;
			if (!is_leaf && !valid)
				return none;
		} else {
			bool f = new ? !p : e >> 56 & 1;
			is_leaf = !(level == 0 && depth && valid && f);
			if (final_entry(e, gen))
				is_leaf = true;
		}
		if (!is_leaf) {
			dir = e;
			continue;
		}
		if (!valid || final_entry(e, gen))
			return none;
		uint64_t leaf = e & (((2ull << top_bit) - 1) & ~0xfffull);
		struct result r = {.mapped = true,
				   .system = e >> 1 & 1,
				   .page_b = 1ull << shift,
				   .n_reads = n};
		r.address = leaf - (r.system ? 0 : fb_offset) + (a & (r.page_b - 1));
		return r;
	}
	return none;
}

static void test_same_results(void **state)
{
	unsigned n_mapped = 0, n_further = 0, n_big = 0;
	for (uint64_t seed = 1; seed <= 40000; seed++) {
		uint64_t r = mix(seed);
		struct memory m = {.seed = r,
				   .gen = (enum bw_gpuvm_gen)(r % (BW_GPUVM_GFX12_1 + 1))};
		bool wide = m.gen == BW_GPUVM_GFX12_1;
		unsigned bits = wide ? 57 : 48, depth = (unsigned)(r >> 8) % (wide ? 5 : 4);
		unsigned block = r >> 12 & 1 ? (unsigned)(r >> 13) % 10 : 0;
		while (depth && 21 + block + 9 * (depth - 1) >= bits)
			depth--;
		unsigned block_lo = m.gen >= BW_GPUVM_GFX12 ? 4 : 3;
		struct bw_gpuvm_regs regs = {
			.cntl = 1 | depth << 1 | block << block_lo,
			.base = (entry_at(&m, false, 0x1234) & ~(1ull << 54)) | 1,
			.start = r >> 40 & 1 ? 0x400000 : 0,
			.end = (1ull << (bits - 12)) - 1,
			.fb_offset = r >> 41 & 1 ? 0x40 : 0,
		};
		if (r >> 42 & 1)
			regs.end = regs.start + (1ull << 25) - 1; /* 128 GiB */
		struct bw_gpuvm_context c;
		struct bw_gpuvm_range got;
		bw_gpuvm_context_init(&c, m.gen, 5, &regs);
		uint64_t va = (mix(r) & ((1ull << bits) - 1)) % ((regs.end << 12) + 0x1000);
		if (va >> (bits - 1))
			va &= (1ull << (bits - 1)) - 1;
		bool mapped = bw_gpuvm_walk(&c, read_entry, &m, va, &got);
		struct result want = simple_walk(&m, &regs, va);
		if (mapped != want.mapped ||
		    (mapped &&
		     (got.address + (va - got.va) != want.address || got.system != want.system ||
		      got.size_b != want.page_b || got.n_steps != want.n_reads)))
			fail_msg(
				"seed %llu (generation %u, depth %u, block %u) address 0x%llx: "
				"mapped %d at 0x%llx, %u reads, page 0x%llx; the simple walker says %d "
				"0x%llx, %u, 0x%llx",
				(unsigned long long)seed, m.gen, depth, block,
				(unsigned long long)va, mapped,
				(unsigned long long)(got.address + (va - got.va)), got.n_steps,
				(unsigned long long)got.size_b, want.mapped,
				(unsigned long long)want.address, want.n_reads,
				(unsigned long long)want.page_b);
		n_mapped += mapped;
		n_further += mapped && got.level == BW_GPUVM_LEVEL_FURTHER;
		n_big += mapped && got.level > 0 && got.level != BW_GPUVM_LEVEL_FURTHER;
	}
	/* some walks reach a page: the tables are not too random */
	assert_true(n_mapped > 5000);
	assert_true(n_further > 500);
	assert_true(n_big > 500);
}

TESTS(test_same_results);
