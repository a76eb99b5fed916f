// SPDX-License-Identifier: MIT
#define GLOBAL __attribute__((address_space(1)))
struct bits {
	unsigned a : 3;
	int b : 7;
	unsigned long c : 40;
	_Bool d : 1;
	unsigned : 0;
	unsigned e : 32;
};
typedef int (*operation)(int, int);
struct grid {
	struct bits cells[2][3];
	operation op;
	__bf16 brain;
	_Float16 half;
	unsigned char bytes[];
};
__attribute__((amdgpu_kernel)) void types(GLOBAL struct grid *g)
{
	g->cells[1][2].b = -3;
	g->cells[1][2].c = 5;
	g->op = 0;
}
