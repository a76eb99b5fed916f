/* SPDX-License-Identifier: MIT */
#include "launch/value.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/util.h"

/* A buffer larger than this is a typing mistake, or needs more than a command line. */
#define VALUE_MAX_B (4ull << 30)

static const struct {
	const char *name;
	uint8_t size_b;
	bool is_float, is_signed;
} scalars[BW_SCALAR_COUNT] = {
	[BW_SCALAR_F32] = {"f32", 4, true, true},   [BW_SCALAR_F16] = {"f16", 2, true, true},
	[BW_SCALAR_F64] = {"f64", 8, true, true},   [BW_SCALAR_I8] = {"i8", 1, false, true},
	[BW_SCALAR_U8] = {"u8", 1, false, false},   [BW_SCALAR_I16] = {"i16", 2, false, true},
	[BW_SCALAR_U16] = {"u16", 2, false, false}, [BW_SCALAR_I32] = {"i32", 4, false, true},
	[BW_SCALAR_U32] = {"u32", 4, false, false}, [BW_SCALAR_I64] = {"i64", 8, false, true},
	[BW_SCALAR_U64] = {"u64", 8, false, false},
};

/* OpenCL C and C names, without qualifiers; sizes are those of the amdgcn target. */
static const struct {
	const char *name;
	enum bw_scalar type;
} type_names[] = {
	{"float", BW_SCALAR_F32},
	{"half", BW_SCALAR_F16},
	{"_Float16", BW_SCALAR_F16},
	{"double", BW_SCALAR_F64},
	{"char", BW_SCALAR_I8},
	{"signed char", BW_SCALAR_I8},
	{"uchar", BW_SCALAR_U8},
	{"unsigned char", BW_SCALAR_U8},
	{"bool", BW_SCALAR_U8},
	{"_Bool", BW_SCALAR_U8},
	{"short", BW_SCALAR_I16},
	{"ushort", BW_SCALAR_U16},
	{"unsigned short", BW_SCALAR_U16},
	{"int", BW_SCALAR_I32},
	{"uint", BW_SCALAR_U32},
	{"unsigned int", BW_SCALAR_U32},
	{"unsigned", BW_SCALAR_U32},
	{"long", BW_SCALAR_I64},
	{"ulong", BW_SCALAR_U64},
	{"unsigned long", BW_SCALAR_U64},
	{"long long", BW_SCALAR_I64},
	{"unsigned long long", BW_SCALAR_U64},
	{"size_t", BW_SCALAR_U64},
	{"ptrdiff_t", BW_SCALAR_I64},
	{"intptr_t", BW_SCALAR_I64},
	{"uintptr_t", BW_SCALAR_U64},
	{"int8_t", BW_SCALAR_I8},
	{"uint8_t", BW_SCALAR_U8},
	{"int16_t", BW_SCALAR_I16},
	{"uint16_t", BW_SCALAR_U16},
	{"int32_t", BW_SCALAR_I32},
	{"uint32_t", BW_SCALAR_U32},
	{"int64_t", BW_SCALAR_I64},
	{"uint64_t", BW_SCALAR_U64},
};

static const char *const qualifiers[] = {"const",    "volatile",   "restrict", "__restrict",
					 "__global", "__constant", "__local",  "__private",
					 "global",   "constant",   "local"};

const char *bw_scalar_name(enum bw_scalar type)
{
	return scalars[type].name;
}

unsigned bw_scalar_size(enum bw_scalar type)
{
	return scalars[type].size_b;
}

bool bw_scalar_parse(const char *name, enum bw_scalar *out)
{
	for (int i = 0; i < BW_SCALAR_COUNT; i++) {
		if (!strcmp(name, scalars[i].name)) {
			*out = (enum bw_scalar)i;
			return true;
		}
	}
	return false;
}

static bool is_qualifier(const char *word)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(qualifiers); i++)
		if (!strcmp(word, qualifiers[i]))
			return true;
	return false;
}

