/* SPDX-License-Identifier: MIT */
/* Lines of kernel logs, in the forms that Linux 6.1, 6.12 and 7.1 print
 * (doc/hardware/kernel-logs.md), whole and damaged. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "crash/log.h"

/* A published guide to gfx9 has this one. */
static const char published[] =
	"amdgpu 0000:84:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:40 vmid:8 pasid:32769, "
	"for process hsatest pid 3148 thread hsatest pid 3148)\n"
	"amdgpu 0000:84:00.0: amdgpu:   in page starting at address 0x0000001234567000 from client 27\n"
	"amdgpu 0000:84:00.0: amdgpu: VM_L2_PROTECTION_FAULT_STATUS:0x00841050\n"
	"amdgpu 0000:84:00.0: amdgpu:         Faulty UTCL2 client ID: 0x8\n"
	"amdgpu 0000:84:00.0: amdgpu:         MORE_FAULTS: 0x0\n"
	"amdgpu 0000:84:00.0: amdgpu:         WALKER_ERROR: 0x0\n"
	"amdgpu 0000:84:00.0: amdgpu:         PERMISSION_FAULTS: 0x5\n"
	"amdgpu 0000:84:00.0: amdgpu:         MAPPING_ERROR: 0x0\n"
	"amdgpu 0000:84:00.0: amdgpu:         RW: 0x1\n";

static struct bw_crash_log parse(const char *text)
{
	struct bw_crash_log log = {0};
	bw_crash_log_text(&log, text, strlen(text));
	bw_crash_log_end(&log);
	assert_false(log.failed);
	return log;
}

static void test_published(void **state)
{
	struct bw_crash_log log = parse(published);
	assert_int_equal(log.faults.len, 1);
	const struct bw_crash_fault *f = &log.faults.data[0];
	assert_string_equal(f->device, "0000:84:00.0");
	assert_int_equal(f->hub, BW_GPUVM_GC);
	assert_int_equal(f->hub_instance, 0);
	assert_true(f->has_retry && !f->is_retry);
	assert_int_equal(f->ring, 40);
	assert_int_equal(f->vmid, 8);
	assert_int_equal(f->pasid, 32769);
	assert_string_equal(f->process, "hsatest");
	assert_string_equal(f->thread, "hsatest");
	assert_int_equal(f->pid, 3148);
	assert_int_equal(f->tid, 3148);
	assert_true(f->address == 0x1234567000);
	assert_int_equal(f->ih_client, 27);
	assert_int_equal(f->status, 0x00841050);
	assert_int_equal(f->contradicted, 0);
	assert_int_equal(f->first_line, 1);
	assert_int_equal(f->last_line, 9);
	struct bw_gpuvm_fault_facts facts = bw_crash_fault_facts(&log, f, NULL);
	assert_int_equal(facts.part.gen, BW_GPUVM_GFX9);
	bw_crash_log_free(&log);
}

