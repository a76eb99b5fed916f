// SPDX-License-Identifier: MIT
/* Reads the values with which a dispatch's kernel was launched from its kernarg block. */
#include "debug/code.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/variables.h"
#include "debug/waves/waves_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"

/* A type that the kernel's program declares. x NULL: no dispatch of the kernel is known. */
static const struct bw_ctype *program_type(struct bw_debug *d, const struct bw_dispatch_info *x,
					   const char *name)
{
	const struct bw_load *l = x ? bw_debug_load_at(d, x->desc.code_va) : NULL;
	const struct bw_ctype *t =
		l && l->module->lines ? bw_lines_type_named(l->module->lines, name) : NULL;
	return t ? t : bw_debug_cl_type(d, x, name);
}

/* The type of "params*", a pointer to a type of the program. */
static bool program_pointer(struct bw_debug *d, const struct bw_dispatch_info *x, const char *name,
			    struct bw_type *out)
{
	size_t n = strlen(name);
	_cleanup_free_ char *to = n && name[n - 1] == '*' ? strndup(name, n - 1) : NULL;
	const struct bw_ctype *elem = to ? program_type(d, x, to) : NULL;
	const struct bw_ctype *t = elem ? bw_debug_pointer_to(d, elem) : NULL;
	if (t)
		*out = bw_type_of(t);
	return t;
}

bool bw_arg_type(struct bw_debug *d, const struct bw_dispatch_info *x,
		 const struct bw_kernel_arg *arg, struct bw_type *out)
{
	struct bw_type t = {0};
	bool known = arg->type_name[0] && bw_type_parse(arg->type_name, &t);
	const struct bw_ctype *c;

	switch (arg->kind) {
	case BW_ARG_BUFFER:
		known = known || program_pointer(d, x, arg->type_name, &t);
		/* bytes without names are shown as dwords */
		if (!known || t.kind != BW_TYPE_POINTER)
			t = (struct bw_type){.kind = BW_TYPE_POINTER,
					     .elem_kind = known ? t.kind : BW_TYPE_UINT,
					     .elem_size_b = known && t.size_b ? t.size_b : 4,
					     .depth = 1};
		t.size_b = 8;
		break;
	case BW_ARG_LDS_POINTER:
		if (!known || t.kind != BW_TYPE_POINTER)
			t = (struct bw_type){.kind = BW_TYPE_POINTER,
					     .elem_kind = BW_TYPE_UINT,
					     .elem_size_b = 4,
					     .depth = 1};
		t.space = BW_SPACE_LDS;
		t.size_b = 4;
		break;
	case BW_ARG_VALUE:
	case BW_ARG_HIDDEN:
	case BW_ARG_OTHER:
		if (known && t.size_b == arg->size_b && t.kind != BW_TYPE_VOID)
			break;
		c = arg->type_name[0] ? program_type(d, x, arg->type_name) : NULL;
		if (c && bw_ctype_strip(c)->size_b == arg->size_b) {
			t = bw_type_of(c);
			break;
		}
		/* the bits of an unknown type are not a number */
		if (arg->type_name[0] && !known)
			return false;
		if (arg->size_b != 1 && arg->size_b != 2 && arg->size_b != 4 && arg->size_b != 8)
			return false;
		t = (struct bw_type){.kind = BW_TYPE_UINT, .size_b = (uint8_t)arg->size_b};
		break;
	}
	if (t.size_b > arg->size_b)
		return false;
	*out = t;
	return true;
}

bool bw_kernel_is_assembly(const struct bw_module *m, const struct bw_kernel *k)
{
	return m->lines && bw_lines_language(m->lines, k->entry) == BW_LANGUAGE_ASSEMBLY;
}

/* Without debug information: whether the kernel's symbol, or the symbol at its entry, encloses the
 * place. */
static bool in_kernel_symbol(const struct bw_module *m, const struct bw_kernel *k, uint64_t at)
{
	if (k->end > k->entry)
		return at >= k->entry && at < k->end;
	const struct bw_symbol *s = bw_module_symbol_at(m, at);
	return s && s == bw_module_symbol_at(m, k->entry);
}

