/* SPDX-License-Identifier: MIT */
/* The page of a crash: rings and IBs, decoded, with the stop marked. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "report/report_priv.h"

static struct bw_error *add_ring(struct bw_crash_page *p, const struct bw_crash_dump *d,
				 const struct bw_crash_ring *r, const struct bw_pm4_names *names)
{
	size_t from, n, have = r->words.len;
	bool hung = !strcmp(r->name, d->timeout_ring);
	bool is_sdma = bw_starts_with(r->name, "sdma");
	bool is_mes = bw_starts_with(r->name, "mes");
	bool known = is_sdma || is_mes || bw_starts_with(r->name, "gfx") ||
		     bw_starts_with(r->name, "comp") || bw_starts_with(r->name, "kiq");
	bw_str_addf(&p->page.out, "<details%s><summary>Ring ",
		    hung || d->style == BW_CRASH_RADV ? " open" : "");
	bw_html_text(&p->page.out, r->name);
	bw_str_addf(&p->page.out,
		    "%s <span class=\"soft\">read pointer 0x%" PRIx64 ", write pointer 0x%" PRIx64
		    ", %" PRIu64 " words</span></summary>\n",
		    hung ? ": did not finish a job" : "", r->rptr, r->wptr,
		    r->size_dw ? r->size_dw : (uint64_t)have);
	struct bw_error *err = NULL;
	if (!known || !bw_crash_ring_pending(r, &from, &n)) {
		bw_str_add(&p->page.out, "<p class=\"soft\">Its packets cannot be shown.</p>\n");
	} else if (!n) {
		bw_str_add(&p->page.out, "<p>Nothing is pending.</p>\n");
	} else {
		_cleanup_free_ uint32_t *dw = malloc(n * 4);
		if (!dw)
			return bw_error_nomem();
		for (size_t i = 0; i < n; i++)
			dw[i] = r->words.data[(from + i) % have];
		const struct bw_report_packets s = {.names = names,
						    .is_sdma = is_sdma,
						    .is_mes = is_mes,
						    .dw = dw,
						    .n = n,
						    .first = from + (size_t)r->first_dw,
						    .wrap = r->first_dw ? 0 : have,
						    .mark = from + (size_t)r->first_dw,
						    .why = "the read pointer is here"};
		bw_report_packets(&p->page, &p->room, &s);
	}
	bw_str_add(&p->page.out, "</details>\n");
	return err;
}

static void add_ib(struct bw_crash_page *p, const struct bw_crash_dump *d, size_t i,
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
	bw_str_addf(&p->page.out, "<details%s><summary>",
		    is_place || d->ibs.len == 1 ? " open" : "");
	if (d->style == BW_CRASH_RADV)
		bw_str_addf(&p->page.out, "Command buffer %u", ib->index);
	else
		bw_str_addf(&p->page.out, "IB #%u <span class=\"soft\">at 0x%" PRIx64 "</span>",
			    ib->index, ib->va);
	bw_str_addf(&p->page.out, " <span class=\"soft\">%" PRIu64 " words%s</span></summary>\n",
		    ib->size_dw, is_place ? ", the stop is in it" : "");
	if (from)
		bw_str_addf(&p->page.out,
			    "<p class=\"soft\">%zu words in front are left out.</p>\n", from);
	const struct bw_report_packets s = {
		.names = names,
		.is_sdma = bw_starts_with(d->timeout_ring, "sdma"),
		.dw = ib->words.data + from,
		.n = ib->words.len - from,
		.first = from,
		.mark = is_place ? place.packet_dw : SIZE_MAX,
		.why = is_place && place.is_trace
			       ? "the last trace point that was reached"
			       : "fetched up to here: it hangs at this packet or shortly "
				 "before it",
	};
	bw_report_packets(&p->page, &p->room, &s);
	bw_page_fold_end(&p->page);
}

struct bw_error *bw_report_crash_streams(struct bw_crash_page *p, const struct bw_crash_dump *d,
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
	bw_page_section(&p->page, "streams", "Where it stopped");
	for (size_t i = 0; i < d->ibs.len; i++)
		add_ib(p, d, i, &names);
	for (size_t i = 0; i < d->rings.len && !err; i++)
		err = add_ring(p, d, &d->rings.data[i], &names);
	bw_page_section_end(&p->page);
	return err;
}
