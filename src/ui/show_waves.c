/* SPDX-License-Identifier: MIT */
#include "ui/show.h"
#include "ui/show_program.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"
#include "base/vec.h"
#include "target/call.h"

/* The first one only where there are several. */
/* clang-format off */
static const struct bw_column wave_columns[] = {
	{"Inf", "inferior", true},
	{"", NULL, false},
	{"Id", "wave", true},
	{"Target Id", "name", false},
	{NULL, "place", false},
	{"Lanes", "lanes", false},
	{"Frame", "frame", false},
	{"Stopped by", NULL, false},
	{NULL, "reason", false},
	{NULL, "breakpoint", false},
	{NULL, "at_barrier", false},
	{NULL, "pc", false},
	{NULL, "exec", false},
	{NULL, "current", false},
	BW_PLACE_COLUMNS,
};
/* clang-format on */

static void add_reason(struct bw_table *t, const struct bw_wave_info *w)
{
	char text[160];
	bw_reason_text(w->reasons, text, sizeof(text));
	if (w->breakpoint)
		bw_table_text(t, "%s %u", text, w->breakpoint);
	else
		bw_table_text(t, "%s%s", text, w->in_barrier ? " (at a barrier)" : "");
}

static void add_reason_facts(struct bw_table *t, const struct bw_wave_info *w)
{
	char text[160];
	bw_reason_text(w->reasons, text, sizeof(text));
	bw_table_json_cell(t, text[0] ? json_string(text) : NULL);
	bw_table_json_cell(t, w->breakpoint ? json_integer(w->breakpoint) : NULL);
	bw_table_json_cell(t, json_boolean(w->in_barrier));
}

static void add_wave(struct bw_table *t, struct bw_debug *d, const struct bw_wave_info *w,
		     bool several, bool focus)
{
	char name[96], place[32];
	bw_wave_name(w, name, sizeof(name));
	bw_place_text(w->place, place);
	struct bw_str lanes = {0}, frame = {0};
	bw_print_lanes(&lanes, w->exec);
	bw_show_frame(d, w->pc, w->dispatch, false, &frame);
	if (several)
		bw_table_int(t, w->inferior);
	bw_table_text(t, "%s", focus ? "*" : "");
	bw_table_int(t, w->number);
	bw_table_text(t, "%s", name);
	bw_table_text(t, "%s", place);
	bw_table_text(t, "%s", bw_str_text(&lanes));
	bw_table_text(t, "%s", bw_str_text(&frame));
	add_reason(t, w);
	add_reason_facts(t, w);
	bw_table_hex(t, w->pc, 0);
	bw_table_hex(t, w->exec, 0);
	bw_table_json_cell(t, json_boolean(focus));
	struct bw_where where;
	bw_debug_wave_where(d, w, &where);
	bw_table_place(t, &where);
	bw_str_free(&lanes);
	bw_str_free(&frame);
}

/* Waves that are at the same place for the same reason. */
struct group {
	uint64_t pc;
	uint32_t space, reasons, breakpoint;
	size_t n;
	uint32_t first;
};
struct group_vec BW_VEC(struct group);

static void show_groups(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *waves,
			size_t n)
{
	struct group_vec groups = {0};
	for (size_t i = 0; i < n; i++) {
		struct group *found = NULL;
		bw_vec_each(&groups, g)
			if (g->pc == waves[i].pc && g->space == waves[i].space &&
			    g->reasons == waves[i].reasons &&
			    g->breakpoint == waves[i].breakpoint) {
				found = g;
				break;
			}
		if (found) {
			found->n++;
			continue;
		}
		struct group g = {
			waves[i].pc, waves[i].space, waves[i].reasons, waves[i].breakpoint,
			1,	     waves[i].number};
		bw_error_free(bw_vec_push(&groups, g));
	}
	static const struct bw_column columns[] = {{"Waves", "waves", true},
						   {"First", "first", true},
						   {"Frame", "frame", false},
						   {"Stopped by", "reason", false}};
	struct bw_table t;
	bw_table_init(&t, "groups", columns, BW_ARRAY_SIZE(columns));
	bw_vec_each(&groups, g) {
		const struct bw_wave_info *w = bw_debug_wave(d, g->first);
		if (!w)
			continue;
		struct bw_str frame = {0};
		bw_show_frame(d, g->pc, w->dispatch, false, &frame);
		bw_table_int(&t, (int64_t)g->n);
		bw_table_int(&t, g->first);
		bw_table_text(&t, "%s", bw_str_text(&frame));
		add_reason(&t, w);
		bw_str_free(&frame);
	}
	bw_out_table(o, &t, "");
	bw_table_fini(&t);
	bw_vec_free(&groups);
	bw_out_line(
		o,
		"%zu waves have stopped. \"info waves all\" lists each; \"info waves count\" counts all.",
		n);
}

