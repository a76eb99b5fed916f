/* SPDX-License-Identifier: MIT */
/* Reports the markers when the program has ended. */
#include "inject/crumbs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/shown.h"
#include "base/str.h"
#include "base/util.h"
#include "capture/capture.h"
#include "pm4/aql.h"
#include "pm4/mark.h"
#include "pm4/pm4.h"

enum { LABEL_SEPARATOR = 0x1f /* agent_proto.h */, SHOWN_MAX = 16 };

/* ---- How far it has come ---- */

uint32_t bw_crumbs_work_before(const struct bw_crumbs_known *k, uint32_t number)
{
	for (uint32_t i = number; i-- > 1;)
		if (k->marks[i - 1].is_work)
			return i;
	return 0;
}

/* The agent is gone: what it has let the GPU begin, and has not seen the end of. */
static uint32_t under_way(const struct bw_crumbs_slot *s, const struct bw_crumbs_known *k)
{
	uint32_t begun = BW_MIN(s->begun, k->info.n_marks);
	for (uint32_t i = s->seen + 1; s->seen < begun && i <= begun; i++)
		if (k->marks[i - 1].is_work && i <= s->go)
			return i;
	/* its waves have ended, and the next marker was not reached */
	bool has_ended = begun && begun < k->info.n_marks && k->marks[begun - 1].is_work;
	return begun + (!begun || has_ended);
}

struct bw_crumbs_verdict bw_crumbs_judge(const struct bw_crumbs_slot *s,
					 const struct bw_crumbs_known *k)
{
	struct bw_crumbs_verdict v = {.how = BW_CRUMBS_UNKNOWN};
	/* the agent lets the GPU pass the end when it has seen no fault */
	bool is_through = k->marks[k->info.n_marks - 1].op == BW_PM4_MARK_END &&
			  s->ended == k->info.n_marks && !s->culprit;
	v.is_good = s->state == BW_CRUMBS_DONE || s->state == BW_CRUMBS_FREE ||
		    (s->state == BW_CRUMBS_RUNNING && is_through);
	if (v.is_good)
		return v;
	if (s->culprit && s->culprit <= k->info.n_marks) {
		v.first = s->culprit;
		v.how = s->how <= BW_CRUMBS_FAULT ? (enum bw_crumbs_how)s->how : BW_CRUMBS_UNKNOWN;
	} else if (s->state == BW_CRUMBS_RUNNING) {
		v.first = under_way(s, k);
	}
	v.last_work = v.first ? bw_crumbs_work_before(k, v.first) : 0;
	v.last_packet = v.first ? v.first - 1 : 0;
	return v;
}

/* ---- Showing it ---- */

const struct bw_crumbs_dispatch *bw_crumbs_dispatch_of(const struct bw_crumbs_known *k,
						       const struct bw_crumbs_mark *m)
{
	for (uint32_t i = 0; m->dispatch >= 0 && i < k->info.n_dispatches; i++)
		if (k->dispatches[i].number == (uint32_t)m->dispatch)
			return &k->dispatches[i];
	return NULL;
}

static void clean_label(const char *label, char *out, size_t room)
{
	snprintf(out, room, "%s", label);
	for (char *c = out; *c; c++)
		*c = *c == LABEL_SEPARATOR ? '/' : *c;
}

static bool is_aql(const struct bw_crumbs_known *k)
{
	return k->info.ip_type == BW_CRUMBS_AQL;
}

static void name_packet(const struct bw_crumbs_known *k, const struct bw_crumbs_mark *m, char *out,
			size_t room)
{
	char buf[16];
	if (m->op == BW_PM4_MARK_END)
		snprintf(out, room, "the end of the stream");
	else if (is_aql(k))
		snprintf(out, room, "%s", bw_aql_name(m->op));
	else
		snprintf(out, room, "%s%s", m->is_bad ? "no packet: " : "",
			 bw_pm4_name(m->op, buf));
}

