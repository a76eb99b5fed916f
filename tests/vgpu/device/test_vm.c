/* SPDX-License-Identifier: MIT */
#include "rig.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../suite.h"
#include "base/error.h"
#include "vgpu/device/device_priv.h"

static struct bw_tlb tlb;

static void start(struct rig *r)
{
	rig_start(r, NULL);
	bw_tlb_init(&tlb, r->dev, 1, BW_CLIENT_TCP);
	bw_tlb_sync(&tlb);
}

static void clear_status(struct rig *r)
{
	rig_write(r, REG(GCVM_L2_PROTECTION_FAULT_CNTL), 1);
}

static void test_read_write(void **state)
{
	struct rig r;
	struct bw_vm_fault f;
	uint32_t in[3000], out[3000];
	start(&r);
	for (unsigned i = 0; i < 3000; i++)
		in[i] = i * 7;
	/* Over a page border, through large leaves. */
	assert_true(bw_vm_write(&tlb, RIG_DATA + 0x1ff000 + 12, in, sizeof(in), &f));
	assert_true(bw_vm_read(&tlb, RIG_DATA + 0x1ff000 + 12, out, sizeof(out), &f));
	assert_memory_equal(in, out, sizeof(in));
	assert_memory_equal(rig_ptr(&r, RIG_DATA + 0x1ff000 + 12), in, sizeof(in));
	rig_stop(&r);
}

/* Status words by doc/hardware/page-tables.md 6: load 3, store 5, fetch 0xb with bit 0; client TCP
 * 8, fetches SQC (inst) 9; RW 18; VMID 23:20. */
static void test_unmapped(void **state)
{
	struct rig r;
	struct bw_vm_fault f;
	struct rig_vector v;
	start(&r);
	uint64_t va = RIG_SMALL_VA + 0x5000 + 0x34;
	assert_null(bw_tlb_lookup(&tlb, va, BW_ACCESS_READ, &f));
	assert_int_equal(f.va, va);
	assert_int_equal(f.permission, 3);
	assert_int_equal(f.walker_error, 0);
	assert_int_equal(rig_read(&r, REG(GCVM_L2_PROTECTION_FAULT_STATUS)),
			 1 << 20 | 8 << 9 | 3 << 4);
	assert_int_equal(rig_read(&r, REG(GCVM_L2_PROTECTION_FAULT_ADDR_LO32)), va >> 12);
	assert_int_equal(rig_read(&r, REG(GCVM_L2_PROTECTION_FAULT_ADDR_HI32)), 0);
	assert_true(rig_next_vector(&r, &v, 0));
	assert_int_equal(v.client, 0x0a);
	assert_int_equal(v.source, 0);
	assert_int_equal(v.vmid, 1);
	assert_int_equal(v.pasid, 0x8001);
	assert_int_equal(v.data[0], va >> 12);
	assert_int_equal(v.data[1], 0x40);

	/* The first fault stays latched; the second shows as MORE_FAULTS only. */
	assert_null(bw_tlb_lookup(&tlb, va + 0x1000, BW_ACCESS_WRITE, &f));
	assert_int_equal(rig_read(&r, REG(GCVM_L2_PROTECTION_FAULT_STATUS)),
			 1 << 20 | 8 << 9 | 3 << 4 | 1);
	assert_true(rig_next_vector(&r, &v, 0));
	assert_int_equal(v.data[1], 0x20);
	clear_status(&r);
	assert_int_equal(rig_read(&r, REG(GCVM_L2_PROTECTION_FAULT_STATUS)), 0);
	assert_null(bw_tlb_lookup(&tlb, va, BW_ACCESS_WRITE, &f));
	assert_int_equal(rig_read(&r, REG(GCVM_L2_PROTECTION_FAULT_STATUS)),
			 1 << 20 | 1 << 18 | 8 << 9 | 5 << 4);
	clear_status(&r);
	assert_null(bw_tlb_lookup(&tlb, va, BW_ACCESS_EXECUTE, &f));
	assert_int_equal(rig_read(&r, REG(GCVM_L2_PROTECTION_FAULT_STATUS)),
			 1 << 20 | 9 << 9 | 0xb << 4);
	assert_int_equal(r.irqs, 4);

	/* No directory entry: PDB0, walker error 2. Outside of everything: PDB2, 4. */
	clear_status(&r);
	assert_null(bw_tlb_lookup(&tlb, 0x30000000, BW_ACCESS_READ, &f));
	assert_int_equal(f.walker_error, 2);
	assert_null(bw_tlb_lookup(&tlb, 0x7f0000000000, BW_ACCESS_READ, &f));
	assert_int_equal(f.walker_error, 4);
	/* Not canonical: not for the fault registers. */
	clear_status(&r);
	assert_null(bw_tlb_lookup(&tlb, 0x800000000000, BW_ACCESS_READ, &f));
	assert_true(f.mapping_error);
	assert_int_equal(rig_read(&r, REG(GCVM_L2_PROTECTION_FAULT_STATUS)), 0);
	rig_stop(&r);
}

