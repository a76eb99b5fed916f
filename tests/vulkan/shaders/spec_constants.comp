// SPDX-License-Identifier: MIT
#version 460
//! buffer 0 u32 128 zeros
//! spec 0 u32 32
//! spec 1 u32 3
//! spec 2 f32 2.5
//! spec 3 u32 1
//! spec 4 i32 -7
//! dispatch 4 1 1
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint n = 5;
layout(constant_id = 2) const float f = 1.0;
layout(constant_id = 3) const bool flag = false;
layout(constant_id = 4) const int s = 1;
layout(constant_id = 5) const uint left_alone = 1000;
layout(binding = 0) buffer Out { uint result[]; };
shared uint part[n * 32];

void main()
{
	uint l = gl_LocalInvocationIndex;
	for (uint k = 0; k < n; k++)
		part[k * 32 + l] = l + k;
	barrier();
	uint sum = left_alone + gl_WorkGroupSize.x;
	for (uint k = 0; k < n; k++)
		sum += part[k * 32 + ((l + 1) & 31)] * k;
	if (flag)
		sum += uint(f * 10.0) + uint(-s);
	result[gl_GlobalInvocationID.x] = sum;
}