void bw_debug_frame(struct bw_debug *d, uint32_t dispatch, uint64_t pc, struct bw_frame *out)
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, dispatch);
	BW_IN_SPACE(d, x ? x->space : d->space);
	struct bw_function f;
	*out = (struct bw_frame){0};
	struct bw_load *l = bw_debug_load_at(d, pc);
	if (!l)
		return;
	const struct bw_module *m = l->module;
	uint64_t at = pc - l->base;
	const struct bw_symbol *s = bw_module_symbol_at(m, at);
	const struct bw_kernel *k = x && x->load_base == l->base ? x->kernel : NULL;
	out->function = s ? s->name : NULL;
	out->language = m->lines ? bw_lines_language(m->lines, at) : BW_LANGUAGE_UNKNOWN;
	if (out->language != BW_LANGUAGE_COMPILED || !bw_lines_function_at(m->lines, at, &f)) {
		out->is_kernel = k && in_kernel_symbol(m, k, at);
		return;
	}
	out->has_params = f.has_params;
	if (f.name)
		out->function = f.name;
	out->is_kernel =
		k && !f.is_inlined && bw_lines_function_covers(m->lines, f.index, k->entry);
}

struct bw_error *bw_arg_read(struct bw_debug *d, uint64_t kernarg_va,
			     const struct bw_kernel_arg *arg, struct bw_value *v)
{
	v->place = BW_PLACE_MEMORY;
	v->va = kernarg_va + arg->offset_b;
	if (v->type.kind == BW_TYPE_AGGREGATE)
		return bw_debug_fetch(d, v);
	const struct bw_wave_mem at = {.space = BW_SPACE_GLOBAL, .addr = v->va};
	BW_TRY(bw_wave_mem_read(d, &at, &v->bits, v->type.size_b));
	v->bits = bw_type_extend(&v->type, v->bits);
	return NULL;
}

struct bw_error *bw_arg_bytes(struct bw_debug *d, uint64_t kernarg_va,
			      const struct bw_kernel_arg *arg, struct bw_arg_bytes *out)
{
	struct bw_arg_bytes b = {.n = BW_MIN(arg->size_b, (uint32_t)sizeof(b.bytes))};
	const struct bw_wave_mem at = {.space = BW_SPACE_GLOBAL,
				       .addr = kernarg_va + arg->offset_b};
	BW_TRY(bw_wave_mem_read(d, &at, b.bytes, b.n));
	*out = b;
	return NULL;
}

void bw_arg_bytes_text(const struct bw_kernel_arg *arg, const struct bw_arg_bytes *b, char *out,
		       size_t out_b)
{
	const char *type = arg->type_name;
	size_t at = (size_t)snprintf(out, out_b, "%s%s%.60s is not known; its %u bytes:",
				     *type ? "the type" : "its type", *type ? " " : "", type,
				     arg->size_b);
	for (uint32_t i = 0; i < b->n && at < out_b; i++)
		at += (size_t)snprintf(out + at, out_b - at, " %02x", b->bytes[i]);
	if (b->n < arg->size_b && at < out_b)
		snprintf(out + at, out_b - at, " ...");
}

struct bw_error *bw_debug_args(struct bw_debug *d, uint32_t dispatch, struct bw_arg_info **out,
			       size_t *out_n)
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, dispatch);
	if (!x)
		return bw_errorf(BW_E_NOT_FOUND, "There is no dispatch %u", dispatch);
	BW_IN_SPACE(d, x->space);
	size_t n = 0, max = x->kernel ? x->kernel->n_args : 0;
	struct bw_arg_info *args = calloc(max ? max : 1, sizeof(*args));
	if (!args)
		return bw_error_nomem();
	for (size_t i = 0; i < max; i++) {
		const struct bw_kernel_arg *arg = &x->kernel->args[i];
		if (arg->kind == BW_ARG_HIDDEN)
			continue;
		struct bw_arg_info *a = &args[n++];
		a->arg = arg;
		if (arg->is_absent || !x->kernarg_va)
			continue;
		struct bw_error *err = NULL;
		if (bw_arg_type(d, x, arg, &a->value.type)) {
			err = bw_arg_read(d, x->kernarg_va, arg, &a->value);
			a->has_value = !err;
		} else {
			err = bw_arg_bytes(d, x->kernarg_va, arg, &a->bytes);
		}
		bw_error_free(err);
	}
	*out = args;
	*out_n = n;
	return NULL;
}

void bw_debug_free_args(struct bw_arg_info *args, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bw_value_fini(&args[i].value);
	free(args);
}
