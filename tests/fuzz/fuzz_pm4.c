/* SPDX-License-Identifier: MIT */
/* Any bytes as a command stream: every packet through every decoder, and the scanner. */
#include <stdint.h>
#include <string.h>

#include "base/util.h"
#include "pm4/pm4.h"
#include "pm4/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static uint64_t sum;

static bool found(void *cookie, const struct bw_pm4_find *f)
{
	sum += f->pos_dw + f->dispatch.dim[0] + f->ib.size_dw + f->state->sh[0x212];
	return true;
}

static void decode_all(const struct bw_pm4_packet *p)
{
	union {
		struct bw_pm4_dispatch dispatch;
		struct bw_pm4_dispatch_indirect indirect;
		struct bw_pm4_indirect_buffer ib;
		struct bw_pm4_event event;
		struct bw_pm4_release_mem release;
		struct bw_pm4_acquire_mem acquire;
		struct bw_pm4_copy_data copy;
		struct bw_pm4_dma_data dma;
		struct bw_pm4_cond_exec cond;
		struct bw_pm4_set_base base;
		struct bw_pm4_load_reg load;
		struct bw_pm4_atomic_mem atomic;
		struct bw_pm4_cond_write cond_write;
		struct bw_pm4_reg_rmw rmw;
		struct bw_pm4_pred_exec pred;
	} u;
	struct bw_pm4_set_reg set;
	struct bw_pm4_write_data write;
	struct bw_pm4_wait wait;
	uint32_t addr, value;
	char buf[16];
	sum += (uint8_t)bw_pm4_name(p->op, buf)[0];
	sum += bw_pm4_dispatch_direct(p, &u.dispatch) + bw_pm4_dispatch_indirect(p, &u.indirect) +
	       bw_pm4_indirect_buffer(p, &u.ib) + bw_pm4_event_write(p, &u.event) +
	       bw_pm4_release_mem(p, &u.release) + bw_pm4_acquire_mem(p, &u.acquire) +
	       bw_pm4_copy_data(p, &u.copy) + bw_pm4_dma_data(p, &u.dma) +
	       bw_pm4_cond_exec(p, &u.cond) + bw_pm4_set_base(p, &u.base) +
	       bw_pm4_load_reg(p, &u.load) + bw_pm4_atomic_mem(p, &u.atomic) +
	       bw_pm4_cond_write(p, &u.cond_write) + bw_pm4_reg_rmw(p, &u.rmw) +
	       bw_pm4_pred_exec(p, &u.pred);
	if (bw_pm4_wait(p, &wait))
		sum += bw_pm4_wait_true(&wait, sum);
	if (bw_pm4_write_data(p, &write))
		for (uint32_t i = 0; i < write.n; i++)
			sum += write.data[i];
	if (bw_pm4_set_reg_begin(p, &set))
		while (bw_pm4_set_reg_next(&set, &addr, &value))
			sum += addr + value;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static uint32_t dw[0x8000];
	static struct bw_pm4_scan scan;
	size_t n_dw = BW_MIN(n / 4, BW_ARRAY_SIZE(dw));
	struct bw_pm4_packet p;
	/* An exact copy, so that a read behind the end is seen. */
	uint32_t *exact = n_dw ? memcpy(dw + BW_ARRAY_SIZE(dw) - n_dw, bytes, n_dw * 4) : dw;
	memset(&scan, 0, sizeof(scan));
	bw_pm4_find_dispatches(&scan, exact, n_dw, found, NULL);
	for (size_t pos = 0; bw_pm4_at(exact, n_dw, pos, &p); pos += p.size_dw)
		decode_all(&p);
	return 0;
}
