/* SPDX-License-Identifier: MIT */
/* Devcoredumps in the forms of Linux 6.1, 6.12 and 7.1 (doc/hardware/devcoredump.md), whole, torn,
 * cut off and without end. tests/e2e/look.txt has a whole one of 7.1. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "crash/crash.h"

static struct bw_crash parse(const char *text, size_t n)
{
	struct bw_crash c = {0};
	unsigned line = 0;
	for (size_t at = 0; at < n;) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t len = end ? (size_t)(end - text) - at : n - at;
		bw_crash_line(&c, text + at, len, ++line);
		at += len + 1;
	}
	bw_crash_end(&c);
	assert_false(c.failed);
	return c;
}

#define BANNER "**** AMDGPU Device Coredump ****\n"

static void test_linux_6_1(void **state)
{
	static const char text[] =
		BANNER "kernel: 6.1.0-18-amd64\nmodule: amdgpu\ntime: 1700000000.000000042\n"
		       "process_name: a PID: b PID: 77\nVRAM is lost due to GPU reset!\n"
		       "AMDGPU register dumps:\nOffset:     Value:\n0x2004: 0xa0003028\n";
	struct bw_crash c = parse(text, sizeof(text) - 1);
	assert_int_equal(c.dumps.len, 1);
	const struct bw_crash_dump *d = &c.dumps.data[0];
	assert_int_equal(d->style, BW_CRASH_LINUX_6_1);
	assert_string_equal(d->kernel, "6.1.0-18-amd64");
	assert_string_equal(d->process, "a PID: b");
	assert_int_equal(d->pid, 77);
	assert_int_equal(d->vram, BW_CRASH_VRAM_IS_LOST);
	assert_int_equal(d->registers.len, 1);
	assert_string_equal(d->registers.data[0].name, "0x2004");
	assert_int_equal(d->registers.data[0].value, 0xa0003028);
	assert_int_equal(d->n_unknown + d->n_damaged, 0);
	bw_crash_free(&c);
}

#define HEAD_6_12                                                                                  \
	BANNER "version: 1\nkernel: 6.12.43\nmodule: amdgpu\ntime: 1.000000002\n"                  \
	       "process_name: game PID: 5\n\nHW IP Version Information\n"                          \
	       "HWIP: GC[1][0]: v10.3.2.0.0\nHWIP: MMHUB[12][0]: v2.1.0.0.0\n"                     \
	       "HWIP: (null)[33][0]: v1.0.0.0.0\n\nRing timed out details\n"                       \
	       "IP Type: 1 Ring Name: comp_1.0.1\n\n[mmhub] Page fault observed\n"                 \
	       "Faulty page starting at address: 0x0000000000000000\n"                             \
	       "Protection fault status register: 0x0\n\n"

static void test_linux_6_12(void **state)
{
	static const char text[] = HEAD_6_12
		"IP Dump\nIP: gfx_v10_0\nmmGRBM_STATUS   \t 0x00003028\n\n"
		"num_mec: 2 num_pipe: 4 num_queue: 8\n\nmec 1, pipe 2, queue 3\n"
		"mmCP_HQD_VMID  \t 0x00000008\n\nIP: sdma_v5_2\nnum_instances:1\n\nInstance:0\n"
		"mmSDMA0_STATUS_REG \t 0x46dee557\n\nRing buffer information\n"
		"ring name: comp_1.0.1\nRptr: 0x5 Wptr: 0x6 RB mask: 1\nRing size in dwords: 2\n"
		"Ring contents\nOffset \t Value\n0x0 \t 0xffff1000\n0x4 \t 0x0\n"
		"something new\nVRAM lost check is skipped!\n";
	struct bw_crash c = parse(text, sizeof(text) - 1);
	const struct bw_crash_dump *d = &c.dumps.data[0];
	struct bw_gpuvm_part part;
	struct bw_gpuvm_fault_facts facts;
	uint32_t value;
	assert_int_equal(d->style, BW_CRASH_LINUX_6_12);
	assert_true(d->has_timeout);
	assert_string_equal(d->timeout_ring, "comp_1.0.1");
	assert_true(bw_crash_part(d, &part));
	assert_int_equal(part.gc, BW_IP_VERSION(10, 3, 2));
	assert_int_equal(part.mm, BW_IP_VERSION(2, 1, 0));
	/* a status of 0 is no fault */
	assert_false(bw_crash_dump_fault(d, &part, &facts));
	assert_true(bw_crash_register_value(d, "CP_HQD_VMID", "mec 1, pipe 2", &value) &&
		    value == 8);
	assert_false(bw_crash_register_value(d, "CP_HQD_VMID", "mec 0", &value));
	assert_true(bw_crash_register_value(d, "SDMA0_STATUS_REG", "Instance:0", &value));
	assert_int_equal(d->rings.len, 1);
	assert_int_equal(d->rings.data[0].words.len, 2);
	assert_int_equal(d->rings.data[0].words.data[0], 0xffff1000);
	assert_int_equal(d->n_damaged, 0);
	assert_int_equal(d->n_unknown, 1);
	assert_string_equal(d->unknown.data[0].text, "something new");
	assert_int_equal(d->vram, BW_CRASH_VRAM_SKIPPED);
	bw_crash_free(&c);
}

