// SPDX-License-Identifier: MIT
namespace zoo { __device__ int i = 5; struct T { int a; float b; }; enum class color { red, green }; enum mode { READ = 1, WRITE = 2 };
 namespace in { __device__ int j = 6; }
 __device__ __attribute__((noinline)) int f(int a) { T t = { a, 2.0f }; return t.a + i; } }
__device__ __attribute__((noinline)) int g(zoo::T t) { return t.a + zoo::in::j; }
__global__ void k(int *out) {
	int v = zoo::f(threadIdx.x);
	zoo::T t = { v, 1.0f };
	zoo::color c = zoo::color::green;
	zoo::mode m = zoo::WRITE;
	out[threadIdx.x] = v + g(t) + (int)c + m;
}
