// SPDX-License-Identifier: MIT
#version 460
//! needs int8 int16 float16 storage16 storage8
//! buffer 0 u32 1024 random 99 input
//! buffer 1 u32 4096 zeros
//! dispatch 4 1 1
// Vectors of bytes and halves as one word and back, and arithmetic on two halves at once.
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x, a = data[i], b = data[i + 256], c = data[i + 512];
	u8vec4 x = unpack8(a), y = unpack8(b);
	i8vec4 sx = unpack8(int(a)), sy = unpack8(int(b));
	u16vec2 p = unpack16(a), q = unpack16(b), s = unpack16(c);
	i16vec2 sp = unpack16(int(a)), sq = unpack16(int(b));
	u16vec2 shift = q & uint16_t(15);
	uint r[16] = {pack32(x + y), pack32(x * y - y), uint(pack32(sx - sy)), uint(pack32(max(sx, sy))),
		      pack32(x.wzyx), pack32(u8vec4(x.xz, y.yw)), pack32(p * q + s), pack32(min(p, q) - max(q, s)),
		      uint(pack32(max(sp, sq) + sq)), uint(pack32(-min(sp, sq))), pack32(p << shift),
		      pack32(p >> shift), uint(pack32(sp >> i16vec2(shift))), pack32(p.yx),
		      uint(pack32(abs(sp) * sq)), pack32((p & q) | ~s)};
	for (uint k = 0; k < 16; k++)
		result[16 * i + k] = r[k];
}
