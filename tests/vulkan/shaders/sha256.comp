// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 2048 random 84 input
//! buffer 1 u32 1024 zeros
//! dispatch 2 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint digest[]; };
shared uint K[64];

uint rot(uint x, int n) { return (x >> n) | (x << (32 - n)); }

// The round constants: fractions of cube roots of primes, found with integers.
uint cube_root_fraction(uint p)
{
	// the largest r of 34 bits (2.32) with r^3 <= p * 2^96, bit by bit, in four limbs of 32 bits
	uint lo = 0, hi = 0;
	for (int bit = 34; bit >= 0; bit--) {
		uint tl = lo, th = hi;
		if (bit >= 32)
			th |= 1u << (bit - 32);
		else
			tl |= 1u << bit;
		uint s0, s1, s2, a, b, c, d, e, f, g, carry;
		// square: (th:tl)^2
		umulExtended(tl, tl, s1, s0);
		umulExtended(tl, th, b, a);
		uint a2 = a << 1, b2 = b << 1 | a >> 31;
		s1 = uaddCarry(s1, a2, carry);
		s2 = th * th + b2 + carry;
		// times (th:tl)
		uint r0, r1, r2, r3, h;
		umulExtended(s0, tl, h, r0);
		umulExtended(s1, tl, b, a);
		r1 = uaddCarry(h, a, carry);
		r2 = b + carry;
		umulExtended(s2, tl, d, c);
		r2 = uaddCarry(r2, c, carry);
		r3 = d + carry;
		umulExtended(s0, th, f, e);
		r1 = uaddCarry(r1, e, carry);
		uint k = f + carry;
		umulExtended(s1, th, g, h);
		h = uaddCarry(h, k, carry);
		g += carry;
		r2 = uaddCarry(r2, h, carry);
		r3 += g + carry + s2 * th;
		if (r3 < p) {
			lo = tl;
			hi = th;
		}
	}
	return lo;
}

void main()
{
	uint l = gl_LocalInvocationIndex, i = gl_GlobalInvocationID.x;
	uint p = 1, found = 0;
	while (found <= l) {
		p++;
		bool prime = true;
		for (uint d = 2; d * d <= p; d++)
			if (p % d == 0)
				prime = false;
		found += uint(prime);
	}
	K[l] = cube_root_fraction(p);
	barrier();
	uint w[64];
	for (int k = 0; k < 16; k++)
		w[k] = data[i * 16 + k];
	for (int k = 16; k < 64; k++) {
		uint a = w[k - 15], b = w[k - 2];
		w[k] = w[k - 16] + (rot(a, 7) ^ rot(a, 18) ^ (a >> 3)) + w[k - 7] + (rot(b, 17) ^ rot(b, 19) ^ (b >> 10));
	}
	uint s[8] = {0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
	for (int k = 0; k < 64; k++) {
		uint t1 = s[7] + (rot(s[4], 6) ^ rot(s[4], 11) ^ rot(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + K[k] + w[k];
		uint t2 = (rot(s[0], 2) ^ rot(s[0], 13) ^ rot(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		for (int j = 7; j > 0; j--)
			s[j] = s[j - 1];
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (int k = 0; k < 8; k++)
		digest[i * 8 + k] = s[k];
}
