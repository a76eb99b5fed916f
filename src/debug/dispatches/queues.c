// SPDX-License-Identifier: MIT
/* Where the programs' AQL queues stand: read from the rings, as the command processor does it. */
#include "debug/queues.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "debug/dispatches/dispatches_priv.h"
#include "debug/code.h"
#include "debug/programs_priv.h"
#include "debug/waves.h"

static bool read_memory(void *cookie, uint64_t va, void *out, size_t size_b)
{
	struct bw_debug *d = cookie;
	struct bw_error *err = bw_target_read(d->target, va, out, size_b);
	bw_error_free(err);
	return !err;
}

static struct bw_aql_memory memory_of(struct bw_debug *d)
{
	return (struct bw_aql_memory){read_memory, d};
}

/* The dispatch of a packet that is not complete: the newest, as the ring uses slots again. */
static uint32_t dispatch_of(struct bw_debug *d, uint32_t space, uint64_t packet_va)
{
	uint32_t found = 0;
	bw_vec_each(&d->dispatches->all, x)
		if (x->info.space == space && x->info.desc.packet_va == packet_va &&
		    x->info.state < BW_DISPATCH_DONE)
			found = x->info.number;
	return found;
}

static void read_queue(struct bw_debug *d, struct bw_queue_info *out)
{
	const struct bw_target_queue *q = &out->queue;
	const struct bw_aql_ring ring = {q->ring_va, q->read_va, q->write_va, q->n_slots};
	const struct bw_aql_memory m = memory_of(d);
	BW_IN_SPACE(d, q->space);
	bw_aql_look(&ring, &m, &out->state);
	if (out->state.has_first && out->state.first.type == BW_AQL_DISPATCH)
		out->dispatch = dispatch_of(d, q->space, out->state.first_va);
}

static int by_number(const void *pa, const void *pb)
{
	const struct bw_queue_info *a = pa, *b = pb;
	return a->queue.number < b->queue.number ? -1 : a->queue.number > b->queue.number;
}

struct bw_error *bw_debug_queues(struct bw_debug *d, struct bw_queue_info **out, size_t *out_n)
{
	_cleanup_free_ struct bw_target_queue *all = NULL;
	size_t n;
	BW_TRY(bw_debug_need_target(d));
	BW_TRY(bw_target_queues(d->target, &all, &n));
	struct bw_queue_info *list = calloc(n ? n : 1, sizeof(*list));
	if (!list)
		return bw_error_nomem();
	for (size_t i = 0; i < n; i++) {
		list[i].queue = all[i];
		read_queue(d, &list[i]);
	}
	qsort(list, n, sizeof(*list), by_number);
	*out = list;
	*out_n = n;
	return NULL;
}

/* ---- in words ---- */

static bool is_held(const struct bw_queue_info *q)
{
	return q->state.read >= q->queue.passed;
}

/* "dispatch 3 (weigh), which is running" */
static void add_dispatch(struct bw_debug *d, const struct bw_queue_info *q, struct bw_str *out)
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, q->dispatch);
	if (x)
		bw_str_addf(out, "dispatch %u (%s)%s", x->number, x->kernel_title,
			    is_held(q)		     ? ", which is held"
			    : q->state.wants_scratch ? ", which waits for scratch"
						     : ", which is running");
	else
		bw_str_addf(out, "a kernel dispatch%s", is_held(q) ? ", which is held" : "");
}

void bw_debug_queue_stands(struct bw_debug *d, const struct bw_queue_info *q, struct bw_str *out)
{
	const struct bw_aql_state *s = &q->state;
	const struct bw_aql_memory m = memory_of(d);
	BW_IN_SPACE(d, q->queue.space);
	const char *none = bw_aql_no_packet_text(s);
	if (none)
		bw_str_add(out, none);
	else if (s->first.type == BW_AQL_DISPATCH)
		add_dispatch(d, q, out);
	else
		bw_aql_packet_text(&s->first, &m, out);
}

bool bw_debug_waits_in_queue(struct bw_debug *d, const struct bw_dispatch_info *x,
			     struct bw_str *out)
{
	_cleanup_free_ struct bw_queue_info *all = NULL;
	size_t n = 0;
	bool waits = false;
	if (x->state != BW_DISPATCH_RUNNING || !x->desc.packet_va)
		return false;
	bw_error_free(bw_debug_queues(d, &all, &n));
	for (size_t i = 0; i < n && !waits; i++) {
		const struct bw_target_queue *q = &all[i].queue;
		const uint64_t ring_b = (uint64_t)q->n_slots * BW_AQL_PACKET_B;
		waits = q->number == x->queue && q->space == x->space && all[i].state.has_first &&
			all[i].state.first.type != BW_AQL_DISPATCH &&
			x->desc.packet_va - q->ring_va < ring_b;
		if (waits)
			bw_debug_queue_stands(d, &all[i], out);
	}
	return waits;
}