static void test_permissions(void **state)
{
	struct rig r;
	struct bw_vm_fault f;
	start(&r);
	rig_set_pte(&r, 0, RIG_PAGE | 0x21);		 /* V R */
	rig_set_pte(&r, 1, RIG_PAGE | 0x61);		 /* V R W */
	rig_set_pte(&r, 2, 1ull << 51 | 1ull << 55 | 6); /* PRT */
	rig_invalidate(&r);
	assert_non_null(bw_tlb_lookup(&tlb, RIG_SMALL_VA, BW_ACCESS_READ, &f));
	assert_null(bw_tlb_lookup(&tlb, RIG_SMALL_VA, BW_ACCESS_WRITE, &f));
	assert_int_equal(f.permission, 4);
	assert_null(bw_tlb_lookup(&tlb, RIG_SMALL_VA, BW_ACCESS_READ | BW_ACCESS_ATOMIC, &f));
	assert_int_equal(f.permission, 4);
	assert_null(bw_tlb_lookup(&tlb, RIG_SMALL_VA + 0x1000, BW_ACCESS_EXECUTE, &f));
	assert_int_equal(f.permission, 8);
	assert_ptr_equal(bw_tlb_lookup(&tlb, RIG_SMALL_VA + 0x1008, BW_ACCESS_WRITE, &f),
			 rig_ptr(&r, RIG_PAGE + 8));
	unsigned before = r.irqs;
	uint32_t word = 1;
	assert_null(bw_tlb_lookup(&tlb, RIG_SMALL_VA + 0x2000, BW_ACCESS_READ, &f));
	assert_true(f.prt);
	assert_true(bw_vm_read(&tlb, RIG_SMALL_VA + 0x2000, &word, 4, &f));
	assert_int_equal(word, 0);
	assert_true(bw_vm_write(&tlb, RIG_SMALL_VA + 0x2000, &before, 4, &f));
	assert_int_equal(r.irqs, before);
	rig_stop(&r);
}

/* A question about a page has no effects: no fault, no entry. */
static void test_probe(void **state)
{
	struct rig r;
	struct bw_vm_fault f;
	start(&r);
	const unsigned probe = BW_ACCESS_EXECUTE | BW_ACCESS_PROBE;
	unsigned before = r.irqs;
	assert_null(bw_tlb_lookup(&tlb, RIG_SMALL_VA, probe, &f));
	assert_int_equal(r.irqs, before);
	assert_int_equal(rig_read(&r, REG(GCVM_L2_PROTECTION_FAULT_STATUS)), 0);
	rig_set_pte(&r, 0, RIG_PAGE | 0x31); /* V X R */
	rig_invalidate(&r);
	assert_ptr_equal(bw_tlb_lookup(&tlb, RIG_SMALL_VA + 4, probe, &f),
			 rig_ptr(&r, RIG_PAGE + 4));
	rig_set_pte(&r, 0, 0);
	assert_null(bw_tlb_lookup(&tlb, RIG_SMALL_VA, probe, &f));
	rig_stop(&r);
}

