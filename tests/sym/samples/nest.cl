__attribute__((noinline)) static int inner(int a) { return a * a + 1; }
__attribute__((noinline)) static int outer(int a, int b)
{
    int x = inner(a);
    int y = inner(b + x);
    return x ^ y;
}
__kernel void nest(__global int *out, int n)
{
    int lid = __builtin_amdgcn_workitem_id_x();
    out[lid] = outer(lid, n);
}
// SPDX-License-Identifier: MIT
