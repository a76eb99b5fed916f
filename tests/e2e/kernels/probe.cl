/* probe.cl: line 1 of the file is this line */
#define GID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void probe_clean(__global const int *a, __global const int *b, __global int *c)
{
    int i = GID;
    c[i] = a[i] + b[i];
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void probe_trap(__global const int *a, __global const int *b, __global int *c)
{
    __local ulong mark[64];
    int i = GID;
    mark[i & 63] = 0x1111111122222222UL;
    __builtin_amdgcn_s_barrier();
    if (i == 0)
        __builtin_trap();
    c[i] = a[i] + b[i] + (int)(mark[0] >> 32);
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void probe_fault(__global const int *a, __global const int *b, __global int *c)
{
    __local ulong mark[64];
    int i = GID;
    mark[i & 63] = 0x1111111122222222UL;
    __builtin_amdgcn_s_barrier();
    c[i] = a[i] + b[i] + (int)(mark[0] >> 32);
}
