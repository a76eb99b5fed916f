/* SPDX-License-Identifier: MIT */

/* Speed of the executor on one core: wave instructions a second, with the stop check after each
 * one. One table row for each case, or with --json one member. */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/util.h"
#include "harness.h"

/* loop: v_add_f32 v0, v0, v1; v_mul_f32 v2, v0, v1; v_fmac_f32 v3, v2, v1; v_add_nc_u32 v4, v4, v5;
 * v_lshlrev_b32 v6, 3, v4; v_xor_b32 v7, v6, v4; v_and_b32 v8, s2, v7; v_max_u32 v9, v8, v4;
 * s_add_u32 s0, s0, -1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 loop */
static const uint32_t alu[] = {
	0x06000300, 0x10040300, 0x56060302, 0x4a080b04, 0x300c0883, 0x3a0e0906,
	0x36100e02, 0x28120908, 0x8000c100, 0xbf078000, 0xbfa2fff5,
};

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID,
		      &t); /* of this core, whatever else the machine does */
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool json, is_first = true;

static void measure(const char *name, unsigned lanes, uint64_t exec, const uint32_t *code, size_t n)
{
	enum { ROUNDS = 5 };
	const uint32_t loops = 2000000;
	struct harness *h = harness_create(lanes);
	double best = 1e9;
	uint64_t executed = 0;
	for (unsigned r = 0; r < ROUNDS; r++) {
		harness_reset(h);
		h->w->s[126] = (uint32_t)exec;
		h->w->s[127] = (uint32_t)(exec >> 32);
		h->w->s[0] = loops;
		h->w->s[2] = 0x00ffff00;
		for (unsigned l = 0; l < lanes; l++)
			harness_v(h, 1)[l] = 0x3f800000;
		harness_code(h, HARNESS_CODE, code, n);
		harness_code(h, HARNESS_CODE + (uint32_t)n * 4, (const uint32_t[]){0xbfb00000}, 1);
		double start = now_s();
		while (bw_exec_run(h->x, h->w, 100000) == BW_RUN_QUANTUM)
			;
		best = BW_MIN(best, now_s() - start);
		executed = h->w->n_executed;
	}
	if (json)
		printf("%s\"%s\": %.0f", is_first ? "{" : ", ", name, (double)executed / best);
	else
		printf("executor: %-40s %10.1f M instructions/s %8.2f ns each\n", name,
		       (double)executed / best * 1e-6, best * 1e9 / (double)executed);
	is_first = false;
	harness_destroy(h);
}

int main(int argc, char **argv)
{
	json = argc == 2 && !strcmp(argv[1], "--json");
	measure("ALU loop, wave32", 32, 0xffffffff, alu, BW_ARRAY_SIZE(alu));
	measure("ALU loop, wave32, divergent", 32, 0x5555ffff, alu, BW_ARRAY_SIZE(alu));
	measure("ALU loop, wave64", 64, ~0ull, alu, BW_ARRAY_SIZE(alu));
	if (json)
		printf("}\n");
	return 0;
}
