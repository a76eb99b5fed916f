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
	struct bw_sdma_window window;
	char buf[32];
	sum += (uint8_t)bw_sdma_name(p->header, buf)[0];
#define FORM(form, n)                                                                              \
	{                                                                                          \
		struct bw_sdma_##form v;                                                           \
		sum += bw_sdma_##form(p, &v);                                                      \
	}
#include "pm4/sdma_forms.inc"
	bw_sdma_window(p, &window);
	sum += window.width + bw_sdma_flow(p).size_dw;
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
