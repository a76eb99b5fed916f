/* SPDX-License-Identifier: MIT */
/* Lines of source and instructions with the waves that are there, packets, and page walks. */
#include "page/page.h"

#include <inttypes.h>
#include <string.h>

/* 1 to 4: a quarter each of what the fullest line has. */
static unsigned heat(const struct bw_page_line *l)
{
	return l->most ? (unsigned)((l->n_waves * 4 + l->most - 1) / l->most) : 1;
}

void bw_page_line(struct bw_page *p, const struct bw_page_line *l)
{
	bw_str_add(&p->out, "<div class=\"p l");
	if (l->n_waves)
		bw_str_addf(&p->out, " h%u", heat(l));
	bw_str_addf(&p->out, "%s\"><span class=\"k\">", l->is_focus ? " focus" : "");
	if (l->n_waves)
		bw_str_addf(&p->out, "%zu", l->n_waves);
	bw_str_addf(&p->out, "</span><span class=\"m\">%s%s</span><span class=\"n\">",
		    l->breakpoint ? "B" : "", l->is_focus ? "=>" : "");
	bw_html_text(&p->out, l->number);
	bw_str_add(&p->out, "</span>");
	bw_str_add(&p->out, "<span>");
	bw_html_text(&p->out, l->text);
	bw_str_add(&p->out, "</span>");
	if (l->place) {
		bw_str_add(&p->out, "<span class=\"n\">");
		bw_html_text(&p->out, l->place);
		bw_str_add(&p->out, "</span>");
	}
	bw_str_add(&p->out, "</div>\n");
}

size_t bw_page_packet(struct bw_page *p, const struct bw_page_packet *k)
{
	size_t shown = 0;
	bw_str_addf(&p->out, "<div class=\"p%s\"", k->why ? " stop" : "");
	if (k->why) {
		bw_str_add(&p->out, " data-why=\"");
		bw_html_text(&p->out, k->why);
		bw_str_add(&p->out, "\"");
	}
	bw_str_addf(&p->out, "><span class=\"n\">%5" PRIu64 "  ", k->at);
	bw_html_text(&p->out, k->header);
	bw_str_add(&p->out, "</span>  ");
	bw_html_text(&p->out, k->name);
	if (k->times > 1)
		bw_str_addf(&p->out, ", %zu times", k->times);
	if (k->note) {
		bw_str_add(&p->out, " <span class=\"tag\">");
		bw_html_text(&p->out, k->note);
		bw_str_add(&p->out, "</span>");
	}
	for (const char *line = k->text; *line && shown < k->most; shown++) {
		size_t n = strcspn(line, "\n");
		struct bw_str text = {0};
		bw_str_addn(&text, line, n);
		bw_str_add(&p->out, "<span class=\"t\">");
		bw_html_text(&p->out, bw_str_text(&text));
		bw_str_add(&p->out, "</span>");
		bw_str_free(&text);
		line += n + (line[n] == '\n');
	}
	bw_str_add(&p->out, "</div>\n");
	return shown;
}

void bw_page_tree_begin(struct bw_page *p, struct bw_page_tree *t, const char *root)
{
	t->depth = 0;
	bw_str_add(&p->out, "<ul class=\"tree\"><li>");
	bw_html_text(&p->out, root);
}

void bw_page_tree_entry(struct bw_page *p, struct bw_page_tree *t, enum bw_page_entry state,
			const char *text)
{
	static const char *const classes[] = {
		[BW_PAGE_GOOD] = "good", [BW_PAGE_BAD] = "bad", [BW_PAGE_NEVER] = "never"};
	bw_str_addf(&p->out, "<ul><li><span class=\"%s\">", classes[state]);
	bw_html_text(&p->out, text);
	bw_str_add(&p->out, "</span>");
	t->depth++;
}

void bw_page_tree_restart(struct bw_page *p, struct bw_page_tree *t)
{
	for (; t->depth; t->depth--)
		bw_str_add(&p->out, "</li></ul>");
}

void bw_page_tree_end(struct bw_page *p, struct bw_page_tree *t)
{
	bw_page_tree_restart(p, t);
	bw_str_add(&p->out, "</li></ul>\n");
}
