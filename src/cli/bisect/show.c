/* SPDX-License-Identifier: MIT */
/* Shows the result of a bisection, as text and JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/shown.h"
#include "base/util.h"
#include "cli/bisect/show.h"

static const char *where_name(enum bw_bisect_where where)
{
	switch (where) {
	case BW_BISECT_DISPATCH:
		return "dispatch";
	case BW_BISECT_PACKET:
		return "packet";
	case BW_BISECT_NO_DISPATCH:
		return "packets";
	case BW_BISECT_BEFORE:
		return "before";
	case BW_BISECT_NOT_WRITTEN:
		return "not written";
	case BW_BISECT_OVERRIDE:
		return "override";
	case BW_BISECT_SUBMISSION:
		break;
	}
	return "submission";
}

static void show_unsure(struct bw_out *o, size_t last, size_t n_unsure, const char *what)
{
	if (n_unsure)
		bw_out_line(o,
			    "Or one of its %s %zu to %zu does it: with these the command could not "
			    "tell (125).",
			    what, last - n_unsure, last - 1);
	bw_out_int(o, "unsure", (int64_t)n_unsure);
}

/* "15 (of 0 to 17)": which of n, whose first is 0. */
struct one_of {
	char text[80];
};
static struct one_of one_of(size_t number, size_t n)
{
	struct one_of o;
	snprintf(o.text, sizeof(o.text), "%zu", number);
	if (n > 1)
		snprintf(o.text, sizeof(o.text), "%zu (of 0 to %zu)", number, n - 1);
	return o;
}

static void show_draw(struct bw_out *o, const struct bw_capture_submission *s,
		      const struct bw_bisect_found *f, const struct bw_capture_dispatch *d)
{
	const struct bw_capture_draw *draw = bw_capture_draw_of(s, d);
	const char *label = bw_capture_label(s, d);
	const char *vertex = bw_capture_shader_name(d->pipeline, d->file);
	const char *pixel = bw_capture_shader_name(draw->pipeline, draw->file);
	bw_out_line(o,
		    "Its draw %s does it: packet 0x%" PRIx64 ", vertex shader %s at 0x%" PRIx64
		    ", pixel shader %s at 0x%" PRIx64 "%s%s.",
		    one_of(f->dispatch, s->dispatches.len).text, d->packet_va,
		    bw_shown(vertex).text, d->code_va, bw_shown(pixel).text, draw->code_va,
		    *label ? ", label " : "", bw_shown(label).text);
	bw_out_int(o, "dispatch", (int64_t)f->dispatch);
	bw_out_hex(o, "packet", d->packet_va);
	bw_out_hex(o, "code", d->code_va);
	bw_out_hex(o, "pixel_code", draw->code_va);
	bw_out_str(o, "vertex_shader", vertex);
	bw_out_str(o, "pixel_shader", pixel);
	bw_out_str(o, "label", label);
	show_unsure(o, f->dispatch, f->n_unsure, bw_capture_work_name(s, 2));
}

static void show_dispatch(struct bw_out *o, const struct bw_capture_submission *s,
			  const struct bw_bisect_found *f)
{
	const struct bw_capture_dispatch *d = &s->dispatches.data[f->dispatch];
	const char *label = bw_capture_label(s, d);
	if (d->draw) {
		show_draw(o, s, f, d);
		return;
	}
	bw_out_line(o, "Its dispatch %s does it: packet 0x%" PRIx64 ", code 0x%" PRIx64 "%s%s%s%s.",
		    one_of(f->dispatch, s->dispatches.len).text, d->packet_va, d->code_va,
		    *d->pipeline ? ", pipeline " : "", bw_shown(d->pipeline).text,
		    *label ? ", label " : "", bw_shown(label).text);
	bw_out_int(o, "dispatch", (int64_t)f->dispatch);
	bw_out_hex(o, "packet", d->packet_va);
	bw_out_hex(o, "code", d->code_va);
	bw_out_str(o, "pipeline", d->pipeline);
	bw_out_str(o, "label", label);
	show_unsure(o, f->dispatch, f->n_unsure, bw_capture_work_name(s, 2));
}

