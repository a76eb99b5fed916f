/* SPDX-License-Identifier: MIT */
/* OpenCL C of anyone's: options up to the first line's end, then source. Each type that is known
 * lies within itself. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sym/cl_types.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void look(const struct bw_ctype *t, unsigned depth)
{
	char name[256];
	assert(depth < 64 && t->size_b && t->size_b <= 1 << 20);
	bw_ctype_name(t, name, sizeof(name));
	if (t->elem && t->count)
		assert(bw_ctype_stride(t) * t->count <= t->size_b);
	if (t->elem)
		look(t->elem, depth + 1);
	for (size_t i = 0; i < t->n_members; i++) {
		const struct bw_cmember *m = &t->members[i];
		assert(m->offset_b + m->type->size_b <= t->size_b);
		if (i < 4)
			look(m->type, depth + 1);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const names[] = {"p", "struct p", "union p", "enum e", "real", "float3"};
	char *text = malloc(n + 1), *source;
	struct bw_cl_types *t = NULL;
	if (!text)
		return 0;
	memcpy(text, bytes, n);
	text[n] = 0;
	source = strchr(text, '\n');
	if (source)
		*source++ = 0;
	struct bw_error *err = bw_cl_types_open(source ? source : "", text, &t);
	for (size_t i = 0; !err && i < sizeof(names) / sizeof(*names); i++) {
		const struct bw_ctype *type = bw_cl_types_named(t, names[i]);
		if (type)
			look(type, 0);
	}
	bw_error_free(err);
	bw_cl_types_close(t);
	free(text);
	return 0;
}
