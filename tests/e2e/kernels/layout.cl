// SPDX-License-Identifier: MIT
// Structs in structs, for ptype/o; what gdb 13 prints of them as C is in habits.txt.
struct in { char c; int v[3]; struct { short a; union { float f; int i; unsigned j; char t[3]; } u; } deep; double d; };
struct out { char n; char pad; struct in one; struct in two[2]; struct in *p; union { int a; struct in big; } both; struct { char x; long y; } anon; float v[3]; enum e { A, B } e; char last; };
typedef struct { struct in q; char z; } td;
union uu { struct in i; char c; int b; };
__kernel void f(__global int *out) { struct out o = {}; td t = {}; union uu u = {}; o.e = get_local_id(0); out[0] = o.n + t.z + u.c + o.e; }
