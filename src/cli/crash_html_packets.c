/* SPDX-License-Identifier: MIT */
/* The page of a crash: rings and IBs, decoded, with the stop marked. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "cli/crash_html.h"
#include "cli/html.h"
#include "cli/packets.h"

struct stream {
	const struct bw_pm4_names *names;
	bool is_sdma, is_mes;
	const uint32_t *dw;
	size_t n, first, wrap;
	size_t mark;	 /* place of the packet that is marked; SIZE_MAX: none */
	const char *why; /* at the mark */
};

static void add_packet(struct bw_crash_page *p, const struct stream *s, const json_t *o)
{
	size_t at = (size_t)json_integer_value(json_object_get(o, "at"));
	bool stop = at == s->mark;
	bw_str_addf(&p->out, "<div class=\"p%s\"", stop ? " stop" : "");
	if (stop) {
		bw_str_add(&p->out, " data-why=\"");
		bw_html_text(&p->out, s->why);
		bw_str_add(&p->out, "\"");
	}
	bw_str_addf(&p->out, "><span class=\"n\">%5zu  ", at);
	bw_html_text(&p->out, json_string_value(json_object_get(o, "header")));
	bw_str_add(&p->out, "</span>  ");
	bw_html_text(&p->out, json_string_value(json_object_get(o, "name")));
	json_int_t times = json_integer_value(json_object_get(o, "times"));
	if (times > 1)
		bw_str_addf(&p->out, ", %" JSON_INTEGER_FORMAT " times", times);
	const json_t *lines = json_object_get(o, "text");
	size_t n = json_array_size(lines);
	for (size_t i = 0; i < n && p->lines < BW_HTML_LINES; i++, p->lines++) {
		bw_str_add(&p->out, "<span class=\"t\">");
		bw_html_text(&p->out, json_string_value(json_array_get(lines, i)));
		bw_str_add(&p->out, "</span>");
	}
	bw_str_add(&p->out, "</div>\n");
}

static struct bw_error *add_stream(struct bw_crash_page *p, const struct stream *s)
{
	enum { PIECE_DW = 1 << 16 }; /* packets of more make no readable page */
	json_t *list = json_array();
	struct bw_packets packets = {.list = list,
				     .names = s->names,
				     .is_sdma = s->is_sdma,
				     .is_mes = s->is_mes,
				     .mark = SIZE_MAX,
				     .first = s->first,
				     .wrap = s->wrap};
	size_t n = BW_MIN(s->n, (size_t)PIECE_DW), shown = 0;
	struct bw_error *err = bw_packets_show(&packets, s->dw, n);
	size_t all = json_array_size(list);
	for (; !err && shown < all && p->packets < BW_HTML_PACKETS; shown++, p->packets++)
		add_packet(p, s, json_array_get(list, shown));
	if (shown < all || n < s->n)
		bw_str_add(&p->out, "<p class=\"soft\">More packets follow, which are left out of "
				    "this page.</p>\n");
	json_decref(list);
	return err;
}

static struct bw_error *add_ring(struct bw_crash_page *p, const struct bw_crash_dump *d,
				 const struct bw_crash_ring *r, const struct bw_pm4_names *names)
{
	size_t from, n, have = r->words.len;
	bool hung = !strcmp(r->name, d->timeout_ring);
	bool is_sdma = bw_starts_with(r->name, "sdma");
	bool is_mes = bw_starts_with(r->name, "mes");
	bool known = is_sdma || is_mes || bw_starts_with(r->name, "gfx") ||
		     bw_starts_with(r->name, "comp") || bw_starts_with(r->name, "kiq");
	bw_str_addf(&p->out, "<details%s><summary>Ring ",
		    hung || d->style == BW_CRASH_RADV ? " open" : "");
	bw_html_text(&p->out, r->name);
	bw_str_addf(&p->out,
		    "%s <span class=\"soft\">read pointer 0x%" PRIx64 ", write pointer 0x%" PRIx64
		    ", %" PRIu64 " words</span></summary>\n",
		    hung ? ": did not finish a job" : "", r->rptr, r->wptr,
		    r->size_dw ? r->size_dw : (uint64_t)have);
	struct bw_error *err = NULL;
	if (!known || !bw_crash_ring_pending(r, &from, &n)) {
		bw_str_add(&p->out, "<p class=\"soft\">Its packets cannot be shown.</p>\n");
	} else if (!n) {
		bw_str_add(&p->out, "<p>Nothing is pending.</p>\n");
	} else {
		_cleanup_free_ uint32_t *dw = malloc(n * 4);
		if (!dw)
			return bw_error_nomem();
		for (size_t i = 0; i < n; i++)
			dw[i] = r->words.data[(from + i) % have];
		const struct stream s = {.names = names,
					 .is_sdma = is_sdma,
					 .is_mes = is_mes,
					 .dw = dw,
					 .n = n,
					 .first = from + (size_t)r->first_dw,
					 .wrap = r->first_dw ? SIZE_MAX : have,
					 .mark = from + (size_t)r->first_dw,
					 .why = "the read pointer is here"};
		err = add_stream(p, &s);
	}
	bw_str_add(&p->out, "</details>\n");
	return err;
}

