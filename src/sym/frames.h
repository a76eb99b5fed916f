/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_FRAMES_H
#define BW_SYM_FRAMES_H

/* Functions around an address, as debug information has them: inlined ones, and the one that has
 * code of its own. */

#include "sym/lines.h"

struct bw_frame_info {
	const char *name;	  /* name in the source; linkage_name may say more; NULL: none */
	const char *linkage_name; /* NULL: none */
	bool is_inlined, has_params;
	bool is_kernel;	       /* DW_AT_calling_convention of a kernel: the outermost frame */
	const char *call_file; /* inlined functions: where it was called; NULL: not known */
	unsigned call_line, call_column;
	uint64_t entry; /* start of its code */
	uint64_t die;
};

/* The i-th function around addr, 0 the innermost. False after the last one, which is not
 * inlined. */
bool bw_lines_frame(const struct bw_lines *l, uint64_t addr, unsigned i, struct bw_frame_info *out);
/* The places where functions of that name were inlined: writes up to max addresses of their first
 * lines, and returns the number of all. The name is as users type it (bw_name_is). */
size_t bw_lines_inlined(const struct bw_lines *l, const char *name, uint64_t *out, size_t max);
/* Whether a call returns to addr, by the debug information (DW_AT_call_return_pc): 1 yes, 0 no, -1
 * it does not say. */
int bw_lines_returns_to(const struct bw_lines *l, uint64_t addr);

#endif
