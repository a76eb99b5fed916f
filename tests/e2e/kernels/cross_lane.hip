// What the functions that work across the lanes of a wave give: a column of out for each, of one thread a row.
// tests/e2e/test_cross_lane.py computes the same on the CPU.
struct triple {
	int a;
	short b;
	double c;
};

extern "C" __global__ void cross(long long *out, const int *in, int n)
{
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x, at = t * n;
	int v = in[t];
	double d = v + 0.5;
	triple s = {v, (short)(v + 1), d};
	const int widths[] = {warpSize, 32, 8, 1};
	const int lanes[] = {0, 5, 31, 32, 63, 77, -1, (int)(t * 7 + 3)};
	const unsigned deltas[] = {0, 1, 4, 16, 31, 32, 33, 63, 64, t & 31};
	const int masks[] = {0, 1, 5, 16, 31, 32, 48, 63, 64, (int)(t >> 1)};
	for (int w : widths) {
		for (int l : lanes)
			out[at++] = __shfl(v, l, w);
		for (unsigned k : deltas) {
			out[at++] = __shfl_up(v, k, w);
			out[at++] = __shfl_down(v, k, w);
		}
		for (int m : masks)
			out[at++] = __shfl_xor(v, m, w);
	}
	out[at++] = __shfl_down(v, 32);
	out[at++] = (long long)(2 * __shfl_up(d, 32));
	out[at++] = __shfl_xor((unsigned char)v, 33);
	triple far = __shfl(s, (int)(t ^ 32));
	out[at++] = far.a + far.b + (long long)(2 * far.c);
	out[at++] = __shfl((long long)v << 33 | v, 40);
	out[at++] = (long long)__ballot(v % 3 == 0);
	out[at++] = (long long)__activemask();
	out[at++] = __any(v == 40) * 2 + __all(v >= 0);
	out[at++] = __any(v < 0) * 2 + __all(v != 40);
	out[at++] = __lane_id();
	out[at++] = warpSize;
	// in the lanes of one branch: the others are not asked
	long long of_branch = -1;
	if (v % 2)
		of_branch = (long long)__ballot(v % 3 == 0) + (long long)__activemask() * 5 + __shfl_xor(v, 34);
	out[at++] = of_branch;
}
