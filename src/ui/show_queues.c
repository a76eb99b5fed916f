/* SPDX-License-Identifier: MIT */
/* AQL queues: where each stands, and why. */
#include "debug/queues.h"

#include <stdlib.h>

#include "ui/show.h"

struct queue_row {
	const struct bw_queue_info *info;
	uint32_t number, id, slots;
	uint64_t ring;
	struct bw_str stands, why;
};

static void read_cell(struct bw_table *t, const void *of)
{
	const struct queue_row *r = of;
	if (r->info->state.is_known)
		bw_table_int(t, (int64_t)r->info->state.read);
}

static void write_cell(struct bw_table *t, const void *of)
{
	const struct queue_row *r = of;
	if (r->info->state.is_known)
		bw_table_int(t, (int64_t)r->info->state.write);
}

static const struct bw_fact queue_rows[] = {
	{"Id", "id", "number", BW_OF(struct queue_row, number)},
	{"QID", "queue_id", "count", BW_OF(struct queue_row, id)},
	{"Slots", "slots", "count", BW_OF(struct queue_row, slots)},
	{"Read", "read", "count?", "packets before it are complete", BW_GET(read_cell)},
	{"Write", "write", "count?", "the program has reserved the packets before it",
	 BW_GET(write_cell)},
	{"Ring", "ring", "hex", BW_OF(struct queue_row, ring), .digits = 12},
	{"Stands at", "stands_at", "text", BW_OF(struct queue_row, stands)},
	{NULL, "why", "text?", "why it does not go on, and what to look at next",
	 BW_OF(struct queue_row, why)},
};
BW_FACTS(queue_facts, "info queues", "queues", queue_rows);

struct bw_error *bw_show_queues(struct bw_out *o, struct bw_debug *d)
{
	_cleanup_free_ struct bw_queue_info *all = NULL;
	struct bw_str whys = {0};
	size_t n;
	struct bw_table t;
	BW_TRY(bw_debug_queues(d, &all, &n));
	bw_table_begin(&t, &queue_facts);
	for (size_t i = 0; i < n; i++) {
		struct queue_row r = {.info = &all[i],
				      .number = all[i].queue.number,
				      .id = all[i].queue.id,
				      .slots = all[i].queue.n_slots,
				      .ring = all[i].queue.ring_va};
		bw_debug_queue_stands(d, &all[i], &r.stands);
		bw_debug_explain_queue(d, all, n, i, &r.why);
		bw_table_row(&t, &r);
		if (r.why.len)
			bw_str_addf(&whys, "%s\n", bw_str_text(&r.why));
		bw_str_free(&r.stands);
		bw_str_free(&r.why);
	}
	bw_out_table(o, &t, "The program has no AQL queues.");
	bw_out_text(o, bw_str_text(&whys));
	bw_str_free(&whys);
	bw_table_fini(&t);
	return NULL;
}

void bw_show_standing_queues(struct bw_out *o, struct bw_debug *d)
{
	_cleanup_free_ struct bw_queue_info *all = NULL;
	size_t n = 0;
	/* a target that has no queues, or a program that is just ending */
	struct bw_error *err = bw_debug_queues(d, &all, &n);
	bw_error_free(err);
	json_t *list = json_array();
	for (size_t i = 0; !err && i < n; i++) {
		struct bw_str why = {0};
		bw_debug_explain_queue(d, all, n, i, &why);
		if (why.len) {
			bw_out_line(o, "%s", bw_str_text(&why));
			json_array_append_new(list, bw_json_text(bw_str_text(&why)));
		}
		bw_str_free(&why);
	}
	if (json_array_size(list))
		bw_out_json(o, "queues", list);
	else
		json_decref(list);
}
