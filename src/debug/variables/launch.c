// SPDX-License-Identifier: MIT
/* The values of a kernel's parameters at its launch. The registers that had them are soon used for
 * other things; the kernel's block of arguments does not change. */
#include "debug/code/code_priv.h"
#include "debug/dispatches.h"
#include "debug/variables/variables_priv.h"
#include "debug/waves/waves_priv.h"

#include <stdio.h>
#include <string.h>

/* Whether the argument has this name. clang names an argument "x.coerce" if its type differs from
 * the parameter's, as for a pointer of HIP. */
static bool is_named(const struct bw_kernel_arg *arg, const char *name)
{
	size_t n = strlen(name);
	return strncmp(arg->name, name, n) == 0 &&
	       (!arg->name[n] || strcmp(arg->name + n, ".coerce") == 0);
}

static const struct bw_kernel *kernel_of(struct bw_debug *d, const struct bw_variables_frame *f,
					 const struct bw_variable *v)
{
	const struct bw_load *load = bw_debug_load_at(d, f->base + f->addr);
	uint64_t entry;
	size_t n;
	if (!load || !bw_variable_is_of_kernel(f->lines, v, f->addr, &entry))
		return NULL;
	const struct bw_kernel *k = bw_module_kernels(load->module, &n);
	for (size_t i = 0; i < n; i++)
		if (k[i].entry == entry)
			return &k[i];
	return NULL;
}

bool bw_variables_launch(struct bw_debug *d, const struct bw_variables_frame *f,
			 const struct bw_variable *v, uint32_t *out_offset_b)
{
	const struct bw_kernel *k = kernel_of(d, f, v);
	const struct bw_ctype *type = bw_ctype_strip(v->type);
	for (size_t i = 0; k && i < k->n_args; i++) {
		const struct bw_kernel_arg *arg = &k->args[i];
		if (arg->kind == BW_ARG_HIDDEN || arg->is_absent || arg->size_b != type->size_b ||
		    !is_named(arg, v->name))
			continue;
		*out_offset_b = arg->offset_b;
		return true;
	}
	return false;
}

static struct bw_error *no_value(const struct bw_value_of *x, const struct bw_ctype *type,
				 struct bw_value *out)
{
	struct bw_value v = {.type = bw_type_of(type), .lane = (int)x->lane};
	v.bytes = bw_bytes_new(bw_type_size(&v.type));
	if (!v.bytes)
		return bw_error_nomem();
	snprintf(v.bytes->why, sizeof(v.bytes->why),
		 "the arguments of this dispatch lie at no known address");
	bw_variables_decode(&v);
	*out = v;
	return NULL;
}

struct bw_error *bw_variables_launch_value(const struct bw_value_of *x, uint32_t offset_b,
					   const struct bw_ctype *type, struct bw_value *out)
{
	const struct bw_dispatch_info *dispatch =
		x->wave ? bw_debug_dispatch(x->d, x->wave->info.dispatch) : NULL;
	struct bw_value v;
	if (!x->skip && (!dispatch || !dispatch->kernarg_va))
		return no_value(x, type, out);
	const struct bw_place_at at = {.space = BW_SPACE_GLOBAL,
				       .va = x->skip ? 0 : dispatch->kernarg_va + offset_b};
	BW_TRY(bw_variables_load(x, type, at, &v));
	struct bw_error *err = x->skip ? NULL : bw_variables_fetch(x, &v);
	if (err) {
		bw_value_fini(&v);
		return err;
	}
	v.place = BW_PLACE_NONE; /* the kernel has read it: a change would have no effect */
	*out = v;
	return NULL;
}

struct bw_error *bw_variables_entry_value(const struct bw_value_of *x,
					  const struct bw_variables_frame *f,
					  const struct bw_variable *v, struct bw_value *out)
{
	uint32_t offset_b;
	uint64_t entry;
	if (!v->is_param)
		return bw_errorf(BW_E_INVALID, "%s is not a parameter: it has no value at entry",
				 v->name);
	if (x->skip && bw_variable_is_of_kernel(f->lines, v, f->addr, &entry))
		offset_b = 0; /* the code may not be loaded yet */
	else if (!bw_variables_launch(x->d, f, v, &offset_b))
		return bw_errorf(
			BW_E_NOT_FOUND,
			"what %s was called with is not known: only the parameters of a kernel have "
			"a value at entry",
			v->name);
	return bw_variables_launch_value(x, offset_b, v->type, out);
}
