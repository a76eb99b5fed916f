// Every matrix instruction of gfx942, with its result stored, computed with, used as C and as A of the next one:
// test_strict_gfx942.c takes what the compiler puts between them away.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define VECTOR(type, name, n) typedef type name##n __attribute__((ext_vector_type(n)))
VECTOR(float, f, 2);
VECTOR(float, f, 4);
VECTOR(float, f, 16);
VECTOR(float, f, 32);
VECTOR(int, i, 2);
VECTOR(int, i, 4);
VECTOR(int, i, 16);
VECTOR(int, i, 32);
VECTOR(half, h, 4);
VECTOR(half, h, 8);
VECTOR(short, s, 4);
VECTOR(short, s, 8);
VECTOR(double, d, 4);

#define USE(name, A, B, C, call)                                                                                       \
	kernel void name##_store(global const A *pa, global const B *pb, global const C *pc, global C *out)            \
	{                                                                                                              \
		uint at = __builtin_amdgcn_workitem_id_x();                                                            \
		A a = pa[at];                                                                                          \
		B b = pb[at];                                                                                          \
		C c = pc[at];                                                                                          \
		out[at] = call;                                                                                        \
	}                                                                                                              \
	kernel void name##_alu(global const A *pa, global const B *pb, global const C *pc, global C *out)              \
	{                                                                                                              \
		uint at = __builtin_amdgcn_workitem_id_x();                                                            \
		A a = pa[at];                                                                                          \
		B b = pb[at];                                                                                          \
		C c = pc[at];                                                                                          \
		c = call;                                                                                              \
		out[at] = c + c;                                                                                       \
	}                                                                                                              \
	kernel void name##_c(global const A *pa, global const B *pb, global const C *pc, global C *out)                \
	{                                                                                                              \
		uint at = __builtin_amdgcn_workitem_id_x();                                                            \
		A a = pa[at];                                                                                          \
		B b = pb[at];                                                                                          \
		C c = pc[at];                                                                                          \
		c = call;                                                                                              \
		out[at] = call;                                                                                        \
	}                                                                                                              \
	kernel void name##_a(global const A *pa, global const B *pb, global const C *pc, global C *out)                \
	{                                                                                                              \
		uint at = __builtin_amdgcn_workitem_id_x();                                                            \
		A a = pa[at];                                                                                          \
		B b = pb[at];                                                                                          \
		C c = pc[at];                                                                                          \
		c = call;                                                                                              \
		__builtin_memcpy(&a, &c, sizeof(a));                                                                   \
		out[at] = call;                                                                                        \
	}

#define MFMA(name, A, B, C) USE(name, A, B, C, __builtin_amdgcn_mfma_##name(a, b, c, 0, 0, 0))
#define SMFMAC(name, A, B, C) USE(smfmac_##name, A, B, C, __builtin_amdgcn_smfmac_##name(a, b, c, (int)at, 0, 0))

MFMA(f32_32x32x1f32, float, float, f32)
MFMA(f32_16x16x1f32, float, float, f16)
MFMA(f32_4x4x1f32, float, float, f4)
MFMA(f32_32x32x2f32, float, float, f16)
MFMA(f32_16x16x4f32, float, float, f4)
MFMA(f32_32x32x4f16, h4, h4, f32)
MFMA(f32_16x16x4f16, h4, h4, f16)
MFMA(f32_4x4x4f16, h4, h4, f4)
MFMA(f32_32x32x8f16, h4, h4, f16)
MFMA(f32_16x16x16f16, h4, h4, f4)
MFMA(f32_32x32x4bf16_1k, s4, s4, f32)
MFMA(f32_16x16x4bf16_1k, s4, s4, f16)
MFMA(f32_4x4x4bf16_1k, s4, s4, f4)
MFMA(f32_32x32x8bf16_1k, s4, s4, f16)
MFMA(f32_16x16x16bf16_1k, s4, s4, f4)
MFMA(i32_32x32x4i8, int, int, i32)
MFMA(i32_16x16x4i8, int, int, i16)
MFMA(i32_4x4x4i8, int, int, i4)
MFMA(i32_32x32x16_i8, long, long, i16)
MFMA(i32_16x16x32_i8, long, long, i4)
MFMA(f32_16x16x8_xf32, f2, f2, f4)
MFMA(f32_32x32x4_xf32, f2, f2, f16)
MFMA(f64_16x16x4f64, double, double, d4)
MFMA(f64_4x4x4f64, double, double, double)
MFMA(f32_16x16x32_bf8_bf8, long, long, f4)
MFMA(f32_16x16x32_bf8_fp8, long, long, f4)
MFMA(f32_16x16x32_fp8_bf8, long, long, f4)
MFMA(f32_16x16x32_fp8_fp8, long, long, f4)
MFMA(f32_32x32x16_bf8_bf8, long, long, f16)
MFMA(f32_32x32x16_bf8_fp8, long, long, f16)
MFMA(f32_32x32x16_fp8_bf8, long, long, f16)
MFMA(f32_32x32x16_fp8_fp8, long, long, f16)
SMFMAC(f32_16x16x32_f16, h4, h8, f4)
SMFMAC(f32_32x32x16_f16, h4, h8, f16)
SMFMAC(f32_16x16x32_bf16, s4, s8, f4)
SMFMAC(f32_32x32x16_bf16, s4, s8, f16)
SMFMAC(i32_16x16x64_i8, i2, i4, i4)
SMFMAC(i32_32x32x32_i8, i2, i4, i16)
SMFMAC(f32_16x16x64_bf8_bf8, i2, i4, f4)
SMFMAC(f32_16x16x64_bf8_fp8, i2, i4, f4)
SMFMAC(f32_16x16x64_fp8_bf8, i2, i4, f4)
SMFMAC(f32_16x16x64_fp8_fp8, i2, i4, f4)
SMFMAC(f32_32x32x32_bf8_bf8, i2, i4, f16)
SMFMAC(f32_32x32x32_bf8_fp8, i2, i4, f16)
SMFMAC(f32_32x32x32_fp8_bf8, i2, i4, f16)
SMFMAC(f32_32x32x32_fp8_fp8, i2, i4, f16)
