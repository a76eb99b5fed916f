/* SPDX-License-Identifier: MIT */
/* The tables of a driver that was written for another GPU (doc/hardware/page-tables.md 7, "a
 * published report of a page fault of a gfx9 APU"): {0x10000000, 0x200} {0x10000, 0x1000} {0x1000,
 * 0x10}, and the changes that its authors tried. Each change is found again. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "gpuvm/repair.h"

/* The addresses of the report, and the same in the second 256 MiB. START is 0x400000000. */
#define VA 0x400480000ull
#define VA_NEXT 0x410480000ull
#define PAGE 0x060000006a931077ull
enum { ROOT = 0x1000, DIRECTORY = 0x10000, LEAVES = 0x40000, BAD = 0x7777000, N = 16 };
#define V 1ull
#define S 2ull
#define F (1ull << 56)
#define P (1ull << 54)
#define BFS(n) ((uint64_t)(n) << 59)

struct tables {
	struct bw_gpuvm_context c;
	unsigned n;
	struct {
		uint64_t address, value;
	} entry[N];
};

static bool read_entry(void *cookie, bool system, uint64_t address, uint64_t *out_entry)
{
	const struct tables *t = cookie;
	*out_entry = 0;
	for (unsigned i = 0; i < t->n; i++)
		if (t->entry[i].address == address)
			*out_entry = t->entry[i].value;
	return !system && address < BAD;
}

static void put(struct tables *t, uint64_t address, uint64_t value)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->entry[i].address == address) {
			t->entry[i].value = value;
			return;
		}
	assert_true(t->n < N);
	t->entry[t->n].address = address;
	t->entry[t->n++].value = value;
}

static void set_cntl(struct tables *t, unsigned depth, unsigned block)
{
	const struct bw_gpuvm_regs regs = {.cntl = 1 | depth << 1 | block << 3,
					   .base = ROOT | V,
					   .start = 0x400000,
					   .end = 0x23fffff};
	bw_gpuvm_context_init(&t->c, BW_GPUVM_GFX9, 1, &regs);
}

/* Root index a >> 28, the middle a >> 16 of 12 bits, leaves a >> 12 of 4 bits. */
static struct tables make(void)
{
	struct tables t = {0};
	set_cntl(&t, 1, 7);
	for (unsigned i = 0; i < 2; i++) {
		put(&t, ROOT + 8 * i, (DIRECTORY + 0x10000 * i) | V | BFS(4));
		put(&t, DIRECTORY + 0x10000 * i + 8 * 0x48, (LEAVES + 0x1000 * i) | V | F);
		put(&t, LEAVES + 0x1000 * i, PAGE);
	}
	return t;
}

static void check(struct tables *t, uint64_t va, const char *want)
{
	struct bw_gpuvm_repair r[BW_GPUVM_MAX_REPAIRS];
	struct bw_str text = {0};
	size_t n = bw_gpuvm_repairs(&t->c, read_entry, t, va, r);
	bw_gpuvm_repairs_tell(&t->c, r, n, va, &text);
	assert_string_equal(bw_str_text(&text), want);
	bw_str_free(&text);
}

#define MAPPED ", and the address is mapped to system 0x6a931000)."

static void as_written(void **state)
{
	struct tables t = make();
	struct bw_gpuvm_range r;
	assert_true(bw_gpuvm_walk(&t.c, read_entry, &t, VA, &r));
	assert_int_equal(r.size_b, 4096);
	check(&t, VA, "");
	check(&t, VA_NEXT, "");
	check(&t, VA + 0x10000, ""); /* nothing is there, whatever the fields are */
}

static void block_fragment_size(void **state)
{
	static const unsigned wrong[] = {9, 12};
	struct tables t = make();
	for (size_t i = 0; i < BW_ARRAY_SIZE(wrong); i++) {
		char want[300];
		put(&t, ROOT, DIRECTORY | V | BFS(wrong[i]));
		snprintf(
			want, sizeof(want),
			"Likely wrong: BFS of the PDB0 entry 0x%016llx (the driver's PDB1) at vram "
			"0x1000 is %u and should be 4 (an entry of the table that it leads to then "
			"covers 64 KiB" MAPPED,
			DIRECTORY | V | BFS(wrong[i]), wrong[i]);
		check(&t, VA, want);
	}
}

/* Without a fragment size no fault: the entry of another address is read, and where it leads
 * further, there is one page for all. */
static void no_block_fragment_size(void **state)
{
	struct tables t = make();
	struct bw_gpuvm_range r;
	put(&t, ROOT, DIRECTORY | V);
	put(&t, DIRECTORY + 8 * 0x480, (LEAVES + 0x2000) | V | F);
	put(&t, LEAVES + 0x2000, 0x0600000012345077);
	assert_true(bw_gpuvm_walk(&t.c, read_entry, &t, VA, &r));
	assert_int_equal(r.address, 0x12345000);
	check(&t, VA,
	      "Likely wrong: BFS of the PDB0 entry 0x0000000000010001 (the driver's PDB1) at vram "
	      "0x1000 is 0 and should be 4 (below BFS 0 an entry with F has nothing to select by; "
	      "an entry of the table that it leads to then covers 64 KiB" MAPPED);
}

