// SPDX-License-Identifier: MIT
// LDS variables of many sizes and alignments. A byte of each is written with a number of its own, so that the
// compiler's assembly says where each one lies.
#define MARK(v, n) *(volatile __local char *)&(v) = n

typedef float float3 __attribute__((ext_vector_type(3)));
struct __attribute__((packed)) packed {
	char a;
	int b;
};
struct pair {
	long a;
	char b;
};

__kernel void lds(__global int *out, int n)
{
	__local char c[3];
	__local short s;
	__local int words[9];
	__local double d[4];
	__local float3 v;
	__local struct packed p[5];
	__local struct pair q;
	__local int wide[4] __attribute__((aligned(64)));
	MARK(c, 101);
	MARK(s, 102);
	MARK(words, 103);
	MARK(d, 104);
	MARK(v, 105);
	MARK(p, 106);
	MARK(q, 107);
	MARK(wide, 108);
	__builtin_amdgcn_s_barrier();
	out[0] = *(volatile __local int *)&words[n];
}

struct mine {
	int a;
	char b[4];
};

// With -O2 the struct is moved to the LDS, behind the variables.
__kernel void promoted(__global int *out, int n)
{
	__local int first[64];
	__local char second[7];
	struct mine mine = {n, {1, 2, 3, 4}};
	int lid = __builtin_amdgcn_workitem_id_x();
	first[lid & 63] = n;
	MARK(second, 101);
	__builtin_amdgcn_s_barrier();
	mine.b[n & 3] += lid;
	out[lid] = first[63 - (lid & 63)] + mine.b[(n + 1) & 3];
}
