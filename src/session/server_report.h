/* SPDX-License-Identifier: MIT */
#ifndef BW_SESSION_SERVER_REPORT_H
#define BW_SESSION_SERVER_REPORT_H

/* Reports of the virtual GPU at the end of a program: files of its server, a line for each finding,
 * with tabs between its fields. */

#include "session/programs.h"

/* The whole file. The caller owns *out. */
struct bw_error *bw_report_read(struct bw_kmd *kmd, const char *file, char **out) BW_MUST_CHECK;
/* The next field of a line, and as a number; "" and 0 after the last. */
const char *bw_report_field(char **line);
uint64_t bw_report_number(char **line);
/* "gfx1100" */
struct bw_error *bw_report_gpu(struct bw_kmd *kmd, char *out, size_t size) BW_MUST_CHECK;
/* An instruction as text; its name if there is no text for it. */
struct bw_report_code {
	const char *gpu, *name;
	const uint32_t *word;
	unsigned n_words;
	uint64_t pc;
};
void bw_report_instruction(const struct bw_report_code *x, char *out, size_t size);
/* Adds the code objects that the program's command line names, and those in programs of HIP that it
 * names. A file that has none, or a damaged one, is ignored. */
void bw_report_add_code(struct bw_debug *d, struct bw_kmd *kmd, char *const *program);

#endif
