/* SPDX-License-Identifier: MIT */
/* A right program that uses memory in many ways: copies and fills of all kinds and of odd sizes,
 * streams, pools, managed memory, globals of the device, LDS, atomics, printf, many allocations.
 * Under --check=bounds it has no findings, and prints the same. */
#include "check.h"
#include <vector>

enum { N = 10007 };
__device__ int table[97];
__device__ unsigned counter;
__constant__ float weights[5];

__global__ void histogram(const unsigned char *data, int n, unsigned *bins)
{
	__shared__ unsigned local[256];
	for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
		local[i] = 0;
	__syncthreads();
	for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n;
	     i += (int)(gridDim.x * blockDim.x))
		atomicAdd(&local[data[i]], 1u);
	__syncthreads();
	for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
		atomicAdd(&bins[i], local[i]);
}

__global__ void set_table()
{
	if (threadIdx.x < 97)
		table[threadIdx.x] = (int)(threadIdx.x * threadIdx.x);
}

__global__ void use_table(int *out, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i >= n)
		return;
	out[i] = table[i % 97];
	atomicAdd(&counter, 1u);
}

__global__ void smooth(const float *in, float *out, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	float sum = 0;
	if (i >= n)
		return;
	for (int k = -2; k <= 2; k++)
		if (i + k >= 0 && i + k < n)
			sum += in[i + k] * weights[k + 2];
	out[i] = sum;
}

__global__ void say(const int *p, int n)
{
	if ((int)threadIdx.x < n)
		printf("lane %d has %d\n", (int)threadIdx.x, p[threadIdx.x]);
}

/* Compilers load three floats as four. */
__global__ void turn(const float3 *in, float3 *out, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i < n)
		out[i] = make_float3(in[i].z, in[i].x, in[i].y);
}

__global__ void pack(const char4 *in, char *out, int n)
{
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
	if (i >= n)
		return;
	out[3 * i] = in[i].x;
	out[3 * i + 1] = in[i].y;
	out[3 * i + 2] = in[i].z;
}

__global__ void rows(float *m, size_t pitch_b, int width, int height)
{
	int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)blockIdx.y;
	if (x < width && y < height)
		((float *)((char *)m + y * pitch_b))[x] = (float)(x + y);
}

