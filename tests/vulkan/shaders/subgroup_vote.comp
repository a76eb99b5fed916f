// SPDX-License-Identifier: MIT
#version 460
//! subgroup
//! buffer 0 u32 256 range 0 4 48 input
//! buffer 1 u32 2048 zeros
//! dispatch 2 1 1
#extension GL_GOOGLE_include_directive : require
#define T uint
#define T_MIN 0u
#define T_MAX 0xffffffffu
#define GROUP 128
layout(local_size_x = GROUP) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint result[]; };
#include "subgroup.h"

uint vote(uint x, uint limit, bool on)
{
	uint r = 0;
#ifdef REFERENCE
	uvec4 some = sg_ballot(x < limit, on), part = sg_ballot(true, on);
	uint first = part.x != 0 ? findLSB(part.x) : 32 + findLSB(part.y);
	uint v = sg_read(x, part == uvec4(0) ? 0 : first, on);
	uvec4 equal = sg_ballot(x == v, on);
	if (on)
		r = uint(some == part) | uint(some != uvec4(0)) << 1 | uint(equal == part) << 2 | uint(LANE == first) << 3;
#else
	if (on)
		r = uint(subgroupAll(x < limit)) | uint(subgroupAny(x < limit)) << 1 | uint(subgroupAllEqual(x)) << 2 |
		    uint(subgroupElect()) << 3;
#endif
	return r;
}

void main()
{
	uint l = gl_LocalInvocationIndex, i = gl_GlobalInvocationID.x;
	uint x = data[i];
	for (uint k = 0; k < 4; k++) {
		result[8 * i + k] = vote(x, k + 1, true);
		result[8 * i + 4 + k] = vote(x, k, x == 2 || (l & 1) == k);
	}
}
