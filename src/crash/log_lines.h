/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_LOG_LINES_H
#define BW_CRASH_LOG_LINES_H

/* The lines of a kernel log as messages: without what dmesg, journalctl and people who quote them
 * put in front, those together that were one, in the order in which they were written. Knows stamps
 * and shapes, not what messages mean; which lines are kept its caller says. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/vec.h"

enum { BW_CRASH_MAX_LINES = 32768, BW_CRASH_LINE_B = 1024 };

enum bw_crash_clock {
	BW_CRASH_NO_CLOCK,
	BW_CRASH_UPTIME, /* "[  815.101]": seconds since the machine was started */
	BW_CRASH_WALL,	 /* "Jun  9 19:25:05", "12:09:20", ISO: seconds in a year, or in a day */
};
struct bw_crash_time {
	enum bw_crash_clock clock;
	double s;
};
/* Seconds from a to b; false: no clock is common to both. */
bool bw_crash_time_between(struct bw_crash_time a, struct bw_crash_time b, double *out_s);

struct bw_crash_line {
	size_t at, n;	 /* of lines.text */
	unsigned number; /* of the file's line, from 1 */
	unsigned last;	 /* of the last line that continues it */
	struct bw_crash_time time;
	bool begins;  /* it has a stamp or a prefix of its own */
	bool is_boot; /* the first message of a kernel, or a journal's mark of a reboot */
};

struct bw_crash_lines {
	struct BW_VEC(struct bw_crash_line) list;
	struct bw_str text;
	unsigned n_left_out;
	bool is_cut; /* the line that came last was not kept: nothing continues it */
	bool failed;
};

/* The kind of a line of a file. */
enum bw_crash_use {
	BW_CRASH_DROP,
	BW_CRASH_KEEP,	  /* a message, or a part of one */
	BW_CRASH_MESSAGE, /* a message that is understood as it is */
};

/* Takes one line apart (several messages may stand in one, where newlines were lost) and keeps what
 * classify says. Returns whether one of them was a BW_CRASH_MESSAGE. */
bool bw_crash_lines_add(struct bw_crash_lines *l, const char *text, size_t n, unsigned number,
			enum bw_crash_use (*classify)(const char *text));
/* After the last line: joins and orders them. is_whole: whether a message needs no more text.
 * rank: for lines without stamps, the place of a message in a group, as fault lines have; 0: none.
 * Returns whether the file ran backwards. */
bool bw_crash_lines_end(struct bw_crash_lines *l, bool (*is_whole)(const char *text),
			int (*rank)(const char *text));
/* The message of a line, ended by a zero; valid until the next call that adds. */
const char *bw_crash_lines_text(const struct bw_crash_lines *l, const struct bw_crash_line *line);
void bw_crash_lines_clear(struct bw_crash_lines *l);

/* After what stands in front of a message: "amdgpu 0000:03:00.0: amdgpu: ", "[drm:f] *ERROR* ". */
const char *bw_crash_message(const char *line);
/* "0000:03:00.0" or "drmn0" (FreeBSD) of a line, or "". out: of out_b bytes. */
void bw_crash_find_device(const char *line, char *out, size_t out_b);

#endif
