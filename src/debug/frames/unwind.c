// SPDX-License-Identifier: MIT
/* Finds the caller of a function, and the caller's registers. */
#include "debug/dispatches.h"
#include "debug/frames/facts.h"
#include "debug/frames/frames_priv.h"
#include "debug/registers.h"
#include "debug/variables.h"
#include "debug/waves/waves_priv.h"
#include "sym/frames.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/cleanup.h"

enum { MAX_ACTIVATIONS = 1 << 16, N_SGPRS = 106 };

/* ---- Registers of activations ---- */

static const struct bw_facts_row *row_at(struct bw_debug *d, const struct bw_wave_record *w,
					 const struct bw_activation *a)
{
	const struct bw_facts_row *row = NULL;
	struct bw_load *l = bw_debug_load_at(d, a->at);
	if (!l || !a->entry || a->entry < l->base)
		return NULL;
	bw_error_free(bw_facts_row(d, w, a, &row));
	return row && row->has_state ? row : NULL;
}

static struct bw_error *read_sgpr(struct bw_debug *d, struct bw_wave_record *w, unsigned depth,
				  unsigned n, uint32_t *out, enum bw_frame_reg_place *out_place);
static struct bw_error *read_vgpr(struct bw_debug *d, struct bw_wave_record *w, unsigned depth,
				  unsigned n, uint32_t *out, uint64_t *out_known);

static struct bw_error *read_scratch(struct bw_debug *d, struct bw_wave_record *w, unsigned lane,
				     uint32_t offset, uint32_t *out)
{
	struct bw_wave_mem place = {w, lane, BW_SPACE_PRIVATE, offset};
	return bw_wave_mem_read(d, &place, out, sizeof(*out));
}

static bool is_entry_value(struct bw_sym s, struct bw_sym want)
{
	return s.kind == want.kind && s.reg == want.reg &&
	       (want.kind != BW_SYM_ENTRY || s.value == want.value);
}

/* What an activation's code has done to registers. */
struct activation_state {
	unsigned depth;
	const struct bw_sym_state *s;
};

/* Reads a value that a register had at the activation's entry, from where the code has saved it. */
static struct bw_error *read_entry_value(struct bw_debug *d, struct bw_wave_record *w,
					 struct activation_state at, struct bw_sym want,
					 uint32_t *out, bool *out_known)
{
	const struct bw_activation *a = &d->stack->activations.data[at.depth];
	const struct bw_sym_state *s = at.s;
	enum bw_frame_reg_place place;
	for (unsigned i = 0; i < N_SGPRS && !*out_known; i++) {
		if (!is_entry_value(s->sgpr[i], want))
			continue;
		BW_TRY(read_sgpr(d, w, at.depth, i, out, &place));
		*out_known = place != BW_FRAME_REG_UNKNOWN;
	}
	for (unsigned i = 0; i < s->n_lanes && !*out_known; i++) {
		const struct bw_sym_lane *l = &s->lane[i];
		if (!is_entry_value(l->sym, want) || l->lane >= w->info.lanes)
			continue;
		if (l->in_scratch && a->has_base) {
			struct bw_error *err =
				read_scratch(d, w, l->lane, a->base + (uint32_t)l->offset, out);
			*out_known = !err;
			bw_error_free(err);
		} else if (!l->in_scratch) {
			uint32_t values[64];
			uint64_t lanes = 0;
			BW_TRY(read_vgpr(d, w, at.depth, l->vgpr, values, &lanes));
			*out_known = lanes >> l->lane & 1;
			if (*out_known)
				*out = values[l->lane];
		}
	}
	return NULL;
}

/* Reads SGPR n as the activation at `depth` sees it. */
static struct bw_error *read_sgpr(struct bw_debug *d, struct bw_wave_record *w, unsigned depth,
				  unsigned n, uint32_t *out, enum bw_frame_reg_place *out_place)
{
	*out_place = BW_FRAME_REG_UNKNOWN;
	while (depth) {
		const struct bw_activation *inner = &d->stack->activations.data[depth - 1];
		const struct bw_facts_row *row = row_at(d, w, inner);
		bool known = false;
		if (!row)
			return NULL;
		const struct bw_sym want = {BW_SYM_ENTRY, (uint8_t)n, 0};
		if (n == 32) {
			*out = inner->base;
			*out_place = inner->has_base ? BW_FRAME_REG_SAVED : BW_FRAME_REG_UNKNOWN;
			return NULL;
		}
		if (is_entry_value(row->state.sgpr[n], want)) {
			depth--;
			continue;
		}
		const struct activation_state at = {depth - 1, &row->state};
		BW_TRY(read_entry_value(d, w, at, want, out, &known));
		*out_place = known ? BW_FRAME_REG_SAVED : BW_FRAME_REG_UNKNOWN;
		return NULL;
	}
	*out_place = BW_FRAME_REG_SAME;
	return bw_debug_sgprs_read(d, w->info.number, n, 1, out);
}

