// SPDX-License-Identifier: MIT
/* The table of breakpoints: their places, and the commands that change them. patches.c inserts
 * their s_traps, hits.c decides which of them stops a wave. */
#include "debug/breakpoints/breakpoints_priv.h"
#include "debug/variables/variables_priv.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/programs_priv.h"
#include "debug/expressions/eval.h"
#include "debug/waves/waves_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void bw_break_free(struct bw_break *b)
{
	bw_where_spec_fini(&b->where);
	bw_vec_free(&b->places);
	bw_vec_free(&b->addr);
	bw_vec_free(&b->catches);
	bw_dispatch_filter_free(b->filter);
	bw_watchpoint_free(b->watch);
	free(b->spec);
	free(b->condition);
	free(b);
}

void bw_breaks_init(struct bw_breaks *breaks)
{
	breaks->precise = -1;
}

void bw_breaks_fini(struct bw_breaks *breaks)
{
	bw_vec_each(&breaks->all, b)
		bw_break_free(*b);
	bw_vec_free(&breaks->all);
	bw_vec_free(&breaks->list);
	bw_vec_free(&breaks->patches);
	bw_vec_free(&breaks->free_cells);
}

bool bw_break_is_at(const struct bw_break *b, uint32_t space, uint64_t va)
{
	bw_vec_each(&b->places, p)
		if (p->va == va && p->space == space)
			return true;
	return false;
}

struct bw_break *bw_debug_break_priv(struct bw_debug *d, uint32_t number)
{
	bw_vec_each(&d->breaks->all, b)
		if ((*b)->info.number == number)
			return *b;
	return NULL;
}

static struct bw_error *find_break(struct bw_debug *d, uint32_t number, struct bw_break **out)
{
	*out = bw_debug_break_priv(d, number);
	return *out ? NULL : bw_errorf(BW_E_NOT_FOUND, "No breakpoint number %u", number);
}

static void remove_places(struct bw_debug *d, struct bw_break *b)
{
	if (b->info.kind != BW_BREAK_CODE) {
		struct bw_error *err =
			b->watch && b->info.enabled ? bw_watch_apply(d, b, false) : NULL;
		bw_error_free(err); /* the GPU is gone, and its registers with it */
		return;
	}
	bw_vec_each(&b->places, p) {
		BW_IN_SPACE(d, p->space);
		if (b->info.enabled)
			bw_debug_patch_unref(d, p->va);
	}
	b->places.len = 0;
	b->info.pending = true;
}

/* Removes the address at index i, because no s_trap can be inserted there. The next submission
 * tries again, without a second message. */
static void drop_place(struct bw_debug *d, struct bw_break *b, size_t i, struct bw_error *err)
{
	if (!b->told_refused)
		bw_debug_note(d, BW_NOTICE_WARNING, "Cannot insert breakpoint %u at 0x%llx: %s",
			      b->info.number, (unsigned long long)b->places.data[i].va,
			      err->message);
	bw_error_free(err);
	bw_vec_remove(&b->places, i);
}

/* Finds the places of b in the code that is loaded in d->space, and inserts b there. */
static void insert_in_space(struct bw_debug *d, struct bw_break *b, bool *out_refused)
{
	struct bw_addr_vec now = {0};
	if (b->where.kind == BW_WHERE_ADDRESS) {
		if (!b->where_space)
			b->where_space = d->space;
		if (b->where_space != d->space)
			return;
	}
	struct bw_error *err = bw_where_resolve(d, &b->where, &now);
	if (err) {
		bw_debug_note(d, BW_NOTICE_WARNING, "breakpoint %u: %s", b->info.number,
			      err->message);
		bw_error_free(err);
	}
	for (size_t i = 0; i < now.len; i++) {
		if (bw_break_is_at(b, d->space, now.data[i]))
			continue;
		err = bw_vec_push(&b->places, ((struct bw_place_va){d->space, now.data[i]}));
		if (err) {
			bw_error_free(err);
			break;
		}
		if (!b->info.enabled)
			continue;
		err = bw_debug_patch_ref(d, now.data[i]);
		*out_refused |= err != NULL;
		if (err)
			drop_place(d, b, b->places.len - 1, err);
	}
	bw_vec_free(&now);
}

