// SPDX-License-Identifier: MIT
#version 460
//! image 0 2d R8_UINT 40 24 1 range 0 2 170
//! dispatch 1 1 1
// Eight rounds of life on a torus, 960 cells by 960 invocations: neighbours through the image.
layout(local_size_x = 40, local_size_y = 24) in;
layout(binding = 0, r8ui) uniform coherent uimage2D cells;

void main()
{
	ivec2 p = ivec2(gl_LocalInvocationID.xy), size = imageSize(cells);
	for (int round = 0; round < 8; round++) {
		uint n = 0;
		for (int y = -1; y <= 1; y++)
			for (int x = -1; x <= 1; x++)
				n += imageLoad(cells, (p + ivec2(x, y) + size) % size).x;
		uint mine = imageLoad(cells, p).x;
		uint next = uint(n == 3 || (n == 4 && mine == 1));
		memoryBarrierImage();
		barrier();
		imageStore(cells, p, uvec4(next));
		memoryBarrierImage();
		barrier();
	}
}