static uint64_t all_lanes(const struct bw_wave_record *w)
{
	return w->info.lanes == 64 ? UINT64_MAX : UINT32_MAX;
}

/* Reads VGPR n as the activation at `depth` sees it, in the lanes out_known. */
static struct bw_error *read_vgpr(struct bw_debug *d, struct bw_wave_record *w, unsigned depth,
				  unsigned n, uint32_t *out, uint64_t *out_known)
{
	uint64_t want = all_lanes(w), known = 0;
	for (; depth && want; depth--) {
		const struct bw_activation *inner = &d->stack->activations.data[depth - 1];
		const struct bw_activation *a = &d->stack->activations.data[depth];
		const struct bw_facts_row *row = row_at(d, w, inner);
		uint64_t still = 0, all = all_lanes(w);
		if (!row)
			want = 0;
		for (unsigned part = 1; row && part <= 2; part++) {
			/* lanes that were active at the call, and those that were not */
			uint64_t lanes = part == BW_LANES_ACTIVE ? a->exec : ~a->exec & all;
			uint8_t here = row->state.vgpr[n] & part;
			bool both = row->state.vgpr[n] == BW_LANES_ALL;
			if (both || (here && a->has_exec))
				still |= both ? all : lanes;
			for (unsigned i = 0; i < row->state.n_slots && !here; i++) {
				const struct bw_sym_slot *slot = &row->state.slot[i];
				if (slot->vgpr != n || !(slot->lanes & part) || !inner->has_base)
					continue;
				if (!a->has_exec && slot->lanes != BW_LANES_ALL)
					continue;
				uint64_t from = a->has_exec ? lanes : all;
				for (uint64_t left = from & want & ~known; left; left &= left - 1) {
					unsigned lane = (unsigned)__builtin_ctzll(left);
					struct bw_error *err = read_scratch(
						d, w, lane, inner->base + (uint32_t)slot->offset,
						&out[lane]);
					if (!err)
						known |= 1ull << lane;
					bw_error_free(err);
				}
			}
		}
		want &= still & ~known;
	}
	if (want && n < w->info.n_vgprs) {
		uint32_t values[64];
		BW_TRY(bw_debug_vgpr_read(d, w->info.number, n, values));
		for (uint64_t left = want; left; left &= left - 1) {
			unsigned lane = (unsigned)__builtin_ctzll(left);
			out[lane] = values[lane];
		}
		known |= want;
	}
	*out_known = known;
	return NULL;
}

struct bw_error *bw_debug_frame_sgpr(struct bw_debug *d, unsigned level, unsigned n, uint32_t *out,
				     enum bw_frame_reg_place *out_place)
{
	struct bw_stack_frame frame;
	struct bw_wave_record *w;
	struct bw_stack *s;
	BW_TRY(bw_debug_stack_frame(d, level, &frame));
	BW_TRY(bw_stack_of(d, &w, &s));
	if (n >= N_SGPRS)
		return bw_errorf(BW_E_NOT_FOUND, "There is no register s%u", n);
	BW_IN_SPACE(d, w->info.space);
	return read_sgpr(d, w, frame.depth, n, out, out_place);
}

struct bw_error *bw_debug_frame_vgpr(struct bw_debug *d, unsigned level, unsigned n, uint32_t *out,
				     uint64_t *out_known)
{
	struct bw_stack_frame frame;
	struct bw_wave_record *w;
	struct bw_stack *s;
	BW_TRY(bw_debug_stack_frame(d, level, &frame));
	BW_TRY(bw_stack_of(d, &w, &s));
	if (n >= 256)
		return bw_errorf(BW_E_NOT_FOUND, "There is no register v%u", n);
	BW_IN_SPACE(d, w->info.space);
	return read_vgpr(d, w, frame.depth, n, out, out_known);
}

/* Reads a pointer to scratch (an offset, or a generic pointer) that is stored in the focus lane's
 * scratch. */
static bool read_pointer(struct bw_debug *d, struct bw_wave_record *w, bool is_generic, uint32_t at,
			 uint32_t *out)
{
	uint32_t half[2] = {0};
	enum bw_space space = BW_SPACE_GLOBAL;
	BW_IN_SPACE(d, w->info.space);
	struct bw_error *err = read_scratch(d, w, d->waves->focus_lane, at, &half[0]);
	if (!err && is_generic)
		err = read_scratch(d, w, d->waves->focus_lane, at + 4, &half[1]);
	bool is_read = !err;
	bw_error_free(err);
	uint64_t addr = bw_join32(half[1], half[0]);
	if (is_generic)
		bw_debug_flat_space(&space, &addr);
	*out = half[0];
	return is_read && (!is_generic || space == BW_SPACE_PRIVATE);
}

