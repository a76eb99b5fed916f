/* SPDX-License-Identifier: MIT */
#include "pm4/aql_look.h"

#include <inttypes.h>
#include <string.h>

#include "base/util.h"

/* ---- memory ---- */

static bool read_memory(const struct bw_aql_memory *m, uint64_t va, void *out, size_t size_b)
{
	return m->read(m->cookie, va, out, size_b);
}

bool bw_aql_packet_at(const struct bw_aql_ring *ring, uint64_t index, const struct bw_aql_memory *m,
		      struct bw_aql_packet *out, uint64_t *out_va)
{
	uint32_t dw[BW_AQL_PACKET_DW];
	if (!ring->n_slots)
		return false;
	uint64_t va = ring->va + index % ring->n_slots * BW_AQL_PACKET_B;
	if (!read_memory(m, va, dw, sizeof(dw)))
		return false;
	bw_aql_read(dw, out);
	if (out_va)
		*out_va = va;
	return true;
}

static struct bw_aql_signal read_signal(const struct bw_aql_memory *m, uint64_t va)
{
	struct bw_aql_signal s = {.va = va};
	s.is_known = va && read_memory(m, va + BW_AQL_SIGNAL_VALUE, &s.value, sizeof(s.value));
	return s;
}

static bool is_value_barrier(const struct bw_aql_packet *p)
{
	return p->type == BW_AQL_VENDOR && p->vendor == BW_AQL_VENDOR_BARRIER_VALUE;
}

static bool is_barrier(const struct bw_aql_packet *p)
{
	return p->type == BW_AQL_BARRIER_AND || p->type == BW_AQL_BARRIER_OR || is_value_barrier(p);
}

static size_t read_signals(const struct bw_aql_packet *p, const struct bw_aql_memory *m,
			   struct bw_aql_signal out[BW_AQL_N_BARRIER_SIGNALS])
{
	size_t n = 0;
	if (is_value_barrier(p)) {
		if (p->value.signal)
			out[n++] = read_signal(m, p->value.signal);
		return n;
	}
	for (size_t i = 0; is_barrier(p) && i < BW_AQL_N_BARRIER_SIGNALS; i++)
		if (p->barriers.signal[i])
			out[n++] = read_signal(m, p->barriers.signal[i]);
	return n;
}

/* Whether the queue has too little scratch for the dispatch at which it stands. */
static void look_for_scratch(const struct bw_aql_memory *m, struct bw_aql_state *out)
{
	uint32_t offset_b, object[BW_AQL_QUEUE_DW], descriptor[BW_AQL_DESCRIPTOR_DW];
	struct bw_aql_queue_object q;
	struct bw_aql_descriptor d;
	if (!read_memory(m, out->ring.read_va + BW_AQL_READ_ID_TO_OFFSET_B, &offset_b,
			 sizeof(offset_b)) ||
	    !read_memory(m, out->ring.read_va - offset_b, object, sizeof(object)) ||
	    !read_memory(m, out->first.dispatch.kernel_object, descriptor, sizeof(descriptor)))
		return;
	bw_aql_read_queue(object, &q);
	bw_aql_read_descriptor(descriptor, &d);
	const struct bw_aql_launch l = {.packet = &out->first, .descriptor = &d, .queue = &q};
	out->wants_scratch = bw_aql_wants_scratch(&l) != 0;
	out->scratch_b = q.wave64_lane_b * (d.properties & BW_AQL_WAVE32 ? 2 : 1);
	out->inactive = read_signal(m, q.inactive_signal);
}

void bw_aql_look(const struct bw_aql_ring *ring, const struct bw_aql_memory *m,
		 struct bw_aql_state *out)
{
	*out = (struct bw_aql_state){.ring = *ring};
	out->is_known = ring->n_slots &&
			read_memory(m, ring->read_va, &out->read, sizeof(out->read)) &&
			read_memory(m, ring->write_va, &out->write, sizeof(out->write));
	if (!out->is_known || out->read >= out->write)
		return;
	out->has_first = bw_aql_packet_at(ring, out->read, m, &out->first, &out->first_va);
	if (!out->has_first)
		return;
	out->n_signals = read_signals(&out->first, m, out->signals);
	if (out->first.type == BW_AQL_DISPATCH)
		look_for_scratch(m, out);
}

/* ---- barriers ---- */

/* Whether a signal lets the barrier go on. */
static bool holds(const struct bw_aql_packet *p, const struct bw_aql_signal *s)
{
	if (!s->is_known)
		return false;
	if (!is_value_barrier(p))
		return s->value == 0;
	return bw_aql_holds(p->value.condition, (int64_t)((uint64_t)s->value & p->value.mask),
			    p->value.value);
}

