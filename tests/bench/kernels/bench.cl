/* SPDX-License-Identifier: MIT */

/* The kernels of bench_kernels.c, in OpenCL C: compiled for gfx1100 at build time, and by PoCL for the
 * CPU when there is one to compare with. What has no OpenCL built-in without a device library (work-item
 * numbers, images, WMMA) is written twice. */

#ifdef __AMDGCN__
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define LOCAL_X __builtin_amdgcn_workitem_id_x()
#define LOCAL_Y __builtin_amdgcn_workitem_id_y()
#define GROUP_X __builtin_amdgcn_workgroup_id_x()
#define GROUP_Y __builtin_amdgcn_workgroup_id_y()
typedef unsigned int uint;
#define BARRIER                                                                                    \
	do {                                                                                       \
		__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                             \
		__builtin_amdgcn_s_barrier();                                                      \
		__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                             \
	} while (0)
#else
#define LOCAL_X ((uint)get_local_id(0))
#define LOCAL_Y ((uint)get_local_id(1))
#define GROUP_X ((uint)get_group_id(0))
#define GROUP_Y ((uint)get_group_id(1))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#endif
/* One rounding for one operation, on both. */
#pragma OPENCL FP_CONTRACT OFF
#define GROUP(x, y) __attribute__((reqd_work_group_size(x, y, 1)))

/* Arithmetic on registers: integers and floats by turns. */
GROUP(64, 1) __kernel void alu(__global uint *out, uint rounds)
{
	uint i = GROUP_X * 64 + LOCAL_X, a = i, b = i * 2654435761u;
	float f = (float)(i & 1023), g = 0.25f;
	for (uint r = 0; r < rounds; r++) {
		a = (a ^ b) + (b << 3);
		b = (b >> 5) + (a & 0xffffff);
		f = f * 0.9990234375f + g;
		g = 0.25f - g * 0.5f;
	}
	out[i] = a ^ b ^ (uint)(int)(f + g);
}

/* Each lane goes round its loop another number of times: the steps of 3n + 1. */
GROUP(64, 1) __kernel void divergent(__global uint *out, uint first)
{
	uint i = GROUP_X * 64 + LOCAL_X, n = first + i, steps = 0;
	while (n != 1) {
		if (n & 1)
			n = 3 * n + 1;
		else
			n >>= 1;
		steps++;
	}
	out[i] = steps;
}

/* Sums of 1024 elements through LDS, 256 work-items. */
GROUP(256, 1) __kernel void reduce(__global uint *out, __global const uint *in)
{
	__local uint part[256];
	uint l = LOCAL_X, base = GROUP_X * 1024;
	part[l] = in[base + l] + in[base + l + 256] + in[base + l + 512] + in[base + l + 768];
	for (uint n = 128; n > 0; n >>= 1) {
		BARRIER;
		if (l < n)
			part[l] += part[l + n];
	}
	if (l == 0)
		out[GROUP_X] = part[0];
}

/* c = a * b, n x n, tiles of 16 x 16 through LDS. */
GROUP(16, 16) __kernel void matmul(__global float *c, __global const float *a, __global const float *b, uint n)
{
	__local float ta[16][16], tb[16][16];
	uint x = LOCAL_X, y = LOCAL_Y, col = GROUP_X * 16 + x, row = GROUP_Y * 16 + y;
	float sum = 0.0f;
	for (uint k = 0; k < n; k += 16) {
		ta[y][x] = a[row * n + k + x];
		tb[y][x] = b[(k + y) * n + col];
		BARRIER;
		for (uint i = 0; i < 16; i++)
			sum += ta[y][i] * tb[i][x];
		BARRIER;
	}
	c[row * n + col] = sum;
}

