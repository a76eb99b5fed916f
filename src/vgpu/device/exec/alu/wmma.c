/* SPDX-License-Identifier: MIT */

/* The inner loops of WMMA. Compiled with rows.c, for the baseline of x86-64 and for x86-64-v3. */

#include "vgpu/device/exec/core/wmma.h"

#include "vgpu/device/exec/alu/lane_half.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

enum { N = BW_WMMA_N };

static void widen(float *restrict d, const uint16_t *restrict s, int bf16)
{
	if (bf16)
		for (unsigned i = 0; i < BW_WMMA_ELEMENTS; i++)
			d[i] = bf16_to_f32(s[i]);
	else
		for (unsigned i = 0; i < BW_WMMA_ELEMENTS; i++)
			d[i] = f16_to_f32(s[i], 0);
}

/* One row of a matrix, in whatever registers the host has. */
typedef float row_f32 __attribute__((vector_size(N * 4), aligned(4), may_alias));

/* One term after the other in f32: the order is not laid down (doc/rules.md 224). Products
 * of f16 are exact, so that it does not matter whether a host fuses them with the sum. */
void CAT(BW_ROWS, _wmma)(float *restrict d, const uint16_t *restrict a, const uint16_t *restrict b,
			 int bf16)
{
	float fa[BW_WMMA_ELEMENTS], fb[BW_WMMA_ELEMENTS];
	row_f32 *sums = (row_f32 *)d;
	const row_f32 *rows_b = (const row_f32 *)fb;
	widen(fa, a, bf16);
	widen(fb, b, bf16);
	for (unsigned row = 0; row < N; row += 2) {
		/* two sums at a time hide their latency */
		row_f32 even = sums[row], odd = sums[row + 1];
		for (unsigned k = 0; k < N; k++) {
			even += rows_b[k] * fa[row * N + k];
			odd += rows_b[k] * fa[(row + 1) * N + k];
		}
		sums[row] = even;
		sums[row + 1] = odd;
	}
}

void CAT(BW_ROWS, _wmma_int)(int32_t *restrict d, const int16_t *restrict a,
			     const int16_t *restrict b)
{
	for (unsigned row = 0; row < N; row++) {
		int32_t sum[N] = {0};
		for (unsigned k = 0; k < N; k++)
			for (unsigned col = 0; col < N; col++)
				sum[col] += a[row * N + k] * b[k * N + col];
		for (unsigned col = 0; col < N; col++)
			d[row * N + col] = sum[col];
	}
}
