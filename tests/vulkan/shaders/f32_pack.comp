// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 f32 512 range -1.5 1.5 34 input
//! buffer 1 u32 2560 zeros
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec2 data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	// Steps of 1/4 are exact in all these: how packHalf2x16 rounds is open.
	vec2 a = data[i], q = round(a * 4.0) / 4.0;
	vec4 v = vec4(q, -q);
	uint half_bits = packHalf2x16(q);
	result[10 * i] = half_bits;
	result[10 * i + 1] = packUnorm4x8(abs(v) * (1.0 / 1.5));
	result[10 * i + 2] = packSnorm2x16(sign(q));
	result[10 * i + 3] = packSnorm4x8(sign(v));
	result[10 * i + 4] = packUnorm2x16(step(vec2(0), q));
	vec2 h = unpackHalf2x16(half_bits);
	result[10 * i + 5] = floatBitsToUint(h.x);
	result[10 * i + 6] = floatBitsToUint(h.y);
	result[10 * i + 7] = floatBitsToUint(unpackUnorm2x16(0xffff0000u | i).y);
	result[10 * i + 8] = floatBitsToUint(round(unpackSnorm4x8(i * 0x01010101u).z * 127.0));
	result[10 * i + 9] = floatBitsToUint(round(unpackUnorm4x8(i * 0x01010101u).w * 255.0));
}
