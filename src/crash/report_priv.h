/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_REPORT_PRIV_H
#define BW_CRASH_REPORT_PRIV_H

/* Readers of a hang report's files; each adds the facts in its lines to the report. Lines come
 * without colours and trailing blanks. */

#include "crash/line.h"
#include "crash/report.h"

void bw_crash_report_error(struct bw_crash_report *r, struct bw_error *err);
bool bw_crash_is_hex(const char *p, size_t n);

/* shaders.c: pipeline.log, and the code around a wave's PC as umr prints it. */
bool bw_crash_pipeline_line(struct bw_crash_report *r, const char *line, unsigned number);
bool bw_crash_program_line(struct bw_crash_report *r, const char *line, unsigned number);
bool bw_crash_umr_register_line(struct bw_crash_report *r, const char *line);
void bw_crash_shaders_next_file(struct bw_crash_report *r);
/* rings.c: umr_ring.log. */
bool bw_crash_umr_ring_line(struct bw_crash_report *r, const char *line, unsigned number);

#endif
