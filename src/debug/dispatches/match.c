// SPDX-License-Identifier: MIT
/* Recognises the kernel of a dispatch by the bytes at its code address. */
#include "debug/dispatches/dispatches_priv.h"

#include <string.h>

#include "sym/placed.h"

enum { MATCH_MAX_B = 1024 };

/* The number of bytes of the kernel that can be compared; 0: the descriptor points outside the
 * image. */
static size_t kernel_bytes(const struct bw_kernel *k, size_t image_b)
{
	if (k->entry >= image_b)
		return 0;
	size_t n = k->end > k->entry ? k->end - k->entry : 256;
	n = BW_MIN(n, image_b - k->entry);
	return BW_MIN(n, (size_t)MATCH_MAX_B);
}

/* Reads as much of the code as is readable, up to MATCH_MAX_B. */
static size_t read_head(struct bw_debug *d, uint64_t va, uint8_t out[MATCH_MAX_B])
{
	for (size_t n = MATCH_MAX_B; n >= 4; n /= 2) {
		struct bw_error *err = bw_target_read(d->target, va, out, n);
		if (!err)
			return n;
		bw_error_free(err);
	}
	return 0;
}

/* Whether these bytes lie there. */
static bool bytes_are(struct bw_debug *d, uint64_t va, const uint8_t *bytes, size_t size_b)
{
	uint8_t seen[MATCH_MAX_B];
	for (size_t at = 0, n; at < size_b; at += n) {
		n = BW_MIN(size_b - at, sizeof(seen));
		struct bw_error *err = bw_target_read(d->target, va + at, seen, n);
		bool same = !err && !memcmp(seen, bytes + at, n);
		bw_error_free(err);
		if (!same)
			return false;
	}
	return true;
}

static bool kernel_matches(struct bw_debug *d, const struct bw_module *m, const struct bw_kernel *k,
			   uint64_t code_va, const uint8_t *head, size_t head_b)
{
	uint8_t seen[MATCH_MAX_B];
	size_t image_b;
	const uint8_t *image = bw_module_image(m, &image_b);
	size_t n = kernel_bytes(k, image_b);

	if (m->second && !bytes_are(d, code_va + m->raw_b, m->second->raw, m->second->raw_b))
		return false;
	if (n == 0 || memcmp(head, image + k->entry, BW_MIN(n, head_b)) != 0)
		return false;
	if (n <= head_b)
		return true;
	struct bw_error *err = bw_target_read(d->target, code_va, seen, n);
	if (err) {
		bw_error_free(err);
		return false;
	}
	return memcmp(seen, image + k->entry, n) == 0;
}

/* ---- Kernels with the same code ---- */

enum { IMAGE_ALIGN_B = 4096, NEIGHBOUR_B = 64 };

/* Whether the other kernels of the image are where they must be if the image begins at base. */
static bool has_neighbours(struct bw_debug *d, const struct bw_module *m, const struct bw_kernel *k,
			   uint64_t base)
{
	size_t n, image_b;
	const struct bw_kernel *all = bw_module_kernels(m, &n);
	const uint8_t *image = bw_module_image(m, &image_b);
	for (size_t i = 0; i < n; i++) {
		uint8_t seen[NEIGHBOUR_B];
		size_t len = BW_MIN(kernel_bytes(&all[i], image_b), sizeof(seen));
		if (&all[i] == k || !len)
			continue;
		struct bw_error *err = bw_target_read(d->target, base + all[i].entry, seen, len);
		bool same = !err && !memcmp(seen, image + all[i].entry, len);
		bw_error_free(err);
		if (!same)
			return false;
	}
	return true;
}

/* Rates k among kernels with the same code: whether the user has given its file, whether its image
 * would lie at a likely place, and last, whether the user has asked to run it. */
static unsigned evidence(struct bw_debug *d, const struct bw_module *m, const struct bw_kernel *k,
			 uint64_t va)
{
	uint64_t base = va - k->entry;
	unsigned found = m->is_found ? 0 : 16;
	bw_vec_each(&d->code->loads, l)
		if (l->space == d->space && l->module == m && l->base == base)
			found |= 8;
	if (!(found & 8) && m->co && has_neighbours(d, m, k, base))
		found |= 4;
	if (base % IMAGE_ALIGN_B == 0)
		found |= 2;
	if (d->code->kernel && !strcmp(k->name, d->code->kernel))
		found |= 1;
	return found;
}

static struct bw_error *remember_load(struct bw_debug *d, const struct bw_load *load)
{
	bw_vec_each(&d->code->past_loads, l)
		if (l->module == load->module && l->base == load->base)
			return NULL;
	return bw_vec_push(&d->code->past_loads, *load);
}

