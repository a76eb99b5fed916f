/* SPDX-License-Identifier: MIT */
/* Words from text or binary of anywhere, as packets of both kinds. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "pm4/describe.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const uint32_t versions[] = {BW_IP_VERSION(9, 0, 1), BW_IP_VERSION(11, 0, 0)};
	struct bw_pm4_words w = {0};
	struct bw_pm4_names names;
	struct bw_pm4_packet p;
	struct bw_sdma_packet s;
	struct bw_str text = {0};
	struct bw_error *err = bw_pm4_read_words((const char *)bytes, n, 4096, &w);
	assert(!err || err->code == BW_E_UNSUPPORTED);
	bw_error_free(err);
	assert(w.len <= 4096);
	err = bw_pm4_names_of(versions[n & 1], &names);
	assert(!err);
	names.fields = n & 2;
	for (size_t at = 0; bw_pm4_at(w.data, w.len, at, &p); at += p.size_dw)
		bw_pm4_describe(&names, &p, &text);
	for (size_t at = 0; bw_sdma_at(w.data, w.len, at, &s); at += s.size_dw)
		bw_sdma_describe(&s, &text);
	bw_str_free(&text);
	bw_vec_free(&w);
	return 0;
}
