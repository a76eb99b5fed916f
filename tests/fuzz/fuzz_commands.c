/* SPDX-License-Identifier: MIT */
/* Any words as an indirect buffer of a program, on the graphics queue, a compute queue or an SDMA
 * engine: packets, and what they draw, dispatch and copy. Whatever comes, the device stays up, no
 * memory of others changes, and a reset gives the queue back.
 *
 * The first byte chooses the queue; the rest is the buffer, and also all that lies behind it. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../vgpu/device/rig.h"
#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { MAX_B = 16384, WAIT_MS = 40, SDMA_RING = RIG_RINGS + 8 * RIG_RING_DW * 4 };
enum { GUARD = 0x600000, GUARD_B = 4096 }; /* VRAM that VMID 1 does not map */

static struct rig r;
static uint64_t sdma_wptr;

static void start_sdma(void)
{
	uint64_t base = rig_mc(&r, SDMA_RING) >> 8;
	sdma_wptr = 0;
	rig_write(&r, REG(SDMA0_QUEUE0_RB_RPTR), 0);
	rig_write(&r, REG(SDMA0_QUEUE0_RB_WPTR), 0);
	rig_write(&r, REG(SDMA0_QUEUE0_RB_BASE), (uint32_t)base);
	rig_write(&r, REG(SDMA0_QUEUE0_RB_BASE_HI), (uint32_t)(base >> 32));
	rig_write(&r, REG(SDMA0_QUEUE0_DOORBELL_OFFSET), 0x200 << 2);
	rig_write(&r, REG(SDMA0_QUEUE0_DOORBELL), 1 << 28);
	rig_write(&r, REG(SDMA0_QUEUE0_RB_CNTL), 1 | 10 << 1);
}

static void run_sdma(uint32_t n_dw)
{
	const uint32_t status = REG(SDMA0_QUEUE0_CONTEXT_STATUS);
	uint32_t *ring = rig_ptr(&r, SDMA_RING);
	const uint32_t ib[6] = {4 | 1 << 16, (uint32_t)RIG_IB, 0, n_dw, 0, 0};
	for (unsigned i = 0; i < 6; i++)
		ring[sdma_wptr++ % 1024] = ib[i];
	bw_device_doorbell(r.dev, 0x200, sdma_wptr * 4);
	for (unsigned i = 0; i < WAIT_MS && (rig_read(&r, status) & 6) != 4 &&
			     !bw_device_sdma_error(r.dev, 0, 0, NULL, 0);
	     i++)
		rig_sleep_ms(1);
	rig_write(&r, REG(SDMA0_QUEUE0_RB_CNTL), 0);
	for (unsigned i = 0; (rig_read(&r, status) & 5) != 4; i++) {
		assert(i < 20000);
		rig_sleep_ms(1);
	}
	start_sdma();
}

static void run_queue(unsigned ring, uint32_t n_dw)
{
	struct bw_pm4_stream s = {0};
	char why[200];
	uint64_t fence = ++r.ring[ring].fence;
	bw_pm4_put_indirect_buffer(&s, RIG_IB, n_dw, 1, false);
	bw_pm4_put_fence(&s, rig_mc(&r, RIG_FENCES + ring * 64), fence, false);
	rig_submit_ring(&r, ring, &s);
	bw_pm4_stream_free(&s);
	for (unsigned i = 0;
	     i < WAIT_MS && !rig_done(&r, ring, fence) &&
	     !bw_device_queue_error(r.dev, ring != 0, ring ? ring - 1 : 0, 0, why, sizeof(why));
	     i++)
		rig_sleep_ms(1);
	if (rig_done(&r, ring, fence))
		return;
	rig_hqd_write(&r, ring, REG(CP_HQD_DEQUEUE_REQUEST), 2);
	for (unsigned i = 0; rig_hqd(&r, ring, REG(CP_HQD_ACTIVE)); i++) {
		assert(i < 20000);
		rig_sleep_ms(1);
	}
	rig_hqd_start(&r, ring);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (!r.dev) {
		rig_start(&r, &(struct bw_device_options){.threads = 1});
		start_sdma();
	}
	if (n < 5)
		return 0;
	size_t size_b = BW_MIN((n - 1) & ~3ul, (size_t)MAX_B);
	uint8_t *ib = rig_ptr(&r, RIG_IB);
	memset(ib, 0, MAX_B);
	memcpy(ib, bytes + 1, size_b);
	memset(rig_ptr(&r, GUARD), 0x5a, GUARD_B);
	if (bytes[0] % 3 == 2)
		run_sdma((uint32_t)(size_b / 4));
	else
		run_queue(bytes[0] % 3, (uint32_t)(size_b / 4));
	const uint8_t *guard = rig_ptr(&r, GUARD);
	for (size_t i = 0; i < GUARD_B; i++)
		assert(guard[i] == 0x5a);
	return 0;
}
