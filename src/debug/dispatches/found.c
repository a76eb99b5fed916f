// SPDX-License-Identifier: MIT
/* Code that the session was not given, found where a dispatch points: shaders of a Vulkan or OpenCL
 * program. It gets a name, so that addresses in it can be shown by name. */
#include "debug/dispatches/dispatches_priv.h"
#include "debug/registers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

enum {
	PIECE_B = 4096,
	CODE_MAX_B = 1 << 20,
	/* compilers put at least this many s_code_end after the code (dispatch.md 2.1) */
	END_RUN = 5,
};

/* Reads the code from va to the s_code_end instructions after it, or to what is mapped. */
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
	/* without them, to the end of its pages, whose rest is zeros: code does not end so */
	static const uint32_t none;
	while (n >= sizeof(none) && !memcmp(code + n - sizeof(none), &none, sizeof(none)))
		n -= sizeof(none);
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
	/* a name of a graphics pipeline is that of several shaders */
	static const char *const endings[BW_STAGES] = {
		[BW_STAGE_COMPUTE] = "",	 [BW_STAGE_VERTEX] = ".vert",
		[BW_STAGE_PIXEL] = ".frag",	 [BW_STAGE_CONTROL] = ".tesc",
		[BW_STAGE_EVALUATION] = ".tese", [BW_STAGE_GEOMETRY] = ".geom",
		[BW_STAGE_MESH] = ".mesh",	 [BW_STAGE_TASK] = ".task",
	};
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

/* Makes a module of the code of a pipeline's shader. at_b: where it begins in its program. */
static struct bw_error *add_module(struct bw_debug *d, const struct bw_target_object *p,
				   const uint8_t *program, size_t at_b, size_t size_b)
{
	_cleanup_free_ char *symbol = bw_pipeline_name(p);
	if (!symbol)
		return bw_error_nomem();
	make_symbol(symbol);
	BW_TRY(bw_debug_add_raw(d, symbol, program + at_b, size_b));
	struct bw_module *m = d->code->modules.data[d->code->modules.len - 1];
	m->is_found = true;
	m->at_b = at_b;
	m->stage = p->stage;
	if (p->entry[0] && !(m->entry = strdup(p->entry)))
		return bw_error_nomem();
	return bw_debug_learn_source(d, m, p);
}

/* A program of two shaders is two modules, one after the other, if it is known where the second one
 * begins; else all of it is the first one's. */
static struct bw_error *learn_program(struct bw_debug *d, const struct bw_target_object *first,
				      const struct bw_target_object *second, const uint8_t *code,
				      size_t size_b)
{
	size_t at = 0;
	if (second)
		BW_TRY(bw_debug_find_second(d, code, size_b, second, &at));
	if (!at || at >= size_b)
		return add_module(d, first, code, 0, size_b);
	BW_TRY(add_module(d, first, code, 0, at));
	struct bw_module *m = d->code->modules.data[d->code->modules.len - 1];
	BW_TRY(add_module(d, second, code, at, size_b - at));
	m->second = d->code->modules.data[d->code->modules.len - 1];
	return NULL;
}

/* Makes a module of the code to which a dispatch points. */
static struct bw_error *learn_code(struct bw_debug *d, struct bw_dispatch_record *x)
{
	static const char *const kinds[] = {"cs", "vs", "ps"};
	size_t size_b = 0;
	_cleanup_free_ uint8_t *code = read_code(d, x->info.desc.code_va, &size_b);
	if (!size_b)
		return NULL; /* the code cannot be read, and stays without a name */
	if (x->pipeline.id)
		return learn_program(d, &x->pipeline, bw_debug_pipeline(d, x->info.desc.second),
				     code, size_b);
	_cleanup_free_ char *symbol = NULL;
	if (asprintf(&symbol, "%s_%08x", kinds[x->info.desc.stage], fnv(code, size_b)) < 0)
		return bw_error_nomem();
	BW_TRY(bw_debug_add_raw(d, symbol, code, size_b));
	d->code->modules.data[d->code->modules.len - 1]->is_found = true;
	return NULL;
}

static struct bw_error *add_name(struct bw_debug *d, uint32_t pipeline, struct bw_str *out)
{
	const struct bw_target_object *p = pipeline ? bw_debug_pipeline(d, pipeline) : NULL;
	_cleanup_free_ char *name = p ? bw_pipeline_name(p) : NULL;
	if (p && !name)
		return bw_error_nomem();
	if (name)
		bw_str_addf(out, "%s%s", out->len ? ", " : "", name);
	return NULL;
}

/* Names the shaders of a draw that are not the first of the program at its code address. */
static struct bw_error *name_shaders(struct bw_debug *d, struct bw_dispatch_record *x)
{
	const struct bw_target_dispatch *desc = &x->info.desc;
	_cleanup_(bw_str_free) struct bw_str first = {0}, others = {0};
	if (!x->pipeline.id)
		return NULL;
	if (desc->hull[0]) {
		BW_TRY(add_name(d, desc->hull[0], &first));
		BW_TRY(add_name(d, desc->hull[1], &others));
		BW_TRY(add_name(d, desc->pipeline, &others));
	}
	BW_TRY(add_name(d, desc->second, &others));
	BW_TRY(add_name(d, desc->task, &others));
	x->vertex_shader = first.len ? bw_str_take(&first) : NULL;
	x->others = others.len ? bw_str_take(&others) : NULL;
	return NULL;
}

static struct bw_error *know_code(struct bw_debug *d, struct bw_dispatch_record *x)
{
	bool is_loaded = bw_debug_load_at(d, x->info.desc.code_va);
	if (!is_loaded)
		BW_TRY(bw_debug_learn_loaded(d));
	BW_TRY(bw_debug_match_kernel(d, x));
	if (!x->kernel_end && is_loaded) { /* other code has taken that place */
		BW_TRY(bw_debug_learn_loaded(d));
		BW_TRY(bw_debug_match_kernel(d, x));
	}
	if (!x->kernel_end) {
		BW_TRY(learn_code(d, x));
		BW_TRY(bw_debug_match_kernel(d, x));
	}
	/* two pipelines may share their code */
	if (!x->info.kernel && x->pipeline.id) {
		x->name = bw_pipeline_name(&x->pipeline);
		if (!x->name)
			return bw_error_nomem();
	}
	bw_debug_use_args(x);
	return NULL;
}

/* Knows the program of a draw's vertex and control shader, which has waves of that draw, too. */
static struct bw_error *know_hull(struct bw_debug *d, const struct bw_dispatch_record *x)
{
	const struct bw_target_dispatch *desc = &x->info.desc;
	struct bw_dispatch_record hull = {.info.desc = {.code_va = desc->hull_va,
							.stage = desc->stage,
							.pipeline = desc->hull[0],
							.second = desc->hull[1]}};
	const struct bw_target_object *p =
		x->pipeline.id ? bw_debug_pipeline(d, desc->hull[0]) : NULL;
	if (!desc->hull_va)
		return NULL;
	if (p)
		hull.pipeline = *p;
	struct bw_error *err = know_code(d, &hull);
	free(hull.name);
	return err;
}

struct bw_error *bw_debug_know_code(struct bw_debug *d, struct bw_dispatch_record *x)
{
	BW_TRY(know_code(d, x));
	BW_TRY(know_hull(d, x));
	return x->info.draw ? name_shaders(d, x) : NULL;
}