/* Warns of a breakpoint on a line of a shader that would never be hit: the line has no code, or the
 * driver has no lines of the source. */
static void tell_no_lines(struct bw_debug *d, struct bw_break *b)
{
	char why[256];
	if (b->told_no_lines || b->places.len || !bw_where_why_not(d, &b->where, why, sizeof(why)))
		return;
	b->told_no_lines = true;
	bw_debug_note(d, BW_NOTICE_WARNING,
		      "Cannot insert breakpoint %u: %s; \"break on dispatch\" stops where the "
		      "shader begins",
		      b->info.number, why);
}

/* Says at which line the breakpoint really is. Drivers know few of a shader's lines: the next line
 * that has code may be far from the one that was meant, for example after a loop. */
static void tell_other_line(struct bw_debug *d, const struct bw_break *b)
{
	uint64_t addr;
	unsigned line = 0;
	if (b->where.kind != BW_WHERE_LINE)
		return;
	bw_vec_each(&d->code->modules, m) {
		const struct bw_lines *l = (*m)->lines;
		if (!l || !bw_lines_shader_file(l) ||
		    !bw_lines_find(l, b->where.name, b->where.line, &addr, 1, &line) ||
		    line == b->where.line)
			continue;
		bw_debug_note(d, BW_NOTICE_SAID,
			      bw_lines_origin(l) == BW_LINES_MARKED
				      ? "[No statement begins in line %u of %s: breakpoint %u is "
					"at the next line with one, %u]"
				      : "[The driver knows no code of line %u of %s: breakpoint %u "
					"is at the next line that has some, %u; with -O0 the "
					"shader notes its lines itself]",
			      b->where.line, b->where.name, b->info.number, line);
		return;
	}
}

static void insert_places(struct bw_debug *d, struct bw_break *b, bool announce)
{
	bool was_pending = b->info.pending, is_refused = false;
	/* Before the first submission nothing can be patched: no code of the program is known. */
	if (!d->target || d->dispatches->all.len == 0 || b->filter || b->info.kind != BW_BREAK_CODE)
		return;
	for (size_t i = 0; i < d->programs->spaces.len; i++) {
		BW_IN_SPACE(d, d->programs->spaces.data[i].number);
		insert_in_space(d, b, &is_refused);
	}
	b->info.pending = b->places.len == 0;
	b->was_placed |= b->places.len > 0;
	b->told_refused |= is_refused;
	tell_no_lines(d, b);
	if (!announce || !was_pending || b->info.pending)
		return;
	tell_other_line(d, b);
	bw_debug_note(d, BW_NOTICE_BREAKPOINT, "Breakpoint %u, %s at 0x%llx", b->info.number,
		      b->spec, (unsigned long long)b->places.data[0].va);
}

void bw_debug_resolve_breaks(struct bw_debug *d)
{
	bw_vec_each(&d->breaks->all, b)
		insert_places(d, *b, true);
}

static void forget_places(struct bw_break *b, uint32_t space)
{
	bw_vec_drop(&b->places, p, !space || p->space == space);
	bw_vec_drop(&b->catches, c, !space || c->space == space);
	b->info.pending = b->places.len == 0;
	if (space)
		return;
	b->told_refused = b->was_placed = false;
	b->where_space = 0;
	bw_catch_forget(b);
}

void bw_breaks_forget(struct bw_debug *d, uint32_t space)
{
	struct bw_breaks *own = d->breaks;
	bw_watch_forget(d, space);
	bw_vec_each(&own->all, b)
		forget_places(*b, space);
	for (size_t i = own->patches.len; i-- > 0;) {
		struct bw_patch *p = &own->patches.data[i];
		if (space && p->space != space)
			continue;
		if (p->filter)
			own->filters_retired |= 1ull << (p->filter - 1u);
		if (p->copy_va)
			bw_error_free(bw_vec_push(&own->free_cells, p->cell));
		free(p->filter_code);
		bw_vec_remove(&own->patches, i);
	}
	bw_filter_dirty(d);
	if (space)
		return;
	own->filters_used = own->filters_retired = 0;
	own->free_cells.len = own->n_cells = 0;
	memset(own->internal, 0, sizeof(own->internal));
}

