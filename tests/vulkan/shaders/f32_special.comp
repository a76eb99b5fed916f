// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 2304 zeros
//! dispatch 4 1 1
// Infinities, NaN, zeros and large numbers meet each other; only what IEEE 754 settles.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Out { uint result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint bits[16] = {0u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0x3f800000u, 0xbf800000u, 0x7f7fffffu,
			 0xff7fffffu, 0x00800000u, 0x4b000001u, 0x40000000u, 0x7fc12345u, 0x41200000u, 0x5f000000u, 0x2f000000u};
	float a = uintBitsToFloat(bits[i & 15]), b = uintBitsToFloat(bits[i >> 4]);
	precise float sum = a + b, product = a * b;
	result[9 * i] = isnan(sum) ? 1 : floatBitsToUint(sum);
	result[9 * i + 1] = isnan(product) ? 1 : floatBitsToUint(product);
	result[9 * i + 2] = uint(a < b) | uint(a <= b) << 1 | uint(a == b) << 2;
	result[9 * i + 3] = uint(a > b) | uint(a >= b) << 1 | uint(a != b) << 2;
	result[9 * i + 4] = uint(isnan(a)) | uint(isinf(a)) << 1;
	result[9 * i + 5] = uint(!(a < b)) | uint(!(a >= b)) << 1;
	result[9 * i + 6] = isnan(a) ? 1 : floatBitsToUint(-a);
	result[9 * i + 7] = isnan(a) ? 1 : floatBitsToUint(abs(a));
	result[9 * i + 8] = isnan(a) || isnan(b) || (a == 0.0 && b == 0.0) ? 1 : floatBitsToUint(max(a, b));
}
