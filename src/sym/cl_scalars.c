/* SPDX-License-Identifier: MIT */
/* OpenCL C's own types (OpenCL C 3.0, 6.3.1 and 6.3.2). */
#include <string.h>

#include "base/util.h"
#include "sym/cl_priv.h"

static const struct {
	const char *name;
	enum bw_ctype_kind kind;
	uint8_t size_b;
	bool is_signed, is_char;
} scalars[] = {
	{"char", BW_CTYPE_INT, 1, true, true},	    {"uchar", BW_CTYPE_INT, 1, false, true},
	{"short", BW_CTYPE_INT, 2, true, false},    {"ushort", BW_CTYPE_INT, 2, false, false},
	{"int", BW_CTYPE_INT, 4, true, false},	    {"uint", BW_CTYPE_INT, 4, false, false},
	{"long", BW_CTYPE_INT, 8, true, false},	    {"ulong", BW_CTYPE_INT, 8, false, false},
	{"half", BW_CTYPE_FLOAT, 2, false, false},  {"float", BW_CTYPE_FLOAT, 4, false, false},
	{"double", BW_CTYPE_FLOAT, 8, false, false}};

const char *bw_cl_scalar_name(size_t i)
{
	return i < BW_ARRAY_SIZE(scalars) ? scalars[i].name : NULL;
}

bool bw_cl_scalar(const char *name, size_t len, struct bw_ctype *out, unsigned *out_lanes)
{
	unsigned lanes = 0;
	size_t base = len;
	while (base && name[base - 1] >= '0' && name[base - 1] <= '9')
		base--;
	for (size_t i = base; i < len && lanes < 100; i++)
		lanes = 10 * lanes + (unsigned)(name[i] - '0');
	bool is_vector = base < len;
	if (is_vector && lanes != 2 && lanes != 3 && lanes != 4 && lanes != 8 && lanes != 16)
		return false;
	for (size_t i = 0; i < BW_ARRAY_SIZE(scalars); i++) {
		if (base != strlen(scalars[i].name) || memcmp(name, scalars[i].name, base) != 0)
			continue;
		*out = (struct bw_ctype){.kind = scalars[i].kind,
					 .name = scalars[i].name,
					 .size_b = scalars[i].size_b,
					 .is_signed = scalars[i].is_signed,
					 .is_char = scalars[i].is_char};
		*out_lanes = lanes;
		return true;
	}
	return false;
}