/* A translation in use stays until the invalidation, as on hardware. */
/* Pages that follow each other in both address spaces, with the same rights, are one range; a watch
 * anywhere, and there are none. */
static void test_ranges(void **state)
{
	enum { PAGES = 20 };
	struct rig r;
	struct bw_vm_fault f;
	start(&r);
	for (unsigned i = 0; i < PAGES; i++)
		rig_set_pte(&r, i, (RIG_DATA + i * 0x1000) | 0x71);
	rig_set_pte(&r, PAGES, RIG_PAGE | 0x71);
	rig_invalidate(&r);
	bw_tlb_sync(&tlb);
	assert_null(bw_tlb_lookup_range(&tlb, RIG_SMALL_VA, 4, BW_ACCESS_READ));
	for (unsigned i = 0; i <= PAGES; i++)
		assert_ptr_equal(
			bw_tlb_lookup(&tlb, RIG_SMALL_VA + i * 0x1000 + 8, BW_ACCESS_READ, &f),
			rig_ptr(&r, i < PAGES ? RIG_DATA + i * 0x1000 + 8 : RIG_PAGE + 8));
	bw_tlb_lookup(&tlb, RIG_SMALL_VA + PAGES * 0x1000 - 4, BW_ACCESS_READ, &f);
	for (unsigned i = 0; i < PAGES; i++)
		tlb.entry[(RIG_SMALL_VA / 0x1000 + i) % BW_TLB_ENTRIES].tag = ~0ull;
	assert_ptr_equal(bw_tlb_lookup(&tlb, RIG_SMALL_VA, BW_ACCESS_READ, &f),
			 rig_ptr(&r, RIG_DATA));
	assert_ptr_equal(
		bw_tlb_lookup_range(&tlb, RIG_SMALL_VA + 4, PAGES * 0x1000 - 4, BW_ACCESS_READ),
		rig_ptr(&r, RIG_DATA + 4));
	assert_null(bw_tlb_lookup_range(&tlb, RIG_SMALL_VA + 4, PAGES * 0x1000, BW_ACCESS_READ));

	/* A read-only page ends it on both sides, and stale ranges go with the invalidation. */
	rig_set_pte(&r, 4, (RIG_DATA + 4 * 0x1000) | 0x31);
	rig_invalidate(&r);
	bw_tlb_sync(&tlb);
	assert_null(bw_tlb_lookup_range(&tlb, RIG_SMALL_VA, 4, BW_ACCESS_READ));
	for (unsigned at = 0; at <= 8; at += 4) {
		bw_tlb_lookup(&tlb, RIG_SMALL_VA + at * 0x1000, BW_ACCESS_READ, &f);
		uint64_t most = (at == 0 ? 4 : at == 4 ? 1 : 5) * 0x1000ull;
		assert_non_null(bw_tlb_lookup_range(&tlb, RIG_SMALL_VA + at * 0x1000, most,
						    BW_ACCESS_READ));
		assert_null(bw_tlb_lookup_range(&tlb, RIG_SMALL_VA + at * 0x1000,
						at == 8 ? 0x10000 : most + 1, BW_ACCESS_READ));
	}

	struct bw_bank all = {.se = ~0u, .sa = ~0u, .instance = ~0u};
	bw_device_reg_write(r.dev, &all, REG(TCP_WATCH0_ADDR_H), 0);
	bw_device_reg_write(r.dev, &all, REG(TCP_WATCH0_ADDR_H) + 2,
			    1u << 31 | 1u << 24 | 0x7fffff);
	bw_tlb_sync(&tlb);
	bw_tlb_lookup(&tlb, RIG_SMALL_VA, BW_ACCESS_READ, &f);
	assert_null(bw_tlb_lookup_range(&tlb, RIG_SMALL_VA, 4, BW_ACCESS_READ));
	rig_stop(&r);
}

