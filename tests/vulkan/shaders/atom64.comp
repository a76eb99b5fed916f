// SPDX-License-Identifier: MIT
#version 460
//! needs int64 int64_atomics
//! buffer 0 u64 8 zeros
//! buffer 1 u64 512 random 6 input
//! dispatch 8 1 1
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer Sums { uint64_t sums[8]; };
layout(binding = 1) readonly buffer In { uint64_t data[]; };

void main()
{
	uint64_t v = data[gl_GlobalInvocationID.x];
	atomicAdd(sums[0], v);
	atomicMax(sums[1], v);
	atomicAdd(sums[2], v / 1000003ul);
	atomicAdd(sums[3], v % 12345ul);
	atomicXor(sums[4], v << (gl_LocalInvocationIndex & 63));
	// a sum with compare and exchange
	uint64_t seen = sums[5], assumed;
	do {
		assumed = seen;
		seen = atomicCompSwap(sums[5], assumed, assumed + (v >> 7));
	} while (seen != assumed);
	atomicOr(sums[6], v & 0x123456789abcdeful);
	atomicMax(sums[7], ~v);
}
