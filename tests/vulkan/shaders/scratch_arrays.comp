// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 256 random 81 input
//! buffer 1 u32 512 zeros
//! dispatch 4 1 1
// Private arrays of several shapes, a stack among them, too large for registers.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x, x = data[i];
	// quicksort of 48 bytes with a stack of its own
	uint a[48];
	for (uint k = 0; k < 48; k++)
		a[k] = data[(i + k * 5) & 255] >> (k & 7) & 0xffff;
#ifdef REFERENCE
	// not the same way: lavapipe 22.3 gets the stack below wrong (the sums here are also those of a
	// computation on the host)
	for (uint round = 0; round < 48; round++)
		for (uint k = round & 1; k + 1 < 48; k += 2) {
			uint low = min(a[k], a[k + 1]);
			a[k + 1] = max(a[k], a[k + 1]);
			a[k] = low;
		}
#else
	uint lo[32], hi[32];
	int top = 0;
	lo[0] = 0;
	hi[0] = 47;
	while (top >= 0) {
		uint l = lo[top], h = hi[top];
		top--;
		if (l >= h || h > 47)
			continue;
		uint pivot = a[h], at = l;
		for (uint k = l; k < h; k++)
			if (a[k] < pivot) {
				uint t = a[k];
				a[k] = a[at];
				a[at++] = t;
			}
		a[h] = a[at];
		a[at] = pivot;
		if (top < 29) {
			top++;
			lo[top] = l;
			hi[top] = at == 0 ? 0 : at - 1;
			top++;
			lo[top] = at + 1;
			hi[top] = h;
		}
	}
#endif
	uint sum = 0;
	for (uint k = 0; k < 48; k++)
		sum = sum * 31 + a[k];
	result[2 * i] = sum;
	vec4 m[16];
	for (uint k = 0; k < 16; k++)
		m[k] = vec4(k, k + 1, x & 255u, 0);
	m[x & 15][x >> 4 & 3] = 7.0;
	m[x >> 8 & 15].xy = m[x >> 12 & 15].zw;
	result[2 * i + 1] = uint(dot(m[x >> 16 & 15], vec4(1, 2, 3, 4)) + m[x & 15].x);
}
