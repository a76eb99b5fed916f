// SPDX-License-Identifier: MIT
// A struct whose arrays are indexed by variables: with -O2 clang moves it from scratch to LDS, a part for each
// work-item, and says that it is in the register that has its address there (see variables.cl).
#ifndef CPU
#define WORK_ITEM (int)__builtin_amdgcn_workitem_id_x()
#else
#include "variables_cpu.h"
#endif

#define MOST 3

struct best {
	int count;
	int ids[MOST];
	float values[MOST];
};

static void insert(struct best *b, int id, float v)
{
	int at = b->count < MOST ? b->count++ : MOST - 1;
	while (at > 0 && b->values[at - 1] > v) {
		b->values[at] = b->values[at - 1];
		b->ids[at] = b->ids[at - 1];
		at--;
	}
	b->values[at] = v;
	b->ids[at] = id;
}

__kernel void kern(__global int *out, __global int *in, float k, int n)
{
	int lid = WORK_ITEM;
	struct best best = {0};
	for (int i = 0; i < n; i++) {
		int number = in[(lid + i) & 31] ^ 5;
		if (i == 3)
			continue;
		insert(&best, i, (float)number * k);
	}
	out[lid] = best.ids[n & 1];
	out[lid + 32] = (int)best.values[best.count - 1];
}
