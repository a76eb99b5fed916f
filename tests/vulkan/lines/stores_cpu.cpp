// SPDX-License-Identifier: MIT
// stores.glsl on the CPU, for one lane: stores_cpu LANE.
extern "C" int atoi(const char *text);
typedef unsigned uint;

static struct Pair {
	int x, y;
} pairs[64];
static uint result[64], count;
static int sums[64], room[64], most;
static struct { uint x, y, z; } gl_GlobalInvocationID;

#define main shader_main
#include "stores.glsl"
#undef main

int main(int argc, char **argv)
{
	gl_GlobalInvocationID.x = (uint)atoi(argv[1]) & 63u;
	shader_main();
	return 0;
}
