// SPDX-License-Identifier: MIT
/* Names of kernels' arguments where the metadata has none: those of HIP. */
#include <string.h>

#include "sym/code_object_priv.h"
#include "sym/lines.h"

static bool is_param(const struct bw_kernel_arg *arg)
{
	return arg->kind != BW_ARG_HIDDEN;
}

/* Whether the parameters of the source are the kernel's arguments, one by one. */
static bool are_params(struct bw_lines *l, const struct bw_kernel *k)
{
	struct bw_param p;
	size_t n = 0;
	for (size_t i = 0; i < k->n_args; i++) {
		if (!is_param(&k->args[i]))
			continue;
		if (k->args[i].name[0] || !bw_lines_param(l, k->entry, n++, &p) || !p.name[0] ||
		    (p.size_b && p.size_b != k->args[i].size_b))
			return false;
	}
	return n && !bw_lines_param(l, k->entry, n, &p);
}

struct bw_error *bw_code_object_name_args(struct bw_code_object *co, struct bw_lines *l)
{
	bw_vec_each(&co->kernels, k) {
		size_t n = 0;
		if (!are_params(l, k))
			continue;
		for (size_t i = 0; i < k->n_args; i++) {
			struct bw_kernel_arg *arg = (struct bw_kernel_arg *)&k->args[i];
			struct bw_param p;
			if (!is_param(arg) || !bw_lines_param(l, k->entry, n++, &p))
				continue;
			BW_TRY(bw_code_object_keep_text(co, p.name, strlen(p.name), &arg->name));
			if (!arg->type_name[0])
				BW_TRY(bw_code_object_keep_text(
					co, p.type_name, strlen(p.type_name), &arg->type_name));
		}
	}
	return NULL;
}
