/* SPDX-License-Identifier: MIT */
/* Breakpoints by structs and by commands of the prompt, and functions that decide about hits. */
#include "api/api_priv.h"

#include <stdlib.h>
#include <string.h>

#include <breakwater/breakpoints.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "base/util.h"
#include "debug/breaks.h"

static uint32_t last_number(struct bw_debug *d)
{
	size_t n;
	uint32_t last = 0;
	const struct bw_break_info *all = bw_debug_breakpoints(d, &n);
	for (size_t i = 0; i < n; i++)
		last = BW_MAX(last, all[i].number);
	return last;
}

static struct bw_error *set_one(struct breakwater_session *s, const char *text,
				uint32_t *out_number)
{
	struct bw_api_capture capture;
	struct bw_session *session = s->session;
	_cleanup_free_ char *said = NULL;
	uint32_t before = last_number(session->debug);
	if (!text || !*bw_skip_blanks(text) || strchr(text, '\n'))
		return bw_errorf(BW_E_INVALID, "A breakpoint needs a place, on one line");
	BW_TRY(bw_api_need_commands(s));
	BW_TRY(bw_api_capture_begin(&capture, session, false));
	struct bw_error *err = session->commands->set_stop(session->commands_cookie, text);
	struct bw_error *lost = bw_api_capture_end(&capture, &said);
	if (err || lost) {
		bw_error_free(err ? lost : NULL);
		return err ? err : lost;
	}
	uint32_t number = last_number(session->debug);
	if (number <= before) {
		said[strcspn(said, "\n")] = '\0';
		return bw_errorf(BW_E_INVALID, "Nothing was set by \"%s\": %s", text, said);
	}
	*out_number = number;
	return NULL;
}

struct breakwater_error *breakwater_break(struct breakwater_session *s, const char *text,
					  uint32_t *out_number)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STILL);
	if (!err)
		err = set_one(s, text, out_number);
	return bw_api_leave(&call, err);
}

static struct bw_error *set_at(struct breakwater_session *s, const struct breakwater_break_at *from,
			       uint32_t *out_number)
{
	struct breakwater_break_at at = {.size_b = sizeof(at)};
	BW_TRY(bw_api_take(&at, from));
	const struct bw_break_at core = {.place = at.place,
					 .condition = at.condition,
					 .wave = at.wave,
					 .temporary = at.temporary};
	return bw_debug_break_at(s->session->debug, &core, out_number);
}

struct breakwater_error *breakwater_break_set(struct breakwater_session *s,
					      const struct breakwater_break_at *at,
					      uint32_t *out_number)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STILL);
	if (!err)
		err = set_at(s, at, out_number);
	return bw_api_leave(&call, err);
}

static struct bw_error *find_break(struct breakwater_session *s, uint32_t number,
				   const struct bw_break_info **out)
{
	*out = bw_debug_breakpoint(s->session->debug, number);
	return *out ? NULL : bw_errorf(BW_E_NOT_FOUND, "No breakpoint number %u", number);
}

/* Each of these takes one breakpoint; number 0 would be all of them to the core. */
static struct bw_error *enter_for(struct bw_api_call *call, struct breakwater_session *s,
				  uint32_t number)
{
	const struct bw_break_info *b;
	BW_TRY(bw_api_enter(call, s, BW_API_STILL));
	return find_break(s, number, &b);
}