/* Torn rings, words that are missing, NUL bytes, quoting, CRLF; a second dump in the file. */
static void test_damage(void **state)
{
	static const char text[] = HEAD_6_12
		"Ring buffer information\nring name: gfx_0.0.0\nRptr: 0x0 Wptr: 0x0 RB mask: 3\n"
		"Ring size in dwords: 4\nRing contents\nOffset \t Value\n0x0 \t 0x1\n0x8 \t 0x2\n"
		"IB #1 0xffff800000010000 2 dw\n0x00000001\n\0\0\0\n" BANNER
		"> version: 1\r\n> kernel: 6.12\r\n";
	struct bw_crash c = parse(text, sizeof(text) - 1);
	assert_int_equal(c.dumps.len, 2);
	const struct bw_crash_dump *d = &c.dumps.data[0];
	static const char *const want[] = {"offset 0x8 follows 0x0", "has 2 of its 4 words",
					   "IB #1 has 1 of its 2", "IB #0 is missing", "NUL bytes"};
	assert_int_equal(d->n_damaged, BW_ARRAY_SIZE(want));
	for (size_t i = 0; i < BW_ARRAY_SIZE(want); i++)
		if (!strstr(d->damaged.data[i].text, want[i]))
			fail_msg("\"%s\" lacks \"%s\"", d->damaged.data[i].text, want[i]);
	assert_string_equal(c.dumps.data[1].kernel, "6.12");
	bw_crash_free(&c);
}

/* Registers without end stay in their bounds. */
static void test_bounds(void **state)
{
	struct bw_crash c = {0};
	unsigned line = 0;
	static const char banner[] = "**** AMDGPU Device Coredump ****", dump[] = "IP Dump";
	static const char reg[] = "regGRBM_STATUS \t 0x1", section[] = "Ring buffer information";
	bw_crash_line(&c, banner, strlen(banner), ++line);
	bw_crash_line(&c, dump, strlen(dump), ++line);
	for (unsigned i = 0; i < BW_CRASH_MAX_REGISTERS + 9u; i++)
		bw_crash_line(&c, reg, strlen(reg), ++line);
	bw_crash_line(&c, section, strlen(section), ++line);
	for (unsigned i = 0; i < BW_CRASH_MAX_RINGS + 1u; i++)
		bw_crash_line(&c, "ring name: x", 12, ++line);
	bw_crash_end(&c);
	assert_int_equal(c.dumps.data[0].registers.len, BW_CRASH_MAX_REGISTERS);
	assert_int_equal(c.dumps.data[0].rings.len, BW_CRASH_MAX_RINGS);
	assert_int_equal(c.dumps.data[0].n_left_out, 10);
	bw_crash_free(&c);
}

TESTS(test_linux_6_1, test_linux_6_12, test_damage, test_bounds);
