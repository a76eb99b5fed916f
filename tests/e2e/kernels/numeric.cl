// SPDX-License-Identifier: MIT
// A collection as numeric libraries have it: a step of N bodies with tiles in local memory, a Fourier transform of a row
// in local memory, a bitonic sort of pairs, and the passes of a radix sort.

#define TILE 64
#define SOFTENING 1e-3f
#define RADIX_BITS 4
#define RADIX (1 << RADIX_BITS)
#define GROUP 64

// ---- N bodies ----

typedef struct {
	float4 position; // w: mass
	float4 velocity;
} body_t;

typedef struct {
	float dt;
	uint count;
	float gravity;
} world_t;

float3 attraction(float3 from, float4 to, float gravity)
{
	float3 d = to.xyz - from;
	float r2 = dot(d, d) + SOFTENING;
	float inverse = rsqrt(r2);
	return d * (gravity * to.w * inverse * inverse * inverse);
}

__kernel void nbody(__global const body_t *in, __global body_t *out, const world_t world)
{
	__local float4 tile[TILE];
	const uint gid = get_global_id(0), lid = get_local_id(0);
	body_t self = in[min(gid, world.count - 1)];
	float3 force = (float3)(0.0f);

	for (uint base = 0; base < world.count; base += TILE) {
		if (base + lid < world.count)
			tile[lid] = in[base + lid].position;
		else
			tile[lid] = (float4)(0.0f);
		barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
		for (uint j = 0; j < TILE; j++)
			force += attraction(self.position.xyz, tile[j], world.gravity);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (gid >= world.count)
		return;
	self.velocity.xyz += force * world.dt;
	self.position.xyz += self.velocity.xyz * world.dt;
	out[gid] = self;
}

// ---- Fourier transform ----

typedef float2 complex_t;

inline complex_t multiply(complex_t a, complex_t b)
{
	return (complex_t)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

complex_t root_of_unity(uint k, uint n)
{
	float c, s = sincos(-2.0f * M_PI_F * (float)k / (float)n, &c);
	return (complex_t)(c, s);
}

uint reversed(uint v, uint bits)
{
	uint r = 0;
	for (uint i = 0; i < bits; i++) {
		r = r << 1 | (v & 1);
		v >>= 1;
	}
	return r;
}

// A row of 2^bits numbers for each work-group, with half as many work-items.
__kernel void fft(__global const complex_t *in, __global complex_t *out, uint bits, __local complex_t *row)
{
	const uint n = 1u << bits, lid = get_local_id(0), base = get_group_id(0) * n;
	for (uint i = lid; i < n; i += get_local_size(0))
		row[reversed(i, bits)] = in[base + i];
	for (uint half_size = 1; half_size < n; half_size <<= 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint k = lid & (half_size - 1);
		const uint at = ((lid - k) << 1) + k;
		const complex_t a = row[at];
		const complex_t b = multiply(row[at + half_size], root_of_unity(k, half_size * 2));
		row[at] = a + b;
		row[at + half_size] = a - b;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = lid; i < n; i += get_local_size(0))
		out[base + i] = row[i];
}

// ---- Bitonic sort of keys with values ----

typedef struct {
	int key;
	int value;
} pair_t;

inline bool comes_after(pair_t a, pair_t b)
{
	return a.key > b.key || (a.key == b.key && a.value > b.value);
}

// Each work-group sorts twice as many pairs as it has work-items.
__kernel void bitonic(__global pair_t *pairs, __local pair_t *room)
{
	const uint items = get_local_size(0), n = items * 2, lid = get_local_id(0);
	__global pair_t *mine = pairs + get_group_id(0) * n;
	room[lid] = mine[lid];
	room[lid + items] = mine[lid + items];

	for (uint size = 2; size <= n; size <<= 1) {
		for (uint stride = size >> 1; stride; stride >>= 1) {
			barrier(CLK_LOCAL_MEM_FENCE);
			const uint low = 2 * lid - (lid & (stride - 1));
			const uint high = low + stride;
			const bool ascending = (low & size) == 0;
			const pair_t a = room[low], b = room[high];
			if (comes_after(a, b) == ascending) {
				room[low] = b;
				room[high] = a;
			}
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	mine[lid] = room[lid];
	mine[lid + items] = room[lid + items];
}

// ---- Radix sort: all passes by one work-group ----

uint digit_of(uint key, uint shift)
{
	return (key >> shift) & (RADIX - 1);
}

// What the items before this one have in all; the sum of all in *total.
uint exclusive_scan(uint value, __local uint *room, uint *total)
{
	const uint lid = get_local_id(0);
	room[lid] = value;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint step = 1; step < GROUP; step <<= 1) {
		const uint before = lid >= step ? room[lid - step] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		room[lid] += before;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	*total = room[GROUP - 1];
	const uint result = room[lid] - value;
	barrier(CLK_LOCAL_MEM_FENCE);
	return result;
}

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
__kernel void radix_sort(__global uint *keys, __global uint *other, uint n)
{
	__local uint room[GROUP];
	__local uint start[RADIX];
	const uint lid = get_local_id(0);
	__global uint *from = keys, *to = other;

	for (uint shift = 0; shift < 32; shift += RADIX_BITS) {
		// How many keys have each digit?
		if (lid < RADIX)
			start[lid] = 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint i = lid; i < n; i += GROUP)
			atomic_inc(&start[digit_of(from[i], shift)]);
		barrier(CLK_LOCAL_MEM_FENCE);
		uint total;
		const uint first = exclusive_scan(lid < RADIX ? start[lid] : 0, room, &total);
		if (lid < RADIX)
			start[lid] = first;
		barrier(CLK_LOCAL_MEM_FENCE);

		// Keys of a digit keep their order.
		for (uint base = 0; base < n; base += GROUP) {
			const bool is_there = base + lid < n;
			const uint key = is_there ? from[base + lid] : 0;
			for (uint digit = 0; digit < RADIX; digit++) {
				const bool is_mine = is_there && digit_of(key, shift) == digit;
				const uint rank = exclusive_scan(is_mine ? 1 : 0, room, &total);
				if (is_mine)
					to[start[digit] + rank] = key;
				barrier(CLK_LOCAL_MEM_FENCE);
				if (lid == 0)
					start[digit] += total;
				barrier(CLK_LOCAL_MEM_FENCE);
			}
		}
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		__global uint *swap = from;
		from = to;
		to = swap;
	}
}
