// SPDX-License-Identifier: MIT
#version 460
//! needs int64
//! buffer 0 u64 512 random 26 input
//! buffer 1 u64 2560 zeros
//! dispatch 4 1 1
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint64_t data[]; };
layout(binding = 1) buffer Out { uint64_t result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint64_t a = data[2 * i], b = data[2 * i + 1];
	int64_t ia = int64_t(a), ib = int64_t(b);
	int shift = int(b & 63ul);
	result[10 * i] = a + b;
	result[10 * i + 1] = a - b;
	result[10 * i + 2] = a * b;
	result[10 * i + 3] = min(a, b) ^ max(a, b);
	result[10 * i + 4] = uint64_t(min(ia, ib) + max(ia, -ib));
	result[10 * i + 5] = (a << shift) ^ (a >> shift);
	result[10 * i + 6] = uint64_t(ia >> shift) + uint64_t(abs(ib));
	result[10 * i + 7] = a < b ? a & b : a | ~b;
	result[10 * i + 8] = uint64_t(ia <= ib) + uint64_t(int64_t(int(a)) * int64_t(int(b)));
	result[10 * i + 9] = uint64_t(uint(a >> 32)) * uint64_t(uint(b)) + uint64_t(sign(ia) + 1);
}