/* Every form of the first, the process and the address line. */
static void test_forms(void **state)
{
	static const struct {
		const char *text;
		enum bw_gpuvm_hub hub;
		bool has_gen;
		enum bw_gpuvm_gen gen;
		const char *process, *thread, *client;
		uint64_t address;
	} cases[] = {
		/* gmc_v9_0.c of 6.12 */
		{"amdgpu 0000:03:00.0: amdgpu: [mmhub0] retry page fault (src_id:0 ring:24 vmid:2 pasid:32770)\n"
		 "amdgpu 0000:03:00.0: amdgpu:  for process Xorg pid 901 thread Xorg:cs0 pid 942)\n"
		 "amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000800102800000 from IH client 0x12 (VMC)\n"
		 "amdgpu 0000:03:00.0: amdgpu: VM_L2_PROTECTION_FAULT_STATUS:0x00241031\n",
		 BW_GPUVM_MM, true, BW_GPUVM_GFX9, "Xorg", "Xorg:cs0", "", 0x800102800000},
		/* gmc_v10_0.c */
		{"kernel: amdgpu 0000:0b:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:4 pasid:32774)\n"
		 "kernel: amdgpu 0000:0b:00.0: amdgpu:  in process my game pid 12 thread my game:cs0 pid 13\n"
		 "kernel: amdgpu 0000:0b:00.0: amdgpu:   in page starting at address 0x00007f1200000000 from client 0x1b (UTCL2)\n"
		 "kernel: amdgpu 0000:0b:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00401431\n"
		 "kernel: amdgpu 0000:0b:00.0: amdgpu: \t Faulty UTCL2 client ID: SQC (data) (0xa)\n",
		 BW_GPUVM_GC, false, BW_GPUVM_GFX10, "my game", "my game:cs0", "SQC (data)",
		 0x7f1200000000},
		/* gmc_v11_0.c */
		{"amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32777)\n"
		 "amdgpu 0000:03:00.0: amdgpu:  in process game pid 5 thread game:cs0 pid 6)\n"
		 "amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000000000000000 from client 10\n"
		 "amdgpu 0000:03:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00301030\n"
		 "amdgpu 0000:03:00.0: amdgpu: \t Faulty UTCL2 client ID: TCP (0x8)\n",
		 BW_GPUVM_GC, true, BW_GPUVM_GFX11, "game", "game:cs0", "TCP", 0},
		/* 7.1: no second "amdgpu: ", another process line; memory hub 4.1 of gfx12 */
		{"[  100.1] amdgpu 0000:03:00.0: [mmhub] page fault (src_id:0 ring:24 vmid:3 pasid:32777)\n"
		 "[  100.1] amdgpu 0000:03:00.0:  Process a thread b pid 7 thread c pid 8\n"
		 "[  100.1] amdgpu 0000:03:00.0:   in page starting at address 0x00007f0000010000 from client 18\n"
		 "[  100.1] amdgpu 0000:03:00.0: MMVM_L2_PROTECTION_FAULT_STATUS_LO32:0x00302631\n",
		 BW_GPUVM_MM, true, BW_GPUVM_GFX12, "a thread b", "c", "", 0x7f0000010000},
		/* gmc_v12_1.c of 7.1 */
		{"amdgpu 0000:03:00.0: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:3 pasid:32777)\n"
		 "amdgpu 0000:03:00.0:   in page starting at address 0x01234567000 from IH client 10 (GFX)\n"
		 "amdgpu 0000:03:00.0: GCVM_L2_PROTECTION_FAULT_STATUS_LO32:0x00c04060\n",
		 BW_GPUVM_GC, true, BW_GPUVM_GFX12_1, NULL, NULL, "", 0x1234567000},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++) {
		struct bw_crash_log log = parse(cases[i].text);
		assert_int_equal(log.faults.len, 1);
		const struct bw_crash_fault *f = &log.faults.data[0];
		if (f->hub != cases[i].hub || f->address != cases[i].address || !f->has_status ||
		    f->contradicted)
			fail_msg("case %zu: hub %u, address 0x%llx, contradicted %x", i, f->hub,
				 (unsigned long long)f->address, f->contradicted);
		if (cases[i].has_gen && (!f->has_gen || f->gen != cases[i].gen))
			fail_msg("case %zu: generation %d %u", i, f->has_gen, f->gen);
		assert_int_equal(f->has_process, cases[i].process != NULL);
		if (cases[i].process) {
			assert_string_equal(f->process, cases[i].process);
			assert_string_equal(f->thread, cases[i].thread);
		}
		assert_string_equal(f->kernel_client, cases[i].client);
		bw_crash_log_free(&log);
	}
}

/* Pasted into a report: quoted, half of the lines gone, newlines lost. */
static void test_damaged(void **state)
{
	struct bw_crash_log log = parse(
		"> Nov 22 amdgpu:   in page starting at address 0x0000001234567000 from client 10\r\n"
		"> Nov 22 amdgpu: \t PERMISSION_FAULTS: 0x5\r\n"
		"> Nov 22 amdgpu: \t RW: 0x1\r\n"
		"> Nov 22 amdgpu: \t Faulty UTCL2 client ID: TCP (0x8)\r\n");
	assert_int_equal(log.faults.len, 1);
	assert_true(log.faults.data[0].status_is_rebuilt);
	/* 0x00841050 without its VMID, which no line says */
	assert_int_equal(log.faults.data[0].status, 0x00041050);
	assert_true(log.faults.data[0].address == 0x1234567000);
	bw_crash_log_free(&log);

	log = parse(
		"[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32777) amdgpu 0000:03:00.0: amdgpu: in "
		"page starting at address 0x00007f0000010000 from client 10 amdgpu 0000:03:00.0: amdgpu: "
		"GCVM_L2_PROTECTION_FAULT_STATUS:0x00301031");
	assert_int_equal(log.faults.len, 1);
	assert_int_equal(log.faults.data[0].status, 0x00301031);
	assert_int_equal(log.faults.data[0].vmid, 3);
	assert_true(log.faults.data[0].address == 0x7f0000010000);
	bw_crash_log_free(&log);

	/* RADV's vm_fault.log */
	log = parse("VM fault report.\n\nFailing VM page: 0x7f0000010000\n\n"
		    "GCVM_L2_PROTECTION_FAULT_STATUS: 0x301031\n");
	assert_int_equal(log.faults.len, 1);
	assert_true(log.faults.data[0].has_status && log.faults.data[0].status == 0x301031);
	assert_true(log.faults.data[0].address == 0x7f0000010000);
	bw_crash_log_free(&log);

	log = parse("the status says one thing\n"
		    "GCVM_L2_PROTECTION_FAULT_STATUS:0x00301031\n"
		    "\t RW: 0x1\n");
	assert_int_equal(log.faults.data[0].contradicted, 1u << BW_CRASH_RW);
	bw_crash_log_free(&log);
}