static struct bw_error *add_ib(struct bw_crash_page *p, const struct bw_crash_dump *d, size_t i,
			       const struct bw_pm4_names *names)
{
	enum { BEFORE_DW = 4096 };
	const struct bw_crash_ib *ib = &d->ibs.data[i];
	struct bw_crash_place place;
	struct bw_pm4_packet packet;
	bool is_place = bw_crash_find_place(d, &place) && place.ib == i;
	size_t from = 0;
	for (size_t at = 0; is_place && at + BEFORE_DW < place.packet_dw &&
			    bw_pm4_at(ib->words.data, ib->words.len, at, &packet);
	     at += packet.size_dw)
		from = at;
	bw_str_addf(&p->out, "<details%s><summary>", is_place || d->ibs.len == 1 ? " open" : "");
	if (d->style == BW_CRASH_RADV)
		bw_str_addf(&p->out, "Command buffer %u", ib->index);
	else
		bw_str_addf(&p->out, "IB #%u <span class=\"soft\">at 0x%" PRIx64 "</span>",
			    ib->index, ib->va);
	bw_str_addf(&p->out, " <span class=\"soft\">%" PRIu64 " words%s</span></summary>\n",
		    ib->size_dw, is_place ? ", the stop is in it" : "");
	if (from)
		bw_str_addf(&p->out, "<p class=\"soft\">%zu words in front are left out.</p>\n",
			    from);
	const struct stream s = {
		.names = names,
		.is_sdma = bw_starts_with(d->timeout_ring, "sdma"),
		.dw = ib->words.data + from,
		.n = ib->words.len - from,
		.first = from,
		.wrap = SIZE_MAX,
		.mark = is_place ? place.packet_dw : SIZE_MAX,
		.why = is_place && place.is_trace
			       ? "the last trace point that was reached"
			       : "fetched up to here: it hangs at this packet or shortly "
				 "before it",
	};
	struct bw_error *err = s.n ? add_stream(p, &s) : NULL;
	bw_str_add(&p->out, "</details>\n");
	return err;
}

struct bw_error *bw_crash_html_streams(struct bw_crash_page *p, const struct bw_crash_dump *d,
				       const struct bw_gpuvm_part *part)
{
	static const uint32_t gfx11 = BW_IP_VERSION(11, 0, 0);
	struct bw_pm4_names names;
	struct bw_error *err = bw_pm4_names_of(part ? part->gc : gfx11, &names);
	if (bw_error_catch(&err, BW_E_NOT_FOUND) || bw_error_catch(&err, BW_E_UNSUPPORTED))
		err = bw_pm4_names_of(gfx11, &names);
	if (err)
		return err;
	if (!d->ibs.len && !d->rings.len)
		return NULL;
	bw_crash_html_section(p, "streams", "Where it stopped");
	for (size_t i = 0; i < d->ibs.len && !err; i++)
		err = add_ib(p, d, i, &names);
	for (size_t i = 0; i < d->rings.len && !err; i++)
		err = add_ring(p, d, &d->rings.data[i], &names);
	bw_str_add(&p->out, "</section>\n");
	return err;
}