bool bw_debug_frame_sret(struct bw_debug *d, unsigned level, uint32_t *out)
{
	struct bw_stack_frame f, caller;
	struct bw_wave_record *w;
	struct bw_stack *s;
	struct bw_error *err = bw_debug_stack_frame(d, level, &f);
	for (unsigned i = level; !err && (i == level || caller.depth == f.depth); i++)
		err = bw_debug_stack_frame(d, i + 1, &caller);
	if (!err)
		err = bw_stack_of(d, &w, &s);
	if (err) {
		bw_error_free(err);
		return false;
	}
	const struct bw_activation *a = &s->activations.data[caller.depth];
	const struct bw_facts_row *row = row_at(d, w, a);
	if (!row || row->target.kind != BW_SYM_CODE || !f.entry)
		return false;
	const struct bw_load *l = bw_debug_load_at(d, a->at);
	struct bw_sym v0 = row->state.first_vgpr[0];
	bool is_slot = v0.kind == BW_SYM_SLOT;
	bool is_relative = v0.kind == BW_SYM_BASE || (is_slot && v0.reg & BW_SLOT_BASE);
	/* a kernel sets s32 itself */
	if (l->base + row->target.value != f.entry || v0.kind == BW_SYM_UNKNOWN ||
	    (is_relative && (!a->has_base || a->is_kernel)))
		return false;
	*out = v0.value + (is_relative ? a->base : 0);
	return !is_slot || read_pointer(d, w, v0.reg & BW_SLOT_WIDE, *out, out);
}

/* ---- The caller ---- */

/* Finds s32 at the function's entry, from a register that is known to be a constant above it. */
static struct bw_error *find_base(struct bw_debug *d, struct bw_wave_record *w, unsigned depth)
{
	struct bw_activation *a = &d->stack->activations.data[depth];
	if (a->is_kernel) {
		/* a kernel sets s32 itself: its stack is all of the lane's scratch */
		a->has_base = true;
		a->base = 0;
		return NULL;
	}
	const struct bw_facts_row *row = row_at(d, w, a);
	for (unsigned k = 0; row && !a->has_base && k < N_SGPRS; k++) {
		/* s32 first */
		unsigned i = k == 0 ? 32 : k <= 32 ? k - 1 : k;
		struct bw_sym sym = row->state.sgpr[i];
		enum bw_frame_reg_place place;
		uint32_t value;
		if (sym.kind != BW_SYM_BASE)
			continue;
		BW_TRY(read_sgpr(d, w, depth, i, &value, &place));
		a->has_base = place != BW_FRAME_REG_UNKNOWN;
		a->base = value - sym.value;
	}
	return NULL;
}

/* Finds EXEC at the call, which is the callee's EXEC at its entry. */
static struct bw_error *find_exec(struct bw_debug *d, struct bw_wave_record *w, unsigned inner,
				  struct bw_activation *out)
{
	const struct bw_activation *a = &d->stack->activations.data[inner];
	const struct bw_facts_row *row = row_at(d, w, a);
	uint64_t exec = 0;
	for (unsigned i = 0; i < w->info.lanes / 32u; i++) {
		struct bw_sym now = row ? row->state.sgpr[BW_SRC_EXEC_LO + i] : (struct bw_sym){0};
		struct bw_sym want = {BW_SYM_EXEC, (uint8_t)i, 0};
		uint32_t value = bw_half32(a->exec, i);
		bool known = now.kind == BW_SYM_EXEC && now.reg == i && a->has_exec;
		if (now.kind == BW_SYM_NOT_EXEC && now.reg == i && a->has_exec) {
			value = ~value;
			known = true;
		}
		struct activation_state at = {inner, row ? &row->state : NULL};
		if (!known && row)
			BW_TRY(read_entry_value(d, w, at, want, &value, &known));
		if (!known)
			return NULL;
		exec |= (uint64_t)value << 32 * i;
	}
	out->has_exec = true;
	out->exec = exec;
	return NULL;
}

static struct bw_error *innermost(struct bw_debug *d, struct bw_wave_record *w, struct bw_stack *s)
{
	uint32_t pair[2];
	struct bw_activation a = {.pc = w->info.pc, .at = w->info.pc};
	BW_TRY(bw_debug_sgprs_read(d, w->info.number, 32, 2, pair));
	a.has_s32 = a.has_s33 = a.has_exec = true;
	a.s32 = pair[0];
	a.s33 = pair[1];
	a.exec = w->info.exec;
	BW_TRY(bw_facts_function(d, w, &a));
	BW_TRY(bw_vec_push(&s->activations, a));
	return find_base(d, w, 0);
}

static void BW_PRINTF(2, 3) ends(struct bw_stack *s, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(s->end, sizeof(s->end), fmt, ap);
	va_end(ap);
	s->is_complete = true;
}