void bw_crumbs_name(const struct bw_crumbs_known *k, uint32_t number, struct bw_str *out)
{
	const struct bw_crumbs_mark *m = &k->marks[number - 1];
	const struct bw_crumbs_dispatch *d = bw_crumbs_dispatch_of(k, m);
	char name[64], label[sizeof(d->label)];
	name_packet(k, m, name, sizeof(name));
	if (is_aql(k))
		bw_str_addf(out, "%s, slot %u of the queue at 0x%" PRIx64, name,
			    m->at_dw / BW_AQL_PACKET_DW, m->ib_va);
	else
		bw_str_addf(out, "marker %u, %s, dword %u of the IB at 0x%" PRIx64, number, name,
			    m->at_dw, m->ib_va);
	if (!d)
		return;
	clean_label(d->label, label, sizeof(label));
	if (!is_aql(k))
		bw_str_addf(out, ": %s %u", d->is_draw ? "draw" : "dispatch", d->number);
	if (d->is_draw) {
		bw_str_addf(out, ", vertex shader %s at 0x%" PRIx64, bw_shown(d->pipeline).text,
			    d->code_va);
		bw_str_addf(out, ", pixel shader %s at 0x%" PRIx64 "%s%s", bw_shown(d->pixel).text,
			    d->pixel_va, *label ? ", label " : "", bw_shown(label).text);
		return;
	}
	bw_str_addf(out, ", code 0x%" PRIx64, d->code_va);
	bw_str_addf(out, "%s%s%s%s",
		    !*d->pipeline ? ""
		    : is_aql(k)	  ? ", kernel "
				  : ", pipeline ",
		    bw_shown(d->pipeline).text, *label ? ", label " : "", bw_shown(label).text);
}

static void show_line(struct bw_out *o, const char *title, uint32_t number,
		      const struct bw_crumbs_known *k)
{
	struct bw_str s = {0};
	if (number)
		bw_crumbs_name(k, number, &s);
	bw_out_line(o, "  %s %s", title, number ? bw_str_text(&s) : "none");
	bw_str_free(&s);
}

static json_t *packet_json(uint32_t number, const struct bw_crumbs_known *k)
{
	const struct bw_crumbs_mark *m = number ? &k->marks[number - 1] : NULL;
	const struct bw_crumbs_dispatch *d = m ? bw_crumbs_dispatch_of(k, m) : NULL;
	char name[64], va[24], label[sizeof(d->label)];
	if (!m)
		return json_null();
	name_packet(k, m, name, sizeof(name));
	snprintf(va, sizeof(va), "0x%" PRIx64, m->ib_va);
	json_t *j =
		json_pack("{s:I, s:s, s:s, s:I, s:I}", "marker", (json_int_t)number, "packet", name,
			  "ib", va, "dword", (json_int_t)m->at_dw, "depth", (json_int_t)m->depth);
	if (j && d) {
		clean_label(d->label, label, sizeof(label));
		snprintf(va, sizeof(va), "0x%" PRIx64, d->code_va);
		json_object_set_new(j, "dispatch", json_integer(d->number));
		json_object_set_new(j, "code", json_string(va));
		json_object_set_new(j, "pipeline",
				    json_stringn_nocheck(d->pipeline, strlen(d->pipeline)));
		json_object_set_new(j, "label", json_stringn_nocheck(label, strlen(label)));
	}
	if (j && d && d->is_draw) {
		snprintf(va, sizeof(va), "0x%" PRIx64, d->pixel_va);
		json_object_set_new(j, "is_draw", json_true());
		json_object_set_new(j, "pixel_code", json_string(va));
		json_object_set_new(j, "pixel_shader",
				    json_stringn_nocheck(d->pixel, strlen(d->pixel)));
	}
	return j ? j : json_null();
}

