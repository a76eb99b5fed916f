/* SPDX-License-Identifier: MIT */
/* Fault status words of doc/hardware/page-tables.md 7 in words, the fields against the register
 * database (which is generated from the kernel's headers), and names of GPUs. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "gpuvm/fault.h"
#include "regs/regs.h"

static struct bw_gpuvm_part part_of(const char *name)
{
	struct bw_gpuvm_part p;
	struct bw_error *err = bw_gpuvm_part_parse(name, &p);
	if (err)
		fail_msg("%s: %s", name, err->message);
	return p;
}

static void test_parts(void **state)
{
	static const struct {
		const char *name;
		uint32_t gc, mm;
		enum bw_gpuvm_gen gen;
	} cases[] = {
		{"9.0", BW_IP_VERSION(9, 0, 1), BW_IP_VERSION(9, 0, 0), BW_GPUVM_GFX9},
		{"gfx900", BW_IP_VERSION(9, 0, 1), BW_IP_VERSION(9, 0, 0), BW_GPUVM_GFX9},
		{"gfx90a", BW_IP_VERSION(9, 4, 2), BW_IP_VERSION(9, 4, 2), BW_GPUVM_GFX9},
		{"9.4.3", BW_IP_VERSION(9, 4, 3), BW_IP_VERSION(1, 8, 0), BW_GPUVM_GFX9},
		{"10.x", BW_IP_VERSION(10, 0, 0), 0, BW_GPUVM_GFX10},
		{"10.3.x", BW_IP_VERSION(10, 3, 0), BW_IP_VERSION(2, 1, 0), BW_GPUVM_GFX10},
		{"11", BW_IP_VERSION(11, 0, 0), 0, BW_GPUVM_GFX11},
		{"11.x", BW_IP_VERSION(11, 0, 0), 0, BW_GPUVM_GFX11},
		{"gfx1102", BW_IP_VERSION(11, 0, 2), BW_IP_VERSION(3, 0, 2), BW_GPUVM_GFX11},
		{"12.x", BW_IP_VERSION(12, 0, 0), 0, BW_GPUVM_GFX12},
		{"gfx12.0.1", BW_IP_VERSION(12, 0, 1), BW_IP_VERSION(4, 1, 0), BW_GPUVM_GFX12},
		{"12.1", BW_IP_VERSION(12, 1, 0), BW_IP_VERSION(4, 2, 0), BW_GPUVM_GFX12_1},
	};
	static const char *const bad[] = {"",	 "8.0",	    "13.0", "x",    "9.x.3",  "9.",
					  "gfx", "9.4.3.1", "11a",  "12.2", "gfx803", "1000"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_gpuvm_part p = part_of(cases[i].name);
		if (p.gc != cases[i].gc || p.mm != cases[i].mm || p.gen != cases[i].gen)
			fail_msg("%s: gc %x, mm %x, generation %u", cases[i].name, p.gc, p.mm,
				 p.gen);
	}
	for (size_t i = 0; i < BW_ARRAY_SIZE(bad); i++) {
		struct bw_gpuvm_part p;
		_cleanup_error_ struct bw_error *err = bw_gpuvm_part_parse(bad[i], &p);
		if (!err)
			fail_msg("\"%s\" is taken for gfx%u", bad[i], p.gc >> 16);
	}
}

/* Each field of our tables is where the kernel's headers have it, and none is left out. */
static void test_fields_against_the_database(void **state)
{
	static const struct {
		const char *gfx, *block, *reg;
		uint32_t version;
		enum bw_gpuvm_hub hub;
	} cases[] = {
		{"9.0.1", "gc", "VM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(9, 0, 0),
		 BW_GPUVM_GC},
		{"9.4.3", "gc", "VM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(9, 4, 3),
		 BW_GPUVM_GC},
		{"10.1.10", "gc", "GCVM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(10, 1, 10),
		 BW_GPUVM_GC},
		{"10.3.0", "gc", "GCVM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(10, 3, 0),
		 BW_GPUVM_GC},
		{"11.0.0", "gc", "GCVM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(11, 0, 0),
		 BW_GPUVM_GC},
		{"11.0.3", "gc", "GCVM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(11, 0, 3),
		 BW_GPUVM_GC},
		{"11.5.0", "gc", "GCVM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(11, 5, 0),
		 BW_GPUVM_GC},
		{"12.0.0", "gc", "GCVM_L2_PROTECTION_FAULT_STATUS_LO32", BW_IP_VERSION(12, 0, 0),
		 BW_GPUVM_GC},
		{"12.1.0", "gc", "GCVM_L2_PROTECTION_FAULT_STATUS_LO32", BW_IP_VERSION(12, 1, 0),
		 BW_GPUVM_GC},
		{"9.0.1", "mmhub", "VM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(1, 0, 0),
		 BW_GPUVM_MM},
		{"9.4.3", "mmhub", "VM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(1, 8, 0),
		 BW_GPUVM_MM},
		{"10.1.10", "mmhub", "MMVM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(2, 0, 0),
		 BW_GPUVM_MM},
		{"10.3.1", "mmhub", "MMVM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(2, 3, 0),
		 BW_GPUVM_MM},
		{"11.0.0", "mmhub", "MMVM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(3, 0, 0),
		 BW_GPUVM_MM},
		{"11.0.1", "mmhub", "MMVM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(3, 0, 1),
		 BW_GPUVM_MM},
		{"11.5.0", "mmhub", "MMVM_L2_PROTECTION_FAULT_STATUS", BW_IP_VERSION(3, 3, 0),
		 BW_GPUVM_MM},
		{"12.0.0", "mmhub", "MMVM_L2_PROTECTION_FAULT_STATUS_LO32", BW_IP_VERSION(4, 1, 0),
		 BW_GPUVM_MM},
		{"12.1.0", "mmhub", "MMVM_L2_PROTECTION_FAULT_STATUS_LO32", BW_IP_VERSION(4, 2, 0),
		 BW_GPUVM_MM},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_gpuvm_part p = part_of(cases[i].gfx);
		struct bw_gpuvm_status_field f[BW_GPUVM_MAX_STATUS_FIELDS];
		size_t n = bw_gpuvm_status_fields(&p, cases[i].hub, 0xa5c3f10e, f);
		const struct bw_regs_block *block;
		struct bw_reg reg;
		struct bw_error *err = bw_regs_find(cases[i].block, cases[i].version, &block);
		assert_null(err);
		err = bw_regs_by_name(block, cases[i].reg, &reg);
		if (err)
			fail_msg("%s", err->message);
		if (n != reg.n_fields)
			fail_msg("%s %s: %zu fields, the database has %u", cases[i].gfx,
				 cases[i].reg, n, reg.n_fields);
		for (size_t k = 0; k < n; k++) {
			struct bw_reg_field want;
			err = bw_reg_field_by_name(&reg, f[k].name, &want);
			if (err)
				fail_msg("%s: %s", cases[i].gfx, err->message);
			assert_int_equal(f[k].hi, want.hi);
			assert_int_equal(f[k].lo, want.lo);
			assert_int_equal(f[k].value, bw_reg_field_get(want, 0xa5c3f10e));
		}
	}
}

