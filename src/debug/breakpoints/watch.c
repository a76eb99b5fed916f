// SPDX-License-Identifier: MIT
/* Watchpoints. The GPU compares addresses of vector memory accesses in ranges of 128 bytes and more
 * (target.h, set_watch); which access it was, and whether it touched the watched bytes, is found
 * here from the instruction before the PC. Values that no register can watch are compared after
 * each instruction of one wave. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/variables/variables_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/expressions/eval.h"
#include "debug/waves/waves_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

enum { MAX_WATCH_B = 4096 };

void bw_watchpoint_free(struct bw_watchpoint *p)
{
	if (!p)
		return;
	bw_value_fini(&p->old);
	bw_value_fini(&p->at_stop);
	bw_value_fini(&p->hit.old);
	bw_value_fini(&p->hit.now);
	free(p);
}

const struct bw_watch_hit *bw_debug_watch_hit(struct bw_debug *d, uint32_t number)
{
	const struct bw_break *b = bw_debug_break_priv(d, number);
	return b && b->watch && b->watch->was_hit ? &b->watch->hit : NULL;
}

/* ---- Values ---- */

static bool same(const struct bw_value *a, const struct bw_value *b)
{
	if (a->n_elem != b->n_elem || strcmp(a->text, b->text) != 0 ||
	    a->is_missing != b->is_missing)
		return false;
	if (a->type.kind == BW_TYPE_AGGREGATE) {
		uint64_t n = bw_type_size(&a->type);
		return a->bytes && b->bytes &&
		       !memcmp(a->bytes->data + a->bytes_at, b->bytes->data + b->bytes_at, n) &&
		       !memcmp(a->bytes->known + a->bytes_at, b->bytes->known + b->bytes_at, n);
	}
	if (!a->n_elem)
		return a->bits == b->bits;
	return memcmp(a->elem, b->elem, a->n_elem * sizeof(*a->elem)) == 0;
}

/* Makes the watched aggregate of these bytes. */
static struct bw_error *bytes_value(const struct bw_watchpoint *p, const uint8_t *bytes,
				    struct bw_value *out)
{
	struct bw_value v = p->old;
	v.bytes = bw_bytes_new(p->size_b);
	v.bytes_at = 0;
	if (!v.bytes)
		return bw_error_nomem();
	memcpy(v.bytes->data, bytes, p->size_b);
	memset(v.bytes->known, 1, p->size_b);
	*out = v;
	return NULL;
}

static struct bw_error *evaluate(struct bw_debug *d, const struct bw_break *b,
				 struct bw_wave_record *w, struct bw_value *out)
{
	const struct bw_value_of who = {.d = d, .wave = w, .lane = b->watch->lane};
	struct bw_expr_error where;
	struct bw_value v;
	BW_TRY(bw_debug_eval_for(d, b->spec, w, who.lane, &v, &where));
	struct bw_error *err = bw_variables_fetch(&who, &v);
	if (err)
		bw_value_fini(&v);
	else
		*out = v;
	return err;
}

/* Reads the watched value as it is now. In memory its place is fixed; otherwise the expression is
 * evaluated for the lane for which it was given. w: a wave that can read it. */
static struct bw_error *read_now(struct bw_debug *d, const struct bw_break *b,
				 struct bw_wave_record *w, struct bw_value *out)
{
	const struct bw_watchpoint *p = b->watch;
	BW_IN_SPACE(d, p->space);
	if (!p->size_b)
		return evaluate(d, b, w, out);
	uint8_t bytes[MAX_WATCH_B];
	const struct bw_wave_mem at = {w, p->lane, p->memory, p->va};
	BW_TRY(bw_wave_mem_read(d, &at, bytes, p->size_b));
	if (p->old.type.kind == BW_TYPE_AGGREGATE)
		return bytes_value(p, bytes, out);
	BW_TRY(bw_value_copy(&p->old, out));
	if (out->bit_size) {
		out->bits = bw_type_decode(&out->type, bytes, out->bit_offset, out->bit_size);
		return NULL;
	}
	size_t each = out->type.size_b;
	for (size_t i = 0; i < BW_MAX(out->n_elem, (size_t)1); i++) {
		uint64_t bits = 0;
		memcpy(&bits, bytes + i * each, each);
		bits = bw_type_extend(&out->type, bits);
		if (out->n_elem)
			out->elem[i] = bits;
		if (i == 0)
			out->bits = bits;
	}
	return NULL;
}

