/* SPDX-License-Identifier: MIT */
#include "replay/show.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/shown.h"
#include "base/str.h"

static void bytes_text(const uint8_t *bytes, unsigned n, char *out, size_t room)
{
	*out = '\0';
	for (unsigned i = 0, at = 0; i < n && at < room; i++)
		at += (unsigned)snprintf(out + at, room - at, "%s%02x", i ? " " : "", bytes[i]);
}

static void show_bytes(struct bw_out *o, const char *title, const uint8_t *bytes, unsigned n)
{
	char text[3 * 16 + 1];
	bytes_text(bytes, n, text, sizeof(text));
	bw_out_line(o, "  %-9s %s", title, text);
}

static void put_bytes(struct bw_out *o, const char *key, const uint8_t *bytes, unsigned n)
{
	char text[3 * 16 + 1];
	bytes_text(bytes, n, text, sizeof(text));
	bw_out_str(o, key, text);
}

struct bw_replay_work bw_replay_work(uint32_t n_dispatches, uint32_t n_draws)
{
	struct bw_replay_work w = {""};
	if (n_draws)
		snprintf(w.text, sizeof(w.text), "%u dispatch%s and %u draw%s", n_dispatches,
			 n_dispatches == 1 ? "" : "es", n_draws, n_draws == 1 ? "" : "s");
	else
		snprintf(w.text, sizeof(w.text), "%u dispatch%s", n_dispatches,
			 n_dispatches == 1 ? "" : "es");
	return w;
}

void bw_replay_show_damage(struct bw_out *o, const struct bw_replay_report *r, uint64_t skipped_b)
{
	if (skipped_b)
		bw_out_line(o,
			    "The capture is damaged: %" PRIu64
			    " bytes of it were skipped; what they say of memory is missing.",
			    skipped_b);
	if (r->n_lost_records)
		bw_out_line(o,
			    "The capture is damaged: %u record%s left out, and memory after it can "
			    "differ for that reason.",
			    r->n_lost_records, r->n_lost_records == 1 ? " was" : "s were");
	if (r->n_lost)
		bw_out_line(o, "%u page%s of memory %s missing: the capture is damaged.", r->n_lost,
			    r->n_lost == 1 ? "" : "s", r->n_lost == 1 ? "is" : "are");
	bw_out_int(o, "lost_pages", r->n_lost);
	bw_out_int(o, "lost_records", r->n_lost_records);
	bw_out_int(o, "damaged_bytes", (int64_t)skipped_b);
}

void bw_replay_show_difference(struct bw_out *o, const struct bw_replay_difference *d)
{
	char va[32] = "";
	if (d->va)
		snprintf(va, sizeof(va), " (address 0x%" PRIx64 ")", d->va);
	bw_out_line(o,
		    "Submission %u (%s) differs first in buffer %" PRIu64 " at byte 0x%" PRIx64
		    "%s; %" PRIu64 " page%s of %" PRIu64 " buffer%s differ%s:",
		    d->number, bw_replay_work(d->n_dispatches, d->n_draws).text, d->buffer,
		    d->offset_b, va, d->n_pages, d->n_pages == 1 ? "" : "s", d->n_buffers,
		    d->n_buffers == 1 ? "" : "s", d->n_pages == 1 ? "s" : "");
	bw_out_int(o, "differs_after", d->number);
	bw_out_int(o, "buffer", (int64_t)d->buffer);
	bw_out_hex(o, "offset", d->offset_b);
	if (d->va)
		bw_out_hex(o, "va", d->va);
	bw_out_int(o, "pages", (int64_t)d->n_pages);
	bw_out_int(o, "buffers", (int64_t)d->n_buffers);
	show_bytes(o, "captured", d->captured, d->n_bytes);
	show_bytes(o, "replayed", d->replayed, d->n_bytes);
	put_bytes(o, "captured", d->captured, d->n_bytes);
	put_bytes(o, "replayed", d->replayed, d->n_bytes);
}

