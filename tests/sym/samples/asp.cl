typedef struct { int a[4]; } s_t;
__attribute__((noinline)) int use(__local int *l, __private s_t *p, __global int *g, __constant int *c, int *gen) { return l[0]+p->a[1]+g[2]+c[3]+gen[0]; }
__kernel void asp(__global int *g, __constant int *c){ __local int l[8]; s_t p; int i=__builtin_amdgcn_workitem_id_x(); p.a[i&3]=i; l[i&7]=i; g[i]=use(l,&p,g,c,(int*)g); }
// SPDX-License-Identifier: MIT
