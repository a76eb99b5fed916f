// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 4096 random 83 input
//! buffer 1 u32 64 zeros
//! dispatch 1 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint crc[]; };
shared uint table[256];

void main()
{
	uint l = gl_LocalInvocationIndex;
	for (uint n = l; n < 256; n += 64) {
		uint c = n;
		for (int k = 0; k < 8; k++)
			c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
		table[n] = c;
	}
	barrier();
	uint c = 0xffffffffu;
	for (uint k = 0; k < 256; k++)
		c = table[(c ^ (data[l * 64 + (k >> 2)] >> (8 * (k & 3)))) & 255] ^ (c >> 8);
	crc[l] = ~c;
}