/* Where most of the stopped waves of a dispatch are. False: none is stopped. */
static bool add_place(struct bw_debug *d, uint32_t dispatch, struct bw_str *out)
{
	size_t n, best = 0;
	const struct bw_wave_info *w = bw_debug_waves(d, &n), *found = NULL;
	for (size_t i = 0; i < n; i++) {
		size_t same = 0;
		for (size_t k = 0; w[i].dispatch == dispatch && k < n; k++)
			same += w[k].dispatch == dispatch && w[k].pc == w[i].pc;
		if (same > best) {
			best = same;
			found = &w[i];
		}
		if (i > 256) /* enough to tell */
			break;
	}
	struct bw_where where;
	if (!found)
		return false;
	bw_debug_wave_where(d, found, &where);
	if (where.function)
		bw_str_addf(out, "%s+%" PRIu64, where.function, where.offset_b);
	else
		bw_str_addf(out, "0x%" PRIx64, found->pc);
	if (where.has_line)
		bw_str_addf(out, " (%s:%u)", bw_base_name(where.line.file), where.line.line);
	return true;
}

/* How many waves of the dispatch have stopped by themselves. */
static uint64_t own_stops(struct bw_debug *d, uint32_t dispatch)
{
	size_t n;
	const struct bw_wave_info *w = bw_debug_waves(d, &n);
	uint64_t count = 0;
	for (size_t i = 0; i < n; i++)
		count += w[i].dispatch == dispatch && w[i].reasons & ~(uint32_t)BW_REASON_INTERRUPT;
	return count;
}

static void program_of(struct bw_debug *d, uint32_t space, char *out, size_t out_b, pid_t *out_pid)
{
	uint32_t number = bw_debug_inferior_of_space(d, space);
	snprintf(out, out_b, "the program");
	*out_pid = 0;
	bw_vec_each(&d->programs->all, one)
		if (one->number == number) {
			snprintf(out, out_b, "%s (process %d)", one->comm, (int)one->pid);
			*out_pid = one->pid;
		}
}

/* The queues of the same address space; returns which of them is meant. */
static size_t take_queues(const struct bw_queue_info *all, size_t n, size_t which,
			  struct bw_aql_one *out, size_t *out_n)
{
	size_t at = 0;
	*out_n = 0;
	for (size_t i = 0; i < n; i++) {
		struct bw_aql_one *one = &out[*out_n];
		if (all[i].queue.space != all[which].queue.space)
			continue;
		if (i == which)
			at = *out_n;
		one->state = all[i].state;
		snprintf(one->name, sizeof(one->name), "queue %u", all[i].queue.number);
		++*out_n;
	}
	return at;
}

void bw_debug_explain_queue(struct bw_debug *d, const struct bw_queue_info *all, size_t n,
			    size_t which, struct bw_str *out)
{
	const struct bw_queue_info *q = &all[which];
	_cleanup_free_ struct bw_aql_one *queues = calloc(n, sizeof(*queues));
	char program[48], name[160], for_program[96];
	struct bw_wave_count count = {0};
	struct bw_str where = {0};
	pid_t pid;
	if (!queues)
		return;
	BW_IN_SPACE(d, q->queue.space);
	program_of(d, q->queue.space, program, sizeof(program), &pid);
	snprintf(for_program, sizeof(for_program),
		 "\"shell gdb -p %d\" shows what the program's threads do", (int)pid);
	struct bw_aql_stand s = {.queues = queues,
				 .memory = memory_of(d),
				 .dispatch.is_held = is_held(q),
				 .program = program,
				 .for_waves =
					 "\"info waves\" and \"backtrace\" show where they are",
				 .for_program = pid ? for_program : NULL};
	s.which = take_queues(all, n, which, queues, &s.n);
	const struct bw_dispatch_info *x = bw_debug_dispatch(d, q->dispatch);
	if (x) {
		snprintf(name, sizeof(name), "dispatch %u (%s)", x->number, x->kernel_title);
		s.dispatch.name = name;
		bw_error_free(bw_debug_count_waves(d, x->number, &count));
		s.dispatch.are_waves_known = count.known;
		s.dispatch.n_waves = count.stopped + count.running;
		s.dispatch.n_stopped = own_stops(d, x->number);
		if (add_place(d, x->number, &where))
			s.dispatch.where = bw_str_text(&where);
	}
	bw_aql_explain(&s, out);
	bw_str_free(&where);
}
