/* SPDX-License-Identifier: MIT */
#include "page/html.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"

void bw_html_text(struct bw_str *s, const char *text)
{
	struct bw_str plain = {0};
	bw_str_add_printable(&plain, text, "\t");
	for (const char *p = bw_str_text(&plain); *p; p++)
		switch (*p) {
		case '&':
			bw_str_add(s, "&amp;");
			break;
		case '<':
			bw_str_add(s, "&lt;");
			break;
		case '>':
			bw_str_add(s, "&gt;");
			break;
		case '"':
			bw_str_add(s, "&quot;");
			break;
		case '\'':
			bw_str_add(s, "&#39;");
			break;
		default:
			bw_str_addn(s, p, 1);
		}
	bw_str_free(&plain);
}

void bw_html_textf(struct bw_str *s, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;
	va_start(args, fmt);
	int n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0) {
		text = NULL;
		return;
	}
	bw_html_text(s, text);
}

void bw_html_element(struct bw_str *s, const char *tag, const char *text)
{
	bw_str_addf(s, "<%s>", tag);
	bw_html_text(s, text);
	bw_str_addf(s, "</%s>", tag);
}
