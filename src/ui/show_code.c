/* SPDX-License-Identifier: MIT */
#include "ui/show.h"

#include <string.h>

#include "base/str.h"
#include "base/util.h"

json_t *bw_addresses_json(const struct bw_break_info *b)
{
	json_t *list = json_array();
	for (size_t i = 0; i < b->n_addr; i++)
		json_array_append_new(list, json_sprintf("0x%llx", (unsigned long long)b->addr[i]));
	return list;
}

/* gdb's words: "hw watchpoint", "acc watchpoint", "catchpoint" */
static const char *kind_text(const struct bw_break_info *b)
{
	switch (b->kind) {
	case BW_BREAK_WATCH:
		return b->watch_register < 0 ? "watchpoint" : "hw watchpoint";
	case BW_BREAK_RWATCH:
		return "read watchpoint";
	case BW_BREAK_AWATCH:
		return "acc watchpoint";
	case BW_BREAK_EXCEPTION:
		return "catchpoint";
	case BW_BREAK_DRAW:
	case BW_BREAK_CODE:
		break;
	}
	return b->passes				? "dprintf"
	       : bw_starts_with(b->spec, "on dispatch") ? "dispatch"
							: "breakpoint";
}

/* "in saxpy at saxpy.s:14". */
static void add_place(struct bw_debug *d, const struct bw_break_info *b, uint64_t addr,
		      struct bw_str *out)
{
	struct bw_where where;
	struct bw_frame code;
	const char *function;
	bw_debug_break_where(d, b->number, addr, &where, &function);
	bw_debug_frame(d, 0, addr, &code);
	if (!function)
		function = code.function ? code.function : where.function;
	bw_str_addf(out, "in %s", function ? function : "??");
	if (where.has_line)
		bw_str_addf(out, " at %s:%u", bw_base_name(where.line.file), where.line.line);
	else if (where.offset_b)
		bw_str_addf(out, "+%llu", (unsigned long long)where.offset_b);
}

/* "in saxpy at saxpy.s:14", "out[5]"; nothing where it has several places. */
static void add_what(struct bw_debug *d, const struct bw_break_info *b, struct bw_str *out)
{
	struct bw_where where = {0};
	bool on_dispatch = bw_starts_with(b->spec, "on dispatch");
	if (b->n_addr > 1 && !on_dispatch)
		return;
	if (b->n_addr)
		bw_debug_where(d, b->addr[0], &where);
	if (on_dispatch || !where.function)
		bw_str_add(out, b->spec);
	else
		add_place(d, b, b->addr[0], out);
}

/* Its places, numbered as in gdb: "1.2   y  0x7f001018 in shift at scale.cl:10". */
static void add_places(struct bw_table *t, struct bw_debug *d, const struct bw_break_info *b)
{
	for (size_t i = 0; b->n_addr > 1 && i < b->n_addr; i++) {
		struct bw_str place = {0};
		add_place(d, b, b->addr[i], &place);
		bw_table_note(t, "%u.%-*zu %s   0x%012llx %s", b->number, 24, i + 1,
			      b->enabled ? "y" : "n", (unsigned long long)b->addr[i],
			      bw_str_text(&place));
		bw_str_free(&place);
	}
}

/* Why the GPU cannot test all of a condition; empty: it can, or that has no reason of its own. */
static void add_why(const struct bw_break_tested *tested, struct bw_str *out)
{
	if (tested->by < BW_TESTED_BY_BOTH || !tested->why)
		return;
	if (tested->part[0])
		bw_str_addf(out, "`%s` ", tested->part);
	bw_str_add(out, tested->why);
}

/* A breakpoint as its table shows it. */
struct break_row {
	struct bw_break_info b;
	const char *kind, *disposition;
	struct bw_str what, why;
	struct bw_break_tested tested;
	const char *const *lines;
	size_t n_lines;
	struct bw_where where;
};

/* The lines that gdb prints below a breakpoint. */
static void add_notes(struct bw_table *t, const struct break_row *r)
{
	const struct bw_break_info *b = &r->b;
	const char *kind = b->kind == BW_BREAK_EXCEPTION			  ? "catchpoint"
			   : b->kind == BW_BREAK_CODE || b->kind == BW_BREAK_DRAW ? "breakpoint"
										  : "watchpoint";
	if (b->condition)
		bw_table_note(t, "\tstop only if %s", b->condition);
	if (r->tested.by >= BW_TESTED_BY_BOTH)
		bw_table_note(
			t, "\t%s%s%s",
			r->tested.by == BW_TESTED_BY_BOTH
				? "tested on the GPU as far as it can be, then by the debugger"
				: "tested by the debugger",
			r->why.len ? ": " : "", bw_str_text(&r->why));
	if (b->wave)
		bw_table_note(t, "\tstop only in wave %u", b->wave);
	if (b->hits)
		bw_table_note(t, "\t%s already hit %llu time%s", kind, (unsigned long long)b->hits,
			      b->hits == 1 ? "" : "s");
	if (b->not_stopped)
		bw_table_note(t, "\t%llu dispatch%s could not be stopped",
			      (unsigned long long)b->not_stopped, b->not_stopped == 1 ? "" : "es");
	if (b->ignore)
		bw_table_note(t, "\tignore next %llu hit%s", (unsigned long long)b->ignore,
			      b->ignore == 1 ? "" : "s");
	if (b->disable_after)
		bw_table_note(t, "\tdisable after %llu stop%s",
			      (unsigned long long)b->disable_after,
			      b->disable_after == 1 ? "" : "s");
	for (size_t i = 0; i < r->n_lines; i++)
		bw_table_note(t, "\t%s", r->lines[i]);
}

