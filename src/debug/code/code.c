// SPDX-License-Identifier: MIT
/* The session's code: modules, where they are loaded, symbols and source lines of addresses. */
#include "debug/code.h"
#include "debug/code/code_priv.h"
#include "debug/dispatches.h"
#include "debug/waves.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "sym/demangle.h"

/* ---- The session's ---- */

struct bw_error *bw_debug_code_init(struct bw_debug_code *c)
{
	return bw_source_paths_init(&c->source_paths);
}

void bw_debug_code_fini(struct bw_debug_code *c)
{
	bw_source_paths_fini(&c->source_paths);
	bw_vec_free(&c->loads);
	bw_vec_free(&c->past_loads);
	bw_vec_each(&c->modules, m)
		bw_module_free(*m);
	bw_vec_free(&c->modules);
	bw_lines_close(c->shader);
	free(c->kernel);
}

void bw_debug_code_forget(struct bw_debug *d, uint32_t space)
{
	bw_vec_drop(&d->code->loads, l, !space || l->space == space);
	bw_debug_forget_insts(d);
}

void bw_debug_set_default_kernel(struct bw_debug *d, const char *name)
{
	free(d->code->kernel);
	d->code->kernel = name ? strdup(name) : NULL;
}

/* ---- Modules ---- */

const void *bw_module_image(const struct bw_module *m, size_t *out_size_b)
{
	if (m->co)
		return bw_code_object_image(m->co, out_size_b);
	*out_size_b = m->raw_b;
	return m->raw;
}

const struct bw_kernel *bw_module_kernels(const struct bw_module *m, size_t *out_n)
{
	if (m->co)
		return bw_code_object_kernels(m->co, out_n);
	*out_n = 1;
	return &m->raw_kernel;
}

const struct bw_symbol *bw_module_symbols(const struct bw_module *m, size_t *out_n)
{
	if (m->co)
		return bw_code_object_symbols(m->co, out_n);
	*out_n = 1;
	return &m->raw_symbol;
}

const struct bw_symbol *bw_module_symbol(const struct bw_module *m, const char *name)
{
	size_t n;
	const struct bw_symbol *s = bw_module_symbols(m, &n), *label = NULL;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(s[i].name, name) != 0)
			continue;
		if (s[i].is_function)
			return &s[i];
		if (!label)
			label = &s[i];
	}
	return label;
}

const char *bw_module_pretty(struct bw_module *m, const struct bw_symbol *s)
{
	size_t n;
	const struct bw_symbol *all = bw_module_symbols(m, &n);
	if (!m->pretty) {
		m->pretty = calloc(n ? n : 1, sizeof(*m->pretty));
		for (size_t i = 0; m->pretty && i < n; i++)
			m->pretty[i] = bw_demangle(all[i].name);
	}
	size_t i = (size_t)(s - all);
	return m->pretty && i < n && m->pretty[i] ? m->pretty[i] : s->name;
}

const struct bw_symbol *bw_module_named(struct bw_module *m, const char *name,
					const struct bw_symbol *after)
{
	size_t n;
	const struct bw_symbol *s = bw_module_symbols(m, &n), *exact = bw_module_symbol(m, name);
	if (exact)
		return after ? NULL : exact;
	for (size_t i = after ? (size_t)(after - s) + 1 : 0; i < n; i++) {
		const char *pretty = bw_module_pretty(m, &s[i]);
		if (pretty != s[i].name && s[i].is_function && bw_name_is(pretty, name))
			return &s[i];
	}
	return !after && m->entry && !strcmp(m->entry, name) ? &m->raw_symbol : NULL;
}

const struct bw_symbol *bw_module_symbol_at(const struct bw_module *m, uint64_t offset_b)
{
	if (m->co)
		return bw_code_object_symbol_at(m->co, offset_b);
	return offset_b < m->raw_b ? &m->raw_symbol : NULL;
}

bool bw_module_line_from(const struct bw_module *m, uint64_t at, struct bw_line *out)
{
	const struct bw_symbol *s = bw_module_symbol_at(m, at);
	uint64_t end = s ? s->addr + s->size_b : at;
	bool has = m->lines && bw_lines_at(m->lines, at, out);
	while (m->lines && !has && (at += 4) < end)
		has = bw_lines_at(m->lines, at, out);
	return has;
}

void bw_module_free(struct bw_module *m)
{
	size_t n = 0;
	if (m->pretty)
		bw_module_symbols(m, &n);
	for (size_t i = 0; i < n; i++)
		free(m->pretty[i]);
	free(m->pretty);
	if (m->lines)
		bw_lines_close(m->lines);
	if (m->co)
		bw_code_object_close(m->co);
	free(m->name);
	free(m->entry);
	free(m->raw);
	free(m);
}