/* The end of the stream in words. */
static void tell_how(const struct bw_crumbs_slot *s, const struct bw_crumbs_verdict *v, char *out,
		     size_t room)
{
	const struct bw_capture_result r = {.has_ended = 1,
					    .result = s->result,
					    .fault_va = s->fault_va,
					    .fault_status = s->fault_status};
	char end[160];
	if (s->state == BW_CRUMBS_FAILED)
		bw_capture_how(&r, end, sizeof(end));
	else if (s->fault_status)
		snprintf(end, sizeof(end), "had a page fault at 0x%" PRIx64 ", and did not end",
			 s->fault_va);
	else
		snprintf(end, sizeof(end), "did not end");
	if (v->how == BW_CRUMBS_STUCK)
		snprintf(out, room, "%s; nothing had changed for %u ms", end, s->stuck_ms);
	else
		snprintf(out, room, "%s", end);
}

struct bad {
	const struct bw_crumbs_process *p;
	const struct bw_crumbs_known *k;
	const struct bw_crumbs_slot *s;
	struct bw_crumbs_verdict v;
	/* of an AQL queue, whose packets are a stream each: that of the packet that ended last;
	 * NULL: none has, or it is not known any more */
	const struct bw_crumbs_known *before;
};
struct bads BW_VEC(struct bad);

static void ring_text(const struct bw_crumbs_known *k, bool with_word, char *out, size_t room)
{
	if (is_aql(k))
		snprintf(out, room, "AQL queue %u", k->info.ring);
	else
		snprintf(out, room, "%s %s%u", bw_capture_ip_name(k->info.ip_type),
			 with_word ? "ring " : "", k->info.ring);
}

/* The last work that has ended. */
static json_t *last_json(const struct bad *b)
{
	return b->before ? packet_json(1, b->before) : packet_json(b->v.last_work, b->k);
}

static json_t *bad_json(const struct bad *b)
{
	const struct bw_crumbs_stream *i = &b->k->info;
	char how[256], ring[32];
	tell_how(b->s, &b->v, how, sizeof(how));
	ring_text(b->k, false, ring, sizeof(ring));
	return json_pack(
		"{s:I, s:s, s:I, s:I, s:s, s:s, s:s, s:o, s:o, s:I, s:I}", "process",
		(json_int_t)b->p->hello.pid, "comm", b->p->hello.comm, "submission",
		(json_int_t)i->submission, "ib", (json_int_t)i->ib, "ring", ring, "how", how,
		"cause",
		b->v.how == BW_CRUMBS_FAULT   ? "fault"
		: b->v.how == BW_CRUMBS_STUCK ? "hang"
					      : "unknown",
		"last_ended", last_json(b), "first_not_ended", packet_json(b->v.first, b->k),
		"unseen", (json_int_t)i->n_unseen, "hits",
		(json_int_t)(b->v.first ? bw_crumbs_hits(b->p, i->stream, b->v.first) : 0));
}

static void show_bad(const struct bw_crumbs *c, const struct bad *b, struct bw_out *o)
{
	const struct bw_crumbs_stream *i = &b->k->info;
	char how[256], ring[32], ib[32] = "";
	tell_how(b->s, &b->v, how, sizeof(how));
	ring_text(b->k, true, ring, sizeof(ring));
	if (!is_aql(b->k))
		snprintf(ib, sizeof(ib), "IB %u on ", i->ib);
	bw_out_line(o, "Submission %u of %s (process %u), %s%s, %s.", i->submission,
		    bw_shown(b->p->hello.comm).text, b->p->hello.pid, ib, ring, how);
	if (!b->v.first) {
		bw_out_line(
			o,
			"  The driver ended it before its place was seen: all of its %u markers were written.",
			i->n_marks);
		return;
	}
	if (b->before)
		show_line(o, "last work that ended: ", 1, b->before);
	else
		show_line(o, "last work that ended: ", b->v.last_work, b->k);
	if (c->settings.every_packet && b->v.last_packet != b->v.last_work)
		show_line(o, "last packet before:   ", b->v.last_packet, b->k);
	show_line(o, "first that did not:   ", b->v.first, b->k);
	bw_out_line(o, "  to stop in front of it: --break %u:%u", b->v.first,
		    bw_crumbs_hits(b->p, i->stream, b->v.first));
	if (i->n_unseen)
		bw_out_line(o,
			    "  %u part%s of it %s no markers: IBs that the GPU may write, and "
			    "conditional packets.",
			    i->n_unseen, i->n_unseen == 1 ? "" : "s",
			    i->n_unseen == 1 ? "has" : "have");
}

