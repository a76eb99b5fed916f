// SPDX-License-Identifier: MIT
#version 460
// Runs until somebody sets the flag.
layout(local_size_x = 64) in;
layout(binding = 0) coherent volatile buffer Data { uint flag, seen; };

void main()
{
	while (flag == 0)
		;
	if (gl_LocalInvocationIndex == 0)
		atomicAdd(seen, 1);
}
