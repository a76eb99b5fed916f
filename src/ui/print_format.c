/* SPDX-License-Identifier: MIT */
#include "ui/print_format.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/util.h"

struct bw_error *bw_print_format_parse(const char *text, bool units, struct bw_print_format *out)
{
	struct bw_print_format f = {.count = 1};
	const char *p = text;
	while (isdigit((unsigned char)*p)) {
		if (!units)
			return bw_errorf(BW_E_INVALID, "a count is only for x: \"/%s\"", text);
		if (!f.has_count)
			f.count = 0;
		f.has_count = true;
		f.count = f.count * 10 + (uint32_t)(*p++ - '0');
		if (f.count > 65536)
			return bw_errorf(BW_E_INVALID, "the count in \"/%s\" is over 65536", text);
	}
	for (; *p; p++) {
		if (*p == 'r' &&
		    !units) /* "raw" in gdb: no printers of scripts, of which there are none */
			continue;
		if (strchr("xzduotacfsi", *p))
			f.letter = *p;
		else if (units && strchr("bhwg", *p))
			f.unit = *p;
		else if (strchr("bhwg", *p))
			return bw_errorf(BW_E_INVALID, "a unit (%c) is only for x: \"/%s\"", *p,
					 text);
		else
			return bw_errorf(
				BW_E_INVALID,
				"\"%c\" in \"/%s\" is not a format letter (x z d u o t a c f s i)",
				*p, text);
	}
	*out = f;
	return NULL;
}

unsigned bw_print_format_unit_size(char unit)
{
	switch (unit) {
	case 'b':
		return 1;
	case 'h':
		return 2;
	case 'g':
		return 8;
	default:
		return 4;
	}
}

unsigned bw_print_format_size(const struct bw_print_format *f)
{
	if (f->letter == 'a')
		return 8;
	return f->letter == 'c' && !f->unit ? 1 : bw_print_format_unit_size(f->unit);
}

static double half_to_double(uint16_t h)
{
	int exponent = (int)bw_bits(h, 14, 10);
	double mantissa = (double)bw_bits(h, 9, 0);
	double v = exponent == 0 ? ldexp(mantissa, -24) : ldexp(mantissa + 1024, exponent - 25);
	return h >> 15 ? -v : v;
}

void bw_print_float(struct bw_str *out, uint64_t bits, unsigned size_b)
{
	static const struct {
		unsigned size_b, exponent_hi, exponent_lo, digits;
	} shape[] = {{2, 14, 10, 5}, {4, 30, 23, 9}, {8, 62, 52, 17}};
	unsigned s = size_b == 2 ? 0 : size_b == 4 ? 1 : 2;
	uint64_t exponent = bw_bits(bits, shape[s].exponent_hi, shape[s].exponent_lo);
	uint64_t mantissa = bw_bits(bits, shape[s].exponent_lo - 1, 0);
	bool negative = bits >> (shape[s].exponent_hi + 1) & 1;
	if (exponent == bw_bits(~0ull, shape[s].exponent_hi, shape[s].exponent_lo)) {
		if (mantissa)
			bw_str_addf(out, "%snan(0x%llx)", negative ? "-" : "",
				    (unsigned long long)mantissa);
		else
			bw_str_add(out, negative ? "-inf" : "inf");
		return;
	}
	double v;
	if (size_b == 2) {
		v = half_to_double((uint16_t)bits);
	} else if (size_b == 4) {
		float f;
		uint32_t w = (uint32_t)bits;
		memcpy(&f, &w, sizeof(f));
		v = (double)f;
	} else {
		memcpy(&v, &bits, sizeof(v));
	}
	bw_str_addf(out, "%.*g", (int)shape[s].digits, v);
}

static void add_binary(struct bw_str *out, uint64_t bits)
{
	int top = bits ? 63 - __builtin_clzll(bits) : 0;
	for (int i = top; i >= 0; i--)
		bw_str_add(out, bits >> i & 1 ? "1" : "0");
}

