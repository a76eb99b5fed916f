/* SPDX-License-Identifier: MIT */
/* Registers of all lanes, memory as numbers, pictures. */
#include "page/page.h"

#include <inttypes.h>

#include "base/base64.h"
#include "base/util.h"

static bool is_uniform(const uint32_t *values, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

size_t bw_page_vgpr(struct bw_page *p, const char *name, const uint32_t *values, unsigned n,
		    uint64_t exec)
{
	bool same = is_uniform(values, n), was_active = true;
	unsigned shown = same ? 1 : n;
	bw_str_addf(&p->out, "<div class=\"p\"><span class=\"n\">%-4s </span>", name);
	for (unsigned lane = 0; lane < shown; lane++) {
		bool is_active = same || exec >> lane & 1;
		bw_str_add(&p->out, lane ? " " : "");
		if (is_active != was_active)
			bw_str_add(&p->out, is_active ? "</s>" : "<s>");
		bw_str_addf(&p->out, "%08x", values[lane]);
		was_active = is_active;
	}
	bw_str_addf(&p->out, "%s%s</div>\n", was_active ? "" : "</s>", same ? " in all lanes" : "");
	return shown;
}

void bw_page_numbers(struct bw_page *p, const struct bw_page_numbers *x)
{
	enum { PER_ROW = 8, SHOWN = 16 * PER_ROW, FEW = 2 * SHOWN };
	bool is_long = x->n > FEW; /* rows after the first ones are folded */
	bw_str_add(&p->out, "<div class=\"num\" data-type=\"");
	bw_html_text(&p->out, x->type);
	bw_str_add(&p->out, "\">\n");
	for (size_t i = 0; i < x->n; i += PER_ROW) {
		if (is_long && i == SHOWN)
			bw_page_fold(p, false, "%zu words more", x->n - SHOWN);
		bw_str_addf(&p->out, "<div class=\"p\"><span class=\"n\">0x%" PRIx64 " </span><u>",
			    x->va + i * 4);
		for (size_t k = i; k < BW_MIN(i + PER_ROW, x->n); k++)
			bw_str_addf(&p->out, "%s%08x", k > i ? " " : "", x->words[k]);
		bw_str_add(&p->out, "</u></div>\n");
	}
	if (is_long)
		bw_page_fold_end(p);
	bw_str_add(&p->out, "</div>\n");
}

void bw_page_picture(struct bw_page *p, const struct bw_page_picture *x)
{
	enum { WIDE = 512, MOST = 16 };
	uint32_t largest = BW_MAX(x->width, x->height);
	largest = BW_MAX(largest, 1u);
	uint32_t scale = BW_MAX(WIDE / largest, 1u);
	scale = BW_MIN(scale, (uint32_t)MOST);
	bw_str_addf(&p->out, "<figure><img width=\"%" PRIu64 "\" height=\"%" PRIu64 "\" alt=\"",
		    (uint64_t)x->width * scale, (uint64_t)x->height * scale);
	bw_html_text(&p->out, x->caption);
	bw_str_add(&p->out, "\" src=\"data:image/png;base64,");
	bw_base64_add(&p->out, x->png, x->size_b);
	bw_str_add(&p->out, "\">");
	bw_html_element(&p->out, "figcaption", x->caption);
	bw_str_add(&p->out, "</figure>\n");
}
