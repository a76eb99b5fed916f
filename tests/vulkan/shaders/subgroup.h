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

const uint SG_Add = 0, SG_Mul = 1, SG_Min = 2, SG_Max = 3, SG_And = 4, SG_Or = 5, SG_Xor = 6;

T sg_identity(uint op)
{
	switch (op) {
	case SG_Mul:
		return T(1);
	case SG_Min:
		return T_MAX;
	case SG_Max:
		return T_MIN;
#ifdef BITWISE
	case SG_And:
		return ~T(0);
#endif
	}
	return T(0);
}

T sg_combine(uint op, T x, T y)
{
	switch (op) {
	case SG_Mul:
		return x * y;
	case SG_Min:
		return min(x, y);
	case SG_Max:
		return max(x, y);
#ifdef BITWISE
	case SG_And:
		return x & y;
	case SG_Or:
		return x | y;
	case SG_Xor:
		return x ^ y;
#endif
	}
	return x + y;
}

// Of the values of lanes FROM up to TO (not included) that were published and take part.
T sg_arithmetic(uint op, uint from, uint to)
{
	T r = sg_identity(op);
	for (uint k = from; k < to; k++)
		if (sg_on[k] != 0)
			r = sg_combine(op, r, sg_value[k]);
	return r;
}

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
