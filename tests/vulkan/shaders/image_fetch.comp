// SPDX-License-Identifier: MIT
#version 460
//! image 0 2d R8G8B8A8_SRGB 16 16 1 random 110 sampled
//! image 1 2d B8G8R8A8_UNORM 16 16 1 random 111 sampled
//! image 2 2d R5G6B5_UNORM_PACK16 16 16 1 random 112 sampled
//! image 3 2d R8_SINT 16 16 1 random 113 sampled
//! image 4 2d E5B9G9R9_UFLOAT_PACK32 16 16 1 random 114 sampled
//! image 5 2d R8G8_SNORM 16 16 1 random 115 sampled
//! image 6 2d R16G16_SFLOAT 16 16 1 range -9 9 116 sampled
//! image 7 2d R8_UNORM 16 16 1 random 117 sampled
//! image 8 2d R16G16B16A16_SNORM 16 16 1 random 118 sampled
//! buffer 9 u32 4608 zeros
//! buffer 10 f32 1024 zeros abs 2e-3
//! buffer 11 f32 1024 zeros ulp 1
//! dispatch 2 2 1
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D a;
layout(binding = 1) uniform sampler2D b;
layout(binding = 2) uniform sampler2D c;
layout(binding = 3) uniform isampler2D d;
layout(binding = 4) uniform sampler2D e;
layout(binding = 5) uniform sampler2D f;
layout(binding = 6) uniform sampler2D g;
layout(binding = 7) uniform sampler2D h;
layout(binding = 8) uniform sampler2D i;
layout(binding = 9) buffer Out { uint result[]; };
layout(binding = 10) buffer Near { vec4 near[]; };
layout(binding = 11) buffer Floats { vec4 floats[]; };

void main()
{
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	uint cell = uint(p.y * 16 + p.x), at = cell * 18;
	// lavapipe decodes sRGB by a polynomial, a thousandth off
	near[cell] = texelFetch(a, p, 0);
	vec4 bgra = round(texelFetch(b, p, 0) * 255.0), rgb = round(texelFetch(c, p, 0) * vec4(31, 63, 31, 1));
	for (int n = 0; n < 4; n++) {
		result[at + n] = uint(bgra[n]);
		result[at + 4 + n] = uint(rgb[n]);
		result[at + 8 + n] = uint(texelFetch(d, p, 0)[n]);
	}
	vec4 snorm = round(texelFetch(f, p, 0) * 127.0), wide = round(texelFetch(i, p, 0) * 32767.0);
	result[at + 12] = uint(int(snorm.x)) + uint(int(snorm.y)) * 1000u;
	result[at + 13] = floatBitsToUint(texelFetch(g, p, 0).x);
	result[at + 14] = floatBitsToUint(texelFetch(g, p, 0).y);
	result[at + 15] = uint(round(texelFetch(h, p, 0).x * 255.0));
	result[at + 16] = uint(int(wide.x)) + uint(int(wide.z)) * 7u;
	result[at + 17] = uint(textureSize(a, 0).x);
	floats[cell] = texelFetch(e, p, 0);
}
