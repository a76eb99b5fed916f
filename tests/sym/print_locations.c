/* SPDX-License-Identifier: MIT */
/* Prints each variable of each function of code objects, once for each of its locations: for
 * test_locations.py, which compares them with llvm-dwarfdump's.
 *
 * Lines: DIE START END SIZE LOCATION */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sym/variables.h"

enum { MAX_SEEN = 4096 };

struct seen {
	uint64_t die, start, end;
};

static void print_place(enum bw_location_kind kind, const struct bw_location_piece *p)
{
	static const char *const bases[] = {"", "s32", "s33"};
	switch (kind) {
	case BW_LOC_OPTIMIZED_OUT:
		printf("out");
		break;
	case BW_LOC_UNKNOWN:
		printf("unknown");
		break;
	case BW_LOC_VGPR:
		printf("v%u", p->reg);
		break;
	case BW_LOC_SGPR:
		printf("s%u", p->reg);
		break;
	case BW_LOC_PRIVATE:
		printf("private[%s%+" PRId64 "]", bases[p->base], p->offset);
		break;
	case BW_LOC_LDS:
		printf("lds");
		break;
	case BW_LOC_GLOBAL:
		printf("image[0x%" PRIx64 "]", (uint64_t)p->offset);
		break;
	case BW_LOC_BOUND:
	case BW_LOC_PUSH:
	case BW_LOC_BUILTIN:
	case BW_LOC_RECORD:
	case BW_LOC_LAUNCH:
		break; /* of shaders alone */
	case BW_LOC_CONSTANT:
		printf("=%" PRIu64, p->value);
		break;
	case BW_LOC_COMPUTED:
		printf("computed");
		break;
	}
}

static void print_location(const struct bw_variable *v, const struct bw_location *at)
{
	struct bw_location_piece whole = {.kind = at->kind,
					  .reg = at->reg,
					  .base = at->base,
					  .offset = at->offset,
					  .value = at->value};
	printf("0x%08" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %" PRIu64 " ", v->die, at->start,
	       at->end, v->type->size_b);
	if (at->kind == BW_LOC_UNKNOWN)
		printf("unknown: %s", at->why);
	else if (!at->n_pieces)
		print_place(at->kind, &whole);
	for (unsigned i = 0; i < at->n_pieces; i++) {
		print_place(at->piece[i].kind, &at->piece[i]);
		printf(":%u ", at->piece[i].size_b);
	}
	printf("\n");
}

static bool is_new(struct seen *seen, size_t *n, const struct seen *one)
{
	for (size_t i = *n; i-- > 0;)
		if (!memcmp(&seen[i], one, sizeof(*one)))
			return false;
	if (*n < MAX_SEEN)
		seen[(*n)++] = *one;
	return true;
}

static struct bw_error *print_at(struct bw_lines *l, uint64_t addr, struct seen *seen,
				 size_t *n_seen)
{
	for (unsigned level = 0;; level++) {
		struct bw_variable *all = NULL;
		size_t n = 0;
		BW_TRY(bw_lines_variables(l, addr, level, &all, &n));
		for (size_t i = 0; i < n; i++) {
			struct bw_location at;
			bw_variable_location(l, &all[i], addr, NULL, &at);
			struct seen one = {all[i].die, at.start, at.end};
			if (is_new(seen, n_seen, &one))
				print_location(&all[i], &at);
		}
		free(all);
		if (!n)
			return NULL;
	}
}

static struct bw_error *print_object(const char *path)
{
	struct bw_code_object *co = NULL;
	struct bw_lines *l = NULL;
	size_t n_symbols, n_seen = 0;
	struct seen *seen = calloc(MAX_SEEN, sizeof(*seen));
	struct bw_error *err = seen ? bw_code_object_load(path, &co) : bw_error_nomem();
	if (!err)
		err = bw_lines_open(co, &l);
	const struct bw_symbol *s = err ? NULL : bw_code_object_symbols(co, &n_symbols);
	for (size_t i = 0; !err && i < n_symbols; i++)
		for (uint64_t at = s[i].addr;
		     !err && s[i].is_function && at < s[i].addr + s[i].size_b; at += 4)
			err = print_at(l, at, seen, &n_seen);
	bw_lines_close(l);
	bw_code_object_close(co);
	free(seen);
	return err;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		printf("object %s\n", argv[i]);
		struct bw_error *err = print_object(argv[i]);
		if (err) {
			fprintf(stderr, "%s\n", err->message);
			bw_error_free(err);
			return 1;
		}
	}
	return 0;
}