void bw_print_char(struct bw_str *out, uint8_t c, char quote)
{
	static const char named[] = "\aa\bb\tt\nn\vv\ff\rr";
	const char *at = c ? strchr(named, c) : NULL;
	if (at && (at - named) % 2 == 0)
		bw_str_addf(out, "\\%c", at[1]);
	else if (c == quote || c == '\\')
		bw_str_addf(out, "\\%c", c);
	else if (c >= 0x20 && c < 0x7f)
		bw_str_addf(out, "%c", c);
	else
		bw_str_addf(out, "\\%03o", c);
}

static char own_letter(enum bw_value_kind kind)
{
	switch (kind) {
	case BW_KIND_SIGNED:
		return 'd';
	case BW_KIND_UNSIGNED:
	case BW_KIND_BOOL:
		return 'u';
	case BW_KIND_FLOAT:
		return 'f';
	case BW_KIND_POINTER:
		return 'x';
	}
	return 'x';
}

void bw_print_value(struct bw_str *out, uint64_t bits, unsigned size_b, enum bw_value_kind kind,
		    char letter)
{
	unsigned size_bits = size_b * 8;
	bits = bw_bits(bits, size_bits - 1, 0);
	switch (letter ? letter : own_letter(kind)) {
	case 'z':
		bw_str_addf(out, "0x%0*llx", (int)size_b * 2, (unsigned long long)bits);
		return;
	case 'd':
		bw_str_addf(out, "%lld", (long long)bw_sign_extend(bits, size_bits));
		return;
	case 'u':
		if (kind == BW_KIND_BOOL && !letter)
			bw_str_add(out, bits ? "true" : "false");
		else
			bw_str_addf(out, "%llu", (unsigned long long)bits);
		return;
	case 'o':
		bw_str_addf(out, bits ? "0%llo" : "%llo", (unsigned long long)bits);
		return;
	case 't':
		add_binary(out, bits);
		return;
	case 'c':
		bw_str_addf(out, "%d '", kind == BW_KIND_UNSIGNED ? (uint8_t)bits : (int8_t)bits);
		bw_print_char(out, (uint8_t)bits, '\'');
		bw_str_add(out, "'");
		return;
	case 'f':
		if (size_b >= 2)
			bw_print_float(out, bits, size_b);
		else
			bw_str_addf(out, "%lld", (long long)bw_sign_extend(bits, size_bits));
		return;
	default: /* x, a, i, s: what has no other form is hexadecimal */
		bw_str_addf(out, "0x%llx", (unsigned long long)bits);
		return;
	}
}

void bw_print_array(struct bw_str *out, size_t n, const struct bw_print_limits *limits,
		    bw_element_fn *text, bw_same_fn *same, void *cookie)
{
	size_t i = 0, shown = 0;
	bw_str_add(out, "{");
	while (i < n && shown < limits->elements) {
		size_t run = 1;
		while (i + run < n && same(i, i + run, cookie))
			run++;
		bool folds = run > limits->repeats;
		if (i)
			bw_str_add(out, ", ");
		text(out, i, cookie);
		if (folds)
			bw_str_addf(out, " <repeats %zu times>", run);
		i += folds ? run : 1;
		shown += folds ? limits->repeats : 1;
	}
	bw_str_add(out, i < n ? "...}" : "}");
}

void bw_print_lanes(struct bw_str *out, uint64_t mask)
{
	if (!mask)
		bw_str_add(out, "none");
	bool first = true;
	for (unsigned lane = 0; lane < 64;) {
		if (!(mask >> lane & 1)) {
			lane++;
			continue;
		}
		unsigned end = lane;
		while (end < 63 && mask >> (end + 1) & 1)
			end++;
		bw_str_addf(out, end > lane ? "%s%u-%u" : "%s%u", first ? "" : ",", lane, end);
		first = false;
		lane = end + 1;
	}
}