static void ends_unknown(struct bw_debug *d, struct bw_stack *s, const char *why)
{
	const struct bw_activation *a = &s->activations.data[s->activations.len - 1];
	struct bw_where where;
	bw_debug_where(d, a->at, &where);
	ends(s, "Backtrace stopped: the caller of %s cannot be determined (%s)",
	     where.function ? where.function : "the code here", why);
}

/* Whether the instruction before `to` is a call that leaves its return address in `link`. */
static bool is_behind_call(struct bw_debug *d, uint64_t to, unsigned link, const char **out_why)
{
	struct bw_load *l = bw_debug_load_at(d, to - 4);
	unsigned called;
	*out_why = "its return address is not in code that is known";
	if (!l || to % 4)
		return false;
	*out_why = "no call returns to its return address";
	if (!bw_facts_call_at(d, l->module, to - 4 - l->base, &called) || called != link)
		return false;
	return !l->module->lines || bw_lines_returns_to(l->module->lines, to - l->base) != 0;
}

/* The return address of the last activation. */
static struct bw_error *find_return(struct bw_debug *d, struct bw_wave_record *w,
				    struct bw_stack *s, uint64_t *out_to, const char **out_why)
{
	unsigned depth = (unsigned)s->activations.len - 1;
	const struct bw_activation *a = &s->activations.data[depth];
	const struct bw_facts_row *row = row_at(d, w, a);
	uint32_t half[2];
	*out_to = 0;
	*out_why = a->entry ? "its code cannot be followed to this place"
			    : "where it starts is not known";
	if (!row)
		return NULL;
	const struct activation_state at = {depth, &row->state};
	for (unsigned i = 0; i < 2; i++) {
		struct bw_sym want = {BW_SYM_ENTRY, (uint8_t)(row->link + i), 0};
		bool known = false;
		BW_TRY(read_entry_value(d, w, at, want, &half[i], &known));
		if (!known) {
			*out_why = "its return address is not in a known place";
			return NULL;
		}
	}
	uint64_t to = bw_join32(half[1], half[0]);
	if (is_behind_call(d, to, row->link, out_why))
		*out_to = to;
	return NULL;
}

/* Detects a cycle: a damaged stack, or a wrong analysis of it, may have no end. */
static bool goes_in_circles(struct bw_stack *s, const struct bw_activation *caller,
			    const struct bw_activation *callee)
{
	if (!caller->has_base || !callee->has_base)
		return s->activations.len >= MAX_ACTIVATIONS;
	if (caller->base > callee->base) {
		ends(s, "Backtrace stopped: previous frame inner to this frame (corrupt stack?)");
		return true;
	}
	for (size_t i = s->activations.len; i-- > 0;) {
		const struct bw_activation *a = &s->activations.data[i];
		if (!a->has_base || a->base != caller->base)
			break;
		if (a->pc != caller->pc || !i)
			continue;
		ends(s,
		     "Backtrace stopped: previous frame identical to this frame (corrupt stack?)");
		return true;
	}
	return s->activations.len >= MAX_ACTIVATIONS;
}

static struct bw_error *add_caller(struct bw_debug *d, struct bw_wave_record *w, struct bw_stack *s)
{
	unsigned depth = (unsigned)s->activations.len - 1;
	enum bw_frame_reg_place place;
	const char *why;
	uint64_t to;
	s->is_complete = true;
	if (s->activations.data[depth].is_kernel)
		return NULL;
	BW_TRY(find_return(d, w, s, &to, &why));
	if (!to) {
		ends_unknown(d, s, why);
		return NULL;
	}
	struct bw_activation a = {.pc = to, .at = to - 4};
	a.has_s32 = s->activations.data[depth].has_base;
	a.s32 = s->activations.data[depth].base;
	BW_TRY(find_exec(d, w, depth, &a));
	BW_TRY(bw_facts_function(d, w, &a));
	BW_TRY(bw_vec_push(&s->activations, a));
	struct bw_activation *caller = &s->activations.data[depth + 1];
	BW_TRY(read_sgpr(d, w, depth + 1, 33, &caller->s33, &place));
	caller->has_s33 = place != BW_FRAME_REG_UNKNOWN;
	BW_TRY(find_base(d, w, depth + 1));
	struct bw_activation added = *caller;
	s->activations.len--;
	if (goes_in_circles(s, &added, &s->activations.data[depth]))
		return NULL;
	s->activations.len++;
	s->is_complete = false;
	return NULL;
}

struct bw_error *bw_unwind(struct bw_debug *d, struct bw_wave_record *w, struct bw_stack *s)
{
	BW_TRY(bw_facts_begin(s));
	if (s->activations.len)
		return add_caller(d, w, s);
	struct bw_error *err = innermost(d, w, s);
	if (err)
		s->activations.len = 0;
	return err;
}
