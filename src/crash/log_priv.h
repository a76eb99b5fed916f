/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_LOG_PRIV_H
#define BW_CRASH_LOG_PRIV_H

/* Declarations that the readers of a log's messages share: log_fault.c reads page faults,
 * log_event.c all others, log.c passes each message to them in order. Each reader returns whether
 * the message was its own. */

#include "crash/line.h"
#include "crash/log.h"

enum { BW_CRASH_NEAR_MESSAGES = 40 };

/* A message: a whole line, with its number in the file. */
struct bw_crash_entry {
	const char *line;
	char device[BW_CRASH_NAME_B];
	unsigned first, last;
};

bool bw_crash_read_fault(struct bw_crash_log *log, const struct bw_crash_entry *e);
/* A line that names the process of the fault above it. */
bool bw_crash_read_fault_process(struct bw_crash_log *log, const struct bw_crash_entry *e);
bool bw_crash_read_event(struct bw_crash_log *log, const struct bw_crash_entry *e);

/* Whether the words of one of them are in a line; what it says is not looked at. */
bool bw_crash_is_fault_line(const char *line);
bool bw_crash_is_event_line(const char *line);
/* A timeout whose fences are there, or any other event. */
bool bw_crash_is_whole_event(const char *line);

/* "process NAME pid N thread NAME pid N", where names may hold spaces, and be missing. False: there
 * is none, or it has neither a name nor a number. */
bool bw_crash_read_process(const char *line, char process[64], int64_t *pid, char thread[64],
			   int64_t *tid);
/* Whether two messages are of the same GPU, as far as they name it. */
bool bw_crash_same_device(const char *a, const char *b);

#endif