void bw_show_waves(struct bw_out *o, struct bw_debug *d, bool all)
{
	enum { SCREENFUL = 32 };
	size_t n = 0;
	const struct bw_wave_info *waves = bw_debug_waves(d, &n);
	const struct bw_wave_info *focus = bw_debug_focus(d);
	if (n > SCREENFUL && !all && !bw_out_is_json(o)) {
		show_groups(o, d, waves, n);
		return;
	}
	struct bw_table t;
	size_t n_inferiors;
	bw_debug_inferiors(d, &n_inferiors);
	bool several = n_inferiors > 1;
	bw_table_init(&t, "waves", wave_columns + !several, BW_ARRAY_SIZE(wave_columns) - !several);
	for (size_t i = 0; i < n; i++)
		add_wave(&t, d, &waves[i], several, focus && focus->number == waves[i].number);
	bw_out_table(o, &t,
		     bw_debug_state(d) == BW_DEBUG_NO_PROGRAM
			     ? "No program runs; \"run\" starts it."
			     : "No wave has stopped.");
	bw_table_fini(&t);
}

void bw_show_inferiors(struct bw_out *o, struct bw_debug *d)
{
	static const struct bw_column columns[] = {{"", NULL, false},
						   {"Num", "inferior", true},
						   {"Process", "pid", true},
						   {"Program", "program", false},
						   {"Address spaces", "spaces", true},
						   {"Waves stopped", "waves", true},
						   {NULL, "current", false}};
	size_t n = 0;
	const struct bw_inferior_info *all = bw_debug_inferiors(d, &n);
	struct bw_table t;
	bw_table_init(&t, "inferiors", columns, BW_ARRAY_SIZE(columns));
	for (size_t i = 0; i < n; i++) {
		bw_table_text(&t, "%s", all[i].is_current ? "*" : "");
		bw_table_int(&t, all[i].number);
		bw_table_int(&t, all[i].pid);
		bw_table_text(&t, "%s", all[i].comm);
		bw_table_int(&t, all[i].n_spaces);
		bw_table_int(&t, (int64_t)all[i].n_waves);
		bw_table_json_cell(&t, json_boolean(all[i].is_current));
	}
	bw_out_table(o, &t, "No program uses the GPU.");
	bw_table_fini(&t);
}

/* What a crash file does not tell may have been there. */
static const char *no_dispatches(struct bw_debug *d)
{
	const struct bw_target *target = bw_debug_target(d);
	if (!target || bw_target_can(target, BW_CAP_RUN))
		return "Nothing has been dispatched.";
	return target->is_past ? "The file tells of no dispatch."
			       : "Waves do not tell which dispatch they belong to.";
}

struct bw_error *bw_show_wave_count(struct bw_out *o, struct bw_debug *d)
{
	static const struct bw_column columns[] = {
		{"Dispatch", "dispatch", true}, {"Kernel", "kernel", false},
		{"Total", "total", true},	{"Stopped", "stopped", true},
		{"Running", "running", true},	{"Waiting", "waiting", true},
		{"Finished", "finished", true}};
	size_t n = 0;
	const struct bw_dispatch_info *dispatches = bw_debug_dispatches(d, &n);
	struct bw_table t;
	bw_table_init(&t, "dispatches", columns, BW_ARRAY_SIZE(columns));
	for (size_t i = 0; i < n; i++) {
		struct bw_wave_count c;
		struct bw_error *err = bw_debug_count_waves(d, dispatches[i].number, &c);
		if (err) {
			bw_table_fini(&t);
			return err;
		}
		bw_table_int(&t, dispatches[i].number);
		bw_table_text(&t, "%s", dispatches[i].kernel_title);
		if (c.known)
			bw_table_int(&t, (int64_t)c.total);
		else
			bw_table_empty(&t);
		bw_table_int(&t, (int64_t)c.stopped);
		bw_table_int(&t, (int64_t)c.running);
		if (c.known) {
			bw_table_int(&t, (int64_t)c.waiting);
			bw_table_int(&t, (int64_t)c.finished);
		} else {
			bw_table_empty(&t);
			bw_table_empty(&t);
		}
	}
	bw_out_table(o, &t, no_dispatches(d));
	bw_table_fini(&t);
	return NULL;
}

