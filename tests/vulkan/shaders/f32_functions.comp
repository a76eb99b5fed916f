// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 f32 256 range 0.01 10 32 input
//! buffer 1 f32 3072 zeros ulp 64 abs 2e-5
//! dispatch 4 1 1
// Both sides approximate: units in the last place here say how far two approximations may be apart.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) buffer Out { float result[]; };

void main()
{
	uint i = gl_GlobalInvocationID.x;
	float a = data[i], u = a / 10.0;
	float r[12] = {sin(a), cos(a), exp2(u), log2(a), exp(-u), log(a), sqrt(a), tanh(u), length(vec3(a, 1, 2)), mix(a, 3.0, 0.25),
		       smoothstep(0.0, 1.0, u), dot(normalize(vec3(a, 2, 3)), vec3(1, 1, -0.5))};
	for (int k = 0; k < 12; k++)
		result[12 * i + k] = r[k];
}
