// SPDX-License-Identifier: MIT
// Kernels in pairs: NAME_wrong has a race, NAME_right is the same without it (table.txt).
// Groups of 128: two waves or more in either wave size.

// A barrier is missing between stores to LDS and loads of what other waves have stored.
kernel void reverse_wrong(global const int *in, global int *out)
{
	local int s[128];
	int l = get_local_id(0), n = get_local_size(0);
	s[l] = in[get_global_id(0)] + 1;
	out[get_global_id(0)] = s[n - 1 - l];
}

kernel void reverse_right(global const int *in, global int *out)
{
	local int s[128];
	int l = get_local_id(0), n = get_local_size(0);
	s[l] = in[get_global_id(0)] + 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = s[n - 1 - l];
}

// A reduction without barriers.
kernel void reduce_wrong(global const int *in, global int *out)
{
	local int s[128];
	int l = get_local_id(0);
	s[l] = in[get_global_id(0)] + 1;
	for (int n = 64; n > 0; n /= 2)
		if (l < n)
			s[l] += s[l + n];
	if (l == 0)
		out[get_group_id(0)] = s[0];
}

kernel void reduce_right(global const int *in, global int *out)
{
	local int s[128];
	int l = get_local_id(0);
	s[l] = in[get_global_id(0)] + 1;
	for (int n = 64; n > 0; n /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l < n)
			s[l] += s[l + n];
	}
	if (l == 0)
		out[get_group_id(0)] = s[0];
}

// One buffer for all tiles needs two barriers a tile: the next tile is stored too early.
kernel void tiles_wrong(global const int *in, global int *out)
{
	local int s[128];
	int l = get_local_id(0), sum = 0;
	for (int t = 0; t < 4; t++) {
		s[l] = in[(get_global_id(0) + t * 128) % get_global_size(0)] + t;
		barrier(CLK_LOCAL_MEM_FENCE);
		sum += s[(l + 64) % 128];
	}
	out[get_global_id(0)] = sum;
}

kernel void tiles_right(global const int *in, global int *out)
{
	local int s[128];
	int l = get_local_id(0), sum = 0;
	for (int t = 0; t < 4; t++) {
		s[l] = in[(get_global_id(0) + t * 128) % get_global_size(0)] + t;
		barrier(CLK_LOCAL_MEM_FENCE);
		sum += s[(l + 64) % 128];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = sum;
}

// A histogram in global memory without atomic operations.
kernel void histogram_wrong(global const int *in, global int *out)
{
	out[in[get_global_id(0)] & 15]++;
}

kernel void histogram_right(global const int *in, global int *out)
{
	atomic_inc(&out[in[get_global_id(0)] & 15]);
}

// The same in LDS: the counters are not zero yet when they are used.
kernel void counters_wrong(global const int *in, global int *out)
{
	local int s[128];
	int l = get_local_id(0);
	s[l] = l & 1;
	atomic_inc(&s[127 - l]);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = s[l];
}

kernel void counters_right(global const int *in, global int *out)
{
	local int s[128];
	int l = get_local_id(0);
	s[l] = l & 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	atomic_inc(&s[127 - l]);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = s[l];
}

// Atomic operations on one side only: the result is read while other groups still count.
kernel void one_side_wrong(global const int *in, global int *out)
{
	atomic_inc(&out[0]);
	out[1 + get_global_id(0)] = out[0];
}

kernel void one_side_right(global const int *in, global int *out)
{
	out[1 + get_global_id(0)] = atomic_inc(&out[0]);
}

// The last group adds up what all groups have stored. Without the orders of the atomic operation
// nothing says that the others' stores have arrived.
kernel void last_group_wrong(global const int *in, global int *out)
{
	local int last;
	int l = get_local_id(0);
	out[16 + get_global_id(0)] = in[get_global_id(0)] + 1;
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (l == 0)
		last = atomic_fetch_add_explicit((global atomic_int *)out, 1, memory_order_relaxed,
						 memory_scope_device) == get_num_groups(0) - 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (last && l == 0) {
		int sum = 0;
		for (int i = 0; i < get_global_size(0); i++)
			sum += out[16 + i];
		out[1] = sum;
	}
}

kernel void last_group_right(global const int *in, global int *out)
{
	local int last;
	int l = get_local_id(0);
	out[16 + get_global_id(0)] = in[get_global_id(0)] + 1;
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (l == 0)
		last = atomic_fetch_add_explicit((global atomic_int *)out, 1, memory_order_acq_rel,
						 memory_scope_device) == get_num_groups(0) - 1;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (last && l == 0) {
		int sum = 0;
		for (int i = 0; i < get_global_size(0); i++)
			sum += out[16 + i];
		out[1] = sum;
	}
}

// The same, but the group's own waves do not wait for each other before its first one counts.
kernel void unwaited_wrong(global const int *in, global int *out)
{
	local int last;
	int l = get_local_id(0);
	if (l == 0)
		last = atomic_fetch_add_explicit((global atomic_int *)out, 1, memory_order_acq_rel,
						 memory_scope_device) == get_num_groups(0) - 1;
	out[16 + get_global_id(0)] = in[get_global_id(0)] + 1;
	barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
	if (last && l == 0) {
		int sum = 0;
		for (int i = 0; i < get_global_size(0); i++)
			sum += out[16 + i];
		out[1] = sum;
	}
}

// Lanes of one wave store different values to one place.
kernel void lanes_wrong(global const int *in, global int *out)
{
	if (get_global_id(0) < 32)
		out[get_global_id(0) / 2] = get_global_id(0);
}

kernel void lanes_right(global const int *in, global int *out)
{
	if (get_global_id(0) < 32)
		out[get_global_id(0) / 2] = 7;
}

// Groups store different values to one place; all the same value is no finding.
kernel void groups_wrong(global const int *in, global int *out)
{
	if (get_local_id(0) == 0)
		out[0] = get_group_id(0) + 1;
}

kernel void groups_right(global const int *in, global int *out)
{
	if (get_local_id(0) == 0)
		out[0] = 1;
}

// A lock, and the same without it.
kernel void lock_wrong(global const int *in, global int *out)
{
	if (get_local_id(0) == 0)
		out[1] += get_group_id(0) + 1;
}

kernel void lock_right(global const int *in, global int *out)
{
	global atomic_int *lock = (global atomic_int *)out;
	if (get_local_id(0) == 0) {
		int free;
		do
			free = 0;
		while (!atomic_compare_exchange_strong_explicit(
			lock, &free, 1, memory_order_acquire, memory_order_relaxed,
			memory_scope_device));
		out[1] += get_group_id(0) + 1;
		atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
	}
}

// Bytes of one dword are places of their own.
kernel void bytes_right(global const int *in, global int *out)
{
	((global uchar *)out)[(get_local_id(0) * get_num_groups(0) + get_group_id(0))] = get_group_id(0);
}

// A loop of compare-and-swap begins with a plain load, whose value may be old.
kernel void swap_right(global const int *in, global int *out)
{
	int old = out[0], seen;
	while ((seen = atomic_cmpxchg(&out[0], old, old + 1)) != old)
		old = seen;
}

kernel void swap_wrong(global const int *in, global int *out)
{
	int old = out[0];
	out[64 + get_global_id(0)] = old;
	atomic_cmpxchg(&out[1], 0, 1);
	atomic_inc(&out[0]);
}
