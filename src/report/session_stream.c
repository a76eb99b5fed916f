/* SPDX-License-Identifier: MIT */
/* The page of a session: the command stream, with the dispatch that has stopped marked. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "base/cleanup.h"
#include "base/util.h"
#include "report/report_priv.h"
#include "target/call.h"
#include "ui/show.h"

enum { BEFORE_DW = 4096, AFTER_DW = 4096 };

struct stream {
	struct bw_report_session *s;
	uint64_t va; /* of words[0] */
	uint32_t *words;
	size_t n;
	size_t stop;	      /* the packet that is marked */
	uint32_t first, last; /* dispatches of its submission, by number */
	char note[160];
};

/* The note beside the packet of a dispatch. */
static const char *note_of(void *cookie, size_t at)
{
	struct stream *x = cookie;
	for (uint32_t k = x->first; k <= x->last; k++) {
		const struct bw_dispatch_info *i = bw_debug_dispatch(x->s->debug, k);
		if (!i || !i->desc.packet_va || i->desc.packet_va != x->va + at * 4)
			continue;
		snprintf(x->note, sizeof(x->note), "dispatch %u of %.80s, %s", k, i->kernel_title,
			 bw_show_dispatch_state(x->s->debug, i));
		return x->note;
	}
	return NULL;
}

/* A submission's dispatches have numbers one after the other. */
static void find_submission(struct stream *x, const struct bw_dispatch_info *of)
{
	const struct bw_dispatch_info *i;
	struct bw_debug *d = x->s->debug;
	x->first = x->last = of->number;
	while ((i = bw_debug_dispatch(d, x->first - 1)) && i->submission == of->submission)
		x->first--;
	while ((i = bw_debug_dispatch(d, x->last + 1)) && i->submission == of->submission)
		x->last++;
}

/* Whether packets from `from` on lead to the one at `to`. */
static bool leads_to(const uint32_t *dw, size_t from, size_t to)
{
	struct bw_pm4_packet p;
	while (from < to && bw_pm4_at(dw, to, from, &p)) {
		if (!bw_pm4_is_known(&p))
			return false;
		from += p.size_dw;
	}
	return from == to;
}

/* The words of the mapping around va, as far as they can be read. */
static struct bw_error *read_around(struct stream *x, uint64_t va)
{
	_cleanup_free_ struct bw_target_map *maps = NULL;
	struct bw_target *t = bw_debug_target(x->s->debug);
	uint64_t from = va, to = va + 64;
	size_t n = 0;
	bw_error_free(bw_target_maps(t, &maps, &n));
	for (size_t i = 0; i < n; i++)
		if (va >= maps[i].va && va - maps[i].va < maps[i].size_b) {
			from = BW_MAX(maps[i].va, va - BW_MIN(va, (uint64_t)BEFORE_DW * 4));
			to = BW_MIN(maps[i].va + maps[i].size_b, va + AFTER_DW * 4);
		}
	x->n = (to - from) / 4;
	x->va = from;
	x->words = calloc(x->n, 4);
	if (!x->words)
		return bw_error_nomem();
	return bw_debug_read(x->s->debug, BW_SPACE_GLOBAL, from, x->words, x->n * 4);
}

/* The beginning of its stream is not known: takes the first place from which whole packets lead to
 * the packet. */
static void find_begin(struct stream *x, uint64_t va)
{
	size_t to = (va - x->va) / 4, from = 0;
	while (from < to && !leads_to(x->words, from, to))
		from++;
	x->va += from * 4;
	x->n -= from;
	for (size_t i = 0; i < x->n; i++)
		x->words[i] = x->words[i + from];
	x->stop = to - from;
}

/* After the last packet of the stream there is whatever the buffer had before. */
static void find_end(struct stream *x)
{
	struct bw_pm4_packet p;
	size_t at = x->stop;
	while (at < x->n && bw_pm4_at(x->words, x->n, at, &p) && bw_pm4_is_known(&p))
		at += p.size_dw;
	x->n = BW_MAX(at, x->stop + 1);
}

static void add_stream(struct bw_report_session *s, struct stream *x, const char *why, bool is_sdma)
{
	struct bw_pm4_names names;
	struct bw_error *err = bw_pm4_names_of(bw_debug_arch(s->debug)->first_gc, &names);
	if (err) {
		bw_page_note(s->page, "%s", err->message);
		bw_error_free(err);
		return;
	}
	const struct bw_report_packets p = {.names = &names,
					    .is_sdma = is_sdma,
					    .dw = x->words,
					    .n = x->n,
					    .mark = x->stop,
					    .why = why,
					    .note = note_of,
					    .cookie = x};
	bw_page_note(s->page, "From 0x%" PRIx64 " on. Places are counted in words from there.",
		     x->va);
	bw_report_packets(s->page, s->room, &p);
}

/* An IB that the queue could not execute: where it begins is known. */
static struct bw_error *add_queue_error(struct bw_report_session *s)
{
	const struct bw_target_queue_error *e = &s->report->stop->queue_error;
	struct stream x = {.s = s, .first = 1}; /* no dispatch is named */
	size_t n = BW_MIN(e->dword, (uint64_t)BEFORE_DW) + 16;
	uint64_t va = e->ib_va + e->dword * 4;
	_cleanup_free_ uint32_t *words = calloc(n, 4);
	if (!words)
		return bw_error_nomem();
	x.va = va - (n - 16) * 4;
	x.words = words;
	x.n = n;
	x.stop = n - 16;
	bw_page_section(s->page, "streams", "The command stream");
	struct bw_error *err = bw_debug_read(s->debug, BW_SPACE_GLOBAL, x.va, words, n * 4);
	if (err)
		bw_page_note(s->page, "It cannot be read: %s.", err->message);
	else
		add_stream(s, &x, "the queue could not execute this packet", e->is_sdma);
	bw_error_free(err);
	bw_page_section_end(s->page);
	return NULL;
}

struct bw_error *bw_report_session_stream(struct bw_report_session *s)
{
	const struct bw_dispatch_info *x = bw_debug_dispatch(s->debug, s->dispatch);
	const struct bw_stop *stop = s->report->stop;
	struct stream stream = {.s = s};
	if (stop && stop->kind == BW_STOP_QUEUE_ERROR && stop->queue_error.has_ib)
		return add_queue_error(s);
	if (!x || !x->desc.packet_va)
		return NULL;
	find_submission(&stream, x);
	bw_page_section(s->page, "streams", "The command stream");
	uint64_t va = x->desc.packet_va;
	bool is_held = x->state == BW_DISPATCH_HELD;
	struct bw_error *err = read_around(&stream, va);
	if (err) {
		bw_page_note(s->page, "It cannot be read: %s.", err->message);
	} else {
		find_begin(&stream, va);
		find_end(&stream);
		add_stream(s, &stream,
			   is_held ? "this dispatch is held: it has not begun"
				   : "the waves of this page are of this dispatch",
			   false);
	}
	bw_error_free(err);
	free(stream.words);
	bw_page_section_end(s->page);
	return NULL;
}