bool bw_scalar_of_type_name(const char *type_name, enum bw_scalar *out)
{
	/* The words but qualifiers, without '*', joined by one space. */
	char copy[128], bare[128] = "";
	if (strlen(type_name) >= sizeof(copy))
		return false;
	strcpy(copy, type_name);
	for (char *c = copy; *c; c++)
		if (*c == '*')
			*c = ' ';
	char *save = NULL;
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		if (is_qualifier(w))
			continue;
		if (*bare)
			strcat(bare, " ");
		strcat(bare, w);
	}
	/* float4, uchar16: vectors of 2, 3, 4, 8 or 16. A name that is known as it stands (int8_t)
	 * is none. */
	size_t base = strlen(bare);
	while (base && isdigit((unsigned char)bare[base - 1]))
		base--;
	static const char *const lanes[] = {"", "2", "3", "4", "8", "16"};
	for (size_t i = 0; i < BW_ARRAY_SIZE(type_names); i++) {
		if (!strcmp(bare, type_names[i].name)) {
			*out = type_names[i].type;
			return true;
		}
		if (strlen(type_names[i].name) != base || strncmp(bare, type_names[i].name, base))
			continue;
		for (size_t k = 0; k < BW_ARRAY_SIZE(lanes); k++) {
			if (!strcmp(bare + base, lanes[k])) {
				*out = type_names[i].type;
				return true;
			}
		}
	}
	return false;
}

/* Numbers */

static struct bw_error *store_float(const char *text, enum bw_scalar type, uint8_t *out)
{
	double d;
	if (!bw_parse_f64(text, &d))
		return bw_errorf(BW_E_INVALID, "'%s' is not a number", text);
	/* strtof rounds once; through a double it would be twice. */
	float f = type == BW_SCALAR_F32 ? strtof(text, NULL) : (float)d;
	_Float16 h = (_Float16)d;
	bool overflow = isfinite(d) && ((type == BW_SCALAR_F32 && !isfinite(f)) ||
					(type == BW_SCALAR_F16 && !isfinite((float)h)));
	if (overflow)
		return bw_errorf(BW_E_INVALID, "%s does not fit %s", text, scalars[type].name);
	const void *from = type == BW_SCALAR_F32   ? (void *)&f
			   : type == BW_SCALAR_F16 ? (void *)&h
						   : (void *)&d;
	memcpy(out, from, scalars[type].size_b);
	return NULL;
}

static struct bw_error *store_int(const char *text, enum bw_scalar type, uint8_t *out)
{
	unsigned bits = scalars[type].size_b * 8u;
	int64_t i;
	uint64_t u;
	bool negative = text[0] == '-';
	if (negative ? !bw_parse_i64(text, &i) : !bw_parse_u64(text, &u)) {
		double d;
		if (bw_parse_f64(text, &d))
			return bw_errorf(BW_E_INVALID, "%s is not a whole number that fits %s",
					 text, scalars[type].name);
		return bw_errorf(BW_E_INVALID, "'%s' is not a number", text);
	}
	if (negative)
		u = (uint64_t)i;
	/* Hexadecimal names a bit pattern: 0xffffffff is -1 as i32. Decimal is a value. */
	bool pattern = text[0] == '0' && text[1];
	unsigned room = bits - (scalars[type].is_signed && !pattern);
	bool fits = negative ? scalars[type].is_signed && bw_sign_extend(u, bits) == i
			     : room == 64 || u >> room == 0;
	if (!fits)
		return bw_errorf(BW_E_INVALID, "%s does not fit %s", text, scalars[type].name);
	memcpy(out, &u, scalars[type].size_b);
	return NULL;
}

static struct bw_error *store_number(const char *text, enum bw_scalar type, uint8_t *out)
{
	return scalars[type].is_float ? store_float(text, type, out) : store_int(text, type, out);
}

static void store_index(uint64_t i, enum bw_scalar type, uint8_t *out)
{
	float f = (float)i;
	double d = (double)i;
	_Float16 h = i > 65504 ? (_Float16)INFINITY : (_Float16)(float)i;
	const void *from = type == BW_SCALAR_F32   ? (void *)&f
			   : type == BW_SCALAR_F16 ? (void *)&h
			   : type == BW_SCALAR_F64 ? (void *)&d
						   : (void *)&i;
	memcpy(out, from, scalars[type].size_b);
}

/* splitmix64: every seed is as good as another, and the sequence is easy to make elsewhere. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static void store_random(uint64_t bits, enum bw_scalar type, uint8_t *out)
{
	/* As many bits as the mantissa holds, so that nothing rounds up to 1. */
	float f = (float)(bits >> 40) * 0x1p-24f;
	double d = (double)(bits >> 11) * 0x1p-53;
	_Float16 h = (_Float16)((float)(bits >> 53) * 0x1p-11f);
	const void *from = type == BW_SCALAR_F32   ? (void *)&f
			   : type == BW_SCALAR_F16 ? (void *)&h
			   : type == BW_SCALAR_F64 ? (void *)&d
						   : (void *)&bits;
	memcpy(out, from, scalars[type].size_b);
}

/* Whole values */