static void test_stale(void **state)
{
	struct rig r;
	struct bw_vm_fault f;
	start(&r);
	rig_set_pte(&r, 0, RIG_PAGE | 0x61);
	assert_non_null(bw_tlb_lookup(&tlb, RIG_SMALL_VA, BW_ACCESS_READ, &f));
	rig_set_pte(&r, 0, 0);
	assert_non_null(bw_tlb_lookup(&tlb, RIG_SMALL_VA, BW_ACCESS_READ, &f));
	rig_invalidate(&r);
	bw_tlb_sync(&tlb);
	assert_null(bw_tlb_lookup(&tlb, RIG_SMALL_VA, BW_ACCESS_READ, &f));
	rig_stop(&r);
}

static int memory(size_t size, bool sealed)
{
	int fd = memfd_create("bo", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	if (sealed)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	return fd;
}

static void expect_refused(struct bw_error *err)
{
	assert_non_null(err);
	assert_int_equal(err->code, BW_E_INVALID);
	bw_error_free(err);
}

static void test_attach(void **state)
{
	struct rig r;
	struct bw_vm_fault f;
	start(&r);
	int fd = memory(0x4000, true);
	uint32_t *cpu = mmap(NULL, 0x4000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	cpu[0x1000 / 4] = 0xabcd;

	/* System memory by bus address; S = 1. */
	assert_null(bw_device_sysmem(r.dev, 0x7000000, 4));
	assert_null(bw_device_sysmem_attach(r.dev, 0x7000000, 0x2000, fd, 0x1000));
	assert_non_null(bw_device_sysmem(r.dev, 0x7000000, 0x2000));
	assert_null(bw_device_sysmem(r.dev, 0x7001000, 0x1001));
	rig_set_pte(&r, 3, 0x7000000 | 0x67);
	rig_set_pte(&r, 4, 0x7002000 | 0x67);
	rig_invalidate(&r);
	bw_tlb_sync(&tlb);
	uint32_t word = 0, put = 0x1111;
	assert_true(bw_vm_read(&tlb, RIG_SMALL_VA + 0x3000, &word, 4, &f));
	assert_int_equal(word, 0xabcd);
	assert_true(bw_vm_write(&tlb, RIG_SMALL_VA + 0x3004, &put, 4, &f));
	assert_int_equal(cpu[0x1004 / 4], 0x1111);
	/* A valid entry to memory that does not exist: mapping error. */
	assert_false(bw_vm_read(&tlb, RIG_SMALL_VA + 0x4000, &word, 4, &f));
	assert_true(f.mapping_error);

	/* VRAM: attached memory is shared, detached memory reads 0. */
	assert_null(bw_device_vram_attach(r.dev, RIG_DATA, 0x4000, fd, 0));
	assert_int_equal(((uint32_t *)rig_ptr(&r, RIG_DATA))[0x1000 / 4], 0xabcd);
	assert_true(bw_device_vram_detach(r.dev, RIG_DATA, 0x4000));
	assert_int_equal(((uint32_t *)rig_ptr(&r, RIG_DATA))[0x1000 / 4], 0);
	assert_true(bw_device_sysmem_detach(r.dev, 0x7000000, 0x2000));
	assert_null(bw_device_sysmem(r.dev, 0x7000000, 4));

	/* Refused: not sealed, too short, not aligned, outside. */
	int open_fd = memory(0x4000, false);
	expect_refused(bw_device_vram_attach(r.dev, 0, 0x4000, open_fd, 0));
	expect_refused(bw_device_vram_attach(r.dev, 0, 0x8000, fd, 0));
	expect_refused(bw_device_vram_attach(r.dev, 0, 0x4000, fd, 0x1000));
	expect_refused(bw_device_vram_attach(r.dev, 0x100, 0x1000, fd, 0));
	expect_refused(bw_device_vram_attach(r.dev, bw_profile_navi31.vram_size_b, 0x1000, fd, 0));
	expect_refused(bw_device_sysmem_attach(r.dev, ~0ull << 12, 0x1000, fd, 0));
	munmap(cpu, 0x4000);
	close(fd);
	close(open_fd);
	rig_stop(&r);
}

/* VMID 0 reaches VRAM untranslated through the framebuffer aperture. */
static void test_vmid0(void **state)
{
	struct rig r;
	struct bw_vm_fault f;
	static struct bw_tlb kernel;
	uint32_t word = 77, back = 0;
	rig_start(&r, NULL);
	bw_tlb_init(&kernel, r.dev, 0, BW_CLIENT_CPC);
	bw_tlb_sync(&kernel);
	assert_true(bw_vm_write(&kernel, rig_mc(&r, 0x1234000), &word, 4, &f));
	memcpy(&back, rig_ptr(&r, 0x1234000), 4);
	assert_int_equal(back, 77);
	assert_false(bw_vm_read(&kernel, 0x1000, &back, 4, &f));
	rig_stop(&r);
}

static void test_ih_overflow(void **state)
{
	struct rig r;
	struct bw_vm_fault f;
	struct rig_vector v;
	start(&r);
	for (unsigned i = 0; i < RIG_IH_B / 32 + 10; i++)
		bw_tlb_lookup(&tlb, RIG_SMALL_VA, BW_ACCESS_READ, &f);
	assert_int_equal(rig_read(&r, REG(IH_RB_WPTR)) & 1, 1); /* RB_OVERFLOW */
	uint32_t cntl = rig_read(&r, REG(IH_RB_CNTL));
	rig_write(&r, REG(IH_RB_CNTL), cntl | 1u << 31);
	rig_write(&r, REG(IH_RB_CNTL), cntl);
	r.ih_rptr = rig_read(&r, REG(IH_RB_WPTR));
	assert_int_equal(r.ih_rptr & 1, 0);
	rig_write(&r, REG(IH_RB_RPTR), r.ih_rptr);
	assert_false(rig_next_vector(&r, &v, 0));
	bw_tlb_lookup(&tlb, RIG_SMALL_VA, BW_ACCESS_READ, &f);
	assert_true(rig_next_vector(&r, &v, 0));
	rig_stop(&r);
}

/* A range of several directory entries is found in each of them, and so is another one that has
 * the same places. */
static void test_range_places(void **state)
{
	enum { LEAFS = 8 };
	static uint8_t host[2];
	static struct bw_tlb t;
	const uint64_t size_b = LEAFS * (uint64_t)BW_TLB_LEAF_B;
	const uint64_t va[2] = {UINT64_C(0x100000000),
				UINT64_C(0x100000000) + BW_TLB_RANGES * (uint64_t)BW_TLB_LEAF_B};
	(void)state;
	memset(&t, 0, sizeof(t));
	assert_null(bw_tlb_find_range(&t, va[0]));
	for (unsigned i = 0; i < 2; i++) /* in wrong places */
		t.range[20 + i] = (struct bw_tlb_range){
			.va = va[i], .size_b = size_b, .host = &host[i], .access = BW_ACCESS_READ};
	for (unsigned leaf = 0; leaf < LEAFS; leaf++)
		assert_non_null(bw_tlb_find_range(&t, va[0] + leaf * (uint64_t)BW_TLB_LEAF_B));
	for (unsigned leaf = 0; leaf < LEAFS; leaf++) {
		uint64_t at = leaf * (uint64_t)BW_TLB_LEAF_B + 4;
		assert_ptr_equal(bw_tlb_lookup_range(&t, va[0] + at, 4, BW_ACCESS_READ), host + at);
	}
	for (unsigned round = 0; round < 100; round++)
		for (unsigned i = 0; i < 2; i++) {
			uint64_t at = round % LEAFS * (uint64_t)BW_TLB_LEAF_B;
			assert_ptr_equal(bw_tlb_search_range(&t, va[i] + at, 4, BW_ACCESS_READ),
					 &host[i] + at);
			assert_null(
				bw_tlb_search_range(&t, va[i] + at, size_b + 1, BW_ACCESS_READ));
			assert_null(bw_tlb_search_range(&t, va[i] + at, 4, BW_ACCESS_WRITE));
		}
	assert_null(bw_tlb_search_range(&t, va[0] + size_b, 4, BW_ACCESS_READ));
}

TESTS(test_read_write, test_unmapped, test_permissions, test_stale, test_attach, test_vmid0,
      test_ih_overflow, test_probe, test_ranges, test_range_places);
