/* SPDX-License-Identifier: MIT */
#ifndef BW_PAGE_HTML_H
#define BW_PAGE_HTML_H

/* Text from anywhere as HTML. */

#include "base/str.h"

/* The text as it is read: what HTML would take for markup is escaped, what is not printable is
 * written as \ooo, but for tabs. Right between tags and in values of attributes in double
 * quotes. */
void bw_html_text(struct bw_str *s, const char *text);
/* Like bw_html_text, of what the format makes. */
void bw_html_textf(struct bw_str *s, const char *fmt, ...) BW_PRINTF(2, 3);
/* <TAG>text</TAG> */
void bw_html_element(struct bw_str *s, const char *tag, const char *text);

#endif