static struct bw_error *make_room(struct bw_arg_value *v)
{
	unsigned elem_b = scalars[v->type].size_b;
	if (v->count == 0)
		return bw_errorf(BW_E_INVALID, "a buffer needs at least one element");
	if (v->count > VALUE_MAX_B / elem_b)
		return bw_errorf(BW_E_INVALID, "%llu elements of %s are more than 4 GiB",
				 (unsigned long long)v->count, scalars[v->type].name);
	v->size_b = v->count * elem_b;
	v->data = calloc(v->count, elem_b);
	return v->data ? NULL : bw_error_nomem();
}

static struct bw_error *read_file(const char *path, struct bw_arg_value *v)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	if (fd < 0 || fstat(fd, &st))
		return bw_error_errno(errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode))
		return bw_errorf(BW_E_INVALID, "%s is not a file of data", path);
	unsigned elem_b = scalars[v->type].size_b;
	if ((uint64_t)st.st_size < elem_b)
		return bw_errorf(BW_E_INVALID,
				 "%s is too short: it has %llu byte%s, one element of %s takes %u",
				 path, (unsigned long long)st.st_size, st.st_size == 1 ? "" : "s",
				 scalars[v->type].name, elem_b);
	if ((uint64_t)st.st_size > VALUE_MAX_B)
		return bw_errorf(BW_E_INVALID, "%s is larger than 4 GiB", path);
	v->size_b = (size_t)st.st_size;
	v->count = v->size_b / elem_b;
	v->data = malloc(v->size_b);
	if (!v->data)
		return bw_error_nomem();
	for (size_t done = 0; done < v->size_b;) {
		ssize_t n = read(fd, v->data + done, v->size_b - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? bw_error_errno(errno, "cannot read %s", path)
				 : bw_errorf(BW_E_INVALID, "%s became shorter while it was read",
					     path);
		done += (size_t)n;
	}
	return NULL;
}

static struct bw_error *parse_count(const char *text, uint64_t *out)
{
	if (!bw_parse_u64(text, out))
		return bw_errorf(BW_E_INVALID, "'%s' is not a number of elements", text);
	return NULL;
}

/* Each form gets the text after its "word:". */

static struct bw_error *make_zeros(char *text, struct bw_arg_value *v)
{
	BW_TRY(parse_count(text, &v->count));
	return make_room(v);
}

static struct bw_error *make_iota(char *text, struct bw_arg_value *v)
{
	BW_TRY(make_zeros(text, v));
	for (uint64_t i = 0; i < v->count; i++)
		store_index(i, v->type, v->data + i * scalars[v->type].size_b);
	return NULL;
}

static struct bw_error *make_fill(char *text, struct bw_arg_value *v)
{
	char *colon = strchr(text, ':');
	if (!colon)
		return bw_errorf(BW_E_INVALID,
				 "fill needs a number of elements and a value: fill:N:V");
	*colon = 0;
	BW_TRY(parse_count(text, &v->count));
	uint8_t element[8];
	BW_TRY(store_number(colon + 1, v->type, element));
	BW_TRY(make_room(v));
	for (uint64_t i = 0; i < v->count; i++)
		memcpy(v->data + i * scalars[v->type].size_b, element, scalars[v->type].size_b);
	return NULL;
}

static struct bw_error *make_random(char *text, struct bw_arg_value *v)
{
	uint64_t seed = 1;
	char *colon = strchr(text, ':');
	if (colon) {
		*colon = 0;
		if (!bw_parse_u64(colon + 1, &seed))
			return bw_errorf(BW_E_INVALID, "'%s' is neither a seed nor a type",
					 colon + 1);
	}
	BW_TRY(parse_count(text, &v->count));
	BW_TRY(make_room(v));
	for (uint64_t i = 0; i < v->count; i++)
		store_random(next_random(&seed), v->type, v->data + i * scalars[v->type].size_b);
	return NULL;
}

static struct bw_error *make_file(char *text, struct bw_arg_value *v)
{
	return read_file(text, v);
}

/* One number, or those of a vector: "1,2,3,4". */
static struct bw_error *make_list(char *text, struct bw_arg_value *v)
{
	v->count = 1;
	for (const char *p = text; (p = strchr(p, ',')); p++)
		v->count++;
	BW_TRY(make_room(v));
	uint8_t *at = v->data;
	for (char *word; (word = strsep(&text, ",")); at += scalars[v->type].size_b)
		BW_TRY(store_number(word, v->type, at));
	return NULL;
}

static const struct {
	const char *prefix;
	struct bw_error *(*make)(char *text, struct bw_arg_value *v);
} forms[] = {
	{"zeros:", make_zeros},	  {"iota:", make_iota}, {"fill:", make_fill},
	{"random:", make_random}, {"file:", make_file},
};

