// SPDX-License-Identifier: MIT
/* The variables at a place of the program, for "info scope". */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/breakpoints/entered.h"
#include "debug/code.h"
#include "debug/variables.h"
#include "debug/variables/variables_priv.h"

#include <stdlib.h>

/* The frame of a place, in loaded code or else in the image of a code object. False: there is no
 * debug information. */
static struct bw_error *scope_of(struct bw_debug *d, const char *where, bool *out_has,
				 struct bw_variables_frame *out)
{
	struct bw_where_spec spec = {0};
	uint64_t *places = NULL;
	size_t n = 0;
	struct bw_error *err = bw_debug_places(d, where, &places, &n);
	if (!err) {
		*out_has = bw_variables_frame_at(d, places[0], out);
		free(places);
		BW_TRY(bw_where_parse(d, where, &spec));
		if (*out_has)
			out->level = bw_where_not_entered(out->lines, &spec, out->addr);
		bw_where_spec_fini(&spec);
		return NULL;
	}
	struct bw_error *bad = bw_where_parse(d, where, &spec);
	*out_has = !bad && bw_where_scope(d, &spec, out);
	if (!bad)
		bw_where_spec_fini(&spec);
	bw_error_free(bad);
	if (!*out_has)
		return err;
	bw_error_free(err);
	return NULL;
}

struct bw_error *bw_debug_scope(struct bw_debug *d, const char *where, struct bw_scoped **out,
				size_t *out_n)
{
	struct bw_variables_frame f;
	const struct bw_variable *list = NULL;
	bool has;
	size_t n = 0, k = 0;
	BW_TRY(scope_of(d, where, &has, &f));
	if (has)
		BW_TRY(bw_variables_list(d, &f, &list, &n));
	struct bw_scoped *all = calloc(n ? n : 1, sizeof(*all));
	if (!all)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++) {
		if (list[i].is_static)
			continue;
		all[k].variable = list[i];
		bw_variables_place(d, &f, &list[i], &all[k++].place);
	}
	*out = all;
	*out_n = k;
	return NULL;
}
