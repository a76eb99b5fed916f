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

// A scan in one array: a barrier is missing between the loads and the stores of a step.
kernel void scan_wrong(global const int *in, global int *out)
{
	local int s[128];
	int l = get_local_id(0);
	s[l] = in[get_global_id(0)];
	for (int d = 1; d < 128; d *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		int v = l >= d ? s[l - d] : 0;
		s[l] += v;
	}
	out[get_global_id(0)] = s[l];
}

kernel void scan_right(global const int *in, global int *out)
{
	local int s[128];
	int l = get_local_id(0);
	s[l] = in[get_global_id(0)];
	for (int d = 1; d < 128; d *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		int v = l >= d ? s[l - d] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		s[l] += v;
	}
	out[get_global_id(0)] = s[l];
}

// A bitonic sort of 256 numbers, with a barrier for each length only.
kernel void sort_wrong(global const int *in, global int *out)
{
	local int s[256];
	int l = get_local_id(0), g = get_global_id(0);
	s[l] = in[g] * 7919 % 1009;
	s[l + 128] = in[g] * 104729 % 1013;
	for (int k = 2; k <= 256; k *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int j = k / 2; j > 0; j /= 2) {
			int i = 2 * l - (l & (j - 1)), p = i + j;
			if ((s[i] > s[p]) == ((i & k) == 0)) {
				int t = s[i];
				s[i] = s[p];
				s[p] = t;
			}
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[g] = s[l] + s[l + 128];
}

kernel void sort_right(global const int *in, global int *out)
{
	local int s[256];
	int l = get_local_id(0), g = get_global_id(0);
	s[l] = in[g] * 7919 % 1009;
	s[l + 128] = in[g] * 104729 % 1013;
	for (int k = 2; k <= 256; k *= 2) {
		for (int j = k / 2; j > 0; j /= 2) {
			barrier(CLK_LOCAL_MEM_FENCE);
			int i = 2 * l - (l & (j - 1)), p = i + j;
			if ((s[i] > s[p]) == ((i & k) == 0)) {
				int t = s[i];
				s[i] = s[p];
				s[p] = t;
			}
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	out[g] = s[l] + s[l + 128];
}

// Two buffers that take turns need one barrier a turn.
kernel void turns_wrong(global const int *in, global int *out)
{
	local int s[2][128];
	int l = get_local_id(0), g = get_global_id(0), sum = 0;
	s[0][l] = in[g];
	for (int t = 0; t < 8; t++) {
		if (t % 2 == 0)
			barrier(CLK_LOCAL_MEM_FENCE);
		sum += s[t % 2][127 - l];
		s[(t + 1) % 2][l] = in[(g + t * 128) % get_global_size(0)];
	}
	out[g] = sum;
}

kernel void turns_right(global const int *in, global int *out)
{
	local int s[2][128];
	int l = get_local_id(0), g = get_global_id(0), sum = 0;
	s[0][l] = in[g];
	for (int t = 0; t < 8; t++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		sum += s[t % 2][127 - l];
		s[(t + 1) % 2][l] = in[(g + t * 128) % get_global_size(0)];
	}
	out[g] = sum;
}

// A message and a flag: the flag may be seen before the message, which nobody has waited for.
kernel void flag_wrong(global const int *in, global int *out)
{
	global atomic_int *flag = (global atomic_int *)out;
	if (get_local_id(0))
		return;
	if (get_group_id(0) == 0) {
		out[32] = in[1] + 41;
		atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
	} else {
		while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
			;
		out[64 + get_group_id(0)] = out[32];
	}
}

kernel void flag_right(global const int *in, global int *out)
{
	global atomic_int *flag = (global atomic_int *)out;
	if (get_local_id(0))
		return;
	if (get_group_id(0) == 0) {
		out[32] = in[1] + 41;
		atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
	} else {
		while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device))
			;
		out[64 + get_group_id(0)] = out[32];
	}
}

// The same with a counter, for which all groups store something.
kernel void counted_wrong(global const int *in, global int *out)
{
	global atomic_int *n = (global atomic_int *)out;
	if (get_local_id(0))
		return;
	out[64 + get_group_id(0)] = in[get_group_id(0)] + 3;
	atomic_fetch_add_explicit(n, 1, memory_order_relaxed, memory_scope_device);
	if (get_group_id(0) == 7) {
		while (atomic_load_explicit(n, memory_order_acquire, memory_scope_device) < 8)
			;
		out[1] = out[64] + out[65];
	}
}

kernel void counted_right(global const int *in, global int *out)
{
	global atomic_int *n = (global atomic_int *)out;
	if (get_local_id(0))
		return;
	out[64 + get_group_id(0)] = in[get_group_id(0)] + 3;
	atomic_fetch_add_explicit(n, 1, memory_order_release, memory_scope_device);
	if (get_group_id(0) == 7) {
		while (atomic_load_explicit(n, memory_order_acquire, memory_scope_device) < 8)
			;
		out[1] = out[64] + out[65];
	}
}
