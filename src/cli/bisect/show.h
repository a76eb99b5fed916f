/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_BISECT_SHOW_H
#define BW_CLI_BISECT_SHOW_H

/* What is printed of a bisection: its tries (progress.c), and what it has found (show.c). */

#include "bisect/bisect.h"
#include "ui/out.h"

/* Tries: a bar on the terminal, where standard output and standard error are one and no JSON is
 * asked for; else lines. */
struct bw_bisect_shown {
	struct bw_out *out;
	bool has_bar;
};
/* A listener that shows them on o; *s and o live as long as it is used. */
struct bw_bisect_listener bw_bisect_show_on(struct bw_bisect_shown *s, struct bw_out *o);
/* Removes the bar, before something else is printed. */
void bw_bisect_clear(const struct bw_bisect_shown *s);

/* s: the record of the submission found. */
struct bw_error *bw_bisect_show(struct bw_out *o, const struct bw_bisect *b,
				struct bw_capture_reader *r, const struct bw_bisect_found *f,
				const struct bw_capture_submission *s) BW_MUST_CHECK;
void bw_bisect_show_smallest(struct bw_out *o, const char *path,
			     const struct bw_bisect_smallest *m);

#endif
