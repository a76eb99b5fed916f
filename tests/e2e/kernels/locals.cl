// SPDX-License-Identifier: MIT
// Several variables in LDS, and arguments whose types have names of the source's own.
typedef float real;
typedef enum { SUM, LARGEST = 4 } how_t;
struct entry {
	float key;
	short from;
};

kernel void locals(global real *out, int n, real by, how_t how)
{
	local struct entry table[32];
	local float keys[32];
	local short order[32];
	local char flags[3];
	int lid = get_local_id(0);
	table[lid].key = by * lid;
	table[lid].from = lid + 100;
	keys[lid] = -lid;
	order[lid] = 31 - lid;
	if (lid < 3)
		flags[lid] = 'a' + lid;
	barrier(CLK_LOCAL_MEM_FENCE);
	real value = keys[order[lid]];
	value = how == LARGEST ? fmax(value, table[n].key) : value + table[n].key;
	out[lid] = value + flags[1];
}
