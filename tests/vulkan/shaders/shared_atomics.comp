// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 1024 random 62 input
//! buffer 1 u32 32 zeros
//! dispatch 1 1 1
layout(local_size_x = 1024) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
shared uint u[10];
shared int s[4];

void main()
{
	uint l = gl_LocalInvocationIndex, x = data[l];
	if (l < 10)
		u[l] = l == 1 || l == 3 ? 0xffffffffu : 0;
	if (l < 4)
		s[l] = 0;
	barrier();
	atomicAdd(u[0], x);
	atomicMin(u[1], x);
	atomicMax(u[2], x);
	atomicAnd(u[3], x | 0xff0000ffu | 1u << (l & 31));
	atomicOr(u[4], x & 0x11111111u);
	atomicXor(u[5], x);
	if (atomicExchange(u[6], 7) == 0)
		atomicAdd(u[7], 1); // one invocation only
	uint seen = u[8], was;
	do {
		was = seen;
		seen = atomicCompSwap(u[8], was, was + (x & 15));
	} while (seen != was);
	uint ticket = atomicAdd(u[9], 1);
	atomicMin(s[0], int(x));
	atomicMax(s[1], int(x));
	atomicAdd(s[2], int(x) >> 16);
	atomicAdd(s[3], int(ticket));
	barrier();
	if (l < 10)
		result[l] = u[l];
	else if (l < 14)
		result[l] = uint(s[l - 10]);
}
