/* SPDX-License-Identifier: MIT */
/* What HIP and C++ kernels find in front of their source in place of ROCm's headers: the words of
 * the language, the places of a thread over clang's builtins and the hidden arguments of code object
 * v5 (doc/hardware/code-objects.md 2), barriers, atomics, lane operations, and the mathematical
 * functions of the device library where it is there. "nodebug": a debugger's step goes over them. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(n, ...) __attribute__((amdgpu_flat_work_group_size(1, n)))
#define BW_FN static inline __attribute__((device, always_inline, nodebug, unused))
#define BW_HIDDEN(type) ((const __attribute__((address_space(4))) type *)__builtin_amdgcn_implicitarg_ptr())

typedef __SIZE_TYPE__ size_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define BW_VECTOR(type, name)                                    \
	typedef type name##2 __attribute__((ext_vector_type(2)));    \
	typedef type name##3 __attribute__((ext_vector_type(3)));    \
	typedef type name##4 __attribute__((ext_vector_type(4)));    \
	BW_FN name##2 make_##name##2(type x, type y)                 \
	{                                                            \
		return name##2{x, y};                                    \
	}                                                            \
	BW_FN name##3 make_##name##3(type x, type y, type z)         \
	{                                                            \
		return name##3{x, y, z};                                 \
	}                                                            \
	BW_FN name##4 make_##name##4(type x, type y, type z, type w) \
	{                                                            \
		return name##4{x, y, z, w};                              \
	}
BW_VECTOR(char, char)
BW_VECTOR(unsigned char, uchar)
BW_VECTOR(short, short)
BW_VECTOR(unsigned short, ushort)
BW_VECTOR(int, int)
BW_VECTOR(unsigned int, uint)
BW_VECTOR(long, long)
BW_VECTOR(unsigned long, ulong)
BW_VECTOR(long long, longlong)
BW_VECTOR(unsigned long long, ulonglong)
BW_VECTOR(float, float)
BW_VECTOR(double, double)
#undef BW_VECTOR

struct dim3 {
	unsigned x, y, z;
	__host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

/* printf: as in OpenCL C (opencl.cl has the layout of the buffer) LLVM makes each call of a function of this name a
 * store into room that __printf_alloc finds. clang would make it calls to ROCm's library: so its own name for it is
 * another one. What it prints goes through C's promotions; strings are literals, as the format is. */
