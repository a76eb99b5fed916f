// SPDX-License-Identifier: MIT
/* Code that the session was not given, found where a dispatch points: shaders of a Vulkan or OpenCL
 * program. It gets a name, so that addresses in it can be shown by name. */
#include "debug/dispatches/dispatches_priv.h"
#include "debug/registers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum {
	PIECE_B = 4096,
	CODE_MAX_B = 1 << 20,
	/* compilers put at least this many s_code_end after the code (dispatch.md 2.1) */
	END_RUN = 5,
};

/* Reads the code from va to the s_code_end instructions after it. */
static uint8_t *read_code(struct bw_debug *d, uint64_t va, size_t *out_b)
{
	uint8_t *code = NULL;
	size_t n = 0;
	unsigned run = 0;
	while (n < CODE_MAX_B) {
		/* up to the end of a page: the next one may not be mapped */
		size_t want = PIECE_B - (va + n) % PIECE_B;
		uint8_t *more = realloc(code, n + want);
		if (!more)
			break;
		code = more;
		struct bw_error *err = bw_target_read(d->target, va + n, code + n, want);
		bool ends = err != NULL;
		if (err && err->code == BW_E_FAULT && err->va > va + n && err->va - va - n < want) {
			want = (size_t)(err->va - va - n) & ~3ull; /* as much as is mapped */
			bw_error_free(err);
			err = bw_target_read(d->target, va + n, code + n, want);
		}
		if (err) {
			bw_error_free(err);
			break;
		}
		for (size_t i = 0; i + 4 <= want; i += 4) {
			uint32_t dw;
			memcpy(&dw, code + n + i, 4);
			run = dw == bw_debug_arch(d)->s_code_end ? run + 1 : 0;
			if (run == END_RUN) {
				*out_b = n + i + 4 - END_RUN * 4;
				return code;
			}
		}
		n += want;
		if (ends)
			break;
	}
	*out_b = n;
	return code;
}

static uint32_t fnv(const uint8_t *p, size_t n)
{
	uint32_t h = 2166136261u;
	while (n--)
		h = (h ^ *p++) * 16777619u;
	return h;
}

char *bw_pipeline_name(const struct bw_target_object *p)
{
	/* a name of a graphics pipeline is that of two shaders */
	static const char *const endings[] = {"", ".vert", ".frag"};
	char *name = NULL;
	if (p->name[0])
		return asprintf(&name, "%s%s", p->name, endings[p->stage]) < 0 ? NULL : name;
	if (p->module[0])
		return strdup(p->module);
	if (p->file[0])
		return asprintf(&name, "%s.%s", p->file, p->entry[0] ? p->entry : "main") < 0
			       ? NULL
			       : name;
	if (asprintf(&name, "%s_%08x", p->entry[0] ? p->entry : "shader",
		     (unsigned)(p->hash >> 32)) < 0)
		return NULL;
	return name;
}

/* Replaces characters that cannot be part of a name in an expression. */
static void make_symbol(char *name)
{
	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '.' && *p != '$')
			*p = '_';
	if (isdigit((unsigned char)name[0]))
		name[0] = '_';
}

struct bw_error *bw_debug_learn_code(struct bw_debug *d, struct bw_dispatch_record *x)
{
	static const char *const kinds[] = {"cs", "vs", "ps"};
	size_t size_b = 0;
	_cleanup_free_ uint8_t *code = read_code(d, x->info.desc.code_va, &size_b);
	if (!size_b)
		return NULL; /* the code cannot be read, and stays without a name */
	_cleanup_free_ char *symbol = NULL;
	if (x->pipeline.id)
		symbol = bw_pipeline_name(&x->pipeline);
	else if (asprintf(&symbol, "%s_%08x", kinds[x->info.desc.stage], fnv(code, size_b)) < 0)
		symbol = NULL;
	if (!symbol)
		return bw_error_nomem();
	make_symbol(symbol);
	BW_TRY(bw_debug_add_raw(d, symbol, code, size_b));
	struct bw_module *m = d->code->modules.data[d->code->modules.len - 1];
	m->is_found = true;
	if (x->pipeline.entry[0] && !(m->entry = strdup(x->pipeline.entry)))
		return bw_error_nomem();
	return x->pipeline.id ? bw_debug_learn_source(d, m, &x->pipeline) : NULL;
}
