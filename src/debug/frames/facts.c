// SPDX-License-Identifier: MIT
#include "debug/frames/facts.h"

#include <string.h>

#include "base/cleanup.h"
#include "debug/dispatches.h"
#include "debug/waves/waves_priv.h"
#include "isa/ops.h"
#include "sym/frames.h"

enum { MAX_ROWS = 256, MAX_CALLEES = 4096 };

/* A function: which of its instructions can be reached, and what it calls. */
struct function {
	uint64_t entry;
	struct bw_flow_reached reached;
	struct bw_flow_targets targets;
};

/* The facts of the functions of one module. */
struct module_facts {
	const struct bw_module *module;
	unsigned lanes;
	struct bw_flow_effects effects;
	struct BW_VEC(struct function) functions; /* those that `reach` has looked at */
};

struct bw_facts {
	struct BW_VEC(struct bw_facts_row *) rows;
	struct BW_VEC(struct module_facts) modules;
};

void bw_facts_free(struct bw_facts *c)
{
	if (!c)
		return;
	bw_vec_each(&c->rows, r)
		free(*r);
	bw_vec_free(&c->rows);
	bw_vec_each(&c->modules, m) {
		bw_flow_effects_free(&m->effects);
		bw_vec_each(&m->functions, f) {
			free(f->reached.bits);
			bw_vec_free(&f->targets);
		}
		bw_vec_free(&m->functions);
	}
	bw_vec_free(&c->modules);
	free(c);
}

struct bw_error *bw_facts_begin(struct bw_stack *s)
{
	if (!s->facts)
		s->facts = calloc(1, sizeof(*s->facts));
	if (!s->facts)
		return bw_error_nomem();
	if (s->facts->rows.len > MAX_ROWS) {
		bw_vec_each(&s->facts->rows, r)
			free(*r);
		s->facts->rows.len = 0;
	}
	return NULL;
}

static struct bw_error *facts_of(struct bw_facts *c, const struct bw_module *m, unsigned lanes,
				 struct module_facts **out)
{
	bw_vec_each(&c->modules, it) {
		if (it->module == m && it->lanes == lanes) {
			*out = it;
			return NULL;
		}
	}
	BW_TRY(bw_vec_push(&c->modules, ((struct module_facts){.module = m, .lanes = lanes})));
	*out = &c->modules.data[c->modules.len - 1];
	return NULL;
}

static struct bw_error *run_flow(struct bw_debug *d, const struct bw_wave_record *w,
				 const struct bw_module *m, uint64_t at, struct bw_walk *out)
{
	struct bw_flow_code code = {.gen = bw_debug_isa(d), .lanes = w->info.lanes};
	struct module_facts *facts;
	code.image = bw_module_image(m, &code.image_b);
	BW_TRY(facts_of(d->stack->facts, m, code.lanes, &facts));
	return bw_walk_run(&code, &facts->effects, at, out);
}

bool bw_facts_call_at(const struct bw_debug *d, const struct bw_module *m, uint64_t at,
		      unsigned *out_link)
{
	size_t image_b;
	uint32_t word;
	uint64_t target;
	struct bw_inst inst;
	const uint8_t *image = bw_module_image(m, &image_b);
	if (at % 4 || at >= image_b || image_b - at < 4)
		return false;
	memcpy(&word, image + at, 4);
	if (!bw_isa_decode(bw_debug_isa(d), &word, 1, &inst))
		return false;
	*out_link = inst.dst & ~1u;
	return inst.op == BW_OP_S_SWAPPC_B64 || bw_isa_flow(&inst, at, &target) == BW_FLOW_CALL;
}

static struct bw_sym call_target(const struct bw_debug *d, const struct bw_module *m, uint64_t at,
				 const struct bw_sym_state *state)
{
	size_t image_b;
	uint64_t target;
	struct bw_inst inst;
	const uint8_t *image = bw_module_image(m, &image_b);
	if (!bw_isa_decode_at(bw_debug_isa(d), image, image_b, at, &inst))
		return (struct bw_sym){0};
	if (bw_isa_flow(&inst, at, &target) == BW_FLOW_CALL && inst.op != BW_OP_S_SWAPPC_B64)
		return (struct bw_sym){BW_SYM_CODE, 0, (uint32_t)target};
	return inst.op == BW_OP_S_SWAPPC_B64 && inst.src[0] < BW_SYM_SGPRS
		       ? state->sgpr[inst.src[0] & ~1u]
		       : (struct bw_sym){0};
}