struct bw_load *bw_debug_load_at(struct bw_debug *d, uint64_t va)
{
	bw_vec_each(&d->code->loads, l)
		if (l->space == d->space && va >= l->base && va - l->base < l->size_b)
			return l;
	return NULL;
}

static void where_in(struct bw_module *m, uint64_t base, uint64_t pc, struct bw_where *out)
{
	uint64_t at = pc - base;
	*out = (struct bw_where){.pc = pc, .code_object = m->is_found ? NULL : m->name};
	const struct bw_symbol *s = bw_module_symbol_at(m, at);
	if (s) {
		out->function = bw_module_pretty(m, s);
		out->offset_b = at - s->addr;
	}
	if (!m->lines || !bw_lines_at(m->lines, at, &out->line))
		return;
	out->has_line = true;
	out->line.start += base;
	out->line.end += base;
	out->line_text = bw_lines_text(m->lines, out->line.file, out->line.line);
}

struct bw_module *bw_debug_module_at(struct bw_debug *d, uint64_t va, uint64_t *out_base)
{
	size_t image_b;
	struct bw_load *l = bw_debug_load_at(d, va);
	*out_base = l ? l->base : 0;
	if (l || d->target)
		return l ? l->module : NULL;
	bw_vec_each(&d->code->modules, m) {
		bw_module_image(*m, &image_b);
		if (va < image_b)
			return *m;
	}
	return NULL;
}

void bw_debug_where(struct bw_debug *d, uint64_t pc, struct bw_where *out)
{
	uint64_t base;
	struct bw_module *m = bw_debug_module_at(d, pc, &base);
	*out = (struct bw_where){.pc = pc};
	if (m)
		where_in(m, base, pc, out);
}

/* ---- What was executed ---- */

static bool has_code(const struct bw_module *m, uint64_t base, const struct bw_executed *x)
{
	size_t image_b;
	const uint8_t *image = bw_module_image(m, &image_b);
	uint64_t at = x->pc - base;
	return x->pc >= base && at < image_b && x->code_b <= image_b - at &&
	       !memcmp(image + at, x->code, x->code_b);
}

static bool same_place(const struct bw_where *a, const struct bw_where *b)
{
	return !strcmp(a->function ? a->function : "", b->function ? b->function : "") &&
	       a->offset_b == b->offset_b && a->has_line == b->has_line &&
	       (!a->has_line ||
		(a->line.line == b->line.line && !strcmp(a->line.file, b->line.file)));
}

bool bw_debug_where_executed(struct bw_debug *d, const struct bw_executed *x, struct bw_where *out)
{
	for (size_t i = d->code->past_loads.len; i-- > 0;) {
		const struct bw_load *l = &d->code->past_loads.data[i];
		if (!has_code(l->module, l->base, x))
			continue;
		where_in(l->module, l->base, x->pc, out);
		return true;
	}
	struct bw_where found;
	bool any = false;
	bw_vec_each(&d->code->modules, m) {
		size_t n;
		const struct bw_kernel *k = bw_module_kernels(*m, &n);
		for (size_t i = 0; i < n; i++, k++) {
			struct bw_where where;
			if (k->entry > x->start || !has_code(*m, x->start - k->entry, x))
				continue;
			where_in(*m, x->start - k->entry, x->pc, &where);
			if (any && !same_place(&where, &found))
				return false;
			found = where;
			any = true;
		}
	}
	if (any)
		*out = found;
	return any;
}

/* The kernel of a module at `base` whose first instruction is the wave's. */
static const struct bw_kernel *kernel_executed(struct bw_module *m, uint64_t base,
					       const struct bw_executed *x)
{
	size_t n;
	const struct bw_kernel *k = bw_module_kernels(m, &n);
	for (size_t i = 0; i < n; i++, k++)
		if (k->entry == x->start - base && has_code(m, base, x))
			return k;
	return NULL;
}

static const char *pointer_at(const struct bw_kernel *k, unsigned sgpr, uint32_t offset_b)
{
	if (!k->has_metadata || bw_kcp_sgpr_of(k->properties, BW_KCP_KERNARG_PTR) != sgpr)
		return NULL;
	for (size_t i = 0; i < k->n_args; i++)
		if (k->args[i].offset_b == offset_b && *k->args[i].name &&
		    !strcmp(k->args[i].value_kind, "global_buffer"))
			return k->args[i].name;
	return NULL;
}