static void show_packet(struct bw_out *o, const struct bw_replay_blame *b)
{
	char name[32], dispatch[48] = "";
	const char *what = bw_pm4_step_name(&b->step, name);
	if (b->is_dispatch)
		snprintf(dispatch, sizeof(dispatch), "%s %u, ", b->is_draw ? "draw" : "dispatch",
			 b->dispatch);
	bw_out_line(o,
		    "The first to leave bytes that differ in the end is its %spacket %u of 0 to %u "
		    "(%s at 0x%" PRIx64 ")%s%s%s%s.",
		    dispatch, b->packet, b->n_packets ? b->n_packets - 1 : 0, what, b->step.va,
		    *b->pipeline ? ", pipeline " : "", bw_shown(b->pipeline).text,
		    *b->label ? ", label " : "", bw_shown(b->label).text);
	bw_out_line(o,
		    "It leaves %" PRIu64 " of the %" PRIu64 " byte%s that differ%s, the first in "
		    "buffer %" PRIu64 " at byte 0x%" PRIx64 ":",
		    b->n_written_b, b->n_differ_b, b->n_differ_b == 1 ? "" : "s",
		    b->n_differ_b == 1 ? "s" : "", b->buffer, b->offset_b);
	show_bytes(o, "before", b->before, b->n_bytes);
	show_bytes(o, "captured", b->captured, b->n_bytes);
	show_bytes(o, "replayed", b->replayed, b->n_bytes);
	if (b->is_unsteady)
		bw_out_line(o, "Each run of it leaves other bytes: the packet is the first that "
			       "changes one of them.");
	if (b->n_missing_b)
		bw_out_line(o,
			    "%" PRIu64 " of them are not written by the replay at all: there they "
			    "are as before the submission.",
			    b->n_missing_b);
}

static void put_packet(struct bw_out *o, const struct bw_replay_blame *b)
{
	char name[32];
	json_t *j = json_object();
	char va[24];
	if (b->is_dispatch)
		json_object_set_new(j, "dispatch", json_integer(b->dispatch));
	if (b->is_draw)
		json_object_set_new(j, "is_draw", json_true());
	json_object_set_new(j, "number", json_integer(b->packet));
	json_object_set_new(j, "of", json_integer(b->n_packets));
	json_object_set_new(j, "name", json_string(bw_pm4_step_name(&b->step, name)));
	snprintf(va, sizeof(va), "0x%" PRIx64, b->step.va);
	json_object_set_new(j, "va", json_string(va));
	json_object_set_new(j, "pipeline", json_string(b->pipeline));
	json_object_set_new(j, "label", json_string(b->label));
	json_object_set_new(j, "buffer", json_integer((json_int_t)b->buffer));
	snprintf(va, sizeof(va), "0x%" PRIx64, b->offset_b);
	json_object_set_new(j, "offset", json_string(va));
	json_object_set_new(j, "written_bytes", json_integer((json_int_t)b->n_written_b));
	bw_out_json(o, "by_packet", j);
}

void bw_replay_show_blame(struct bw_out *o, const struct bw_replay_blame *b)
{
	static const char *const kinds[] = {"", "packet", "not written", "not alone", "unknown"};
	if (b->kind == BW_REPLAY_BLAME_NONE)
		return;
	bw_out_str(o, "by", kinds[b->kind]);
	bw_out_int(o, "differing_bytes", (int64_t)b->n_differ_b);
	bw_out_int(o, "unwritten_bytes", (int64_t)b->n_missing_b);
	if (b->kind == BW_REPLAY_BLAME_PACKET) {
		show_packet(o, b);
		put_packet(o, b);
	} else if (b->kind == BW_REPLAY_BLAME_NOT_WRITTEN) {
		bw_out_line(o,
			    "The replay writes none of the %" PRIu64
			    " bytes that differ: there they are as before the submission. What has "
			    "written them in the capture is not known.",
			    b->n_differ_b);
	} else if (b->kind == BW_REPLAY_BLAME_NOT_ALONE) {
		bw_out_line(
			o,
			"Run alone, with the memory that the capture has before it, the submission leaves what the capture has: it needs the submissions before it, or its result is not the same each time.");
	} else {
		bw_out_line(o, "Which of its packets causes that is not known: %s.", b->why);
	}
	if (b->is_cut)
		bw_out_line(o, "Only the first %d pages that differ were looked at.",
			    BW_REPLAY_BLAME_PAGES_MAX);
}
