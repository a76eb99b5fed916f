// SPDX-License-Identifier: MIT
// Reductions, scans and clusters of a type, with all lanes and with some of them: a row of results
// for each operation and each set of lanes.
#include "subgroup.h"

#define ROW 8

bool takes_part(uint set)
{
	return set == 0 || (gl_LocalInvocationIndex * 7u + 3u) % 5u < 2u || LANE == WAVE - 1;
}

#ifdef REFERENCE
// One loop for all: lavapipe compiles for minutes where each of the 112 results has a loop and
// barriers of its own.
#define ALL(op) ops[n++] = SG_##op;

void main()
{
	uint ops[N_OPS], n = 0, l = gl_LocalInvocationIndex;
	OPS for (uint set = 0; set < 2; set++)
	{
		sg_publish(data[gl_GlobalInvocationID.x], takes_part(set));
		for (uint i = 0; i < N_OPS * ROW; i++) {
			uint column = i % ROW, cluster = column < 3 ? WAVE : 1 << (column - 2);
			uint from = l - LANE % cluster, to = from + cluster;
			if (column == 1 || column == 2)
				to = column == 1 ? l + 1 : l;
			T r = takes_part(set) ? sg_arithmetic(ops[i / ROW], from, to) : T(0);
			result[((gl_GlobalInvocationID.x * N_OPS + i / ROW) * 2 + set) * ROW +
			       column] = r;
		}
	}
}
#else
#define ALL(op)                                                                                    \
	for (uint set = 0; set < 2; set++) {                                                       \
		bool on = takes_part(set);                                                         \
		result[at++] = sg_r_##op(x, on);                                                   \
		result[at++] = sg_i_##op(x, on);                                                   \
		result[at++] = sg_e_##op(x, on);                                                   \
		result[at++] = sg_c2_##op(x, on);                                                  \
		result[at++] = sg_c4_##op(x, on);                                                  \
		result[at++] = sg_c8_##op(x, on);                                                  \
		result[at++] = sg_c16_##op(x, on);                                                 \
		result[at++] = sg_c32_##op(x, on);                                                 \
	}

void main()
{
	T x = data[gl_GlobalInvocationID.x];
	uint at = gl_GlobalInvocationID.x * N_OPS * 2 * ROW;
	OPS
}
#endif
