/* SPDX-License-Identifier: MIT */
/* Command streams as packets of a page. */
#include <stdio.h>

#include "base/util.h"
#include "pm4/mes.h"
#include "report/report_priv.h"

/* One packet, or `times` equal ones of one word. */
struct row {
	size_t at, size_dw, times;
	const char *name;
	struct bw_str text;
};

static void take_pm4(const struct bw_report_packets *s, struct row *row, char buf[32])
{
	struct bw_pm4_packet p;
	if (!bw_pm4_at(s->dw, s->n, row->at, &p))
		return;
	bw_pm4_describe(s->names, &p, &row->text);
	row->size_dw = p.size_dw;
	row->name = p.kind == BW_PM4_TYPE3	 ? bw_pm4_name(p.op, buf)
		    : p.kind == BW_PM4_TYPE2_PAD ? "PAD"
						 : "no packet";
}

static void take_sdma(const struct bw_report_packets *s, struct row *row, char buf[32])
{
	struct bw_sdma_packet p;
	if (!bw_sdma_at(s->dw, s->n, row->at, &p))
		return;
	bw_sdma_describe(&p, &row->text);
	row->size_dw = p.size_dw;
	row->name = bw_sdma_name(p.header, buf);
}

static void take_mes(const struct bw_report_packets *s, struct row *row)
{
	row->size_dw = BW_MIN(s->n - row->at, (size_t)BW_MES_FRAME_DW);
	bw_mes_describe(s->dw + row->at, row->size_dw, &row->text);
	row->name = bw_mes_name(s->dw[row->at]);
}

static void take_row(const struct bw_report_packets *s, struct row *row, char buf[32])
{
	row->name = "cut off";
	row->size_dw = s->n - row->at;
	row->times = 1;
	if (s->is_mes)
		take_mes(s, row);
	else if (s->is_sdma)
		take_sdma(s, row, buf);
	else
		take_pm4(s, row, buf);
	while (row->size_dw == 1 && row->at + row->times < s->n &&
	       s->dw[row->at + row->times] == s->dw[row->at])
		row->times++;
}

void bw_report_packets(struct bw_page *page, struct bw_report_room *room,
		       const struct bw_report_packets *s)
{
	enum { PIECE_DW = 1 << 16 }; /* packets of more make no readable page */
	size_t at = 0, end = BW_MIN(s->n, (size_t)PIECE_DW);
	while (at < end && room->packets < BW_REPORT_PACKETS) {
		char buf[32], header[16];
		struct row row = {.at = at};
		take_row(s, &row, buf);
		size_t place = s->first + at;
		if (s->wrap)
			place %= s->wrap;
		snprintf(header, sizeof(header), "0x%08x", s->dw[at]);
		bool is_marked = s->mark >= place && s->mark - place < row.times;
		const struct bw_page_packet k = {
			.at = place,
			.header = header,
			.name = row.name,
			.times = row.times,
			.text = bw_str_text(&row.text),
			.most = BW_REPORT_LINES - BW_MIN(room->lines, (size_t)BW_REPORT_LINES),
			.why = is_marked ? s->why : NULL,
			.note = s->note ? s->note(s->cookie, place) : NULL,
		};
		room->lines += bw_page_packet(page, &k);
		room->packets++;
		bw_str_free(&row.text);
		at += row.size_dw + row.times - 1;
	}
	if (at < s->n)
		bw_page_note(page, "More packets follow, which are left out of this page.");
}