struct breakwater_error *breakwater_break_delete(struct breakwater_session *s, uint32_t number)
{
	struct bw_api_call call;
	struct bw_error *err = enter_for(&call, s, number);
	if (!err)
		err = bw_debug_break_delete(s->session->debug, number);
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_break_enable(struct breakwater_session *s, uint32_t number,
						 bool on)
{
	struct bw_api_call call;
	struct bw_error *err = enter_for(&call, s, number);
	if (!err)
		err = bw_debug_break_enable(s->session->debug, number, on);
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_break_condition(struct breakwater_session *s, uint32_t number,
						    const char *expr)
{
	struct bw_api_call call;
	struct bw_error *err = enter_for(&call, s, number);
	if (!err)
		err = bw_debug_break_condition(s->session->debug, number, expr);
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_break_ignore(struct breakwater_session *s, uint32_t number,
						 uint64_t hits)
{
	struct bw_api_call call;
	struct bw_error *err = enter_for(&call, s, number);
	if (!err)
		err = bw_debug_break_ignore(s->session->debug, number, hits);
	return bw_api_leave(&call, err);
}

/* ---- Functions ---- */

static bool decide(void *cookie, uint32_t breakpoint, uint32_t wave)
{
	struct breakwater_session *s = cookie;
	bw_vec_each(&s->functions, f) {
		if (f->number != breakpoint)
			continue;
		s->in_function = true;
		bool stops = f->fn(f->cookie, s, breakpoint, wave);
		s->in_function = false;
		return stops;
	}
	return true;
}

static struct bw_error *set_function(struct breakwater_session *s, uint32_t number,
				     breakwater_break_fn *fn, void *cookie)
{
	struct bw_debug *d = s->session->debug;
	for (size_t i = 0; i < s->functions.len; i++) {
		if (s->functions.data[i].number == number)
			bw_vec_remove_fast(&s->functions, i);
	}
	if (fn) {
		const struct bw_api_function f = {number, fn, cookie};
		BW_TRY(bw_vec_push(&s->functions, f));
	}
	bw_debug_on_deciding(d, decide, s);
	return bw_debug_break_decide(d, number, fn);
}

struct breakwater_error *breakwater_break_function(struct breakwater_session *s, uint32_t number,
						   breakwater_break_fn *fn, void *cookie)
{
	struct bw_api_call call;
	struct bw_error *err = enter_for(&call, s, number);
	if (!err)
		err = set_function(s, number, fn, cookie);
	return bw_api_leave(&call, err);
}

/* ---- Lists ---- */

struct breakwater_error *breakwater_breaks(struct breakwater_session *s, uint32_t *out, size_t max,
					   size_t *out_n)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STILL);
	if (!err) {
		size_t n;
		const struct bw_break_info *all = bw_debug_breakpoints(s->session->debug, &n);
		for (size_t i = 0; i < n && i < max; i++)
			out[i] = all[i].number;
		*out_n = n;
	}
	return bw_api_leave(&call, err);
}

static struct bw_error *get(struct breakwater_session *s, uint32_t number,
			    struct breakwater_break *out)
{
	static const uint32_t kinds[] = {
		[BW_BREAK_CODE] = BREAKWATER_BREAK_CODE,
		[BW_BREAK_WATCH] = BREAKWATER_BREAK_WATCH,
		[BW_BREAK_RWATCH] = BREAKWATER_BREAK_RWATCH,
		[BW_BREAK_AWATCH] = BREAKWATER_BREAK_AWATCH,
		[BW_BREAK_EXCEPTION] = BREAKWATER_BREAK_EXCEPTION,
		[BW_BREAK_DRAW] = BREAKWATER_BREAK_DRAW,
	};
	const struct bw_break_info *b;
	BW_TRY(find_break(s, number, &b));
	const struct breakwater_break one = {.number = number,
					     .kind = kinds[b->kind],
					     .enabled = b->enabled,
					     .temporary = b->temporary,
					     .pending = b->pending,
					     .n_addresses = (uint32_t)b->n_addr,
					     .hits = b->hits,
					     .ignore = b->ignore,
					     .address = b->n_addr ? b->addr[0] : 0};
	return bw_api_fill(out, &one, sizeof(one));
}

struct breakwater_error *breakwater_break_get(struct breakwater_session *s, uint32_t number,
					      struct breakwater_break *out)
{
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STILL);
	if (!err)
		err = get(s, number, out);
	return bw_api_leave(&call, err);
}

struct breakwater_error *breakwater_break_text(struct breakwater_session *s, uint32_t number,
					       enum breakwater_break_text what, char **out)
{
	struct bw_str text = {0};
	const struct bw_break_info *b;
	struct bw_api_call call;
	struct bw_error *err = bw_api_enter(&call, s, BW_API_STILL);
	if (!err)
		err = find_break(s, number, &b);
	if (!err && what != BREAKWATER_BREAK_PLACE && what != BREAKWATER_BREAK_CONDITION)
		err = bw_errorf(BW_E_INVALID, "%d is not a text of a breakpoint", (int)what);
	if (!err) {
		bw_str_add(&text, what == BREAKWATER_BREAK_PLACE ? b->spec
				  : b->condition		 ? b->condition
								 : "");
		err = bw_api_text(&text, out);
	}
	bw_str_free(&text);
	return bw_api_leave(&call, err);
}