/* ---- Commands ---- */

/* Whether any known code has the place, loaded or not. */
static bool is_in_code(struct bw_debug *d, const struct bw_where_spec *where)
{
	bool is = where->kind == BW_WHERE_ADDRESS;
	bw_vec_each(&d->code->modules, m) {
		struct bw_addr_vec found = {0};
		if (!is)
			bw_error_free(bw_where_in_module(*m, where, 0, &found));
		is |= found.len > 0;
		bw_vec_free(&found);
	}
	return is;
}

/* Checks that a condition is an expression whose names exist; where: at that place, or NULL. If the
 * code is not known yet (a shader before the program has made it), names are accepted; one that
 * does not exist is reported when the breakpoint is reached. */
static struct bw_error *check_condition(struct bw_debug *d, const char *expr,
					const struct bw_where_spec *where)
{
	struct bw_expr_error column;
	struct bw_variables_frame at;
	bool known = where && bw_where_scope(d, where, &at);
	struct bw_error *err = bw_debug_eval_check(d, expr, known ? &at : NULL, &column);
	if (where && !is_in_code(d, where) && bw_error_catch(&err, BW_E_NOT_FOUND))
		return NULL;
	return bw_error_wrap(err, "the condition \"%s\"", expr);
}

/* Checks that the breakpoint's addresses in code that is loaded are the beginnings of
 * instructions. */
static struct bw_error *check_places(struct bw_debug *d, const struct bw_where_spec *where)
{
	struct bw_addr_vec found = {0};
	if (!d->target || d->dispatches->all.len == 0 || where->kind == BW_WHERE_LINE)
		return NULL;
	struct bw_error *err = bw_where_resolve(d, where, &found);
	for (size_t i = 0; !err && i < found.len; i++)
		err = bw_inst_check_start(d, found.data[i]);
	bw_vec_free(&found);
	return err;
}

/* Gives b, whose place has been parsed, its condition and its number. On failure the caller still
 * owns it. */
static struct bw_error *enlist(struct bw_debug *d, struct bw_break *b, const char *condition,
			       bool temporary, uint32_t wave)
{
	if (condition)
		b->condition = strdup(condition);
	if (!b->spec || (condition && !b->condition))
		return bw_error_nomem();
	BW_TRY(bw_vec_push(&d->breaks->all, b));
	b->info = (struct bw_break_info){.number = ++d->breaks->last_number,
					 .enabled = true,
					 .temporary = temporary,
					 .pending = true,
					 .wave = wave};
	return NULL;
}

struct bw_error *bw_debug_break_at(struct bw_debug *d, const struct bw_break_at *at,
				   uint32_t *out_number)
{
	const char *place = at->place ? at->place : "";
	if (d->target)
		BW_TRY(bw_target_need(d->target, BW_BREAK_NEEDS));
	struct bw_where_spec where;
	BW_TRY(bw_where_parse(d, place, &where));
	struct bw_error *err = bw_where_check(d, &where);
	if (!err && at->condition)
		err = check_condition(d, at->condition, &where);
	if (err) {
		bw_where_spec_fini(&where);
		return err;
	}
	struct bw_break *b = calloc(1, sizeof(*b));
	if (!b) {
		bw_where_spec_fini(&where);
		return bw_error_nomem();
	}
	b->where = where;
	b->where_space = d->target ? d->space : 0;
	err = check_places(d, &b->where);
	/* the line is counted from where the breakpoint would stop now */
	bool counts_lines = *place == '+' || *place == '-';
	if (!err && counts_lines) {
		if (asprintf(&b->spec, "%s:%u", where.name, where.line) < 0)
			b->spec = NULL;
	} else if (!err && *place)
		b->spec = strdup(place);
	else if (!err && asprintf(&b->spec, "*0x%llx", (unsigned long long)where.offset_b) < 0)
		b->spec = NULL;
	if (!err)
		err = enlist(d, b, at->condition, at->temporary, at->wave);
	if (err) {
		bw_break_free(b);
		return err;
	}
	insert_places(d, b, false);
	*out_number = b->info.number;
	return NULL;
}