static void add_value(const struct bw_aql_signal *s, struct bw_str *out)
{
	bw_str_addf(out, "signal 0x%" PRIx64, s->va);
	if (s->is_known)
		bw_str_addf(out, " (value %" PRId64 ")", s->value);
	else
		bw_str_add(out, " (not readable)");
}

void bw_aql_packet_text(const struct bw_aql_packet *p, const struct bw_aql_memory *m,
			struct bw_str *out)
{
	struct bw_aql_signal signals[BW_AQL_N_BARRIER_SIGNALS];
	size_t n = read_signals(p, m, signals);
	bw_str_add(out, bw_aql_name(p->type));
	for (size_t i = 0; i < n; i++) {
		bw_str_add(out, i ? ", " : ", which waits for ");
		add_value(&signals[i], out);
	}
}

/* "is 0", "is at least 5" */
static void add_condition(const struct bw_aql_packet *p, struct bw_str *out)
{
	static const char *const words[] = {"is", "is not", "is less than", "is at least"};
	if (!is_value_barrier(p)) {
		bw_str_add(out, "is 0");
		return;
	}
	const char *word = p->value.condition < BW_ARRAY_SIZE(words) ? words[p->value.condition]
								     : "meets no known condition";
	bw_str_addf(out, "%s %" PRId64, word, p->value.value);
	if (p->value.mask != UINT64_MAX)
		bw_str_addf(out, " in the bits 0x%" PRIx64, p->value.mask);
}

/* ---- who could signal ---- */

enum { MAX_SEARCHED = 1024 }; /* packets of a queue */

struct found {
	unsigned n;	/* packets that decrement the signal */
	size_t queue;	/* of the first of them */
	uint64_t index; /* of that packet */
	uint8_t type;
};

static struct found find_in_queue(const struct bw_aql_stand *s, size_t queue, uint64_t signal)
{
	const struct bw_aql_state *q = &s->queues[queue].state;
	struct found f = {.queue = queue};
	struct bw_aql_packet p;
	uint64_t most = BW_MIN((uint64_t)q->ring.n_slots, (uint64_t)MAX_SEARCHED);
	for (uint64_t i = 0; q->is_known && i < most && q->read + i < q->write; i++) {
		if (!bw_aql_packet_at(&q->ring, q->read + i, &s->memory, &p, NULL))
			break;
		if (p.completion != signal || p.type == BW_AQL_INVALID)
			continue;
		if (!f.n++) {
			f.index = q->read + i;
			f.type = p.type;
		}
	}
	return f;
}

/* The packets of all queues that decrement a signal; the first one is in another queue than
 * `queue`, if there is one. */
static struct found find_signaller(const struct bw_aql_stand *s, size_t queue, uint64_t signal)
{
	struct found all = find_in_queue(s, queue, signal);
	bool is_other = false;
	for (size_t i = 0; i < s->n; i++) {
		if (i == queue)
			continue;
		struct found f = find_in_queue(s, i, signal);
		if (f.n && !is_other) {
			f.n += all.n;
			all = f;
			is_other = true;
		} else {
			all.n += f.n;
		}
	}
	return all;
}

/* The signal for which a queue waits at a barrier; NULL: it waits for none. */
static const struct bw_aql_signal *open_signal(const struct bw_aql_state *q)
{
	const struct bw_aql_signal *open = NULL;
	for (size_t i = 0; q->has_first && i < q->n_signals; i++) {
		bool is_open = !holds(&q->first, &q->signals[i]);
		if (!is_open && q->first.type == BW_AQL_BARRIER_OR)
			return NULL;
		if (is_open && !open)
			open = &q->signals[i];
	}
	return open;
}

/* Follows from another queue what it waits for. Ends each sentence. */
static void add_chain(const struct bw_aql_stand *s, size_t from, struct bw_str *out)
{
	size_t at = from;
	for (size_t steps = 0; steps < s->n; steps++) {
		const struct bw_aql_state *q = &s->queues[at].state;
		const struct bw_aql_signal *open = open_signal(q);
		if (!open) {
			bw_str_addf(out, " %c%s itself stands at packet %" PRIu64 ", a %s.",
				    s->queues[at].name[0] == 'q' ? 'Q' : s->queues[at].name[0],
				    s->queues[at].name + 1, q->read, bw_aql_name(q->first.type));
			return;
		}
		struct found f = find_signaller(s, at, open->va);
		bw_str_addf(out, " But %s stands at packet %" PRIu64 ", a %s that waits for ",
			    s->queues[at].name, q->read, bw_aql_name(q->first.type));
		add_value(open, out);
		if (!f.n) {
			bw_str_add(out, ", which no packet of the program's queues decrements.");
			return;
		}
		bw_str_addf(out, ", which packet %" PRIu64 " of %s would decrement", f.index,
			    f.queue == s->which ? "this queue" : s->queues[f.queue].name);
		if (f.queue == s->which || f.queue == at || f.queue == from) {
			bw_str_add(out,
				   ": they wait for each other in a circle, and none goes on.");
			return;
		}
		bw_str_add(out, ".");
		at = f.queue;
	}
}

