// SPDX-License-Identifier: MIT
#version 460
//! needs int64 shared_int64_atomics
//! buffer 0 u64 256 random 63 input
//! buffer 1 u64 8 zeros
//! dispatch 1 1 1
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint64_t data[]; };
layout(binding = 1) buffer Out { uint64_t result[]; };
shared uint64_t u[8];

void main()
{
	uint l = gl_LocalInvocationIndex;
	uint64_t x = data[l];
	if (l < 8)
		u[l] = l == 1 ? ~0ul : 0ul;
	barrier();
	atomicAdd(u[0], x);
	atomicMin(u[1], x);
	atomicMax(u[2], x);
	atomicOr(u[3], x & 0x1111111111111111ul);
	atomicXor(u[4], x);
	uint64_t seen = u[5], was;
	do {
		was = seen;
		seen = atomicCompSwap(u[5], was, was + (x >> 40));
	} while (seen != was);
	if (atomicExchange(u[6], 9ul) == 0ul)
		atomicAdd(u[7], 1ul);
	barrier();
	if (l < 8)
		result[l] = u[l];
}
