// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 2048 random 4
//! dispatch 4 1 1
// Bitonic, one group sorts 512 keys.
layout(local_size_x = 256) in;
layout(binding = 0) buffer Keys { uint keys[]; };
shared uint s[512];

void main()
{
	uint l = gl_LocalInvocationIndex;
	uint base = gl_WorkGroupID.x * 512;
	s[l] = keys[base + l];
	s[l + 256] = keys[base + l + 256];
	for (uint size = 2; size <= 512; size <<= 1) {
		for (uint stride = size >> 1; stride > 0; stride >>= 1) {
			barrier();
			uint i = 2 * l - (l & (stride - 1));
			uint a = s[i], b = s[i + stride];
			bool up = (i & size) == 0;
			if ((a > b) == up) {
				s[i] = b;
				s[i + stride] = a;
			}
		}
	}
	barrier();
	keys[base + l] = s[l];
	keys[base + l + 256] = s[l + 256];
}
