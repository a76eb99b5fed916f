/* SPDX-License-Identifier: MIT */
/* Any bytes as a datagram of breadcrumbs, and as command streams that get markers: what is called
 * and chained lies in the same bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "pm4/mark.h"
#include "wire/crumbs_udp.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct input {
	const uint8_t *bytes;
	size_t n;
};

static bool read_stream(void *cookie, uint64_t va, uint32_t *out, size_t n, bool is_called)
{
	const struct input *in = cookie;
	size_t at = va % 4096;
	if (at > in->n || n * 4 > in->n - at)
		return false;
	memcpy(out, in->bytes + at, n * 4);
	return !is_called || !(va & 1ull << 40);
}

static void mark(const uint8_t *bytes, size_t n, bool every_packet)
{
	const struct input in = {bytes, n};
	const uint32_t extra[] = {0xffff1000, 0xffff1000};
	const struct bw_pm4_mark_options o = {.every_packet = every_packet,
					      .wait_from = every_packet ? 3 : UINT32_MAX,
					      .read = read_stream,
					      .cookie = (void *)(uintptr_t)&in,
					      .put = extra,
					      .put_dw = BW_ARRAY_SIZE(extra),
					      .put_behind = 1};
	struct bw_pm4_marked m = {0};
	struct bw_error *err = bw_pm4_mark(&o, 0, n / 4, &m);
	uint32_t *copy = err ? NULL : malloc(m.size_dw * 4);
	if (copy) {
		bw_pm4_marked_write(&m, 0x7f0000000000, copy);
		/* the copy is a stream like any */
		const struct input again = {(const uint8_t *)copy, m.size_dw * 4};
		struct bw_pm4_mark_options second = o;
		struct bw_pm4_marked twice = {0};
		second.cookie = (void *)(uintptr_t)&again;
		bw_error_free(bw_pm4_mark(&second, 0, m.pieces.data[0].words.len, &twice));
		bw_pm4_marked_free(&twice);
	}
	free(copy);
	bw_error_free(err);
	bw_pm4_marked_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct bw_crumb c, again;
	uint8_t out[BW_CRUMB_B];
	if (bw_crumb_decode(bytes, n, &c)) {
		bw_crumb_encode(&c, out);
		if (!bw_crumb_decode(out, sizeof(out), &again) ||
		    memcmp(&c, &again, sizeof(c)) != 0)
			abort();
		if (strlen(c.comm) >= sizeof(c.comm) || strlen(c.label) >= sizeof(c.label))
			abort();
	}
	mark(bytes, n, false);
	mark(bytes, n, true);
	return 0;
}
