// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 512 random 80 input
//! buffer 1 u32 512 zeros
//! dispatch 8 1 1
// Lanes part and meet again: switches, nested loops left from inside, returns in the middle.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

uint collatz(uint n)
{
	uint steps = 0;
	while (n != 1) {
		if (steps++ > 100)
			return 1000 + (n & 15);
		n = (n & 1) != 0 ? 3 * n + 1 : n >> 1;
	}
	return steps;
}

uint choose(uint x, uint r)
{
	switch (x % 9) {
	case 0:
		return r + 1;
	case 1:
		r ^= x;
	case 2:
		r += 17;
		break;
	case 3:
	case 4:
		for (uint k = 0; k < (x & 7); k++) {
			if ((r & 3) == 3)
				continue;
			r = r * 3 + k;
			if (r > 100000)
				break;
		}
		break;
	case 7:
		return collatz(x & 0xff | 1);
	default:
		r = ~r;
	}
	return r * 2;
}

void main()
{
	uint i = gl_GlobalInvocationID.x, x = data[i], r = i;
	for (uint a = 0; a < (x & 7) + 1; a++) {
		r = choose(x >> a, r);
		for (uint b = a; b < 12; b++) {
			if (((x >> b) & 7) == 5)
				break;
			r += b;
			if (((x >> b) & 31) == 9) {
				result[i] = r;
				return;
			}
		}
		if (r == 77)
			continue;
		do
			r = (r >> 1) ^ (x & 0xff);
		while ((r & 0x70000000) != 0);
	}
	result[i] = r;
}
