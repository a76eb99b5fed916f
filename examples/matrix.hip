// A matrix product in single precision, D = A * B. On a GPU with matrix instructions (gfx942) each
// wave computes a tile of 32 x 32 of D with v_mfma_f32_32x32x2_f32; on any other, each work-item
// computes elements of D one after the other. The results are equal, because they are whole numbers
// that f32 holds exactly, and the program compares them with the CPU's.
//
//   breakwater exec --rocm --gpu virtual:mi300x -- hipcc --offload-arch=gfx942 -O2 -o matrix matrix.hip
//   breakwater exec --rocm --gpu virtual:mi300x -- ./matrix
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TILE = 32;

#if defined(__gfx942__)
using tile_part = float __attribute__((ext_vector_type(16)));

// n, m and k: multiples of TILE. A block is one wave of 64.
__global__ void multiply(const float *a, const float *b, float *d, int m, int n, int k)
{
	const int lane = threadIdx.x, column = lane % TILE, half = lane / TILE;
	const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
	tile_part sum = {};
	// Lanes 0 to 31 have the even elements of a row of A and of a column of B, the others the odd.
	for (int i = 0; i < k; i += 2)
		sum = __builtin_amdgcn_mfma_f32_32x32x2f32(a[(row0 + column) * k + i + half],
							   b[(i + half) * n + column0 + column], sum, 0,
							   0, 0);
	for (int r = 0; r < 16; r++)
		d[(row0 + r / 4 * 8 + half * 4 + r % 4) * n + column0 + column] = sum[r];
}
#else
__global__ void multiply(const float *a, const float *b, float *d, int m, int n, int k)
{
	const int row0 = blockIdx.y * TILE, column0 = blockIdx.x * TILE;
	for (int e = threadIdx.x; e < TILE * TILE; e += blockDim.x) {
		const int row = row0 + e / TILE, column = column0 + e % TILE;
		float sum = 0;
		for (int i = 0; i < k; i++)
			sum += a[row * k + i] * b[i * n + column];
		d[row * n + column] = sum;
	}
}
#endif

static void check(hipError_t error, const char *what)
{
	if (error == hipSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, hipGetErrorString(error));
	exit(2);
}

static float *to_gpu(const std::vector<float> &v)
{
	float *p = nullptr;
	check(hipMalloc(&p, v.size() * sizeof(float)), "hipMalloc");
	check(hipMemcpy(p, v.data(), v.size() * sizeof(float), hipMemcpyHostToDevice), "hipMemcpy");
	return p;
}

int main()
{
	constexpr int m = 64, n = 96, k = 128;
	std::vector<float> a(m * k), b(k * n), d(m * n);
	for (int i = 0; i < m * k; i++)
		a[i] = (float)(i * 7 % 23 - 11);
	for (int i = 0; i < k * n; i++)
		b[i] = (float)(i * 5 % 19 - 9);
	float *ga = to_gpu(a), *gb = to_gpu(b), *gd = to_gpu(d);
	multiply<<<dim3(n / TILE, m / TILE), 64>>>(ga, gb, gd, m, n, k);
	check(hipGetLastError(), "multiply");
	check(hipMemcpy(d.data(), gd, d.size() * sizeof(float), hipMemcpyDeviceToHost), "hipMemcpy");

	int wrong = 0;
	double sum = 0;
	for (int r = 0; r < m; r++)
		for (int c = 0; c < n; c++) {
			float want = 0;
			for (int i = 0; i < k; i++)
				want += a[r * k + i] * b[i * n + c];
			wrong += d[r * n + c] != want;
			sum += d[r * n + c] * (r + 2 * c);
		}
	hipDeviceProp_t p;
	check(hipGetDeviceProperties(&p, 0), "hipGetDeviceProperties");
	printf("%s: %d of %d elements are wrong, weighted sum %.0f\n", p.gcnArchName, wrong, m * n, sum);
	return wrong != 0;
}