/* Of the packets before one of an AQL queue, the last. */
static const struct bw_crumbs_known *packet_before(const struct bw_crumbs_area_known *a,
						   const struct bw_crumbs_known *k)
{
	const struct bw_crumbs_known *found = NULL;
	for (uint32_t i = 0; is_aql(k) && i < BW_CRUMBS_SLOTS; i++) {
		const struct bw_crumbs_known *o = &a->known[i];
		bool is_before = o->marks && is_aql(o) && o->info.ring == k->info.ring &&
				 o->info.stream < k->info.stream;
		if (is_before && (!found || found->info.stream < o->info.stream))
			found = o;
	}
	return found;
}

static struct bw_error *find_bads(const struct bw_crumbs *c, struct bads *out)
{
	bw_vec_each(&c->processes, p) {
		bw_vec_each(&(*p)->areas, a) {
			for (uint32_t i = 0; i < BW_CRUMBS_SLOTS; i++) {
				struct bad b = {.p = *p, .k = &a->known[i], .s = &a->last[i]};
				if (!b.k->marks || b.s->stream != b.k->info.stream)
					continue;
				b.v = bw_crumbs_judge(b.s, b.k);
				b.before = b.v.is_good ? NULL : packet_before(a, b.k);
				if (!b.v.is_good)
					BW_TRY(bw_vec_push(out, b));
			}
		}
	}
	return NULL;
}

/* Orders by submission; one that hangs comes before those that wait for it. */
static int compare_bads(const void *a, const void *b)
{
	const struct bad *x = a, *y = b;
	if (x->p != y->p)
		return x->p->hello.pid < y->p->hello.pid ? -1 : 1;
	return x->k->info.stream < y->k->info.stream ? -1 : x->k->info.stream > y->k->info.stream;
}

void bw_crumbs_show(const struct bw_crumbs *c, struct bw_out *o)
{
	struct bads bads = {0};
	uint32_t n_streams = 0, n_unmarked = 0, n_unseen = 0, n_processes = 0;
	const char *why = "";
	bw_vec_each(&c->processes, p) {
		n_processes += (*p)->greeted;
		n_streams += (*p)->n_streams;
		n_unmarked += (*p)->n_unmarked;
		n_unseen += (*p)->n_unseen;
		why = (*p)->n_unmarked ? (*p)->unmarked.why : why;
	}
	bw_error_free(find_bads(c, &bads));
	if (bads.len)
		qsort(bads.data, bads.len, sizeof(*bads.data), compare_bads);
	bw_out_begin(o, "event", "breadcrumbs");
	bw_out_line(o, "Breadcrumbs: %u command stream%s of %u process%s; %zu did not end well.",
		    n_streams, n_streams == 1 ? "" : "s", n_processes, n_processes == 1 ? "" : "es",
		    bads.len);
	if (n_unmarked)
		bw_out_line(o, "%u more had no markers: %s.", n_unmarked, why);
	json_t *list = json_array();
	for (size_t i = 0; i < bads.len; i++) {
		if (i < SHOWN_MAX)
			show_bad(c, &bads.data[i], o);
		json_array_append_new(list, bad_json(&bads.data[i]));
	}
	if (bads.len > SHOWN_MAX)
		bw_out_line(o, "... and %zu more.", bads.len - SHOWN_MAX);
	bw_out_str(o, "mode", c->settings.every_packet ? "packet" : "dispatch");
	bw_out_int(o, "streams", n_streams);
	bw_out_int(o, "processes", n_processes);
	bw_out_int(o, "unmarked", n_unmarked);
	bw_out_int(o, "unseen", n_unseen);
	bw_out_json(o, "bad", list);
	bw_out_end(o);
	bw_vec_free(&bads);
}
