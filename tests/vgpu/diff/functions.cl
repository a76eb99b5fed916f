/* SPDX-License-Identifier: MIT */
/* Kernels that use what single work-items cannot: LDS and barriers, atomics, lane operations, calls,
 * pointers that may mean any memory. test_diff_functions.c says what each must compute. All take
 * (in, out); one group has 64 work-items. */
typedef unsigned int u32;
typedef int i32;
typedef unsigned long u64;
typedef unsigned char u8;

#define ID __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define BARRIER()                                                  \
	do {                                                       \
		__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); \
		__builtin_amdgcn_s_barrier();                      \
		__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); \
	} while (0)
#define KERNEL(name) __kernel __attribute__((reqd_work_group_size(64, 1, 1))) void name(__global const u32 *in, __global u32 *out)

KERNEL(reverse)
{
	__local u32 tile[64];
	u32 g = GROUP * 64 + ID;
	tile[ID] = in[g];
	BARRIER();
	out[g] = tile[63 - ID];
}

KERNEL(scan)
{
	__local u32 a[2][64];
	u32 g = GROUP * 64 + ID, from = 0;
	a[0][ID] = in[g];
	BARRIER();
	for (u32 d = 1; d < 64; d *= 2, from ^= 1) {
		a[from ^ 1][ID] = a[from][ID] + (ID >= d ? a[from][ID - d] : 0);
		BARRIER();
	}
	out[g] = a[from][ID];
}

KERNEL(sort)
{
	__local u32 a[64];
	u32 g = GROUP * 64 + ID;
	a[ID] = in[g];
	BARRIER();
	for (u32 size = 2; size <= 64; size *= 2) {
		for (u32 step = size / 2; step; step /= 2) {
			u32 other = ID ^ step, mine = a[ID], his = a[other];
			bool up = (ID & size) == 0, low = ID < other;
			BARRIER();
			a[ID] = (mine < his) == (up == low) ? mine : his;
			BARRIER();
		}
	}
	out[g] = a[ID];
}

KERNEL(histogram)
{
	__local u32 bins[16];
	u32 g = GROUP * 64 + ID;
	if (ID < 16)
		bins[ID] = 0;
	BARRIER();
	__opencl_atomic_fetch_add((__local atomic_uint *)&bins[in[g] & 15], 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_WORK_GROUP);
	BARRIER();
	if (ID < 16)
		__opencl_atomic_fetch_add((__global atomic_uint *)&out[ID], bins[ID], __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE);
}

#define ATOMIC32(op, at, v) __opencl_atomic_fetch_##op((__global atomic_uint *)(at), v, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE)
#define ATOMICI(op, at, v) __opencl_atomic_fetch_##op((__global atomic_int *)(at), v, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE)
#define ATOMIC64(op, at, v) __opencl_atomic_fetch_##op((__global atomic_ulong *)(at), v, __ATOMIC_SEQ_CST, __OPENCL_MEMORY_SCOPE_DEVICE)
KERNEL(atomics)
{
	u32 v = in[GROUP * 64 + ID];
	__global u64 *wide = (__global u64 *)(out + 16);
	ATOMIC32(add, &out[0], v);
	ATOMIC32(sub, &out[1], v);
	ATOMIC32(and, &out[2], v | 0xff00);
	ATOMIC32(or, &out[3], v & 0x00ff00ff);
	ATOMIC32(xor, &out[4], v);
	ATOMIC32(min, &out[5], v);
	ATOMIC32(max, &out[6], v);
	ATOMICI(min, &out[7], (i32)v);
	ATOMICI(max, &out[8], (i32)v);
	ATOMIC64(add, &wide[0], (u64)v << 20);
	ATOMIC64(max, &wide[1], (u64)v << 31 | v);
	ATOMIC64(min, &wide[2], (u64)v << 31 | v);
	/* every ticket is given once */
	u32 ticket = ATOMIC32(add, &out[9], 1);
	ATOMIC64(xor, &wide[3], (u64)ticket * 0x9e3779b97f4a7c15ul);
	/* compare and swap until it works */
	u32 old = out[10], next;
	do
		next = old * 1 + (v & 1);
	while (!__opencl_atomic_compare_exchange_weak((__global atomic_uint *)&out[10], &old, next, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED,
						      __OPENCL_MEMORY_SCOPE_DEVICE));
}

__constant const u32 table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
				  0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