/* Each line of the text, indented. */
static void show_lines(struct bw_out *o, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		bw_out_line(o, "  %.*s", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static struct bw_error *show_packet(struct bw_out *o, struct bw_capture_reader *r,
				    const struct bw_bisect_found *f)
{
	char buf[32], place[64] = "";
	const char *name = bw_pm4_step_name(&f->step, buf);
	struct bw_str text = {0};
	struct bw_error *err = bw_bisect_describe(r, f->number, &f->step, &text);
	snprintf(place, sizeof(place), "dword %" PRIu64 " of the stream at 0x%" PRIx64,
		 (f->step.va - f->step.stream_va) / 4, f->step.stream_va);
	if (!err && f->step.is_bad)
		bw_out_line(
			o, "Its packet %s does it: 0x%08x at 0x%" PRIx64 " (%s) is not a packet.",
			one_of(f->packet, f->n_packets).text, f->step.header, f->step.va, place);
	else if (!err)
		bw_out_line(o, "Its packet %s does it: %s at 0x%" PRIx64 " (%s).",
			    one_of(f->packet, f->n_packets).text, name, f->step.va, place);
	if (!err) {
		show_lines(o, bw_str_text(&text));
		bw_out_hex(o, "packet", f->step.va);
		bw_out_int(o, "packet_number", (int64_t)f->packet);
		bw_out_int(o, "packets", (int64_t)f->n_packets);
		bw_out_str(o, "packet_name", name);
		bw_out_hex(o, "stream", f->step.stream_va);
		bw_out_int(o, "dword", (int64_t)(f->step.va - f->step.stream_va) / 4);
		bw_out_str(o, "text", bw_str_text(&text));
		show_unsure(o, f->packet, f->n_unsure, "packets");
	}
	bw_str_free(&text);
	return err;
}

static void show_sentence(struct bw_out *o, const struct bw_bisect *b,
			  const struct bw_bisect_found *f, const struct bw_capture_submission *s)
{
	if (f->where == BW_BISECT_NO_DISPATCH)
		bw_out_line(o,
			    "It is bad without any of its %zu %s, too; its packets are not known.",
			    s->dispatches.len, bw_capture_work_name(s, s->dispatches.len));
	else if (f->where == BW_BISECT_BEFORE && b->command)
		bw_out_line(o, "The command calls it bad before its first packet has run: the "
			       "memory that the capture has there is bad, or the command itself.");
	else if (f->where == BW_BISECT_BEFORE)
		bw_out_line(o, "It is bad without any of its packets.");
	else if (f->where == BW_BISECT_NOT_WRITTEN)
		bw_out_line(o, "It writes none of the bytes that differ: what has written them in "
			       "the capture is not known.");
	else if (f->where == BW_BISECT_OVERRIDE)
		bw_out_line(o, "It ran as --override has it.");
	else if (f->is_good_alone)
		bw_out_line(o,
			    "Alone, with the memory that the capture has before it, it is good.");
	else
		bw_out_line(o, "Which part of it causes that cannot be told.");
}

struct bw_error *bw_bisect_show(struct bw_out *o, const struct bw_bisect *b,
				struct bw_capture_reader *r, const struct bw_bisect_found *f,
				const struct bw_capture_submission *s)
{
	bw_out_bool(o, "found", f->number);
	if (*f->other)
		bw_out_str(o, "other", f->other);
	if (!f->number && *f->other) {
		bw_out_line(o, "Nothing was found: %s.", f->other);
		return NULL;
	}
	if (!f->number) {
		bw_out_line(o, "%s",
			    b->is_damaged ? "What is left of the capture, which is damaged, does "
					    "nothing wrong."
					  : "The replay does nothing wrong.");
		return NULL;
	}
	bw_out_line(o, "Submission %u is the first that is bad: it %s.", f->number, f->how);
	if (f->n_unsure_submissions)
		bw_out_line(o,
			    "Or one of the %u before it: there the command could not tell (125).",
			    f->n_unsure_submissions);
	bw_out_int(o, "number", f->number);
	bw_out_str(o, "how", f->how);
	const bool is_draw = f->where == BW_BISECT_DISPATCH && f->dispatch < s->dispatches.len &&
			     s->dispatches.data[f->dispatch].draw;
	bw_out_str(o, "where", is_draw ? "draw" : where_name(f->where));
	bw_out_int(o, "unsure_submissions", f->n_unsure_submissions);
	if (f->where == BW_BISECT_DISPATCH && f->dispatch < s->dispatches.len)
		show_dispatch(o, s, f);
	else if (f->where == BW_BISECT_PACKET)
		return show_packet(o, r, f);
	else
		show_sentence(o, b, f, s);
	return NULL;
}

static void show_size(uint64_t size_b, char *out, size_t room)
{
	if (size_b < 1 << 20)
		snprintf(out, room, "%.1f KiB", (double)size_b / 1024);
	else
		snprintf(out, room, "%.1f MiB", (double)size_b / (1 << 20));
}

void bw_bisect_show_smallest(struct bw_out *o, const char *path, const struct bw_bisect_smallest *m)
{
	char before[32], after[32];
	show_size(m->all_b, before, sizeof(before));
	show_size(m->size_b, after, sizeof(after));
	bw_out_line(
		o,
		"The smallest capture that still shows it is %s: %s of %s. It has %zu of %zu "
		"submissions; the last has %zu of %zu %s, %zu of %zu buffers, and before "
		"it %zu of %zu pages that are not zero. A replay of it was bad in the same way.",
		path, after, before, m->n_submissions, m->all_submissions, m->n_dispatches,
		m->all_dispatches, m->kinds, m->n_buffers, m->all_buffers, m->n_pages,
		m->all_pages);
	json_t *j = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "file", path,
			      "bytes", (json_int_t)m->size_b, "bytes_before", (json_int_t)m->all_b,
			      "submissions", (json_int_t)m->n_submissions, "submissions_before",
			      (json_int_t)m->all_submissions, "dispatches",
			      (json_int_t)m->n_written_dispatches, "buffers",
			      (json_int_t)m->n_buffers, "buffers_before",
			      (json_int_t)m->all_buffers, "pages", (json_int_t)m->n_pages);
	bw_out_json(o, "smallest", j);
}
