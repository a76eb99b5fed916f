// SPDX-License-Identifier: MIT
/* Dispatches and draws for those who list them. */
#include "debug/dispatches/dispatches_priv.h"

#include <stdio.h>

const char *bw_stage_words(enum bw_target_stage stage)
{
	static const char *const words[BW_STAGES] = {
		[BW_STAGE_COMPUTE] = "compute",
		[BW_STAGE_VERTEX] = "vertex",
		[BW_STAGE_PIXEL] = "pixel",
		[BW_STAGE_CONTROL] = "tessellation control",
		[BW_STAGE_EVALUATION] = "tessellation evaluation",
		[BW_STAGE_GEOMETRY] = "geometry",
		[BW_STAGE_MESH] = "mesh",
		[BW_STAGE_TASK] = "task",
	};
	return words[stage];
}

enum bw_target_stage bw_debug_draw_stage_at(struct bw_debug *d, const struct bw_dispatch_info *x,
					    uint64_t pc, const char **out_name)
{
	BW_IN_SPACE(d, x->space);
	const struct bw_load *l = bw_debug_load_at(d, pc);
	*out_name = x->kernel_title;
	if (!l || !l->module->stage)
		return x->desc.stage;
	if (l->base != x->desc.code_va) /* else its pipeline's, as others may share the code */
		*out_name = l->module->name;
	return l->module->stage;
}

void bw_dispatch_words(const struct bw_dispatch_info *x, char out[48])
{
	if (x->draw)
		snprintf(out, 48, "%s shader of draw %u",
			 x->desc.stage == BW_STAGE_PIXEL ? "pixel" : "vertex", x->draw);
	else
		snprintf(out, 48, "dispatch %u", x->number);
}

/* The list of the dispatches, or of the stages of draws. */
static const struct bw_dispatch_info *list_those(struct bw_debug *d, bool draws, size_t *out_n)
{
	d->dispatches->list.len = 0;
	*out_n = 0;
	bw_vec_each(&d->dispatches->all, x) {
		if (draws != (x->info.draw != 0))
			continue;
		struct bw_error *err = bw_vec_push(&d->dispatches->list, x->info);
		if (err) {
			bw_error_free(err);
			break;
		}
	}
	*out_n = d->dispatches->list.len;
	return d->dispatches->list.data;
}

const struct bw_dispatch_info *bw_debug_dispatches(struct bw_debug *d, size_t *out_n)
{
	return list_those(d, false, out_n);
}

const struct bw_dispatch_info *bw_debug_draw_shaders(struct bw_debug *d, size_t *out_n)
{
	return list_those(d, true, out_n);
}

const struct bw_dispatch_info *bw_debug_held(struct bw_debug *d)
{
	bw_vec_each(&d->dispatches->all, x)
		if (x->info.state == BW_DISPATCH_HELD && !x->info.draw)
			return &x->info;
	return NULL;
}

const struct bw_dispatch_info *bw_debug_dispatch(struct bw_debug *d, uint32_t number)
{
	struct bw_dispatch_record *x = bw_debug_dispatch_priv(d, number);
	return x ? &x->info : NULL;
}
