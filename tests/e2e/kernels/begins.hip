// SPDX-License-Identifier: MIT
// A kernel that begins with an inlined function.
static __attribute__((device, always_inline)) unsigned place()
{
	unsigned group = __builtin_amdgcn_workgroup_id_x() * 32;
	return group + __builtin_amdgcn_workitem_id_x();
}

extern "C" __attribute__((global)) void kern(unsigned *out, unsigned n)
{
	unsigned i = place();
	if (i < n)
		out[i] = i * 3;
}
