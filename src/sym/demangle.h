/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_DEMANGLE_H
#define BW_SYM_DEMANGLE_H

/* Names of C++ and HIP: as the source has them, and as users type them. */

#include <stdbool.h>
#include <stddef.h>

/* "_ZN2ns4dotsEPfi" -> "ns::dots(float*, int)". Owned; NULL if it is not a mangled name. */
char *bw_demangle(const char *name);
/* The name without what a template function returns and without its parameters: "ns::dots" of
 * "void ns::dots<float>(float*)". out_len: its length. */
const char *bw_name_base(const char *full, size_t *out_len);
/* Whether typed means the function: its whole name, or without its parameters, without the first
 * namespaces, without template arguments; spaces do not count. */
bool bw_name_is(const char *full, const char *typed);

#endif
