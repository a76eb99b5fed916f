// SPDX-License-Identifier: MIT
/* Kernels of OpenCL programs: no code object describes them, but the program's API does. */
#include "debug/dispatches/dispatches_priv.h"

#include <stdlib.h>
#include <string.h>

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