struct bw_error *bw_facts_row(struct bw_debug *d, const struct bw_wave_record *w,
			      const struct bw_activation *a, const struct bw_facts_row **out)
{
	struct bw_facts *c = d->stack->facts;
	const struct bw_load *l = bw_debug_load_at(d, a->at);
	const struct bw_module *m = l->module;
	uint64_t entry = a->entry - l->base, at = a->at - l->base;
	bool called = a->pc != a->at;
	unsigned link;
	struct bw_walk flow = {.entry = entry, .end = UINT64_MAX};
	bw_vec_each(&c->rows, r) {
		if ((*r)->module == m && (*r)->entry == entry && (*r)->at == at &&
		    (*r)->called == called) {
			*out = *r;
			return NULL;
		}
	}
	_cleanup_free_ struct bw_facts_row *fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return bw_error_nomem();
	struct bw_error *err = run_flow(d, w, m, at, &flow);
	bw_walk_fini(&flow);
	BW_TRY(err);
	fresh->module = m;
	fresh->entry = entry;
	fresh->at = at;
	fresh->called = called;
	fresh->link = flow.effect.link;
	fresh->has_state = flow.has_state;
	fresh->state = flow.state;
	fresh->target = call_target(d, m, at, &flow.state);
	if (called && bw_facts_call_at(d, m, at, &link) && link + 1 < BW_SYM_SGPRS)
		fresh->state.sgpr[link] = fresh->state.sgpr[link + 1] = (struct bw_sym){0};
	BW_TRY(bw_vec_push(&c->rows, fresh));
	*out = fresh;
	fresh = NULL;
	return NULL;
}

/* ---- Which function ---- */

/* The function of an address; out is valid until the next call. */
static struct bw_error *function_at(struct bw_debug *d, const struct bw_wave_record *w,
				    const struct bw_module *m, uint64_t entry,
				    const struct function **out)
{
	struct module_facts *facts;
	struct bw_walk flow = {.entry = entry, .end = UINT64_MAX};
	BW_TRY(facts_of(d->stack->facts, m, w->info.lanes, &facts));
	bw_vec_each(&facts->functions, f) {
		if (f->entry == entry) {
			*out = f;
			return NULL;
		}
	}
	struct bw_error *err = run_flow(d, w, m, UINT64_MAX, &flow);
	const struct function fresh = {entry, flow.reached, flow.targets};
	if (!err)
		err = bw_vec_push(&facts->functions, fresh);
	if (err) {
		bw_walk_fini(&flow);
		return err;
	}
	*out = &facts->functions.data[facts->functions.len - 1];
	return NULL;
}

/* Without debug information: finds the function, from the dispatch's kernel on through its calls,
 * whose reachable instructions include the address. Labels of assembly do not tell where functions
 * begin. */
static struct bw_error *reach(struct bw_debug *d, const struct bw_wave_record *w,
			      const struct bw_module *m, uint64_t kernel, uint64_t at,
			      uint64_t *out_entry)
{
	struct BW_VEC(uint64_t) todo = {0};
	struct bw_error *err = bw_vec_push(&todo, kernel);
	bool found = false;
	for (size_t i = 0; !err && !found && i < todo.len && i < MAX_CALLEES; i++) {
		const struct function *f;
		if ((err = function_at(d, w, m, todo.data[i], &f)))
			break;
		found = bw_flow_reaches(&f->reached, f->entry, at);
		if (found)
			*out_entry = f->entry;
		bw_vec_each(&f->targets, t) {
			bool known = false;
			for (size_t k = 0; k < todo.len; k++)
				known |= todo.data[k] == *t;
			if (!err && !known)
				err = bw_vec_push(&todo, *t);
		}
	}
	bw_vec_free(&todo);
	return err;
}

static bool function_symbol(const struct bw_module *m, uint64_t at, uint64_t *out_entry)
{
	size_t n;
	const struct bw_symbol *s = bw_module_symbols(m, &n);
	for (size_t i = 0; i < n; i++) {
		if (!s[i].is_function || at < s[i].addr || at - s[i].addr >= s[i].size_b)
			continue;
		*out_entry = s[i].addr;
		return true;
	}
	return false;
}

struct bw_error *bw_facts_function(struct bw_debug *d, const struct bw_wave_record *w,
				   struct bw_activation *a)
{
	struct bw_load *l = bw_debug_load_at(d, a->at);
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, w->info.dispatch);
	struct bw_frame_info info = {0};
	uint64_t entry = UINT64_MAX;
	if (!l)
		return NULL;
	const struct bw_module *m = l->module;
	uint64_t at = a->at - l->base, kernel = UINT64_MAX;
	if (x && x->desc.code_va >= l->base && x->desc.code_va - l->base < l->size_b)
		kernel = x->desc.code_va - l->base;
	if (m->stage) /* of the programs of a draw, only one begins at its code address */
		kernel = 0;
	bool known = m->lines && bw_lines_frame(m->lines, at, 0, &info);
	for (unsigned i = 1; known && info.is_inlined; i++)
		known = bw_lines_frame(m->lines, at, i, &info);
	if (known && info.entry) {
		entry = info.entry;
		a->is_kernel = info.is_kernel;
	} else if (kernel != UINT64_MAX) {
		BW_TRY(reach(d, w, m, kernel, at, &entry));
	}
	if (entry == UINT64_MAX && !function_symbol(m, at, &entry))
		return NULL;
	a->entry = l->base + entry;
	a->is_kernel |= entry == kernel;
	return NULL;
}
