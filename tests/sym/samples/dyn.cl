__attribute__((noinline)) static int touch(__private int *p, int k) { return p[k & 15] + p[(k + 1) & 15]; }
__kernel void dyn(__global int *out, __global const int *in, int n)
{
    int arr[16];
    int lid = __builtin_amdgcn_workitem_id_x();
    int u = n * 3;
    for (int i = 0; i < 16; i++) arr[i] = in[i + u];
    arr[n & 15] = lid;
    int r = touch(arr, n + lid);
    int big = arr[lid & 15];
    out[lid] = r + big + u;
}
// SPDX-License-Identifier: MIT
