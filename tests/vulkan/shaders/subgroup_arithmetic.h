// SPDX-License-Identifier: MIT
// Reductions, scans and clusters of a type, with all lanes and with some of them.
#include "subgroup.h"

#define ROW 8
#define ALL(name, op)                                                                              \
	{                                                                                          \
		for (uint part = 0; part < 2; part++) {                                            \
			bool on = part == 0 || (l * 7u + 3u) % 5u < 2u || LANE == WAVE - 1;        \
			result[at++] = SG_REDUCE(name, op, x, on);                                 \
			result[at++] = SG_INCLUSIVE(name, op, x, on);                              \
			result[at++] = SG_EXCLUSIVE(name, op, x, on);                              \
			result[at++] = SG_CLUSTER(name, op, x, on, 2);                             \
			result[at++] = SG_CLUSTER(name, op, x, on, 4);                             \
			result[at++] = SG_CLUSTER(name, op, x, on, 8);                             \
			result[at++] = SG_CLUSTER(name, op, x, on, 16);                            \
			result[at++] = SG_CLUSTER(name, op, x, on, 32);                            \
		}                                                                                  \
	}

void main()
{
	uint l = gl_LocalInvocationIndex;
	T x = data[gl_GlobalInvocationID.x];
	uint at = gl_GlobalInvocationID.x * N_OPS * 2 * ROW;
	OPS
}
