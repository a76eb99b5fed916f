// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 512 random 22 input
//! buffer 1 u32 2048 zeros
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint a = data[2 * i], b = data[2 * i + 1];
	uint hi, lo, carry, borrow;
	int ihi, ilo;
	umulExtended(a, b, hi, lo);
	imulExtended(int(a), int(b), ihi, ilo);
	uint sum = uaddCarry(a, b, carry), difference = usubBorrow(a, b, borrow);
	uint r[8] = {hi, lo, uint(ihi), uint(ilo), sum, carry, difference, borrow};
	for (int k = 0; k < 8; k++)
		result[8 * i + k] = r[k];
}