/* Keeps `now` as the last value; it is freed by the watchpoint. */
static void remember(struct bw_break *b, struct bw_value *now)
{
	struct bw_watch_hit *h = &b->watch->hit;
	bw_value_fini(&h->old);
	bw_value_fini(&h->now);
	*h = (struct bw_watch_hit){.changed = !same(&b->watch->old, now)};
	b->watch->was_hit = true;
	h->old = b->watch->old;
	h->now = *now;
	struct bw_error *err = bw_value_copy(now, &b->watch->old);
	if (err) { /* when out of memory, the next hit has no old value to compare with */
		b->watch->old.n_elem = 0;
		bw_error_free(err);
	}
	*now = (struct bw_value){0};
}

/* ---- Registers of the GPU ---- */

static unsigned registers_in_use(struct bw_debug *d)
{
	unsigned used = 0;
	bw_vec_each(&d->breaks->all, b)
		if ((*b)->watch && (*b)->info.watch_register >= 0 && (*b)->info.enabled)
			used |= 1u << (*b)->info.watch_register;
	return used;
}

struct bw_error *bw_watch_apply(struct bw_debug *d, struct bw_break *b, bool on)
{
	const struct bw_watchpoint *p = b->watch;
	int index = b->info.watch_register;
	if (index < 0 || !d->target)
		return NULL;
	BW_IN_SPACE(d, p->space);
	if (!on) {
		BW_TRY(bw_target_set_watch(d->target, (unsigned)index, NULL));
		return NULL;
	}
	bw_vec_each(&d->breaks->all, it)
		if (*it != b && (*it)->watch && (*it)->info.enabled &&
		    (*it)->info.watch_register == index)
			return bw_errorf(BW_E_STATE,
					 "all %d watch registers are in use: delete or disable one",
					 BW_TARGET_WATCHES);
	const struct bw_target_watch w = {
		.va = p->va,
		.size_b = p->size_b,
		.mode = b->info.kind == BW_BREAK_WATCH	  ? BW_TWATCH_WRITE
			: b->info.kind == BW_BREAK_RWATCH ? BW_TWATCH_READ
							  : BW_TWATCH_ALL,
		.space = p->space,
	};
	return bw_target_set_watch(d->target, (unsigned)index, &w);
}

/* ---- Hits ---- */

enum meets { MEETS_NOT, MEETS, MEETS_PERHAPS };

/* Whether an LDS instruction has a single address, in a VGPR. Some have two, or one that is not in
 * a VGPR. */
static bool is_plain(const struct bw_inst *i)
{
	const struct bw_op_info *info = bw_isa_op_info(i->op);
	const struct bw_operand *addr = &info->src[0];
	return i->fmt != BW_FMT_DS ||
	       (addr->type == BW_OPERAND_ADDRESS && !addr->is_dst &&
		info->mem.type != BW_OPERAND_NONE && !(info->flags & BW_OPF_TWO_ADDRESSES));
}

/* Whether the access touches the bytes of p, and for which of w's lanes. */
static enum meets touches(const struct bw_wave_record *w, const struct bw_wave_access *a,
			  const struct bw_watchpoint *p, uint64_t *out_lanes)
{
	*out_lanes = w->info.exec;
	if (!a->is_memory || !a->has_addresses || a->address_lost || !is_plain(&a->inst))
		return MEETS_PERHAPS;
	uint64_t lanes = 0;
	for (unsigned lane = 0; lane < w->info.lanes; lane++)
		if (a->lanes >> lane & 1 && a->space[lane] == p->memory &&
		    a->addr[lane] < p->va + p->size_b && p->va < a->addr[lane] + a->span_b)
			lanes |= 1ull << lane;
	if (!lanes)
		return MEETS_NOT;
	if (a->span_b > a->size_b) /* somewhere in a block of an image */
		return MEETS_PERHAPS;
	*out_lanes = lanes;
	return MEETS;
}

/* Whether the access by the instruction before w's PC touches the bytes of p. */
static enum meets meets(struct bw_debug *d, struct bw_wave_record *w, const struct bw_watchpoint *p,
			uint64_t *out_lanes)
{
	struct bw_wave_access a = {0};
	if (w->info.cause_pc)
		bw_error_free(bw_access_of(d, w, w->info.cause_pc, &a));
	return touches(w, &a, p, out_lanes);
}

