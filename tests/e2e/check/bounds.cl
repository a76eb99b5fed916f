// Kernels in pairs, with an access out of bounds and without it: test_check_bounds.py.

kernel void lds_store_wrong(global const int *in, global int *out)
{
	local int tile[256];
	int i = get_local_id(0);
	tile[i + 256] = in[i]; // from 1024 bytes on
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = tile[i];
}

kernel void lds_store_right(global const int *in, global int *out)
{
	local int tile[256];
	int i = get_local_id(0);
	tile[i + in[0]] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = tile[i];
}

kernel void lds_load_wrong(global const int *in, global int *out)
{
	local int tile[256];
	int i = get_local_id(0);
	tile[i] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = tile[i + in[200]]; // the right neighbour's, also of the last one
}

kernel void lds_load_right(global const int *in, global int *out)
{
	local int tile[256];
	int i = get_local_id(0);
	tile[i] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = i + in[200] < 256 ? tile[i + in[200]] : 0;
}

kernel void lds_atomic_wrong(global const int *in, global int *out)
{
	local int bins[256];
	int i = get_local_id(0);
	bins[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_inc(&bins[in[i] * 3]);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = bins[i];
}

kernel void lds_atomic_right(global const int *in, global int *out)
{
	local int bins[256];
	int i = get_local_id(0);
	bins[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_inc(&bins[in[i] * 3 % 256]);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = bins[i];
}

kernel void scratch_wrong(global const int *in, global int *out)
{
	int mine[32];
	int i = get_global_id(0);
	for (int k = 0; k < 32; k++)
		mine[k] = in[i] + k;
	out[i] = mine[in[i] + 5000];
}

kernel void scratch_right(global const int *in, global int *out)
{
	int mine[32];
	int i = get_global_id(0);
	for (int k = 0; k < 32; k++)
		mine[k] = in[i] + k;
	out[i] = mine[in[i] % 32];
}

kernel void end_wrong(global const int *in, global int *out)
{
	int i = get_global_id(0);
	out[i + 1] = in[i];
}

kernel void end_right(global const int *in, global int *out)
{
	int i = get_global_id(0);
	out[i] = in[i];
}

kernel void before_wrong(global const int *in, global int *out)
{
	int i = get_global_id(0);
	out[i] = in[i - 1] + in[i]; // the left neighbour's, also of the first one
}

kernel void before_right(global const int *in, global int *out)
{
	int i = get_global_id(0);
	out[i] = (i ? in[i - 1] : 0) + in[i];
}

kernel void both_wrong(global const int *in, global int *out)
{
	int i = get_global_id(0);
	out[i] = in[i * 4 - 4]; // before the first one, and after the last one: two mistakes
}

kernel void both_right(global const int *in, global int *out)
{
	int i = get_global_id(0);
	out[i] = in[clamp(i * 4 - 4, 0, 255)];
}

kernel void wide_wrong(global const int4 *in, global int4 *out)
{
	int i = get_global_id(0);
	out[i] = in[i]; // out has 128 ints, and not 128 times 4
}

kernel void wide_right(global const int4 *in, global int4 *out)
{
	int i = get_global_id(0);
	if (i < 32)
		out[i] = in[i];
}

// Elements of three are loaded as four, which leaves the buffer at the last one.
kernel void three_right(global const int *in, global int *out)
{
	int i = get_global_id(0);
	if (i < 85)
		out[i] = vload3(i, in).z;
}

kernel void bytes_wrong(global const uchar *in, global uchar *out)
{
	int i = get_global_id(0);
	out[i * 4 + 4] = in[i];
}

kernel void bytes_right(global const uchar *in, global uchar *out)
{
	int i = get_global_id(0);
	out[i * 4 + 3] = in[i];
}

kernel void atomics_wrong(global const int *in, global int *out)
{
	atomic_add(&out[in[get_global_id(0)] + 1], 1);
}

kernel void atomics_right(global const int *in, global int *out)
{
	atomic_add(&out[in[get_global_id(0)]], 1);
}

// The same for all lanes: a scalar load.
kernel void uniform_wrong(global const int *in, global int *out)
{
	out[get_global_id(0)] = in[get_num_groups(0) * 256];
}

kernel void uniform_right(global const int *in, global int *out)
{
	out[get_global_id(0)] = in[get_num_groups(0) * 255];
}

// A tile for half of the group: the GPU gives LDS in larger steps, and does not notice.
kernel void lds_tile_wrong(global const int *in, global int *out)
{
	local int s[64];
	int i = get_local_id(0);
	s[i] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = s[127 - i];
}

kernel void lds_tile_right(global const int *in, global int *out)
{
	local int s[128];
	int i = get_local_id(0);
	s[i] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = s[127 - i];
}
