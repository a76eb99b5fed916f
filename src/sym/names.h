/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_NAMES_H
#define BW_SYM_NAMES_H

/* Names in debug information and symbol tables come from whoever made the file, and are shown in
 * the middle of lines. Any thread. */

#include <elfutils/libdw.h>

/* The name as one line (bw_make_line): itself, or a copy that is kept until the process ends. NULL
 * stays NULL. */
const char *bw_name_line(const char *name);

static inline const char *bw_die_name(Dwarf_Die *die)
{
	return bw_name_line(dwarf_diename(die));
}

#endif
