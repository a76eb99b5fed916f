/* SPDX-License-Identifier: MIT */
/* Registers and entries of an address space as text. tests/e2e/look.txt has walks through what umr
 * prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

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
	assert_int_equal(vm.regs.cntl, 0x7ffe07);
	assert_true(vm.regs.base == 0x3febfe001);
	assert_true(vm.regs.start == 0x400);
	assert_true(vm.regs.end == 0xfffffffff);
	assert_true(vm.regs.fb_offset == 0x40);
	assert_true(vm.regs.fb_base == 0xf400);
	assert_true(bw_crash_vm_read(&vm, true, 0x1000, &v) && v == 0x11);
	assert_true(bw_crash_vm_read(&vm, false, 0x1000, &v) && v == 0x22);
	/* the text does not say which memory: both */
	assert_true(bw_crash_vm_read(&vm, true, 0x2000, &v) && v == 0x33);
	assert_true(bw_crash_vm_read(&vm, false, 0xcf3bb0, &v) && v == 0x3febfc071);
	assert_false(bw_crash_vm_read(&vm, false, 0x3000, &v));
	bw_crash_vm_free(&vm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
