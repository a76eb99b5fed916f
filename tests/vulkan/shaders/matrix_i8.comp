// SPDX-License-Identifier: MIT
#version 460
//! subgroup
//! needs int8 storage8 int64
//! wants matrix
//! buffer 0 u8 2048 random 93 input
//! buffer 1 u8 2048 random 94 input
//! buffer 2 u32 2048 random 95 input
//! buffer 3 u32 6144 zeros
//! dispatch 8 1 1
// Cooperative matrices of bytes: what matrix_i8.spvasm does, without them.
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer A { uint8_t a[]; };
layout(binding = 1) readonly buffer B { uint8_t b[]; };
layout(binding = 2) readonly buffer C { int c[]; };
layout(binding = 3) writeonly buffer D { int d[]; };

void main()
{
	uint at = gl_WorkGroupID.x * 256, row = gl_LocalInvocationID.y, col = gl_LocalInvocationID.x;
	int of_signed = 0, of_unsigned = 0, old = c[at + 16 * row + col];
	for (uint k = 0; k < 16; k++) {
		uint8_t x = a[at + 16 * row + k], y = b[at + 16 * col + k];
		of_signed += int(int8_t(x)) * int(int8_t(y));
		of_unsigned += int(x) * int(y);
	}
	d[3 * at + 16 * row + col] = old + of_signed;
	d[3 * at + 256 + 16 * row + col] = old + of_unsigned;
	d[3 * at + 512 + 16 * col + row] = int(clamp(int64_t(old) + of_signed, int64_t(-2147483647) - 1, int64_t(2147483647)));
}