static enum bw_scalar guess_type(const char *number)
{
	bool hex = number[0] == '0' && (number[1] == 'x' || number[1] == 'X');
	uint64_t u;
	int64_t i;
	if (hex || bw_parse_i64(number, &i) || bw_parse_u64(number, &u))
		return BW_SCALAR_I32;
	return strpbrk(number, ".eE") || !isdigit((unsigned char)number[strspn(number, "-")])
		       ? BW_SCALAR_F32
		       : BW_SCALAR_I32;
}

/* The number that decides a type when nothing names it: V of fill:N:V, or the text itself. */
static const char *number_of(const char *text)
{
	if (!bw_starts_with(text, "fill:"))
		return strchr(text, ':') ? "0" : text;
	const char *colon = strchr(text + strlen("fill:"), ':');
	return colon ? colon + 1 : "0";
}

struct bw_error *bw_arg_value_parse(const char *text, const enum bw_scalar *default_type,
				    struct bw_arg_value *out)
{
	_cleanup_free_ char *copy = strdup(text);
	if (!copy)
		return bw_error_nomem();
	struct bw_arg_value v = {0};
	char *colon = strrchr(copy, ':');
	if (colon && bw_scalar_parse(colon + 1, &v.type))
		*colon = 0;
	else
		v.type = default_type ? *default_type : guess_type(number_of(copy));

	struct bw_error *err = NULL;
	for (size_t i = 0; i < BW_ARRAY_SIZE(forms); i++) {
		if (bw_starts_with(copy, forms[i].prefix)) {
			v.is_buffer = true;
			err = forms[i].make(copy + strlen(forms[i].prefix), &v);
			break;
		}
	}
	if (!v.is_buffer) {
		char *word_end = strchr(copy, ':');
		if (word_end && isalpha((unsigned char)copy[0]))
			return bw_errorf(BW_E_INVALID,
					 "'%s' is not a value: use a number, zeros:N, iota:N, "
					 "fill:N:V, random:N or file:PATH",
					 text);
		if (word_end)
			return bw_errorf(BW_E_INVALID,
					 "'%s' is not a type: use f32 f16 f64 i8 u8 i16 u16 i32 "
					 "u32 i64 or u64",
					 word_end + 1);
		err = make_list(copy, &v);
	}
	if (err) {
		bw_arg_value_fini(&v);
		return err;
	}
	*out = v;
	return NULL;
}

void bw_arg_value_fini(struct bw_arg_value *v)
{
	free(v->data);
	*v = (struct bw_arg_value){0};
}

/* Printing */

static bool reads_back(const char *text, enum bw_scalar type, double v)
{
	if (type == BW_SCALAR_F32)
		return strtof(text, NULL) == (float)v;
	if (type == BW_SCALAR_F16)
		return (double)(_Float16)strtod(text, NULL) == v;
	return strtod(text, NULL) == v;
}

static void print_float(struct bw_str *out, enum bw_scalar type, double v)
{
	if (isnan(v)) {
		bw_str_add(out, "nan");
		return;
	}
	char text[40];
	int most = type == BW_SCALAR_F64 ? 17 : type == BW_SCALAR_F32 ? 9 : 5;
	int digits = 1;
	for (; digits < most; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (reads_back(text, type, v))
			break;
	}
	/* 100, not 1e+02: whole numbers are written out while %.9g would. */
	if (isfinite(v) && fabs(v) >= 1 && fabs(v) < 1e9)
		digits = BW_MAX(digits, (int)floor(log10(fabs(v))) + 1);
	bw_str_addf(out, "%.*g", digits, v);
}

void bw_arg_value_print(struct bw_str *out, enum bw_scalar type, const void *element)
{
	if (scalars[type].is_float) {
		float f;
		double d;
		_Float16 h;
		memcpy(&f, element, BW_MIN(sizeof(f), (size_t)scalars[type].size_b));
		if (type == BW_SCALAR_F64)
			memcpy(&d, element, sizeof(d));
		else if (type == BW_SCALAR_F16)
			memcpy(&h, element, sizeof(h)), d = (double)h;
		else
			d = (double)f;
		print_float(out, type, d);
		return;
	}
	uint64_t u = 0;
	memcpy(&u, element, scalars[type].size_b);
	if (scalars[type].is_signed)
		bw_str_addf(out, "%lld", (long long)bw_sign_extend(u, scalars[type].size_b * 8u));
	else
		bw_str_addf(out, "%llu", (unsigned long long)u);
}
