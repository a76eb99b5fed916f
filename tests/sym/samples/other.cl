// SPDX-License-Identifier: MIT
// Linked with types.cl, where the struct is defined.
struct node;
static __constant int table[2] = {7, 8};
__kernel void other(__global struct node *n, __global int *out, int i)
{
    out[0] = n != 0 ? table[i & 1] : 0;
}
