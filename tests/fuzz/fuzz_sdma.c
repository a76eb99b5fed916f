/* SPDX-License-Identifier: MIT */
/* Any words as a stream of SDMA packets: each is decoded in its own form. */
#include <stdint.h>
#include <string.h>

#include "base/util.h"
#include "pm4/calls.h"
#include "pm4/sdma.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
static volatile uint32_t sum;

static void decode(const struct bw_sdma_packet *p)
{
	union {
		struct bw_sdma_copy copy;
		struct bw_sdma_window window;
		struct bw_sdma_write write;
		struct bw_sdma_fill fill;
		struct bw_sdma_poll poll;
		struct bw_sdma_cond_exe cond;
		struct bw_sdma_ptepde ptepde;
		struct bw_sdma_srbm_write srbm;
		struct bw_pm4_atomic_mem atomic;
		struct bw_pm4_indirect_buffer ib;
	} u;
	char buf[32];
	sum += (uint8_t)bw_sdma_name(p->header, buf)[0];
	if (!p->info)
		return;
	switch (p->info->code) {
	case BW_SDMA_COPY_LINEAR:
		bw_sdma_copy(p, &u.copy);
		break;
	case BW_SDMA_COPY_LINEAR_SUB_WINDOW:
	case BW_SDMA_COPY_TILED_SUB_WINDOW:
	case BW_SDMA_COPY_T2T_SUB_WINDOW:
		bw_sdma_window(p, &u.window);
		break;
	case BW_SDMA_WRITE_LINEAR:
		bw_sdma_write(p, &u.write);
		for (uint32_t i = 0; i < u.write.n; i++)
			sum += u.write.data[i];
		break;
	case BW_SDMA_CONSTANT_FILL:
		bw_sdma_fill(p, &u.fill);
		break;
	case BW_SDMA_POLL_REGMEM:
		bw_sdma_poll(p, &u.poll);
		sum += bw_pm4_wait_true(&u.poll.wait, sum);
		break;
	case BW_SDMA_COND_EXE:
		bw_sdma_cond_exe(p, &u.cond);
		break;
	case BW_SDMA_PTEPDE:
		bw_sdma_ptepde(p, &u.ptepde);
		break;
	case BW_SDMA_SRBM_WRITE:
		bw_sdma_srbm_write(p, &u.srbm);
		break;
	case BW_SDMA_ATOMIC:
		bw_sdma_atomic(p, &u.atomic);
		break;
	case BW_SDMA_INDIRECT:
		bw_sdma_indirect(p, &u.ib);
		break;
	default:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static uint32_t dw[0x8000];
	size_t n_dw = BW_MIN(n / 4, BW_ARRAY_SIZE(dw));
	struct bw_sdma_packet p;
	/* At the end of the array, so that a read behind the stream is seen. */
	uint32_t *exact = n_dw ? memcpy(dw + BW_ARRAY_SIZE(dw) - n_dw, bytes, n_dw * 4) : dw;
	for (size_t pos = 0; bw_sdma_at(exact, n_dw, pos, &p); pos += p.size_dw) {
		uint32_t flags;
		decode(&p);
		const struct bw_pm4_call *c = bw_pm4_call_of(p.dw, p.size_dw, true, &flags);
		for (const struct bw_pm4_call_field *f = c ? c->fields : NULL; f && f->name; f++)
			bw_pm4_call_get(f, p.dw);
	}
	return 0;
}
