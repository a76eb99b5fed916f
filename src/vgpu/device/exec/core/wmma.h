/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_WMMA_H
#define BW_VGPU_EXEC_WMMA_H

#include <stdint.h>

enum { BW_WMMA_N = 16, BW_WMMA_ELEMENTS = 256 };

/* d += a * b, 16 by 16 each, rows one after the other. a and b are f16, or bf16. */
typedef void bw_wmma_fn(float *restrict d, const uint16_t *restrict a, const uint16_t *restrict b,
			int bf16);
bw_wmma_fn bw_rows_v1_wmma, bw_rows_v3_wmma;

/* The same for integers: d += a * b; the caller has widened a and b. */
typedef void bw_wmma_int_fn(int32_t *restrict d, const int16_t *restrict a,
			    const int16_t *restrict b);
bw_wmma_int_fn bw_rows_v1_wmma_int, bw_rows_v3_wmma_int;

#endif
