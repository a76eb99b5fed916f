// SPDX-License-Identifier: MIT
// Kernels of aql.c, in HIP. Compiled without ROCm: what its headers declare stands here.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

struct point {
	float x, y;
	int id;
};

static __device__ unsigned index_of(unsigned in_group)
{
	return __builtin_amdgcn_workgroup_id_x() * 64 + in_group;
}

static __device__ float weight(const point *p, float scale)
{
	float w = p->x * scale;
	w += p->y;
	return w;
}

extern "C" __global__ void weigh(const point *points, float *out, float scale, int n)
{
	__shared__ float part[64];
	unsigned in_group = __builtin_amdgcn_workitem_id_x(), i = index_of(in_group);
	part[in_group] = 0;
	if (i < n) {
		float w = weight(&points[i], scale);
		part[in_group] = w;
		out[i] = w;
	}
	__builtin_amdgcn_s_barrier();
	if (in_group == 0) {
		float sum = 0;
		for (int k = 0; k < 64; k++)
			sum += part[k];
		out[n + __builtin_amdgcn_workgroup_id_x()] = sum;
	}
}

extern "C" __global__ void stray(const point *points, float *out, float scale, int n)
{
	unsigned i = index_of(__builtin_amdgcn_workitem_id_x());
	out[i] = 1;
	out += i == 40 ? 1 << 28 : 0;
	out[i] = 2;
}

/* All lanes of all waves store here, each something else. */
extern "C" __global__ void clash(const point *points, float *out, float scale, int n)
{
	out[0] = (float)index_of(__builtin_amdgcn_workitem_id_x());
}

/* Ends when somebody sets the last word. */
extern "C" __global__ void spin(const point *points, float *out, float scale, int n)
{
	int *flag = (int *)&out[n + 3];
	while (__atomic_load_n(flag, __ATOMIC_RELAXED) == 0)
		__builtin_amdgcn_s_sleep(1);
}
