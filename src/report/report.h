/* SPDX-License-Identifier: MIT */
#ifndef BW_REPORT_REPORT_H
#define BW_REPORT_REPORT_H

/* Writes a stop of a program, or the files that a GPU hang has left, as one HTML file that refers
 * to nothing outside of it (src/page makes the HTML). Each part has a limit, so that the page is
 * small enough to be sent to someone; the page says where it leaves something out. */

#include "base/error.h"
#include "base/str.h"
#include "crash/crash.h"
#include "debug/stop.h"

struct bw_report {
	struct bw_debug *debug;	    /* the session; NULL: there is none. Its focus stays */
	const struct bw_stop *stop; /* the last stop of the session; NULL: none is known */
	/* warnings since the program was resumed last, a line each; NULL or "": none */
	const char *notes;
	const struct bw_crash *crash; /* files; NULL: none */
	/* the GPU of the files; NULL: the one that the files name */
	const struct bw_gpuvm_part *part;
	/* the page's last line: when and by which version it was made */
	const char *made;
};
/* The whole page, appended to out (the caller's). If a part of a session cannot be read, the page
 * says so; that is not an error. */
struct bw_error *bw_report_page(const struct bw_report *r, struct bw_str *out) BW_MUST_CHECK;
/* Writes the HTML report to a file; one that cannot be written to its end is removed. */
struct bw_error *bw_report_write(const struct bw_report *r, const char *path,
				 size_t *out_size_b) BW_MUST_CHECK;

#endif
