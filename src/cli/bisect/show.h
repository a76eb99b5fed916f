/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_BISECT_SHOW_H
#define BW_CLI_BISECT_SHOW_H

/* Prints a bisection: its tries (progress.c), and its result (show.c). */

#include "bisect/bisect.h"
#include "ui/out.h"

/* How tries are shown: as a bar if standard output and standard error are the same terminal and no
 * JSON is asked for; otherwise as lines. */
struct bw_bisect_shown {
	struct bw_out *out;
	bool has_bar;
};
/* A listener that shows the tries on o. *s and o must live as long as the listener is used. */
struct bw_bisect_listener bw_bisect_show_on(struct bw_bisect_shown *s, struct bw_out *o);
/* Removes the bar before something else is printed. */
void bw_bisect_clear(const struct bw_bisect_shown *s);

/* Shows the result. s: the record of the submission that was found. */
struct bw_error *bw_bisect_show(struct bw_out *o, const struct bw_bisect *b,
				struct bw_capture_reader *r, const struct bw_bisect_found *f,
				const struct bw_capture_submission *s) BW_MUST_CHECK;
void bw_bisect_show_smallest(struct bw_out *o, const char *path,
			     const struct bw_bisect_smallest *m);

#endif
