/* SPDX-License-Identifier: MIT */

/* The inner loop of float WMMA. Compiled with rows.c, for the baseline of x86-64 and for x86-64-v3. */

#include "vgpu/device/exec/wmma.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

/* One term after the other in f32: the order is not laid down (reference gfx11-rules 224). Products of
 * f16 are exact, so that it does not matter whether a host fuses them with the sum. */
void CAT(BW_ROWS, _wmma)(float *restrict d, const float *restrict a, const float *restrict b)
{
	for (unsigned row = 0; row < BW_WMMA_N; row++) {
		float sum[BW_WMMA_N];
		for (unsigned col = 0; col < BW_WMMA_N; col++)
			sum[col] = d[row * BW_WMMA_N + col];
		for (unsigned k = 0; k < BW_WMMA_N; k++)
			for (unsigned col = 0; col < BW_WMMA_N; col++)
				sum[col] += a[row * BW_WMMA_N + k] * b[k * BW_WMMA_N + col];
		for (unsigned col = 0; col < BW_WMMA_N; col++)
			d[row * BW_WMMA_N + col] = sum[col];
	}
}
