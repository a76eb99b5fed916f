/* SPDX-License-Identifier: MIT */
#include "ui/show.h"
#include "ui/show_program.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/util.h"
#include "base/vec.h"
#include "target/call.h"

struct wave_row {
	struct bw_debug *d;
	struct bw_wave_info w;
	char name[96], place[32], reason[160];
	struct bw_where where;
	bool is_focus;
};

static void lanes(struct bw_table *t, const void *of)
{
	const struct wave_row *r = of;
	struct bw_str s = {0};
	bw_print_lanes(&s, r->w.exec);
	bw_table_text(t, "%s", bw_str_text(&s));
	bw_str_free(&s);
}

static void frame(struct bw_table *t, const void *of)
{
	const struct wave_row *r = of;
	struct bw_str s = {0};
	bw_show_frame(r->d, &r->w, false, &s);
	bw_table_text(t, "%s", bw_str_text(&s));
	bw_str_free(&s);
}

static void stopped_by(struct bw_table *t, const void *of)
{
	const struct wave_row *r = of;
	if (r->w.breakpoint)
		bw_table_text(t, "%s %u", r->reason, r->w.breakpoint);
	else
		bw_table_text(t, "%s%s", r->reason, r->w.in_barrier ? " (at a barrier)" : "");
}

static const struct bw_fact wave_rows[] = {
	{"Inf", "inferior", "number?",
	 BW_OF(struct wave_row, w.inferior)}, /* where there are several */
	{"", NULL, "bool", BW_OF(struct wave_row, is_focus), .yes = "*"},
	{"Id", "wave", "number", BW_OF(struct wave_row, w.number)},
	{"Target Id", "name", "text", BW_OF(struct wave_row, name)},
	{NULL, "place", "text", BW_OF(struct wave_row, place)},
	{"Lanes", "lanes", "text", BW_GET(lanes)},
	{"Frame", "frame", "text", BW_GET(frame)},
	{"Stopped by", NULL, "text", BW_GET(stopped_by)},
	{NULL, "reason", "reason?", BW_OF(struct wave_row, reason)},
	{NULL, "breakpoint", "number?", BW_OF(struct wave_row, w.breakpoint)},
	{NULL, "at_barrier", "bool", BW_OF(struct wave_row, w.in_barrier)},
	{NULL, "pc", "hex", BW_OF(struct wave_row, w.pc)},
	{NULL, "exec", "hex", BW_OF(struct wave_row, w.exec)},
	{NULL, "current", "bool", BW_OF(struct wave_row, is_focus)},
	BW_PLACE_FACTS(struct wave_row, where),
};
BW_FACTS(wave_facts, "info waves", "waves", wave_rows);

static struct wave_row row_of(struct bw_debug *d, const struct bw_wave_info *w)
{
	const struct bw_wave_info *focus = bw_debug_focus(d);
	struct wave_row r = {.d = d, .w = *w, .is_focus = focus && focus->number == w->number};
	bw_wave_name(w, r.name, sizeof(r.name));
	bw_place_text(w->place, r.place);
	bw_reason_text(w->reasons, r.reason, sizeof(r.reason));
	bw_debug_wave_where(d, w, &r.where);
	return r;
}

/* Waves that are at the same place for the same reason. */
struct group {
	struct wave_row first;
	uint64_t n;
};
struct group_vec BW_VEC(struct group);

/* For people alone: JSON lists each wave. */
static const struct bw_fact group_rows[] = {
	{"Waves", NULL, "count", BW_OF(struct group, n)},
	{"First", NULL, "number", BW_OF(struct group, first.w.number)},
	{"Frame", NULL, "text", BW_GET(frame)},
	{"Stopped by", NULL, "text", BW_GET(stopped_by)},
};
static const struct bw_fact_table group_facts = {NULL, NULL, group_rows, BW_ARRAY_SIZE(group_rows)};

static bool is_alike(const struct bw_wave_info *a, const struct bw_wave_info *b)
{
	return a->pc == b->pc && a->space == b->space && a->reasons == b->reasons &&
	       a->breakpoint == b->breakpoint;
}

static void show_groups(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *waves,
			size_t n)
{
	struct group_vec groups = {0};
	for (size_t i = 0; i < n; i++) {
		struct group *found = NULL;
		bw_vec_each(&groups, g)
			if (!found && is_alike(&g->first.w, &waves[i]))
				found = g;
		if (found)
			found->n++;
		else
			bw_error_free(
				bw_vec_push(&groups, ((struct group){row_of(d, &waves[i]), 1})));
	}
	bw_out_facts(o, &group_facts, groups.data, groups.len, "");
	bw_vec_free(&groups);
	bw_out_line(
		o,
		"%zu waves have stopped. \"info waves all\" lists each; \"info waves count\" counts all.",
		n);
}