extern "C" __device__ int __bw_printf(const char *format, ...) __asm__("printf");
#define printf(...) __bw_printf(__VA_ARGS__)
extern "C" __device__ __attribute__((noinline, nodebug, used)) __attribute__((address_space(1))) char *
__printf_alloc(unsigned size_b)
{
	typedef __attribute__((address_space(1))) unsigned global_uint;
	global_uint *buffer = (global_uint *)BW_HIDDEN(unsigned long)[9];
	unsigned most_b = __hip_atomic_load(&buffer[1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	unsigned at = __hip_atomic_load(&buffer[0], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	for (;;) {
		if (size_b > most_b || at > most_b - size_b) {
			__hip_atomic_fetch_add(&buffer[2 + most_b / 4], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
			return 0;
		}
		if (__hip_atomic_compare_exchange_strong(&buffer[0], &at, at + size_b, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
							 __HIP_MEMORY_SCOPE_AGENT))
			return (__attribute__((address_space(1))) char *)buffer + 8 + at;
	}
}

/* assert: the lane says where, and its wave traps there, as with ROCm. <assert.h> is one of ours (compile.c). */
#define BW_ASSERT(condition) \
	((condition) ? (void)0 : (printf("%s:%d: %s: Assertion `%s' failed.\n", __FILE__, __LINE__, __func__, #condition), __builtin_trap()))
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) BW_ASSERT(condition)
#endif

/* ---- Where a thread is ---- */

BW_FN unsigned __bw_block_dim(unsigned d, unsigned group)
{
	return group < BW_HIDDEN(unsigned)[d] ? BW_HIDDEN(unsigned short)[6 + d] : BW_HIDDEN(unsigned short)[9 + d];
}
BW_FN unsigned __bw_grid_dim(unsigned d)
{
	return BW_HIDDEN(unsigned)[d] + (BW_HIDDEN(unsigned short)[9 + d] != 0);
}
#define BW_PLACE(name, of_x, of_y, of_z)                                                         \
	struct __bw_##name {                                                                         \
		__declspec(property(get = get_x)) unsigned x;                                            \
		__declspec(property(get = get_y)) unsigned y;                                            \
		__declspec(property(get = get_z)) unsigned z;                                            \
		__attribute__((device, always_inline, nodebug)) static unsigned get_x() { return of_x; } \
		__attribute__((device, always_inline, nodebug)) static unsigned get_y() { return of_y; } \
		__attribute__((device, always_inline, nodebug)) static unsigned get_z() { return of_z; } \
		__attribute__((device, always_inline, nodebug)) operator dim3() const                    \
		{                                                                                        \
			return dim3(of_x, of_y, of_z);                                                       \
		}                                                                                        \
	};                                                                                           \
	extern const __attribute__((device, weak)) __bw_##name name
BW_PLACE(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z());
BW_PLACE(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z());
BW_PLACE(blockDim, __bw_block_dim(0, __builtin_amdgcn_workgroup_id_x()), __bw_block_dim(1, __builtin_amdgcn_workgroup_id_y()),
	 __bw_block_dim(2, __builtin_amdgcn_workgroup_id_z()));
BW_PLACE(gridDim, __bw_grid_dim(0), __bw_grid_dim(1), __bw_grid_dim(2));
#undef BW_PLACE
#define warpSize ((int)__builtin_amdgcn_wavefrontsize())

/* ---- Barriers and fences ---- */

BW_FN void __syncthreads()
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
BW_FN void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
BW_FN void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
BW_FN void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

/* ---- Atomics ---- */

template <typename T> struct __bw_same {
	typedef T type;
};
#define BW_ATOMIC(name, op)                                                                   \
	template <typename T> BW_FN T name(T *at, typename __bw_same<T>::type value)              \
	{                                                                                         \
		return __hip_atomic_##op(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);      \
	}                                                                                         \
	template <typename T> BW_FN T name##_block(T *at, typename __bw_same<T>::type value)      \
	{                                                                                         \
		return __hip_atomic_##op(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);  \
	}
BW_ATOMIC(atomicAdd, fetch_add)
BW_ATOMIC(atomicSub, fetch_sub)
BW_ATOMIC(atomicAnd, fetch_and)
BW_ATOMIC(atomicOr, fetch_or)
BW_ATOMIC(atomicXor, fetch_xor)
BW_ATOMIC(atomicMin, fetch_min)
BW_ATOMIC(atomicMax, fetch_max)
BW_ATOMIC(atomicExch, exchange)
#undef BW_ATOMIC
template <typename T> BW_FN T atomicCAS(T *at, typename __bw_same<T>::type expected, typename __bw_same<T>::type value)
{
	__hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	return expected;
}
BW_FN unsigned atomicInc(unsigned *at, unsigned most)
{
	return __builtin_amdgcn_atomic_inc32(at, most, __ATOMIC_RELAXED, "agent");
}
BW_FN unsigned atomicDec(unsigned *at, unsigned most)
{
	return __builtin_amdgcn_atomic_dec32(at, most, __ATOMIC_RELAXED, "agent");
}

/* ---- Lanes of a wave ---- */

BW_FN unsigned __lane_id()
{
	unsigned low = __builtin_amdgcn_mbcnt_lo(~0u, 0);
	return __builtin_amdgcn_wavefrontsize() == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low;
}
BW_FN unsigned long long __ballot(int predicate) { return __builtin_amdgcn_uicmpl(predicate != 0, 0, 33); }
BW_FN unsigned long long __activemask() { return __ballot(1); }
BW_FN int __any(int predicate) { return __ballot(predicate) != 0; }
BW_FN int __all(int predicate) { return __ballot(predicate) == __ballot(1); }
/* A dword of any lane of the wave. ds_bpermute reaches all 64 lanes on gfx9 alone: from gfx10 on each half of a
 * wave64 has a permutation of its own, and gives 0 for a lane that is not active. So in whole waves of gfx11 and
 * later the other half's values come by v_permlane64, else all of them one after another, which no lane leaves early:
 * at -O0 it would have no value to give. */
BW_FN int __bw_dword_of_lane(int value, int lane)
{
#if __AMDGCN_WAVEFRONT_SIZE__ == 64 && !defined(__GFX9__)
#ifndef __GFX10__
	if (__activemask() == ~0ull) {
		int near = __builtin_amdgcn_ds_bpermute(lane * 4, value);
		int far = __builtin_amdgcn_ds_bpermute(lane * 4, __builtin_amdgcn_permlane64(value));
		return (lane ^ __lane_id()) & 32 ? far : near;
	}
#endif
	int result = 0;
	for (int i = 0; i < 64; i++) {
		int of_lane = __builtin_amdgcn_readlane(value, i);
		result = i == (lane & 63) ? of_lane : result;
	}
	return result;
#else
	return __builtin_amdgcn_ds_bpermute(lane * 4, value);
#endif
}
template <typename T> BW_FN T __bw_of_lane(T value, int lane)
{
	int words[(sizeof(T) + 3) / 4] = {};
	__builtin_memcpy(words, &value, sizeof(T));
	for (unsigned i = 0; i < sizeof(words) / 4; i++)
		words[i] = __bw_dword_of_lane(words[i], lane);
	__builtin_memcpy(&value, words, sizeof(T));
	return value;
}
template <typename T> BW_FN T __shfl(T value, int lane, int width = warpSize)
{
	int self = __lane_id();
	return __bw_of_lane(value, (lane & (width - 1)) + (self & ~(width - 1)));
}
template <typename T> BW_FN T __shfl_up(T value, unsigned delta, int width = warpSize)
{
	int self = __lane_id(), from = self - (int)delta;
	return __bw_of_lane(value, from < (self & ~(width - 1)) ? self : from);
}
template <typename T> BW_FN T __shfl_down(T value, unsigned delta, int width = warpSize)
{
	int self = __lane_id();
	return __bw_of_lane(value, (int)((self & (width - 1)) + delta) >= width ? self : self + (int)delta);
}
template <typename T> BW_FN T __shfl_xor(T value, int mask, int width = warpSize)
{
	int self = __lane_id(), from = self ^ mask;
	return __bw_of_lane(value, from >= ((self + width) & ~(width - 1)) ? self : from);
}

/* ---- Integers and bits ---- */

BW_FN int __popc(unsigned v) { return __builtin_popcount(v); }
BW_FN int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
BW_FN int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
BW_FN int __ffs(int v) { return __builtin_ffs(v); }
BW_FN unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
BW_FN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
BW_FN int __float_as_int(float v) { return __builtin_bit_cast(int, v); }
BW_FN unsigned __float_as_uint(float v) { return __builtin_bit_cast(unsigned, v); }
BW_FN float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
BW_FN float __uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }
BW_FN long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }
BW_FN double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }
BW_FN long long clock64() { return (long long)__builtin_readcyclecounter(); }
template <typename T> BW_FN constexpr T min(T a, T b) { return b < a ? b : a; }
template <typename T> BW_FN constexpr T max(T a, T b) { return a < b ? b : a; }
BW_FN float min(float a, float b) { return __builtin_fminf(a, b); }
BW_FN float max(float a, float b) { return __builtin_fmaxf(a, b); }
BW_FN double min(double a, double b) { return __builtin_fmin(a, b); }
BW_FN double max(double a, double b) { return __builtin_fmax(a, b); }
BW_FN int abs(int v) { return v < 0 ? -v : v; }

/* ---- Mathematics: these are instructions or short sequences of them ---- */

#define BW_BUILTIN1(name)                                                   \
	BW_FN float name##f(float x) { return __builtin_##name##f(x); }         \
	BW_FN double name(double x) { return __builtin_##name(x); }             \
	BW_FN float name(float x) { return __builtin_##name##f(x); }
#define BW_BUILTIN2(name)                                                          \
	BW_FN float name##f(float x, float y) { return __builtin_##name##f(x, y); }    \
	BW_FN double name(double x, double y) { return __builtin_##name(x, y); }       \
	BW_FN float name(float x, float y) { return __builtin_##name##f(x, y); }
BW_BUILTIN1(sqrt)
BW_BUILTIN1(fabs)
BW_BUILTIN1(floor)
BW_BUILTIN1(ceil)
BW_BUILTIN1(trunc)
BW_BUILTIN1(rint)
BW_BUILTIN2(fmin)
BW_BUILTIN2(fmax)
BW_BUILTIN2(copysign)
#undef BW_BUILTIN1
#undef BW_BUILTIN2
BW_FN float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
BW_FN double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
BW_FN float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
BW_FN float rsqrtf(float x) { return 1.0f / __builtin_sqrtf(x); }
BW_FN double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
BW_FN float __fdividef(float x, float y) { return x / y; }

#ifdef BREAKWATER_DEVICE_LIBRARY
#define BW_OCML1(name)                                            \
	extern "C" __device__ float __ocml_##name##_f32(float);       \
	extern "C" __device__ double __ocml_##name##_f64(double);     \
	BW_FN float name##f(float x) { return __ocml_##name##_f32(x); } \
	BW_FN double name(double x) { return __ocml_##name##_f64(x); } \
	BW_FN float name(float x) { return __ocml_##name##_f32(x); }
#define BW_OCML2(name)                                                       \
	extern "C" __device__ float __ocml_##name##_f32(float, float);           \
	extern "C" __device__ double __ocml_##name##_f64(double, double);        \
	BW_FN float name##f(float x, float y) { return __ocml_##name##_f32(x, y); } \
	BW_FN double name(double x, double y) { return __ocml_##name##_f64(x, y); } \
	BW_FN float name(float x, float y) { return __ocml_##name##_f32(x, y); }
BW_OCML1(sin)
BW_OCML1(cos)
BW_OCML1(tan)
BW_OCML1(asin)
BW_OCML1(acos)
BW_OCML1(atan)
BW_OCML1(sinh)
BW_OCML1(cosh)
BW_OCML1(tanh)
BW_OCML1(asinh)
BW_OCML1(acosh)
BW_OCML1(atanh)
BW_OCML1(exp)
BW_OCML1(exp2)
BW_OCML1(exp10)
BW_OCML1(expm1)
BW_OCML1(log)
BW_OCML1(log2)
BW_OCML1(log10)
BW_OCML1(log1p)
BW_OCML1(cbrt)
BW_OCML1(erf)
BW_OCML1(erfc)
BW_OCML1(tgamma)
BW_OCML1(lgamma)
BW_OCML1(round)
BW_OCML2(pow)
BW_OCML2(atan2)
BW_OCML2(fmod)
BW_OCML2(hypot)
BW_OCML2(fdim)
BW_OCML2(remainder)
#undef BW_OCML1
#undef BW_OCML2
BW_FN float __sinf(float x) { return sinf(x); }
BW_FN float __cosf(float x) { return cosf(x); }
BW_FN float __expf(float x) { return expf(x); }
BW_FN float __logf(float x) { return logf(x); }
BW_FN float __powf(float x, float y) { return powf(x, y); }
#endif