KERNEL(crc)
{
	u32 g = GROUP * 64 + ID, c = ~0u;
	__global const u8 *p = (__global const u8 *)in + g;
	for (u32 i = 0; i < 32 + (g & 7); i++) {
		c ^= p[i];
		c = table[c & 15] ^ c >> 4;
		c = table[c & 15] ^ c >> 4;
	}
	out[g] = ~c;
}

/* A generic pointer: the callee does not know which memory it gets. */
static __attribute__((noinline)) u32 sum(u32 *p, u32 n)
{
	u32 s = 0;
	for (u32 i = 0; i < n; i++)
		s = s * 31 + p[i];
	return s;
}

static __attribute__((noinline)) void bump(u32 *p, u32 v)
{
	__opencl_atomic_fetch_add((atomic_uint *)p, v, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE);
}

KERNEL(pointers)
{
	__local u32 shared[64 * 4];
	u32 mine[4], g = GROUP * 64 + ID;
	for (u32 i = 0; i < 4; i++) {
		mine[i] = in[g] + i;
		shared[ID * 4 + i] = in[g] ^ i;
	}
	bump((u32 *)&mine[g & 3], 5);
	bump((u32 *)&shared[ID * 4 + (g & 3)], 6);
	u32 *p = g % 3 == 0 ? (u32 *)mine : g % 3 == 1 ? (u32 *)&shared[ID * 4] : (u32 *)(in + g);
	out[g] = sum(p, 4);
}

/* Lane operations, each inside the 32 lanes around. */
KERNEL(lanes)
{
	u32 g = GROUP * 64 + ID, v = in[g], lane = ID & 31, upper = ID & 32; /* gfx11 ignores it */
	u32 r = (u32)__builtin_amdgcn_ds_bpermute((lane * 5 + 3 & 31 | upper) * 4, v);
	r = r * 31 + (u32)__builtin_amdgcn_ds_permute((lane ^ 9 | upper) * 4, v);
	r = r * 31 + (u32)__builtin_amdgcn_ds_swizzle(v, 0x401f | 2 << 10);
	r = r * 31 + (u32)__builtin_amdgcn_mov_dpp(v, 0x1b, 0xf, 0xf, true);         /* quads reversed */
	r = r * 31 + (u32)__builtin_amdgcn_update_dpp(7, v, 0x111, 0xf, 0xf, false); /* row_shr:1 */
	r = r * 31 + (u32)__builtin_amdgcn_update_dpp(7, v, 0x140, 0xf, 0xf, false); /* row_mirror */
#ifdef __GFX9__
	r = r * 31 + (u32)__builtin_amdgcn_ds_bpermute((lane ^ 16 | upper) * 4, v);
#else
	r = r * 31 + (u32)__builtin_amdgcn_permlanex16(v, v, 0x76543210, 0xfedcba98, false, false);
#endif
	if (v & 1) /* under a partial EXEC */
		r = r * 31 + (u32)__builtin_amdgcn_ds_bpermute((lane ^ 1 | upper) * 4, v);
	out[g] = r;
}

/* Numbers of a wave: its size differs, so only what does not depend on it comes out. */
KERNEL(votes)
{
	u32 g = GROUP * 64 + ID, v = in[g];
	u32 below = 0;
	for (u32 bit = 0; bit < 8; bit++)
		if (v >> bit & 1)
			below += 1 + (u32)__builtin_amdgcn_readfirstlane(bit);
	out[g] = below + (u32)__builtin_amdgcn_mbcnt_lo(0x00ff00ff, 0) * 100 * (ID < 32);
}

KERNEL(matrix)
{
	u32 g = GROUP * 64 + ID;
	float a[4][4], b[4][4], c[4][4];
	for (u32 i = 0; i < 16; i++) {
		a[i / 4][i % 4] = (float)(i32)(in[g] >> i & 255) - 100.0f;
		b[i % 4][i / 4] = (float)(in[g] * (i + 1) & 0xffff) * 0.125f;
	}
	for (u32 i = 0; i < 4; i++)
		for (u32 j = 0; j < 4; j++) {
			c[i][j] = 0;
			for (u32 k = 0; k < 4; k++)
				c[i][j] = __builtin_fmaf(a[i][k], b[k][j], c[i][j]);
		}
	u32 at = in[g] & 15;
	out[g] = __builtin_astype(c[at / 4][at % 4], u32) ^ __builtin_astype(c[at % 4][at / 4], u32) << 1;
}
