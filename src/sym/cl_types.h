/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_CL_TYPES_H
#define BW_SYM_CL_TYPES_H

/* Types that a program in OpenCL C declares outside of its functions, read from its source, for
 * kernels that a driver has compiled without debug information. A type is known only where the
 * source leaves no doubt: what depends on a macro whose value is not known, on #pragma pack, on an
 * attribute other than packed and aligned, on a pointer or a bit field, or is declared twice, is
 * not. Pure; the source is hostile. */

#include "sym/types.h"

struct bw_cl_types;

/* options: those of the build ("-D N=16"), or "". Source that is too long, or that cannot be read,
 * has no types. The caller closes *out. */
struct bw_error *bw_cl_types_open(const char *source, const char *options,
				  struct bw_cl_types **out) BW_MUST_CHECK;
void bw_cl_types_close(struct bw_cl_types *t);
/* A type as a kernel's argument names it ("params", "struct params", "real", "float4"), with its
 * size and the places of its members; NULL: not known. Lives as long as t. */
const struct bw_ctype *bw_cl_types_named(const struct bw_cl_types *t, const char *name);

#endif
