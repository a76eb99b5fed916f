/* SPDX-License-Identifier: MIT */
/* Whole kernel logs in the shapes in which people have them: dmesg with and without human times,
 * journalctl, quoted, with lines missing or run together. The messages are those of the format
 * strings of Linux 5.10 to 6.12 (amdgpu_job.c, amdgpu_device.c, gmc_v9_0.c to gmc_v12_0.c,
 * mes_v11_0.c, mes_v12_0.c, kfd_device_queue_manager.c, amdgpu_ras.c). Each line that says
 * something must be understood; those that begin with '~' are no matter of amdgpu's. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "crash/crash.h"

struct shape {
	const char *name, *text;
	struct {
		enum bw_crash_event_kind kind;
		const char *ring; /* NULL: none */
	} events[6];
	size_t n_events, n_faults;
	/* of the first fault */
	uint64_t address;
	uint32_t status;
	const char *process; /* NULL: none */
	int pid;
	const char *verdict[2]; /* parts of it */
};

static const struct shape shapes[] = {
	{"dmesg of Linux 6.12, gfx11: a fault, a timeout, a reset that works",
	 "[  815.101234] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32777)\n"
	 "[  815.101240] amdgpu 0000:03:00.0: amdgpu:  in process game pid 4711 thread game:cs0 pid 4712)\n"
	 "[  815.101245] amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x00007f1200345000 from client 10\n"
	 "[  815.101250] amdgpu 0000:03:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00301031\n"
	 "[  815.101255] amdgpu 0000:03:00.0: amdgpu: \t Faulty UTCL2 client ID: TCP (0x8)\n"
	 "[  815.101260] amdgpu 0000:03:00.0: amdgpu: \t MORE_FAULTS: 0x1\n"
	 "[  815.101265] amdgpu 0000:03:00.0: amdgpu: \t WALKER_ERROR: 0x0\n"
	 "[  815.101270] amdgpu 0000:03:00.0: amdgpu: \t PERMISSION_FAULTS: 0x3\n"
	 "[  815.101275] amdgpu 0000:03:00.0: amdgpu: \t MAPPING_ERROR: 0x0\n"
	 "[  815.101280] amdgpu 0000:03:00.0: amdgpu: \t RW: 0x0\n"
	 "~[  816.000000] usb 1-2: new high-speed USB device number 5 using xhci_hcd\n"
	 "~[  825.300000] amdgpu 0000:03:00.0: amdgpu: Dumping IP State\n"
	 "~[  825.310000] amdgpu 0000:03:00.0: amdgpu: Dumping IP State Completed\n"
	 "[  825.311000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1834, emitted seq=1836\n"
	 "[  825.311100] amdgpu 0000:03:00.0: amdgpu: Process information: process game pid 4711 thread game:cs0 pid 4712\n"
	 "[  825.400000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n"
	 "[  826.200000] amdgpu 0000:03:00.0: amdgpu: GPU reset succeeded, trying to resume\n"
	 "[  826.900000] amdgpu 0000:03:00.0: amdgpu: GPU reset(2) succeeded!\n",
	 {{BW_CRASH_TIMEOUT, "gfx_0.0.0"},
	  {BW_CRASH_RESET_BEGIN, NULL},
	  {BW_CRASH_RESET_DONE, NULL},
	  {BW_CRASH_RESET_DONE, NULL}},
	 4,
	 1,
	 0x7f1200345000,
	 0x00301031,
	 "game",
	 4711,
	 {"job 1835 hung, 2 were pending. The GPU was reset, which worked.",
	  "The page fault came before the timeout and from the same process"}},
	{"dmesg -T of Linux 6.1: DRM_ERROR, VRAM lost",
	 "[Wed May  1 12:34:56 2024] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring comp_1.0.1 timeout, signaled seq=7, emitted seq=8\n"
	 "[Wed May  1 12:34:56 2024] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process python3 pid 99 thread python3 pid 101\n"
	 "[Wed May  1 12:34:56 2024] amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!\n"
	 "[Wed May  1 12:34:57 2024] [drm] VRAM is lost due to GPU reset!\n"
	 "[Wed May  1 12:34:58 2024] amdgpu 0000:0a:00.0: amdgpu: GPU reset(4) succeeded!\n",
	 {{BW_CRASH_TIMEOUT, "comp_1.0.1"},
	  {BW_CRASH_RESET_BEGIN, NULL},
	  {BW_CRASH_VRAM_LOST, NULL},
	  {BW_CRASH_RESET_DONE, NULL}},
	 4,
	 0,
	 0,
	 0,
	 NULL,
	 0,
	 {"Ring comp_1.0.1 (compute) did not finish a job of python3 (pid 99) in time: job 8 hung",
	  "All contents of VRAM were lost"}},
	{"journalctl -o short-iso, gfx10: the client by name, no process",
	 "2024-05-01T12:34:56+0200 desk kernel: amdgpu 0000:2d:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:40 vmid:5 pasid:32770)\n"
	 "2024-05-01T12:34:56+0200 desk kernel: amdgpu 0000:2d:00.0: amdgpu:   in page starting at address 0x0000000000000000 from client 0x1b (UTCL2)\n"
	 "2024-05-01T12:34:56+0200 desk kernel: amdgpu 0000:2d:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00501430\n",
	 {{0}},
	 0,
	 1,
	 0,
	 0x00501430,
	 NULL,
	 0,
	 {"address 0x0", NULL}},
	{"journalctl, plain, gfx9 of Linux 5.10: the process in the first line, clients by number",
	 "Mai 01 12:34:56 desk kernel: amdgpu 0000:84:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:40 vmid:8 pasid:32769, for process hsatest pid 3148 thread hsatest pid 3148)\n"
	 "Mai 01 12:34:56 desk kernel: amdgpu 0000:84:00.0: amdgpu:   in page starting at address 0x0000001234567000 from client 27\n"
	 "Mai 01 12:34:56 desk kernel: amdgpu 0000:84:00.0: amdgpu: VM_L2_PROTECTION_FAULT_STATUS:0x00841050\n"
	 "Mai 01 12:34:56 desk kernel: amdgpu 0000:84:00.0: amdgpu:          Faulty UTCL2 client ID: 0x8\n",
	 {{0}},
	 0,
	 1,
	 0x1234567000,
	 0x00841050,
	 "hsatest",
	 3148,
	 {"wrote to address 0x1234567000, which is not mapped", NULL}},
	{"gfx9.4.3 of Linux 6.12: a retry fault on one of several dies",
	 "[ 10.1] amdgpu 0001:01:00.0: amdgpu: [mmhub0] retry page fault (src_id:0 ring:24 vmid:2 pasid:32771)\n"
	 "[ 10.2] amdgpu 0001:01:00.0: amdgpu:  for process my prog pid 5 thread my prog pid 6)\n"
	 "[ 10.3] amdgpu 0001:01:00.0: amdgpu:   in page starting at address 0x00007f0000001000 from IH client 0x12 (VMC)\n"
	 "[ 10.4] amdgpu 0001:01:00.0: amdgpu:   cookie node_id 3 fault from die AID0.XCD1\n"
	 "[ 10.5] amdgpu 0001:01:00.0: amdgpu: VM_L2_PROTECTION_FAULT_STATUS:0x00200001\n",
	 {{0}},
	 0,
	 1,
	 0x7f0000001000,
	 0x00200001,
	 "my prog",
	 5,
	 {"my prog (pid 5)", NULL}},
	{"quoted in a report, every second line gone, the status with it",
	 "> [  815.1] amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x00007f1200345000 from client 10\n"
	 "> [  815.1] amdgpu 0000:03:00.0: amdgpu:   Faulty UTCL2 client ID: TCP (0x8)\n"
	 "> [  815.1] amdgpu 0000:03:00.0: amdgpu:   WALKER_ERROR: 0x0\n"
	 "> [  815.1] amdgpu 0000:03:00.0: amdgpu:   PERMISSION_FAULTS: 0x3\n"
	 "> [  825.3] amdgpu 0000:03:00.0: amdgpu: GPU reset(2) succeeded!\n",
	 {{BW_CRASH_RESET_DONE, NULL}},
	 1,
	 1,
	 0x7f1200345000,
	 0x00001030,
	 NULL,
	 0,
	 {"0x7f1200345000", NULL}},
	{"without anything in front, as some forms lose it",
	 "ring sdma0 timeout, signaled seq=100, emitted seq=103\n"
	 "Process information: process Xorg pid 1234 thread Xorg:cs0 pid 1240\n"
	 "GPU reset begin!\n",
	 {{BW_CRASH_TIMEOUT, "sdma0"}, {BW_CRASH_RESET_BEGIN, NULL}},
	 2,
	 0,
	 0,
	 0,
	 NULL,
	 0,
	 {"Ring sdma0 (copies) did not finish a job of Xorg (pid 1234) in time: job 101 hung, 3 were pending.",
	  "how that ended is not in the log"}},
	{"Windows line ends and tabs",
	 "[  825.3]\tamdgpu 0000:03:00.0: amdgpu: ring vcn_unified_0 timeout, signaled seq=1, emitted seq=2\r\n"
	 "[  825.4]\tamdgpu 0000:03:00.0: amdgpu: GPU reset(1) failed\r\n"
	 "[  825.5]\tamdgpu 0000:03:00.0: amdgpu: GPU reset end with ret = -110\r\n",
	 {{BW_CRASH_TIMEOUT, "vcn_unified_0"},
	  {BW_CRASH_RESET_FAILED, NULL},
	  {BW_CRASH_RESET_FAILED, NULL}},
	 3,
	 0,
	 0,
	 0,
	 NULL,
	 0,
	 {"Ring vcn_unified_0 (video)", "Resetting the GPU failed: it needs a reboot."}},
	{"soft recovery, which is no reset",
	 "[  825.3] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, but soft recovered\n",
	 {{BW_CRASH_SOFT_RECOVERED, "gfx_0.0.0"}},
	 1,
	 0,
	 0,
	 0,
	 NULL,
	 0,
	 {"Ring gfx_0.0.0 (graphics) hung; the driver killed its waves, and it went on.", NULL}},
	{"the scheduler of user queues, gfx11 and gfx12",
	 "[ 1.1] amdgpu 0000:03:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE\n"
	 "[ 1.2] amdgpu 0000:03:00.0: amdgpu: MES(1) failed to respond to msg=ADD_QUEUE\n"
	 "[ 1.3] amdgpu 0000:03:00.0: amdgpu: MES might be in unrecoverable state, issue a GPU reset\n"
	 "[ 1.4] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n",
	 {{BW_CRASH_NO_ANSWER, NULL},
	  {BW_CRASH_NO_ANSWER, NULL},
	  {BW_CRASH_NO_ANSWER, NULL},
	  {BW_CRASH_RESET_BEGIN, NULL}},
	 4,
	 0,
	 0,
	 0,
	 NULL,
	 0,
	 {"The firmware that schedules queues did not answer", NULL}},
	{"the hardware scheduler of gfx9",
	 "[ 2.1] amdgpu: cp queue preemption time out.\n"
	 "[ 2.2] amdgpu 0000:84:00.0: amdgpu: The cp might be in an unrecoverable state due to an unsuccessful queues preemption\n"
	 "[ 2.3] amdgpu: Resetting wave fronts (cpsch) on dev 00000000abcdef01\n",
	 {{BW_CRASH_NO_ANSWER, NULL}, {BW_CRASH_NO_ANSWER, NULL}, {BW_CRASH_NO_ANSWER, NULL}},
	 3,
	 0,
	 0,
	 0,
	 NULL,
	 0,
	 {"The firmware that schedules queues did not answer", NULL}},
	{"memory errors",
	 "[ 3.1] amdgpu 0000:84:00.0: amdgpu: 2 uncorrectable hardware errors detected in umc block\n",
	 {{BW_CRASH_HARDWARE_ERROR, NULL}},
	 1,
	 0,
	 0,
	 0,
	 NULL,
	 0,
	 {"this is a hardware problem", NULL}},
	{"two GPUs, whose lines alternate",
	 "[ 4.1] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2\n"
	 "[ 4.1] amdgpu 0000:0a:00.0: amdgpu: ring comp_1.0.0 timeout, signaled seq=5, emitted seq=6\n"
	 "[ 4.1] amdgpu 0000:03:00.0: amdgpu: Process information: process a pid 1 thread a pid 1\n"
	 "[ 4.1] amdgpu 0000:0a:00.0: amdgpu: Process information: process b pid 2 thread b pid 2\n"
	 "[ 4.2] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!\n"
	 "[ 4.2] amdgpu 0000:0a:00.0: amdgpu: GPU reset(1) failed\n",
	 {{BW_CRASH_TIMEOUT, "gfx_0.0.0"},
	  {BW_CRASH_TIMEOUT, "comp_1.0.0"},
	  {BW_CRASH_RESET_DONE, NULL},
	  {BW_CRASH_RESET_FAILED, NULL}},
	 4,
	 0,
	 0,
	 0,
	 NULL,
	 0,
	 {"Ring gfx_0.0.0 (graphics) did not finish a job of a (pid 1) in time: job 2 hung, 1 was pending. The GPU was reset, which worked.",
	  "Ring comp_1.0.0 (compute) did not finish a job of b (pid 2) in time: job 6 hung, 1 was pending. Resetting the GPU failed"}},
	{"Linux 7: one ring is reset",
	 "[ 5.1] amdgpu 0000:03:00.0: ring comp_1.1.0 timeout, signaled seq=11, emitted seq=12\n"
	 "[ 5.1] amdgpu 0000:03:00.0:  Process blender pid 20 thread blender pid 21\n"
	 "[ 5.2] amdgpu 0000:03:00.0: Starting comp_1.1.0 ring reset\n"
	 "[ 5.3] amdgpu 0000:03:00.0: Ring comp_1.1.0 reset succeeded\n",
	 {{BW_CRASH_TIMEOUT, "comp_1.1.0"},
	  {BW_CRASH_RING_RESET, "comp_1.1.0"},
	  {BW_CRASH_RING_RESET_DONE, "comp_1.1.0"}},
	 3,
	 0,
	 0,
	 0,
	 NULL,
	 0,
	 {"did not finish a job of blender (pid 20) in time", "The ring was reset, which worked"}},
	{"the device is gone",
	 "[ 6.1] amdgpu 0000:03:00.0: amdgpu: amdgpu_job_timedout - device unplugged skipping recovery on scheduler:gfx_0.0.0\n",
	 {{BW_CRASH_UNPLUGGED, NULL}},
	 1,
	 0,
	 0,
	 0,
	 NULL,
	 0,
	 {NULL, NULL}},
};

