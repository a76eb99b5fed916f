/* SPDX-License-Identifier: MIT */
/* What OpenCL C finds in front of its source: the functions of the work-item and the barriers, over
 * clang's builtins and the hidden arguments of code object v5 (doc/hardware/code-objects.md 2).
 * They are macros, so that they win over those of any device library, which may read another layout
 * of the hidden arguments. "nodebug": a debugger's step goes over them. */
#define BW_FN __attribute__((always_inline, nodebug)) static inline
#define BW_DIM(d, f) ((d) == 0 ? f##_x() : (d) == 1 ? f##_y() : (d) == 2 ? f##_z() : 0)
#define BW_HIDDEN(type) ((__constant const type *)__builtin_amdgcn_implicitarg_ptr())

/* uint: full workgroups at 0, ushort: sizes at 6 (byte 12), of the partial last group at 9 */
BW_FN uint __bw_local_id(uint d) { return BW_DIM(d, __builtin_amdgcn_workitem_id); }
BW_FN uint __bw_group_id(uint d) { return BW_DIM(d, __builtin_amdgcn_workgroup_id); }
BW_FN uint __bw_full_size(uint d) { return d < 3 ? BW_HIDDEN(ushort)[6 + d] : 1; }
BW_FN uint __bw_num_groups(uint d)
{
	return d < 3 ? BW_HIDDEN(uint)[d] + (BW_HIDDEN(ushort)[9 + d] != 0) : 1;
}
BW_FN uint __bw_local_size(uint d)
{
	if (d >= 3)
		return 1;
	return __bw_group_id(d) < BW_HIDDEN(uint)[d] ? BW_HIDDEN(ushort)[6 + d] : BW_HIDDEN(ushort)[9 + d];
}
BW_FN size_t __bw_global_size(uint d)
{
	return d < 3 ? (size_t)BW_HIDDEN(uint)[d] * BW_HIDDEN(ushort)[6 + d] + BW_HIDDEN(ushort)[9 + d] : 1;
}
BW_FN size_t __bw_global_id(uint d)
{
	return (size_t)__bw_group_id(d) * __bw_full_size(d) + __bw_local_id(d);
}
BW_FN void __bw_barrier(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

#define get_work_dim() ((uint)BW_HIDDEN(ushort)[32])
#define get_local_id(d) ((size_t)__bw_local_id(d))
#define get_group_id(d) ((size_t)__bw_group_id(d))
#define get_num_groups(d) ((size_t)__bw_num_groups(d))
#define get_local_size(d) ((size_t)__bw_local_size(d))
#define get_enqueued_local_size(d) ((size_t)__bw_full_size(d))
#define get_global_size(d) __bw_global_size(d)
#define get_global_id(d) __bw_global_id(d)
#define get_global_offset(d) ((size_t)0)
#define get_local_linear_id()                                                                      \
	(((size_t)__bw_local_id(2) * __bw_local_size(1) + __bw_local_id(1)) * __bw_local_size(0) + \
	 __bw_local_id(0))
#define get_global_linear_id()                                                                     \
	((__bw_global_id(2) * __bw_global_size(1) + __bw_global_id(1)) * __bw_global_size(0) +     \
	 __bw_global_id(0))
#define barrier(flags) __bw_barrier()
#define work_group_barrier(...) __bw_barrier()

#if defined(BREAKWATER_DEVICE_LIBRARY) && !defined(BREAKWATER_PRINTF)
/* The library has a printf of its own that prints nothing, and hides the one that LLVM knows: the
 * linker reports this name, and the source is compiled in another way. */
int __breakwater_printf(void);
#define printf(...) __breakwater_printf()
#else
/* printf: LLVM makes each call a store into room that this function finds in the buffer of the
 * hidden arguments (byte 72): its first dword counts the bytes in use after the two dwords of its
 * head, the second is its size. The dword after its end counts the calls that found no room. */
static __attribute__((noinline, nodebug)) __global char *__printf_alloc(uint size_b)
{
	__global volatile uint *buffer = (__global volatile uint *)BW_HIDDEN(ulong)[9];
	uint most_b = buffer[1], at = buffer[0];
	for (;;) {
		if (size_b > most_b || at > most_b - size_b) {
			__sync_fetch_and_add(&buffer[2 + most_b / 4], 1u);
			return 0;
		}
		uint was = __sync_val_compare_and_swap(&buffer[0], at, at + size_b);
		if (was == at)
			return (__global char *)buffer + 8 + at;
		at = was;
	}
}
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
/* The compiler drops the function unless the source mentions it before LLVM needs it. */
BW_FN void __bw_need_printf(void) { (void)&__printf_alloc; }
#pragma OPENCL EXTENSION __cl_clang_function_pointers : disable
#define printf(...) (__bw_need_printf(), printf(__VA_ARGS__))
#endif

/* The source's functions stay as they are while those of the device library are optimized. */
#ifdef BREAKWATER_OPTIMIZE_LIBRARY_ONLY
#pragma clang optimize off
#endif
