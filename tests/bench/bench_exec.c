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

/* The same of gfx942. */
static const uint32_t alu942[] = {
	0x02000300, 0x0a040300, 0x76060302, 0x68080b04, 0x240c0883, 0x2a0e0906,
	0x26100e02, 0x1e120908, 0x8000c100, 0xbf078000, 0xbf85fff5,
};

/* loop: v_mfma_f32_32x32x8_f16 a[0:15], v[2:3], v[4:5], a[0:15]; s_add_u32 s0, s0, -1;
 * s_cmp_lg_u32 s0, 0; s_cbranch_scc1 loop */
static const uint32_t mfma_f16[] = {0xd3cc8000, 0x04020902, 0x8000c100, 0xbf078000, 0xbf85fffb};

struct bench {
	const char *name;
	enum bw_isa_gen gen;
	unsigned lanes;
	uint64_t exec;
	uint32_t loops;
	const uint32_t *code;
	size_t n;
};

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID,
		      &t); /* of this core, whatever else the machine does */
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool json, is_first = true;

static void measure(const struct bench *b)
{
	enum { ROUNDS = 5, S_ENDPGM = 0xbfb00000, S_ENDPGM_GFX942 = 0xbf810000 };
	const uint32_t end = b->gen == BW_ISA_GFX942 ? S_ENDPGM_GFX942 : S_ENDPGM;
	struct harness *h = harness_create_gen(b->gen, b->lanes);
	double best = 1e9;
	uint64_t executed = 0;
	for (unsigned r = 0; r < ROUNDS; r++) {
		harness_reset(h);
		h->w->s[126] = (uint32_t)b->exec;
		h->w->s[127] = (uint32_t)(b->exec >> 32);
		h->w->s[0] = b->loops;
		h->w->s[2] = 0x00ffff00;
		for (unsigned l = 0; l < b->lanes; l++)
			harness_v(h, 1)[l] = 0x3f800000;
		harness_code(h, HARNESS_CODE, b->code, b->n);
		harness_code(h, HARNESS_CODE + (uint32_t)b->n * 4, &end, 1);
		double start = now_s();
		while (bw_exec_run(h->x, h->w, 100000) == BW_RUN_QUANTUM)
			;
		best = BW_MIN(best, now_s() - start);
		executed = h->w->n_executed;
	}
	if (json)
		printf("%s\"%s\": %.0f", is_first ? "{" : ", ", b->name, (double)executed / best);
	else
		printf("executor: %-40s %10.1f M instructions/s %8.2f ns each\n", b->name,
		       (double)executed / best * 1e-6, best * 1e9 / (double)executed);
	is_first = false;
	harness_destroy(h);
}

static const struct bench benches[] = {
	{"ALU loop, wave32", BW_ISA_GFX11, 32, 0xffffffff, 2000000, alu, BW_ARRAY_SIZE(alu)},
	{"ALU loop, wave32, divergent", BW_ISA_GFX11, 32, 0x5555ffff, 2000000, alu,
	 BW_ARRAY_SIZE(alu)},
	{"ALU loop, wave64", BW_ISA_GFX11, 64, ~0ull, 2000000, alu, BW_ARRAY_SIZE(alu)},
	{"ALU loop, gfx942", BW_ISA_GFX942, 64, ~0ull, 2000000, alu942, BW_ARRAY_SIZE(alu942)},
	{"MFMA f16 loop, gfx942", BW_ISA_GFX942, 64, ~0ull, 2000, mfma_f16,
	 BW_ARRAY_SIZE(mfma_f16)},
};

int main(int argc, char **argv)
{
	json = argc == 2 && !strcmp(argv[1], "--json");
	for (size_t i = 0; i < BW_ARRAY_SIZE(benches); i++)
		measure(&benches[i]);
	if (json)
		printf("}\n");
	return 0;
}