static void test_clients(void **state)
{
	static const struct {
		const char *gfx;
		enum bw_gpuvm_hub hub;
		unsigned client;
		const char *read, *write;
	} cases[] = {
		/* gmc_v9_0.c, mmhub_v2_0.c, mmhub_v3_0.c, mmhub_v3_3.c, mmhub_v4_1_0.c */
		{"9.0", BW_GPUVM_GC, 8, "TCP", "TCP"},
		{"11.x", BW_GPUVM_GC, 0, "CB/DB", "CB/DB"},
		{"12.0", BW_GPUVM_GC, 0x14, "PA", "PA"},
		{"9.0", BW_GPUVM_GC, 0x14, NULL, NULL},
		{"gfx900", BW_GPUVM_MM, 0xf, "SDMA1", "SDMA0"},
		{"gfx902", BW_GPUVM_MM, 0, "MP1", "MP1"},
		{"gfx902", BW_GPUVM_MM, 0x1b, "SDMA0", "SDMA0"},
		{"gfx90c", BW_GPUVM_MM, 0x1d, "VCNU", "VCNU"},
		{"gfx908", BW_GPUVM_MM, 0x107, "SDMA7", "SDMA7"},
		{"10.1.10", BW_GPUVM_MM, 0xa, NULL, "DBGU0"},
		{"11.0.0", BW_GPUVM_MM, 0x11, "LSDMA", "LSDMA"},
		{"11.5.0", BW_GPUVM_MM, 0x140, "UMSCH", "UMSCH"},
		{"12.0", BW_GPUVM_MM, 0x13, "VCNU", "VCNU"},
		{"11.x", BW_GPUVM_MM, 0x11, NULL, NULL}, /* which hub is not known */
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_gpuvm_part p = part_of(cases[i].gfx);
		for (int write = 0; write < 2; write++) {
			const char *got = bw_gpuvm_client(&p, cases[i].hub, cases[i].client, write);
			const char *want = write ? cases[i].write : cases[i].read;
			if ((!got != !want) || (got && strcmp(got, want) != 0))
				fail_msg("%s client 0x%x: %s, not %s", cases[i].gfx,
					 cases[i].client, got ? got : "none", want ? want : "none");
		}
	}
}