void bw_show_wave(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *w)
{
	char name[96], place[32], reasons[160];
	bw_wave_name(w, name, sizeof(name));
	bw_place_text(w->place, place);
	bw_reason_text(w->reasons, reasons, sizeof(reasons));
	struct bw_str lanes = {0}, frame = {0};
	bw_print_lanes(&lanes, w->exec);
	bw_show_frame(d, w->pc, w->dispatch, false, &frame);
	struct bw_str items = {0}, inactive = {0};
	uint64_t all = w->lanes == 64 ? ~0ull : (1ull << w->lanes) - 1;
	bw_show_items(d, w, all, &items);
	if (all & ~w->exec)
		bw_print_lanes(&inactive, all & ~w->exec);
	bw_out_line(o, "Thread %u, %s", w->number, name);
	bool placed = w->wave_in_group != BW_GROUP_UNKNOWN;
	if (placed)
		bw_out_line(o, "  workgroup  (%u,%u,%u) of dispatch %u, wave %u of it",
			    w->workgroup[0], w->workgroup[1], w->workgroup[2], w->dispatch,
			    w->wave_in_group);
	else
		bw_out_line(o, "  workgroup  not known, of dispatch %u", w->dispatch);
	if (items.len)
		bw_out_line(o, "  work-items %s", items.data);
	bw_out_line(o, "  place      %s", place);
	bw_out_line(o, "  size       wave%u, %u VGPRs%s", w->lanes, w->n_vgprs,
		    w->n_vgprs ? "" : " (given back by DEALLOC_VGPRS)");
	bw_out_line(o, "  at         %s", bw_str_text(&frame));
	bw_out_line(o, "  lanes      [%s] active%s%s%s", bw_str_text(&lanes),
		    inactive.len ? ", [" : "", bw_str_text(&inactive),
		    inactive.len ? "] inactive" : "");
	bw_show_whole_wave(o, w);
	if (w->breakpoint)
		bw_out_line(o, "  stopped by %s %u", reasons, w->breakpoint);
	else
		bw_out_line(o, "  stopped by %s", reasons);
	bw_out_int(o, "wave", w->number);
	bw_out_str(o, "name", name);
	bw_out_str(o, "place", place);
	bw_out_int(o, "dispatch", w->dispatch);
	if (placed) {
		bw_out_json(o, "workgroup", bw_dims_json(w->workgroup));
		bw_out_int(o, "wave_in_group", w->wave_in_group);
	}
	if (items.len)
		bw_out_str(o, "items", items.data);
	bw_str_free(&items);
	bw_str_free(&inactive);
	bw_out_int(o, "wave_size", w->lanes);
	bw_out_int(o, "vgprs", w->n_vgprs);
	bw_out_hex(o, "pc", w->pc);
	bw_out_hex(o, "exec", w->exec);
	bw_out_str(o, "frame", bw_str_text(&frame));
	if (reasons[0])
		bw_out_str(o, "reason", reasons);
	if (w->breakpoint)
		bw_out_int(o, "breakpoint", w->breakpoint);
	struct bw_where where;
	bw_debug_wave_where(d, w, &where);
	bw_show_place_facts(o, &where);
	bw_str_free(&lanes);
	bw_str_free(&frame);
}

void bw_show_dispatches(struct bw_out *o, struct bw_debug *d)
{
	static const struct bw_column columns[] = {
		{"Id", "dispatch", true},  {"Queue", "queue", true},
		{"Groups", NULL, false},   {"Workgroup", NULL, false},
		{"State", "state", false}, {"Kernel Function", "kernel_title", false},
		{NULL, "groups", false},   {NULL, "workgroup", false},
		{NULL, "kernel", false},   {"Label", "label", false}};
	size_t n = 0, n_columns = BW_ARRAY_SIZE(columns) - 1;
	const struct bw_dispatch_info *list = bw_debug_dispatches(d, &n);
	for (size_t i = 0; i < n; i++)
		if (list[i].label[0])
			n_columns = BW_ARRAY_SIZE(columns);
	struct bw_table t;
	bw_table_init(&t, "dispatches", columns, n_columns);
	for (size_t i = 0; i < n; i++) {
		char groups[48], group[48];
		bw_show_dims(groups, list[i].desc.groups);
		bw_show_dims(group, list[i].desc.group_size);
		bw_table_int(&t, list[i].number);
		bw_table_int(&t, list[i].queue);
		bw_table_text(&t, "%s", groups);
		bw_table_text(&t, "%s", group);
		bw_table_text(&t, "%s", bw_show_dispatch_state(d, &list[i]));
		bw_table_text(&t, "%s", list[i].kernel_title);
		bw_table_json_cell(&t, bw_dims_json(list[i].desc.groups));
		bw_table_json_cell(&t, bw_dims_json(list[i].desc.group_size));
		bw_table_json_cell(&t, bw_json_text(list[i].kernel_name));
		if (n_columns == BW_ARRAY_SIZE(columns))
			bw_table_text(&t, "%s", list[i].label);
	}
	bw_out_table(o, &t, no_dispatches(d));
	bw_table_fini(&t);
}