/* c = a * b in f16 with f32 sums, b transposed: one tile of 16 x 16 for each wave. */
#ifdef __AMDGCN__
typedef half v16h __attribute__((ext_vector_type(16)));
typedef float v8f __attribute__((ext_vector_type(8)));
GROUP(32, 1) __kernel void wmma(__global float *c, __global const v16h *a, __global const v16h *bt, uint n)
{
	uint lane = LOCAL_X, row = GROUP_Y * 16, col = GROUP_X * 16, line = lane & 15;
	v8f sum = {0, 0, 0, 0, 0, 0, 0, 0};
	for (uint k = 0; k < n / 16; k++)
		sum = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a[(row + line) * (n / 16) + k],
								bt[(col + line) * (n / 16) + k], sum);
	for (uint i = 0; i < 8; i++)
		c[(row + 2 * i + (lane >> 4)) * n + col + line] = sum[i];
}
#else
GROUP(32, 1) __kernel void wmma(__global float *c, __global const half *a, __global const half *bt, uint n)
{
	uint lane = LOCAL_X, col = GROUP_X * 16 + (lane & 15);
	for (uint i = 0; i < 8; i++) {
		uint row = GROUP_Y * 16 + 2 * i + (lane >> 4);
		float sum = 0.0f;
		for (uint k = 0; k < n; k++)
			sum += vload_half(row * n + k, a) * vload_half(col * n + k, bt);
		c[row * n + col] = sum;
	}
}
#endif

/* 16 reads from anywhere in a table of `mask` + 1 dwords. */
GROUP(64, 1) __kernel void gather(__global uint *out, __global const uint *table, uint mask)
{
	uint i = GROUP_X * 64 + LOCAL_X, at = i * 2654435761u, sum = 0;
	for (uint r = 0; r < 16; r++) {
		at = at * 1664525u + 1013904223u;
		sum += table[(at >> 7) & mask];
	}
	out[i] = sum;
}

/* 16 bytes in, 16 bytes out. */
GROUP(256, 1) __kernel void copy(__global uint4 *out, __global const uint4 *in)
{
	uint i = GROUP_X * 256 + LOCAL_X;
	out[i] = in[i];
}

/* Next to nothing in each group. */
GROUP(32, 1) __kernel void tiny(__global uint *out)
{
	uint i = GROUP_X * 32 + LOCAL_X;
	out[i] = i;
}

/* A picture of 512 x 512 RGBA8, sampled with linear filtering at 16 places a work-item. */
#ifdef __AMDGCN__
typedef float v4f __attribute__((ext_vector_type(4)));
typedef uint v8u __attribute__((ext_vector_type(8)));
typedef uint v4u __attribute__((ext_vector_type(4)));
GROUP(16, 16) __kernel void sample(__global float *out, __constant v8u *image, __constant v4u *sampler)
{
	uint x = GROUP_X * 16 + LOCAL_X, y = GROUP_Y * 16 + LOCAL_Y;
	float u = (float)x * (1.0f / 512), v = (float)y * (1.0f / 512), sum = 0.0f;
	for (uint i = 0; i < 16; i++) {
		v4f texel;
		__asm__ volatile("image_sample_lz %0, [%1, %2], %3, %4 dmask:0xf dim:SQ_RSRC_IMG_2D\n\t"
				 "s_waitcnt vmcnt(0)"
				 : "=&v"(texel) : "v"(u), "v"(v), "s"(*image), "s"(*sampler));
		sum += texel.x + texel.y + texel.z + texel.w;
		u += 0.013f;
		v += 0.007f;
	}
	out[y * 512 + x] = sum;
}
#else
GROUP(16, 16) __kernel void sample(__global float *out, __read_only image2d_t image, sampler_t sampler)
{
	uint x = GROUP_X * 16 + LOCAL_X, y = GROUP_Y * 16 + LOCAL_Y;
	float u = (float)x * (1.0f / 512), v = (float)y * (1.0f / 512), sum = 0.0f;
	for (uint i = 0; i < 16; i++) {
		float4 texel = read_imagef(image, sampler, (float2)(u, v));
		sum += texel.x + texel.y + texel.z + texel.w;
		u += 0.013f;
		v += 0.007f;
	}
	out[y * 512 + x] = sum;
}
#endif