struct bw_error *bw_debug_break(struct bw_debug *d, const char *text, bool temporary,
				uint32_t *out_number)
{
	struct bw_break_at at = {.temporary = temporary};
	_cleanup_free_ char *place = strdup(text);
	char *condition;
	if (!place)
		return bw_error_nomem();
	BW_TRY(bw_break_split(place, &condition, &at.wave));
	at.place = place;
	at.condition = condition;
	return bw_debug_break_at(d, &at, out_number);
}

struct bw_error *bw_debug_break_dispatch(struct bw_debug *d, const char *text, bool temporary,
					 uint32_t *out_number)
{
	_cleanup_free_ char *copy = strdup(text);
	char *condition;
	uint32_t wave;
	if (!copy)
		return bw_error_nomem();
	if (d->target)
		BW_TRY(bw_target_need(d->target, BW_BREAK_NEEDS));
	BW_TRY(bw_break_split(copy, &condition, &wave));
	if (condition)
		BW_TRY(check_condition(d, condition, NULL));
	struct bw_break *b = calloc(1, sizeof(*b));
	if (!b)
		return bw_error_nomem();
	struct bw_error *err = bw_dispatch_filter_parse(copy, &b->filter);
	if (!err && asprintf(&b->spec, "on dispatch%s%s", *copy ? " " : "", copy) < 0)
		b->spec = NULL;
	if (!err)
		err = enlist(d, b, condition, temporary, wave);
	if (err) {
		bw_break_free(b);
		return err;
	}
	bw_catch_again(d, b);
	*out_number = b->info.number;
	return NULL;
}

struct bw_error *bw_debug_break_delete(struct bw_debug *d, uint32_t number)
{
	struct bw_break *b;
	if (number)
		BW_TRY(find_break(d, number, &b));
	for (size_t i = d->breaks->all.len; i-- > 0;) {
		b = d->breaks->all.data[i];
		if (number && b->info.number != number)
			continue;
		remove_places(d, b);
		bw_break_free(b);
		bw_vec_remove(&d->breaks->all, i);
	}
	return bw_excp_update(d);
}

struct bw_error *bw_break_check_condition(struct bw_debug *d, const char *expr)
{
	return check_condition(d, expr, NULL);
}

struct bw_error *bw_break_add(struct bw_debug *d, struct bw_break *b, uint32_t *out_number)
{
	struct bw_error *err = bw_vec_push(&d->breaks->all, b);
	if (err) {
		bw_break_free(b);
		return err;
	}
	b->info.number = ++d->breaks->last_number;
	*out_number = b->info.number;
	return NULL;
}

/* Places in the code stay known without their s_traps; those of breakpoints on dispatches are
 * looked up again. */
static void disable(struct bw_debug *d, struct bw_break *b)
{
	if (b->info.kind != BW_BREAK_CODE || b->filter) {
		remove_places(d, b);
	} else {
		bw_vec_each(&b->places, p) {
			BW_IN_SPACE(d, p->space);
			bw_debug_patch_unref(d, p->va);
		}
	}
	b->info.enabled = false;
}

static struct bw_error *enable(struct bw_debug *d, struct bw_break *b, bool on)
{
	if (b->info.enabled == on)
		return NULL;
	if (on && b->watch)
		BW_TRY(bw_watch_apply(d, b, true));
	if (on) {
		b->info.enabled = true;
		b->told_refused = false;
		b->places.len = 0; /* its places are inserted when they are found */
		insert_places(d, b, false);
		if (b->filter)
			bw_catch_again(d, b);
	} else {
		disable(d, b);
	}
	return bw_excp_update(d);
}

