// SPDX-License-Identifier: MIT
#version 460
//! image 0 2d R8G8B8A8_UNORM 20 12 1 zeros
//! image 1 2d R8G8B8A8_SNORM 20 12 1 zeros
//! image 2 2d R16G16B16A16_SFLOAT 20 12 1 zeros
//! image 3 2d R32G32B32A32_SFLOAT 20 12 1 zeros
//! image 4 2d R16_SFLOAT 20 12 1 zeros
//! image 5 2d R32_SFLOAT 20 12 1 zeros
//! image 6 2d R8G8_UNORM 20 12 1 zeros
//! image 7 2d R16_UNORM 20 12 1 zeros
//! image 8 2d R32G32_SFLOAT 20 12 1 zeros
//! image 9 2d A2B10G10R10_UNORM_PACK32 20 12 1 zeros
//! image 10 2d B10G11R11_UFLOAT_PACK32 20 12 1 zeros
//! image 11 2d R16G16B16A16_SNORM 20 12 1 zeros
//! dispatch 3 2 1
// Values that every format holds exactly, and some beyond its range.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform image2D a;
layout(binding = 1, rgba8_snorm) uniform image2D b;
layout(binding = 2, rgba16f) uniform image2D c;
layout(binding = 3, rgba32f) uniform image2D d;
layout(binding = 4, r16f) uniform image2D e;
layout(binding = 5, r32f) uniform image2D f;
layout(binding = 6, rg8) uniform image2D g;
layout(binding = 7, r16) uniform image2D h;
layout(binding = 8, rg32f) uniform image2D i;
layout(binding = 9, rgb10_a2) uniform image2D j;
layout(binding = 10, r11f_g11f_b10f) uniform image2D k;
layout(binding = 11, rgba16_snorm) uniform image2D l;

void main()
{
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	float n = float(p.y * 20 + p.x), s = n - 120.0;
	vec4 v = vec4(n, s, n * 0.5, -n);
	imageStore(a, p, vec4(n, 255.0 - n, n * 2.0, s) / 255.0);
	imageStore(b, p, vec4(s, -s, s * 2.0, 127.0) / 127.0);
	imageStore(c, p, v);
	imageStore(d, p, v * 1.25);
	imageStore(e, p, v.yxzw);
	imageStore(f, p, v.zyxw);
	imageStore(g, p, vec4(n, s, 0, 0) / 255.0);
	imageStore(h, p, vec4(n * 257.0) / 65535.0);
	imageStore(i, p, v.wyxz);
	imageStore(j, p, vec4(n * 4.0, n * 8.0, s, n * 0.0) / 1023.0 + vec4(0, 0, 0, float(p.x & 3) / 3.0));
	imageStore(k, p, vec4(float(p.x), float(p.y) * 0.5, float(p.x & 15) * 4.0, 1.0));
	imageStore(l, p, vec4(s * 200.0, -s * 100.0, n, 32767.0) / 32767.0);
}
