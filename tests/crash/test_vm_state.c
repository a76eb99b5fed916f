/* SPDX-License-Identifier: MIT */
/* Registers and entries of an address space as text. tests/e2e/look.txt has walks through what umr
 * prints. */
#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "crash/vm_state.h"

static void test_lines(void **state)
{
	static const char *const good[] = {
		"mmVM_CONTEXT3_CNTL=0x7ffe07",
		"regGCVM_CONTEXT3_PAGE_TABLE_BASE_ADDR_LO32 = 0xfebfe001",
		"\tGCVM_CONTEXT3_PAGE_TABLE_BASE_ADDR_HI32=0x3\r",
		"mmVM_CONTEXT4_CNTL=0x1", /* another context: understood, and not taken */
		"VM_CONTEXT3_PAGE_TABLE_START_ADDR_LO32=0x400",
		"MMMC_VM_FB_OFFSET=0x40",
		"fb_base=0xf400",
		"   \\-> PTE@{0xcf3bb0/176}==0x00000003febfc071, VA=0x000000176000",
		"sys:0x1000=0x11",
		"vram:0x1000: 0x22",
		"0x2000 = 0x33",
	};
	static const char *const bad[] = {"",
					  "CNTL=0x1",
					  "VMID3.page_table_depth=3",
					  "x=0x1",
					  "cntl=7z",
					  "0x1000",
					  "@{0x10/ff=0x1",
					  "sys:=0x1",
					  "cntl",
					  "BASE=0x00000003febfe001"};
	struct bw_crash_vm vm = {.vmid = 3};
	uint64_t v;
	for (size_t i = 0; i < BW_ARRAY_SIZE(good); i++)
		if (!bw_crash_vm_line(&vm, good[i], strlen(good[i])))
			fail_msg("\"%s\" is not understood", good[i]);
	for (size_t i = 0; i < BW_ARRAY_SIZE(bad); i++)
		if (bw_crash_vm_line(&vm, bad[i], strlen(bad[i])))
			fail_msg("\"%s\" is taken for something", bad[i]);
	bw_crash_vm_end(&vm, BW_GPUVM_GFX9);
	assert_int_equal(vm.context.regs.cntl, 0x7ffe07);
	assert_true(vm.context.regs.base == 0x3febfe001);
	assert_true(vm.context.regs.start == 0x400);
	assert_true(vm.context.regs.end == 0xfffffffff);
	assert_true(vm.context.regs.fb_offset == 0x40);
	assert_true(vm.context.regs.fb_base == 0xf400);
	assert_true(bw_crash_vm_read(&vm, true, 0x1000, &v) && v == 0x11);
	assert_true(bw_crash_vm_read(&vm, false, 0x1000, &v) && v == 0x22);
	/* the text does not say which memory: both */
	assert_true(bw_crash_vm_read(&vm, true, 0x2000, &v) && v == 0x33);
	assert_true(bw_crash_vm_read(&vm, false, 0xcf3bb0, &v) && v == 0x3febfc071);
	assert_false(bw_crash_vm_read(&vm, false, 0x3000, &v));
	bw_crash_vm_free(&vm);
}

/* umr with --user-queue (its documentation, of a gfx1201): the levels are those of the entries. */
static void test_user_queue(void **state)
{
	static const char *const lines[] = {
		"\t=== VM Decoding of address 8@0x7bd82ccb1000 ===",
		"\tmmGCVM_CONTEXT0_PAGE_TABLE_END_ADDR_LO32=0xffffffff",
		"\tmmGCVM_CONTEXT0_PAGE_TABLE_END_ADDR_HI32=0xf",
		"\tmmGCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32=0xdaae6001",
		"\tmmGCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_HI32=0x3",
		"\tmmGCVM_CONTEXT0_CNTL=0x6",
		"\tmmGCMC_VM_MX_L1_TLB_CNTL=0x0",
		"\tmmGCMC_VM_FB_LOCATION_BASE=0x8000",
		"\tmmGCMC_VM_FB_LOCATION_TOP=0x83fb",
		"\t\\-> PDE2@{0x3daae67b8/f7}=0x00000003daadd001, VA=0x7b8000000000",
		"\t\t\\-> PDE1@{0x3daaddb00/160}=0x00000003daadc001, VA=0x7bd800000000",
		"\t\t\t\\-> PDE0@{0x3daadcb30/166}=0x00000003daae2001, VA=0x7bd82cc00000",
		"\t\t\t\t\\-> PTE@{0x3daae2588/0xb1}=0x80000003da7bd171, VA=0x7bd82ccb1000",
	};
	for (unsigned vmid = 0; vmid < 16; vmid += 8) {
		struct bw_crash_vm vm = {.vmid = vmid};
		struct bw_gpuvm_context c;
		struct bw_gpuvm_range r;
		for (size_t i = 0; i < BW_ARRAY_SIZE(lines); i++)
			bw_crash_vm_line(&vm, lines[i], strlen(lines[i]));
		bw_crash_vm_end(&vm, BW_GPUVM_GFX12);
		assert_true(vm.is_user_queue);
		assert_true(vm.context.has_cntl && vm.context.has_base);
		bw_gpuvm_context_init(&c, BW_GPUVM_GFX12, 1, &vm.context.regs);
		assert_true(c.enabled);
		assert_int_equal(c.depth, 3);
		assert_true(bw_gpuvm_walk(&c, bw_crash_vm_read, &vm, 0x7bd82ccb1234, &r));
		assert_int_equal(r.verdict, BW_GPUVM_MAPPED);
		assert_true(r.address == 0x3da7bd000);
		assert_false(r.system);
		assert_int_equal(r.size_b, 4096);
		bw_crash_vm_free(&vm);
	}
}

/* A context that is switched off stays so: a GPU at work has apertures for VMID 0. */
static void test_disabled(void **state)
{
	static const char *const lines[] = {
		"mmGCVM_CONTEXT0_PAGE_TABLE_BASE_ADDR_LO32=0xdaae6001",
		"mmGCVM_CONTEXT0_CNTL=0x6",
		"mmGCMC_VM_MX_L1_TLB_CNTL=0x1859",
		"\\-> PDE2@{0x3daae67b8/f7}=0x00000003daadd001, VA=0x7b8000000000",
	};
	struct bw_crash_vm vm = {.vmid = 0};
	for (size_t i = 0; i < BW_ARRAY_SIZE(lines); i++)
		bw_crash_vm_line(&vm, lines[i], strlen(lines[i]));
	bw_crash_vm_end(&vm, BW_GPUVM_GFX12);
	assert_false(vm.is_user_queue);
	assert_int_equal(vm.context.regs.cntl, 6);
	bw_crash_vm_free(&vm);
}

TESTS(test_lines, test_user_queue, test_disabled);
