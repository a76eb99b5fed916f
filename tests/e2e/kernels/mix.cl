/* mix: what the same session has to show for every kind of code. Line 1 of the file is this line. */
static __attribute__((noinline)) uint twist(uint v, uint n)
{
    for (uint i = 0; i < n; i++)
        v = v * 1664525u + 1013904223u;
    return v;
}

__attribute__((reqd_work_group_size(128, 1, 1)))
__kernel void mix(__global const uint *in, __global uint *out, uint rounds)
{
    __local uint shared[128];
    uint i = __builtin_amdgcn_workgroup_id_x() * 128 + __builtin_amdgcn_workitem_id_x();
    uint v = in[i];
    if (i & 1)
        v = twist(v, rounds);
    shared[i & 127] = v;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    out[i] = v ^ shared[127 - (i & 127)];
}