static bool hits(struct bw_debug *d, struct bw_break *b, struct bw_wave_record *w,
		 uint64_t *out_lanes)
{
	struct bw_value now = {0};
	if (meets(d, w, b->watch, out_lanes) == MEETS_NOT)
		return false;
	struct bw_error *err = read_now(d, b, w, &now);
	if (err) {
		bw_debug_note(d, BW_NOTICE_WARNING, "watchpoint %u: %s", b->info.number,
			      err->message);
		bw_error_free(err);
		return true;
	}
	bool changed = !same(&b->watch->old, &now);
	bool wanted = changed || b->info.kind != BW_BREAK_WATCH;
	if (wanted && bw_break_counts(d, b, w, out_lanes)) {
		remember(b, &now);
	} else {
		if (changed) {
			bw_value_fini(&b->watch->old);
			b->watch->old = now;
			now = (struct bw_value){0};
		}
		wanted = false;
	}
	bw_value_fini(&now);
	return wanted;
}

void bw_watch_examine(struct bw_debug *d, struct bw_wave_record *w, unsigned registers)
{
	if (!registers)
		return;
	bool precise = d->target->is_precise;
	w->info.cause_pc = precise ? bw_inst_before(d, w->info.pc) : 0;
	w->info.pc_imprecise |= !precise;
	bw_vec_each(&d->breaks->all, it) {
		struct bw_break *b = *it;
		uint64_t lanes;
		if (!b->watch || b->watch->space != w->info.space || !b->info.enabled ||
		    b->info.watch_register < 0 || !(registers >> b->info.watch_register & 1) ||
		    !hits(d, b, w, &lanes))
			continue;
		w->info.reasons |= BW_REASON_WATCHPOINT;
		if (!w->info.breakpoint) {
			w->info.breakpoint = b->info.number;
			w->info.breakpoint_lanes = lanes;
		}
	}
}

/* ---- Software ---- */

static bool is_software(const struct bw_break *b)
{
	return b->watch && b->info.enabled && b->info.watch_register < 0;
}

bool bw_watch_is_for(const struct bw_break *b, const struct bw_wave_record *w)
{
	const struct bw_watchpoint *p = b->watch;
	if (!is_software(b))
		return false;
	if (!p->size_b || p->memory != BW_SPACE_LDS)
		return p->wave == w->info.number;
	return p->dispatch == w->info.dispatch &&
	       memcmp(p->workgroup, w->info.workgroup, sizeof(p->workgroup)) == 0;
}

bool bw_watch_wants(struct bw_debug *d, const struct bw_wave_record *w)
{
	bw_vec_each(&d->breaks->all, b)
		if (bw_watch_is_for(*b, w))
			return true;
	return false;
}

/* Whether w's instruction, with the accesses a, may have changed the value that p watches.
 * Registers belong to the wave, and of the waves that share LDS one runs at a time. */
static bool is_own(const struct bw_wave_record *w, const struct bw_watchpoint *p,
		   const struct bw_wave_access *a, uint64_t *lanes)
{
	if (!p->size_b)
		return true;
	if (p->memory == BW_SPACE_PRIVATE) {
		*lanes = 1ull << (p->lane & 63);
		return true;
	}
	if (!a->is_memory || !a->is_write)
		return p->memory == BW_SPACE_LDS;
	return touches(w, a, p, lanes) != MEETS_NOT || p->memory == BW_SPACE_LDS;
}

uint32_t bw_watch_software_hit(struct bw_debug *d, struct bw_wave_record *w,
			       const struct bw_wave_access *a, bool *out_own)
{
	uint32_t hit = 0;
	bw_vec_each(&d->breaks->all, it) {
		struct bw_break *b = *it;
		struct bw_value now = {0};
		uint64_t lanes = w->info.exec;
		if (!bw_watch_is_for(b, w) ||
		    (!b->watch->size_b && bw_watch_is_outside(b->watch, w)))
			continue;
		struct bw_error *err = read_now(d, b, w, &now);
		if (err || same(&b->watch->old, &now)) {
			bw_error_free(err);
			bw_value_fini(&now);
			continue;
		}
		bool own = is_own(w, b->watch, a, &lanes);
		if (b->watch->old.place == BW_PLACE_REG && b->watch->old.lane >= 0)
			lanes = 1ull << (b->watch->old.lane & 63);
		if (!hit && bw_break_counts(d, b, w, &lanes)) {
			remember(b, &now);
			hit = b->info.number;
			*out_own = own;
			w->info.breakpoint_lanes = own ? lanes : 0;
		} else {
			bw_value_fini(&b->watch->old);
			b->watch->old = now;
			now = (struct bw_value){0};
		}
		bw_value_fini(&now);
	}
	return hit;
}

