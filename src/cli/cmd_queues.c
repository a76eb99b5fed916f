// SPDX-License-Identifier: MIT
/* info queues */
#include "cli/commands.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "debug/dispatches.h"
#include "debug/queues.h"
#include "ui/table.h"

struct queue_row {
	const struct bw_queue_info *info;
	uint32_t number, id, slots;
	uint64_t ring;
	struct bw_str stands;
};

static void read_cell(struct bw_table *t, const void *of)
{
	const struct queue_row *r = of;
	if (r->info->is_known)
		bw_table_int(t, (int64_t)r->info->read);
}

static void write_cell(struct bw_table *t, const void *of)
{
	const struct queue_row *r = of;
	if (r->info->is_known)
		bw_table_int(t, (int64_t)r->info->write);
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
};
BW_FACTS(queue_facts, "info queues", "queues", queue_rows);

/* "dispatch 3 (weigh), which is running" */
static void dispatch_text(struct bw_debug *d, const struct bw_queue_info *q, struct bw_str *out)
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, q->dispatch);
	bool is_held = q->read >= q->queue.passed;
	if (x)
		bw_str_addf(out, "dispatch %u (%s)%s", x->number, x->kernel_title,
			    is_held ? ", which is held" : ", which is running");
	else
		bw_str_addf(out, "a kernel dispatch%s", is_held ? ", which is held" : "");
}

static void signals_text(const struct bw_queue_info *q, struct bw_str *out)
{
	bw_str_addf(out, "%s", bw_aql_name(q->first.type));
	for (size_t i = 0; i < q->n_signals; i++) {
		const struct bw_queue_signal *s = &q->signals[i];
		bw_str_addf(out, "%s signal 0x%" PRIx64, i ? "," : ", which waits for", s->va);
		if (s->is_known)
			bw_str_addf(out, " (value %" PRId64 ")", s->value);
		else
			bw_str_addf(out, " (not readable)");
	}
}

static void stands_text(struct bw_debug *d, const struct bw_queue_info *q, struct bw_str *out)
{
	if (!q->is_known)
		bw_str_addf(out, "the indices cannot be read");
	else if (q->read >= q->write)
		bw_str_addf(out, "empty");
	else if (!q->has_first)
		bw_str_addf(out, "a packet that cannot be read");
	else if (q->first.type == BW_AQL_INVALID)
		bw_str_addf(out, "a packet that the program has not finished");
	else if (q->first.type == BW_AQL_DISPATCH)
		dispatch_text(d, q, out);
	else
		signals_text(q, out);
}

/* AQL queues: how far each has come, and what its first packet that is not complete waits for. */
struct bw_error *bw_info_queues(struct bw_cli *c, const char *args)
{
	_cleanup_free_ struct bw_queue_info *all = NULL;
	size_t n;
	struct bw_table t;
	BW_TRY(bw_debug_queues(c->debug, &all, &n));
	bw_table_begin(&t, &queue_facts);
	for (size_t i = 0; i < n; i++) {
		struct queue_row r = {.info = &all[i],
				      .number = all[i].queue.number,
				      .id = all[i].queue.id,
				      .slots = all[i].queue.n_slots,
				      .ring = all[i].queue.ring_va};
		stands_text(c->debug, &all[i], &r.stands);
		bw_table_row(&t, &r);
		bw_str_free(&r.stands);
	}
	bw_out_table(c->out, &t, "The program has no AQL queues.");
	bw_table_fini(&t);
	return NULL;
}
