// SPDX-License-Identifier: MIT
// steps.glsl on the CPU, for one lane: steps_cpu LANE.
extern "C" int atoi(const char *text);
typedef unsigned uint;

static uint result[64];
static struct { uint x, y, z; } gl_GlobalInvocationID;

#define INOUT(type) type &
#define ARRAY(type, name, n) type (&name)[n]
#define main shader_main
#include "steps.glsl"
#undef main

int main(int argc, char **argv)
{
	gl_GlobalInvocationID.x = (uint)atoi(argv[1]) & 63u;
	shader_main();
	return 0;
}