/* A wave through which the value can be read. NULL with out_none false: no wave is needed. */
static struct bw_wave_record *wave_for(struct bw_debug *d, const struct bw_break *b, bool *out_none)
{
	*out_none = is_software(b) && !(b->watch->size_b && b->watch->memory == BW_SPACE_GLOBAL);
	for (size_t i = 0; *out_none && i < d->waves->stopped.len; i++) {
		struct bw_wave_record *w = bw_stopped_wave(d, i);
		if (!w->stopped || !bw_watch_is_for(b, w))
			continue;
		*out_none = false;
		return w;
	}
	return NULL;
}

/* Reads the watched value. False: it cannot be read now. */
static bool read_if_possible(struct bw_debug *d, const struct bw_break *b, struct bw_value *out)
{
	bool none;
	struct bw_wave_record *w = wave_for(d, b, &none);
	if (none)
		return false;
	struct bw_error *err = read_now(d, b, w, out);
	bool ok = !err;
	bw_error_free(err); /* the error is reported with the next hit */
	return ok;
}

void bw_watch_at_stop(struct bw_debug *d)
{
	bw_vec_each(&d->breaks->all, it) {
		struct bw_watchpoint *p = (*it)->watch;
		if (!p || !(*it)->info.enabled)
			continue;
		bw_value_fini(&p->at_stop);
		p->at_stop = (struct bw_value){0};
		p->has_at_stop = read_if_possible(d, *it, &p->at_stop);
	}
}

void bw_watch_settle(struct bw_debug *d)
{
	bw_vec_each(&d->breaks->all, it) {
		struct bw_watchpoint *p = (*it)->watch;
		struct bw_value now = {0};
		if (d->state != BW_DEBUG_STOPPED || !p || !(*it)->info.enabled || !p->has_at_stop ||
		    !read_if_possible(d, *it, &now))
			continue;
		if (same(&now, &p->at_stop)) { /* changes that the GPU makes are reported by the
					        * watch register */
			bw_value_fini(&now);
			continue;
		}
		bw_value_fini(&p->old);
		p->old = now;
	}
}

void bw_watch_forget(struct bw_debug *d, uint32_t space)
{
	for (size_t i = d->breaks->all.len; i-- > 0;) {
		struct bw_break *b = d->breaks->all.data[i];
		if (!b->watch || (space && b->watch->space != space))
			continue;
		bw_debug_note(d, BW_NOTICE_INFO,
			      "Watchpoint %u deleted: what it watched is gone with the program",
			      b->info.number);
		bw_break_free(b);
		bw_vec_remove(&d->breaks->all, i);
	}
}

/* ---- The command ---- */

/* "-l EXPR", "-location EXPR": here every place in memory is fixed when the command is given. */
static char *skip_location(char *text)
{
	static const char *const words[] = {"-location ", "-l "};
	for (size_t i = 0; i < BW_ARRAY_SIZE(words); i++)
		if (bw_starts_with(text, words[i]))
			return text + strlen(words[i]) + strspn(text + strlen(words[i]), " ");
	return text;
}

/* Chooses a watch register, or software. */
static struct bw_error *choose(struct bw_debug *d, struct bw_break *b, bool is_location)
{
	struct bw_watchpoint *p = b->watch;
	const struct bw_value *v = &p->old;
	bool in_memory = v->place == BW_PLACE_MEMORY && v->space == BW_SPACE_GLOBAL;
	bool reads = b->info.kind != BW_BREAK_WATCH;
	unsigned used = registers_in_use(d);
	bool none_left = used == (1u << BW_TARGET_WATCHES) - 1;

	size_t size_b = bw_type_size(&v->type) * BW_MAX(v->n_elem, (size_t)1);
	if (v->bit_size)
		size_b = (v->bit_offset + v->bit_size + 7u) / 8;

