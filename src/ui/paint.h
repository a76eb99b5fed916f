/* SPDX-License-Identifier: MIT */
#ifndef BW_UI_PAINT_H
#define BW_UI_PAINT_H

/* Colours for a terminal: a line of text, and the same line with the escape sequences of ECMA-48
 * (SGR) round its parts. Pure; the text itself is never changed. */

#include "base/str.h"

enum bw_paint {
	BW_PAINT_TEXT,	 /* sentences and tables: addresses, <symbols>, FILE:LINE */
	BW_PAINT_SOURCE, /* "12<tab>source": comments, strings, numbers, words of C and GLSL */
	BW_PAINT_CODE,	 /* "=> 0x7ffe1018 <+24>:  s_waitcnt lgkmcnt(0)" */
	BW_PAINT_TITLE,	 /* titles of tables */
};

/* One line, or several. */
void bw_paint(enum bw_paint kind, const char *text, struct bw_str *out);

#endif
