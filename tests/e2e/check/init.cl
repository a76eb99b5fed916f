// Pairs of kernels, with the use of a value that nobody has written and without it (test_check_init.py). One group of
// 128 work-items; in is 0, 1, 2 ...; out has 256 ints.
#define L ((int)get_local_id(0))

// The last 28 elements are not written.
int sum_of(local int *t)
{
	int s = 0;
	for (int i = 0; i < 128; i++)
		s += t[(L + i) % 128];
	return s;
}

kernel void lds_sum_wrong(global const int *in, global int *out)
{
	local int t[128];
	if (L < 100)
		t[L] = in[L];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[L] = sum_of(t);
}

kernel void lds_sum_right(global const int *in, global int *out)
{
	local int t[128];
	t[L] = L < 100 ? in[L] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[L] = sum_of(t);
}

kernel void lds_branch_wrong(global const int *in, global int *out)
{
	local int t[128];
	if (L < 100)
		t[L] = in[L];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t[127 - L] > 7)
		out[L] = 1;
}

// The elements that are not written are loaded, and not used.
kernel void lds_branch_right(global const int *in, global int *out)
{
	local int t[128];
	if (L < 100)
		t[L] = in[L];
	barrier(CLK_LOCAL_MEM_FENCE);
	int v = t[127 - L];
	if (L >= 28 && v > 7)
		out[L] = 1;
}

kernel void lds_address_wrong(global const int *in, global int *out)
{
	local int t[128];
	if (L < 100)
		t[L] = in[L];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[t[127 - L] & 63] = 1;
}

kernel void lds_address_right(global const int *in, global int *out)
{
	local int t[128];
	t[L] = in[L];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[t[127 - L] & 63] = 1;
}

// A counter that nobody has set to 0.
kernel void lds_atomic_wrong(global const int *in, global int *out)
{
	local int n;
	if (in[L] > 3)
		atomic_add(&n, in[L]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (L == 0)
		out[0] = n;
}

kernel void lds_atomic_right(global const int *in, global int *out)
{
	local int n;
	if (L == 0)
		n = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (in[L] > 3)
		atomic_add(&n, in[L]);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (L == 0)
		out[0] = n;
}

// Bytes of a dword, of which three are written.
kernel void lds_bytes_wrong(global const int *in, global int *out)
{
	local uchar t[512];
	for (int i = 0; i < 3; i++)
		t[4 * L + i] = (uchar)in[L];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t[4 * (127 - L) + in[3]] > 5)
		out[L] = 1;
}

kernel void lds_bytes_right(global const int *in, global int *out)
{
	local uchar t[512];
	for (int i = 0; i < 3; i++)
		t[4 * L + i] = (uchar)in[L];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t[4 * (127 - L) + in[2]] > 5)
		out[L] = 1;
}

kernel void array_store_wrong(global const int *in, global int *out)
{
	int a[32];
	for (int i = 0; i < 20; i++)
		a[in[i]] = i;
	out[L] = a[in[L] & 31];
}

kernel void array_store_right(global const int *in, global int *out)
{
	int a[32];
	for (int i = 0; i < 32; i++)
		a[in[i]] = i;
	out[L] = a[in[L] & 31];
}

kernel void array_branch_wrong(global const int *in, global int *out)
{
	int a[32];
	for (int i = 0; i < 20; i++)
		a[in[i]] = i;
	if (a[in[L] & 31] > 4)
		out[L] = 3;
}

kernel void array_branch_right(global const int *in, global int *out)
{
	int a[32];
	for (int i = 0; i < 20; i++)
		a[in[i]] = i;
	if (a[in[L] % 20] > 4)
		out[L] = 3;
}

kernel void array_address_wrong(global const int *in, global int *out)
{
	int a[32];
	for (int i = 0; i < 20; i++)
		a[in[i]] = i;
	out[a[in[L] & 31] & 127] = 3;
}

kernel void array_address_right(global const int *in, global int *out)
{
	int a[32] = {0};
	for (int i = 0; i < 20; i++)
		a[in[i]] = i;
	out[a[in[L] & 31] & 127] = 3;
}

// A function that sets its result in some cases only.
__attribute__((noinline)) void set_if(private int *to, int when)
{
	if (when < 100)
		*to = when;
}

kernel void variable_wrong(global const int *in, global int *out)
{
	int v;
	set_if(&v, in[L]);
	out[L] = v + 1;
}

kernel void variable_right(global const int *in, global int *out)
{
	int v = -1;
	set_if(&v, in[L]);
	out[L] = v + 1;
}

// What nobody has written goes from scratch through LDS to another lane.
kernel void passed_on_wrong(global const int *in, global int *out)
{
	local int t[128];
	int v;
	set_if(&v, in[L]);
	t[L] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[L] = t[127 - L];
}

kernel void passed_on_right(global const int *in, global int *out)
{
	local int t[128];
	int v;
	set_if(&v, in[L]);
	t[L] = v;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (L > 27)
		out[L] = t[127 - L];
}

// Of a structure with padding, and of a vector of three, more is stored than is written.
struct padded {
	char a;
	int b;
	short c;
};

__attribute__((noinline)) void fill(private struct padded *p, int x)
{
	p->a = (char)x;
	p->b = x;
	p->c = (short)(x * 3);
}

kernel void padding_right(global const int *in, global int *out)
{
	struct padded p;
	fill(&p, in[L]);
	*(global struct padded *)&out[L % 64 * 4] = p;
}

kernel void float3_right(global const int *in, global int *out)
{
	local float3 t[128];
	t[L] = (float3)(in[L], 1, 2);
	barrier(CLK_LOCAL_MEM_FENCE);
	((global float3 *)out)[L % 64] = t[127 - L];
}
