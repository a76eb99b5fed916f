/* SPDX-License-Identifier: MIT */
/* functions.cl, compiled in four ways, must compute what is computed here.
 *
 * test_diff_functions CLANG SOURCE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "gpu.h"

enum { GROUPS = 3, N = GROUPS * 64, OUT = N };

typedef void expect_fn(const uint32_t *in, uint32_t *out);

static void reverse(const uint32_t *in, uint32_t *out)
{
	for (unsigned i = 0; i < N; i++)
		out[i] = in[i ^ 63];
}

static void scan(const uint32_t *in, uint32_t *out)
{
	for (unsigned i = 0; i < N; i++)
		out[i] = in[i] + (i % 64 ? out[i - 1] : 0);
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void sort(const uint32_t *in, uint32_t *out)
{
	memcpy(out, in, N * sizeof(*out));
	for (unsigned g = 0; g < GROUPS; g++)
		qsort(out + 64 * g, 64, sizeof(*out), ascending);
}

static void histogram(const uint32_t *in, uint32_t *out)
{
	for (unsigned i = 0; i < N; i++)
		out[in[i] & 15]++;
}

static void put64(uint32_t *out, unsigned n, uint64_t v)
{
	memcpy(&out[16 + 2 * n], &v, 8);
}

static void atomics_before(uint32_t *out)
{
	out[2] = out[5] = UINT32_MAX;
	out[7] = INT32_MAX;
	out[8] = (uint32_t)INT32_MIN;
	put64(out, 2, UINT64_MAX);
}

static void atomics(const uint32_t *in, uint32_t *out)
{
	uint64_t sum = 0, high = 0, low = UINT64_MAX, mixed = 0;
	for (unsigned i = 0; i < N; i++) {
		uint32_t v = in[i];
		uint64_t wide = (uint64_t)v << 31 | v;
		out[0] += v;
		out[1] -= v;
		out[2] &= v | 0xff00;
		out[3] |= v & 0x00ff00ff;
		out[4] ^= v;
		out[5] = BW_MIN(out[5], v);
		out[6] = BW_MAX(out[6], v);
		out[7] = (uint32_t)BW_MIN((int32_t)out[7], (int32_t)v);
		out[8] = (uint32_t)BW_MAX((int32_t)out[8], (int32_t)v);
		out[9]++;
		out[10] += v & 1;
		sum += (uint64_t)v << 20;
		high = BW_MAX(high, wide);
		low = BW_MIN(low, wide);
		mixed ^= i * 0x9e3779b97f4a7c15;
	}
	put64(out, 0, sum);
	put64(out, 1, high);
	put64(out, 2, low);
	put64(out, 3, mixed);
}

static void crc(const uint32_t *in, uint32_t *out)
{
	const uint8_t *bytes = (const uint8_t *)in;
	for (unsigned i = 0; i < N; i++) {
		uint32_t c = UINT32_MAX;
		for (unsigned k = 0; k < 32 + (i & 7); k++) {
			c ^= bytes[i + k];
			for (unsigned bit = 0; bit < 8; bit++)
				c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
		}
		out[i] = ~c;
	}
}

static void pointers(const uint32_t *in, uint32_t *out)
{
	for (unsigned i = 0; i < N; i++) {
		uint32_t s = 0;
		for (unsigned k = 0; k < 4; k++) {
			uint32_t v = i % 3 == 0	  ? in[i] + k + (k == (i & 3) ? 5 : 0)
				     : i % 3 == 1 ? (in[i] ^ k) + (k == (i & 3) ? 6 : 0)
						  : in[i + k];
			s = s * 31 + v;
		}
		out[i] = s;
	}
}

static void lanes(const uint32_t *in, uint32_t *out)
{
	for (unsigned i = 0; i < N; i++) {
		unsigned lane = i & 31;
		const uint32_t *v = in + (i - lane);
		uint32_t r = v[(lane * 5 + 3) & 31];
		r = r * 31 + v[lane ^ 9];
		r = r * 31 + v[lane ^ 18];
		r = r * 31 + v[(lane & ~3u) + 3 - (lane & 3)];
		r = r * 31 + (lane % 16 ? v[lane - 1] : 7);
		r = r * 31 + v[(lane & 16) + 15 - (lane & 15)];
		r = r * 31 + v[lane ^ 16];
		if (v[lane] & 1)
			r = r * 31 + (v[lane ^ 1] & 1 ? v[lane ^ 1] : 0);
		out[i] = r;
	}
}

static void votes(const uint32_t *in, uint32_t *out)
{
	for (unsigned i = 0; i < N; i++) {
		for (unsigned bit = 0; bit < 8; bit++)
			out[i] += in[i] >> bit & 1 ? 1 + bit : 0;
		if (i % 64 < 32)
			out[i] += 100u *
				  (uint32_t)__builtin_popcount(0x00ff00ff & ((1u << i % 64) - 1));
	}
}

static uint32_t float_bits(float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}

static void matrix(const uint32_t *in, uint32_t *out)
{
	for (unsigned g = 0; g < N; g++) {
		float a[4][4], b[4][4], c[4][4] = {0};
		for (unsigned i = 0; i < 16; i++) {
			a[i / 4][i % 4] = (float)(int32_t)(in[g] >> i & 255) - 100.0f;
			b[i % 4][i / 4] = (float)(in[g] * (i + 1) & 0xffff) * 0.125f;
		}
		for (unsigned i = 0; i < 64; i++)
			c[i / 16][i / 4 % 4] = __builtin_fmaf(a[i / 16][i % 4], b[i % 4][i / 4 % 4],
							      c[i / 16][i / 4 % 4]);
		unsigned at = in[g] & 15;
		out[g] = float_bits(c[at / 4][at % 4]) ^ float_bits(c[at % 4][at / 4]) << 1;
	}
}

/* clang-format off */
static const struct {
	const char *kernel;
	expect_fn *expect;
	void (*before)(uint32_t *out);
} cases[] = {
	{"reverse", reverse}, {"scan", scan}, {"sort", sort}, {"histogram", histogram},
	{"atomics", atomics, atomics_before}, {"crc", crc}, {"pointers", pointers}, {"lanes", lanes},
	{"votes", votes}, {"matrix", matrix},
};
/* clang-format on */