void bw_show_waves(struct bw_out *o, struct bw_debug *d, bool all)
{
	enum { SCREENFUL = 32 };
	size_t n = 0, n_inferiors;
	const struct bw_wave_info *waves = bw_debug_waves(d, &n);
	if (n > SCREENFUL && !all && !bw_out_is_json(o)) {
		show_groups(o, d, waves, n);
		return;
	}
	struct bw_table t;
	bw_table_begin(&t, &wave_facts);
	bw_debug_inferiors(d, &n_inferiors);
	if (n_inferiors < 2)
		bw_table_hide(&t, "inferior");
	for (size_t i = 0; i < n; i++) {
		struct wave_row r = row_of(d, &waves[i]);
		bw_table_row(&t, &r);
	}
	bw_out_table(o, &t,
		     bw_debug_state(d) == BW_DEBUG_NO_PROGRAM
			     ? "No program runs; \"run\" starts it."
			     : "No wave has stopped.");
	bw_table_fini(&t);
}

static const struct bw_fact inferior_rows[] = {
	{"", NULL, "bool", BW_OF(struct bw_inferior_info, is_current), .yes = "*"},
	{"Num", "inferior", "number", BW_OF(struct bw_inferior_info, number)},
	{"Process", "pid", "number", BW_OF(struct bw_inferior_info, pid)},
	{"Program", "program", "text", BW_OF(struct bw_inferior_info, comm)},
	{"Address spaces", "spaces", "count", BW_OF(struct bw_inferior_info, n_spaces)},
	{"Waves stopped", "waves", "count", BW_OF(struct bw_inferior_info, n_waves)},
	{NULL, "current", "bool", BW_OF(struct bw_inferior_info, is_current)},
};
BW_FACTS(inferior_facts, "info inferiors", "inferiors", inferior_rows);

