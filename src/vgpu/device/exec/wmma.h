/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_WMMA_H
#define BW_VGPU_EXEC_WMMA_H

enum { BW_WMMA_N = 16, BW_WMMA_ELEMENTS = 256 };

/* d += a * b, 16 by 16 each, rows one after the other. */
typedef void bw_wmma_fn(float *restrict d, const float *restrict a, const float *restrict b);
bw_wmma_fn bw_rows_v1_wmma, bw_rows_v3_wmma;

#endif
