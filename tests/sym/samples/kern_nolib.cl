// kern_nolib.cl - only compiler builtins: no libclc, no dispatch packet needed
typedef struct { int id; float w; } item_t;
__attribute__((noinline)) static int helper(int a, int b)
{
    int t = a * 3 + b;
    return t - 1;
}
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void kern(__global int *out, __global const int *in, float k, int n)
{
    __local int tile[64];
    int lid = __builtin_amdgcn_workitem_id_x();
    int gid = __builtin_amdgcn_workgroup_id_x() * 64 + lid;
    int acc = 0;
    item_t it;
    int4 v4 = (int4)(1, 2, 3, gid);
    it.id = gid;
    it.w = k * gid;
    tile[lid] = in[gid];
    __builtin_amdgcn_s_barrier();
    for (int i = 0; i < n; i++) {
        if (tile[(lid + i) & 63] & 1)
            acc += helper(i, it.id);
        else
            acc -= v4.z + i;
    }
    out[gid] = acc + (int)it.w;
}
// SPDX-License-Identifier: MIT
