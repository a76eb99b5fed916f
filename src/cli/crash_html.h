/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_CRASH_HTML_H
#define BW_CLI_CRASH_HTML_H

/* A crash as one HTML file that refers to nothing outside of it (breakwater crash --html). */

#include "base/error.h"
#include "base/str.h"
#include "crash/crash.h"
#include "pm4/describe.h"

/* What limits a page: it must be small enough to be sent to someone, whatever the files hold. What
 * is left out is said in its place. */
enum {
	BW_HTML_PACKETS = 3000, /* of all rings and IBs */
	BW_HTML_LINES = 12000,	/* below packets: registers and words */
	BW_HTML_REGISTERS = 4000,
	BW_HTML_WAVES = 4096,
	BW_HTML_WAVE_STATES = 256, /* waves with all of their registers */
	BW_HTML_VGPR_WORDS = 1 << 17,
	BW_HTML_EVENTS = 600,
};

struct bw_crash_page {
	const struct bw_crash *crash;
	const struct bw_gpuvm_part *part; /* what the user says, or NULL */
	struct bw_str out;
	size_t packets, lines, registers, vgpr_words; /* so far */
};

/* The whole page; the caller frees out. */
struct bw_error *bw_crash_html(struct bw_crash_page *p) BW_MUST_CHECK;

/* crash_html_waves.c, crash_html_packets.c: sections */
struct bw_error *bw_crash_html_waves(struct bw_crash_page *p) BW_MUST_CHECK;
struct bw_error *bw_crash_html_streams(struct bw_crash_page *p, const struct bw_crash_dump *d,
				       const struct bw_gpuvm_part *part) BW_MUST_CHECK;
/* A section's begin with its heading; its end is "</section>". */
void bw_crash_html_section(struct bw_crash_page *p, const char *id, const char *title);

#endif
