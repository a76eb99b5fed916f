// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u8 1024 random 87 sampledtexel R8G8B8A8_UNORM input
//! buffer 1 u16 512 random 88 sampledtexel R16G16B16A16_UINT input
//! buffer 2 u32 256 zeros texel R32_UINT
//! buffer 3 f32 256 zeros texel R32_SFLOAT
//! buffer 4 u8 1024 zeros texel R8G8B8A8_UINT
//! dispatch 4 1 1
layout(local_size_x = 64) in;
layout(binding = 0) uniform samplerBuffer a;
layout(binding = 1) uniform usamplerBuffer b;
layout(binding = 2, r32ui) uniform uimageBuffer c;
layout(binding = 3, r32f) uniform imageBuffer d;
layout(binding = 4, rgba8ui) uniform uimageBuffer e;

void main()
{
	int i = int(gl_GlobalInvocationID.x);
	vec4 x = texelFetch(a, i);
	uvec4 y = texelFetch(b, i % textureSize(b));
	imageAtomicAdd(c, (i * 7) % imageSize(c), y.x);
	imageStore(d, i, vec4(round(x.x * 255.0) + round(x.w * 255.0) * 256.0));
	imageStore(e, i, uvec4(round(x * 255.0)) ^ (y & 255u));

}
