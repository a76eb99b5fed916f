// SPDX-License-Identifier: MIT
// Subgroup operations under a condition, and the same without subgroups (REFERENCE): values go
// through shared memory, WAVE invocations in a row are a subgroup. T is the type, GROUP the size of
// the workgroup; the operations are called by all invocations, `on` says which take part.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require

#define LANE (gl_LocalInvocationIndex % WAVE)
#define FIRST (gl_LocalInvocationIndex - LANE)

#ifdef REFERENCE
shared T sg_value[GROUP];
shared uint sg_on[GROUP];

void sg_publish(T x, bool on)
{
	barrier();
	sg_value[gl_LocalInvocationIndex] = x;
	sg_on[gl_LocalInvocationIndex] = uint(on);
	barrier();
}

// KIND: 0 reduce, 1 inclusive scan, 2 exclusive scan; CLUSTER: lanes that belong together
#define SG_ARITHMETIC(name, op, identity, COMBINE)                                                 \
	T name(T x, bool on, uint kind, uint cluster)                                              \
	{                                                                                          \
		sg_publish(x, on);                                                                 \
		uint from = gl_LocalInvocationIndex - LANE % cluster;                              \
		uint to = kind == 0 ? from + cluster : gl_LocalInvocationIndex + 2 - kind;         \
		T r = identity;                                                                    \
		for (uint k = from; k < to; k++)                                                   \
			if (sg_on[k] != 0) {                                                       \
				T y = sg_value[k];                                                 \
				r = COMBINE;                                                       \
			}                                                                          \
		return on ? r : T(0);                                                              \
	}
#define SG_REDUCE(name, op, x, on) name(x, on, 0, WAVE)
#define SG_INCLUSIVE(name, op, x, on) name(x, on, 1, WAVE)
#define SG_EXCLUSIVE(name, op, x, on) name(x, on, 2, WAVE)
#define SG_CLUSTER(name, op, x, on, n) name(x, on, 0, n)

T sg_read(T x, uint lane, bool on)
{
	sg_publish(x, on);
	return on ? sg_value[FIRST + lane] : T(0);
}

uvec4 sg_ballot(bool b, bool on)
{
	sg_publish(T(b ? 1 : 0), on);
	uvec4 r = uvec4(0);
	for (uint k = 0; k < WAVE; k++)
		if (sg_on[FIRST + k] != 0 && sg_value[FIRST + k] != T(0))
			r[k / 32] |= 1u << (k % 32);
	return on ? r : uvec4(0);
}
#else
#define SG_ARITHMETIC(name, op, identity, COMBINE)
#define SG_IF(on, type, e) ((on) ? (e) : type(0))
#define SG_PASTE(a, b) a##b
#define SG_REDUCE(name, op, x, on) sg_r_##op(x, on)
#define SG_INCLUSIVE(name, op, x, on) sg_i_##op(x, on)
#define SG_EXCLUSIVE(name, op, x, on) sg_e_##op(x, on)
#define SG_CLUSTER(name, op, x, on, n) sg_c##n##_##op(x, on)
// An operation inside "if (on)", so that only those lanes take part.
#define SG_FUNCTION(name, e)                                                                       \
	T name(T x, bool on)                                                                       \
	{                                                                                          \
		T r = T(0);                                                                        \
		if (on)                                                                            \
			r = e;                                                                     \
		return r;                                                                          \
	}
#define SG_FUNCTIONS(op)                                                                           \
	SG_FUNCTION(sg_r_##op, subgroup##op(x))                                                    \
	SG_FUNCTION(sg_i_##op, subgroupInclusive##op(x))                                           \
	SG_FUNCTION(sg_e_##op, subgroupExclusive##op(x))                                           \
	SG_FUNCTION(sg_c2_##op, subgroupClustered##op(x, 2))                                       \
	SG_FUNCTION(sg_c4_##op, subgroupClustered##op(x, 4))                                       \
	SG_FUNCTION(sg_c8_##op, subgroupClustered##op(x, 8))                                       \
	SG_FUNCTION(sg_c16_##op, subgroupClustered##op(x, 16))                                     \
	SG_FUNCTION(sg_c32_##op, subgroupClustered##op(x, 32))
SG_FUNCTIONS(Add)
SG_FUNCTIONS(Mul)
SG_FUNCTIONS(Min)
SG_FUNCTIONS(Max)
#ifdef BITWISE
SG_FUNCTIONS(And)
SG_FUNCTIONS(Or)
SG_FUNCTIONS(Xor)
#endif

T sg_read(T x, uint lane, bool on)
{
	T r = T(0);
	if (on)
		r = subgroupShuffle(x, lane);
	return r;
}

uvec4 sg_ballot(bool b, bool on)
{
	uvec4 r = uvec4(0);
	if (on)
		r = subgroupBallot(b);
	return r;
}
#endif

SG_ARITHMETIC(sg_add, Add, T(0), r + y)
SG_ARITHMETIC(sg_mul, Mul, T(1), r *y)
SG_ARITHMETIC(sg_min, Min, T_MAX, min(r, y))
SG_ARITHMETIC(sg_max, Max, T_MIN, max(r, y))
#ifdef BITWISE
SG_ARITHMETIC(sg_and, And, ~T(0), r &y)
SG_ARITHMETIC(sg_or, Or, T(0), r | y)
SG_ARITHMETIC(sg_xor, Xor, T(0), r ^ y)
#endif
