// SPDX-License-Identifier: MIT
// A kernel in C: its metadata has no names of arguments.
struct s {
	int neg : 4;
	unsigned lo : 5;
	struct {
		int a;
		float b;
	} in;
	float v[3];
};
__attribute__((amdgpu_kernel)) void k(__attribute__((address_space(1))) int *out)
{
	struct s t = {-3, 7, {1, 2.5f}, {1, 2, 3}};
	out[0] = t.neg + t.in.a;
	out[1] = t.lo + (int)t.v[1];
}
