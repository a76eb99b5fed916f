// Kernels for gfx942: test_mi300x.py has what they compute in Python.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// Numbers of work-items and groups in three dimensions, and LDS.
__attribute__((reqd_work_group_size(8, 4, 3))) kernel void shape(global uint *out)
{
	local uint part[96];
	uint l = get_local_id(0) + 8 * (get_local_id(1) + 4 * get_local_id(2));
	uint g = get_group_id(0) + 2 * (get_group_id(1) + 3 * get_group_id(2));
	part[95 - l] = get_global_id(0) | get_global_id(1) << 8 | get_global_id(2) << 16;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[g * 96 + l] = part[l];
}

// Private memory, and a function that is called.
__attribute__((noinline)) uint pick(private const uint *a, uint at)
{
	return a[at % 24] * 3 + a[(at + 5) % 24];
}
kernel void deep(global uint *out)
{
	uint a[24], i = get_global_id(0);
	for (uint k = 0; k < 24; k++)
		a[k] = k * k + i * (k ^ 5);
	out[i] = pick(a, i) + pick(a, i / 7);
}

// Atomics, 64 bits, f64 and f16.
kernel void types(global ulong *out, volatile global uint *sum)
{
	uint i = get_global_id(0);
	double d = 1.0 / (1 + i) + (double)i * 0.125;
	half h = (half)(i * 0.5f) * (half)3.0f;
	atomic_add(sum, i);
	out[i] = as_ulong(d) ^ ((ulong)i * 0x123456789abcdefUL) + (ulong)(float)h;
}

#ifdef __gfx942__
// A product of two matrices of 32 x 32, in one wave: v_mfma_f32_32x32x2_f32.
typedef float row __attribute__((ext_vector_type(16)));
__attribute__((reqd_work_group_size(64, 1, 1))) kernel void tile(global float *out, global const float *a, global const float *b)
{
	uint lane = get_local_id(0), column = lane % 32, half_of = lane / 32;
	row sum = 0;
	for (uint k = 0; k < 32; k += 2)
		sum = __builtin_amdgcn_mfma_f32_32x32x2f32(a[column * 32 + k + half_of], b[(k + half_of) * 32 + column], sum, 0, 0, 0);
	for (uint r = 0; r < 16; r++)
		out[(r / 4 * 8 + half_of * 4 + r % 4) * 32 + column] = sum[r];
}
#endif
