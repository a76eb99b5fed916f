// SPDX-License-Identifier: MIT
/* Kernels of OpenCL programs: no code object describes them, but the program's API does. */
#include "debug/dispatches/dispatches_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sym/cl_types.h"

struct bw_api_kernel {
	struct bw_kernel kernel;
	struct bw_kernel_arg args[];
};

static enum bw_arg_kind kind_of(const struct bw_target_arg *a)
{
	switch (a->kind) {
	case BW_TARG_VALUE:
		return BW_ARG_VALUE;
	case BW_TARG_BUFFER:
		return BW_ARG_BUFFER;
	case BW_TARG_LOCAL:
		return BW_ARG_LDS_POINTER;
	case BW_TARG_OPAQUE:
		break;
	}
	return BW_ARG_OTHER;
}

static const char *value_kind_of(const struct bw_target_arg *a)
{
	switch (a->kind) {
	case BW_TARG_VALUE:
		return "by_value";
	case BW_TARG_BUFFER:
		return "global_buffer";
	case BW_TARG_LOCAL:
		return "dynamic_shared_pointer";
	case BW_TARG_OPAQUE:
		break;
	}
	return "image";
}

struct bw_error *bw_debug_take_args(struct bw_dispatch_record *x)
{
	uint32_t n = x->info.desc.n_args;
	if (!n)
		return NULL;
	x->args = calloc(n, sizeof(*x->args));
	x->api_kernel = calloc(1, sizeof(*x->api_kernel) + n * sizeof(*x->api_kernel->args));
	if (!x->args || !x->api_kernel)
		return bw_error_nomem();
	memcpy(x->args, x->info.desc.args, n * sizeof(*x->args));
	for (uint32_t i = 0; i < n; i++) {
		const struct bw_target_arg *a = &x->args[i];
		bool absent = a->offset_b == BW_TARG_NOWHERE || !x->info.desc.block_va;
		x->api_kernel->args[i] =
			(struct bw_kernel_arg){.name = a->name,
					       .type_name = a->type,
					       .value_kind = value_kind_of(a),
					       .kind = kind_of(a),
					       .offset_b = absent ? 0 : a->offset_b,
					       .size_b = a->size_b,
					       .is_absent = absent};
	}
	x->api_kernel->kernel = (struct bw_kernel){
		.name = "?", .has_metadata = true, .args = x->api_kernel->args, .n_args = n};
	return NULL;
}

void bw_debug_use_args(struct bw_dispatch_record *x)
{
	if (!x->api_kernel || x->info.kernel)
		return;
	x->api_kernel->kernel.name = x->name ? x->name : "?";
	x->api_kernel->kernel.end = x->kernel_end - x->kernel_start;
	x->info.kernel = &x->api_kernel->kernel;
}

/* ---- Types of its source ---- */

struct bw_cl_source {
	char *options, *source;	   /* owned */
	struct bw_cl_types *types; /* owned */
};

/* The types of a source, which is parsed once. NULL: out of memory. */
static const struct bw_cl_types *types_of(struct bw_debug *d, const char *options,
					  const char *source)
{
	bw_vec_each(&d->dispatches->cl_sources, s)
		if (!strcmp(s->options, options) && !strcmp(s->source, source))
			return s->types;
	struct bw_cl_source new = {strdup(options), strdup(source), NULL};
	struct bw_error *err = new.options &&new.source
				       ? bw_cl_types_open(source, options, &new.types)
				       : bw_error_nomem();
	if (!err)
		err = bw_vec_push(&d->dispatches->cl_sources, new);
	if (!err)
		return new.types;
	bw_error_free(err);
	bw_cl_types_close(new.types);
	free(new.options);
	free(new.source);
	return NULL;
}

/* The kernel object of a dispatch, which the layer recognised or, where a runtime hides its
 * launches (ROCm's), which is the only one of the kernel's name. 0: none. */
static uint32_t kernel_object(struct bw_debug *d, const struct bw_dispatch_info *x)
{
	const struct bw_target_object *all;
	size_t n, found = 0;
	uint32_t id = 0;
	if (x->pipeline || !x->kernel || !bw_debug_load_at(d, x->desc.code_va))
		return x->pipeline && x->desc.n_args ? x->pipeline->id : 0;
	_cleanup_error_ struct bw_error *err = bw_debug_objects(d, &all, &n);
	for (size_t i = 0; !err && i < n; i++) {
		if (all[i].kind != BW_OBJECT_PIPELINE || strcmp(all[i].name, x->kernel->name) != 0)
			continue;
		id = all[i].id;
		found++;
	}
	return found == 1 ? id : 0;
}

const struct bw_ctype *bw_debug_cl_type(struct bw_debug *d, const struct bw_dispatch_info *x,
					const char *name)
{
	_cleanup_free_ struct bw_target_shader *s = NULL;
	uint32_t object = x && bw_target_can(d->target, BW_CAP_OBJECTS) ? kernel_object(d, x) : 0;
	struct bw_error *err = object ? bw_target_shader(d->target, object, &s) : NULL;
	bw_error_free(err); /* the type is not known then */
	const struct bw_cl_types *types =
		s && s->source ? types_of(d, s->options, s->source) : types_of(d, "", "");
	return types ? bw_cl_types_named(types, name) : NULL;
}

void bw_cl_sources_free(struct bw_dispatches *x)
{
	bw_vec_each(&x->cl_sources, s) {
		bw_cl_types_close(s->types);
		free(s->options);
		free(s->source);
	}
	bw_vec_free(&x->cl_sources);
}
