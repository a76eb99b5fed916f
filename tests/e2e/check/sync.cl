// SPDX-License-Identifier: MIT
// Pairs for --check=sync: NAME_wrong has a barrier that not all work-items of the workgroup reach, NAME_right is the
// same without the error. 128 work-items in one workgroup. Stores keep apart, so that no race decides.

// Half of the work-items wait, in the condition.
kernel void half_wrong(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0);
	a[i] = in[i];
	if (i < 80) {
		barrier(CLK_LOCAL_MEM_FENCE);
		out[i] = a[i] + a[79 - i];
	}
	out[128 + i] = a[i];
}

kernel void half_right(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0);
	a[i] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < 80)
		out[i] = a[i] + a[79 - i];
	out[128 + i] = a[i];
}

// Whole waves do not come to the barrier, and store.
kernel void wave_wrong(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0);
	a[i] = in[i];
	if (i < 64)
		barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = a[i ^ 1];
}

kernel void wave_right(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0);
	a[i] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = a[i ^ 1];
}

// Two barriers where one is meant.
kernel void two_wrong(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0);
	a[i] = in[i];
	if (i < 64) {
		barrier(CLK_LOCAL_MEM_FENCE);
		out[i] = a[i + 64];
	} else {
		a[i] += 3;
		barrier(CLK_LOCAL_MEM_FENCE);
		out[i] = a[i - 64] * 5;
	}
}

kernel void two_right(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0);
	a[i] = in[i];
	if (i >= 64)
		a[i] += 3;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = i < 64 ? a[i + 64] : a[i - 64] * 5;
}

// The loop of a reduction ends at another time for each work-item.
kernel void loop_wrong(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0);
	a[i] = in[i];
	for (int n = 64; i < n; n /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		a[i] += a[i + n];
	}
	out[i] = a[i];
}

kernel void loop_right(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0);
	a[i] = in[i];
	for (int n = 64; n; n /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (i < n)
			a[i] += a[i + n];
	}
	out[i] = a[i];
}

// A loop that depends on what is loaded.
kernel void while_wrong(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0), left = in[i] % 3;
	a[i] = left;
	while (left-- > 0) {
		barrier(CLK_LOCAL_MEM_FENCE);
		a[i] += 2;
	}
	out[i] = a[i];
}

kernel void while_right(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0), left = in[0] + 3;
	a[i] = left;
	while (left-- > 0) {
		barrier(CLK_LOCAL_MEM_FENCE);
		a[i] += 2;
	}
	out[i] = a[i];
}

// What returns early does nothing any more: in HIP's programs that is usual.
kernel void early_right(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0);
	if (i >= 100)
		return;
	a[i] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = a[99 - i];
}

// A barrier in a condition that is the same for all of them.
kernel void uniform_right(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0);
	a[i] = in[i];
	if (get_group_id(0) == 0) {
		barrier(CLK_LOCAL_MEM_FENCE);
		out[i] = a[127 - i];
	} else {
		out[i] = a[i];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
}

// A wave that leaves after its last barrier, while the others go on with none.
kernel void last_right(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0);
	a[i] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < 64)
		a[i] += a[i + 64];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i >= 32) {
		out[i] = 1;
		return;
	}
	out[i] = a[i] + a[i + 32];
}

// The same by whole waves.
kernel void early_waves_right(global const int *in, global int *out)
{
	local int a[128];
	int i = get_local_id(0);
	if (i >= 64)
		return;
	a[i] = in[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = a[63 - i];
}
