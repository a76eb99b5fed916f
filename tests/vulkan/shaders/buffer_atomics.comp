// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 1024 random 65 input
//! buffer 1 u32 10 zeros
//! buffer 2 i32 4 zeros
//! buffer 3 u32 1024 zeros sorted
//! dispatch 4 1 1
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer U { uint u[]; };
layout(binding = 2) buffer S { int s[]; };
layout(binding = 3) buffer Tickets { uint tickets[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x, x = data[i];
	atomicAdd(u[0], x);
	atomicMin(u[1], ~x);
	atomicMax(u[2], x);
	atomicAnd(u[3], x);
	atomicOr(u[4], x & 0x01010101u);
	atomicXor(u[5], x);
	if (atomicExchange(u[6], 7) == 0)
		atomicAdd(u[7], 1);
	uint seen = u[8], was;
	do {
		was = seen;
		seen = atomicCompSwap(u[8], was, was * 1 + (x & 15));
	} while (seen != was);
	tickets[i] = atomicAdd(u[9], 1);
	atomicMin(s[0], int(x));
	atomicMax(s[1], int(x));
	atomicAdd(s[2], int(x) >> 16);
	atomicAdd(s[3], -1);
}
