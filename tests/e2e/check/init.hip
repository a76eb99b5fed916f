// Pairs of kernels as in init.cl: a reduction in shared memory whose last elements nobody has set; a structure.
extern "C" __global__ void reduce_wrong(const int *in, int *out)
{
	__shared__ int t[128];
	unsigned l = threadIdx.x;
	if (l < 120)
		t[l] = in[l];
	__syncthreads();
	for (unsigned n = 64; n; n /= 2) {
		if (l < n)
			t[l] += t[l + n];
		__syncthreads();
	}
	if (l == 0)
		out[0] = t[0];
}

extern "C" __global__ void reduce_right(const int *in, int *out)
{
	__shared__ int t[128];
	unsigned l = threadIdx.x;
	t[l] = l < 120 ? in[l] : 0;
	__syncthreads();
	for (unsigned n = 64; n; n /= 2) {
		if (l < n)
			t[l] += t[l + n];
		__syncthreads();
	}
	if (l == 0)
		out[0] = t[0];
}

struct range {
	int from, to, step;
};

__device__ __attribute__((noinline)) void begin(range *r, int x)
{
	r->from = x;
	r->to = 2 * x;
}

extern "C" __global__ void member_wrong(const int *in, int *out)
{
	range r;
	begin(&r, in[threadIdx.x]);
	out[threadIdx.x] = r.from + r.step;
}

extern "C" __global__ void member_right(const int *in, int *out)
{
	range r;
	begin(&r, in[threadIdx.x]);
	out[threadIdx.x] = r.from + r.to;
}

/* clang adds the two by v_mad_u64_u32, whose addend has an upper half that nobody needs. */
extern "C" __global__ void grid_right(const int *in, int *out)
{
	unsigned i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + threadIdx.x;
	if (i < 100)
		out[i] = in[i];
}

/* A lane asks for the value of another one: in a condition, which that one does not enter, and before. */
extern "C" __global__ void shuffle_wrong(const int *in, int *out)
{
	int v = in[threadIdx.x];
	if (threadIdx.x % 32 < 16)
		v += __builtin_amdgcn_ds_bpermute(20 * 4, v);
	out[threadIdx.x] = v;
}

extern "C" __global__ void shuffle_right(const int *in, int *out)
{
	int v = in[threadIdx.x], other = __builtin_amdgcn_ds_bpermute(20 * 4, v);
	if (threadIdx.x % 32 < 16)
		v += other;
	out[threadIdx.x] = v;
}

/* What an inactive lane gives may be asked for, and not used. */
extern "C" __global__ void unused_shuffle_right(const int *in, int *out)
{
	int v = in[threadIdx.x];
	if (threadIdx.x % 32 < 16) {
		unsigned from = threadIdx.x % 32 + 8;
		int other = __builtin_amdgcn_ds_bpermute(from * 4, v);
		v += from < 16 ? other : 0;
	}
	out[threadIdx.x] = v;
}