void bw_show_inferiors(struct bw_out *o, struct bw_debug *d)
{
	size_t n = 0;
	const struct bw_inferior_info *all = bw_debug_inferiors(d, &n);
	bw_out_facts(o, &inferior_facts, all, n, "No program uses the GPU.");
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

struct count_row {
	struct bw_dispatch_info dispatch;
	struct bw_wave_count c;
};

static const struct bw_fact count_rows[] = {
	{"Dispatch", "dispatch", "number", BW_OF(struct count_row, dispatch.number)},
	{"Kernel", "kernel", "text", BW_OF(struct count_row, dispatch.kernel_title)},
	{"Total", "total", "count?", BW_OF(struct count_row, c.total),
	 BW_IF(struct count_row, c.known)},
	{"Stopped", "stopped", "count", BW_OF(struct count_row, c.stopped)},
	{"Running", "running", "count", BW_OF(struct count_row, c.running)},
	{"Waiting", "waiting", "count?", BW_OF(struct count_row, c.waiting),
	 BW_IF(struct count_row, c.known)},
	{"Finished", "finished", "count?", BW_OF(struct count_row, c.finished),
	 BW_IF(struct count_row, c.known)},
};
BW_FACTS(count_facts, "info waves count", "dispatches", count_rows);

struct bw_error *bw_show_wave_count(struct bw_out *o, struct bw_debug *d)
{
	size_t n = 0;
	const struct bw_dispatch_info *dispatches = bw_debug_dispatches(d, &n);
	struct bw_error *err = NULL;
	struct bw_table t;
	bw_table_begin(&t, &count_facts);
	for (size_t i = 0; i < n && !err; i++) {
		struct count_row r = {.dispatch = dispatches[i]};
		err = bw_debug_count_waves(d, dispatches[i].number, &r.c);
		bw_table_row(&t, &r);
	}
	if (!err)
		bw_out_table(o, &t, no_dispatches(d));
	bw_table_fini(&t);
	return err;
}

void bw_show_wave(struct bw_out *o, struct bw_debug *d, const struct bw_wave_info *w)
{
	char name[96], place[32], reasons[160];
	bw_wave_name(w, name, sizeof(name));
	bw_place_text(w->place, place);
	bw_reason_text(w->reasons, reasons, sizeof(reasons));
	struct bw_str lanes = {0}, frame = {0};
	bw_print_lanes(&lanes, w->exec);
	bw_show_frame(d, w, false, &frame);
	struct bw_str items = {0}, inactive = {0};
	uint64_t all = w->lanes == 64 ? ~0ull : (1ull << w->lanes) - 1;
	bw_show_items(d, w, all, &items);
	if (all & ~w->exec)
		bw_print_lanes(&inactive, all & ~w->exec);
	bw_out_line(o, "Thread %u, %s", w->number, name);
	bool placed = w->wave_in_group != BW_GROUP_UNKNOWN && !w->draw;
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, w->dispatch);
	const char *shader = NULL;
	enum bw_target_stage stage = w->stage;
	if (w->draw && x)
		stage = bw_debug_draw_stage_at(d, x, w->pc, &shader);
	if (w->draw)
		bw_out_line(o, "  draw       %u, %s shader %s", w->draw, bw_stage_words(stage),
			    x && x->pipeline ? shader : "of the driver's own");
	else if (placed)
		bw_out_line(o, "  workgroup  (%u,%u,%u) of dispatch %u, wave %u of it",
			    w->workgroup[0], w->workgroup[1], w->workgroup[2], w->dispatch,
			    w->wave_in_group);
	else
		bw_out_line(o, "  workgroup  not known, of dispatch %u", w->dispatch);
	if (items.len)
		bw_out_line(o, w->draw ? "  lanes are  %s" : "  work-items %s", items.data);
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
	if (w->draw) {
		bw_out_int(o, "draw", w->draw);
		bw_out_str(o, "stage", bw_stage_words(stage));
	}
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

struct dispatch_row {
	struct bw_dispatch_info x;
	const char *state;
};

static void groups(struct bw_table *t, const void *of)
{
	bw_table_dims(t, ((const struct dispatch_row *)of)->x.desc.groups);
}

static void group_size(struct bw_table *t, const void *of)
{
	bw_table_dims(t, ((const struct dispatch_row *)of)->x.desc.group_size);
}

static const struct bw_fact dispatch_rows[] = {
	{"Id", "dispatch", "number", BW_OF(struct dispatch_row, x.number)},
	{"Queue", "queue", "count", BW_OF(struct dispatch_row, x.queue)},
	{"Groups", NULL, "dims", BW_GET(groups)},
	{"Workgroup", NULL, "dims", BW_GET(group_size)},
	{"State", "state", "dispatch-state", BW_OF(struct dispatch_row, state)},
	{"Kernel Function", "kernel_title", "text", BW_OF(struct dispatch_row, x.kernel_title),
	 .says = "As the source has it: of C++, demangled."},
	{NULL, "groups", "dims?", BW_GET(groups)},
	{NULL, "workgroup", "dims", BW_GET(group_size)},
	{NULL, "kernel", "text", BW_OF(struct dispatch_row, x.kernel_name)},
	{"Label", "label", "text?", BW_OF(struct dispatch_row, x.label)},
};
BW_FACTS(dispatch_facts, "info dispatches", "dispatches", dispatch_rows);

void bw_show_dispatches(struct bw_out *o, struct bw_debug *d)
{
	size_t n = 0;
	bool has_labels = false;
	const struct bw_dispatch_info *list = bw_debug_dispatches(d, &n);
	for (size_t i = 0; i < n; i++)
		has_labels |= list[i].label[0] != '\0';
	struct bw_table t;
	bw_table_begin(&t, &dispatch_facts);
	if (!has_labels)
		bw_table_hide(&t, "label");
	for (size_t i = 0; i < n; i++) {
		struct dispatch_row r = {list[i], bw_show_dispatch_state(d, &list[i])};
		bw_table_row(&t, &r);
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

struct arg_row {
	struct bw_debug *d;
	struct bw_kernel_arg arg;
	const struct bw_arg_info *info;
};

static void arg_offset(struct bw_table *t, const void *of)
{
	const struct arg_row *r = of;
	if (!r->arg.is_absent)
		bw_table_int(t, r->arg.offset_b);
}

static void arg_value(struct bw_table *t, const void *of)
{
	const struct arg_row *r = of;
	struct bw_str value = {0};
	bw_show_arg(r->d, r->info, r->info->value.type.kind == BW_TYPE_POINTER ? 'x' : 0, &value);
	bw_table_both(t, r->info->has_value ? bw_json_text(bw_str_text(&value)) : NULL, "%s",
		      bw_str_text(&value));
	bw_str_free(&value);
}

static const struct bw_fact arg_rows[] = {
	{"Argument", "name", "text", BW_OF(struct arg_row, arg.name)},
	{"Type", "type", "text", BW_OF(struct arg_row, arg.type_name)},
	{"Offset", "offset", "count?", BW_GET(arg_offset)},
	{"Size", "size", "count", BW_OF(struct arg_row, arg.size_b)},
	{"Launch value", "launch_value", "text?", BW_GET(arg_value)},
};
BW_FACTS(arg_facts, "info kernel", "arguments", arg_rows);

static struct bw_error *show_args(struct bw_out *o, struct bw_debug *d,
				  const struct bw_dispatch_info *info)
{
	struct bw_arg_info *args = NULL;
	size_t n = 0;
	BW_TRY(bw_debug_args(d, info->number, &args, &n));
	struct bw_table t;
	bw_table_begin(&t, &arg_facts);
	for (size_t i = 0; i < n; i++) {
		struct arg_row r = {d, *args[i].arg, &args[i]};
		bw_table_row(&t, &r);
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