	b->info.watch_register = -1;
	b->info.watch_group = v->place == BW_PLACE_MEMORY && v->space == BW_SPACE_LDS;
	p->memory = v->space;
	p->va = v->va;
	/* a variable of the program stays where it is, whatever its name means elsewhere */
	bool fixed = in_memory || v->space == BW_SPACE_LDS || v->type.ctype;
	if (v->place == BW_PLACE_MEMORY && fixed && size_b && size_b <= MAX_WATCH_B)
		p->size_b = (uint32_t)size_b;
	if (in_memory && bw_target_can(d->target, BW_WATCH_NEEDS) && !none_left) {
		if (!p->size_b)
			return bw_errorf(BW_E_UNSUPPORTED,
					 "%zu bytes are too many for a watchpoint: %d at most",
					 size_b, MAX_WATCH_B);
		b->info.watch_register = __builtin_ctz(~used);
		return NULL;
	}
	if (reads && in_memory)
		BW_TRY(bw_target_need(d->target, BW_WATCH_NEEDS));
	if (reads)
		return in_memory ? bw_errorf(BW_E_UNSUPPORTED,
					     "all %d watch registers are in use, and only they see "
					     "reads: delete or disable one",
					     BW_TARGET_WATCHES)
				 : bw_errorf(BW_E_UNSUPPORTED,
					     "Expression cannot be implemented with read/access "
					     "watchpoint: only global memory can");
	struct bw_wave_record *w;
	BW_TRY(bw_debug_need_focus(d, &w));
	p->wave = w->info.number;
	p->lane = d->waves->focus_lane;
	p->dispatch = w->info.dispatch;
	memcpy(p->workgroup, w->info.workgroup, sizeof(p->workgroup));
	if (!is_location && !b->info.watch_group && !in_memory)
		bw_watch_find_scope(d, p, b->spec);
	return NULL;
}

static struct bw_error *fill(struct bw_debug *d, struct bw_break *b, char *text)
{
	char *condition, *expr;
	struct bw_expr_error where;

	BW_TRY(bw_break_split(text, &condition, &b->info.wave));
	expr = skip_location(text);
	if (!*expr)
		return bw_errorf(BW_E_INVALID, "\"watch\" takes an expression");
	if (condition)
		BW_TRY(bw_break_check_condition(d, condition));
	BW_TRY(bw_debug_eval(d, expr, &b->watch->old, &where));
	if (b->watch->old.type.kind == BW_TYPE_VOID)
		return bw_errorf(BW_E_INVALID, "\"%s\" has no value to watch", expr);
	BW_TRY(bw_debug_fetch(d, &b->watch->old));
	if (b->watch->old.is_missing)
		return bw_errorf(BW_E_NOT_FOUND, "Cannot watch \"%s\": it has no value here", expr);
	b->spec = strdup(expr);
	b->condition = condition ? strdup(condition) : NULL;
	if (!b->spec || (condition && !b->condition))
		return bw_error_nomem();
	if (b->watch->old.place == BW_PLACE_NONE && !strchr(expr, '$'))
		return bw_errorf(BW_E_INVALID, "Cannot watch constant value \"%s\"", expr);
	BW_TRY(choose(d, b, expr != text));
	BW_TRY(bw_watch_apply(d, b, true));
	return NULL;
}

struct bw_error *bw_debug_watch(struct bw_debug *d, const char *text, enum bw_break_kind kind,
				uint32_t *out_number)
{
	_cleanup_free_ char *copy = strdup(text);
	if (!copy)
		return bw_error_nomem();
	BW_TRY(bw_debug_need_target(d));
	BW_TRY(bw_target_need(d->target, BW_CAP_RUN));
	struct bw_break *b = calloc(1, sizeof(*b));
	if (b)
		b->watch = calloc(1, sizeof(*b->watch));
	if (!b || !b->watch) {
		free(b);
		return bw_error_nomem();
	}
	b->info = (struct bw_break_info){.kind = kind, .enabled = true, .watch_register = -1};
	b->watch->space = d->space;
	struct bw_error *err = fill(d, b, copy);
	if (err) {
		bw_break_free(b);
		return err;
	}
	BW_TRY(bw_break_add(d, b, out_number));
	if (d->state == BW_DEBUG_STOPPED)
		bw_watch_at_stop(d);
	return bw_excp_update(d);
}
