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
