// SPDX-License-Identifier: MIT
#version 460
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
struct Pair {
	int x, y;
};
layout(binding = 0) buffer Out { uint result[]; };
layout(binding = 1) buffer Totals { uint count; int sums[]; };
layout(binding = 2) buffer Pairs { Pair pairs[]; };
shared int room[64];
shared int most;

#include "stores.glsl"
