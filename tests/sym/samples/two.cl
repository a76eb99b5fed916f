__kernel void two(__global int *out, int n)
{
    __local int a[64];
    __local float b[32];
    int lid = __builtin_amdgcn_workitem_id_x();
    a[lid] = n;
    b[lid & 31] = (float)lid;
    __builtin_amdgcn_s_barrier();
    out[lid] = a[63 - lid] + (int)b[lid & 7];
}
// SPDX-License-Identifier: MIT
