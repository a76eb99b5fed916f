// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 512 random 21 input
//! buffer 1 u32 4096 zeros
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	// some with few bits set, and zero
	uint a = i < 4 ? 0 : data[2 * i] >> (i & 31), b = data[2 * i + 1];
	int at = int(b & 15), n = int(b >> 8 & 15);
	uint r[16] = {bitfieldExtract(a, at, n), uint(bitfieldExtract(int(a), at, n)), bitfieldInsert(a, b, at, n), bitfieldReverse(a),
		      uint(bitCount(a)), uint(findLSB(a)), uint(findMSB(a)), uint(findMSB(int(a))),
		      uint(findMSB(~int(a))), uint(findLSB(~a)), a & ~b, ~(a ^ b),
		      (a & b) | (~a & i), a | ~b, (a << 16) | (b >> 16), bitfieldExtract(a, 8, 8) * 0x01010101u};
	for (int k = 0; k < 16; k++)
		result[16 * i + k] = r[k];
}