struct bw_error *bw_debug_break_enable(struct bw_debug *d, uint32_t number, bool on)
{
	struct bw_break *one;
	if (number)
		BW_TRY(find_break(d, number, &one));
	bw_vec_each(&d->breaks->all, b)
		if (!number || (*b)->info.number == number)
			BW_TRY(enable(d, *b, on));
	return NULL;
}

struct bw_error *bw_debug_break_condition(struct bw_debug *d, uint32_t number, const char *expr)
{
	struct bw_break *b;
	char *copy = NULL;
	BW_TRY(find_break(d, number, &b));
	if (expr && *expr) {
		bool in_code = b->info.kind == BW_BREAK_CODE && !b->filter;
		BW_TRY(check_condition(d, expr, in_code ? &b->where : NULL));
		copy = strdup(expr);
		if (!copy)
			return bw_error_nomem();
	}
	free(b->condition);
	b->condition = copy;
	bw_filter_dirty(d);
	return NULL;
}

struct bw_error *bw_debug_break_after(struct bw_debug *d, uint32_t number,
				      enum bw_break_after after, uint64_t stops)
{
	struct bw_break *b;
	BW_TRY(find_break(d, number, &b));
	b->info.temporary = after == BW_BREAK_DELETED;
	b->info.disable_after = after == BW_BREAK_DISABLED ? stops : 0;
	return NULL;
}

struct bw_error *bw_debug_break_ignore(struct bw_debug *d, uint32_t number, uint64_t hits)
{
	struct bw_break *b;
	BW_TRY(find_break(d, number, &b));
	b->info.ignore = hits;
	return NULL;
}

void bw_debug_on_passing(struct bw_debug *d, bw_passing_fn *fn, void *cookie)
{
	d->breaks->passing = fn;
	d->breaks->passing_cookie = cookie;
}

struct bw_error *bw_debug_break_pass(struct bw_debug *d, uint32_t number)
{
	struct bw_break *b;
	BW_TRY(find_break(d, number, &b));
	b->info.passes = true;
	return NULL;
}

void bw_debug_on_deciding(struct bw_debug *d, bw_deciding_fn *fn, void *cookie)
{
	d->breaks->deciding = fn;
	d->breaks->deciding_cookie = cookie;
}

struct bw_error *bw_debug_break_decide(struct bw_debug *d, uint32_t number, bool on)
{
	struct bw_break *b;
	BW_TRY(find_break(d, number, &b));
	b->info.decides = on;
	return NULL;
}

static void refresh(struct bw_break *b)
{
	b->info.spec = b->spec;
	b->info.condition = b->condition;
	b->addr.len = 0;
	bw_vec_each(&b->places, p) {
		struct bw_error *err = bw_vec_push(&b->addr, p->va);
		bw_error_free(err); /* when out of memory, some breakpoints are not listed */
	}
	b->info.addr = b->addr.data;
	b->info.n_addr = b->addr.len;
}

const struct bw_break_info *bw_debug_breakpoints(struct bw_debug *d, size_t *out_n)
{
	d->breaks->list.len = 0;
	*out_n = 0;
	struct bw_error *err = bw_vec_reserve(&d->breaks->list, d->breaks->all.len);
	if (err) {
		bw_error_free(err);
		return NULL;
	}
	bw_vec_each(&d->breaks->all, b) {
		refresh(*b);
		d->breaks->list.data[d->breaks->list.len++] = (*b)->info;
	}
	*out_n = d->breaks->list.len;
	return d->breaks->list.data;
}

const struct bw_break_info *bw_debug_breakpoint(struct bw_debug *d, uint32_t number)
{
	struct bw_break *b = bw_debug_break_priv(d, number);
	if (!b)
		return NULL;
	refresh(b);
	return &b->info;
}

void bw_debug_drop_temporaries(struct bw_debug *d, uint32_t number)
{
	struct bw_break *b = bw_debug_break_priv(d, number);
	struct bw_error *err = NULL;
	if (b && b->info.temporary)
		err = bw_debug_break_delete(d, number);
	else if (b && b->info.disable_after && !--b->info.disable_after)
		err = bw_debug_break_enable(d, number, false);
	bw_error_free(err);
}