/* Who could make the signal 0. */
static void add_signaller(const struct bw_aql_stand *s, const struct bw_aql_signal *signal,
			  struct bw_str *out)
{
	const struct bw_aql_state *q = &s->queues[s->which].state;
	struct found f = find_signaller(s, s->which, signal->va);
	if (signal->is_known && signal->value < 0 && !is_value_barrier(&q->first)) {
		bw_str_add(
			out,
			" The value is below 0: the signal was decremented too often, and no packet can make it 0.");
		return;
	}
	if (!f.n) {
		bw_str_addf(
			out,
			" No packet of the program's AQL queues decrements this signal, so that a thread of "
			"the program has to, or a kernel that is running, a copy, or another process.");
		return;
	}
	if (f.queue != s->which) {
		bw_str_addf(out, " Packet %" PRIu64 " of %s, a %s, decrements it.", f.index,
			    s->queues[f.queue].name, bw_aql_name(f.type));
		add_chain(s, f.queue, out);
	} else if (f.index == q->read) {
		bw_str_add(
			out,
			" That is the completion signal of this packet itself, which is decremented when "
			"the packet is complete: it waits for itself, and never ends.");
	} else {
		bw_str_addf(out,
			    " Packet %" PRIu64
			    " of this queue, a %s, would decrement it, but comes after the "
			    "barrier: the queue waits for itself, and never goes on.",
			    f.index, bw_aql_name(f.type));
	}
	if (signal->is_known && signal->value > (int64_t)f.n && !is_value_barrier(&q->first))
		bw_str_addf(out,
			    " The value is %" PRId64 ", and %u packet%s to come will decrement it.",
			    signal->value, f.n, f.n == 1 ? "" : "s");
}

/* ---- the paragraph ---- */

static void explain_barrier(const struct bw_aql_stand *s, struct bw_str *out)
{
	const struct bw_aql_state *q = &s->queues[s->which].state;
	const struct bw_aql_signal *open = open_signal(q);
	bool is_or = q->first.type == BW_AQL_BARRIER_OR;
	bw_str_addf(out, "a %s",
		    is_value_barrier(&q->first) ? "barrier on a value"
						: bw_aql_name(q->first.type));
	if (!open) {
		bw_str_add(out, " whose signals let it go on now.");
		return;
	}
	bw_str_add(out, " that waits until ");
	unsigned n = 0;
	for (size_t i = 0; i < q->n_signals; i++) {
		if (holds(&q->first, &q->signals[i]))
			continue;
		bw_str_add(out, n++ ? is_or ? " or " : " and " : "");
		add_value(&q->signals[i], out);
		bw_str_add(out, " ");
		add_condition(&q->first, out);
	}
	bw_str_add(out, ".");
	for (size_t i = 0; i < q->n_signals; i++) {
		if (holds(&q->first, &q->signals[i]))
			continue;
		if (n > 1)
			bw_str_addf(out, " Signal 0x%" PRIx64 ":", q->signals[i].va);
		add_signaller(s, &q->signals[i], out);
	}
	if (s->for_program)
		bw_str_addf(out, " Next: %s.", s->for_program);
}

static void add_waiters(const struct bw_aql_stand *s, uint64_t completion, struct bw_str *out)
{
	for (size_t i = 0; completion && i < s->n; i++)
		for (size_t k = 0; k < s->queues[i].state.n_signals; k++)
			if (s->queues[i].state.signals[k].va == completion) {
				bw_str_addf(out, " Packet %" PRIu64 " of %s waits for it.",
					    s->queues[i].state.read, s->queues[i].name);
				break;
			}
}

