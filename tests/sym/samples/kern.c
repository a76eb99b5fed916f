#define GLOBAL __attribute__((address_space(1)))
__attribute__((amdgpu_kernel)) void ckern(GLOBAL int *out, int n)
{
	int lid = __builtin_amdgcn_workitem_id_x();
	int s = 0;
	for (int i = 0; i <= lid; i++)
		s += i * n;
	out[lid] = s;
}
/* SPDX-License-Identifier: MIT */