bool bw_code_executed(struct bw_debug *d, const struct bw_executed *x, struct bw_code_executed *out)
{
	for (size_t i = d->code->past_loads.len; i-- > 0;) {
		const struct bw_load *l = &d->code->past_loads.data[i];
		const struct bw_kernel *k = kernel_executed(l->module, l->base, x);
		*out = (struct bw_code_executed){l->module, k, x->pc - l->base};
		if (k)
			return true;
	}
	bw_vec_each(&d->code->modules, m) {
		size_t n;
		const struct bw_kernel *k = bw_module_kernels(*m, &n);
		for (size_t i = 0; i < n; i++, k++) {
			*out = (struct bw_code_executed){*m, k, x->pc - x->start + k->entry};
			if (k->entry <= x->start && has_code(*m, x->start - k->entry, x))
				return true;
		}
	}
	return false;
}

const char *bw_debug_pointer_executed(struct bw_debug *d, const struct bw_executed *x,
				      unsigned sgpr, uint32_t offset_b)
{
	struct bw_code_executed c;
	return bw_code_executed(d, x, &c) ? pointer_at(c.kernel, sgpr, offset_b) : NULL;
}

void bw_debug_where_in(struct bw_debug *d, uint32_t dispatch, uint64_t pc, struct bw_where *out)
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, dispatch);
	BW_IN_SPACE(d, x ? x->space : d->space);
	bw_debug_where(d, pc, out);
}

void bw_debug_wave_where(struct bw_debug *d, const struct bw_wave_info *w, struct bw_where *out)
{
	BW_IN_SPACE(d, w->space);
	bw_debug_where(d, w->pc, out);
}

struct bw_error *bw_debug_function_range(struct bw_debug *d, uint64_t addr, uint64_t *out_start,
					 uint64_t *out_end)
{
	uint64_t base;
	struct bw_module *m = bw_debug_module_at(d, addr, &base);
	const struct bw_symbol *s = m ? bw_module_symbol_at(m, addr - base) : NULL;
	if (!s)
		return bw_errorf(BW_E_NOT_FOUND, "No function contains specified address 0x%llx",
				 (unsigned long long)addr);

	/* A label has no size: it reaches to the next function, or to the end of what encloses it.
	 */
	size_t n, image_b;
	bw_module_image(m, &image_b);
	const struct bw_symbol *all = bw_module_symbols(m, &n);
	uint64_t start = s->addr, end = s->addr + s->size_b, at = addr - base;
	for (size_t i = 0; i < n; i++) {
		if (all[i].is_function && all[i].addr <= at && at < all[i].addr + all[i].size_b) {
			start = all[i].addr;
			end = start + all[i].size_b;
		}
	}
	if (end <= at) {
		end = image_b;
		for (size_t i = 0; i < n; i++)
			if (all[i].addr > at)
				end = BW_MIN(end, all[i].addr);
	}
	*out_start = base + start;
	*out_end = base + BW_MIN(end, image_b);
	return NULL;
}

void bw_debug_symbolize(struct bw_debug *d, uint64_t addr, char *out, size_t out_b)
{
	struct bw_where w;
	bw_debug_where(d, addr, &w);
	if (out_b)
		out[0] = 0;
	if (!w.function)
		return;
	if (w.offset_b)
		snprintf(out, out_b, "<%s+%llu>", w.function, (unsigned long long)w.offset_b);
	else
		snprintf(out, out_b, "<%s>", w.function);
}

/* ---- Instructions ---- */

void bw_debug_forget_insts(struct bw_debug *d)
{
	for (size_t i = 0; i < BW_INST_CACHE; i++)
		d->code->insts[i].va = 0;
	memset(d->code->whole_waves, 0, sizeof(d->code->whole_waves));
}

struct bw_error *bw_debug_read_inst(struct bw_debug *d, uint64_t va, struct bw_inst *out,
				    uint32_t out_words[3])
{
	struct bw_inst_entry *e = &d->code->insts[va / 4 % BW_INST_CACHE];
	uint32_t words[3] = {0};
	size_t n = 3;

	if (e->va != va || e->space != d->space || va == 0) {
		struct bw_error *err = bw_target_read(d->target, va, words, sizeof(words));
		/* The last instruction of a buffer has fewer than 12 bytes to its end. */
		while (err && n > 1 && bw_error_catch(&err, BW_E_FAULT)) {
			n--;
			err = bw_target_read(d->target, va, words, n * 4);
		}
		if (err)
			return bw_debug_gdb_error(err);
		e->va = va;
		e->space = d->space;
		memcpy(e->words, words, sizeof(words));
		bw_isa_decode(bw_debug_isa(d), words, n, &e->inst);
	}
	*out = e->inst;
	if (out_words)
		memcpy(out_words, e->words, sizeof(words));
	return NULL;
}
