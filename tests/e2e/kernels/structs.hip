// SPDX-License-Identifier: MIT
// Functions of HIP that return structs; nt has a destructor, and is returned by an address.
typedef struct { float x, y, z; } v3; typedef struct { int q; float r; } m2; typedef struct { long a; int b; } l2; typedef struct { char c; short s; } cs;
__device__ __attribute__((noinline)) v3 fv(float a) { v3 r = { a, a + 1, a + 2 }; return r; }
__device__ __attribute__((noinline)) m2 fm(int a) { m2 r = { a, a * 0.5f }; return r; }
__device__ __attribute__((noinline)) l2 fl(int a) { l2 r = { a, 3 }; return r; }
__device__ __attribute__((noinline)) cs fc(int a) { cs r = { 'c', (short) a }; return r; }
__device__ __attribute__((noinline)) float4 f4(int a) { return float4{(float)a, 1, 2, 3}; }
__device__ __attribute__((noinline)) double fd(int a) { return a * 0.25; }
struct nt { int a; __device__ nt(int x) : a(x) { } __device__ ~nt() { } };
__device__ __attribute__((noinline)) nt fn(int a) { return nt(a); }
__global__ void s(float *out) { int i = threadIdx.x; out[i] = fv(i).y + fm(i).r + fl(i).a + fc(i).s + f4(i).x + (float) fd(i) + fn(i).a; }
