// SPDX-License-Identifier: MIT
/* Code objects that a program's runtime has loaded: the target lists them, so that their names,
 * lines and variables are known without a file that the user gives. */
#include "debug/dispatches/dispatches_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* The module with this image, of an earlier run or of another load. */
static struct bw_module *module_with_image(struct bw_debug *d, const struct bw_code_object *co)
{
	size_t want_b, have_b;
	const void *want = bw_code_object_image(co, &want_b);
	bw_vec_each(&d->code->modules, m) {
		if (!(*m)->co)
			continue;
		const void *have = bw_code_object_image((*m)->co, &have_b);
		if (have_b == want_b && !memcmp(have, want, want_b))
			return *m;
	}
	return NULL;
}

static struct bw_error *open_loaded(struct bw_debug *d, const struct bw_target_loaded *l,
				    struct bw_module **out)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	struct bw_code_object *co;
	size_t size_b;
	BW_TRY(bw_target_loaded_bytes(d->target, l->base, &bytes, &size_b));
	BW_TRY(bw_code_object_open(bytes, size_b, l->uri, &co));
	*out = module_with_image(d, co);
	if (*out) {
		bw_code_object_close(co);
		return NULL;
	}
	BW_TRY(bw_debug_add_code_object(d, co));
	*out = module_with_image(d, co);
	return NULL;
}

static const struct bw_load *load_of(struct bw_debug *d, uint64_t base)
{
	bw_vec_each(&d->code->loads, l)
		if (l->space == d->space && l->base == base && l->is_told)
			return l;
	return NULL;
}

static bool is_listed(const struct bw_target_loaded *all, size_t n, uint64_t base)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].base == base)
			return true;
	return false;
}

static struct bw_error *add_told(struct bw_debug *d, const struct bw_target_loaded *l)
{
	struct bw_module *m;
	BW_TRY(open_loaded(d, l, &m));
	return bw_debug_add_load(d, m, l->base, true);
}

struct bw_error *bw_debug_learn_loaded(struct bw_debug *d)
{
	_cleanup_free_ struct bw_target_loaded *all = NULL;
	size_t n;
	if (!bw_target_can(d->target, BW_CAP_LOADED))
		return NULL;
	BW_TRY(bw_target_loaded(d->target, &all, &n));
	bw_vec_drop(&d->code->loads, l,
		    l->space == d->space && l->is_told && !is_listed(all, n, l->base));
	for (size_t i = 0; i < n; i++) {
		struct bw_error *err = load_of(d, all[i].base) ? NULL : add_told(d, &all[i]);
		if (!err)
			continue;
		/* The program runs without it, and its code is found by its bytes. */
		bw_debug_note(d, BW_NOTICE_WARNING,
			      "The code object %s at 0x%" PRIx64 " cannot be read: %s", all[i].uri,
			      all[i].base, err->message);
		bw_error_free(err);
	}
	return NULL;
}