static void block_size(void **state)
{
	struct tables t = make();
	set_cntl(&t, 1, 9);
	check(&t, VA_NEXT,
	      "Likely wrong: PAGE_TABLE_BLOCK_SIZE of VM_CONTEXT1_CNTL is 9 and should be 7 (an "
	      "entry of the last directory then covers 256 MiB" MAPPED);
	set_cntl(&t, 1, 0);
	check(&t, VA_NEXT,
	      "Likely wrong: PAGE_TABLE_BLOCK_SIZE of VM_CONTEXT1_CNTL is 0 and should be 7 (an "
	      "entry of the last directory then covers 256 MiB" MAPPED);
}

static void depth(void **state)
{
	struct tables t = make();
	set_cntl(&t, 2, 7);
	check(&t, VA_NEXT,
	      "Likely wrong: PAGE_TABLE_DEPTH of VM_CONTEXT1_CNTL is 2 and should be 1 (the walk "
	      "then reads 1 directory before entries of pages" MAPPED);
}

static void further(void **state)
{
	struct tables t = make();
	struct bw_gpuvm_range r;
	/* the middle entry without it is a page of 64 KiB without rights */
	put(&t, DIRECTORY + 8 * 0x48, LEAVES | V);
	assert_true(bw_gpuvm_walk(&t.c, read_entry, &t, VA, &r));
	assert_int_equal(r.size_b, 64 << 10);
	assert_int_equal(bw_gpuvm_fault_of(&r, BW_GPUVM_EXECUTE).permission, 0xa);
	check(&t, VA,
	      "Likely wrong: F of the PTB entry 0x0000000000040001 (the driver's PDB0) at vram "
	      "0x10240 is clear and should be set (it leads to another table then, and is not a "
	      "page" MAPPED);
	/* in a directory it makes the entry not valid */
	t = make();
	put(&t, ROOT, DIRECTORY | V | F | BFS(4));
	bw_gpuvm_walk(&t.c, read_entry, &t, VA, &r);
	assert_int_equal(r.verdict, BW_GPUVM_MISPLACED);
	assert_int_equal(bw_gpuvm_fault_of(&r, BW_GPUVM_EXECUTE).permission, 0xb);
	check(&t, VA,
	      "Likely wrong: F of the PDB0 entry 0x2100000000010001 (the driver's PDB1) at vram "
	      "0x1000 is set and should be clear (an entry of a directory leads to a table without "
	      "it" MAPPED);
}

static void page_bit(void **state)
{
	struct tables t = make();
	struct bw_gpuvm_range r;
	put(&t, ROOT, DIRECTORY | V | P | BFS(4));
	bw_gpuvm_walk(&t.c, read_entry, &t, VA, &r);
	assert_int_equal(r.size_b, 256 << 20);
	check(&t, VA,
	      "Likely wrong: P of the PDB0 entry 0x2040000000010001 (the driver's PDB1) at vram "
	      "0x1000 is set and should be clear (it leads to a table then, and is not a "
	      "page" MAPPED);
	t = make();
	put(&t, LEAVES, PAGE | P);
	bw_gpuvm_walk(&t.c, read_entry, &t, VA, &r);
	assert_int_equal(r.verdict, BW_GPUVM_MISPLACED);
	assert_int_equal(bw_gpuvm_fault_of(&r, BW_GPUVM_READ).permission, 3);
	check(&t, VA,
	      "Likely wrong: P of the PTB (further) entry 0x064000006a931077 at vram 0x40000 is set "
	      "and should be clear (only an entry of a directory needs it to be a page" MAPPED);
}

/* A table that the memory hub does not reach: NACK, or of an entry with F, translate-further. */
static void where_tables_are(void **state)
{
	struct tables t = make();
	struct bw_gpuvm_range r;
	put(&t, ROOT, DIRECTORY | V | S | BFS(4));
	bw_gpuvm_walk(&t.c, read_entry, &t, VA, &r);
	assert_int_equal(bw_gpuvm_fault_of(&r, BW_GPUVM_EXECUTE).walker_error, 6);
	assert_int_equal(bw_gpuvm_fault_of(&r, BW_GPUVM_EXECUTE).permission, 0xb);
	check(&t, VA,
	      "Likely wrong: S of the PDB0 entry 0x2000000000010003 (the driver's PDB1) at vram "
	      "0x1000 is set and should be clear (its table is in vram then" MAPPED);
	t = make();
	put(&t, DIRECTORY + 8 * 0x48, BAD | V | F);
	bw_gpuvm_walk(&t.c, read_entry, &t, VA, &r);
	assert_int_equal(bw_gpuvm_fault_of(&r, BW_GPUVM_READ).walker_error, 5);
	check(&t, VA, "");
}

/* The shapes of Linux's driver are not doubted where nothing is mapped. */
static void usual_shapes(void **state)
{
	struct tables t = {0};
	set_cntl(&t, 1, 9);
	put(&t, ROOT, DIRECTORY | V | BFS(9));
	put(&t, DIRECTORY + 8 * 2, LEAVES | V | F); /* 0x480000 >> 21 */
	put(&t, LEAVES + 8 * 0x80, PAGE);
	check(&t, VA, "");
	check(&t, VA + 0x100000, "");
	check(&t, VA * 2, "");
}

TESTS(as_written, block_fragment_size, no_block_fragment_size, block_size, depth, further, page_bit,
      where_tables_are, usual_shapes);
