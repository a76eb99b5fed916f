/* SPDX-License-Identifier: MIT */
/* Any words as the control stack of saved waves; the first is the size of the area. What can be
 * read can be written and read again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/device/cwsr_stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	enum { MAX_DW = 1024, BEGIN_B = 0x8000 };
	uint32_t dw[MAX_DW] = {0}, again[4 * MAX_DW];
	size_t n_dw = BW_MIN(n / 4, (size_t)MAX_DW), n_again;
	struct bw_cwsr_stack s, t = {0};
	memcpy(dw, bytes, n_dw * 4);
	if (!n_dw)
		return 0;
	if (!bw_cwsr_stack_read(dw + 1, n_dw - 1, BEGIN_B, dw[0], &s)) {
		if (!bw_cwsr_stack_write(&s, again, BW_ARRAY_SIZE(again), &n_again) ||
		    bw_cwsr_stack_read(again, n_again, BEGIN_B, dw[0], &t) ||
		    t.n_groups != s.n_groups || t.n_packets != s.n_packets)
			abort();
		free(t.group);
	}
	free(s.group);
	return 0;
}
