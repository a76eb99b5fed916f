/* SPDX-License-Identifier: MIT */
#include "kmd/queue_error.h"

#include <string.h>

#include "../suite.h"

static const char vgpu[] =
	"[    1.000002] amdgpu 0000:03:00.0: amdgpu: Illegal opcode in command stream (ring comp_1.0.0 vmid:1 pasid:32769)\n"
	"[    1.000003] amdgpu 0000:03:00.0: amdgpu:  in process one pid 77 thread one pid 77)\n"
	"[    1.000004] amdgpu 0000:03:00.0: amdgpu:   opcode 0xfe is not a PM4 packet, at dword 4 of the IB at 0x10000000\n"
	"[    1.000005] amdgpu 0000:03:00.0: amdgpu: one pid 77: its work on the GPU was ended\n"
	"[    1.500000] amdgpu 0000:03:00.0: amdgpu: SDMA queue hang (ring sdma0 vmid:2 pasid:32770)\n"
	"[    1.500001] amdgpu 0000:03:00.0: amdgpu:  in process two pid 78 thread two pid 78)\n"
	"[    1.500002] amdgpu 0000:03:00.0: amdgpu:   commands of VMID 2 cannot be read\n"
	"[    1.500003] amdgpu 0000:03:00.0: amdgpu: ring sdma0 timeout, signaled seq=1, emitted seq=2\n";

/* gfx_v11_0.c and amdgpu_job.c of Linux 6.12 */
static const char by_linux[] =
	"[  812.345678] [drm:gfx_v11_0_priv_reg_irq [amdgpu]] *ERROR* Illegal register access in command stream\n"
	"[  812.345999] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring comp_1.1.0 timeout, signaled seq=5, emitted seq=7\n"
	"[  812.346010] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process vkcube pid 4711 thread vkcube pid 4712\n";

static void the_process_of_each(void **state)
{
	struct bw_kmd_queue_error e;
	assert_true(bw_kmd_last_queue_error(vgpu, 77, 0, &e));
	assert_string_equal(e.what, "Illegal opcode in command stream");
	assert_string_equal(e.ring, "comp_1.0.0");
	assert_string_equal(e.why, "opcode 0xfe is not a PM4 packet");
	assert_true(e.has_ib);
	assert_int_equal(e.dword, 4);
	assert_int_equal(e.ib_va, 0x10000000);
	assert_int_equal(e.time_us, 1000002);
	assert_true(bw_kmd_last_queue_error(vgpu, 78, 0, &e));
	assert_string_equal(e.what, "SDMA queue hang");
	assert_string_equal(e.ring, "sdma0");
	assert_string_equal(e.why, "commands of VMID 2 cannot be read");
	assert_false(e.has_ib);
	assert_false(bw_kmd_last_queue_error(vgpu, 79, 0, &e));
	assert_false(bw_kmd_last_queue_error(vgpu, 77, 1000002, &e));
}

static void of_linux(void **state)
{
	struct bw_kmd_queue_error e;
	assert_true(bw_kmd_last_queue_error(by_linux, 4711, 0, &e));
	assert_string_equal(e.what, "Illegal register access in command stream");
	assert_string_equal(e.ring, "comp_1.1.0");
	assert_string_equal(e.why, "");
	assert_int_equal(e.pid, 4711);
	assert_false(bw_kmd_last_queue_error(by_linux, 4713, 0, &e));
	/* soft recovery names no process */
	char cut[256];
	size_t n = (size_t)(strchr(by_linux, '\n') - by_linux);
	memcpy(cut, by_linux, n);
	cut[n] = 0;
	assert_true(bw_kmd_last_queue_error(cut, 4713, 0, &e));
	assert_int_equal(e.pid, 0);
}

static void nothing_of_it(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"in command stream",
		"SDMA queue hang",
		"[    1.000001] amdgpu: in process SDMA queue hang pid 77 thread x pid 77\n",
		"[    1.000001] amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:1 pasid:32769)\n"};
	struct bw_kmd_queue_error e;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(bw_kmd_last_queue_error(texts[i], 77, 0, &e));
}

TESTS(the_process_of_each, of_linux, nothing_of_it);