static void address(struct bw_table *t, const void *of)
{
	const struct bw_break_info *b = &((const struct break_row *)of)->b;
	if (b->kind == BW_BREAK_CODE && b->n_addr == 1)
		bw_table_hex(t, b->addr[0], 12);
	else if (b->kind == BW_BREAK_CODE)
		bw_table_text(t, "%s", b->n_addr ? "<MULTIPLE>" : "<PENDING>");
}

static void addresses(struct bw_table *t, const void *of)
{
	bw_table_json_cell(t, bw_addresses_json(&((const struct break_row *)of)->b));
}

static void commands_of(struct bw_table *t, const void *of)
{
	const struct break_row *r = of;
	json_t *list = json_array();
	for (size_t i = 0; i < r->n_lines; i++)
		json_array_append_new(list, bw_json_text(r->lines[i]));
	bw_table_json_cell(t, list);
}

static const char *const testers[] = {[BW_TESTED_BY_GPU] = "gpu",
				      [BW_TESTED_BY_BOTH] = "gpu and debugger",
				      [BW_TESTED_BY_DEBUGGER] = "debugger"};

static const struct bw_fact break_rows[] = {
	{"Num", "number", "number", BW_OF(struct break_row, b.number), .align = BW_ALIGN_LEFT},
	{"Type", NULL, "text", BW_OF(struct break_row, kind)},
	{"Disp", "disposition", "keep|del|dis", BW_OF(struct break_row, disposition)},
	{"Enb", "enabled", "bool", BW_OF(struct break_row, b.enabled), .yes = "y", .no = "n"},
	{"Address", NULL, "text", BW_GET(address)},
	{"What", "what", "text", BW_OF(struct break_row, what)},
	{NULL, "kind",
	 "breakpoint|dprintf|dispatch|watchpoint|hw watchpoint|read watchpoint|acc watchpoint|catchpoint",
	 BW_OF(struct break_row, kind)},
	{NULL, "condition", "text?", BW_OF(struct break_row, b.condition)},
	{NULL, "tested_by", "?", BW_OF(struct break_row, tested.by), BW_NAMES(testers)},
	{NULL, "not_on_gpu", "text?", BW_OF(struct break_row, why)},
	{NULL, "hits", "count", BW_OF(struct break_row, b.hits)},
	{NULL, "not_stopped", "number?", BW_OF(struct break_row, b.not_stopped),
	 .says = "Dispatches that it fits and could not stop."},
	{NULL, "ignore", "count", BW_OF(struct break_row, b.ignore)},
	{NULL, "commands", "text[]", BW_GET(commands_of)},
	{NULL, "wave", "number?", BW_OF(struct break_row, b.wave)},
	{NULL, "pending", "bool", BW_OF(struct break_row, b.pending)},
	{NULL, "addresses", "hex[]", BW_GET(addresses)},
	BW_PLACE_FACTS(struct break_row, where),
};
BW_FACTS(break_facts, "info breakpoints", "breakpoints", break_rows);

void bw_show_breakpoints(struct bw_out *o, struct bw_debug *d, bool only_watch,
			 bw_commands_fn *commands, void *cookie)
{
	size_t n = 0;
	const struct bw_break_info *list = bw_debug_breakpoints(d, &n);
	struct bw_table t;
	bw_table_begin(&t, &break_facts);
	for (size_t i = 0; i < n; i++) {
		const struct bw_break_info *b = &list[i];
		struct break_row r = {.b = *b,
				      .kind = kind_text(b),
				      .disposition = b->temporary	? "del"
						     : b->disable_after ? "dis"
									: "keep"};
		if (only_watch && (b->kind == BW_BREAK_CODE || b->kind == BW_BREAK_EXCEPTION ||
				   b->kind == BW_BREAK_DRAW))
			continue;
		add_what(d, b, &r.what);
		bw_debug_break_tested(d, b->number, &r.tested);
		add_why(&r.tested, &r.why);
		r.lines = commands(cookie, b->number, &r.n_lines);
		const char *function;
		if (b->n_addr)
			bw_debug_break_where(d, b->number, b->addr[0], &r.where, &function);
		bw_table_row(&t, &r);
		add_notes(&t, &r);
		add_places(&t, d, b);
		bw_str_free(&r.what);
		bw_str_free(&r.why);
	}
	bw_out_table(o, &t, only_watch ? "No watchpoints." : "No breakpoints or watchpoints.");
	bw_table_fini(&t);
}
