// SPDX-License-Identifier: MIT
#version 460
//! needs float16 storage16 int16
//! buffer 0 u16 65536 iota input
//! buffer 1 u32 65536 zeros
//! buffer 2 u16 65536 zeros
//! dispatch 256 1 1
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
// Every half to a float; floats next to them back. NaNs keep no payload here.
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer In { uint16_t data[]; };
layout(binding = 1) buffer Wide { uint wide[]; };
layout(binding = 2) buffer Back { uint16_t back[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	float f = float(uint16BitsToHalf(data[i]));
	bool is_nan = (i & 0x7fffu) > 0x7c00u, is_small = (i & 0x7c00u) == 0u;
	wide[i] = is_nan ? 1u : floatBitsToUint(f);
	float g = f * 1.0003;
	back[i] = is_nan || is_small ? uint16_t(1) : halfBitsToUint16(float16_t(g));
}
