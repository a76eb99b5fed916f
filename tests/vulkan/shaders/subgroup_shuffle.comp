// SPDX-License-Identifier: MIT
#version 460
//! subgroup
//! buffer 0 u32 256 random 50 input
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

void main()
{
	uint i = gl_GlobalInvocationID.x, l = LANE;
	uint x = data[i];
	uint any_lane = (x >> 8) % WAVE, same_lane = sg_read(x, 3, true) % WAVE;
	uint r[16];
#ifdef REFERENCE
	r[0] = sg_read(x, any_lane, true);
	r[1] = sg_read(x, l ^ 1, true);
	r[2] = sg_read(x, l ^ 7, true);
	r[3] = sg_read(x, l ^ 16, true);
	r[4] = sg_read(x, (l ^ 33) % WAVE, true);
	r[5] = sg_read(x, (l - 1) % WAVE, true);
	r[6] = sg_read(x, (l + 1) % WAVE, true);
	r[7] = sg_read(x, (l - 5) % WAVE, true);
	r[8] = sg_read(x, (l + 17) % WAVE, true);
	r[9] = sg_read(x, 5, true);
	r[10] = sg_read(x, same_lane, true);
	r[11] = sg_read(x, 0, true);
	r[12] = sg_read(x, l & ~3u | 2, true);
	r[13] = sg_read(x, l ^ 1, true);
	r[14] = sg_read(x, l ^ 2, true);
	r[15] = sg_read(x, l ^ 3, true);
#else
	r[0] = subgroupShuffle(x, any_lane);
	r[1] = subgroupShuffleXor(x, 1);
	r[2] = subgroupShuffleXor(x, 7);
	r[3] = subgroupShuffleXor(x, 16);
	r[4] = subgroupShuffle(x, (l ^ 33) % WAVE);
	r[5] = subgroupShuffleUp(x, 1);
	r[6] = subgroupShuffleDown(x, 1);
	r[7] = subgroupShuffleUp(x, 5);
	r[8] = subgroupShuffleDown(x, 17);
	r[9] = subgroupBroadcast(x, 5);
	r[10] = subgroupBroadcast(x, same_lane);
	r[11] = subgroupBroadcastFirst(x);
	r[12] = subgroupQuadBroadcast(x, 2);
	r[13] = subgroupQuadSwapHorizontal(x);
	r[14] = subgroupQuadSwapVertical(x);
	r[15] = subgroupQuadSwapDiagonal(x);
#endif
	// beyond the edge of a subgroup anything may come
	if (l < 1)
		r[5] = 0;
	if (l + 1 >= WAVE)
		r[6] = 0;
	if (l < 5)
		r[7] = 0;
	if (l + 17 >= WAVE)
		r[8] = 0;
	for (int k = 0; k < 16; k++)
		result[16 * i + k] = r[k];
}
