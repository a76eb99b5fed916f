/* SPDX-License-Identifier: MIT */
#include "opcode_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"

static unsigned width(const char *name)
{
	/* clang-format off */
	static const struct { const char *text; unsigned size_b; } widths[] = {
		{"_b128", 16}, {"_b96", 12}, {"b64", 8}, {"u64", 8}, {"i64", 8}, {"f64", 8},
		{"b32", 4}, {"u32", 4}, {"i32", 4}, {"f32", 4}, {"16", 2}, {"8", 1},
	};
	/* clang-format on */
	char text[64];
	snprintf(text, sizeof(text), "%s", name);
	char *d16 = strstr(text, "_d16");
	if (d16) /* the other number of the name */
		memmove(d16, d16 + 4, strlen(d16 + 4) + 1);
	for (size_t i = 0; i < BW_ARRAY_SIZE(widths); i++)
		if (strstr(text, widths[i].text))
			return widths[i].size_b;
	fail_msg("no width in %s", name);
	return 0;
}

struct shape shape_of(const char *name)
{
	struct shape s = {.n_elements = 1, .step = 1, .n_operands = 1};
	const char *op = strchr(name, '_') + 1;
	s.size_b = width(op);
	s.addtid = strstr(op, "addtid");
	if (strstr(op, "2addr"))
		s.n_elements = 2;
	if (strstr(op, "stride64"))
		s.step = 64;
	if (!strncmp(op, "load", 4)) {
		s.kind = LOAD;
		s.sign = strstr(op, "_i8") || strstr(op, "_i16");
		s.half = strstr(op, "d16_hi") ? 2 : strstr(op, "d16") ? 1 : 0;
	} else if (!strncmp(op, "store_", 6)) {
		s.kind = STORE;
		s.half = strstr(op, "d16_hi") ? 2 : 0;
	} else {
		s.kind = ATOMIC;
		s.returns = strstr(op, "_rtn");
		if (!strncmp(op, "atomic_", 7))
			op += 7;
		snprintf(s.rmw, sizeof(s.rmw), "%.*s", (int)strcspn(op, "_"), op);
		if (!strcmp(s.rmw, "cmpswap") || !strcmp(s.rmw, "cmpstore") ||
		    !strcmp(s.rmw, "mskor") || !strcmp(s.rmw, "wrap"))
			s.n_operands = 2;
		if (strstr(op, "f32") || strstr(op, "f64"))
			strcat(s.rmw, "_f");
		else if (strstr(op, "i32") || strstr(op, "i64"))
			strcat(s.rmw, "_i");
	}
	return s;
}

/* ---- the arithmetic of atomics ---- */

static double as_double(uint64_t v, unsigned size_b, bool flush)
{
	double d;
	if (size_b == 4) {
		uint32_t bits = (uint32_t)v;
		float f;
		memcpy(&f, &bits, 4);
		return flush && fpclassify(f) == FP_SUBNORMAL ? copysign(0.0, (double)f)
							      : (double)f;
	}
	memcpy(&d, &v, 8);
	return flush && fpclassify(d) == FP_SUBNORMAL ? copysign(0.0, d) : d;
}

static uint64_t from_double(double d, unsigned size_b, bool flush)
{
	uint64_t v = 0;
	if (size_b == 8) {
		memcpy(&v, &d, 8);
		return v;
	}
	float f = (float)d; /* the sum of two floats, rounded once more, is right */
	if (flush && fpclassify(f) == FP_SUBNORMAL)
		f = copysignf(0.0f, f);
	memcpy(&v, &f, 4);
	return v;
}

static bool is_nan(uint64_t v, unsigned size_b, bool *out_signalling)
{
	uint64_t exponent = size_b == 4 ? 0x7f800000 : 0x7ff0000000000000;
	uint64_t mantissa = size_b == 4 ? 0x007fffff : 0x000fffffffffffff;
	*out_signalling = !(v & (mantissa + 1) >> 1);
	return (v & exponent) == exponent && (v & mantissa);
}

static uint64_t model_float(const char *op, uint64_t o, uint64_t d, uint64_t c, unsigned size_b,
			    bool flush_in, bool flush_out)
{
	double fo = as_double(o, size_b, flush_in), fd = as_double(d, size_b, flush_in);
	bool so, sd, no = is_nan(o, size_b, &so), nd = is_nan(d, size_b, &sd);
	uint64_t quiet = size_b == 4 ? 0x00400000 : 0x0008000000000000;
	if (!strncmp(op, "cmp", 3))
		return fo == as_double(c, size_b, flush_in) ? d : o;
	if (!strncmp(op, "add", 3))
		return from_double(fo + fd, size_b, flush_out);
	if (nd && sd)
		return d | quiet;
	if (no && so)
		return o | quiet;
	if (nd || no)
		return nd ? from_double(fo, size_b, false) | (no ? o : 0)
			  : from_double(fd, size_b, false);
	bool less = fd < fo || (fd == fo && signbit(fd) && !signbit(fo));
	bool more = fd > fo || (fd == fo && !signbit(fd) && signbit(fo));
	return from_double(!strncmp(op, "min", 3) ? (less ? fd : fo) : (more ? fd : fo), size_b,
			   false);
}

static int64_t as_signed(uint64_t v, unsigned size_b)
{
	return bw_sign_extend(v, size_b * 8);
}

uint64_t model_rmw(const struct shape *s, uint64_t o, uint64_t d, uint64_t c, bool in_lds,
		   uint32_t mode)
{
	const char *op = s->rmw;
	uint64_t mask = s->size_b == 4 ? UINT32_MAX : UINT64_MAX;
	bool is_signed = strstr(op, "_i");
	if (strstr(op, "_f")) {
		uint32_t keep = mode >> (s->size_b == 8 ? 6 : 4);
		bool add = !strncmp(op, "add", 3);
		return model_float(op, o, d, c, s->size_b, in_lds ? !(keep & 1) : add,
				   in_lds ? !(keep & 2) : add);
	}
#define IS(text) (!strncmp(op, text, strlen(text)))
	if (IS("swap") || IS("storexchg"))
		return d;
	if (IS("cmp"))
		return o == c ? d : o;
	if (IS("csub"))
		return o < d ? 0 : o - d;
	if (IS("add"))
		return (o + d) & mask;
	if (IS("sub"))
		return (o - d) & mask;
	if (IS("rsub"))
		return (d - o) & mask;
	if (IS("min") && is_signed)
		return as_signed(d, s->size_b) < as_signed(o, s->size_b) ? d : o;
	if (IS("max") && is_signed)
		return as_signed(d, s->size_b) > as_signed(o, s->size_b) ? d : o;
	if (IS("min"))
		return d < o ? d : o;
	if (IS("max"))
		return d > o ? d : o;
	if (IS("and"))
		return o & d;
	if (IS("or"))
		return o | d;
	if (IS("xor"))
		return o ^ d;
	if (IS("inc"))
		return o >= d ? 0 : o + 1;
	if (IS("dec"))
		return o == 0 || o > d ? d : o - 1;
	if (IS("mskor"))
		return ((o & ~d) | c) & mask;
	if (IS("wrap"))
		return (o >= d ? o - d : o + c) & mask;
	if (IS("condxchg32")) {
		uint64_t lo = d >> 31 & 1 ? d & 0x7fffffff : o & 0xffffffff;
		uint64_t hi = d >> 63 ? d >> 32 & 0x7fffffff : o >> 32;
		return hi << 32 | lo;
	}
#undef IS
	fail_msg("the model does not know %s", op);
	return 0;
}
