/* SPDX-License-Identifier: MIT */
#include "ui/show.h"

#include <string.h>

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
	case BW_BREAK_CODE:
		break;
	}
	return b->passes				? "dprintf"
	       : bw_starts_with(b->spec, "on dispatch") ? "dispatch"
							: "breakpoint";
}

/* "in saxpy at saxpy.s:14", by the innermost function, inlined or not. */
static void add_place(struct bw_debug *d, uint64_t addr, struct bw_str *out)
{
	struct bw_where where;
	struct bw_frame code;
	bw_debug_where(d, addr, &where);
	bw_debug_frame(d, 0, addr, &code);
	const char *slash = where.has_line ? strrchr(where.line.file, '/') : NULL;
	const char *function = code.function ? code.function : where.function;
	bw_str_addf(out, "in %s", function ? function : "??");
	if (where.has_line)
		bw_str_addf(out, " at %s:%u", slash ? slash + 1 : where.line.file, where.line.line);
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
		add_place(d, b->addr[0], out);
}

/* Its places, numbered as in gdb: "1.2   y  0x7f001018 in shift at scale.cl:10". */
static void add_places(struct bw_table *t, struct bw_debug *d, const struct bw_break_info *b)
{
	for (size_t i = 0; b->n_addr > 1 && i < b->n_addr; i++) {
		struct bw_str place = {0};
		add_place(d, b->addr[i], &place);
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

/* Where each wave that comes by has to stop for it. */
static void add_tested(struct bw_table *t, struct bw_debug *d, const struct bw_break_info *b)
{
	struct bw_break_tested tested;
	struct bw_str why = {0};
	bw_debug_break_tested(d, b->number, &tested);
	if (tested.by < BW_TESTED_BY_BOTH)
		return;
	add_why(&tested, &why);
	bw_table_note(t, "\t%s%s%s",
		      tested.by == BW_TESTED_BY_BOTH
			      ? "tested on the GPU as far as it can be, then by the debugger"
			      : "tested by the debugger",
		      why.len ? ": " : "", bw_str_text(&why));
	bw_str_free(&why);
}

/* The lines that gdb prints below a breakpoint. */
static void add_notes(struct bw_table *t, struct bw_debug *d, const struct bw_break_info *b,
		      const char *const *lines, size_t n_lines)
{
	const char *kind = b->kind == BW_BREAK_EXCEPTION ? "catchpoint"
			   : b->kind == BW_BREAK_CODE	 ? "breakpoint"
							 : "watchpoint";
	if (b->condition)
		bw_table_note(t, "\tstop only if %s", b->condition);
	add_tested(t, d, b);
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
	for (size_t i = 0; i < n_lines; i++)
		bw_table_note(t, "\t%s", lines[i]);
}

/* The same for programs. */
static void add_facts(struct bw_table *t, struct bw_debug *d, const struct bw_break_info *b,
		      const char *const *lines, size_t n_lines)
{
	static const char *const testers[] = {[BW_TESTED_BY_GPU] = "gpu",
					      [BW_TESTED_BY_BOTH] = "gpu and debugger",
					      [BW_TESTED_BY_DEBUGGER] = "debugger"};
	struct bw_break_tested tested;
	struct bw_str why = {0};
	bw_debug_break_tested(d, b->number, &tested);
	add_why(&tested, &why);
	json_t *commands = json_array();
	for (size_t i = 0; i < n_lines; i++)
		json_array_append_new(commands, bw_json_text(lines[i]));
	bw_table_json_cell(t, json_string(kind_text(b)));
	bw_table_json_cell(t, b->condition ? bw_json_text(b->condition) : NULL);
	bw_table_json_cell(t, testers[tested.by] ? json_string(testers[tested.by]) : NULL);
	bw_table_json_cell(t, why.len ? bw_json_text(bw_str_text(&why)) : NULL);
	bw_str_free(&why);
	bw_table_json_cell(t, json_integer((json_int_t)b->hits));
	bw_table_json_cell(t, b->not_stopped ? json_integer((json_int_t)b->not_stopped) : NULL);
	bw_table_json_cell(t, json_integer((json_int_t)b->ignore));
	bw_table_json_cell(t, commands);
	bw_table_json_cell(t, b->wave ? json_integer(b->wave) : NULL);
	bw_table_json_cell(t, json_boolean(b->pending));
	bw_table_json_cell(t, bw_addresses_json(b));
	struct bw_where where = {0};
	if (b->n_addr)
		bw_debug_where(d, b->addr[0], &where);
	bw_table_place(t, &where);
}

void bw_show_breakpoints(struct bw_out *o, struct bw_debug *d, bool only_watch,
			 bw_commands_fn *commands, void *cookie)
{
	static const struct bw_column columns[] = {
		{"Num", "number", false},	{"Type", NULL, false},
		{"Disp", "disposition", false}, {"Enb", "enabled", false},
		{"Address", NULL, false},	{"What", "what", false},
		{NULL, "kind", false},		{NULL, "condition", false},
		{NULL, "tested_by", false},	{NULL, "not_on_gpu", false},
		{NULL, "hits", false},		{NULL, "not_stopped", false},
		{NULL, "ignore", false},	{NULL, "commands", false},
		{NULL, "wave", false},		{NULL, "pending", false},
		{NULL, "addresses", false},	BW_PLACE_COLUMNS};
	size_t n = 0, n_lines;
	const struct bw_break_info *list = bw_debug_breakpoints(d, &n);
	struct bw_table t;
	bw_table_init(&t, "breakpoints", columns, BW_ARRAY_SIZE(columns));
	for (size_t i = 0; i < n; i++) {
		const struct bw_break_info *b = &list[i];
		if (only_watch && (b->kind == BW_BREAK_CODE || b->kind == BW_BREAK_EXCEPTION))
			continue;
		bw_table_int(&t, b->number);
		bw_table_text(&t, "%s", kind_text(b));
		bw_table_text(&t, "%s", b->temporary ? "del" : b->disable_after ? "dis" : "keep");
		bw_table_bool(&t, b->enabled, "y", "n");
		if (b->kind != BW_BREAK_CODE)
			bw_table_text(&t, "%s", "");
		else if (!b->n_addr)
			bw_table_text(&t, "<PENDING>");
		else if (b->n_addr > 1)
			bw_table_text(&t, "<MULTIPLE>");
		else
			bw_table_hex(&t, b->addr[0], 12);
		struct bw_str what = {0};
		add_what(d, b, &what);
		bw_table_text(&t, "%s", bw_str_text(&what));
		bw_str_free(&what);
		const char *const *lines = commands(cookie, b->number, &n_lines);
		add_facts(&t, d, b, lines, n_lines);
		add_notes(&t, d, b, lines, n_lines);
		add_places(&t, d, b);
	}
	bw_out_table(o, &t, only_watch ? "No watchpoints." : "No breakpoints or watchpoints.");
	bw_table_fini(&t);
}