__global__ void half_sum(const _Float16 *in, float *out, int n)
{
	__shared__ float part[256];
	float sum = 0;
	for (int i = (int)threadIdx.x; i < n; i += 256)
		sum += (float)in[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (unsigned k = 128; k; k >>= 1) {
		if (threadIdx.x < k)
			part[threadIdx.x] += part[threadIdx.x + k];
		__syncthreads();
	}
	if (!threadIdx.x)
		*out = part[0];
}

struct node {
	node *next;
	int value;
};

__global__ void link_nodes(node *all, int n)
{
	int i = (int)threadIdx.x;
	if (i < n)
		all[i] = node{i + 1 < n ? &all[i + 1] : nullptr, i};
}

__global__ void walk(const node *first, int *out)
{
	int sum = 0;
	for (; first; first = first->next)
		sum += first->value;
	*out = sum;
}

static long wrong;

static void same(const char *what, double a, double b)
{
	if (a != b)
		printf("%s: %g, not %g\n", what, a, b), wrong++;
}

static void of_counts(void)
{
	std::vector<unsigned char> data(N);
	std::vector<unsigned> sums(256), wanted(256);
	unsigned char *d;
	unsigned *bins;
	for (int i = 0; i < N; i++)
		wanted[data[i] = (unsigned char)(i * 7 + i / 3)]++;
	MUST(hipMalloc(&d, N));
	MUST(hipMalloc(&bins, 1024));
	MUST(hipMemcpy(d, data.data(), N, hipMemcpyHostToDevice));
	MUST(hipMemset(bins, 0, 1024));
	histogram<<<7, 192>>>(d, N, bins);
	MUST(hipMemcpy(sums.data(), bins, 1024, hipMemcpyDeviceToHost));
	same("histogram", sums == wanted, 1);
	MUST(hipMemsetD8((hipDeviceptr_t)d, 1, N));
	MUST(hipMemsetD16((hipDeviceptr_t)d, 1, N / 2));
	MUST(hipFree(d));
	MUST(hipFree(bins));
}

static void of_streams(void)
{
	const float w[5] = {1, 2, 3, 2, 1};
	float *in, *out, *pinned, host[N];
	hipStream_t s[3];
	MUST(hipMemcpyToSymbol(HIP_SYMBOL(weights), w, sizeof(w)));
	MUST(hipMalloc(&in, N * 4));
	MUST(hipMalloc(&out, N * 4));
	MUST(hipHostMalloc(&pinned, N * 4, hipHostMallocMapped));
	for (int i = 0; i < N; i++)
		pinned[i] = (float)(i % 3);
	for (hipStream_t &x : s)
		MUST(hipStreamCreate(&x));
	for (int r = 0; r < 3; r++) {
		MUST(hipMemcpyAsync(in, pinned, N * 4, hipMemcpyHostToDevice, s[r]));
		smooth<<<(N + 127) / 128, 128, 0, s[r]>>>(in, out, N);
		MUST(hipMemcpyAsync(host, out, N * 4, hipMemcpyDeviceToHost, s[r]));
		MUST(hipStreamSynchronize(s[r]));
	}
	same("smooth", host[0], 4);
	smooth<<<(N + 127) / 128, 128>>>(pinned, out, N);
	MUST(hipMemcpy(in, out, N * 4, hipMemcpyDeviceToDevice));
	MUST(hipMemcpyAsync(in + 1, out, N * 4 - 4, hipMemcpyDeviceToDevice, s[0]));
	MUST(hipMemsetAsync((char *)in + 3, 7, 13, s[0]));
	MUST(hipMemsetD32((hipDeviceptr_t)(out + N - 5), 1, 5));
	for (int i = 0; i < 20; i++) {
		int *q;
		MUST(hipMallocAsync((void **)&q, 400 + 100 * (i % 3), s[1]));
		use_table<<<2, 128, 0, s[1]>>>(q, 100 + 25 * (i % 3));
		MUST(hipFreeAsync(q, s[1]));
	}
	MUST(hipDeviceSynchronize());
	MUST(hipFree(in));
	MUST(hipFree(out));
	MUST(hipHostFree(pinned));
}

static void of_sizes(void)
{
	float3 *v, *turned;
	char4 *c;
	char *packed;
	float *m, host[17][101];
	size_t pitch_b;
	hipPitchedPtr box;
	MUST(hipMalloc(&v, 1001 * sizeof(*v)));
	MUST(hipMalloc(&turned, 1001 * sizeof(*v)));
	MUST(hipMemset(v, 0, 1001 * sizeof(*v)));
	turn<<<8, 128>>>(v, turned, 1001);
	MUST(hipMalloc(&c, 999 * 4));
	MUST(hipMalloc(&packed, 999 * 3));
	pack<<<8, 128>>>(c, packed, 999);
	MUST(hipMallocPitch((void **)&m, &pitch_b, 101 * 4, 17));
	rows<<<dim3(1, 17), 128>>>(m, pitch_b, 101, 17);
	MUST(hipMemcpy2D(host, 404, m, pitch_b, 404, 17, hipMemcpyDeviceToHost));
	same("rows", host[16][100], 116);
	MUST(hipMemcpy2D(m, pitch_b, host, 404, 404, 17, hipMemcpyHostToDevice));
	MUST(hipMemset2D(m, pitch_b, 0, 404, 17));
	MUST(hipMalloc3D(&box, make_hipExtent(100, 7, 5)));
	MUST(hipMemset3D(box, 1, make_hipExtent(100, 7, 5)));
	MUST(hipDeviceSynchronize());
}

static void of_the_host(void)
{
	_Float16 *halves;
	float *sum;
	node *nodes;
	int *walked, host = 0;
	MUST(hipMallocManaged(&halves, 777 * 2));
	MUST(hipMallocManaged(&sum, 4));
	for (int i = 0; i < 777; i++)
		halves[i] = 1;
	half_sum<<<1, 256>>>(halves, sum, 777);
	MUST(hipDeviceSynchronize());
	same("half_sum", *sum, 777);
	MUST(hipMalloc(&nodes, 100 * sizeof(*nodes)));
	MUST(hipMalloc(&walked, 4));
	link_nodes<<<1, 128>>>(nodes, 100);
	walk<<<1, 1>>>(nodes, walked);
	MUST(hipMemcpy(&host, walked, 4, hipMemcpyDeviceToHost));
	same("walk", host, 4950);
	std::vector<char> big(5000001), registered(10000);
	char *d;
	MUST(hipMalloc(&d, big.size()));
	MUST(hipMemcpy(d, big.data(), big.size(), hipMemcpyHostToDevice));
	MUST(hipMemcpy(big.data(), d, big.size(), hipMemcpyDeviceToHost));
	MUST(hipMemset(d, 3, big.size()));
	MUST(hipHostRegister(registered.data(), registered.size(), 0));
	MUST(hipMemcpyAsync(d, registered.data(), registered.size(), hipMemcpyHostToDevice, nullptr));
	MUST(hipDeviceSynchronize());
	MUST(hipHostUnregister(registered.data()));
}

/* What HIP itself knows of memory is as without the check. */
static void of_pointers(void)
{
	int *p;
	hipDeviceptr_t base;
	size_t size_b = 0;
	hipPointerAttribute_t a;
	MUST(hipMalloc(&p, 1001 * 4));
	set_table<<<1, 128>>>();
	use_table<<<8, 128>>>(p, 1001);
	say<<<1, 32>>>(p, 3);
	MUST(hipMemGetAddressRange(&base, &size_b, (hipDeviceptr_t)(p + 5)));
	same("start", base == (hipDeviceptr_t)p, 1);
	same("size", (double)size_b, 4004);
	MUST(hipPointerGetAttributes(&a, p + 5));
	same("attributes", a.devicePointer == p + 5, 1);
	same("past the end", hipMemcpy(p, p, 1002 * 4, hipMemcpyDeviceToDevice), hipErrorInvalidValue);
	MUST(hipFree(p));
	same("freed twice", hipFree(p), hipErrorInvalidValue);
	for (int i = 0; i < 200; i++) {
		MUST(hipMalloc(&p, 4 * (i + 1)));
		use_table<<<(i + 128) / 128, 128>>>(p, i + 1);
		MUST(hipFree(p));
	}
}

int main()
{
	of_pointers();
	of_counts();
	of_streams();
	of_sizes();
	of_the_host();
	return verdict("memory", wrong);
}