static void explain_scratch(const struct bw_aql_stand *s, const struct bw_aql_state *q,
			    struct bw_str *out)
{
	bw_str_addf(
		out,
		", which has not begun: it needs %u bytes of scratch for each lane, and the queue has %u.",
		q->first.dispatch.private_b, q->scratch_b);
	if (!q->inactive.va) {
		bw_str_add(
			out,
			" The queue has no signal by which the GPU could ask the program for more.");
	} else if (q->inactive.is_known && !q->inactive.value) {
		bw_str_add(out, " The GPU has yet to ask the program's runtime for more.");
		return;
	} else {
		bw_str_add(out, " The GPU has asked the program's runtime for more by ");
		add_value(&q->inactive, out);
		bw_str_add(out,
			   ", to which a thread of the runtime has to answer with 0, and has not.");
	}
	if (s->for_program)
		bw_str_addf(out, " Next: %s.", s->for_program);
}

static void explain_dispatch(const struct bw_aql_stand *s, struct bw_str *out)
{
	const struct bw_aql_state *q = &s->queues[s->which].state;
	const struct bw_aql_dispatch *d = &s->dispatch;
	if (d->name)
		bw_str_add(out, d->name);
	else
		bw_str_addf(out, "a dispatch of the kernel at 0x%" PRIx64,
			    q->first.dispatch.kernel_object);
	if (d->is_held) {
		bw_str_add(out, ", which the debugger holds: \"continue\" starts it.");
		return;
	}
	if (q->wants_scratch) {
		explain_scratch(s, q, out);
		return;
	}
	if (!d->are_waves_known)
		bw_str_add(out, ", which has not ended.");
	else if (!d->n_waves)
		bw_str_add(out, ", of which no wave is on the GPU.");
	else
		bw_str_addf(out, ", which is running: %" PRIu64 " of its waves %s on the GPU%s%s.",
			    d->n_waves, d->n_waves == 1 ? "is" : "are", d->where ? ", at " : "",
			    d->where ? d->where : "");
	if (q->first.completion) {
		struct bw_aql_signal done = read_signal(&s->memory, q->first.completion);
		bw_str_add(out, " When all of them have ended, the GPU decrements ");
		add_value(&done, out);
		bw_str_add(out, ".");
		add_waiters(s, q->first.completion, out);
	}
	if (d->n_stopped)
		bw_str_addf(out,
			    " %" PRIu64 " of them %s at a breakpoint, a fault or another stop of "
			    "%s own; \"continue\" resumes the waves.",
			    d->n_stopped, d->n_stopped == 1 ? "is" : "are",
			    d->n_stopped == 1 ? "its" : "their");
	else if (s->for_waves && (d->n_waves || !d->are_waves_known))
		bw_str_addf(out,
			    " If it does not end, its waves run in a loop that does not end, or "
			    "wait for something that does not come. Next: %s.",
			    s->for_waves);
}

void bw_aql_explain(const struct bw_aql_stand *s, struct bw_str *out)
{
	const struct bw_aql_one *one = &s->queues[s->which];
	const struct bw_aql_state *q = &one->state;
	if (!q->is_known || q->read >= q->write)
		return;
	uint64_t n = q->write - q->read;
	bw_str_addf(out,
		    "%c%s of %s has %" PRIu64
		    " packet%s not complete, and stands at packet %" PRIu64 ": ",
		    one->name[0] == 'q' ? 'Q' : one->name[0], one->name + 1, s->program, n,
		    n == 1 ? " that is" : "s that are", q->read);
	if (!q->has_first) {
		bw_str_add(out, "it cannot be read.");
	} else if (is_barrier(&q->first)) {
		explain_barrier(s, out);
	} else if (q->first.type == BW_AQL_DISPATCH) {
		explain_dispatch(s, out);
	} else if (q->first.type == BW_AQL_INVALID) {
		bw_str_add(
			out,
			"a thread of the program has reserved it, and has not written its header yet.");
		if (s->for_program)
			bw_str_addf(out, " Next: %s.", s->for_program);
	} else if (q->first.type == BW_AQL_VENDOR && q->first.vendor == BW_AQL_VENDOR_PM4_IB) {
		bw_str_add(out, "a vendor packet with PM4 commands, which have not ended.");
	} else {
		bw_str_addf(out, "a packet of type %u (%s), which no GPU executes.", q->first.type,
			    bw_aql_name(q->first.type));
	}
}

const char *bw_aql_no_packet_text(const struct bw_aql_state *s)
{
	if (!s->is_known)
		return "the indices cannot be read";
	if (s->read >= s->write)
		return "empty";
	if (!s->has_first)
		return "a packet that cannot be read";
	return s->first.type == BW_AQL_INVALID ? "a packet that the program has not finished"
					       : NULL;
}