struct bw_error *bw_debug_add_load(struct bw_debug *d, struct bw_module *m, uint64_t base,
				   bool is_told)
{
	size_t size_b;
	bw_module_image(m, &size_b);
	for (size_t i = 0; i < d->code->loads.len; i++) {
		struct bw_load *l = &d->code->loads.data[i];
		if (l->space != d->space)
			continue;
		if (l->module == m && l->base == base) {
			l->is_told |= is_told;
			return NULL;
		}
		/* Removes what was loaded at these addresses before. */
		if (base < l->base + l->size_b && l->base < base + size_b) {
			bw_vec_remove(&d->code->loads, i);
			i--;
		}
	}
	struct bw_load load = {
		.module = m, .space = d->space, .base = base, .size_b = size_b, .is_told = is_told};
	BW_TRY(remember_load(d, &load));
	return bw_vec_push(&d->code->loads, load);
}

static const char *title_of(struct bw_module *m, const struct bw_kernel *k)
{
	const struct bw_symbol *s = m->co ? bw_module_symbol(m, k->name) : NULL;
	return s ? bw_module_pretty(m, s) : k->name;
}

struct candidate {
	struct bw_module *m;
	const struct bw_kernel *k;
	unsigned evidence;
};

static struct bw_error *use_kernel(struct bw_debug *d, struct bw_dispatch_record *x,
				   const struct candidate *c)
{
	const struct bw_kernel *k = c->k;
	struct bw_module *m = c->m;
	uint64_t va = x->info.desc.code_va;
	size_t image_b;
	bw_module_image(m, &image_b);
	x->info.kernel = m->is_found ? NULL : k;
	x->info.kernel_name = k->name;
	x->info.kernel_title = title_of(m, k);
	x->info.code_object = m->is_found ? "" : m->name;
	x->info.load_base = va - k->entry;
	x->kernel_start = va;
	x->kernel_end = va + kernel_bytes(k, image_b);
	if (k->end > k->entry)
		x->kernel_end = va + (k->end - k->entry);
	BW_TRY(bw_debug_add_load(d, m, x->info.load_base, false));
	if (!m->second)
		return NULL;
	x->kernel_end += m->second->raw_b;
	return bw_debug_add_load(d, m->second, va + m->raw_b, false);
}

/* ---- Code of which no dispatch tells ---- */

/* Reads as much as is readable from va on, up to size_b. */
static size_t read_some(void *cookie, uint64_t va, void *out, size_t size_b)
{
	struct bw_debug *d = cookie;
	for (size_t n = size_b; n >= 4; n /= 2) {
		struct bw_error *err = bw_target_read(d->target, va, out, n);
		bw_error_free(err);
		if (!err)
			return n;
	}
	return 0;
}

struct bw_error *bw_debug_match_pc(struct bw_debug *d, uint64_t pc)
{
	struct bw_placed_window w;
	struct bw_module *best = NULL;
	unsigned best_likeness = BW_PLACED_ENOUGH - 1;
	uint64_t base, best_base = 0;
	if (bw_debug_load_at(d, pc) || !d->code->modules.len)
		return NULL;
	bw_placed_look(pc, read_some, d, &w);
	bw_vec_each(&d->code->modules, m) {
		unsigned like =
			(*m)->co && !(*m)->is_found ? bw_placed_find((*m)->co, &w, &base) : 0;
		if (like <= best_likeness)
			continue;
		best_likeness = like;
		best_base = base;
		best = *m;
	}
	return best ? bw_debug_add_load(d, best, best_base, false) : NULL;
}

struct bw_error *bw_debug_match_kernel(struct bw_debug *d, struct bw_dispatch_record *x)
{
	uint64_t va = x->info.desc.code_va;
	uint8_t head[MATCH_MAX_B];
	struct candidate best = {NULL, NULL, 0};
	x->info.kernel_name = x->info.kernel_title = "?";
	x->info.code_object = "";
	size_t head_b = d->code->modules.len ? read_head(d, va, head) : 0;
	if (!head_b)
		return NULL;
	bw_vec_each(&d->code->modules, m) {
		size_t n;
		const struct bw_kernel *k = bw_module_kernels(*m, &n);
		for (size_t i = 0; i < n; i++, k++) {
			if (k->entry > va || !kernel_matches(d, *m, k, va, head, head_b))
				continue;
			/* evidence takes time, and nearly always one kernel has the code */
			if (best.k && !best.evidence)
				best.evidence = evidence(d, best.m, best.k, va);
			struct candidate c = {*m, k, best.k ? evidence(d, *m, k, va) : 0};
			if (!best.k || c.evidence > best.evidence)
				best = c;
		}
	}
	return best.k ? use_kernel(d, x, &best) : NULL;
}