/* Two GPUs, whose lines alternate. */
static void test_two_devices(void **state)
{
	struct bw_crash_log log = parse(
		"amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:1)\n"
		"amdgpu 0000:0b:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:5 pasid:2)\n"
		"amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x1000 from client 10\n"
		"amdgpu 0000:0b:00.0: amdgpu:   in page starting at address 0x2000 from client 10\n"
		"amdgpu 0000:03:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00301031\n"
		"amdgpu 0000:0b:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00501031\n");
	assert_int_equal(log.faults.len, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_true(log.faults.data[i].address == (i ? 0x2000 : 0x1000));
		assert_int_equal(log.faults.data[i].status >> 20, i ? 5 : 3);
	}
	bw_crash_log_free(&log);
}

static void test_timeouts(void **state)
{
	struct bw_crash_log log = parse(
		"[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=1834, emitted seq=1836\n"
		"[drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process my game pid 4711 thread my game:cs0 pid 4712\n"
		"amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n"
		"amdgpu 0000:03:00.0: amdgpu: GPU reset succeeded, trying to resume\n"
		"[drm] VRAM is lost due to GPU reset!\n"
		"amdgpu 0000:03:00.0: amdgpu: GPU reset(2) succeeded!\n"
		"amdgpu 0000:03:00.0: ring sdma0 timeout, but soft recovered\n"
		"amdgpu 0000:03:00.0: ring comp_1.0.1 timeout, signaled seq=5, emitted seq=6\n"
		"amdgpu 0000:03:00.0:  Process a pid 1 thread b pid 2\n"
		"amdgpu 0000:03:00.0: Starting comp_1.0.1 ring reset\n"
		"amdgpu 0000:03:00.0: Ring comp_1.0.1 reset failed\n"
		"amdgpu 0000:03:00.0: GPU reset(3) failed with error -62\n");
	static const struct {
		enum bw_crash_event_kind kind;
		const char *ring;
	} want[] = {{BW_CRASH_TIMEOUT, "gfx_0.0.0"},
		    {BW_CRASH_RESET_BEGIN, ""},
		    {BW_CRASH_RESET_DONE, ""},
		    {BW_CRASH_VRAM_LOST, ""},
		    {BW_CRASH_RESET_DONE, ""},
		    {BW_CRASH_SOFT_RECOVERED, "sdma0"},
		    {BW_CRASH_TIMEOUT, "comp_1.0.1"},
		    {BW_CRASH_RING_RESET, "comp_1.0.1"},
		    {BW_CRASH_RING_RESET_FAILED, "comp_1.0.1"},
		    {BW_CRASH_RESET_FAILED, ""}};
	assert_int_equal(log.faults.len, 0);
	assert_int_equal(log.events.len, BW_ARRAY_SIZE(want));
	for (size_t i = 0; i < BW_ARRAY_SIZE(want); i++) {
		assert_int_equal(log.events.data[i].kind, want[i].kind);
		assert_string_equal(log.events.data[i].ring, want[i].ring);
	}
	assert_true(log.events.data[0].has_seq && log.events.data[0].signaled == 1834 &&
		    log.events.data[0].emitted == 1836);
	assert_string_equal(log.events.data[0].process, "my game");
	assert_int_equal(log.events.data[0].pid, 4711);
	assert_string_equal(log.events.data[0].thread, "my game:cs0");
	assert_string_equal(log.events.data[6].process, "a");
	assert_int_equal(log.events.data[6].tid, 2);
	bw_crash_log_free(&log);
}

/* A log that is all faults stays in its bounds, and counts what is left out. */
static void test_bounds(void **state)
{
	struct bw_crash_log log = {0};
	const char line[] = "[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:1)";
	for (unsigned i = 1; i <= BW_CRASH_MAX_FAULTS + 7u; i++)
		bw_crash_log_line(&log, line, strlen(line), i);
	bw_crash_log_end(&log);
	assert_int_equal(log.faults.len, BW_CRASH_MAX_FAULTS);
	assert_int_equal(log.n_faults_left_out, 7);
	bw_crash_log_free(&log);
}

/* gfx11 and gfx12.0 log the same: the kernel's name of the client tells more than a table. */
static void test_guess(void **state)
{
	struct bw_crash_log log = parse(
		"amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:1)\n"
		"amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x1000 from client 10\n"
		"amdgpu 0000:03:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00302831\n"
		"amdgpu 0000:03:00.0: amdgpu: \t Faulty UTCL2 client ID: PA (0x14)\n");
	struct bw_gpuvm_part part = {0};
	struct bw_gpuvm_fault_story story = {0};
	struct bw_gpuvm_fault_facts facts = bw_crash_fault_facts(&log, &log.faults.data[0], NULL);
	assert_true(facts.is_guess);
	bw_gpuvm_fault_tell(&facts, &story);
	assert_non_null(strstr(bw_str_text(&story.who), "PA: "));
	bw_gpuvm_fault_story_free(&story);
	struct bw_error *err = bw_gpuvm_part_parse("12.0", &part);
	assert_null(err);
	facts = bw_crash_fault_facts(&log, &log.faults.data[0], &part);
	assert_false(facts.is_guess);
	bw_crash_log_free(&log);
}

TESTS(test_published, test_forms, test_damaged, test_two_devices, test_timeouts, test_bounds,
      test_guess);
