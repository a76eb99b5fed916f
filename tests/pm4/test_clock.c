/* SPDX-License-Identifier: MIT */
/* Which packets write the GPU's clock, and where: words by hand after sid.h of Mesa 25
 * (S_490_DATA_SEL, COPY_DATA_TIMESTAMP) and sdma_v6_0_0_pkt_open.h (SDMA_PKT_TIMESTAMP_GET). */
#include <stdint.h>

#include "../suite.h"
#include "base/util.h"
#include "pm4/clock.h"

static const struct {
	uint32_t words[8];
	uint32_t n;
	bool is_sdma;
	uint32_t size_b; /* 0: no clock */
	uint64_t va;
} rows[] = {
	/* RELEASE_MEM: 32 and 64 bits of data, the GPU's clock, the system's */
	{{0xc0064900, 0x514, 1u << 29, 0x1000, 2, 7, 0, 0}, 8, false, 0, 0},
	{{0xc0064900, 0x514, 2u << 29, 0x1000, 2, 7, 0, 0}, 8, false, 0, 0},
	{{0xc0064900, 0x514, 3u << 29, 0x1000, 2, 7, 0, 0}, 8, false, 8, 0x200001000},
	{{0xc0064900, 0x514, 4u << 29, 0x1008, 2, 7, 0, 0}, 8, false, 8, 0x200001008},
	/* one that is cut off */
	{{0xc0064900, 0x514, 3u << 29, 0x1000}, 4, false, 0, 0},
	/* COPY_DATA: of memory, an immediate; of the clock to memory and to a register */
	{{0xc0044000, 0x10501, 0, 1, 0x1000, 2}, 6, false, 0, 0},
	{{0xc0044000, 0x10505, 0, 1, 0x1000, 2}, 6, false, 0, 0},
	{{0xc0044000, 0x10509, 0, 0, 0x1004, 2}, 6, false, 8, 0x200001004},
	{{0xc0044000, 0x00509, 0, 0, 0x1004, 2}, 6, false, 4, 0x200001004},
	{{0xc0044000, 0x0020a, 0, 0, 0x1004, 2}, 6, false, 4, 0x200001004},
	{{0xc0044000, 0x10009, 0, 0, 0x2c00, 0}, 6, false, 0, 0},
	/* EVENT_WRITE with an address: counters, no clock */
	{{0xc0024600, 0x21e, 0x1000, 2}, 4, false, 0, 0},
	/* SDMA: TIMESTAMP_SET, _GET, _GET_GLOBAL; FENCE */
	{{0x000d, 0x1000, 2}, 3, true, 0, 0},
	{{0x010d, 0x1000, 2}, 3, true, 8, 0x200001000},
	{{0x020d, 0x1000, 2}, 3, true, 8, 0x200001000},
	{{0x0005, 0x1000, 2, 1}, 4, true, 0, 0},
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		const struct bw_pm4_step s = {.header = rows[i].words[0],
					      .size_dw = rows[i].n,
					      .is_sdma = rows[i].is_sdma};
		struct bw_pm4_clock_write w = {0};
		assert_int_equal(bw_pm4_clock_write(&s, rows[i].words, &w), rows[i].size_b != 0);
		assert_int_equal(w.size_b, rows[i].size_b);
		assert_int_equal(w.va, rows[i].va);
	}
}

TESTS(test_rows);