/* The words of each published status. */
static void test_stories(void **state)
{
	static const struct {
		const char *gfx;
		enum bw_gpuvm_hub hub;
		uint32_t status;
		uint64_t address;
		const char *headline;
		const char *next; /* in what to look at */
	} cases[] = {
		{"9.0", BW_GPUVM_GC, 0x00841050, 0x1234567000,
		 "A shader of VMID 8 wrote to address 0x1234567000, which is not mapped.",
		 "0x1234567000 to 0x1234567fff"},
		{"9.0", BW_GPUVM_GC, 0x00301030, 0,
		 "A shader of VMID 3 read from an address that is not mapped.", "descriptor"},
		{"9.1.0", BW_GPUVM_GC, 0x001008bc, 0x400480000,
		 "The command processor of VMID 1 read from address 0x400480000, and the memory system, or "
		 "the fault handler, refused the access (NACK).",
		 "NACK follows"},
		{"9.1.0", BW_GPUVM_GC, 0x001008b4, 0x400480000,
		 "The command processor of VMID 1 read from address 0x400480000, which is not mapped: the "
		 "PDB0 entry above it is not valid.",
		 "command buffers"},
		{"9.1.0", BW_GPUVM_GC, 0x001008ba, 0,
		 "The command processor of VMID 1 read from an address, whose translate-further entry is wrong "
		 "for this page table.",
		 "BFS"},
		{"9.1.0", BW_GPUVM_MM, 0x0010003c, 0,
		 "The firmware SMU of VMID 1 read from an address, and the memory system, or the fault handler, "
		 "refused the access (NACK).",
		 "firmware"},
		{"11.x", BW_GPUVM_GC, 0x00000b32, 0x1000,
		 "The command processor, for the kernel driver (VMID 0), read from address 0x1000, which lies "
		 "outside of the address space (PAGE_TABLE_START to END).",
		 "apertures"},
		{"11.x", BW_GPUVM_GC, 0x00040a40, 0,
		 "The command processor, for the kernel driver (VMID 0), wrote to an address that is mapped, but "
		 "without permission to write.",
		 "VMID 0"},
		{"9.3.0", BW_GPUVM_MM, 0x00103a11, 0,
		 "The video engine of VMID 1 read from an address that is not mapped.",
		 "MORE_FAULTS is set"},
		{"11.x", BW_GPUVM_GC, 0x00405631, 0,
		 "A client of the hub of VMID 4 read from an address that is not mapped.",
		 "MORE_FAULTS"},
		{"11.x", BW_GPUVM_GC, 0x00841051, 0,
		 "A shader of VMID 8 wrote to an address that is not mapped.",
		 "MORE_FAULTS is set"},
		{"11.x", BW_GPUVM_GC, 0x00000000, 0,
		 "A status of 0 says nothing: the fault was already cleared when the register was read.",
		 "not a fault of client 0"},
		/* an instruction fetch; a null pointer; a memory error (FED of gfx11.0.3) */
		{"11.x", BW_GPUVM_GC, 0x003012b0, 0,
		 "A shader of VMID 3 fetched instructions from an address that is not mapped.",
		 "program counter"},
		{"11.x", BW_GPUVM_GC, 0x00301030, 0x1000,
		 "A shader of VMID 3 read from address 0x1000, which is not mapped.", "close to 0"},
		{"11.0.3", BW_GPUVM_GC, 0x40301030, 0,
		 "A shader of VMID 3 read from an address that is not mapped.", "hardware error"},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_gpuvm_fault_facts facts = {.part = part_of(cases[i].gfx),
						     .hub = cases[i].hub,
						     .has_status = true,
						     .status = cases[i].status,
						     .has_address = cases[i].address != 0,
						     .address = cases[i].address,
						     .vmid = -1};
		struct bw_gpuvm_fault_story s = {0};
		bw_gpuvm_fault_tell(&facts, &s);
		assert_string_equal(bw_str_text(&s.headline), cases[i].headline);
		if (!strstr(bw_str_text(&s.next), cases[i].next))
			fail_msg("0x%08x: \"%s\" lacks \"%s\"", cases[i].status,
				 bw_str_text(&s.next), cases[i].next);
		bw_gpuvm_fault_story_free(&s);
	}
}

/* Without a generation only names that all of them share are given. */
static void test_no_generation(void **state)
{
	struct bw_gpuvm_fault_facts facts = {.part = part_of("11.x"),
					     .has_status = true,
					     .any_generation = true,
					     .status = 0x00841050,
					     .vmid = -1};
	struct bw_gpuvm_fault_story s = {0};
	bw_gpuvm_fault_tell(&facts, &s);
	assert_non_null(strstr(bw_str_text(&s.who), "TCP"));
	bw_gpuvm_fault_story_free(&s);
	s = (struct bw_gpuvm_fault_story){0};
	facts.status = 0x00840050; /* client 0: CB or CB/DB */
	bw_gpuvm_fault_tell(&facts, &s);
	assert_non_null(strstr(bw_str_text(&s.who), "client 0x0"));
	bw_gpuvm_fault_story_free(&s);
}

TESTS(test_parts, test_fields_against_the_database, test_clients, test_stories, test_no_generation);
