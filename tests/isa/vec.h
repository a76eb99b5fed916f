/* SPDX-License-Identifier: MIT */
#ifndef BW_TESTS_ISA_VEC_H
#define BW_TESTS_ISA_VEC_H

/* Rows of tests/golden/isa/decode.vec: name "text" dwords. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vec {
	char name[80], text[200];
	uint32_t w[3];
	unsigned n_dw;
};

static inline FILE *vec_open(const char *path)
{
	char full[4096];
	const char *root = getenv("BREAKWATER_SOURCE");
	snprintf(full, sizeof(full), "%s/%s", root ? root : ".", path);
	return fopen(full, "r");
}

/* The next row; 0 at the end, -1 when a line does not parse. */
static inline int vec_next(FILE *f, struct vec *v)
{
	char line[512];
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		char *open = strchr(line, '"'), *close = open ? strchr(open + 1, '"') : NULL;
		if (!close)
			return -1;
		*open = *close = '\0';
		size_t len = strlen(line);
		while (len && line[len - 1] == ' ')
			line[--len] = '\0';
		snprintf(v->name, sizeof(v->name), "%s", line);
		snprintf(v->text, sizeof(v->text), "%s", open + 1);
		v->n_dw = 0;
		for (char *p = close + 1, *end; v->n_dw < 3; p = end) {
			uint32_t w = (uint32_t)strtoul(p, &end, 16);
			if (end == p)
				break;
			v->w[v->n_dw++] = w;
		}
		return v->n_dw ? 1 : -1;
	}
	return 0;
}

#endif
