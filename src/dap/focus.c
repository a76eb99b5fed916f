/* SPDX-License-Identifier: MIT */
#include "dap/dap_priv.h"

#include <stdlib.h>
#include <string.h>

/* Editors name a wave, or a frame of one, in each request; the core has one focus. */

int64_t bw_dap_add_ref(struct bw_dap *s, const struct bw_dap_ref *ref)
{
	struct bw_dap_ref mine = *ref;
	if (s->refs.len >= BW_DAP_REFS_MAX)
		return 0;
	mine.expr = ref->expr ? strdup(ref->expr) : NULL;
	struct bw_error *err =
		ref->expr && !mine.expr ? bw_error_nomem() : bw_vec_push(&s->refs, mine);
	if (!err)
		return (int64_t)s->refs.len;
	bw_error_free(err);
	free(mine.expr);
	return 0;
}

struct bw_error *bw_dap_find_ref(struct bw_dap *s, int64_t number, bool is_frame,
				 struct bw_dap_ref *out)
{
	if (number < 1 || (uint64_t)number > s->refs.len ||
	    (s->refs.data[number - 1].kind == BW_DAP_REF_FRAME) != is_frame)
		return bw_errorf(
			BW_E_NOT_FOUND,
			is_frame ? "There is no frame %lld since the waves were resumed"
				 : "There are no variables %lld since the waves were resumed",
			(long long)number);
	*out = s->refs.data[number - 1];
	return NULL;
}

static struct bw_dap_lane *lane_of(struct bw_dap *s, uint32_t wave)
{
	bw_vec_each(&s->lanes, l)
		if (l->wave == wave)
			return l;
	return NULL;
}

void bw_dap_keep_lane(struct bw_dap *s)
{
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	if (!w)
		return;
	struct bw_dap_lane *l = lane_of(s, w->number);
	struct bw_dap_lane fresh = {w->number, bw_debug_focus_lane(s->debug)};
	if (l)
		*l = fresh;
	else
		bw_error_free(bw_vec_push(&s->lanes, fresh));
}

struct bw_error *bw_dap_focus(struct bw_dap *s, uint32_t wave, unsigned level)
{
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	if (!w || w->number != wave) {
		/* The wave that had the focus gets its lane back when it has the focus again. */
		bw_dap_keep_lane(s);
		BW_TRY(bw_debug_set_focus(s->debug, wave));
		const struct bw_dap_lane *l = lane_of(s, wave);
		if (l)
			BW_TRY(bw_debug_set_lane(s->debug, l->lane));
	}
	return bw_debug_frame_level(s->debug) == level ? NULL
						       : bw_debug_select_frame(s->debug, level);
}

struct bw_error *bw_dap_focus_frame(struct bw_dap *s, json_t *args, struct bw_dap_ref *out_frame)
{
	int64_t id = 0;
	*out_frame = (struct bw_dap_ref){.kind = BW_DAP_REF_FRAME};
	BW_TRY(bw_dap_take_int(args, "frameId", &id));
	if (id) {
		BW_TRY(bw_dap_find_ref(s, id, true, out_frame));
		return bw_dap_focus(s, out_frame->wave, out_frame->level);
	}
	const struct bw_wave_info *w = bw_debug_focus(s->debug);
	if (!w)
		return NULL;
	out_frame->wave = w->number;
	out_frame->level = bw_debug_frame_level(s->debug);
	return NULL;
}

struct bw_error *bw_dap_focus_thread(struct bw_dap *s, json_t *args)
{
	int64_t id = 0;
	BW_TRY(bw_dap_need_int(args, "threadId", &id));
	if (id == BW_DAP_PROGRAM_THREAD || id == BW_DAP_MORE_THREAD)
		return bw_errorf(BW_E_STATE, "No wave is stopped there");
	if (id < 1 || id > UINT32_MAX)
		return bw_errorf(BW_E_NOT_FOUND, "There is no wave %lld", (long long)id);
	return bw_dap_focus(s, (uint32_t)id, 0);
}
