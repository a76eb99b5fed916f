/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_CRASH_H
#define BW_CRASH_CRASH_H

/* Reads the traces of a hang or a fault from files of any of these kinds: lines of kernel logs,
 * devcoredumps, files of RADV's hang reports; and draws conclusions from all of them. Pure: the
 * caller reads the files. */

#include "crash/dump.h"
#include "crash/log.h"
#include "crash/report.h"
#include "pm4/describe.h"

enum { BW_CRASH_MAX_DUMPS = 8 /* of kernels; a hang report may be one more */ };

struct bw_crash {
	struct bw_crash_log log;
	struct BW_VEC(struct bw_crash_dump) dumps;
	unsigned n_dumps_left_out;
	/* The report's dump; bw_crash_end moves it to the end of dumps. */
	struct bw_crash_report report;
	unsigned n_lines;
	bool in_dump, failed;
};

/* One line of a file, numbered from 1 in it. */
void bw_crash_line(struct bw_crash *c, const char *text, size_t n, unsigned number);
/* Between two files: a dump does not continue in the next one. */
void bw_crash_next_file(struct bw_crash *c);
void bw_crash_end(struct bw_crash *c);
void bw_crash_free(struct bw_crash *c);
bool bw_crash_is_empty(const struct bw_crash *c);

/* The part that a dump is of; false: neither it nor the dump says. */
bool bw_crash_part(const struct bw_crash_dump *d, struct bw_gpuvm_part *out);
/* The GPU model for faults in kernel logs: the user's, else the log's, else that of the first dump
 * that has one, in which case `own` holds it. NULL: the log itself has it, or nothing does. */
const struct bw_gpuvm_part *bw_crash_log_part(const struct bw_crash *c,
					      const struct bw_gpuvm_part *user,
					      struct bw_gpuvm_part *own);
/* The fault that a dump has recorded. False: none, or a status of 0. */
bool bw_crash_dump_fault(const struct bw_crash_dump *d, const struct bw_gpuvm_part *part,
			 struct bw_gpuvm_fault_facts *out);

/* The place of the command processor in an IB of the dump. */
struct bw_crash_place {
	size_t ib;	  /* in ibs */
	uint64_t at_dw;	  /* words that were fetched; by a trace point: executed at least */
	size_t packet_dw; /* where the packet begins that holds the last of them */
	bool is_trace;	  /* a trace point says so */
};
bool bw_crash_find_place(const struct bw_crash_dump *d, struct bw_crash_place *out);

/* The words of a ring that were not executed yet, as places in its `words`, in which they may wrap.
 * Where the pointers are not known it is all of them. False: the pointers do not fit the words. */
bool bw_crash_ring_pending(const struct bw_crash_ring *r, size_t *out_from, size_t *out_n);

/* A few sentences, a line each, what matters most first. part: what the user says, or NULL. */
void bw_crash_verdict(const struct bw_crash *c, const struct bw_gpuvm_part *part,
		      struct bw_str *out);

/* Whether it is a trace point, as RADV puts them around each draw and dispatch
 * (AC_ENCODE_TRACE_POINT of Mesa 25): a NOP with 0xcafe and the number of the trace point. */
bool bw_crash_is_trace_point(const struct bw_pm4_packet *p, unsigned *out_number);

#endif
