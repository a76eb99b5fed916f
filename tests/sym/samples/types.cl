// SPDX-License-Identifier: MIT
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
enum color { RED, GREEN = 5, BLUE = -1 };
typedef const volatile int seldom_int;
typedef struct { int id; float w; } item_t;
struct node {
    struct node *next;
    __global item_t *items;
    int v;
    union { int u; float f; };
    half h;
};
typedef struct {
    float3 v3;
    int m[4][3];
    enum color c;
    uchar2 uc;
    item_t items[2];
    __private item_t *p;
    __local float *__private *lpp;
    int **pp;
    int (*rows)[3];
    const char *text;
    char *const fixed;
    bool b;
    seldom_int s;
    long l;
    ulong8 ul;
    double d;
    void *any;
} all_t;

__constant int table[4] = {1, 2, 3, 4};

__kernel void types(__global all_t *all, __global struct node *n, int i)
{
    __private all_t mine = all[i];
    all[i + 1].m[0][0] = mine.m[1][1];
    n[i].v = table[i & 3] + mine.m[i & 3][1];
}