void bw_show_arg(struct bw_debug *d, const struct bw_arg_info *a, char letter, struct bw_str *out)
{
	char why[256];
	if (a->has_value) {
		bw_show_row_value(d, &a->value, letter, out);
	} else if (a->arg->is_absent) {
		bw_str_add(out, "<optimized out>");
	} else if (a->bytes.n) {
		bw_arg_bytes_text(a->arg, &a->bytes, why, sizeof(why));
		bw_str_addf(out, "<%s>", why);
	} else {
		bw_str_add(out, "<cannot be read>");
	}
}

static struct bw_error *show_args(struct bw_out *o, struct bw_debug *d,
				  const struct bw_dispatch_info *info)
{
	static const struct bw_column columns[] = {
		{"Argument", "name", false},   {"Type", "type", false},
		{"Offset", "offset", true},    {"Size", "size", true},
		{"Launch value", NULL, false}, {NULL, "launch_value", false}};
	struct bw_arg_info *args = NULL;
	size_t n = 0;
	BW_TRY(bw_debug_args(d, info->number, &args, &n));
	struct bw_table t;
	bw_table_init(&t, "arguments", columns, BW_ARRAY_SIZE(columns));
	for (size_t i = 0; i < n; i++) {
		struct bw_str value = {0};
		bw_show_arg(d, &args[i], args[i].value.type.kind == BW_TYPE_POINTER ? 'x' : 0,
			    &value);
		bw_table_text(&t, "%s", args[i].arg->name);
		bw_table_text(&t, "%s", args[i].arg->type_name);
		bool absent = args[i].arg->is_absent;
		if (absent)
			bw_table_empty(&t);
		else
			bw_table_int(&t, args[i].arg->offset_b);
		bw_table_int(&t, args[i].arg->size_b);
		bw_table_text(&t, "%s", bw_str_text(&value));
		bw_table_json_cell(&t,
				   args[i].has_value ? bw_json_text(bw_str_text(&value)) : NULL);
		bw_str_free(&value);
	}
	bw_out_table(o, &t, "Its arguments are not described (no metadata).");
	bw_table_fini(&t);
	bw_debug_free_args(args, n);
	return NULL;
}

struct bw_error *bw_show_kernel(struct bw_out *o, struct bw_debug *d,
				const struct bw_dispatch_info *info)
{
	char groups[48], group[48];
	bw_show_dims(groups, info->desc.groups);
	bw_show_dims(group, info->desc.group_size);
	bool wave32 = bw_arch_lanes(bw_debug_arch(d), info->desc.initiator) == 32;
	bw_out_line(o, "Kernel %s, dispatch %u (%s)", info->kernel_title, info->number,
		    bw_show_dispatch_state(d, info));
	bw_out_line(o, "  code         0x%012llx%s%s", (unsigned long long)info->desc.code_va,
		    info->code_object[0] ? " from " : "", info->code_object);
	bw_out_line(o, "  grid         %s workgroups of %s work-items, wave%u", groups, group,
		    wave32 ? 32u : 64u);
	bw_out_str(o, "kernel", info->kernel_name);
	bw_out_str(o, "kernel_title", info->kernel_title);
	bw_out_int(o, "dispatch", info->number);
	bw_out_str(o, "state", bw_show_dispatch_state(d, info));
	bw_out_hex(o, "code", info->desc.code_va);
	bw_out_str(o, "code_object", info->code_object);
	bw_out_json(o, "groups", bw_dims_json(info->desc.groups));
	bw_out_json(o, "workgroup", bw_dims_json(info->desc.group_size));
	bw_out_int(o, "wave_size", wave32 ? 32 : 64);
	if (info->kernel && info->kernel->vgprs) {
		bw_out_line(o,
			    "  resources    %u VGPRs, %u bytes of LDS, %u bytes of scratch a lane",
			    info->kernel->vgprs, info->kernel->lds_b, info->kernel->scratch_b);
		bw_out_int(o, "vgprs", info->kernel->vgprs);
		bw_out_int(o, "lds", info->kernel->lds_b);
		bw_out_int(o, "scratch", info->kernel->scratch_b);
	}
	if (info->kernarg_va) {
		bw_out_line(o, "  kernarg      0x%012llx", (unsigned long long)info->kernarg_va);
		bw_out_hex(o, "kernarg", info->kernarg_va);
	}
	return show_args(o, d, info);
}
