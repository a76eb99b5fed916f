/* SPDX-License-Identifier: MIT */
/* What a connection sends to the port of `breakwater dap` before its session: the first byte is the
 * length of the pieces in which the rest comes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "dap/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char token[] = "0123456789abcdef0123456789abcdef";
	struct bw_dap_caller c = {.n_sent = 0};
	struct bw_str out = {0};
	size_t piece = n && bytes[0] ? bytes[0] : 1;
	enum bw_dap_verdict verdict = BW_DAP_WAITS;
	for (size_t at = 1; at < n && verdict == BW_DAP_WAITS; at += piece)
		verdict = bw_dap_gate_hear(&c, token, bytes + at, BW_MIN(piece, n - at), &out);
	if (verdict == BW_DAP_ADMITTED) {
		struct bw_dap_begun begun;
		if (!c.greeting || !c.admission)
			abort();
		struct bw_error *err = bw_dap_gate_begun(&c, &begun);
		if (!err)
			free(begun.data);
		bw_error_free(err);
	}
	bw_str_free(&out);
	bw_dap_caller_fini(&c);
	return 0;
}