static void check_events(const struct shape *s, const struct bw_crash_log *log)
{
	if (log->events.len != s->n_events)
		print_error("%s: %zu events\n", s->name, log->events.len);
	assert_int_equal(log->events.len, s->n_events);
	for (size_t i = 0; i < s->n_events; i++) {
		assert_int_equal(log->events.data[i].kind, s->events[i].kind);
		if (s->events[i].ring)
			assert_string_equal(log->events.data[i].ring, s->events[i].ring);
	}
}

static void check_fault(const struct shape *s, const struct bw_crash_log *log)
{
	assert_int_equal(log->faults.len, s->n_faults);
	if (!s->n_faults)
		return;
	const struct bw_crash_fault *f = &log->faults.data[0];
	assert_true(f->has_address && f->address == s->address);
	assert_true(f->has_status);
	assert_int_equal(f->status, s->status);
	assert_int_equal(f->contradicted, 0);
	assert_int_equal(f->has_process, s->process != NULL);
	if (s->process) {
		assert_string_equal(f->process, s->process);
		assert_int_equal(f->pid, s->pid);
	}
}

static void test_shapes(void **state)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(shapes); i++) {
		const struct shape *s = &shapes[i];
		struct bw_crash c = {0};
		struct bw_str verdict = {0};
		unsigned number = 0;
		for (const char *p = s->text; *p;) {
			bool other = *p == '~';
			p += other;
			size_t n = strcspn(p, "\n");
			bool known = bw_crash_log_line(&c.log, p, n, ++number);
			if (known == other)
				print_error("%s, line %u: %s\n", s->name, number,
					    known ? "no matter of ours" : "not understood");
			assert_int_equal(known, !other);
			p += n + (p[n] == '\n');
		}
		bw_crash_end(&c);
		check_events(s, &c.log);
		check_fault(s, &c.log);
		bw_crash_verdict(&c, NULL, &verdict);
		for (size_t k = 0; k < BW_ARRAY_SIZE(s->verdict) && s->verdict[k]; k++) {
			if (!strstr(bw_str_text(&verdict), s->verdict[k]))
				print_error("%s: %s\n", s->name, bw_str_text(&verdict));
			assert_non_null(strstr(bw_str_text(&verdict), s->verdict[k]));
		}
		bw_str_free(&verdict);
		bw_crash_free(&c);
	}
}

/* What follows in another file continues nothing of the one before. */
static void test_two_files(void **state)
{
	static const char *const lines[] = {
		"amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x1000 from client 10",
		"GCVM_L2_PROTECTION_FAULT_STATUS:0x00301031"};
	struct bw_crash c = {0};
	bw_crash_line(&c, lines[0], strlen(lines[0]), 1);
	bw_crash_next_file(&c);
	bw_crash_line(&c, lines[1], strlen(lines[1]), 2);
	bw_crash_end(&c);
	assert_int_equal(c.log.faults.len, 2);
	assert_false(c.log.faults.data[0].has_status);
	assert_false(c.log.faults.data[1].has_address);
	bw_crash_free(&c);
}

TESTS(test_shapes, test_two_files);
