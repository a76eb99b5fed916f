/* SPDX-License-Identifier: MIT */
/* The page: head, sections, what can be folded, rows and tables. */
#include "page/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* page.css and page.js, by bin2c.py */
extern const unsigned char bw_page_css[], bw_page_js[];
extern const unsigned long bw_page_css_size, bw_page_js_size;

/* The policy allows nothing but what is in the file: styles, the script, and pictures as data. */
void bw_page_begin(struct bw_page *p, const char *title)
{
	bw_str_add(&p->out,
		   "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		   "<meta name=\"viewport\" content=\"width=device-width\">\n"
		   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		   "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
		   "base-uri 'none'; form-action 'none'\">\n");
	bw_html_element(&p->out, "title", title);
	bw_str_add(&p->out, "\n<style>\n");
	bw_str_addn(&p->out, (const char *)bw_page_css, bw_page_css_size);
	bw_str_add(&p->out, "</style></head>\n<body><header>");
	bw_html_element(&p->out, "h1", title);
	bw_str_add(&p->out, "<span id=\"hits\"></span>"
			    "<input id=\"q\" type=\"search\" placeholder=\"Search ( / )\" "
			    "aria-label=\"Search\">"
			    "<button id=\"open\" type=\"button\">Fold / unfold all</button>"
			    "<button id=\"theme\" type=\"button\">Dark / light</button>"
			    "</header>\n<nav id=\"contents\"></nav>\n<main>\n");
}

void bw_page_end(struct bw_page *p)
{
	bw_str_add(&p->out, "</main>\n<script>\n");
	bw_str_addn(&p->out, (const char *)bw_page_js, bw_page_js_size);
	bw_str_add(&p->out, "</script></body></html>\n");
}

void bw_page_section(struct bw_page *p, const char *id, const char *title)
{
	bw_str_addf(&p->out, "<section id=\"%s\">", id);
	bw_html_element(&p->out, "h2", title);
	bw_str_add(&p->out, "\n");
}

void bw_page_section_end(struct bw_page *p)
{
	bw_str_add(&p->out, "</section>\n");
}

void bw_page_heading(struct bw_page *p, const char *text)
{
	bw_html_element(&p->out, "h3", text);
	bw_str_add(&p->out, "\n");
}

/* An element around text that the format makes. */
static void add_text(struct bw_page *p, const char *fmt, va_list args)
{
	_cleanup_free_ char *text = NULL;
	if (vasprintf(&text, fmt, args) < 0) {
		text = NULL;
		p->out.failed = true;
		return;
	}
	bw_html_text(&p->out, text);
}

void bw_page_fold(struct bw_page *p, bool is_open, const char *fmt, ...)
{
	va_list args;
	bw_str_addf(&p->out, "<details%s><summary>", is_open ? " open" : "");
	va_start(args, fmt);
	add_text(p, fmt, args);
	va_end(args);
	bw_str_add(&p->out, "</summary>\n");
}

void bw_page_fold_end(struct bw_page *p)
{
	bw_str_add(&p->out, "</details>\n");
}

static void add_lines(struct bw_page *p, const char *begin, const char *end, const char *lines)
{
	while (*lines) {
		size_t n = strcspn(lines, "\n");
		struct bw_str line = {0};
		bw_str_addn(&line, lines, n);
		bw_str_add(&p->out, begin);
		bw_html_text(&p->out, bw_str_text(&line));
		bw_str_add(&p->out, end);
		bw_str_free(&line);
		lines += n + (lines[n] == '\n');
	}
}

void bw_page_lines(struct bw_page *p, const char *tag, const char *lines)
{
	char begin[16], end[16];
	snprintf(begin, sizeof(begin), "<%s>", tag);
	snprintf(end, sizeof(end), "</%s>\n", tag);
	add_lines(p, begin, end, lines);
}

void bw_page_rows(struct bw_page *p, const char *lines)
{
	add_lines(p, "<div class=\"p\">", "</div>\n", lines);
}

void bw_page_note(struct bw_page *p, const char *fmt, ...)
{
	va_list args;
	bw_str_add(&p->out, "<p class=\"soft\">");
	va_start(args, fmt);
	add_text(p, fmt, args);
	va_end(args);
	bw_str_add(&p->out, "</p>\n");
}

void bw_page_fact(struct bw_page *p, const char *name, const char *value)
{
	if (!*value)
		return;
	bw_str_add(&p->out, "<tr>");
	bw_html_element(&p->out, "th", name);
	bw_html_element(&p->out, "td", value);
	bw_str_add(&p->out, "</tr>\n");
}

void bw_page_table(struct bw_page *p, const char *const *titles, size_t n)
{
	bw_str_add(&p->out, "<table><tr class=\"head\">");
	for (size_t i = 0; i < n; i++)
		bw_html_element(&p->out, "th", titles[i]);
	bw_str_add(&p->out, "</tr>\n");
}

void bw_page_table_end(struct bw_page *p)
{
	bw_str_add(&p->out, "</table>\n");
}

void bw_page_cell(struct bw_page *p, const char *fmt, ...)
{
	va_list args;
	bw_str_add(&p->out, "<td>");
	va_start(args, fmt);
	add_text(p, fmt, args);
	va_end(args);
	bw_str_add(&p->out, "</td>");
}
