// SPDX-License-Identifier: MIT
#version 460
//! needs int64
//! buffer 0 u64 256 random 27 input
//! buffer 1 u64 512 zeros
//! dispatch 2 1 1
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint64_t data[]; };
layout(binding = 1) buffer Out { uint64_t result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	uint64_t a = data[2 * i], b = (data[2 * i + 1] >> (i & 63)) | 1ul;
	int64_t ia = int64_t(a), ib = int64_t(b);
	result[4 * i] = a / b;
	result[4 * i + 1] = a % b;
	result[4 * i + 2] = uint64_t(ia / ib);
	result[4 * i + 3] = uint64_t(ia - (ia / ib) * ib);
}
