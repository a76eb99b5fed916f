// SPDX-License-Identifier: MIT
#version 460
//! subgroup
//! buffer 0 u32 256 random 49 input
//! buffer 1 u32 4096 zeros
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

// The masks of the lanes below a number, as a ballot.
uvec4 below(uint n)
{
	return uvec4(n >= 32 ? 0xffffffffu : (1u << n) - 1, n >= 64 ? 0xffffffffu : n > 32 ? (1u << (n - 32)) - 1 : 0, 0, 0);
}

void main()
{
	uint i = gl_GlobalInvocationID.x, l = LANE;
	uint x = data[i];
	bool on = (x & 0x300) != 0;
	uvec4 b = sg_ballot((x & 1) != 0, on), part = sg_ballot(true, on);
	uint r[16];
	for (int k = 0; k < 16; k++)
		r[k] = 0;
#ifdef REFERENCE
	r[0] = bitCount(b.x) + bitCount(b.y);
	r[1] = l < 32 ? b.x >> l & 1 : b.y >> (l - 32) & 1;
	r[2] = bitCount(b.x & below(l + 1).x) + bitCount(b.y & below(l + 1).y);
	r[3] = bitCount(b.x & below(l).x) + bitCount(b.y & below(l).y);
	r[4] = b.x != 0 ? findLSB(b.x) : b.y != 0 ? 32 + findLSB(b.y) : 0;
	r[5] = b.y != 0 ? 32 + findMSB(b.y) : b.x != 0 ? findMSB(b.x) : 0;
	r[6] = below(l).x ^ below(l).y;
	r[7] = below(l + 1).x ^ below(l + 1).y;
	r[8] = below(WAVE).x & ~below(l).x ^ below(WAVE).y & ~below(l).y;
	r[9] = l < 32 ? 1u << l : 1u << (l - 32);
	r[10] = l;
	r[11] = gl_LocalInvocationIndex / WAVE;
	r[12] = GROUP / WAVE;
	r[13] = WAVE;
#else
	r[0] = subgroupBallotBitCount(b);
	r[1] = uint(subgroupBallotBitExtract(b, l));
	r[2] = subgroupBallotInclusiveBitCount(b);
	r[3] = subgroupBallotExclusiveBitCount(b);
#if WAVE == 32
	r[4] = b == uvec4(0) ? 0 : subgroupBallotFindLSB(b);
	r[5] = b == uvec4(0) ? 0 : subgroupBallotFindMSB(b);
#else
	// RADV 22.3 says of these that it has not implemented them for 64 bits, and compiles something
	r[4] = b.x != 0 ? findLSB(b.x) : b.y != 0 ? 32 + findLSB(b.y) : 0;
	r[5] = b.y != 0 ? 32 + findMSB(b.y) : b.x != 0 ? findMSB(b.x) : 0;
#endif
	r[6] = gl_SubgroupLtMask.x ^ gl_SubgroupLtMask.y;
	r[7] = gl_SubgroupLeMask.x ^ gl_SubgroupLeMask.y;
	r[8] = gl_SubgroupGeMask.x ^ gl_SubgroupGeMask.y;
	r[9] = gl_SubgroupEqMask.x ^ gl_SubgroupEqMask.y;
	r[10] = gl_SubgroupInvocationID;
	r[11] = gl_SubgroupID;
	r[12] = gl_NumSubgroups;
	r[13] = gl_SubgroupSize;
#endif
	r[14] = b.x;
	r[15] = b.y ^ part.x;
	for (int k = 0; k < 16; k++)
		result[16 * i + k] = r[k];
}
