// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 8192 random 64
//! dispatch 1 1 1
// All of the 32 KiB that every device has, 1024 invocations, rounds of a permutation.
layout(local_size_x = 32, local_size_y = 32) in;
layout(binding = 0) buffer Data { uint data[]; };
shared uint s[8192];

void main()
{
	uint l = gl_LocalInvocationIndex;
	for (uint k = 0; k < 8; k++)
		s[k * 1024 + l] = data[k * 1024 + l];
	for (uint round = 0; round < 5; round++) {
		uint t[8];
		barrier();
		for (uint k = 0; k < 8; k++)
			t[k] = s[((k * 1024 + l) * 3333 + round) & 8191] + round;
		barrier();
		for (uint k = 0; k < 8; k++)
			s[k * 1024 + l] = t[k];
	}
	for (uint k = 0; k < 8; k++)
		data[k * 1024 + l] = s[k * 1024 + l];
}