static const struct {
	enum bw_isa_gen gen;
	const char *flags;
} configs[] = {{BW_ISA_GFX11, "-mcpu=gfx1100 -O0"},
	       {BW_ISA_GFX11, "-mcpu=gfx1100 -O2"},
	       {BW_ISA_GFX11, "-mcpu=gfx1100 -O0 -mwavefrontsize64"},
	       {BW_ISA_GFX11, "-mcpu=gfx1100 -O2 -mwavefrontsize64"},
	       {BW_ISA_GFX942, "-mcpu=gfx942 -O0"},
	       {BW_ISA_GFX942, "-mcpu=gfx942 -O2"},
	       {BW_ISA_GFX902, "-mcpu=gfx902 -O0"},
	       {BW_ISA_GFX902, "-mcpu=gfx902 -O2"}};

static bool run_case(struct gpu *g, size_t i, const char *config)
{
	uint32_t in[N + 64], expect[OUT] = {0};
	uint64_t state = 88172645463325252;
	gpu_release(g);
	uint64_t args[2] = {gpu_alloc(g, sizeof(in)), gpu_alloc(g, sizeof(expect))};
	for (unsigned k = 0; k < BW_ARRAY_SIZE(in); k++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		in[k] = (uint32_t)(state >> 20);
	}
	if (cases[i].before)
		cases[i].before(expect);
	memcpy(gpu_host(g, args[0]), in, sizeof(in));
	memcpy(gpu_host(g, args[1]), expect, sizeof(expect));
	cases[i].expect(in, expect);
	struct gpu_launch l = {.kernel = cases[i].kernel,
			       .n_groups = GROUPS,
			       .group_size = 64,
			       .args = args,
			       .args_b = sizeof(args)};
	if (!gpu_run(g, &l)) {
		printf("%s %s: %s\n", config, cases[i].kernel, g->error);
		return false;
	}
	const uint32_t *got = gpu_host(g, args[1]);
	for (unsigned k = 0; k < OUT; k++) {
		if (got[k] != expect[k]) {
			printf("%s %s: out[%u] is %08x, not %08x\n", config, cases[i].kernel, k,
			       got[k], expect[k]);
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	char object[] = "/tmp/bw-functions-XXXXXX", command[2048];
	unsigned bad = 0;
	int fd = mkstemp(object);
	if (argc < 3 || fd < 0) {
		printf("usage: test_diff_functions CLANG SOURCE\n");
		return 1;
	}
	close(fd);
	for (size_t c = 0; c < BW_ARRAY_SIZE(configs); c++) {
		struct gpu g;
		const char *flags = configs[c].flags;
		snprintf(command, sizeof(command),
			 "%s -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -nogpulib "
			 "-ffp-contract=off %s %s -o %s",
			 argv[1], flags, argv[2], object);
		if (!gpu_init(&g, configs[c].gen) || system(command) || !gpu_load(&g, object)) {
			printf("%s: %s\n", flags, g.error);
			return 1;
		}
		for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++)
			bad += !run_case(&g, i, flags);
		gpu_fini(&g);
	}
	printf("%zu runs, %u wrong\n", BW_ARRAY_SIZE(configs) * BW_ARRAY_SIZE(cases), bad);
	unlink(object);
	return bad != 0;
}
