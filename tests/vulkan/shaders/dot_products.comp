// SPDX-License-Identifier: MIT
#version 460
//! wants dot
//! buffer 0 u32 512 random 96 input
//! buffer 1 u32 2048 zeros
//! dispatch 4 1 1
// Products of packed bytes, whose instructions bookworm's glslang has no names for:
// SPV_KHR_integer_dot_product (PackedVectorFormat4x8Bit is 0).
#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

#ifdef REFERENCE
int byte_of(uint x, int k, bool is_signed)
{
	return is_signed ? bitfieldExtract(int(x), 8 * k, 8) : int(bitfieldExtract(x, 8 * k, 8));
}
int dot4(uint a, uint b, bool a_signed, bool b_signed)
{
	int sum = 0;
	for (int k = 0; k < 4; k++)
		sum += byte_of(a, k, a_signed) * byte_of(b, k, b_signed);
	return sum;
}
int clamped(int a, int b)
{
	int64_t sum = int64_t(a) + b;
	return int(clamp(sum, int64_t(-2147483647) - 1, int64_t(2147483647)));
}
int sdot(uint a, uint b, int f) { return dot4(a, b, true, true); }
uint udot(uint a, uint b, int f) { return uint(dot4(a, b, false, false)); }
int sudot(uint a, uint b, int f) { return dot4(a, b, true, false); }
int sdot_sat(uint a, uint b, int c, int f) { return clamped(dot4(a, b, true, true), c); }
uint udot_sat(uint a, uint b, uint c, int f)
{
	uint sum = uint(dot4(a, b, false, false));
	return sum + c < c ? 0xffffffffu : sum + c;
}
int sudot_sat(uint a, uint b, int c, int f) { return clamped(dot4(a, b, true, false), c); }
#else
#define DOT(n) spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = n)
DOT(4450) int sdot(uint a, uint b, spirv_literal int f);
DOT(4451) uint udot(uint a, uint b, spirv_literal int f);
DOT(4452) int sudot(uint a, uint b, spirv_literal int f);
DOT(4453) int sdot_sat(uint a, uint b, int c, spirv_literal int f);
DOT(4454) uint udot_sat(uint a, uint b, uint c, spirv_literal int f);
DOT(4455) int sudot_sat(uint a, uint b, int c, spirv_literal int f);
#endif

void main()
{
	uint i = gl_GlobalInvocationID.x, a = data[i], b = data[i + 256];
	// sums that overflow either way, and some that do not
	int c = (i & 4) != 0 ? int(0x7fffff00u | i & 255) : (i & 2) != 0 ? int(0x80000100u - (i & 255)) : int(a);
	uint d = (i & 4) != 0 ? 0xffffff00u : b;
	result[8 * i] = uint(sdot(a, b, 0));
	result[8 * i + 1] = udot(a, b, 0);
	result[8 * i + 2] = uint(sudot(a, b, 0));
	result[8 * i + 3] = uint(sdot_sat(a, b, c, 0));
	result[8 * i + 4] = udot_sat(a, b, d, 0);
	result[8 * i + 5] = uint(sudot_sat(a, b, c, 0));
	result[8 * i + 6] = uint(sdot(a, b, 0) + c);
	result[8 * i + 7] = udot(a, b, 0) + d;
}
